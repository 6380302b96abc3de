//! Variational EM: starts, updates, the bound, and the loop.

mod acceleration;
pub(crate) mod bound;
mod coarse;
mod em;
mod engine;
pub mod exact;
pub mod factorised;
#[cfg(test)]
mod literal;
pub(crate) mod moments;
pub(crate) mod spectrum;
mod start;
pub(crate) mod update_hyperparameters;

pub use bound::BoundParts;
pub use coarse::SMALL;
pub use em::{Observer, Posterior, Progress, Run, Stage, Stop, TracePoint};
pub use engine::{Beginning, Deviations, Engine, EngineKind, EngineNotes, Marginals, Solver};
pub use moments::{CoordinateMoments, MapMoments};
pub use spectrum::{LogDeterminants, Spectrum};
pub use start::{Layout, Start, derived_seed, make_start};
