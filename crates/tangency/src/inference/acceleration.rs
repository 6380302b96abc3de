//! Guarded extrapolation: momentum on the maps' means and on the logarithms of the hyper-parameters.
//!
//! Each update of EM moves a part of the way to where it is going, along slowly turning directions; the step before tells
//! the direction. Covariances are not extrapolated: the next update makes them anew. The loop takes a step back if the
//! bound has fallen.

use crate::linalg::{Matrix, scaled_difference};
use crate::model::Hyperparameters;

/// The state of one iteration before.
#[derive(Default)]
pub struct Momentum {
    previous: Option<(Matrix, Hyperparameters)>,
    steps: usize,
}

impl Momentum {
    /// Remembers where an accepted iteration started.
    pub fn remember(&mut self, mean: Matrix, hyper: Hyperparameters) {
        self.previous = Some((mean, hyper));
    }

    /// Forgets the direction, after a rejected step or when the rules of the run change.
    pub fn reset(&mut self) {
        self.previous = None;
        self.steps = 0;
    }

    /// Moves on along the last step; `false` if there is none yet. The share grows as (k+1)/(k+4), Nesterov's schedule
    /// with a cautious beginning.
    pub fn extrapolate(&mut self, mean: &mut Matrix, hyper: &mut Hyperparameters) -> bool {
        let Some((before, hyper_before)) = &self.previous else { return false };
        let share = (self.steps as f64 + 1.0) / (self.steps as f64 + 4.0);
        self.steps += 1;
        scaled_difference(mean, before, share);
        let further = |now: f64, then: f64| if then > 0.0 { now * (now / then).powf(share) } else { now };
        hyper.gamma = further(hyper.gamma, hyper_before.gamma);
        hyper.lambda = further(hyper.lambda, hyper_before.lambda);
        hyper.nu = further(hyper.nu, hyper_before.nu);
        true
    }
}
