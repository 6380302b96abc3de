//! What an engine is: how q(x) and q(C) are held and updated. The loop, the bound and the hyper-parameters are the same for
//! all of them.

use super::pairs::PairField;
use super::spectrum::{LogDeterminants, Spectrum};
use super::state::State;
use crate::config::Config;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};
use serde::{Deserialize, Serialize};

crate::choice! {
    /// Which engine.
    pub enum EngineKind default Auto {
        /// `exact` where it is quick and fits in memory, otherwise `factorised`.
        Auto = "auto",
        /// One Gaussian over all coordinates: the tightest bound, two dense inverses an iteration, up to some 10⁴ points.
        Exact = "exact",
        /// Independent points around jointly optimised means: a lower bound, nearly linear in the number of points.
        Factorised = "factorised",
    }
}

/// How a run begins: coordinates with the variance they are held with, and maps where it begins from maps.
pub struct Beginning {
    /// Means of the coordinates. [n, d_x]
    pub mean: Matrix,
    /// Variance of each.
    pub spread: f64,
    /// Means of the maps; column a·n + i is column a of C_i. [d_y, n·d_x]
    pub maps: Option<Matrix>,
}

/// What a user sees of a posterior, point by point.
pub struct PointMarginals {
    /// Mean coordinates. [n, d_x]
    pub mean: Matrix,
    /// Covariance of each point about the centroid of all, a point a column. [d_x·d_x, n]
    pub covariances: Matrix,
    /// The same of all pairs of points, point by point, where it was asked for. [n·d_x, n·d_x]
    pub full: Option<Matrix>,
    /// Mean maps, point by point. [d_y, n·d_x]
    pub maps: Matrix,
    /// Column covariance of each map, a point a column. [d_x·d_x, n]
    pub map_covariances: Matrix,
    /// Draws of the columns of all maps together about their means, point by point; none where points are independent.
    /// [n·d_x, draws]
    pub map_draws: Option<Matrix>,
    /// Precision of a common shift of all points.
    pub shift_precision: f64,
    /// How the covariances were found.
    pub deviations: Deviations,
}

/// What the reported standard deviations of coordinates are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deviations {
    /// Marginal, computed exactly.
    #[default]
    Exact,
    /// Marginal, estimated from this many draws of the posterior.
    Sampled {
        /// Number of draws.
        draws: usize,
        /// Standard error of a deviation, as a share of it.
        relative_error: f64,
    },
    /// Conditional: of a point while all others are held. Too small as a statement about the point.
    Conditional,
}

crate::choice! {
    /// Kinds of [`Deviations`].
    pub enum DeviationKind default Exact {
        /// Marginal, computed exactly.
        Exact = "exact",
        /// Marginal, estimated from draws of the posterior.
        Sampled = "sampled",
        /// Conditional: of a point while all others are held, and so too small as a statement about the point.
        Conditional = "conditional",
    }
}

impl Deviations {
    /// Which kind they are.
    pub fn kind(&self) -> DeviationKind {
        match self {
            Self::Exact => DeviationKind::Exact,
            Self::Sampled { .. } => DeviationKind::Sampled,
            Self::Conditional => DeviationKind::Conditional,
        }
    }
}

/// How posteriors are updated on one graph, and what of them the bound needs.
pub trait Updates: Sized {
    /// q(x) and q(C).
    type Beliefs;

    /// The engine for a problem: everything that is made once per graph.
    fn new(problem: &Problem, config: &Config) -> Result<Self>;

    /// The engine for the same points on another graph.
    fn changed(&self, before: &Problem, problem: &Problem, config: &Config) -> Result<Self>;

    /// Forgets what it has learned in a run and could use in the next, so that no run depends on those before.
    fn reset(&mut self) {}

    /// Gives up buffers until the next update.
    fn release_buffers(&mut self);

    /// The state at the start of a run.
    fn begin(&self, problem: &Problem, hyper: Hyperparameters, beginning: Beginning) -> State<Self::Beliefs>;

    /// The state that goes on from one on another graph of the same points.
    fn warm_start(&self, problem: &Problem, before: &State<Self::Beliefs>) -> State<Self::Beliefs>;

    /// Improves q(x) given q(C), as far as steps gain `least` nats; where the means are held, its covariances. Where the residual
    /// is known only after an update of the maps, it stays as it was.
    fn update_coordinates(&mut self, problem: &Problem, state: &mut State<Self::Beliefs>, least: f64) -> Result<()>;

    /// Improves q(C) given q(x), as far as steps gain `least` nats.
    fn update_maps(&mut self, problem: &Problem, state: &mut State<Self::Beliefs>, least: f64) -> Result<()>;

    /// The points as believed, for sums over pairs.
    fn pair_field(&self, problem: &Problem, beliefs: &Self::Beliefs) -> PairField;

    /// Lp b up to a common shift, for columns b that sum to zero; numbers of a point next to each other.
    fn solve_laplacian(&self, problem: &Problem, right: &[f64]) -> Vec<f64>;

    /// x → t·x, C → C/t in the beliefs.
    fn rescale(&self, beliefs: &mut Self::Beliefs, t: f64);

    /// The spectrum of the Laplacian, by which priors are learned.
    fn spectrum(&self) -> &Spectrum;

    /// The log-determinants of the bound.
    fn log_determinants(&mut self, problem: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants>;
}

/// How beliefs are kept: to go back one iteration, to go on beyond it, or to wait while other runs are tried.
pub trait Snapshots: Updates {
    /// What is kept of beliefs to go back one iteration.
    type Kept;

    /// What must be kept for a return to these beliefs; also the coordinates where an update does not find them again by itself.
    fn keep(&self, beliefs: &Self::Beliefs, with_coordinates: bool) -> Self::Kept;

    /// Moves the means of the maps on by this share of their way from what was kept.
    fn extrapolate(&self, beliefs: &mut Self::Beliefs, kept: &Self::Kept, share: f64);

    /// Returns to what was kept before an iteration that rescaled by `rescaled`.
    fn restore(&mut self, beliefs: &mut Self::Beliefs, kept: Self::Kept, rescaled: f64);

    /// Makes beliefs small while other runs are tried.
    fn park(&self, beliefs: &mut Self::Beliefs);

    /// Takes a parked state up again; whether the coordinates had to be found again, so that the bound has changed.
    fn resume(&mut self, problem: &Problem, frozen: bool, state: &mut State<Self::Beliefs>) -> Result<bool>;
}

/// What is read from a posterior.
pub trait Marginals: Updates {
    /// Mean coordinates. [n, d_x]
    fn coordinates(&self, problem: &Problem, beliefs: &Self::Beliefs) -> Matrix;

    /// Column a of the mean map C_i.
    fn map<'b>(&self, problem: &Problem, beliefs: &'b Self::Beliefs, i: usize, a: usize) -> &'b [f64];

    /// Effective resistances between pairs of points.
    fn resistances(&self, problem: &Problem, pairs: &[(u32, u32)]) -> Vec<f64>;

    /// What a user sees of it, point by point.
    fn marginals(&mut self, problem: &Problem, config: &Config, state: &State<Self::Beliefs>)
    -> Result<PointMarginals>;

    /// How the engine worked on this graph.
    fn notes(&self, problem: &Problem) -> EngineNotes;
}

/// An engine: all three.
pub trait Engine: Snapshots + Marginals {}

impl<E: Snapshots + Marginals> Engine for E {}

/// How an engine worked: what a user should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineNotes {
    /// Which engine it was; never `auto`.
    pub kind: EngineKind,
    /// Why, where it was chosen automatically.
    pub reason: Option<String>,
    /// How Laplacian systems were solved.
    pub solver: Solver,
    /// Standard error, in nats, that estimated log-determinants leave in the bound; zero where they are exact.
    pub bound_error: f64,
}

impl Default for EngineNotes {
    fn default() -> Self {
        Self { kind: EngineKind::Exact, reason: None, solver: Solver::Dense, bound_error: 0.0 }
    }
}

crate::choice! {
    /// How linear systems with the Laplacian are solved.
    pub enum Solver default Dense {
        /// By a dense inverse.
        Dense = "dense",
        /// By a sparse Cholesky factor.
        Cholesky = "cholesky",
        /// By conjugate gradients, where the factor would fill in.
        Iterative = "iterative",
    }
}
