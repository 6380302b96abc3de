//! The methods beside ours, and ours beside them.

use crate::PEAK;
use crate::arrays::{Out, PairArray, TableArray, TableLayout, rows};
use crate::attend::{ProgressReport, attend, pool};
use crate::errors::exception;
use crate::model::{NativeModel, named, table_views};
use crate::settings;
use crate::words::PythonWords;
use numpy::Ix2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tangency::compare::{Comparison, Entrant, Meter, Trial, ranks, table};
use tangency::message::{Dialect, Sentence};
use tangency::peers::{Method, PeerOptions, embed};
use tangency_report::comparison::panels;

/// Coordinates, the rows of the table that they are, and, of a method that climbs, where it ended as JSON, and variances.
type Embedded<'py> = (Out<'py, Ix2>, Vec<usize>, Option<String>, Option<Out<'py, Ix2>>);

/// Coordinates of a table by a method.
#[pyfunction]
#[pyo3(name = "embed", signature = (values, method, config, options, edges, threads, progress=None))]
pub fn embed_table<'py>(
    py: Python<'py>,
    values: TableArray<'_>,
    method: &str,
    config: &str,
    options: &str,
    edges: Option<PairArray<'_>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Embedded<'py>> {
    let lying = TableLayout::of(&values)?;
    let method: Method = read(&format!("\"{method}\""))?;
    let (config, options) = (settings::config(config)?, read::<PeerOptions>(options)?);
    let edges = edges.as_ref().map(crate::arrays::edges).transpose()?;
    let found = attend(py, threads, progress.as_ref(), |watch| {
        embed(lying.view(), method, &config, &options, edges, &mut |done, value| {
            watch.tell(|| ProgressReport { step: "iterations".into(), done, total: None, bound: Some(value) })
        })
    })?;
    let optimum = found.optimum.as_ref().map(|optimum| {
        settings::json(&serde_json::json!({
            "objective": optimum.objective, "n_iter": optimum.iterations, "converged": optimum.converged,
            "interrupted": optimum.interrupted, "relevance": optimum.relevance, "signal": optimum.signal,
            "noise": optimum.noise,
        }))
    });
    let variances = found.optimum.as_ref().and_then(|optimum| optimum.variances.as_ref());
    let variances = variances.map(|variances| rows(py, variances)).transpose()?;
    Ok((rows(py, &found.coordinates)?, found.rows, optimum.transpose()?, variances))
}

fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// What a method did as JSON, its coordinates if there are some, and whether it was asked to stop.
type Ran<'py> = (String, Option<Out<'py, Ix2>>, bool);

/// Name, note and places of an embedding that was turned onto the others.
type PanelMade<'py> = (String, String, Out<'py, Ix2>);

/// A comparison while it is made: method by method.
#[pyclass(frozen, name = "Comparison", module = "tangency._tangency")]
pub struct NativeComparison {
    /// Threads of all methods: what threads of another pool give back when they end would spoil the count of memory.
    pool: rayon::ThreadPool,
    state: Mutex<(Comparison, Vec<Trial>)>,
}

impl NativeComparison {
    fn state(&self) -> MutexGuard<'_, (Comparison, Vec<Trial>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl NativeComparison {
    #[new]
    fn new(
        py: Python<'_>,
        values: TableArray<'_>,
        config: &str,
        options: &str,
        edges: Option<PairArray<'_>>,
        truth: Option<TableArray<'_>>,
        labels: Option<Vec<String>>,
        views: Vec<(String, Vec<usize>)>,
        threads: usize,
    ) -> PyResult<Self> {
        let lying = TableLayout::of(&values)?;
        let (config, options) = (settings::config(config)?, read::<PeerOptions>(options)?);
        options.validate().map_err(exception)?;
        let edges = edges.as_ref().map(crate::arrays::edges).transpose()?;
        let truth = truth.as_ref().map(TableLayout::of).transpose()?.map(TableLayout::to_matrix);
        let pool = pool(threads)?;
        let mut comparing =
            attend(py, 1, None, |_| pool.install(|| Comparison::new(lying.view(), config, edges, truth, labels)))?;
        comparing.options = options;
        comparing.words = &PythonWords;
        comparing.views = table_views(views);
        comparing.meter = Some(Meter {
            reset: || PEAK.reset_peak_usage(),
            now: || PEAK.current_usage() as u64,
            peak: || PEAK.peak_usage() as u64,
        });
        Ok(Self { pool, state: Mutex::new((comparing, vec![])) })
    }

    /// Rows of the table that take part.
    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.state().0.rows().to_vec()
    }

    /// What was filled in for methods that know no gaps, in words and as JSON; nothing where the table has none.
    #[getter]
    fn filled_in(&self) -> PyResult<Option<(String, String)>> {
        let state = self.state();
        state.0.filled_in().map(|what| Ok((what.in_words(&PythonWords), settings::json(what)?))).transpose()
    }

    /// Why a method does not belong to "all" here, if it does not.
    fn left_out(&self, method: &str) -> PyResult<Option<String>> {
        let entrant: Entrant = method.parse().map_err(exception)?;
        Ok(entrant.left_out(self.state().0.rows().len()).map(|reason| PythonWords.words(&reason)))
    }

    /// Runs a method; `step` is what progress calls it.
    #[pyo3(signature = (method, step, progress=None))]
    fn run<'py>(&self, py: Python<'py>, method: &str, step: String, progress: Option<Py<PyAny>>) -> PyResult<Ran<'py>> {
        let entrant: Entrant = method.parse().map_err(exception)?;
        let (trial, stopped) = attend(py, 1, progress.as_ref(), |watch| {
            let mut told = |done, value| {
                watch.tell(|| ProgressReport { step: step.clone(), done, total: None, bound: Some(value) })
            };
            let trial = self.pool.install(|| self.state().0.run(entrant, &mut told));
            // methods that do not look whether they should stop have something to show all the same
            Ok((trial, watch.stopped()))
        })?;
        let coordinates = trial.outcome.as_ref().ok().map(|outcome| rows(py, &outcome.coordinates)).transpose()?;
        let record = settings::json(&table::as_json(&trial, None))?;
        self.state().1.push(trial);
        Ok((record, coordinates, stopped))
    }

    /// The mean rank of each method that ran by the measures that need no truth.
    fn mean_ranks(&self) -> Vec<Option<f64>> {
        ranks(&self.state().1)
    }

    /// The table of all methods that ran.
    fn text(&self) -> String {
        table::as_text(&self.state().1).join("\n")
    }

    /// The truth, if it can be drawn, and all embeddings, turned onto it or onto the first.
    fn panels<'py>(&self, py: Python<'py>) -> PyResult<Vec<PanelMade<'py>>> {
        let state = self.state();
        let made = panels(&state.0, &state.1).into_iter().map(|panel| {
            let flat = panel.coordinates.iter().flatten().copied().collect();
            let places = crate::arrays::array(py, flat, (panel.coordinates.len(), 2))?;
            Ok((panel.name, panel.note, places))
        });
        made.collect()
    }

    /// The fit of our model, if it has run.
    #[pyo3(signature = (feature_names, ids=None))]
    fn model(&self, feature_names: Vec<String>, ids: Option<Vec<String>>) -> PyResult<Option<NativeModel>> {
        let fit = self.state().0.fit().cloned();
        if fit.as_ref().is_some_and(|fit| fit.scaling.scale.len() != feature_names.len()) {
            return Err(PyValueError::new_err(
                "feature_names has another length than the table has features; give a name for each feature",
            ));
        }
        Ok(fit.map(|fit| NativeModel::new(named(fit, feature_names, ids))))
    }
}
