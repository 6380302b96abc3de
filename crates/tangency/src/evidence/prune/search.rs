//! The search for the graph that the bound likes best.

use super::{Baseline, PruneOptions, PruneProgress, PruneStep, Removed};
use crate::config::Config;
use crate::error::Result;
use crate::evidence::hypothesis::StartFrom;
use crate::evidence::scores::{EdgeScore, least_gain};
use crate::fit::{Fit, Hypothesis};
use crate::graph::{Graph, joining_edges};
use crate::inference::{Engine, Stage, TracePoint, derived_seed};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Smallest batch by resistance and length alone.
const BLUNT: usize = 4;
/// Iterations that a trial of a batch climbs.
const TRIAL: usize = 5;
/// Iterations that putting one edge back is tried for.
const SINGLE: usize = 6;
/// Iterations that putting several back is tried for.
const GROUP: usize = 15;
/// Random good edges of one sample of the baseline.
const SAMPLE: usize = 24;
/// Samples of the baseline.
const SAMPLES: usize = 3;
/// In a group each edge may gain this part of the least gain. Removing the longest good edges gains a little each, which
/// together must not be taken for a short-circuit.
const SHARE: f64 = 0.25;
/// So many edges in a row of no consequence end the search for short-circuits one by one.
const IN_A_ROW: usize = 5;
/// Above this gain, in nats, a removed edge is beyond doubt.
const CLEAR: f64 = 20.0;

pub(super) type PruneObserver<'a> = dyn FnMut(&PruneProgress) -> ControlFlow<()> + 'a;

type EdgeList = Vec<(u32, u32)>;

/// The state of the search.
pub(super) struct Search<'a, E: Engine> {
    /// The graph given, with the bridges that were chosen.
    pub graph: Graph,
    pub config: Config,
    pub min_gain: f64,
    /// Most edges to remove.
    most: usize,
    pub best: Hypothesis<E>,
    /// What `best` is without, of the graph given.
    pub removed: Vec<(u32, u32)>,
    /// By what the graph given ranks, bridges and all, from where its own bound is highest.
    pub standing: f64,
    /// Whether an edge was found that alone is worth its removal.
    found: bool,
    pub progress: PruneProgress,
    /// The observer asked to end.
    pub asked: bool,
    observer: &'a mut PruneObserver<'a>,
}

impl<'a, E: Engine> Search<'a, E> {
    /// A search that begins with what the fit found, or finds it again.
    pub fn new(
        fit: &Fit,
        found: Option<Hypothesis<E>>,
        options: &PruneOptions,
        observer: &'a mut PruneObserver<'a>,
    ) -> Result<Self> {
        let bound = fit.highest_bound_scaled();
        let mut progress = PruneProgress { step: PruneStep::Preparing, removed: 0, best: bound, iterations: 0 };
        let mut asked = false;
        let best = match found {
            Some(found) => found,
            None => Hypothesis::of_fit(fit, &mut watch(&mut progress, &mut asked, observer))?,
        };
        let edges = fit.graph.edges().len();
        Ok(Self {
            graph: fit.graph.clone(),
            config: fit.config_of_hypotheses(),
            min_gain: options.min_gain,
            most: options.max_removed.unwrap_or(edges / 10).min(edges),
            best,
            removed: vec![],
            standing: f64::NEG_INFINITY,
            found: false,
            progress,
            asked,
            observer,
        })
    }

    /// Ranks all edges by the current layout, tries to do without the first few for several numbers of them, and keeps
    /// the best if it raises the bound. An edge that a better layout no longer suspects comes back by itself.
    pub fn round(&mut self) -> Result<bool> {
        if self.asked {
            return Ok(false);
        }
        self.progress.step = match self.progress.step {
            PruneStep::Removing(round) => PruneStep::Removing(round + 1),
            _ => PruneStep::Removing(1),
        };
        if self.progress.step == PruneStep::Removing(1) {
            self.give_same_chance()?;
        }
        let scores = self.best.scores(self.graph.edges());
        let now = self.removed.len();
        let batches: Vec<Vec<(u32, u32)>> = if now == 0 {
            let by_length = by_length(scores.clone());
            let sharp = batch_sizes(self.most).map(|size| &scores[..size]);
            let blunt = batch_sizes(self.most).filter(|&size| size >= BLUNT).map(|size| &by_length[..size]);
            sharp.chain(blunt).map(|batch| self.without(batch)).collect()
        } else {
            [now / 2, now, 2 * now].iter().map(|&size| self.without(&scores[..size.min(self.most)])).collect()
        };
        let mut leader: Option<(Hypothesis<E>, EdgeList)> = None;
        let mut tried: Vec<Vec<(u32, u32)>> = vec![self.removed.clone(), vec![]];
        for out in batches {
            if self.asked || tried.contains(&out) {
                continue;
            }
            let trial = self.refit(&out, StartFrom::Paths, Some(TRIAL))?;
            if leader.as_ref().is_none_or(|(leader, _)| trial.rank() > leader.rank()) {
                leader = Some((trial, out.clone()));
            }
            tried.push(out);
        }
        let Some((trial, out)) = leader.filter(|_| !self.asked) else { return Ok(false) };
        self.progress.removed = out.len();
        let Self { progress, asked, observer, config, .. } = self;
        let ended = trial.converged(config, &mut watch(progress, asked, *observer))?;
        if self.asked || ended.rank() < self.best.rank() + self.min_gain {
            return Ok(false);
        }
        (self.best, self.removed) = (ended, out);
        self.progress.best = self.best.bound();
        Ok(true)
    }

    /// Graphs without some edges begin from the paths along them, and so must the graph given: otherwise another layout would be
    /// taken for what edges are worth.
    fn give_same_chance(&mut self) -> Result<()> {
        let again = self.refit(&[], StartFrom::Paths, None)?;
        if !self.asked && again.rank() > self.best.rank() {
            self.best = again;
            self.progress.best = self.best.bound();
        }
        self.standing = self.best.rank();
        Ok(())
    }

    /// What random good edges gain: samples of the less suspect half are removed in turn.
    pub fn baseline(&mut self) -> Result<Baseline> {
        self.progress.step = PruneStep::Baseline;
        let scores = self.best.scores(self.best.problem.graph.edges());
        let good: Vec<(u32, u32)> = scores[scores.len() / 2..].iter().map(|score| score.edge).collect();
        let mut gains: Vec<(f64, f64)> = Vec::new();
        for sample in 0..SAMPLES {
            let mut rng = ChaCha8Rng::seed_from_u64(derived_seed(self.config.random_state, sample));
            let mut drawn: Vec<(u32, u32)> = good.sample(&mut rng, SAMPLE).copied().collect();
            let joining = joining_edges(&self.best.problem.graph.with_changes(&drawn, &[]), drawn.iter().copied());
            drawn.retain(|edge| !joining.contains(edge));
            if drawn.is_empty() || self.asked {
                continue;
            }
            let trial = self.refit(&[&self.removed[..], &drawn].concat(), StartFrom::Posterior, Some(SINGLE))?;
            gains.push((trial.bound() - self.best.bound(), drawn.len() as f64));
        }
        let count: f64 = gains.iter().map(|(_, count)| count).sum();
        let mean = gains.iter().map(|(gain, _)| gain).fold(0.0, |sum, gain| sum + gain) / count.max(1.0);
        // a sample of m edges varies as m independent ones do
        let squares: f64 = gains.iter().map(|(gain, m)| (gain - mean * m).powi(2) / m).sum();
        let deviation = (squares / (gains.len().max(2) - 1) as f64).sqrt();
        Ok(Baseline { mean, deviation, samples: gains.len() })
    }

    /// The edges that the bound wants out one by one, tried the most suspect first, until several in a row are of no
    /// consequence.
    pub fn short_circuits(&mut self, baseline: &Baseline) -> Result<Vec<Removed>> {
        self.progress.step = PruneStep::Restoring;
        let (mut found, mut in_a_row) = (Vec::new(), 0);
        for score in self.best.scores(&self.removed) {
            let (gain, _) = self.put_back(&[score.edge])?;
            if self.asked {
                break;
            }
            if gain > self.least(1, baseline) {
                found.push(Removed { score, gain });
                in_a_row = 0;
            } else {
                in_a_row += 1;
            }
            if in_a_row == IN_A_ROW {
                break;
            }
        }
        self.found = !found.is_empty();
        Ok(found)
    }

    /// Puts all removed edges but these back, in groups, the least suspect first; adds those that the bound resists.
    pub fn put_rest_back(&mut self, baseline: &Baseline, floor: f64, out: &mut Vec<Removed>) -> Result<()> {
        let found = self.found;
        let open: Vec<(u32, u32)> =
            self.removed.iter().filter(|edge| !out.iter().any(|out| out.score.edge == **edge)).copied().collect();
        let mut rest = self.best.scores(&open);
        rest.reverse();
        // groups still to try as (first, end), the next one last
        let mut groups = vec![(0, rest.len())];
        while let Some((first, end)) = groups.pop().filter(|(first, end)| first < end) {
            let group = &rest[first..end];
            let back: Vec<(u32, u32)> = group.iter().map(|score| score.edge).collect();
            let tried = if self.asked { None } else { Some(self.put_back(&back)?) };
            let Some((gain, trial)) = tried.filter(|_| !self.asked) else {
                out.extend(group.iter().map(|&score| Removed { score, gain: f64::NAN }));
                continue;
            };
            // where there are short-circuits, the graph left must still be better than the one given
            let above = !found || trial.bound() >= floor;
            if gain <= self.least(group.len(), baseline) && above {
                self.removed.retain(|edge| !back.contains(edge));
                self.best = trial;
            } else if let &[score] = group {
                out.push(Removed { score, gain });
            } else {
                let middle = first + group.len() / 2;
                groups.extend([(middle, end), (first, middle)]);
            }
        }
        out.sort_by(|a, b| b.score.score.total_cmp(&a.score.score));
        Ok(())
    }

    /// Tries once more to put back what stayed out by little, or no longer stands out in the layout there is now.
    pub fn put_doubtful_back(&mut self, baseline: &Baseline, floor: f64, out: &mut Vec<Removed>) -> Result<()> {
        if self.asked {
            return Ok(());
        }
        let kept = self.best.scores(self.best.problem.graph.edges());
        let worst = kept.first().map_or(0.0, |score| score.score);
        let now = self.best.scores(&self.removed);
        let stands_out = |edge| now.iter().any(|score| score.edge == edge && score.score > worst);
        out.retain(|edge| edge.gain > CLEAR && stands_out(edge.score.edge));
        self.put_rest_back(baseline, floor, out)
    }

    /// Judges every edge that stayed out by itself, on the graph that is left: those that gain less than the least go back, all
    /// of them at once, until the others stand by what is said of them.
    pub fn judge_each(&mut self, baseline: &Baseline, out: &mut Vec<Removed>) -> Result<()> {
        while !out.is_empty() {
            for removed in &mut *out {
                removed.gain = self.put_back(&[removed.score.edge])?.0;
                if self.asked {
                    return Ok(());
                }
            }
            let least = self.least(1, baseline);
            let (stay, back): (Vec<Removed>, Vec<Removed>) = out.iter().partition(|removed| removed.gain > least);
            if back.is_empty() {
                return Ok(());
            }
            let back: Vec<(u32, u32)> = back.iter().map(|removed| removed.score.edge).collect();
            self.best = self.put_back(&back)?.1;
            self.removed.retain(|edge| !back.contains(edge));
            *out = stay;
            self.polish()?;
        }
        Ok(())
    }

    /// Goes to the end on the graph that is left, from here and from the paths along it, and keeps the better.
    pub fn polish(&mut self) -> Result<()> {
        let out = self.removed.clone();
        for from in [StartFrom::Posterior, StartFrom::Paths] {
            if self.asked {
                break;
            }
            let ended = self.refit(&out, from, None)?;
            // a trial that was kept has no end yet
            let first = self.best.stop.is_none() && ended.rank().is_finite();
            if first || ended.rank() > self.best.rank() {
                self.best = ended;
            }
        }
        self.progress.best = self.best.bound();
        Ok(())
    }

    /// What it costs to have these edges back, and the graph with them.
    fn put_back(&mut self, back: &[(u32, u32)]) -> Result<(f64, Hypothesis<E>)> {
        let out: Vec<(u32, u32)> = self.removed.iter().filter(|edge| !back.contains(edge)).copied().collect();
        let trial = self.refit(&out, StartFrom::Posterior, Some(if back.len() == 1 { SINGLE } else { GROUP }))?;
        Ok((self.best.bound() - trial.rank(), trial))
    }

    /// The least gain of so many edges that speaks for their removal.
    fn least(&self, count: usize, baseline: &Baseline) -> f64 {
        let count = count as f64;
        let chance = count * baseline.mean.max(0.0) + 3.0 * count.sqrt() * baseline.deviation;
        // the most suspect of m edges was picked, so the evidence must also make up for odds of 1 to m
        least_gain(self.min_gain, self.graph.edges().len()) + chance.max(SHARE * self.min_gain * (count - 1.0))
    }

    /// These edges, less those without which the graph would fall apart: of them the least suspect stay.
    fn without(&self, scores: &[EdgeScore]) -> Vec<(u32, u32)> {
        let mut out: Vec<(u32, u32)> = scores.iter().map(|score| score.edge).collect();
        let left = self.graph.with_changes(&out, &[]);
        let joining = joining_edges(&left, out.iter().rev().copied());
        out.retain(|edge| !joining.contains(edge));
        out.sort_unstable();
        out
    }

    fn refit(&mut self, out: &[(u32, u32)], from: StartFrom, climb: Option<usize>) -> Result<Hypothesis<E>> {
        self.progress.removed = out.len();
        self.refit_on(self.graph.with_changes(out, &[]), from, climb)
    }

    pub fn refit_on(&mut self, graph: Graph, from: StartFrom, climb: Option<usize>) -> Result<Hypothesis<E>> {
        let Self { best, config, progress, asked, observer, .. } = self;
        best.on_graph(graph, from, config, climb, &mut watch(progress, asked, *observer))
    }
}

/// By R_e times length: an edge that is long and has little beside it. Blunt, but it needs no layout, and many
/// short-circuits together fold the layout until they fit it.
fn by_length(mut scores: Vec<EdgeScore>) -> Vec<EdgeScore> {
    let key = |score: &EdgeScore| score.resistance * score.length;
    scores.sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.edge.cmp(&b.edge)));
    scores
}

/// Numbers of edges to try: doubling up to the most.
fn batch_sizes(most: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1usize), |size| Some(2 * size)).take_while(move |&size| size < most).chain([most])
}

/// Counts iterations and passes them on.
fn watch<'w>(
    progress: &'w mut PruneProgress,
    asked: &'w mut bool,
    observer: &'w mut PruneObserver,
) -> impl FnMut(&TracePoint, Stage) -> ControlFlow<()> + 'w {
    move |_, _| {
        progress.iterations += 1;
        let flow = observer(progress);
        *asked |= flow.is_break();
        flow
    }
}
