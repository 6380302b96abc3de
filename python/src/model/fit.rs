//! Fits, and starts that are tried.

use crate::arrays::{self, PairArray, TableArray, TableLayout};
use crate::attend::{ProgressReport, StopFlag, Watcher, attend_until};
use crate::errors::exception;
use crate::model::NativeModel;
use crate::settings;
use pyo3::prelude::*;
use std::time::Instant;
use tangency::fit::{FullPosterior, Plan, StartRank};
use tangency::io::Model;
use tangency::linalg::Matrix;
use tangency::model::{Structure, TableView};
use tangency::{Choice, Config, Fit, Fitter, Progress, Start};

/// Views as Python gives them.
pub fn table_views(views: Vec<(String, Vec<usize>)>) -> Vec<TableView> {
    views.into_iter().map(|(name, features)| TableView { name, features }).collect()
}

/// A table to be fitted, the settings, and the graph if it is given.
pub struct Task<'a> {
    lying: TableLayout<'a>,
    config: Config,
    edges: Option<Vec<(u32, u32)>>,
    views: Vec<TableView>,
    structure: Structure,
}

impl<'a> Task<'a> {
    pub fn new(values: &'a TableArray<'_>, config: &str, edges: Option<&PairArray<'_>>) -> PyResult<Self> {
        let (lying, config) = (TableLayout::of(values)?, settings::config(config)?);
        Ok(Self {
            lying,
            config,
            edges: edges.map(arrays::edges).transpose()?,
            views: vec![],
            structure: Structure::default(),
        })
    }

    /// The same with groups of features.
    pub fn with_views(self, views: Vec<(String, Vec<usize>)>) -> Self {
        Self { views: table_views(views), ..self }
    }

    /// The same with a structure within the manifold.
    pub fn with_structure(self, structure: Structure) -> Self {
        Self { structure, ..self }
    }

    /// The fit, with its whole posterior if that is to be kept; from a start that is given, or only from the one with a
    /// number.
    pub fn fit(
        self,
        start: Option<Start>,
        only: Option<usize>,
        keep_posterior: bool,
        watch: &Watcher,
    ) -> tangency::Result<TimedFit> {
        let (begin, lying) = (Instant::now(), self.lying);
        let mut fitter = self.fitter(watch);
        if let Some(start) = start {
            fitter = fitter.start(start);
        }
        if let Some(number) = only {
            fitter = fitter.only(number);
        }
        let (fit, posterior) = match keep_posterior {
            true => fitter.fit_with_posterior(lying.view())?,
            false => (fitter.fit_view(lying.view())?, None),
        };
        Ok(TimedFit { fit, posterior, seconds: begin.elapsed().as_secs_f64() })
    }

    fn fitter(self, watch: &Watcher) -> Fitter<'_> {
        let fitter = Fitter::new(self.config).views(self.views).structure(self.structure);
        let fitter = fitter.observer(|progress| watch.tell(|| told(progress)));
        match self.edges {
            Some(edges) => fitter.edges(edges),
            None => fitter,
        }
    }
}

/// A fit with the names of the features and, where they have some, of the rows of its table.
pub fn named(fit: Fit, feature_names: Vec<String>, ids: Option<Vec<String>>) -> Model {
    // some rows may have been left out
    let ids = ids.map(|ids| fit.rows.iter().map(|&row| ids[row].clone()).collect());
    Model { fit, feature_names, ids, labels: None, label_name: None, carried: vec![], table: None, reading: None }
}

/// A fit, and how many seconds it took.
pub struct TimedFit {
    pub fit: Fit,
    pub posterior: Option<FullPosterior>,
    pub seconds: f64,
}

/// A start that the caller gives: coordinates, or maps of each point.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// [n, d_x]
    #[pyo3(transparent)]
    Coordinates(TableArray<'py>),
    /// [n, d_y, d_x] in scaled units
    #[pyo3(transparent)]
    Maps(numpy::PyReadonlyArray3<'py, f64>),
}

impl Given<'_> {
    pub fn start(&self) -> PyResult<Start> {
        match self {
            Self::Coordinates(table) => Ok(Start::Coordinates(TableLayout::of(table)?.to_matrix())),
            Self::Maps(maps) => {
                let maps = maps.as_array();
                let [n, d_y, d_x] = [maps.shape()[0], maps.shape()[1], maps.shape()[2]];
                Ok(Start::Maps(Matrix::from_fn(d_y, n * d_x, |f, p| maps[[p % n, f, p / n]])))
            }
        }
    }
}

/// Whether a start stands; its bound, within how many nats bounds count as equal, and the trustworthiness that decides then.
type Rank = (bool, f64, f64, f64);

/// Numbers of the starts that a fit of such a table compares.
#[pyfunction]
pub fn starts(n: usize, n_features: usize, config: &str) -> PyResult<Vec<usize>> {
    let config = settings::config(config)?;
    config.validate().map_err(exception)?;
    Ok(Plan::new(n, n_features, &config).starts.iter().map(|start| start.number).collect())
}

/// Seconds, more or less, that a fit of such a table takes; `in_turns` says whether entries are missing or there are views.
#[pyfunction]
pub fn expected_seconds(n: usize, n_features: usize, config: &str, in_turns: bool) -> PyResult<f64> {
    Ok(tangency::fit::expected_seconds(n, n_features, in_turns, &settings::config(config)?))
}

/// The place of the best of some ranks, the first of equals.
#[pyfunction]
pub fn best_start(ranks: Vec<Rank>) -> Option<usize> {
    let rank =
        |(stands, bound_scaled, level, trustworthiness)| StartRank { stands, bound_scaled, level, trustworthiness };
    StartRank::best(&ranks.into_iter().map(rank).collect::<Vec<_>>())
}

/// How one of several starts does: its rank, and its model if it was run to its end.
#[pyfunction]
#[pyo3(signature = (values, config, feature_names, ids, edges, number, threads, stop=None))]
pub fn try_start(
    py: Python<'_>,
    values: TableArray<'_>,
    config: &str,
    feature_names: Vec<String>,
    ids: Option<Vec<String>>,
    edges: Option<PairArray<'_>>,
    number: usize,
    threads: usize,
    stop: Option<&StopFlag>,
) -> PyResult<(Rank, Option<NativeModel>)> {
    let task = Task::new(&values, config, edges.as_ref())?;
    let tried = attend_until(py, stop, threads, None, |watch| {
        let lying = task.lying;
        task.fitter(watch).try_start(lying.view(), number)
    })?;
    let model = tried.fit.map(|fit| NativeModel::new(named(fit, feature_names, ids)));
    let StartRank { stands, bound_scaled, level, trustworthiness } = tried.rank;
    Ok(((stands, bound_scaled, level, trustworthiness), model))
}

fn told(progress: &Progress) -> ProgressReport {
    let stage = progress.stage.name().replace('-', " ");
    let run = match (progress.trial, progress.starts) {
        (true, starts) => format!("trial {}/{starts}, {stage}", progress.start),
        (false, 1) => stage,
        (false, starts) => format!("start {}/{starts}, {stage}", progress.start),
    };
    ProgressReport {
        step: run,
        done: progress.point.iteration,
        total: Some(progress.max_iter),
        bound: Some(progress.point.bound_scaled),
    }
}
