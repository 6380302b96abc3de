//! Variational EM: starts, updates, the bound, and the loop.

mod acceleration;
pub(crate) mod bound;
mod em;
pub mod exact;
mod start;
pub(crate) mod update_hyperparameters;

pub use bound::BoundParts;
pub use em::{Observer, Posterior, Progress, Run, Stage, Stop, TracePoint};
pub use start::{Start, derived_seed, make_start};
