//! From a table to a fitted model: scaling, graph, starts, the best run.

mod caution;
mod choice;
mod memory;
mod result;

pub use crate::memory::available_memory;
pub use caution::Caution;
pub(crate) use choice::choose_engine;
pub use memory::check_memory;
pub(crate) use memory::check_memory_beside;
pub use result::{Calibration, DistanceInterval, Fit, Pruning};

use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::{
    COARSE_ABOVE, Engine, EngineKind, Layout, Observer, Progress, Run, Stage, Start, Stop, TracePoint, derived_seed,
    make_start,
};
use crate::linalg::{Matrix, View};
use crate::message;
use crate::message::{Piece, Remedy};
use crate::model::{Problem, Reduction, Scaling, build_graph, check_values};
use std::ops::ControlFlow;

/// Iterations that a trial run of the `auto` start climbs.
const TRIAL: usize = 12;

/// A start with its number among those that the settings ask for.
type NumberedStart = (usize, (Init, u64));

type BoxedObserver<'a> = Box<dyn FnMut(&Progress) -> ControlFlow<()> + 'a>;

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
    start: Option<Start>,
    only: Option<usize>,
    observer: Option<BoxedObserver<'a>>,
}

impl<'a> Fitter<'a> {
    /// A fit with these settings.
    pub fn new(config: Config) -> Self {
        Self { config, edges: None, start: None, only: None, observer: None }
    }

    /// Uses this graph in place of nearest neighbours.
    pub fn edges(mut self, edges: Vec<(u32, u32)>) -> Self {
        self.edges = Some(edges);
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

    /// Is told of every iteration, and may end the fit.
    pub fn observer(mut self, observer: impl FnMut(&Progress) -> ControlFlow<()> + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Fits the table, n × d_y.
    pub fn fit(self, values: &Matrix) -> Result<Fit> {
        self.fit_view(values.as_ref())
    }

    /// Fits the table, n × d_y, that the caller holds.
    pub fn fit_view(mut self, values: View) -> Result<Fit> {
        let (problem, data, start) = self.prepare(values)?;
        let choice = choose_engine(problem.n(), &self.config);
        let mut fit = match choice.kind {
            EngineKind::Factorised => self.best_run::<Factorised>(&problem, &data, start),
            EngineKind::Auto | EngineKind::Exact => self.best_run::<Exact>(&problem, &data, start),
        }?;
        fit.engine.reason = choice.reason;
        Ok(fit)
    }

    /// How one start does that is to be compared with others: in its trial where there are trials, otherwise in its whole
    /// run. The fit of the table is that of the start which ranks highest, the first of equals.
    pub fn try_start(mut self, values: View, number: usize) -> Result<StartRank> {
        self.only = Some(number);
        let trial = self.config.init == Init::Auto;
        let (problem, data, start) = self.prepare(values)?;
        match choose_engine(problem.n(), &self.config).kind {
            EngineKind::Factorised => self.rank::<Factorised>(&problem, &data, start, number, trial),
            EngineKind::Auto | EngineKind::Exact => self.rank::<Exact>(&problem, &data, start, number, trial),
        }
    }

    fn rank<E: Engine>(
        &mut self,
        problem: &Problem,
        data: &FittedData,
        start: Option<Start>,
        number: usize,
        trial: bool,
    ) -> Result<StartRank> {
        if !trial {
            let fit = self.best_run::<E>(problem, data, start)?;
            return Ok(StartRank::new(fit.bound_scaled(), Some(fit.stop)));
        }
        let mut engine = E::new(problem, &self.config)?;
        let &(_, (init, seed)) = self.starts(problem.n()).first().ok_or_else(no_start)?;
        let (max_iter, observer) = (self.config.max_iter, &mut self.observer);
        let mut tell = |point: &TracePoint, stage| match observer {
            Some(observer) => {
                observer(&Progress { start: number + 1, starts: number + 1, trial, stage, max_iter, point: *point })
            }
            None => ControlFlow::Continue(()),
        };
        let start = make_start(problem, init, &self.config, seed, &mut tell)?;
        let mut run = Run::new(problem, &self.config, &engine, &start);
        let stop = run.advance(&mut engine, Some(TRIAL), &mut tell)?;
        Ok(StartRank::new(run.bound_scaled(), stop))
    }

    /// The starts that the settings ask for, or the one of them that is wanted, with their numbers.
    fn starts(&self, n: usize) -> Vec<NumberedStart> {
        let seed = self.config.random_state;
        let random = (0..self.config.n_init).map(|r| (Init::Random, derived_seed(seed, r)));
        let coarse = n > COARSE_ABOVE && choose_engine(n, &self.config).kind == EngineKind::Factorised;
        let all: Vec<(Init, u64)> = match self.config.init {
            Init::Auto if coarse => vec![(Init::Coarse, seed)],
            Init::Auto => [(Init::Spectral, seed), (Init::Isomap, seed)].into_iter().chain(random).collect(),
            Init::Random => random.collect(),
            named => vec![(named, seed)],
        };
        all.into_iter().enumerate().filter(|(number, _)| self.only.is_none_or(|only| only == *number)).collect()
    }

    /// Everything before the first run.
    fn prepare(&mut self, values: View) -> Result<(Problem, FittedData, Option<Start>)> {
        self.config.validate()?;
        check_values(values)?;
        if self.starts(values.nrows()).is_empty() {
            return Err(no_start());
        }
        let edges = self.edges.take();
        // before the work if all rows count, after it if only a piece does
        let memory = |n: usize| {
            if self.config.n_components >= n {
                return Err(too_many_for_rows(self.config.n_components, n));
            }
            check_memory(n, &self.config, values.ncols(), available_memory())
        };
        if !self.config.largest {
            memory(values.nrows())?;
        }
        if self.config.n_components > values.ncols() {
            return Err(too_many_components(self.config.n_components, values.ncols()));
        }
        let n_rows = values.nrows();
        let values = values.to_owned();
        let made = build_graph(&values, &self.config, edges)?;
        let kept = match made.rows.len() {
            all if all == n_rows => values,
            some => Matrix::from_fn(some, values.ncols(), |i, f| values[(made.rows[i], f)]),
        };
        let (scaling, observations) = Scaling::learn(&kept, self.config.scaling)?;
        memory(made.rows.len())?;
        let d_x = self.config.n_components;
        let problem = Problem::new(observations, made.neighborhoods.graph().clone(), d_x, self.config.epsilon)?;
        let problem = match self.config.pca {
            Some(share) => {
                let reduction = Reduction::learn(&problem.observations, share, d_x)?;
                problem.reduced_to(reduction)
            }
            None => problem,
        };
        let start = self.start.take().map(|start| restricted(start, &made.rows, n_rows, &problem)).transpose()?;
        let data = FittedData {
            scaling,
            observations: kept,
            n_rows,
            recall: made.recall,
            rows: made.rows,
            bridges: made.bridges,
        };
        Ok((problem, data, start))
    }

    /// Runs every start and keeps the best bound; a collapsed run is the last resort, whatever its bound.
    fn best_run<E: Engine>(&mut self, problem: &Problem, data: &FittedData, given: Option<Start>) -> Result<Fit> {
        let config = self.config.clone();
        let mut engine = E::new(problem, &config)?;
        let starts = self.starts(problem.n());
        let mut tell = |start: usize, trial: bool, point: &TracePoint, stage: Stage| match &mut self.observer {
            Some(observer) => observer(&Progress {
                start: start + 1,
                starts: starts.len().max(start + 1),
                trial,
                stage,
                max_iter: config.max_iter,
                point: *point,
            }),
            None => ControlFlow::Continue(()),
        };
        let begin = |engine: &E, (init, seed): (Init, u64), observer: &mut Observer| -> Result<Run<E>> {
            let start = match (&given, init) {
                (Some(start), Init::Coordinates | Init::Maps) => start.clone(),
                _ => make_start(problem, init, &config, seed, observer)?,
            };
            Ok(Run::new(problem, &config, engine, &start))
        };
        if config.init == Init::Auto {
            let mut best: Option<(Run<E>, Option<Stop>, NumberedStart)> = None;
            for &(number, start) in &starts {
                let mut tell = |point: &TracePoint, stage: Stage| tell(number, true, point, stage);
                engine.reset();
                let mut run = begin(&engine, start, &mut tell)?;
                let stop = run.advance(&mut engine, Some(TRIAL), &mut tell)?;
                let better = best.as_ref().is_none_or(|(kept, kept_stop, ..)| {
                    StartRank::new(run.bound_scaled(), stop) > StartRank::new(kept.bound_scaled(), *kept_stop)
                });
                if better {
                    run.park(&engine);
                    best = Some((run, stop, (number, start)));
                }
                if stop == Some(Stop::Interrupted) {
                    let kept = best.iter_mut().filter(|(_, stop, ..)| *stop != Some(Stop::Collapsed));
                    kept.for_each(|(_, stop, ..)| *stop = Some(Stop::Interrupted));
                    break;
                }
            }
            let (mut run, stop, (number, start)) = best.ok_or_else(no_start)?;
            run.resume(&mut engine)?;
            let stop = match stop {
                Some(stop) => stop,
                None => run
                    .advance(&mut engine, None, &mut |point, stage| tell(number, false, point, stage))?
                    .unwrap_or(Stop::MaxIterations),
            };
            return Fit::new(problem, &config, data, &mut engine, run.into_posterior(), stop, start);
        }

        let mut best: Option<Fit> = None;
        for &(number, start) in &starts {
            let mut tell = |point: &TracePoint, stage: Stage| tell(number, false, point, stage);
            engine.reset();
            let mut run = begin(&engine, start, &mut tell)?;
            let stop = run.advance(&mut engine, None, &mut tell)?.unwrap_or(Stop::MaxIterations);
            let better = best.as_ref().is_none_or(|kept| {
                StartRank::new(run.bound_scaled(), Some(stop)) > StartRank::new(kept.bound_scaled(), Some(kept.stop))
            });
            if better {
                best = Some(Fit::new(problem, &config, data, &mut engine, run.into_posterior(), stop, start)?);
            }
            if stop == Stop::Interrupted {
                let kept = best.iter_mut().filter(|fit| fit.stop != Stop::Collapsed);
                kept.for_each(|fit| fit.stop = Stop::Interrupted);
                break;
            }
        }
        best.ok_or_else(no_start)
    }
}

/// How good a start is: the larger the better, and a collapsed run below every other.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct StartRank {
    /// Whether it did not collapse.
    pub stands: bool,
    /// Its bound in scaled units.
    pub bound_scaled: f64,
}

impl StartRank {
    fn new(bound: f64, stop: Option<Stop>) -> Self {
        let bound_scaled = if bound.is_nan() { f64::NEG_INFINITY } else { bound };
        Self { stands: stop != Some(Stop::Collapsed), bound_scaled }
    }
}

fn no_start() -> Error {
    Error::Setting {
        name: "start",
        problem: message![
            "there is no start of this number among those that ",
            Piece::Setting("init"),
            " and ",
            Piece::Setting("n_init"),
            " ask for"
        ],
        remedies: vec![Remedy::act("give the number of one of them, from 0")],
    }
}

pub(crate) fn too_many_components(n_components: usize, n_features: usize) -> Error {
    Error::too_large("n_components", n_components, format!("the table has only n_features = {n_features}"))
}

pub(crate) fn too_many_for_rows(n_components: usize, n: usize) -> Error {
    Error::too_large("n_components", n_components, format!("the table has only {n} rows"))
}

/// The data of a fit beside the problem: what the result keeps of the table.
pub(crate) struct FittedData {
    pub scaling: Scaling,
    pub observations: Matrix,
    pub n_rows: usize,
    pub recall: Option<f64>,
    pub rows: Vec<usize>,
    pub bridges: Vec<(u32, u32)>,
}

/// Checks the shape of a given start and takes the kept rows of it.
fn restricted(start: Start, rows: &[usize], n: usize, problem: &Problem) -> Result<Start> {
    let (d_x, d_y, kept) = (problem.n_components, problem.n_features(), rows.len());
    let shape = |what: &str, rows: usize, columns: usize, given: &Matrix| {
        if (given.nrows(), given.ncols()) == (rows, columns) && given.is_all_finite() {
            return Ok(());
        }
        Err(Error::ShapeMismatch {
            what: what.into(),
            expected: format!("{rows} × {columns} finite numbers"),
            found: format!("{} × {} numbers", given.nrows(), given.ncols()),
        })
    };
    let points = |x: &Matrix| {
        shape("the array of start coordinates", n, d_x, x)?;
        Ok::<_, Error>(Matrix::from_fn(kept, d_x, |i, a| x[(rows[i], a)]))
    };
    let maps = |c: &Matrix| {
        shape("the array of start maps", d_y, n * d_x, c)?;
        let taken = Matrix::from_fn(d_y, kept * d_x, |f, p| c[(f, (p / kept) * n + rows[p % kept])]);
        Ok::<_, Error>(match problem.reduction() {
            Some(reduction) => reduction.along(&taken),
            None => taken,
        })
    };
    Ok(match start {
        Start::Coordinates(x) => Start::Coordinates(points(&x)?),
        Start::Maps(c) => Start::Maps(maps(&c)?),
        Start::Layout(layout) => Start::Layout(Box::new(Layout {
            coordinates: points(&layout.coordinates)?,
            maps: maps(&layout.maps)?,
            hyper: layout.hyper,
        })),
    })
}
