//! The lower bound on log p(y | graph) as a sum of named parts (docs/derivation.md, eq. 11).

use super::moments::{CoordinateMoments, MapMoments};
use super::spectrum::LogDeterminants;
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
pub fn bound(
    problem: &Problem,
    statistics: &Statistics,
    hyper: &Hyperparameters,
    log_dets: &LogDeterminants,
) -> BoundParts {
    let (n, d_y, d_x) = (problem.n() as f64, problem.n_features() as f64, problem.n_components as f64);
    let likelihood = -hyper.gamma * statistics.residual
        + 0.5 * d_y * ((n * problem.epsilon).ln() + (n - 1.0) * (2.0 * hyper.gamma).ln())
        - 0.5 * n * d_y * (2.0 * PI).ln()
        - 0.5 * problem.epsilon * problem.sum_energy;
    let maps = 0.5 * d_y * (statistics.maps.log_det + d_x * maps_prior_log_det(problem, hyper, log_dets))
        - 0.5 * statistics.maps.prior_energy(hyper, problem.epsilon)
        + 0.5 * n * d_x * d_y;
    let of_x = &statistics.coordinates;
    let shifts = match of_x.shift_precision {
        // q has this precision where the prior has α, and it costs nothing if they are equal
        Some(precision) => (hyper.alpha / precision).ln() - hyper.alpha / precision + 1.0,
        // common shifts are in the moments
        None => hyper.alpha.ln(),
    };
    let coordinates = 0.5 * d_x * (shifts + log_dets.coordinates) + 0.5 * of_x.log_det - 0.5 * of_x.prior_energy(hyper)
        + 0.5 * of_x.directions;
    let log_determinant = 0.5 * d_y * log_dets.laplacian;
    BoundParts { likelihood, log_determinant, maps, coordinates }
}

/// log|K|, K = 2λL + νI, or the paper's λ(2L + ε11ᵀ) when ν = 0.
fn maps_prior_log_det(problem: &Problem, hyper: &Hyperparameters, log_dets: &LogDeterminants) -> f64 {
    let n = problem.n() as f64;
    n * hyper.lambda.ln()
        + if hyper.nu == 0.0 {
            (n - 1.0) * 2f64.ln() + log_dets.laplacian + (n * problem.epsilon).ln()
        } else {
            (hyper.nu / hyper.lambda).ln() + log_dets.maps
        }
}
