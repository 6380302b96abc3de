//! The whole posterior of a fit, for what goes on from it.

use super::Fit;
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::{Engine, Posterior, Stop};
use crate::model::Problem;

/// A graph and what was found on it.
pub(crate) struct Hypothesis<E: Engine> {
    pub problem: Problem,
    pub engine: E,
    pub posterior: Posterior<E::Beliefs>,
    /// How the run ended; none for a trial that did not.
    pub stop: Option<Stop>,
}

impl<E: Engine> Hypothesis<E> {
    /// Whether it is what this fit found, and something to go on from.
    pub fn carries_on(&self, fit: &Fit) -> bool {
        let bound = self.posterior.parts.total();
        let before_lengths = fit.lengths.is_some_and(|lengths| lengths.taken && lengths.bound_before == bound);
        let same = self.posterior.parts == fit.parts || before_lengths;
        same && self.problem.graph == fit.graph && fit.stop != Stop::Collapsed
    }
}

/// The whole posterior behind a fit, which itself keeps only a part of it: covariances of all points together, and the
/// engine with all that it made once for the graph. Pruning and tests of edges begin with it where it is there, and find
/// it again where it is not, as for a model from a file. The exact engine's takes two matrices of n·d_x × n·d_x.
pub struct FullPosterior(pub(crate) OfEngine);

pub(crate) enum OfEngine {
    Exact(Box<Hypothesis<Exact>>),
    Factorised(Box<Hypothesis<Factorised>>),
}
