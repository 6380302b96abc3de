//! From a table to a fitted model: scaling, graph, starts, the best run.

mod caution;
mod dimension;
mod duration;
mod gaps;
mod given;
mod lengths;
mod memory;
mod neighbors;
mod noise;
mod order;
mod path;
mod plan;
mod posterior;
mod probe;
mod quality;
mod result;
mod runs;
mod structure;
mod together;

pub use crate::inference::{NumberedStart, StartRank};
pub use crate::memory::{available_memory, left_by_limits, set_aside_by_thread};
pub use caution::Caution;
pub(crate) use dimension::settle as settle_components;
pub use dimension::{DimensionBound, DimensionChoice};
pub use duration::expected_seconds;
pub use lengths::LengthsChoice;
pub(crate) use neighbors::settle as settle_neighbors;
pub use neighbors::{NeighborsChoice, TriedNeighbors};
pub use noise::NoiseChoice;
pub use path::{FeatureChoice, TriedWeight};
pub use plan::Plan;
pub(crate) use plan::{too_many_components, too_many_for_rows};
pub use posterior::FullPosterior;
pub(crate) use posterior::{Hypothesis, OfEngine};
pub(crate) use probe::{sample as sample_rows, split as split_rows};
pub use quality::{AmongRows, MapQuality};
pub(crate) use result::as_the_graph_sees;
pub use result::{Calibration, Fit, GraphModel, Imputed, Pruning};
pub(crate) use runs::FittedData;
pub use structure::{FittedGroup, FittedGroups, FittedKnown, FittedLine, FittedStructure, likeliest};
pub use together::DistanceInterval;

use crate::config::{Config, FeatureWeight, Init};
use crate::error::{Error, Result};
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::{EngineKind, Progress, Reach, Stage, Start, StartObserver, Stop, TracePoint};
use crate::linalg::{Matrix, View};
use crate::message;
use crate::message::{Piece, Remedy};
use crate::model::{Checked, Prepared, Problem, Structure, TableView};
use given::restricted;
use order::TableOrder;
use quality::Compared;
use runs::Runs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Covariances of a posterior of the exact engine.
const WAITING: u64 = 2;

/// Who sees every iteration of a fit, and may end it.
type Watching<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;
type BoxedObserver<'a> = Box<Watching<'a>>;

/// A fit to be made: settings, and what a user may give beyond them.
///
/// ```
/// use tangency::{Config, Fitter, Shape, generate};
///
/// let roll = generate(Shape::SCurve, 120, 0.0, 1);
/// let config = Config { n_neighbors: 8, ..Config::default() };
/// let fit = Fitter::new(config).fit(&roll.points)?;
/// println!("bound {:.1} nats, first point at {:?}", fit.bound(), fit.coordinates.row(0));
/// # Ok::<(), tangency::Error>(())
/// ```
pub struct Fitter<'a> {
    config: Config,
    edges: Option<Vec<(u32, u32)>>,
    /// Whether edges were given, which the fit remembers.
    own_edges: bool,
    start: Option<Start>,
    only: Option<usize>,
    dimension: Option<DimensionChoice>,
    neighbors: Option<NeighborsChoice>,
    keeps_posterior: bool,
    /// Whether the fit finds out how good its map is.
    measures: bool,
    /// Whether missing entries are found with the layout; otherwise they stay as smooth as the graph makes them.
    settles_gaps: bool,
    /// Groups of features.
    views: Vec<TableView>,
    /// What is known of the coordinates of rows.
    structure: Option<Structure>,
    /// Scales for the noise of features, or that there are none, where these are known.
    noise: Option<Option<Arc<Vec<f64>>>>,
    /// How that was decided, if it was left to the data.
    noise_choice: Option<NoiseChoice>,
    observer: Option<BoxedObserver<'a>>,
}

impl<'a> Fitter<'a> {
    /// A fit with these settings.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            edges: None,
            own_edges: false,
            start: None,
            only: None,
            dimension: None,
            neighbors: None,
            keeps_posterior: false,
            measures: true,
            settles_gaps: true,
            views: vec![],
            structure: None,
            noise: None,
            noise_choice: None,
            observer: None,
        }
    }

    /// Uses this graph in place of nearest neighbours.
    pub fn edges(mut self, edges: Vec<(u32, u32)>) -> Self {
        (self.edges, self.own_edges) = (Some(edges), true);
        self
    }

    /// Starts here; `init` is then not used.
    pub fn start(mut self, start: Start) -> Self {
        self.config.init = match start {
            Start::Coordinates(_) | Start::Layout(_) => Init::Coordinates,
            Start::Maps(_) => Init::Maps,
        };
        self.start = Some(start);
        self
    }

    /// Runs only the start with this number of those that the settings ask for. The fit of all of them is that of the one
    /// that [`Fitter::try_start`] ranks highest, so that starts can be tried on different machines.
    pub fn only(mut self, number: usize) -> Self {
        self.only = Some(number);
        self
    }

    /// Lets the coordinates have a structure: known values, groups, labels of rows of the table.
    pub fn structure(mut self, structure: Structure) -> Self {
        self.structure = (!structure.is_empty()).then_some(structure);
        self
    }

    /// Sees every iteration, and may end the fit.
    pub fn observer(mut self, observer: impl FnMut(&Progress) -> ControlFlow<()> + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Does not find out how good the map is, where nobody asks.
    pub(crate) fn unmeasured(mut self) -> Self {
        self.measures = false;
        self
    }

    /// Leaves missing entries as they are filled in, and the noise of features as it is.
    pub(crate) fn with_gaps_filled(mut self) -> Self {
        self.settles_gaps = false;
        self
    }

    /// Fits the table, n × d_y.
    pub fn fit(self, values: &Matrix) -> Result<Fit> {
        self.fit_view(values.as_ref())
    }

    /// Fits the table, n × d_y, that the caller holds.
    pub fn fit_view(mut self, values: View) -> Result<Fit> {
        let (prepared, plan) = self.prepare(values)?;
        Ok(self.best_run(&prepared, &plan)?.0)
    }

    /// Fits a table that is ready; the graph is the one it comes with.
    pub fn fit_prepared(mut self, prepared: &Prepared) -> Result<Fit> {
        let plan = self.plan_prepared(prepared)?;
        Ok(self.best_run(prepared, &plan)?.0)
    }

    /// Fits the table, and returns the whole posterior beside the fit, for pruning and tests of edges to begin with.
    pub fn fit_with_posterior(mut self, values: View) -> Result<(Fit, Option<FullPosterior>)> {
        self.keeps_posterior = true;
        let (prepared, plan) = self.prepare(values)?;
        self.best_run(&prepared, &plan)
    }

    /// The same for a table that is ready.
    pub fn fit_prepared_with_posterior(mut self, prepared: &Prepared) -> Result<(Fit, Option<FullPosterior>)> {
        self.keeps_posterior = true;
        let plan = self.plan_prepared(prepared)?;
        self.best_run(prepared, &plan)
    }

    /// How one start does that is to be compared with others: in its trial where there are trials, otherwise in its whole
    /// run. The fit of the table is that of the start which ranks highest, the first of equals.
    pub fn try_start(mut self, values: View, number: usize) -> Result<TriedStart> {
        self.only = Some(number);
        let (prepared, plan) = self.prepare(values)?;
        // under the graph's likelihood starts are ranked with the first weight of the features: bounds of others do not compare
        if !plan.trials && !self.config.graph_likelihood {
            let fit = self.best_run(&prepared, &plan)?.0;
            return Ok(TriedStart { rank: StartRank::new(fit.bound_scaled(), Some(fit.stop)), fit: Some(fit) });
        }
        let (runs, mut observer) = self.runs(&prepared, &plan)?;
        let rank = match plan.engine {
            EngineKind::Factorised => runs.rank::<Factorised>(&mut *observer),
            EngineKind::Auto | EngineKind::Exact => runs.rank::<Exact>(&mut *observer),
        }?;
        Ok(TriedStart { rank, fit: None })
    }

    /// Everything before the first run.
    fn prepare(&mut self, values: View) -> Result<(Prepared, Plan)> {
        let edges = self.edges.take();
        self.check_structure(values.nrows())?;
        if neighbors::is_open(&self.config) {
            Checked::new(values, &self.config)?;
            let observer = self.observer.as_deref_mut();
            self.neighbors = neighbors::settle(values, &mut self.config, edges.is_some(), observer)?;
        }
        let table = Checked::new(values, &self.config)?;
        // before the work if all rows count, after it if only a piece does or the number of coordinates is to be found
        if !self.config.largest && !dimension::is_open(&self.config) {
            let plan = self.plan(values.nrows(), values.ncols())?;
            return Ok((table.prepare(edges)?, plan));
        }
        let prepared = table.prepare(edges)?;
        let plan = self.plan_prepared(&prepared)?;
        Ok((prepared, plan))
    }

    /// The plan for a table that is ready; the number of coordinates is found if it is left to the data.
    fn plan_prepared(&mut self, prepared: &Prepared) -> Result<Plan> {
        self.config.validate()?;
        self.check_structure(prepared.n_rows)?;
        // the graph is there
        neighbors::settle(prepared.values().as_ref(), &mut self.config, true, None)?;
        if dimension::is_open(&self.config) {
            self.config.n_components = match &self.start {
                Some(start) => start.n_components(prepared.n_rows),
                None => {
                    let found = dimension::find(prepared, &self.config, self.observer.as_deref_mut())?;
                    self.dimension.insert(found).taken
                }
            };
        }
        self.plan(prepared.n(), prepared.n_features())
    }

    /// An error where a structure does not go with the table or the settings.
    fn check_structure(&self, n_rows: usize) -> Result<()> {
        let Some(structure) = &self.structure else { return Ok(()) };
        let needs = |name: &'static str, remedy: Remedy| {
            let of = structure.setting();
            let problem =
                message![Piece::Setting(of), " belongs to the graph's likelihood, which the paper's model lacks"];
            Err(Error::unfit(name, problem, [remedy]))
        };
        if !self.config.graph_likelihood {
            return needs("graph_likelihood", Remedy::act("keep the graph's likelihood"));
        }
        if self.config.feature_weight == FeatureWeight::Polish {
            return needs("feature_weight", Remedy::Change("feature_weight"));
        }
        structure.check(n_rows)
    }

    fn plan(&self, n: usize, n_features: usize) -> Result<Plan> {
        let mut plan = Plan::new(n, n_features, &self.config);
        if let Some(number) = self.only {
            plan = plan.only(number)?;
        }
        // the posterior of the best run so far waits beside those that run to their end
        if self.keeps_posterior && !plan.trials && plan.starts.len() > 1 {
            plan = plan.beside(WAITING);
        }
        plan.check()?;
        Ok(plan)
    }

    fn best_run(mut self, prepared: &Prepared, plan: &Plan) -> Result<(Fit, Option<FullPosterior>)> {
        let scaled = noise::table(&mut self, prepared)?;
        let choice = self.noise_choice.take();
        let (table, stopped) = scaled.as_ref().map_or((prepared, false), |(table, stopped)| (table, *stopped));
        let (mut fit, posterior) = self.with_gaps_found(table, plan)?;
        if stopped {
            fit.stop = Stop::Interrupted;
        }
        fit.noise_choice = choice;
        Ok((fit, posterior))
    }

    /// The fit to a table whose features have the noise that they have.
    fn with_gaps_found(self, prepared: &Prepared, plan: &Plan) -> Result<(Fit, Option<FullPosterior>)> {
        match &prepared.missing {
            Some(entries) if self.settles_gaps => gaps::fit(self, prepared, entries, plan),
            _ => self.best_of_starts(prepared, plan),
        }
    }

    /// The fit of the best start to a table without gaps, or with these filled in.
    fn best_of_starts(self, prepared: &Prepared, plan: &Plan) -> Result<(Fit, Option<FullPosterior>)> {
        let (runs, mut observer) = self.runs(prepared, plan)?;
        Ok(match plan.engine {
            EngineKind::Factorised => {
                let (fit, found) = runs.best::<Factorised>(&mut *observer)?;
                (fit, found.map(|found| FullPosterior(OfEngine::Factorised(Box::new(found)))))
            }
            EngineKind::Auto | EngineKind::Exact => {
                let (fit, found) = runs.best::<Exact>(&mut *observer)?;
                (fit, found.map(|found| FullPosterior(OfEngine::Exact(Box::new(found)))))
            }
        })
    }

    /// The runs of a plan, and who sees them.
    fn runs<'r>(self, prepared: &Prepared, plan: &'r Plan) -> Result<(Runs<'r>, Box<StartObserver<'a>>)> {
        let Self {
            config,
            start,
            mut observer,
            keeps_posterior,
            measures,
            dimension,
            neighbors,
            views,
            structure,
            own_edges,
            ..
        } = self;
        let config = Config { scaling: prepared.table.rule, ..config };
        let structure = structure.map(|structure| Arc::new(structure.restricted(&prepared.rows)));
        let problem = Problem::of(prepared, &config)?.with_structure(structure);
        let given = start.map(|start| restricted(start, prepared, &problem)).transpose()?;
        let (starts, max_iter) = (plan.starts.len(), config.max_iter);
        let data = FittedData { dimension, neighbors, views, own_edges, ..FittedData::new(prepared, plan) };
        let report = move |of: NumberedStart, reach: Reach, point: &TracePoint, stage: Stage| match &mut observer {
            Some(observer) => {
                let (start, trial) = (of.number + 1, reach == Reach::Trial);
                observer(&Progress { start, starts: starts.max(start), trial, stage, max_iter, point: *point })
            }
            None => ControlFlow::Continue(()),
        };
        // what goes on from a posterior, and who gives a start, has the order of the table
        let (problem, order) = match keeps_posterior || given.is_some() {
            true => (problem, None),
            false => TableOrder::of(problem, plan, config.random_state),
        };
        let compared = Compared::new(&problem);
        let runs = Runs { config, plan, data, problem, order, compared, given, keeps_posterior, measures };
        Ok((runs, Box::new(report)))
    }
}

/// How a start did.
pub struct TriedStart {
    /// Its rank among others.
    pub rank: StartRank,
    /// Its fit, if it was run to its end.
    pub fit: Option<Fit>,
}

#[cfg(test)]
#[path = "wide_tests.rs"]
mod wide_tests;
