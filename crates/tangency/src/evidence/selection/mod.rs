//! Choosing the graph and the dimension, by the bound or by rows held out: a grid of fits, raced, in parallel, and what it says.

mod candidates;
mod cell_fit;
mod held_out;
mod racing;
mod schedule;
mod summary;
#[cfg(test)]
mod tests;

pub use candidates::{Candidate, GraphChoice};
pub use cell_fit::CellFit;
pub use held_out::{HeldOut, Judge};
pub use summary::{CandidateSummary, Distance, Ranking};

use crate::config::{Config, FeatureWeight, KeepLengths};
use crate::error::{Error, Result};
use crate::fit::{Plan, available_memory};
use crate::linalg::Matrix;
use crate::message::{Dialect, Fields};
use crate::model::{Checked, MissingRule, ScaledTable, TableView, check_views, kept_rows, whole_rows};
use candidates::GraphOfChoice;
use racing::{Job, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// More seeds than this are a slip of the finger.
const MOST_SEEDS: usize = 10_000;

crate::choice! {
    /// How a cell of the grid ended.
    pub enum CellStop {
        /// The fit converged.
        Converged = "converged",
        /// The fit reached `max_iter` first; its bound is too low.
        MaxIterations = "max-iterations",
        /// The fit collapsed: the data are explained as noise, and its bound is no evidence for the graph.
        Collapsed = "collapsed",
        /// The fit ended in an error.
        Failed = "failed",
        /// Not fitted: the candidate was hopeless after earlier seeds.
        Raced = "raced",
        /// Not fitted: the graph is in pieces.
        Disconnected = "disconnected",
    }
}

/// One fit of the grid, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Which candidate, by its place in [`Selection::candidates`].
    pub candidate: usize,
    /// Seed of the fit; none where the graph is in pieces, whatever the seed, and where a part of the rows was held out.
    pub seed: Option<u64>,
    /// Which part of the rows was held out; none for a fit of all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// The bound in the units of the table, where there is a fit.
    pub bound: Option<f64>,
    /// Iterations of the run that was kept.
    pub n_iter: Option<usize>,
    /// How it ended.
    pub stop: CellStop,
    /// What went wrong, where something did.
    pub message: Option<String>,
    /// Mean log-density of the rows that were held out, in nats and in the units of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_density: Option<f64>,
    /// The same of each of these rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<f64>,
}

impl Cell {
    /// A cell without a fit.
    fn none(candidate: usize, seed: Option<u64>, stop: CellStop) -> Self {
        let (part, bound, n_iter, message, log_density) = (None, None, None, None, None);
        Self { candidate, seed, part, bound, n_iter, stop, message, log_density, scores: vec![] }
    }

    /// The bound, if it speaks for the candidate: a collapsed fit has one that does not.
    pub fn evidence(&self) -> Option<f64> {
        self.bound.filter(|_| self.stop != CellStop::Collapsed)
    }
}

/// What a selection found.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// One cell a fit, ordered by candidate and seed; what is in pieces or was raced stands there too.
    pub cells: Vec<Cell>,
    /// Whether every cell is there; not so if the selection was stopped.
    pub complete: bool,
}

/// Graphs and dimensions to be compared, by rows that were held out or by the bound on the evidence.
///
/// ```
/// use tangency::evidence::{GraphChoice, Selection};
/// use tangency::{Config, Shape, generate};
///
/// let curve = generate(Shape::SCurve, 60, 0.02, 1);
/// let graphs = [6, 9].map(GraphChoice::neighbors).to_vec();
/// let config = Config { max_iter: 40, ..Config::default() };
/// let selection = Selection::new(&curve.points, config, graphs, vec![1, 2])?.seeds(2)?;
/// let selected = selection.run(&[], &|| false, |cell| {
///     println!("candidate {} seed {:?}: {:?}", cell.candidate, cell.seed, cell.bound);
///     std::ops::ControlFlow::Continue(())
/// })?;
/// let ranking = selection.ranking(&selected.cells);
/// let best = &selection.candidates()[ranking.best().ok_or("no fit")?.candidate];
/// println!("best: {} in {} dimensions", selection.graph(best), best.n_components);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Selection {
    table: ScaledTable,
    /// The table as it was given and the rows of it that are points, where those with gaps are left out.
    dropped: Option<(Matrix, Vec<usize>)>,
    /// Groups of features that have a noise of their own.
    views: Vec<TableView>,
    /// Settings of the fits whose bounds are compared.
    config: Config,
    /// Settings as they were asked for.
    asked: Config,
    choices: Vec<GraphChoice>,
    graphs: Vec<GraphOfChoice>,
    candidates: Vec<Candidate>,
    seeds: usize,
    /// Parts of the rows that are held out in turn; none where the bound ranks.
    parts: usize,
    race: bool,
    words: &'static dyn Dialect,
}

impl Selection {
    /// Every graph in every dimension, with these settings for all. `values` is the table, n × d_y; entries may be missing
    /// where the settings let the model find them. The settings' own
    /// graph and dimension are not used, but with `connect` graphs in pieces are joined and fitted too.
    ///
    /// Bounds of two engines do not compare, so `auto` is decided once, for the largest dimension.
    pub fn new(
        values: &Matrix,
        mut config: Config,
        choices: Vec<GraphChoice>,
        n_components: Vec<usize>,
    ) -> Result<Self> {
        candidates::check(values, &config, &choices, &n_components)?;
        let dropped = (config.missing == MissingRule::Drop && !values.is_all_finite())
            .then(|| (values.clone(), whole_rows(values.as_ref())));
        let kept = dropped.as_ref().map(|(values, rows)| kept_rows(values.as_ref(), rows));
        let values = kept.as_ref().unwrap_or(values);
        Checked::new(values.as_ref(), &config)?;
        let table = ScaledTable::learn(values.clone(), config.scaling)?;
        config.scaling = table.rule;
        let asked = config.clone();
        // bounds compare at their highest
        config.keep_lengths = KeepLengths::Never;
        if choices.len() > 1 {
            // the graph is data to its own likelihood, so that only the paper's bound compares graphs
            config.graph_likelihood = false;
        } else if matches!(config.feature_weight, FeatureWeight::Auto | FeatureWeight::Polish) {
            // bounds compare only with the same weight
            config.feature_weight = FeatureWeight::Fixed(1.0);
        }
        let largest = Config { n_components: n_components.iter().copied().max().unwrap_or(1), ..config.clone() };
        let plan = Plan::new(values.nrows(), values.ncols(), &largest);
        plan.check_memory()?;
        config.engine = plan.engine;
        let rows = dropped.as_ref().map(|(_, rows)| rows.as_slice());
        let graphs = candidates::graphs(&table, &config, &choices, rows)?;
        let candidates = candidates::all(&graphs, &n_components);
        let (views, seeds, parts, race, words) = (vec![], 5, 0, true, &Fields);
        Self { table, dropped, views, config, asked, choices, graphs, candidates, seeds, parts, race, words }
            .by(Judge::Auto)
    }

    /// Gives groups of features a noise of their own in each fit.
    pub fn views(mut self, views: Vec<TableView>) -> Result<Self> {
        check_views(&views, self.table.values.ncols())?;
        self.views = views;
        Ok(self)
    }

    /// Fits each candidate from this many seeds, counted from `random_state`; 5 unless set. Where the start is the same
    /// for every seed, one is enough and one is fitted.
    pub fn seeds(mut self, seeds: usize) -> Result<Self> {
        if !(1..=MOST_SEEDS).contains(&seeds) {
            return Err(match seeds {
                0 => Error::too_small("seeds", seeds, 1),
                _ => Error::too_large("seeds", seeds, format!("the largest value is {MOST_SEEDS}")),
            });
        }
        self.seeds = seeds;
        Ok(self)
    }

    /// Fits every seed of every candidate, however hopeless.
    pub fn all(mut self) -> Self {
        self.race = false;
        self
    }

    /// Says what goes wrong with a fit in these words.
    pub fn words(mut self, words: &'static dyn Dialect) -> Self {
        self.words = words;
        self
    }

    /// The candidates: graph by graph, and for each graph dimension by dimension.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The graph of a candidate, as it was asked for.
    pub fn graph(&self, candidate: &Candidate) -> &GraphChoice {
        &self.choices[candidate.graph]
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.table.values.nrows()
    }

    /// How many seeds of a candidate are fitted at most.
    pub fn n_seeds(&self) -> usize {
        if self.config.init.uses_seed() { self.seeds } else { 1 }
    }

    /// How many fits there are at most.
    pub fn n_fits(&self) -> usize {
        self.candidates.iter().filter(|candidate| self.fittable(candidate)).count() * (self.n_seeds() + self.parts)
    }

    /// Fits what is not among the `done`, which an earlier run of the same selection gave to its `on_cell`.
    ///
    /// Cells are fitted side by side by all threads of the current pool, as many at once as memory allows. `stop` is
    /// asked after each iteration of each fit; `on_cell` sees each finished fit and may end the selection too. The
    /// cells found depend neither on the number of threads nor on where earlier runs stopped.
    pub fn run(
        &self,
        done: &[Cell],
        stop: &(dyn Fn() -> bool + Sync),
        mut on_cell: impl FnMut(&Cell) -> ControlFlow<()>,
    ) -> Result<Selected> {
        let mut cells = self.by_job(done);
        loop {
            let jobs = self.open_jobs(&cells);
            if jobs.is_empty() {
                return Ok(Selected { cells: self.table(&cells), complete: true });
            }
            let mut asked = false;
            let finished = self.fit_all(&jobs, available_memory(), stop, &mut |cell| {
                let flow = on_cell(cell);
                asked |= flow.is_break();
                flow
            })?;
            let complete = !asked && finished.len() == jobs.len();
            cells.extend(self.by_job(&finished));
            if !complete {
                return Ok(Selected { cells: cells.into_values().collect(), complete });
            }
        }
    }

    /// Whether nothing is left to fit.
    pub fn is_complete(&self, done: &[Cell]) -> bool {
        self.open_jobs(&self.by_job(done)).is_empty()
    }

    /// The fits that come next when these are done, for a caller who has them made elsewhere; none when all is done.
    /// [`Selection::run`] makes the same fits.
    pub fn next_fits(&self, done: &[Cell]) -> Vec<CellFit> {
        self.open_jobs(&self.by_job(done)).into_iter().map(|job| self.cell_fit(job)).collect()
    }

    /// The fit of the best candidate, to be made again: from the seed with the highest bound, and, where rows held out are
    /// the judge, with all that the settings ask for. None if no candidate has a fit that counts.
    pub fn best_fit(&self, cells: &[Cell]) -> Option<CellFit> {
        let best = self.ranking(cells).best()?.candidate;
        let by_job = self.by_job(cells);
        let of_best = by_job.iter().filter(|(job, _)| job.candidate == best && matches!(job.turn, Turn::Seed(_)));
        let bound = |cell: &Cell| cell.evidence().unwrap_or(f64::NEG_INFINITY);
        let (job, _) = of_best.max_by(|a, b| bound(a.1).total_cmp(&bound(b.1)))?;
        let mut fit = self.cell_fit(*job);
        if self.parts > 0 {
            let Config { graph_likelihood, feature_weight, engine, .. } = self.asked.clone();
            fit.config = Config { graph_likelihood, feature_weight, engine, ..fit.config };
        }
        Some(fit)
    }

    /// All cells in order: the fits that are done, and the reasons for those there are not.
    pub fn cells(&self, done: &[Cell]) -> Vec<Cell> {
        self.table(&self.by_job(done))
    }

    /// A text that is the same for the same table, settings, graphs, dimensions and seeds, and the same version of this
    /// crate: cells of an earlier run are those of this one if it is equal.
    pub fn fingerprint(&self) -> String {
        candidates::fingerprint(self)
    }

    /// The seed of the fit with this number.
    fn seed(&self, number: usize) -> u64 {
        self.config.random_state.wrapping_add(number as u64)
    }

    fn fittable(&self, candidate: &Candidate) -> bool {
        candidate.pieces == 1 || self.config.connect
    }

    /// Fits by candidate and seed or part; what no fit of this selection gave is left out.
    fn by_job(&self, cells: &[Cell]) -> BTreeMap<Job, Cell> {
        let number = |seed: u64| usize::try_from(seed.wrapping_sub(self.config.random_state)).ok();
        let turn = |cell: &Cell| match cell.part {
            Some(part) => Some(Turn::Part(part)),
            None => Some(Turn::Seed(number(cell.seed?)?)),
        };
        let ours = |job: &Job| {
            self.candidates.get(job.candidate).is_some_and(|candidate| self.fittable(candidate))
                && match job.turn {
                    Turn::Seed(number) => number < self.n_seeds(),
                    Turn::Part(part) => part < self.parts,
                }
        };
        cells
            .iter()
            .filter(|cell| !matches!(cell.stop, CellStop::Raced | CellStop::Disconnected))
            .filter_map(|cell| Some((Job { candidate: cell.candidate, turn: turn(cell)? }, cell.clone())))
            .filter(|(job, _)| ours(job))
            .collect()
    }

    /// All cells in order: fits, and the reasons for those there are not.
    fn table(&self, cells: &BTreeMap<Job, Cell>) -> Vec<Cell> {
        let mut table = Vec::new();
        for (number, candidate) in self.candidates.iter().enumerate() {
            if !self.fittable(candidate) {
                table.push(Cell::none(number, None, CellStop::Disconnected));
                continue;
            }
            let turns = (0..self.n_seeds()).map(Turn::Seed).chain((0..self.parts).map(Turn::Part));
            table.extend(turns.map(|turn| {
                let raced = || match turn {
                    Turn::Seed(seed) => Cell::none(number, Some(self.seed(seed)), CellStop::Raced),
                    Turn::Part(part) => Cell { part: Some(part), ..Cell::none(number, None, CellStop::Raced) },
                };
                cells.get(&Job { candidate: number, turn }).cloned().unwrap_or_else(raced)
            }));
        }
        table
    }

    fn cell_fit(&self, job: Job) -> CellFit {
        let candidate = &self.candidates[job.candidate];
        let seed = match job.turn {
            Turn::Seed(number) => self.seed(number),
            Turn::Part(part) => return self.fit_without(candidate, job.candidate, part),
        };
        // the graph is given by its edges; what made it is kept for those who read the settings
        let of_graph = self.graph(candidate).config(&self.config);
        let config = Config { n_components: candidate.n_components, random_state: seed, ..of_graph };
        let edges = &self.graphs[candidate.graph].edges;
        CellFit {
            candidate: job.candidate,
            config,
            edges: Some(match &self.dropped {
                // by rows of the table as it was given
                Some((_, rows)) => {
                    edges.iter().map(|&(i, j)| (rows[i as usize] as u32, rows[j as usize] as u32)).collect()
                }
                None => edges.clone(),
            }),
            part: None,
            views: self.views.clone(),
        }
    }

    /// Makes a fit of the grid on the graph that is ready for it; nothing if it was stopped.
    fn run_job(&self, job: Job, stop: &(dyn Fn() -> bool + Sync)) -> Result<Option<Cell>> {
        let fit = self.cell_fit(job);
        match &self.graphs[self.candidates[job.candidate].graph].prepared {
            Some(prepared) if fit.part.is_none() => {
                fit.run_with(stop, self.words, |fitter| Ok((fitter.fit_prepared(prepared)?, vec![])))
            }
            _ => {
                let values = self.dropped.as_ref().map_or(self.table.values.as_ref(), |(values, _)| values);
                fit.run(values.as_ref(), stop, self.words)
            }
        }
    }
}
