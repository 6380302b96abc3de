//! What the bound says about graphs.

use crate::arrays::{Lying, Out, OutPairs, Pairs, Table, array, edges, pairs};
use crate::attend::{Stop, Told, attend, attend_until};
use crate::errors::exception;
use crate::model::Model;
use crate::settings;
use crate::words::Arguments;
use numpy::Ix2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::Symmetry;
use tangency::evidence::{
    Cell, CellFit, EdgeScore, GraphChoice, PruneOptions, PruneProgress, PruneStep, Selection as Grid, edge_scores,
    prune_from, test_edges,
};

/// Edges with length, resistance, residual and score, a row each. [m, 4]
type Scored<'py> = (OutPairs<'py>, Out<'py, Ix2>);

fn scored<'py>(py: Python<'py>, scores: &[EdgeScore]) -> PyResult<Scored<'py>> {
    let named: Vec<(u32, u32)> = scores.iter().map(|score| score.edge).collect();
    let flat = scores.iter().flat_map(|s| [s.length, s.resistance, s.residual, s.score]).collect();
    Ok((pairs(py, &named)?, array(py, flat, (scores.len(), 4))?))
}

/// How much each edge strains the fit, the most first.
#[pyfunction]
#[pyo3(name = "edge_scores")]
pub fn score_edges<'py>(py: Python<'py>, model: &Model, threads: usize) -> PyResult<Scored<'py>> {
    scored(py, &attend(py, threads, None, |_| edge_scores(&model.saved.fit))?)
}

/// How the bound changes without edges that are there and with edges that are not, as JSON.
#[pyfunction]
#[pyo3(name = "test_edges", signature = (model, edges, seeds, threads, progress=None))]
pub fn change_edges(
    py: Python<'_>,
    model: &Model,
    edges: Pairs<'_>,
    seeds: usize,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let named = crate::arrays::edges(&edges)?;
    let tests = attend(py, threads, progress.as_ref(), |watch| {
        test_edges(&model.saved.fit, &named, seeds, &mut |done, total| {
            watch.tell(|| Told { step: "graphs".into(), done, total: Some(total), bound: None })
        })
    })?;
    let listed = tests.iter().map(|test| {
        serde_json::json!({
            "removed": test.removed, "added": test.added, "seeds": test.seeds,
            "change": test.change, "spread": test.spread, "parts": test.parts, "converged": test.converged,
        })
    });
    settings::json(&listed.collect::<Vec<_>>())
}

/// The model on the graph without short-circuits, the edges removed with their scores, the gain of each, and the
/// rest as JSON. A model that was asked to keep its whole posterior gives it up for that.
#[pyfunction]
#[pyo3(name = "prune", signature = (model, max_removed, min_gain, threads, progress=None))]
pub fn prune_graph<'py>(
    py: Python<'py>,
    model: &Model,
    max_removed: Option<usize>,
    min_gain: f64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, Scored<'py>, Vec<f64>, String)> {
    let options = PruneOptions { max_removed, min_gain, ..PruneOptions::default() };
    let found = attend(py, threads, progress.as_ref(), |watch| {
        prune_from(&model.saved.fit, model.take_posterior(), &options, &mut |progress| watch.tell(|| told(progress)))
    })?;
    let scores: Vec<EdgeScore> = found.removed.iter().map(|edge| edge.score).collect();
    let gains = found.removed.iter().map(|edge| edge.gain).collect();
    let bridges: Vec<_> = found
        .bridges
        .iter()
        .map(|bridge| {
            serde_json::json!({"edge": bridge.edge, "in_place_of": bridge.in_place_of, "length": bridge.length,
                "change": bridge.change, "taken": bridge.taken})
        })
        .collect();
    let rest = serde_json::json!({
        "gain": found.fit.bound_scaled() - found.bound_before,
        "baseline_mean": found.baseline.mean, "baseline_std": found.baseline.deviation,
        "baseline_samples": found.baseline.samples, "bridges": bridges,
        "rounds": found.rounds.iter().map(|round| round.removed).collect::<Vec<_>>(),
        "n_iter": found.iterations, "interrupted": found.interrupted,
    });
    Ok((model.with_fit(found.fit), scored(py, &scores)?, gains, settings::json(&rest)?))
}

fn told(progress: &PruneProgress) -> Told {
    let step = match progress.step {
        PruneStep::Preparing => "preparing".to_owned(),
        PruneStep::Bridging => "trying bridges".to_owned(),
        PruneStep::Removing(round) => format!("round {round}, {} edges out", progress.removed),
        PruneStep::Baseline => "removing random good edges".to_owned(),
        PruneStep::Restoring => format!("putting edges back, {} out", progress.removed),
    };
    Told { step, done: progress.iterations, total: None, bound: Some(progress.best) }
}

/// Candidate, settings and edges of a fit to be made.
type NextFit<'py> = (usize, String, OutPairs<'py>);

/// A graph to be tried: its kind (`or`, `mutual`, `radius` or a name), a number, and edges.
type Choice<'py> = (String, f64, Option<Pairs<'py>>);

/// The grid of graphs and dimensions. It makes no fits itself: it says which come next, and what they tell.
#[pyclass(frozen, module = "tangency._tangency")]
pub struct Selection {
    grid: Grid,
}

#[pymethods]
impl Selection {
    #[new]
    fn new(
        values: Table<'_>,
        config: &str,
        choices: Vec<Choice<'_>>,
        n_components: Vec<usize>,
        seeds: usize,
        race: bool,
    ) -> PyResult<Self> {
        let neighbors = |k: f64, symmetry| GraphChoice::Neighbors { n_neighbors: k as usize, symmetry };
        let choices = choices
            .iter()
            .map(|(kind, number, given)| {
                Ok(match (kind.as_str(), given) {
                    (name, Some(given)) => GraphChoice::Edges { name: name.to_owned(), edges: edges(given)? },
                    ("mutual", _) => neighbors(*number, Symmetry::Mutual),
                    ("radius", _) => GraphChoice::Radius(*number),
                    _ => neighbors(*number, Symmetry::Or),
                })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let table = Lying::of(&values)?.to_matrix();
        let grid = Grid::new(&table, settings::config(config)?, choices, n_components)
            .and_then(|grid| grid.seeds(seeds))
            .map_err(exception)?;
        Ok(Self { grid: if race { grid } else { grid.all() } })
    }

    /// Graph, number of neighbours, dimension and pieces of each candidate.
    #[getter]
    fn candidates(&self) -> Vec<(String, Option<usize>, usize, usize)> {
        let listed = self.grid.candidates().iter();
        listed
            .map(|candidate| {
                let graph = self.grid.graph(candidate);
                (graph.to_string(), graph.n_neighbors(), candidate.n_components, candidate.pieces)
            })
            .collect()
    }

    #[getter]
    fn n_fits(&self) -> usize {
        self.grid.n_fits()
    }

    /// A text that is the same for the same table and settings.
    #[getter]
    fn fingerprint(&self) -> String {
        self.grid.fingerprint()
    }

    /// How many fits this machine has room for at once.
    fn most_at_once(&self, threads: usize) -> PyResult<usize> {
        self.grid.most_at_once(threads).map_err(exception)
    }

    /// Candidate, settings and edges of the fits that come next.
    fn next_fits<'py>(&self, py: Python<'py>, done: Vec<String>) -> PyResult<Vec<NextFit<'py>>> {
        let next = self.grid.next_fits(&cells(&done)?);
        next.iter().map(|fit| Ok((fit.candidate, settings::json(&fit.config)?, pairs(py, &fit.edges)?))).collect()
    }

    /// All cells, fitted or not, as JSON.
    fn cells(&self, done: Vec<String>) -> PyResult<String> {
        settings::json(&self.grid.cells(&cells(&done)?))
    }

    /// The candidates, the best first, as JSON.
    fn ranking(&self, done: Vec<String>) -> PyResult<String> {
        settings::json(&self.grid.ranking(&self.grid.cells(&cells(&done)?)))
    }
}

fn cells(texts: &[String]) -> PyResult<Vec<Cell>> {
    let cell = |text: &String| serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()));
    texts.iter().map(cell).collect()
}

/// One fit of the grid, as JSON; nothing if it was stopped.
#[pyfunction]
#[pyo3(signature = (values, candidate, config, edges, threads, stop=None))]
pub fn run_cell(
    py: Python<'_>,
    values: Table<'_>,
    candidate: usize,
    config: &str,
    edges: Pairs<'_>,
    threads: usize,
    stop: Option<&Stop>,
) -> PyResult<Option<String>> {
    let fit = CellFit { candidate, config: settings::config(config)?, edges: crate::arrays::edges(&edges)? };
    let lying = Lying::of(&values)?;
    let cell = attend_until(py, stop, threads, None, |watch| fit.run(lying.view(), &|| watch.stopped(), &Arguments))?;
    cell.as_ref().map(settings::json).transpose()
}
