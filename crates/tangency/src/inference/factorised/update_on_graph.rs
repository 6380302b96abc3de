//! The update of q(x) under the graph's own likelihood: covariances of points, then joint means, each step guarded by the
//! bound (docs/derivation.md, eq. 29, 30).

use super::conjugate_gradients::{add, dot, sum};
use super::covariances::Means;
use super::means::{observations, pull_on_coordinates, solve};
use super::moments::{coordinate_moments, log_determinant};
use super::preconditioner::Preconditioner;
use super::stars::Arms;
use super::{Beliefs, Factorised, Sizes};
use crate::error::Result;
use crate::graph::Graph;
use crate::inference::pairs::{Depth, PairField, PairSums, Spreads, packed, place};
use crate::inference::state::State;
use crate::inference::terms::graph::GraphTerm;
use crate::linalg::small::invert;
use crate::model::Problem;
use rayon::prelude::*;
use std::sync::Arc;

/// The curvature of the non-edges along slow waves, as a share of the mean weight of the edges at a point: with it most steps go
/// all their way.
const HELD: f64 = 0.06;
/// Most steps of the means, and lengths that are tried of each.
const STEPS: usize = 6;
const TRIALS: usize = 10;
/// Shares of a length that was too long.
const SHORTEST: f64 = 0.1;
const LONGEST: f64 = 0.5;

impl Factorised {
    /// Improves q(x) given q(C), as far as steps gain `least` nats.
    pub(super) fn update_on_graph(&mut self, problem: &Problem, state: &mut State<Beliefs>, least: f64) -> Result<()> {
        let Some(term) = &mut state.graph else { return Ok(()) };
        term.weigh_edges();
        let known = term.known_curvature();
        let mut field = pair_field(problem, &state.beliefs, self.seed);
        let Some(term) = &state.graph else { return Ok(()) };
        let now = known.unwrap_or_else(|| {
            Arc::new(field.sums(&problem.graph, &term.affinity, &term.sociability, Depth::Curvature))
        });
        let fixed = self.fixed_precisions(problem, state);
        let mut s = std::mem::take(&mut state.beliefs.s);
        let sums = match (state.held, &state.graph) {
            (true, Some(term)) => Ok(Self::covariances_on_graph(problem, term, (&mut field, &mut s), (&fixed, now))),
            _ => self.means_on_graph(problem, state, (&mut field, &mut s), (&fixed, now), least),
        };
        state.beliefs.s = s;
        let sums = sums?;
        state.statistics.coordinates = coordinate_moments(problem, &state.beliefs);
        if let Some(term) = &mut state.graph {
            term.steps = field.steps(&problem.graph);
            term.take(sums);
        }
        Ok(())
    }

    /// S_i⁻¹ without the non-edges. `[n·d_x²]`
    fn fixed_precisions(&self, problem: &Problem, state: &State<Beliefs>) -> Vec<f64> {
        let Sizes { d_x, rows, d_y, .. } = Sizes::of(problem);
        let graph = &problem.graph;
        let means = Means { values: &state.beliefs.c, rows, sign: Arms::Sum };
        let mut fixed = vec![0.0; state.beliefs.s.len()];
        let gamma = state.gamma_of_coordinates();
        if gamma > 0.0 {
            self.star_precisions(problem, gamma, &means, d_y, &state.beliefs.t, &mut fixed);
        }
        let Some(term) = &state.graph else { return fixed };
        fixed.par_chunks_mut(d_x * d_x).enumerate().with_min_len(64).for_each(|(i, block)| {
            let places = graph.first(i)..graph.first(i) + graph.degree(i);
            let weight: f64 = places.map(|place| term.weights[self.edges[place] as usize]).sum();
            for p in 0..d_x * d_x {
                block[p] += term.block(i)[p] + if p / d_x == p % d_x { weight } else { 0.0 };
            }
        });
        fixed
    }

    /// S_i⁻¹ with the curvature of the non-edges as it is now, if that raises the bound; returns the sums over pairs.
    fn covariances_on_graph(
        problem: &Problem,
        term: &GraphTerm,
        (field, s): (&mut PairField, &mut Vec<f64>),
        (fixed, now): (&[f64], Arc<PairSums>),
    ) -> Arc<PairSums> {
        let d_x = problem.n_components;
        let before = height(s, fixed, d_x) - now.expected;
        for share in [1.0, 0.5, 0.0] {
            let tried = bent_covariances(fixed, &now.curvature, share, d_x);
            let old = std::mem::replace(s, tried);
            field.spreads = Spreads::Independent(s.clone());
            let found = field.sums(&problem.graph, &term.affinity, &term.sociability, Depth::Slope);
            if height(s, fixed, d_x) - found.expected >= before {
                return Arc::new(found);
            }
            field.spreads = Spreads::Independent(old.clone());
            *s = old;
        }
        now
    }

    /// The state with covariances that go with the precision of the means, in which non-edges have no part.
    pub(super) fn without_curvature(&self, problem: &Problem, state: &State<Beliefs>) -> Result<State<Beliefs>> {
        let d_x = problem.n_components;
        let mut state = state.clone();
        let mut fixed = self.fixed_precisions(problem, &state);
        fixed.par_chunks_mut(d_x * d_x).for_each(|block| {
            invert(block, d_x);
        });
        state.beliefs.s = fixed;
        Ok(state)
    }

    /// Steps of the means, each shortened until the bound rises; from the sums over pairs before to those after. A step goes to
    /// where the means would rest if the non-edges went on to push as they do, corrected by what the steps before have shown of
    /// how that changes. New covariances are tried together with the first step, since both need the sums over pairs, and by
    /// themselves where the two together are no gain.
    fn means_on_graph(
        &mut self,
        problem: &Problem,
        state: &mut State<Beliefs>,
        (field, s): (&mut PairField, &mut Vec<f64>),
        (fixed, mut sums): (&[f64], Arc<PairSums>),
        least: f64,
    ) -> Result<Arc<PairSums>> {
        let (graph, d_x) = (&problem.graph, problem.n_components);
        let gamma = state.gamma_of_coordinates();
        let mut linear = match gamma > 0.0 {
            true => pull_on_coordinates(problem, &state.beliefs.c, &observations(problem), gamma),
            false => vec![0.0; state.beliefs.x.len()],
        };
        if let Some(pull) = state.graph.as_ref().and_then(GraphTerm::pull) {
            add(&mut linear, 1.0, pull);
        }
        let mut preconditioner = Some(match self.for_coordinates.take().filter(Preconditioner::serves) {
            Some(kept) => kept,
            None => self.precondition_coordinates(problem, state)?,
        });
        let mut x = state.beliefs.x.clone();
        let mut memory = std::mem::take(&mut self.steps_on_graph).from(&x);
        let Some(term) = &state.graph else { return Ok(sums) };
        let apply = |v: &[f64]| self.coordinate_precision(problem, state, v);
        let held = held_by(term, graph);
        let apply_held = |v: &[f64]| {
            let mut image = apply(v);
            add(&mut image, held, v);
            image
        };
        let pairs = |field: &mut PairField, x: &[f64]| -> PairSums {
            field.x.copy_from_slice(x);
            field.sums(graph, &term.affinity, &term.sociability, Depth::Slope)
        };
        let uphill = |image: &[f64], push: &[f64]| -> Vec<f64> {
            linear.iter().zip(image).zip(push).map(|((pull, image), push)| pull - image + push).collect()
        };
        let mut waiting = Some(Waiting::new(fixed, s, &sums, d_x));
        let mut image = apply(&x);
        let mut slope = uphill(&image, &sums.push);
        let mut steps = 0;
        while steps < STEPS {
            let direction = memory.direction(&slope, |right| {
                let mut found = vec![0.0; right.len()];
                if let Some(kept) = preconditioner.take() {
                    preconditioner = Some(solve(apply_held, kept, (&self.laplace, s), right, &mut found, least));
                }
                found
            });
            let image_of_direction = apply(&direction);
            // −½xᵀPx + bᵀx along the direction, and all of the bound
            let rise = dot(&linear, &direction) - dot(&image, &direction);
            let bend = dot(&direction, &image_of_direction);
            let mut whole_rise = dot(&slope, &direction);
            let mut length = 1.0;
            let mut gained = None;
            for _ in 0..TRIALS {
                if whole_rise <= 0.0 {
                    break;
                }
                let mut tried = x.clone();
                add(&mut tried, length, &direction);
                let with = waiting.take();
                if let Some(with) = &with {
                    field.spreads = Spreads::Independent(with.s.clone());
                }
                let next = pairs(field, &tried);
                let mut gain = length * rise - 0.5 * length * length * bend - (next.expected - sums.expected);
                if let Some(with) = with {
                    gain += with.rise - with.expected;
                    if gain > 0.0 {
                        *s = with.s;
                    } else {
                        field.spreads = Spreads::Independent(s.clone());
                        field.x.copy_from_slice(&x);
                        sums = Self::covariances_on_graph(problem, term, (field, s), (fixed, sums));
                        slope = uphill(&image, &sums.push);
                        whole_rise = dot(&slope, &direction);
                    }
                }
                if gain > 0.0 {
                    gained = Some((gain, tried, next));
                    break;
                }
                // where a parabola through what is known has its top
                let top = 0.5 * whole_rise * length / (whole_rise * length - gain);
                length *= top.clamp(SHORTEST, LONGEST);
            }
            steps += 1;
            let Some((gain, there, next)) = gained else {
                if memory.is_empty() {
                    break;
                }
                memory.forget();
                continue;
            };
            add(&mut image, length, &image_of_direction);
            let its_slope = uphill(&image, &next.push);
            let step = direction.iter().map(|value| length * value).collect();
            memory.remember(step, slope.iter().zip(&its_slope).map(|(before, after)| before - after).collect());
            (x, sums, slope) = (there, Arc::new(next), its_slope);
            if gain < least {
                break;
            }
        }
        field.x.copy_from_slice(&x);
        if waiting.is_some() {
            sums = Self::covariances_on_graph(problem, term, (field, s), (fixed, sums));
        }
        (self.for_coordinates, self.steps_on_graph) = (preconditioner, memory.ends(&x));
        state.beliefs.x = x;
        Ok(sums)
    }
}

/// Covariances that wait to be tried with a step of the means.
struct Waiting {
    s: Vec<f64>,
    /// What they gain without the non-edges, in nats.
    rise: f64,
    /// What they gain in all to first order: the slope of the non-edges' part in a covariance is half their curvature.
    expected: f64,
}

impl Waiting {
    fn new(fixed: &[f64], s: &[f64], now: &PairSums, d_x: usize) -> Self {
        let found = bent_covariances(fixed, &now.curvature, 1.0, d_x);
        let rise = height(&found, fixed, d_x) - height(s, fixed, d_x);
        let (size, count) = (d_x * d_x, packed(d_x));
        let lost = sum(s.len() / size, |i| {
            let change = |p: usize| found[i * size + p] - s[i * size + p];
            let bent = |p: usize| now.curvature[i * count + place((p / d_x).max(p % d_x), (p / d_x).min(p % d_x))];
            (0..size).map(|p| 0.5 * bent(p) * change(p)).sum()
        });
        Self { s: found, rise, expected: (rise - lost).max(0.0) }
    }
}

/// ½ log|S_i| − ½ tr(P_i S_i) over all points: what the bound has of covariances but for the non-edges.
fn height(s: &[f64], fixed: &[f64], d_x: usize) -> f64 {
    let size = d_x * d_x;
    let energy = sum(s.len() / size, |i| (i * size..(i + 1) * size).map(|p| fixed[p] * s[p]).sum());
    0.5 * log_determinant(s, d_x) - 0.5 * energy
}

/// (P_i + a share of the non-edges' curvature)⁻¹ of every point, a smaller share where that is not positive definite.
fn bent_covariances(fixed: &[f64], curvature: &[f64], share: f64, d_x: usize) -> Vec<f64> {
    let size = d_x * d_x;
    let mut found = fixed.to_vec();
    found.par_chunks_mut(size).enumerate().with_min_len(64).for_each(|(i, block)| {
        let alone = &fixed[i * size..(i + 1) * size];
        let mut share = share;
        loop {
            for p in 0..size {
                let (a, b) = (p / d_x, p % d_x);
                let bent = curvature[i * packed(d_x) + place(a.max(b), a.min(b))];
                block[p] = alone[p] + share * bent;
            }
            // without the non-edges it is always positive definite
            if invert(block, d_x).is_some() || share == 0.0 {
                break;
            }
            share = if share > 0.1 { 0.5 * share } else { 0.0 };
        }
    });
    found
}

/// What stands for the curvature of the non-edges in a step of the means: along slow waves through the points, which edges hardly
/// hold, it is that of the non-edges that ends a step.
pub(super) fn held_by(term: &GraphTerm, graph: &Graph) -> f64 {
    HELD * 2.0 * term.weights.iter().sum::<f64>() / graph.n() as f64
}

/// The points as this engine believes them to be.
pub(super) fn pair_field(problem: &Problem, beliefs: &Beliefs, seed: u64) -> PairField {
    PairField::independent(&problem.graph, beliefs.x.clone(), beliefs.s.clone(), seed)
}
