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
        if let Some(term) = &mut state.graph {
            term.weigh_edges();
        }
        let mut field = pair_field(problem, &state.beliefs, self.seed);
        let Some(sums) = self.covariances_on_graph(problem, state, &mut field) else { return Ok(()) };
        let sums = self.means_on_graph(problem, state, &mut field, sums, least)?;
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

    /// S_i⁻¹ with the curvature of the non-edges at the present q(x), if that raises the bound; returns the sums over pairs.
    fn covariances_on_graph(
        &self,
        problem: &Problem,
        state: &mut State<Beliefs>,
        field: &mut PairField,
    ) -> Option<PairSums> {
        let Sizes { n, d_x, .. } = Sizes::of(problem);
        let (graph, size) = (&problem.graph, d_x * d_x);
        let fixed = self.fixed_precisions(problem, state);
        let term = state.graph.as_ref()?;
        let sums = |field: &PairField, depth| field.sums(graph, &term.affinity, &term.sociability, depth);
        let height = |s: &[f64], expected: f64| {
            let energy = sum(n, |i| (i * size..(i + 1) * size).map(|p| fixed[p] * s[p]).sum());
            0.5 * log_determinant(s, d_x) - 0.5 * energy - expected
        };
        let now = sums(field, Depth::Curvature);
        let before = height(&state.beliefs.s, now.expected);
        for share in [1.0, 0.5, 0.0] {
            let mut tried = fixed.clone();
            tried.par_chunks_mut(size).enumerate().with_min_len(64).for_each(|(i, block)| {
                let alone = block.to_vec();
                let mut share = share;
                loop {
                    for p in 0..size {
                        let (a, b) = (p / d_x, p % d_x);
                        let bent = now.curvature[i * packed(d_x) + place(a.max(b), a.min(b))];
                        block[p] = alone[p] + share * bent;
                    }
                    // without the non-edges it is always positive definite
                    if invert(block, d_x).is_some() || share == 0.0 {
                        break;
                    }
                    share = if share > 0.1 { 0.5 * share } else { 0.0 };
                }
            });
            let old = std::mem::replace(&mut state.beliefs.s, tried);
            field.spreads = Spreads::Independent(state.beliefs.s.clone());
            let found = sums(field, Depth::Slope);
            if height(&state.beliefs.s, found.expected) >= before {
                return Some(found);
            }
            field.spreads = Spreads::Independent(old.clone());
            state.beliefs.s = old;
        }
        Some(now)
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
    /// how that changes.
    fn means_on_graph(
        &mut self,
        problem: &Problem,
        state: &mut State<Beliefs>,
        field: &mut PairField,
        mut sums: PairSums,
        least: f64,
    ) -> Result<PairSums> {
        let graph = &problem.graph;
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
        let mut image = apply(&x);
        let mut slope = uphill(&image, &sums.push);
        let mut steps = 0;
        while steps < STEPS {
            let direction = memory.direction(&slope, |right| {
                let mut found = vec![0.0; right.len()];
                if let Some(kept) = preconditioner.take() {
                    preconditioner =
                        Some(solve(apply_held, kept, (&self.laplace, &state.beliefs.s), right, &mut found, least));
                }
                found
            });
            let image_of_direction = apply(&direction);
            // −½xᵀPx + bᵀx along the direction, and all of the bound
            let rise = dot(&linear, &direction) - dot(&image, &direction);
            let bend = dot(&direction, &image_of_direction);
            let whole_rise = dot(&slope, &direction);
            let mut length = 1.0;
            let mut gained = None;
            for _ in 0..TRIALS {
                if whole_rise <= 0.0 {
                    break;
                }
                let mut tried = x.clone();
                add(&mut tried, length, &direction);
                let next = pairs(field, &tried);
                let gain = length * rise - 0.5 * length * length * bend - (next.expected - sums.expected);
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
            (x, sums, slope) = (there, next, its_slope);
            if gain < least {
                break;
            }
        }
        field.x.copy_from_slice(&x);
        (self.for_coordinates, self.steps_on_graph) = (preconditioner, memory.ends(&x));
        state.beliefs.x = x;
        Ok(sums)
    }
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
