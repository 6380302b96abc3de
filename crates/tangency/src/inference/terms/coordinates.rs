//! The prior of the coordinates, N(0, (αI + 2L)⁻¹ ⊗ I).

use crate::inference::moments::CoordinateMoments;
use crate::inference::spectrum::{LogDeterminants, Spectrum};
use crate::linalg::trace;
use crate::model::{CoordinatePrior, Hyperparameters, Problem};

/// The smallest α: there the prior of the coordinates is flat for every purpose.
const SMALLEST_ALPHA: f64 = 1e-8;

/// tr((αI + 2L)⊗I ⟨xxᵀ⟩).
pub fn energy(moments: &CoordinateMoments, prior: &CoordinatePrior) -> f64 {
    prior.alpha * trace(&moments.square) + trace(&moments.rough)
}

/// −KL(q(x) ‖ p(x)).
pub fn part(problem: &Problem, of_x: &CoordinateMoments, hyper: &Hyperparameters, log_dets: &LogDeterminants) -> f64 {
    let d_x = problem.n_components as f64;
    let shifts = match of_x.shift_precision {
        // q has this precision where the prior has α, and it costs nothing if they are equal
        Some(precision) => (hyper.alpha / precision).ln() - hyper.alpha / precision + 1.0,
        // common shifts are in the moments
        None => hyper.alpha.ln(),
    };
    0.5 * d_x * (shifts + log_dets.coordinates) + 0.5 * of_x.log_det - 0.5 * energy(of_x, &CoordinatePrior::new(hyper))
        + 0.5 * of_x.directions
}

/// The best α: the root of d_x Σ 1/(α + 2ω) = ⟨|x|²⟩. Where common shifts are held apart their variance follows α, and the
/// sum is without them.
pub fn update_alpha(problem: &Problem, spectrum: &Spectrum, of_x: &CoordinateMoments) -> f64 {
    let square = trace(&of_x.square);
    let d_x = problem.n_components as f64;
    let shifts = if of_x.shift_precision.is_some() { 0.0 } else { 1.0 };
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
