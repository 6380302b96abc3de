//! What the bound says about graphs.

use crate::arrays::{Out, OutPairs, PairArray, TableArray, TableLayout, array, edges, pairs};
use crate::attend::{ProgressReport, StopFlag, attend, attend_until};
use crate::errors::exception;
use crate::model::{NativeModel, table_views};
use crate::settings;
use crate::words::PythonWords;
use numpy::Ix2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::Symmetry;
use tangency::config::Choice;
use tangency::evidence::{
    Cell, CellFit, GraphChoice, Judge, PruneOptions, PruneProgress, PruneStep, Selection, prune_from, test_edges,
};
use tangency::view::{EdgeRow, EdgeTestRow, EdgesView, EvidenceView, PruningView};

/// Edges with their numbers, a row each. [m, 7]
type Scored<'py> = (OutPairs<'py>, Out<'py, Ix2>);

/// Numbers of an edge: those of the table of edges, what its removal would gain, and 1 if it stands out by that.
const SCORES: usize = EdgeRow::NUMBERS.len() + 2;

fn scored<'py>(py: Python<'py>, edges: &[EdgeRow]) -> PyResult<Scored<'py>> {
    let named: Vec<(u32, u32)> = edges.iter().map(|edge| edge.points).collect();
    let judged = |edge: &EdgeRow| [edge.expected_gain.unwrap_or(f64::NAN), f64::from(u8::from(edge.suspect))];
    let flat = edges.iter().flat_map(|edge| edge.numbers().into_iter().chain(judged(edge))).collect();
    Ok((pairs(py, &named)?, array(py, flat, (edges.len(), SCORES))?))
}

/// How much each edge strains the fit, the most first.
#[pyfunction]
#[pyo3(name = "edge_scores")]
pub fn score_edges<'py>(py: Python<'py>, model: &NativeModel, threads: usize) -> PyResult<Scored<'py>> {
    scored(py, &attend(py, threads, None, |_| EdgesView::new(&model.saved))?.edges)
}

/// How the bound changes without edges that are there and with edges that are not, as JSON.
#[pyfunction]
#[pyo3(name = "test_edges", signature = (model, edges, seeds, threads, progress=None))]
pub fn change_edges(
    py: Python<'_>,
    model: &NativeModel,
    edges: PairArray<'_>,
    seeds: usize,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let named = crate::arrays::edges(&edges)?;
    let tests = attend(py, threads, progress.as_ref(), |watch| {
        test_edges(&model.saved.fit, &named, seeds, &mut |done, total| {
            watch.tell(|| ProgressReport { step: "graphs".into(), done, total: Some(total), bound: None })
        })
    })?;
    settings::json(&tests.iter().map(|test| EdgeTestRow::new(&model.saved, test)).collect::<Vec<_>>())
}

/// The model on the graph without short-circuits, and what was found, as JSON. A model that was asked to keep its whole
/// posterior gives it up for that.
#[pyfunction]
#[pyo3(name = "prune", signature = (model, max_removed, min_gain, threads, progress=None))]
pub fn prune_graph(
    py: Python<'_>,
    model: &NativeModel,
    max_removed: Option<usize>,
    min_gain: f64,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(NativeModel, String)> {
    let options = PruneOptions { max_removed, min_gain, ..PruneOptions::default() };
    let found = attend(py, threads, progress.as_ref(), |watch| {
        prune_from(&model.saved.fit, model.take_posterior(), &options, &mut |progress| watch.tell(|| told(progress)))
    })?;
    let view = settings::json(&PruningView::new(&model.saved, &found))?;
    Ok((model.with_fit(found.fit), view))
}

fn told(progress: &PruneProgress) -> ProgressReport {
    let step = match progress.step {
        PruneStep::Preparing => "preparing".to_owned(),
        PruneStep::Bridging => "trying bridges".to_owned(),
        PruneStep::Removing(round) => format!("round {round}, {} edges out", progress.removed),
        PruneStep::Baseline => "removing random good edges".to_owned(),
        PruneStep::Restoring => format!("putting edges back, {} out", progress.removed),
    };
    ProgressReport { step, done: progress.iterations, total: None, bound: Some(progress.best) }
}

/// Candidate, settings, edges and the part held out of a fit to be made.
type NextFit<'py> = (usize, String, Option<OutPairs<'py>>, Option<usize>);

/// A graph to be tried: its kind (`or`, `mutual`, `radius` or a name), a number, and edges.
type GraphArgument<'py> = (String, f64, Option<PairArray<'py>>);

/// The grid of graphs and dimensions. It makes no fits itself: it says which come next, and what they tell.
#[pyclass(frozen, name = "Selection", module = "tangency._tangency")]
pub struct NativeSelection {
    grid: Selection,
}

#[pymethods]
impl NativeSelection {
    #[new]
    fn new(
        values: TableArray<'_>,
        config: &str,
        choices: Vec<GraphArgument<'_>>,
        n_components: Vec<usize>,
        seeds: usize,
        race: bool,
        by: &str,
        views: Vec<(String, Vec<usize>)>,
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
        let table = TableLayout::of(&values)?.to_matrix();
        let grid = Selection::new(&table, settings::config(config)?, choices, n_components)
            .and_then(|grid| grid.views(table_views(views))?.by(Judge::named(by).unwrap_or_default())?.seeds(seeds))
            .map_err(exception)?;
        Ok(Self { grid: if race { grid } else { grid.all() } })
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

    /// Candidate, settings, edges and the part held out of the fits that come next.
    fn next_fits<'py>(&self, py: Python<'py>, done: Vec<String>) -> PyResult<Vec<NextFit<'py>>> {
        let next = self.grid.next_fits(&cells(&done)?);
        let of = |fit: &CellFit| {
            let edges = fit.edges.as_ref().map(|edges| pairs(py, edges)).transpose()?;
            Ok((fit.candidate, settings::json(&fit.config)?, edges, fit.part))
        };
        next.iter().map(of).collect()
    }

    /// What the fits that are done say: the candidates, the best first, and all cells, as JSON.
    fn evidence(&self, done: Vec<String>) -> PyResult<String> {
        settings::json(&EvidenceView::new(&self.grid, &self.grid.cells(&cells(&done)?)))
    }
}

fn cells(texts: &[String]) -> PyResult<Vec<Cell>> {
    let cell = |text: &String| serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()));
    texts.iter().map(cell).collect()
}

/// One fit of the grid, as JSON; nothing if it was stopped.
#[pyfunction]
#[pyo3(signature = (values, candidate, config, edges, part, views, threads, stop=None))]
#[allow(clippy::too_many_arguments, reason = "what a fit that is made elsewhere needs")]
pub fn run_cell(
    py: Python<'_>,
    values: TableArray<'_>,
    candidate: usize,
    config: &str,
    edges: Option<PairArray<'_>>,
    part: Option<usize>,
    views: Vec<(String, Vec<usize>)>,
    threads: usize,
    stop: Option<&StopFlag>,
) -> PyResult<Option<String>> {
    let edges = edges.as_ref().map(crate::arrays::edges).transpose()?;
    let fit = CellFit { candidate, config: settings::config(config)?, edges, part, views: table_views(views) };
    let lying = TableLayout::of(&values)?;
    let cell = attend_until(py, stop, threads, None, |watch| fit.run(lying.view(), &|| watch.stopped(), &PythonWords))?;
    cell.as_ref().map(settings::json).transpose()
}
