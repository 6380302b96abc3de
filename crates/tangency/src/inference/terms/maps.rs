//! The prior of the maps, with K = 2λL + νI, or the paper's λ(2L + ε11ᵀ) when ν = 0.

use crate::inference::moments::MapMoments;
use crate::inference::spectrum::{LogDeterminants, Spectrum};
use crate::linalg::trace;
use crate::model::{Hyperparameters, MapPrior, Problem};

/// tr(K⊗I ⟨CᵀC⟩).
pub fn energy(moments: &MapMoments, prior: &MapPrior) -> f64 {
    match &moments.total {
        Some(total) if prior.is_of_the_paper() => prior.lambda * (trace(&moments.rough) + prior.epsilon * trace(total)),
        _ => prior.lambda * trace(&moments.rough) + prior.nu * trace(&moments.square),
    }
}

/// −KL(q(C) ‖ p(C)).
pub fn part(problem: &Problem, of_c: &MapMoments, hyper: &Hyperparameters, log_dets: &LogDeterminants) -> f64 {
    let (n, d_y, d_x) = (problem.n() as f64, problem.n_features() as f64, problem.n_components as f64);
    let prior = MapPrior::new(problem, hyper);
    0.5 * d_y * (of_c.log_det + d_x * log_det(problem, &prior, log_dets)) - 0.5 * energy(of_c, &prior)
        + 0.5 * n * d_x * d_y
}

/// log|K|.
fn log_det(problem: &Problem, prior: &MapPrior, log_dets: &LogDeterminants) -> f64 {
    let n = problem.n() as f64;
    n * prior.lambda.ln()
        + if prior.is_of_the_paper() {
            (n - 1.0) * 2f64.ln() + log_dets.laplacian + (n * prior.epsilon).ln()
        } else {
            (prior.nu / prior.lambda).ln() + log_dets.maps
        }
}

/// The best λ of the paper's prior.
pub fn update_lambda(problem: &Problem, of_c: &MapMoments) -> f64 {
    let one = MapPrior { lambda: 1.0, nu: 0.0, epsilon: problem.epsilon };
    (problem.size() * problem.n_features()) as f64 / energy(of_c, &one)
}

/// The best (λ, ν): a search in r = ν/λ, at most `largest`, for which the best λ is known.
pub fn update_lambda_nu(
    problem: &Problem,
    spectrum: &Spectrum,
    of_c: &MapMoments,
    hyper: &Hyperparameters,
    largest: Option<f64>,
) -> (f64, f64) {
    let (rough, square) = (trace(&of_c.rough), trace(&of_c.square));
    let count = (problem.size() * problem.n_features()) as f64;
    let each = (problem.n_components * problem.n_features()) as f64;
    let lambda_of = |r: f64| count / (rough + r * square);
    // twice the part of the bound that depends on r, up to a constant
    let height = |log_r: f64| {
        let r = log_r.exp();
        each * (log_r + spectrum.sum(|w| (2.0 * w + r).ln())) + count * lambda_of(r).ln()
    };
    let (least, most) = (-30.0, largest.map_or(15.0, f64::ln));
    let found = maximize(height, least, most);
    let before = (hyper.nu / hyper.lambda).ln().clamp(least, most);
    let r = if height(found) >= height(before) { found.exp() } else { before.exp() };
    let lambda = lambda_of(r);
    (lambda, r * lambda)
}

/// Maximum of a unimodal function by golden sections.
fn maximize(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..60 {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = f(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = f(left);
        }
    }
    0.5 * (low + high)
}
