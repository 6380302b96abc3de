//! Several starts, of which the best goes on: each is tried, the best so far waits, and a collapsed one comes last.

use super::em::{Posterior, Run};
use super::engine::Engine;
use super::start::{Start, make_start};
use super::trace::{Observer, Stage, Stop, TracePoint};
use crate::config::{Config, Init};
use crate::error::Result;
use crate::model::Problem;
use std::ops::ControlFlow;

/// Iterations that a start climbs which is only tried.
const TRIAL: usize = 12;

/// A start with its number among those that the settings ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedStart {
    /// Its number, from 0.
    pub number: usize,
    /// Its kind.
    pub init: Init,
    /// Its seed.
    pub seed: u64,
}

/// A difference of trustworthiness that says nothing.
const AS_TRUSTWORTHY: f64 = 1e-3;

/// How good a start is: the larger the better, and a collapsed run below every other.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct StartRank {
    /// Whether it did not collapse.
    pub stands: bool,
    /// Its bound in scaled units.
    pub bound_scaled: f64,
    /// Bounds within so many nats count as equal.
    pub level: f64,
    /// Trustworthiness towards the table, which decides between equals.
    pub trustworthiness: f64,
}

impl StartRank {
    /// The rank of a run with this bound that ended so, or has not ended.
    pub fn new(bound: f64, stop: Option<Stop>) -> Self {
        let bound_scaled = if bound.is_nan() { f64::NEG_INFINITY } else { bound };
        Self { stands: stop != Some(Stop::Collapsed), bound_scaled, level: 0.0, trustworthiness: 0.0 }
    }

    /// The same where bounds within so many nats count as equal, and this trustworthiness decides then.
    pub fn or_by_trust(self, level: f64, trustworthiness: f64) -> Self {
        Self { level, trustworthiness, ..self }
    }

    /// The place of the best of some ranks, the first of equals: of those whose bounds are level, those whose trustworthiness is
    /// hardly below the best, and of these the highest bound.
    pub fn best(ranks: &[Self]) -> Option<usize> {
        let by_bound = |rank: &Self| (rank.stands, rank.bound_scaled);
        let highest = ranks.iter().reduce(|best, rank| if by_bound(rank) > by_bound(best) { rank } else { best })?;
        let level =
            |rank: &Self| rank.stands == highest.stands && rank.bound_scaled >= highest.bound_scaled - rank.level;
        let most = ranks.iter().filter(|rank| level(rank)).map(|rank| rank.trustworthiness).fold(0.0, f64::max);
        let places = (0..ranks.len())
            .filter(|&place| level(&ranks[place]) && ranks[place].trustworthiness >= most - AS_TRUSTWORTHY);
        places.reduce(|best, place| if by_bound(&ranks[place]) > by_bound(&ranks[best]) { place } else { best })
    }
}

/// How far each start is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Some iterations; only the best goes on.
    Trial,
    /// To its end.
    End,
}

/// Sees each iteration of each start; `Break` ends all of them with what there is.
pub(crate) type StartObserver<'o> = dyn FnMut(NumberedStart, Reach, &TracePoint, Stage) -> ControlFlow<()> + 'o;

/// A start and the run from it.
pub(crate) struct Attempt<'a, E: Engine> {
    pub of: NumberedStart,
    pub start: Start,
    pub run: Run<'a, E>,
    /// How the run ended; none for a trial that did not.
    pub stop: Option<Stop>,
}

/// One of the starts that were tried: the best, or each of them.
pub(crate) struct Best<K> {
    pub start: NumberedStart,
    pub rank: StartRank,
    /// How its run ended, or all of them if they were interrupted; none for a trial that did not.
    pub stop: Option<Stop>,
    /// What was kept of it.
    pub kept: K,
}

/// The starts of one problem, one engine for all of them.
pub(crate) struct Tournament<'a, E: Engine> {
    problem: &'a Problem,
    config: &'a Config,
    /// In place of a start that is made.
    given: Option<&'a Start>,
    pub engine: E,
}

impl<'a, E: Engine> Tournament<'a, E> {
    pub fn new(problem: &'a Problem, config: &'a Config, given: Option<&'a Start>) -> Result<Self> {
        Ok(Self { problem, config, given, engine: E::new(problem, config)? })
    }

    /// Takes each start to its end; `keep` says what is kept of it, and its rank.
    pub fn each<K>(
        &mut self,
        starts: &[NumberedStart],
        observer: &mut StartObserver,
        mut keep: impl FnMut(&mut E, Attempt<'a, E>) -> (K, StartRank),
    ) -> Result<Vec<Best<K>>> {
        let mut all = Vec::with_capacity(starts.len());
        for &start in starts {
            let attempt = self.attempt(start, Reach::End, observer)?;
            let stop = attempt.stop;
            let (kept, rank) = keep(&mut self.engine, attempt);
            all.push(Best { start, rank, stop, kept });
            if stop == Some(Stop::Interrupted) {
                all.iter_mut().for_each(|tried| tried.stop = stop);
                break;
            }
        }
        Ok(all)
    }

    /// Tries all starts; `keep` says what is kept of one that is better than those before.
    pub fn play<K>(
        &mut self,
        starts: &[NumberedStart],
        reach: Reach,
        observer: &mut StartObserver,
        mut keep: impl FnMut(&mut E, Attempt<'a, E>) -> Result<K>,
    ) -> Result<Option<Best<K>>> {
        let mut best: Option<Best<K>> = None;
        for &start in starts {
            let attempt = self.attempt(start, reach, observer)?;
            let (stop, rank) = (attempt.stop, StartRank::new(attempt.run.bound_scaled(), attempt.stop));
            if best.as_ref().is_none_or(|best| rank > best.rank) {
                best = Some(Best { start, rank, stop, kept: keep(&mut self.engine, attempt)? });
            }
            if stop == Some(Stop::Interrupted) {
                let standing = best.iter_mut().filter(|best| best.stop != Some(Stop::Collapsed));
                standing.for_each(|best| best.stop = Some(Stop::Interrupted));
                break;
            }
        }
        Ok(best)
    }

    /// Tries all starts, each for some iterations, and takes the best to its end.
    pub fn best_trial(
        &mut self,
        starts: &[NumberedStart],
        observer: &mut StartObserver,
    ) -> Result<Option<Best<Posterior<E::Beliefs>>>> {
        let parked = self.play(starts, Reach::Trial, observer, |engine, mut attempt| {
            attempt.run.park(engine);
            Ok(attempt.run)
        })?;
        let Some(Best { start, stop, kept: mut run, .. }) = parked else { return Ok(None) };
        run.resume(&mut self.engine)?;
        let stop = match stop {
            Some(stop) => Some(stop),
            None => {
                let mut observer = |point: &TracePoint, stage: Stage| observer(start, Reach::End, point, stage);
                run.advance(&mut self.engine, None, &mut observer)?
            }
        };
        let rank = StartRank::new(run.bound_scaled(), stop);
        Ok(Some(Best { start, rank, stop, kept: run.into_posterior() }))
    }

    /// A start from maps with the coordinates that the paper's model lets grow from them.
    fn grown(&mut self, start: Start, observer: &mut Observer) -> Result<Start> {
        let Start::Maps(_) = start else { return Ok(start) };
        let config = Config { graph_likelihood: false, ..self.config.clone() };
        let mut run = Run::new(self.problem, &config, &self.engine, &start);
        run.advance(&mut self.engine, Some(0), observer)?;
        let found = Start::Coordinates(self.engine.coordinates(self.problem, &run.state.beliefs));
        self.engine.reset();
        Ok(found)
    }

    fn attempt(&mut self, of: NumberedStart, reach: Reach, observer: &mut StartObserver) -> Result<Attempt<'a, E>> {
        let mut observer = |point: &TracePoint, stage: Stage| observer(of, reach, point, stage);
        self.engine.reset();
        let start = match (self.given, of.init) {
            (Some(start), Init::Coordinates | Init::Maps) => start.clone(),
            _ => make_start(self.problem, of.init, self.config, of.seed, &mut observer)?,
        };
        let start = if self.config.graph_likelihood { self.grown(start, &mut observer)? } else { start };
        let mut run = Run::new(self.problem, self.config, &self.engine, &start);
        let climb = (reach == Reach::Trial).then_some(TRIAL);
        let stop = run.advance(&mut self.engine, climb, &mut observer)?;
        Ok(Attempt { of, start, run, stop })
    }
}

#[cfg(test)]
mod tests {
    //! A collapsed start comes last, the first of equals wins, and what is not a number loses.
    use super::*;

    #[test]
    fn the_first_of_the_best_is_taken() {
        let rank = |bound, stop| StartRank::new(bound, stop);
        let collapsed = Some(Stop::Collapsed);
        assert_eq!(StartRank::best(&[]), None);
        assert_eq!(
            StartRank::best(&[rank(9.0, collapsed), rank(-5.0, None), rank(-5.0, Some(Stop::Converged))]),
            Some(1)
        );
        assert_eq!(StartRank::best(&[rank(f64::NAN, None), rank(-1e300, None)]), Some(1));
        assert_eq!(StartRank::best(&[rank(1.0, collapsed), rank(2.0, collapsed)]), Some(1));
        assert_eq!(StartRank::best(&[rank(9.0, collapsed), rank(f64::NAN, None)]), Some(1));
        let close = |bound, trust| rank(bound, None).or_by_trust(2.0, trust);
        assert_eq!(StartRank::best(&[close(5.0, 0.9), close(3.5, 0.95), close(2.5, 0.99)]), Some(1));
        assert_eq!(StartRank::best(&[close(5.0, 0.9), close(6.0, 0.9), close(6.0, 0.9)]), Some(1));
        assert_eq!(StartRank::best(&[close(4.5, 0.9005), close(5.0, 0.9)]), Some(1));
        assert_eq!(StartRank::best(&[rank(9.0, collapsed).or_by_trust(2.0, 1.0), close(1.0, 0.5)]), Some(1));
    }
}
