//! The priors of coordinates and maps, each one object: its precision on the graph, its energy, its log-determinant.

use super::{Hyperparameters, Problem};

/// own·I + edge·L + common·11ᵀ: the precision of a Gaussian on the points of a graph, for each component alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphPrecision {
    /// Weight of each point by itself.
    pub own: f64,
    /// Weight of each edge.
    pub edge: f64,
    /// Weight of the sum of all points.
    pub common: f64,
}

impl GraphPrecision {
    /// The entry on the diagonal of a point with this many neighbours.
    pub fn at(&self, degree: f64) -> f64 {
        self.edge * degree + (self.own + self.common)
    }
}

/// p(x | graph): N(0, (αI + 2L)⁻¹ ⊗ I).
#[derive(Clone, Copy, Debug)]
pub struct CoordinatePrior {
    /// Precision of each point by itself.
    pub alpha: f64,
}

impl CoordinatePrior {
    /// That of these hyper-parameters.
    pub fn new(hyper: &Hyperparameters) -> Self {
        Self { alpha: hyper.alpha }
    }

    /// αI + 2L.
    pub fn precision(&self) -> GraphPrecision {
        GraphPrecision { own: self.alpha, edge: 2.0, common: 0.0 }
    }
}

/// p(C | graph): matrix-normal with K⁻¹ ⊗ I, where K = 2λL + νI, or the paper's λ(2L + ε11ᵀ) when ν = 0.
#[derive(Clone, Copy, Debug)]
pub struct MapPrior {
    /// Smoothness.
    pub lambda: f64,
    /// Magnitude.
    pub nu: f64,
    /// The paper's ε.
    pub epsilon: f64,
}

impl MapPrior {
    /// That of these hyper-parameters.
    pub fn new(problem: &Problem, hyper: &Hyperparameters) -> Self {
        Self { lambda: hyper.lambda, nu: hyper.nu, epsilon: problem.epsilon }
    }

    /// Whether it is the paper's.
    pub fn is_of_the_paper(&self) -> bool {
        self.nu == 0.0
    }

    /// K.
    pub fn precision(&self) -> GraphPrecision {
        let common = if self.is_of_the_paper() { self.epsilon * self.lambda } else { 0.0 };
        GraphPrecision { own: self.nu, edge: 2.0 * self.lambda, common }
    }
}
