//! Variational EM: starts, updates, the bound, and the loop.

mod acceleration;
pub(crate) mod bound;
mod coarse;
mod em;
mod engine;
pub mod exact;
pub mod factorised;
#[cfg(test)]
mod gaps_tests;
mod lengths;
#[cfg(test)]
mod literal;
pub(crate) mod moments;
pub(crate) mod pairs;
pub(crate) mod spectrum;
mod start;
pub(crate) mod state;
pub(crate) mod terms;
mod tournament;
mod trace;

pub use bound::BoundParts;
pub use coarse::COARSE_ABOVE;
pub use em::{Posterior, Run, layout_of};
pub use engine::{
    Beginning, DeviationKind, Deviations, Engine, EngineKind, EngineNotes, Marginals, PointMarginals, Snapshots,
    Solver, Updates,
};
pub(crate) use lengths::{stretched, unit_and_misfit};
pub use moments::{CoordinateMoments, MapMoments};
pub use spectrum::{LogDeterminants, Spectrum};
pub use start::{Layout, Start, derived_seed, make_start};
pub use state::{State, Statistics};
pub(crate) use terms::graph::GraphTerm;
pub(crate) use tournament::{Best, Reach, StartObserver, Tournament};
pub use tournament::{NumberedStart, StartRank};
pub use trace::{Observer, Progress, Stage, Stop, TracePoint};
