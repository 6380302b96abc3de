//! Guarded extrapolation: momentum on the maps' means and on the logarithms of the hyper-parameters.
//!
//! Each update of EM moves a part of the way to where it is going, along slowly turning directions; the step before gives
//! the direction. Covariances are not extrapolated: the next update makes them again. The loop takes a step back if the
//! bound has fallen.

use super::engine::{Engine, Snapshots};
use super::state::{State, Statistics};
use super::terms::graph::GraphTerm;
use crate::model::Hyperparameters;

/// A state as an engine keeps it to go back to.
pub struct Snapshot<K> {
    beliefs: K,
    hyper: Hyperparameters,
    statistics: Statistics,
    graph: Option<GraphTerm>,
}

impl<K> Snapshot<K> {
    /// Of this state.
    pub fn new<E: Snapshots<Kept = K>>(engine: &E, state: &State<E::Beliefs>) -> Self {
        let State { beliefs, hyper, statistics, graph, .. } = state;
        let beliefs = engine.keep(beliefs, graph.is_some());
        Self { beliefs, hyper: *hyper, statistics: statistics.clone(), graph: graph.clone() }
    }

    /// Goes back to it after an iteration that rescaled by `rescaled`.
    pub fn restore<E: Snapshots<Kept = K>>(self, engine: &mut E, state: &mut State<E::Beliefs>, rescaled: f64) {
        engine.restore(&mut state.beliefs, self.beliefs, rescaled);
        (state.hyper, state.statistics, state.graph) = (self.hyper, self.statistics, self.graph);
    }
}

/// Where the iteration before started.
pub struct Momentum<K> {
    previous: Option<Snapshot<K>>,
    steps: usize,
}

impl<K> Default for Momentum<K> {
    fn default() -> Self {
        Self { previous: None, steps: 0 }
    }
}

impl<K> Momentum<K> {
    /// Remembers where an accepted iteration started.
    pub fn remember(&mut self, before: Snapshot<K>) {
        self.previous = Some(before);
    }

    /// Forgets the direction, after a rejected step or when the rules of the run change.
    pub fn reset(&mut self) {
        self.previous = None;
        self.steps = 0;
    }

    /// Whether there is a direction to move on along.
    pub fn has_direction(&self) -> bool {
        self.previous.is_some()
    }

    /// Moves on along the last step; `false` if there is none yet. The share grows as (k+1)/(k+4), Nesterov's schedule
    /// with a cautious beginning.
    pub fn extrapolate<E: Engine<Kept = K>>(&mut self, engine: &E, state: &mut State<E::Beliefs>) -> bool {
        let Some(before) = &self.previous else { return false };
        let share = (self.steps as f64 + 1.0) / (self.steps as f64 + 4.0);
        self.steps += 1;
        engine.extrapolate(&mut state.beliefs, &before.beliefs, share);
        let further = |now: f64, then: f64| if then > 0.0 { now * (now / then).powf(share) } else { now };
        let (hyper, then) = (&mut state.hyper, &before.hyper);
        hyper.gamma = further(hyper.gamma, then.gamma);
        hyper.lambda = further(hyper.lambda, then.lambda);
        hyper.nu = further(hyper.nu, then.nu);
        true
    }
}
