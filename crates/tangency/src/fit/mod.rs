//! From a table to a fitted model: scaling, graph, starts, the best run.

mod memory;
mod result;

pub(crate) use memory::check_memory_beside;
pub use memory::{available_memory, check_memory};
pub use result::{Calibration, DistanceInterval, Fit};

use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::graph::{Graph, bridges, neighbor_graph, pieces, within_radius};
use crate::inference::exact::Workspace;
use crate::inference::{Progress, Run, Stage, Start, Stop, TracePoint, derived_seed, make_start};
use crate::linalg::Matrix;
use crate::model::{Problem, Scaling};
use std::ops::ControlFlow;

/// Iterations that a trial run of the `auto` start climbs.
const TRIAL: usize = 12;

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
    observer: Option<BoxedObserver<'a>>,
}

impl<'a> Fitter<'a> {
    /// A fit with these settings.
    pub fn new(config: Config) -> Self {
        Self { config, edges: None, start: None, observer: None }
    }

    /// Uses this graph in place of nearest neighbours.
    pub fn edges(mut self, edges: Vec<(u32, u32)>) -> Self {
        self.edges = Some(edges);
        self
    }

    /// Starts here; `init` is then not used.
    pub fn start(mut self, start: Start) -> Self {
        self.config.init = match start {
            Start::Coordinates(_) => Init::Coordinates,
            Start::Maps(_) => Init::Maps,
        };
        self.start = Some(start);
        self
    }

    /// Is told of every iteration, and may end the fit.
    pub fn observer(mut self, observer: impl FnMut(&Progress) -> ControlFlow<()> + 'a) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Fits the table, n × d_y.
    pub fn fit(mut self, values: &Matrix) -> Result<Fit> {
        self.config.validate()?;
        check_values(values)?;
        let edges = self.edges.take();
        // before the work if all rows count, after it if only a piece does
        let memory = |n: usize| {
            if self.config.n_components >= n {
                let requirement = format!("smaller than the number of points, {n}");
                return Err(Error::InvalidConfig { field: "n_components", requirement });
            }
            check_memory(n, &self.config, values.ncols(), available_memory())
        };
        if !self.config.largest {
            memory(values.nrows())?;
        }
        let made = build_graph(values, &self.config, edges)?;
        let kept = Matrix::from_fn(made.rows.len(), values.ncols(), |i, f| values[(made.rows[i], f)]);
        let (scaling, observations) = Scaling::learn(&kept, self.config.scaling)?;
        memory(made.rows.len())?;
        let problem = Problem::new(observations, made.graph.clone(), self.config.n_components, self.config.epsilon)?;
        let start = self.start.take().map(|start| made.restrict(start, values.nrows(), &problem)).transpose()?;
        let n_rows = values.nrows();
        let data = FittedData { scaling, observations: kept, n_rows, rows: made.rows, bridges: made.bridges };
        self.best_run(&problem, &data, start)
    }

    /// Runs every start and keeps the best bound; a collapsed run is the last resort, whatever its bound.
    fn best_run(&mut self, problem: &Problem, data: &FittedData, given: Option<Start>) -> Result<Fit> {
        let config = self.config.clone();
        let seed = config.random_state;
        let mut work = Workspace::new(problem);
        let random = (0..config.n_init).map(|r| (Init::Random, derived_seed(seed, r)));
        let starts: Vec<(Init, u64)> = match config.init {
            Init::Auto => [(Init::Spectral, seed), (Init::Isomap, seed)].into_iter().chain(random).collect(),
            Init::Random => random.collect(),
            named => vec![(named, seed)],
        };
        let mut tell = |start: usize, trial: bool, point: &TracePoint, stage: Stage| match &mut self.observer {
            Some(observer) => observer(&Progress {
                start: start + 1,
                starts: starts.len(),
                trial,
                stage,
                max_iter: config.max_iter,
                point: *point,
            }),
            None => ControlFlow::Continue(()),
        };
        let begin = |(init, seed): (Init, u64)| -> Result<Run> {
            let start = match (&given, init) {
                (Some(start), Init::Coordinates | Init::Maps) => start.clone(),
                _ => make_start(problem, init, seed)?,
            };
            Ok(Run::new(problem, &config, &start))
        };
        let rank = |bound: f64, stop: Option<Stop>| {
            (stop != Some(Stop::Collapsed), if bound.is_nan() { f64::NEG_INFINITY } else { bound })
        };

        if config.init == Init::Auto {
            let mut best: Option<(Run, Option<Stop>, usize)> = None;
            for (number, &start) in starts.iter().enumerate() {
                let mut run = begin(start)?;
                let stop = run.advance(&mut work, Some(TRIAL), &mut |point, stage| tell(number, true, point, stage))?;
                let better = best.as_ref().is_none_or(|(kept, kept_stop, _)| {
                    rank(run.bound_scaled(), stop) > rank(kept.bound_scaled(), *kept_stop)
                });
                if better {
                    run.park();
                    best = Some((run, stop, number));
                }
                if stop == Some(Stop::Interrupted) {
                    let kept = best.iter_mut().filter(|(_, stop, _)| *stop != Some(Stop::Collapsed));
                    kept.for_each(|(_, stop, _)| *stop = Some(Stop::Interrupted));
                    break;
                }
            }
            let (mut run, stop, number) = best.ok_or_else(no_start)?;
            run.resume(&mut work)?;
            let stop = match stop {
                Some(stop) => stop,
                None => run
                    .advance(&mut work, None, &mut |point, stage| tell(number, false, point, stage))?
                    .unwrap_or(Stop::MaxIterations),
            };
            return Ok(Fit::new(problem, &config, data, run.into_posterior(), stop, starts[number]));
        }

        let mut best: Option<Fit> = None;
        for (number, &start) in starts.iter().enumerate() {
            let mut run = begin(start)?;
            let stop = run
                .advance(&mut work, None, &mut |point, stage| tell(number, false, point, stage))?
                .unwrap_or(Stop::MaxIterations);
            let better = best
                .as_ref()
                .is_none_or(|kept| rank(run.bound_scaled(), Some(stop)) > rank(kept.bound_scaled(), Some(kept.stop)));
            if better {
                best = Some(Fit::new(problem, &config, data, run.into_posterior(), stop, start));
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

fn no_start() -> Error {
    Error::InvalidConfig { field: "n_init", requirement: "at least 1".into() }
}

/// The data of a fit beside the problem: what the result keeps of the table.
pub(crate) struct FittedData {
    pub scaling: Scaling,
    pub observations: Matrix,
    pub n_rows: usize,
    pub rows: Vec<usize>,
    pub bridges: Vec<(u32, u32)>,
}

pub(crate) fn check_values(values: &Matrix) -> Result<()> {
    let (n, d) = (values.nrows(), values.ncols());
    if n < 3 || d == 0 {
        return Err(Error::TooFew { rows: n, features: d });
    }
    for f in 0..d {
        if let Some(row) = values.col_as_slice(f).iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite {
                row: row + 1,
                column: (f + 1).to_string(),
                value: values[(row, f)].to_string(),
            });
        }
    }
    Ok(())
}

/// A graph in one piece, and which rows of the table are its points.
struct GraphOfRows {
    graph: Graph,
    /// Rows of the table that are kept, ascending.
    rows: Vec<usize>,
    /// Edges added to join pieces.
    bridges: Vec<(u32, u32)>,
}

/// Builds the graph that the settings ask for, or that the edges give, and brings it into one piece.
fn build_graph(values: &Matrix, config: &Config, edges: Option<Vec<(u32, u32)>>) -> Result<GraphOfRows> {
    let n = values.nrows();
    let given = edges.is_some();
    let graph = match (edges, config.radius) {
        (Some(edges), _) => {
            if let Some(row) = edges.iter().position(|&(i, j)| i.max(j) as usize >= n) {
                let reason = format!("names a point outside 0 to {}; points are numbered from 0", n - 1);
                return Err(Error::BadEdge { row: row + 1, reason });
            }
            Graph::from_edges(n, edges)
        }
        (None, Some(radius)) => within_radius(&values.transpose().to_owned(), radius),
        (None, None) => {
            if config.n_neighbors >= n {
                return Err(Error::InvalidConfig {
                    field: "n_neighbors",
                    requirement: format!("smaller than the number of points, {n}, not {}", config.n_neighbors),
                });
            }
            let (_, scaled) = Scaling::learn(values, config.scaling)?;
            neighbor_graph(&scaled, config.n_neighbors, config.symmetry)
        }
    };
    let found = pieces(&graph);
    if found.len() == 1 {
        return Ok(GraphOfRows { graph, rows: (0..n).collect(), bridges: vec![] });
    }
    if config.connect {
        let (_, scaled) = Scaling::learn(values, config.scaling)?;
        let bridges = bridges(&graph, &scaled);
        let graph = Graph::from_edges(n, graph.edges().iter().chain(&bridges).copied());
        return Ok(GraphOfRows { graph, rows: (0..n).collect(), bridges });
    }
    let wider = match (given, config.radius) {
        (true, _) => "add edges",
        (false, Some(_)) => "use a larger --radius",
        (false, None) => "use a larger --n-neighbors",
    };
    if config.largest && found[0].len() >= 3 {
        return Ok(GraphOfRows { graph: graph.restricted_to(&found[0]), rows: found[0].clone(), bridges: vec![] });
    }
    Err(Error::Disconnected { sizes: found.iter().map(Vec::len).collect(), wider })
}

impl GraphOfRows {
    /// Checks the shape of a given start and takes the kept rows of it.
    fn restrict(&self, start: Start, n: usize, problem: &Problem) -> Result<Start> {
        let (d_x, d_y, kept) = (problem.n_components, problem.n_features(), self.rows.len());
        let shape = |what: &str, rows: usize, columns: usize, given: &Matrix| {
            if (given.nrows(), given.ncols()) == (rows, columns) && given.is_all_finite() {
                return Ok(());
            }
            Err(Error::ShapeMismatch {
                what: what.into(),
                expected: format!("{rows} × {columns}, all finite"),
                found: format!("{} × {}", given.nrows(), given.ncols()),
            })
        };
        match start {
            Start::Coordinates(x) => {
                shape("the array of start coordinates", n, d_x, &x)?;
                Ok(Start::Coordinates(Matrix::from_fn(kept, d_x, |i, a| x[(self.rows[i], a)])))
            }
            Start::Maps(c) => {
                shape("the array of start maps", d_y, n * d_x, &c)?;
                Ok(Start::Maps(Matrix::from_fn(d_y, kept * d_x, |f, p| c[(f, (p / kept) * n + self.rows[p % kept])])))
            }
        }
    }
}
