//! Removal of short-circuits: rank, remove, refit, keep what the bound wants out, put the rest back.
//!
//! Rounds remove the most suspect edges until the layout is right; in a right layout short-circuits stand out by an order
//! of magnitude. Then each is put back alone to see what it costs, and every edge that costs little stays back.

mod bridges;
mod search;

use super::scores::EdgeScore;
use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::fit::{Fit, FittedData, FittedStructure, Fitter, FullPosterior, Hypothesis, OfEngine, Plan, Pruning};
use crate::graph::Graph;
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::{Engine, EngineKind, Stop};
use search::Search;
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Covariances that are held beside those of the run at work: two hypotheses, and what a warm run begins with.
const HELD: u64 = 5;
/// Those of them that are there already where the posterior is given.
const GIVEN: u64 = 2;

/// What pruning may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PruneOptions {
    /// Most edges to remove; without it a tenth of all.
    pub max_removed: Option<usize>,
    /// Least gain of the bound that counts, in nats beyond what random good edges gain and beyond the logarithm of the number
    /// of edges, from which the most suspect were picked.
    pub min_gain: f64,
    /// Most rounds of ranking and removal.
    pub max_rounds: usize,
}

impl Default for PruneOptions {
    fn default() -> Self {
        Self { max_removed: None, min_gain: 2.0, max_rounds: 12 }
    }
}

impl PruneOptions {
    /// Checks what can be checked without a fit; [`prune`] does it too.
    pub fn validate(&self) -> Result<()> {
        if self.max_removed == Some(0) {
            return Err(Error::too_small("max_removed", 0, 1));
        }
        if !(self.min_gain >= 0.0 && self.min_gain.is_finite()) {
            return Err(Error::negative("min_gain", self.min_gain));
        }
        Ok(())
    }
}

/// One round of pruning that raised the bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Round {
    /// Edges that the graph was without after it.
    pub removed: usize,
    /// The bound after it, in scaled units.
    pub bound_scaled: f64,
}

/// An edge that was removed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removed {
    /// How it would strain the final layout; the resistance is that between its points without it, which may exceed 1.
    pub score: EdgeScore,
    /// What its removal alone gains: the bound without it less the bound with it put back for a few iterations, all other
    /// removed edges being out.
    pub gain: f64,
}

/// A way to join two pieces of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bridge {
    /// Its points.
    pub edge: (u32, u32),
    /// Distance of its points in scaled units.
    pub length: f64,
    /// The bridge it would take the place of; none if the two pieces have no bridge of their own.
    pub in_place_of: Option<(u32, u32)>,
    /// Change of the bound, in nats.
    pub change: f64,
    /// Whether the bound wants it.
    pub taken: bool,
}

/// What the bound gains when an edge that is beyond doubt is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Baseline {
    /// Mean gain of one random good edge, in nats.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// Samples behind the two; none where every edge of the samples holds the graph together.
    pub samples: usize,
}

/// The outcome of pruning.
pub struct Pruned {
    /// The fit on the graph that is left; the fit given where nothing was changed. Of an interrupted search it is the fit given
    /// too, and says that it was interrupted.
    pub fit: Fit,
    /// Bound of the paper's model on the graph given, in scaled units: where edges were removed, the highest that was found on
    /// it, also from the start that graphs without them have. After a fit with the graph's likelihood it is that of the
    /// factorised engine, which searches.
    pub bound_before: f64,
    /// The same on the graph that is left.
    pub bound_after: f64,
    /// The edges removed, the most suspect first.
    pub removed: Vec<Removed>,
    /// Other ways to join the pieces of a graph that had to be joined.
    pub bridges: Vec<Bridge>,
    /// The rounds that raised the bound.
    pub rounds: Vec<Round>,
    /// What random good edges gain; zero where no round raised the bound.
    pub baseline: Baseline,
    /// EM iterations spent.
    pub iterations: usize,
    /// Whether the observer ended it early: then nothing was removed, since edges are decided together.
    pub interrupted: bool,
}

/// What an observer of pruning sees after each iteration.
#[derive(Clone, Copy, Debug)]
pub struct PruneProgress {
    /// What is being done.
    pub step: PruneStep,
    /// Edges that the graph being fitted is without.
    pub removed: usize,
    /// Best bound so far, in scaled units.
    pub best: f64,
    /// EM iterations so far.
    pub iterations: usize,
}

/// The steps of pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneStep {
    /// The posterior of the fit given is found again.
    Preparing,
    /// Other bridges between pieces are tried.
    Bridging,
    /// Suspect edges are removed; the round, from 1.
    Removing(usize),
    /// Random good edges are removed to see what that gains.
    Baseline,
    /// Removed edges are put back.
    Restoring,
}

/// Removes the edges of a fit's graph that the bound speaks against.
///
/// ```
/// use std::ops::ControlFlow;
/// use tangency::evidence::{PruneOptions, prune};
/// use tangency::{Config, Fitter, Shape, generate};
///
/// // an s-curve with one false neighbour pair, from end to end of the sheet
/// let curve = generate(Shape::SCurve, 120, 0.0, 1);
/// let (mut edges, _) = curve.neighbor_edges(7);
/// let along = curve.truth.col_as_slice(0);
/// let by_place = |p: &usize, q: &usize| along[*p].total_cmp(&along[*q]);
/// let ends = ((0..120).min_by(by_place).unwrap() as u32, (0..120).max_by(by_place).unwrap() as u32);
/// let false_pair = (ends.0.min(ends.1), ends.0.max(ends.1));
/// edges.push(false_pair);
///
/// let fit = Fitter::new(Config::default()).edges(edges).fit(&curve.points)?;
/// let pruned = prune(&fit, &PruneOptions::default(), &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(pruned.removed.len(), 1);
/// assert_eq!(pruned.removed[0].score.edge, false_pair);
/// assert!(pruned.bound_after > pruned.bound_before + 2.0);
/// # Ok::<(), tangency::Error>(())
/// ```
pub fn prune(
    fit: &Fit,
    options: &PruneOptions,
    observer: &mut dyn FnMut(&PruneProgress) -> ControlFlow<()>,
) -> Result<Pruned> {
    prune_from(fit, None, options, observer)
}

/// The same from the whole posterior of the fit, as [`Fitter::fit_with_posterior`](crate::Fitter::fit_with_posterior)
/// returns it. Without it, or with that of another fit, the posterior is found again from the coordinates of the fit; that
/// takes a run, and may end a little away from where the fit ended, so that bounds differ in their last digits. After a fit
/// with the graph's likelihood edges are judged by the factorised engine: as the weights of that fit, graphs are many and
/// differ by a lot, and the fit on the graph that is left has its own engine again.
pub fn prune_from(
    fit: &Fit,
    posterior: Option<FullPosterior>,
    options: &PruneOptions,
    observer: &mut dyn FnMut(&PruneProgress) -> ControlFlow<()>,
) -> Result<Pruned> {
    options.validate()?;
    let by_independent_points = fit.engine.kind == EngineKind::Factorised || fit.config.graph_likelihood;
    if !by_independent_points {
        let held = if posterior.is_some() { HELD - GIVEN } else { HELD };
        Plan::of_refits(fit).beside(held).check_memory()?;
    }
    let mut pruned = match (posterior.map(|posterior| posterior.0), fit.engine.kind) {
        (Some(OfEngine::Factorised(found)), _) if found.carries_on(fit) => {
            prune_by::<Factorised>(fit, Some(*found), options, observer)
        }
        (Some(OfEngine::Exact(found)), _) if found.carries_on(fit) && !by_independent_points => {
            prune_by::<Exact>(fit, Some(*found), options, observer)
        }
        _ if by_independent_points => prune_by::<Factorised>(fit, None, options, observer),
        _ => prune_by::<Exact>(fit, None, options, observer),
    }?;
    let &PruneOptions { max_removed, min_gain, .. } = options;
    let interrupted = pruned.interrupted;
    pruned.fit.pruning = Some(Pruning { max_removed, min_gain, interrupted });
    if interrupted && pruned.fit.stop != Stop::Collapsed {
        pruned.fit.stop = Stop::Interrupted;
    }
    Ok(pruned)
}

fn prune_by<E: Engine>(
    fit: &Fit,
    found: Option<Hypothesis<E>>,
    options: &PruneOptions,
    observer: &mut dyn FnMut(&PruneProgress) -> ControlFlow<()>,
) -> Result<Pruned> {
    let mut search = Search::<E>::new(fit, found, options, observer)?;
    // of the paper's model and of the engine that searches: others do not compare
    let own_model = !fit.config.graph_likelihood;
    let bound_before = if own_model { fit.bound_scaled() } else { search.best.bound() };
    // a collapsed layout is not one to be beaten
    let own = own_model && fit.stop != Stop::Collapsed;
    let rank_before = if own { bound_before.max(search.best.rank()) } else { search.best.rank() };
    let bridges = search.choose_bridges(&fit.bridges)?;
    let mut rounds = Vec::new();
    while rounds.len() < options.max_rounds && search.round()? {
        rounds.push(Round { removed: search.removed.len(), bound_scaled: search.best.bound() });
    }
    // bridges and all
    let standing = rank_before.max(search.standing);
    let floor = standing + options.min_gain;
    let (mut baseline, mut removed) = (Baseline::default(), Vec::new());
    if !search.removed.is_empty() {
        baseline = search.baseline()?;
        removed = search.short_circuits(&baseline)?;
        search.put_rest_back(&baseline, floor, &mut removed)?;
        search.polish()?;
        // what stayed out by little is tried again in the layout that all the others now have
        search.put_doubtful_back(&baseline, floor, &mut removed)?;
        search.polish()?;
        search.judge_each(&baseline, &mut removed)?;
    }
    let Search { best, progress, asked, .. } = search;
    let taken = bridges.iter().any(|bridge| bridge.taken);
    let higher = best.rank() > if removed.is_empty() { rank_before } else { standing };
    let mut iterations = progress.iterations;
    let as_it_was = |interrupted: bool, bridges: Vec<Bridge>, iterations: usize| Pruned {
        fit: fit.clone(),
        bound_before,
        bound_after: bound_before,
        removed: vec![],
        bridges: untaken(bridges),
        rounds: rounds.clone(),
        baseline,
        iterations,
        interrupted,
    };
    // what was decided by then had not been tried against the rest
    if asked || (removed.is_empty() && !taken) || !higher {
        return Ok(as_it_was(asked, bridges, iterations));
    }
    let bound_before = match removed.is_empty() || standing == f64::NEG_INFINITY {
        true => bound_before,
        false => standing,
    };
    // all by the final layout
    let scores = best.scores(&removed.iter().map(|edge| edge.score.edge).collect::<Vec<_>>());
    let gain_of = |edge| removed.iter().find(|removed| removed.score.edge == edge).map_or(f64::NAN, |found| found.gain);
    let removed: Vec<Removed> = scores.into_iter().map(|score| Removed { score, gain: gain_of(score.edge) }).collect();
    let bound_after = best.bound();
    let mut seen = progress;
    let mut asked = false;
    let mut watch = || {
        seen.iterations += 1;
        let flow = observer(&seen);
        asked |= flow.is_break();
        flow
    };
    let pruned = fit_of(fit, best, &removed, &bridges, &mut watch)?;
    iterations = seen.iterations;
    if asked {
        return Ok(as_it_was(true, bridges, iterations));
    }
    Ok(Pruned {
        fit: pruned,
        bound_before,
        bound_after,
        removed,
        bridges,
        rounds,
        baseline,
        iterations,
        interrupted: false,
    })
}

fn untaken(mut bridges: Vec<Bridge>) -> Vec<Bridge> {
    bridges.iter_mut().for_each(|bridge| bridge.taken = false);
    bridges
}

/// The table of a fit fitted again, as it was, on another graph.
fn again_on(fit: &Fit, graph: Graph, observer: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Fit> {
    let mut prepared = fit.scaled_table().on_graph(graph)?;
    prepared.missing = fit.missing().map(Arc::new);
    let init = if fit.config.init.is_given() { Init::Auto } else { fit.config.init };
    let config = Config { init, engine: fit.engine.kind, ..fit.config.clone() };
    let structure = fit.structure.as_ref().map(FittedStructure::asked).unwrap_or_default();
    let fitter = Fitter::new(config).structure(structure).with_gaps_filled();
    let mut found = fitter.observer(|_: &_| observer()).fit_prepared(&prepared)?;
    (found.config, found.engine.reason) = (fit.config.clone(), fit.engine.reason.clone());
    (found.n_rows, found.rows, found.recall) = (fit.n_rows, fit.rows.clone(), fit.recall);
    Ok(found)
}

/// The fit on the graph that is left.
fn fit_of<E: Engine>(
    fit: &Fit,
    mut best: Hypothesis<E>,
    removed: &[Removed],
    bridges: &[Bridge],
    observer: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Fit> {
    let graph = &best.problem.graph;
    let taken = bridges.iter().filter(|bridge| bridge.taken).map(|bridge| bridge.edge);
    let bridges = fit.bridges.iter().copied().chain(taken).filter(|&edge| graph.has(edge)).collect();
    let data = FittedData { bridges, ..fit.data() };
    let stop = best.stop.unwrap_or(Stop::MaxIterations);
    let start = (fit.start, fit.start_seed);
    let mut pruned = if fit.config.graph_likelihood && stop != Stop::Interrupted {
        again_on(fit, graph.clone(), observer)?
    } else {
        let (mut made, rotated) =
            Fit::new(&best.problem, &fit.config, &data, &mut best.engine, &best.posterior, stop, start)?;
        made.measure(&best.problem, rotated.as_ref(), None)?;
        made
    };
    (pruned.bridges, pruned.dimension, pruned.neighbors) = (data.bridges, data.dimension, data.neighbors);
    pruned.imputed.clone_from(&fit.imputed);
    pruned.views.clone_from(&fit.views);
    pruned.noise_choice = fit.noise_choice;
    pruned.own_edges = fit.own_edges;
    pruned.removed = fit.removed.iter().copied().chain(removed.iter().map(|edge| edge.score.edge)).collect();
    Ok(pruned)
}
