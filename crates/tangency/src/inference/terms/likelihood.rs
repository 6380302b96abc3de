//! log p(y | x, C, graph): noise of precision γ on the edges.

use crate::inference::state::Statistics;
use crate::model::{Hyperparameters, MissingTerm, Problem};
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
        + of_missing(problem, hyper.gamma)
}

/// What missing entries change: their entropy, and what their uncertainty adds to the squares (eq. 36).
fn of_missing(problem: &Problem, gamma: f64) -> f64 {
    let MissingTerm { count, log_det, ones } = problem.missing();
    0.5 * (count * (PI / gamma).ln() - log_det) - 0.25 * problem.epsilon * ones / gamma
}

/// γ = ½ d_y (n−1) / R, up to the γ of the smallest noise; with missing entries the root of R γ² − ½ (d_y (n−1) − m) γ = ¼ ε 1ᵀL_mm⁻¹1.
pub fn update_gamma(problem: &Problem, statistics: &Statistics) -> f64 {
    let residual = statistics.residual.max(SMALLEST_RESIDUAL * problem.edge_energy);
    let MissingTerm { count, ones, .. } = problem.missing();
    let half = 0.5 * (problem.n_features() as f64 * (problem.n() - 1) as f64 - count);
    match ones > 0.0 {
        true => (half + (half * half + residual * problem.epsilon * ones).sqrt()) / (2.0 * residual),
        false => half / residual,
    }
}
