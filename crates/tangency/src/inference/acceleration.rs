//! Guarded extrapolation: momentum on the maps' means and on the logarithms of the hyper-parameters.
//!
//! Each update of EM moves a part of the way to where it is going, along slowly turning directions; the step before tells
//! the direction. Covariances are not extrapolated: the next update makes them anew. The loop takes a step back if the
//! bound has fallen.

use super::engine::Engine;
use crate::model::Hyperparameters;

/// The state of one iteration before, as an engine keeps it.
pub struct Momentum<K> {
    previous: Option<(K, Hyperparameters)>,
    steps: usize,
}

impl<K> Default for Momentum<K> {
    fn default() -> Self {
        Self { previous: None, steps: 0 }
    }
}

impl<K> Momentum<K> {
    /// Remembers where an accepted iteration started.
    pub fn remember(&mut self, kept: K, hyper: Hyperparameters) {
        self.previous = Some((kept, hyper));
    }

    /// Forgets the direction, after a rejected step or when the rules of the run change.
    pub fn reset(&mut self) {
        self.previous = None;
        self.steps = 0;
    }

    /// Moves on along the last step; `false` if there is none yet. The share grows as (k+1)/(k+4), Nesterov's schedule
    /// with a cautious beginning.
    pub fn extrapolate<E: Engine<Kept = K>>(
        &mut self,
        engine: &E,
        beliefs: &mut E::Beliefs,
        hyper: &mut Hyperparameters,
    ) -> bool {
        let Some((before, hyper_before)) = &self.previous else { return false };
        let share = (self.steps as f64 + 1.0) / (self.steps as f64 + 4.0);
        self.steps += 1;
        engine.extrapolate(beliefs, before, share);
        let further = |now: f64, then: f64| if then > 0.0 { now * (now / then).powf(share) } else { now };
        hyper.gamma = further(hyper.gamma, hyper_before.gamma);
        hyper.lambda = further(hyper.lambda, hyper_before.lambda);
        hyper.nu = further(hyper.nu, hyper_before.nu);
        true
    }
}
