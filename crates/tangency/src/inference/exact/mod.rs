//! The exact engine: full Gaussian q(x) and matrix-normal q(C), two dense inverses an iteration.

mod aggregate;
mod moments;
#[cfg(test)]
mod tests;
mod update_coordinates;
mod update_maps;

pub use moments::{CoordinateMoments, MapMoments};
pub use update_coordinates::update_coordinates;
pub use update_maps::update_maps;

use crate::linalg::{Matrix, SpdWork};
use crate::model::Problem;
use aggregate::Aggregator;

/// Buffers of the engine: the aggregation's tiles, the inversion's workspace and one spare matrix, which after an
/// update holds the covariance that the update replaced.
pub struct Workspace {
    aggregator: Aggregator,
    inversion: SpdWork,
    /// After an update: the covariance from before it.
    pub spare: Matrix,
}

impl Workspace {
    /// Buffers for a problem.
    pub fn new(problem: &Problem) -> Self {
        let size = problem.size();
        Self {
            aggregator: Aggregator::new(&problem.graph, &problem.laplacian),
            inversion: SpdWork::new(size),
            spare: Matrix::zeros(size, size),
        }
    }
}

/// Bytes that a fit of this size needs at its peak.
pub fn memory_needed(n: usize, n_components: usize, n_features: usize) -> u64 {
    let (n, d_y) = (n as u64, n_features as u64);
    let size = n.saturating_mul(n_components as u64);
    let (covariance, of_graph) = (size.saturating_mul(size), n.saturating_mul(n));
    // Σ_x, Σ_C, spare and a third of one for the inversion; Lp, its tiles and three tile buffers; maps, as they are, were,
    // and were before, and H
    let numbers = (covariance / 3)
        .saturating_mul(10)
        .saturating_add(of_graph.saturating_mul(5))
        .saturating_add(size.saturating_mul(d_y).saturating_mul(6));
    numbers.saturating_mul(8)
}
