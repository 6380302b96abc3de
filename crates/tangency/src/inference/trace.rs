//! What a run shows of itself: each iteration, what it is doing, how it ended.

use super::bound::BoundParts;
use crate::model::Hyperparameters;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

crate::choice! {
    /// How a run ended.
    pub enum Stop {
        /// An iteration gained less than `tol`.
        Converged = "converged",
        /// `max_iter` was reached first.
        MaxIterations = "max-iterations",
        /// The observer asked for it.
        Interrupted = "interrupted",
        /// The coordinates shrank to nothing: the data are explained as noise.
        Collapsed = "collapsed",
    }
}

crate::choice! {
    /// What a run is doing.
    pub enum Stage {
        /// Maps are fitted to coordinates that are held still.
        FittingMaps = "fitting-maps",
        /// Coordinates grow under fixed priors.
        Growing = "growing",
        /// All is learned.
        Climbing = "climbing",
    }
}

/// One iteration as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Iteration, from 1.
    pub iteration: usize,
    /// Bound in scaled units.
    pub bound_scaled: f64,
    /// Hyper-parameters after the iteration.
    pub hyper: Hyperparameters,
    /// The parts of the bound; models of early versions have none.
    #[serde(default)]
    pub parts: Option<BoundParts>,
}

/// What an observer gets after each iteration.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Which start this is, from 1.
    pub start: usize,
    /// Of how many.
    pub starts: usize,
    /// A short trial run, or one that goes to its end.
    pub trial: bool,
    /// What the run is doing.
    pub stage: Stage,
    /// Most iterations of this run.
    pub max_iter: usize,
    /// The iteration just done.
    pub point: TracePoint,
}

/// Called after each iteration; `Break` ends the run with what it has.
pub type Observer<'a> = dyn FnMut(&TracePoint, Stage) -> ControlFlow<()> + 'a;
