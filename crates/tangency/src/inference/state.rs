//! Where a run stands: q(x) and q(C), the hyper-parameters, and the sums over them that the bound needs.

use super::moments::{CoordinateMoments, MapMoments};
use crate::model::Hyperparameters;

/// Where a run stands. `B` is q(x) and q(C) as an engine holds them.
#[derive(Clone)]
pub struct State<B> {
    /// q(x) and q(C).
    pub beliefs: B,
    /// The hyper-parameters.
    pub hyper: Hyperparameters,
    /// What the bound and the hyper-parameters need of the beliefs.
    pub statistics: Statistics,
}

impl<B> State<B> {
    /// Beliefs whose residual no update has found yet.
    pub fn new(beliefs: B, hyper: Hyperparameters, coordinates: CoordinateMoments, maps: MapMoments) -> Self {
        Self { beliefs, hyper, statistics: Statistics { coordinates, maps, residual: f64::INFINITY } }
    }
}

/// All of a posterior that the bound and the hyper-parameters depend on.
#[derive(Clone)]
pub struct Statistics {
    /// Moments of q(x).
    pub coordinates: CoordinateMoments,
    /// Moments of q(C).
    pub maps: MapMoments,
    /// R = ⟨|BY − Pa|²⟩, the expected squared residual of the edges, as of the last update that gives it.
    pub residual: f64,
}
