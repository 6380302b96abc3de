//! log p(y | x, C, graph): noise of precision γ on the edges.

use crate::inference::state::Statistics;
use crate::model::{Hyperparameters, Problem};
use std::f64::consts::PI;

/// The smallest noise, as a part of the edges' energy |BY|²: below it R, a difference from
/// |BY|², and with it the bound have too few digits left.
const SMALLEST_RESIDUAL: f64 = 1e-7;

/// Its expectation, without its log-determinant.
pub fn part(problem: &Problem, statistics: &Statistics, hyper: &Hyperparameters) -> f64 {
    let (n, d_y) = (problem.n() as f64, problem.n_features() as f64);
    -hyper.gamma * statistics.residual + 0.5 * d_y * ((n * problem.epsilon).ln() + (n - 1.0) * (2.0 * hyper.gamma).ln())
        - 0.5 * n * d_y * (2.0 * PI).ln()
        - 0.5 * problem.epsilon * problem.sum_energy
}

/// γ = ½ d_y (n−1) / R, up to the γ of the smallest noise.
pub fn update_gamma(problem: &Problem, statistics: &Statistics) -> f64 {
    let residual = statistics.residual.max(SMALLEST_RESIDUAL * problem.edge_energy);
    0.5 * problem.n_features() as f64 * (problem.n() - 1) as f64 / residual
}
