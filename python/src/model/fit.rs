//! Fits, and starts that are tried.

use crate::arrays::{self, Lying, Pairs, Table};
use crate::attend::{Stop, Told, Watch, attend_until};
use crate::settings;
use pyo3::prelude::*;
use std::time::Instant;
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Progress, Stage, Start};

/// A table to be fitted, the settings, and the graph if it is given.
pub struct Task<'a> {
    lying: Lying<'a>,
    config: Config,
    edges: Option<Vec<(u32, u32)>>,
}

impl<'a> Task<'a> {
    pub fn new(values: &'a Table<'_>, config: &str, edges: Option<&Pairs<'_>>) -> PyResult<Self> {
        let (lying, config) = (Lying::of(values)?, settings::config(config)?);
        Ok(Self { lying, config, edges: edges.map(arrays::edges).transpose()? })
    }

    /// The fit, and how many seconds it took; from a start that is given, or only from the one with a number.
    pub fn fit(self, start: Option<Start>, only: Option<usize>, watch: &Watch) -> tangency::Result<(Fit, f64)> {
        let (begin, lying) = (Instant::now(), self.lying);
        let mut fitter = self.fitter(watch);
        if let Some(start) = start {
            fitter = fitter.start(start);
        }
        if let Some(number) = only {
            fitter = fitter.only(number);
        }
        Ok((fitter.fit_view(lying.view())?, begin.elapsed().as_secs_f64()))
    }

    fn fitter(self, watch: &Watch) -> Fitter<'_> {
        let fitter = Fitter::new(self.config).observer(|progress| watch.tell(|| told(progress)));
        match self.edges {
            Some(edges) => fitter.edges(edges),
            None => fitter,
        }
    }
}

/// A start that the caller gives: coordinates, or maps of each point.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// [n, d_x]
    #[pyo3(transparent)]
    Coordinates(Table<'py>),
    /// [n, d_y, d_x] in scaled units
    #[pyo3(transparent)]
    Maps(numpy::PyReadonlyArray3<'py, f64>),
}

impl Given<'_> {
    pub fn start(&self) -> PyResult<Start> {
        match self {
            Self::Coordinates(table) => Ok(Start::Coordinates(Lying::of(table)?.to_matrix())),
            Self::Maps(maps) => {
                let maps = maps.as_array();
                let [n, d_y, d_x] = [maps.shape()[0], maps.shape()[1], maps.shape()[2]];
                Ok(Start::Maps(Matrix::from_fn(d_y, n * d_x, |f, p| maps[[p % n, f, p / n]])))
            }
        }
    }
}

/// How one of several starts does: whether it stands, and its bound.
#[pyfunction]
#[pyo3(signature = (values, config, edges, number, threads, stop=None))]
pub fn try_start(
    py: Python<'_>,
    values: Table<'_>,
    config: &str,
    edges: Option<Pairs<'_>>,
    number: usize,
    threads: usize,
    stop: Option<&Stop>,
) -> PyResult<(bool, f64)> {
    let task = Task::new(&values, config, edges.as_ref())?;
    let rank = attend_until(py, stop, threads, None, |watch| {
        let lying = task.lying;
        task.fitter(watch).try_start(lying.view(), number)
    })?;
    Ok((rank.stands, rank.bound_scaled))
}

fn told(progress: &Progress) -> Told {
    let stage = match progress.stage {
        Stage::FittingMaps => "fitting maps",
        Stage::Growing => "growing",
        Stage::Climbing => "climbing",
    };
    let run = match (progress.trial, progress.starts) {
        (true, starts) => format!("trial {}/{starts}, {stage}", progress.start),
        (false, 1) => stage.to_owned(),
        (false, starts) => format!("start {}/{starts}, {stage}", progress.start),
    };
    Told {
        step: run,
        done: progress.point.iteration,
        total: Some(progress.max_iter),
        bound: Some(progress.point.bound_scaled),
    }
}
