//! The M-steps of γ, λ and ν, α, and the joint rescaling of x and C; each can only raise the bound.

use super::bound::Statistics;
use super::spectrum::Spectrum;
use crate::linalg::trace;
use crate::model::{Hyperparameters, Problem};

/// The smallest α: there the prior of the coordinates is flat for every purpose.
const SMALLEST_ALPHA: f64 = 1e-8;

/// The smallest noise, as a part of the edges' energy |BY|²: below it R, a difference from
/// |BY|², and with it the bound have too few digits left.
const SMALLEST_RESIDUAL: f64 = 1e-7;

/// γ = ½ d_y (n−1) / R, up to the γ of the smallest noise.
pub fn update_gamma(problem: &Problem, statistics: &Statistics) -> f64 {
    let residual = statistics.residual.max(SMALLEST_RESIDUAL * problem.edge_energy);
    0.5 * problem.n_features() as f64 * (problem.n() - 1) as f64 / residual
}

/// The best λ of the paper's prior, λ(2L + ε11ᵀ).
pub fn update_lambda(problem: &Problem, statistics: &Statistics) -> f64 {
    let one = Hyperparameters { alpha: 0.0, gamma: 1.0, lambda: 1.0, nu: 0.0 };
    (problem.size() * problem.n_features()) as f64 / statistics.maps.prior_energy(&one, problem.epsilon)
}

/// The best (λ, ν): a search in r = ν/λ, for which the best λ is known.
pub fn update_lambda_nu(
    problem: &Problem,
    spectrum: &Spectrum,
    statistics: &Statistics,
    hyper: &Hyperparameters,
) -> (f64, f64) {
    let (rough, square) = (trace(&statistics.maps.rough), trace(&statistics.maps.square));
    let count = (problem.size() * problem.n_features()) as f64;
    let each = (problem.n_components * problem.n_features()) as f64;
    let lambda_of = |r: f64| count / (rough + r * square);
    // twice the part of the bound that depends on r, up to a constant
    let height = |log_r: f64| {
        let r = log_r.exp();
        each * (log_r + spectrum.sum(|w| (2.0 * w + r).ln())) + count * lambda_of(r).ln()
    };
    let (least, most) = (-30.0, 15.0);
    let found = maximize(height, least, most);
    let before = (hyper.nu / hyper.lambda).ln().clamp(least, most);
    let r = if height(found) >= height(before) { found.exp() } else { before.exp() };
    let lambda = lambda_of(r);
    (lambda, r * lambda)
}

/// The best α: the root of d_x Σ 1/(α + 2ω) = ⟨|x|²⟩. Where common shifts are held apart their variance follows α, and the
/// sum is without them.
pub fn update_alpha(problem: &Problem, spectrum: &Spectrum, statistics: &Statistics) -> f64 {
    let square = trace(&statistics.coordinates.square);
    let d_x = problem.n_components as f64;
    let shifts = if statistics.coordinates.shift_precision.is_some() { 0.0 } else { 1.0 };
    let slope = |alpha: f64| d_x * (shifts / alpha + spectrum.sum(|w| 1.0 / (alpha + 2.0 * w))) - square;
    let (mut low, mut high) = (SMALLEST_ALPHA.ln(), 12.0f64);
    if slope(low.exp()) <= 0.0 {
        return SMALLEST_ALPHA;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle.exp()) > 0.0 { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp()
}

/// The factor t of x → t·x, C → C/t that raises the bound most; the likelihood does not see it.
///
/// With `follow`, λ and ν move along as λt², νt², so that the prior of C does not see it either and only the prior of x
/// decides; otherwise both priors pull, and t² is the root of a quadratic.
pub fn best_rescaling(problem: &Problem, statistics: &Statistics, hyper: &Hyperparameters, follow: bool) -> f64 {
    let of_x = statistics.coordinates.prior_energy(hyper);
    let directions = statistics.coordinates.directions;
    if follow {
        return (directions / of_x).sqrt();
    }
    let of_c = statistics.maps.prior_energy(hyper, problem.epsilon);
    let pull = (problem.size() * problem.n_features()) as f64 - directions;
    // of_x t⁴ + pull t² − of_c = 0, in the form that does not cancel
    (2.0 * of_c / (pull + (pull * pull + 4.0 * of_x * of_c).sqrt())).sqrt()
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
