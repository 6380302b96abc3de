//! Where a run stands: q(x) and q(C), the hyper-parameters, and the sums over them that the bound needs.

use super::moments::{CoordinateMoments, MapMoments};
use super::terms::graph::GraphTerm;
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
    /// The graph's own likelihood, where it is part of the model.
    pub graph: Option<GraphTerm>,
    /// Whether the means of the coordinates stay where they are, up to their scale.
    pub held: bool,
}

impl<B> State<B> {
    /// Beliefs whose residual no update has found yet.
    pub fn new(beliefs: B, hyper: Hyperparameters, coordinates: CoordinateMoments, maps: MapMoments) -> Self {
        let statistics = Statistics { coordinates, maps, residual: f64::INFINITY };
        Self { beliefs, hyper, statistics, graph: None, held: false }
    }
}

impl<B> State<B> {
    /// γ as the coordinates see it: βγ where the features have a weight.
    pub fn gamma_of_coordinates(&self) -> f64 {
        self.graph.as_ref().map_or(self.hyper.gamma, |term| term.feature_weight * self.hyper.gamma)
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
