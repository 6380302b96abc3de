//! The joint rescaling x → t·x, C → C/t, which the likelihood does not see and both priors do.

use super::{coordinates, maps};
use crate::inference::state::Statistics;
use crate::model::{CoordinatePrior, Hyperparameters, MapPrior, Problem};

/// The factor t of x → t·x, C → C/t that raises the bound most.
///
/// With `follow`, λ and ν move along as λt², νt², so that the prior of C does not see it either and only the prior of x
/// decides; otherwise both priors pull, and t² is the root of a quadratic.
pub fn best_rescaling(problem: &Problem, statistics: &Statistics, hyper: &Hyperparameters, follow: bool) -> f64 {
    let of_x = coordinates::energy(&statistics.coordinates, &CoordinatePrior::new(hyper));
    let directions = statistics.coordinates.directions;
    if follow {
        return (directions / of_x).sqrt();
    }
    let of_c = maps::energy(&statistics.maps, &MapPrior::new(problem, hyper));
    let pull = (problem.size() * problem.n_features()) as f64 - directions;
    // of_x t⁴ + pull t² − of_c = 0, in the form that does not cancel
    (2.0 * of_c / (pull + (pull * pull + 4.0 * of_x * of_c).sqrt())).sqrt()
}
