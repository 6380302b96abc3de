//! The lower bound on log p(y | graph) as a sum of named parts (docs/derivation.md, eq. 11).

use super::exact::{CoordinateMoments, MapMoments};
use crate::model::{Hyperparameters, Problem};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The parts of the bound, in the scaled units of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundParts {
    /// Expected log-likelihood, without its log-determinant.
    pub likelihood: f64,
    /// ½ d_y log pdet(L): what the graph alone contributes to the likelihood.
    pub log_determinant: f64,
    /// −KL(q(C) ‖ p(C)).
    pub maps: f64,
    /// −KL(q(x) ‖ p(x)).
    pub coordinates: f64,
}

impl BoundParts {
    /// The bound.
    pub fn total(&self) -> f64 {
        self.likelihood + self.log_determinant + self.maps + self.coordinates
    }
}

/// All of a posterior that the bound and the hyper-parameters depend on.
#[derive(Clone)]
pub struct Statistics {
    /// Moments of q(x).
    pub coordinates: CoordinateMoments,
    /// Moments of q(C).
    pub maps: MapMoments,
    /// R = ⟨|BY − Pa|²⟩, the expected squared residual of the edges.
    pub residual: f64,
}

/// The parts of the bound for these statistics and hyper-parameters.
pub fn bound(problem: &Problem, statistics: &Statistics, hyper: &Hyperparameters) -> BoundParts {
    let (n, d_y, d_x) = (problem.n() as f64, problem.n_features() as f64, problem.n_components as f64);
    let omega = &problem.laplacian.eigenvalues;
    let likelihood = -hyper.gamma * statistics.residual
        + 0.5 * d_y * ((n * problem.epsilon).ln() + (n - 1.0) * (2.0 * hyper.gamma).ln())
        - 0.5 * n * d_y * (2.0 * PI).ln()
        - 0.5 * problem.epsilon * problem.sum_energy;
    let maps = 0.5 * d_y * (statistics.maps.log_det + d_x * maps_prior_log_det(problem, hyper))
        - 0.5 * statistics.maps.prior_energy(hyper, problem.epsilon)
        + 0.5 * n * d_x * d_y;
    // Common shifts: q has precision `shift_precision` where the prior has α, and it costs nothing if they are equal.
    let shift = hyper.alpha / statistics.coordinates.shift_precision;
    let coordinates = 0.5 * d_x * (shift.ln() - shift + 1.0)
        + 0.5 * statistics.coordinates.log_det
        + 0.5 * d_x * omega[1..].iter().map(|w| (hyper.alpha + 2.0 * w).ln()).sum::<f64>()
        - 0.5 * statistics.coordinates.prior_energy(hyper)
        + 0.5 * (n - 1.0) * d_x;
    let log_determinant = 0.5 * d_y * problem.laplacian.log_pseudo_det;
    BoundParts { likelihood, log_determinant, maps, coordinates }
}

/// log|K|, K = 2λL + νI, or the paper's λ(2L + ε11ᵀ) when ν = 0.
fn maps_prior_log_det(problem: &Problem, hyper: &Hyperparameters) -> f64 {
    let n = problem.n() as f64;
    if hyper.nu == 0.0 {
        n * hyper.lambda.ln() + (n - 1.0) * 2f64.ln() + problem.laplacian.log_pseudo_det + (n * problem.epsilon).ln()
    } else {
        problem.laplacian.eigenvalues.iter().map(|w| (2.0 * hyper.lambda * w + hyper.nu).ln()).sum()
    }
}
