//! Variational EM: starts, updates, the bound, and the loop.

mod acceleration;
mod bound;
mod em;
pub mod exact;
mod start;
mod update_hyperparameters;

pub use bound::BoundParts;
pub use em::{Observer, Progress, Run, Stage, Stop, TracePoint};
pub use start::{Start, derived_seed, make_start};
