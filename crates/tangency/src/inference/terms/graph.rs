//! The graph's own likelihood: G_ij ~ Poisson(ρ_iρ_j h(|x_i − x_j|²)), with x_i ~ N(0, A⁻¹) (docs/derivation.md, eq. 27–31).
//!
//! The edges are the paper's prior of the coordinates, with weights; what is new are the pairs that are no edges, which keep
//! points apart that are no neighbours.

use super::structure::StructureTerm;
use crate::graph::Graph;
use crate::inference::moments::CoordinateMoments;
use crate::inference::pairs::{Depth, PairField, PairSums};
use crate::linalg::{Matrix, columns_times, dot, small, symmetric_eigen};
use crate::model::{Affinity, Hyperparameters, Problem};
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// The largest entry of A, where a component is switched off for every purpose.
const LARGEST_PRECISION: f64 = 1e9;
/// The same while the features hardly count: the graph alone would switch off components that they need, and what is switched
/// off does not come back. It leaves room for an edge.
const LARGEST_OF_GRAPH: f64 = 1.0;
/// A before it is learned, where edges are about 1 long.
const FIRST_PRECISION: f64 = 1e-3;
/// Shapes of h that are tried, as 1/b.
const HEAVINESSES: [f64; 7] = [0.0, 0.15, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.8, 1.0];
/// The one that a run begins with which learns it.
pub const FIRST_HEAVINESS: f64 = 0.5;
/// Factors of squared coordinates that are tried.
const SCALES: [f64; 13] = [-0.7, -0.45, -0.3, -0.2, -0.1, -0.04, 0.0, 0.04, 0.1, 0.2, 0.3, 0.45, 0.7];
/// Edges that a shape is tried on.
const TRIED_EDGES: usize = 2000;
/// ν at most this share of λ·(mean degree).
pub const LARGEST_NU: f64 = 0.06;

/// Most steps of ρ in an iteration where all pairs are held; where each step is a sum over all of them there is one.
const BALANCINGS: usize = 30;
/// ρ is balanced when no factor is farther from 1 than this.
const BALANCED: f64 = 1e-3;

/// The parts of the graph's likelihood that are learned, and what the bound needs of q(x) for it.
#[derive(Clone)]
pub struct GraphTerm {
    /// A, the precision of each point's coordinates. `[d_x²]`
    pub precision: Vec<f64>,
    /// ρ: how readily each point has neighbours. `[n]`
    pub sociability: Vec<f64>,
    /// h.
    pub affinity: Affinity,
    /// How much each edge counts, in the order of the graph's edges.
    pub counts: Arc<Vec<f64>>,
    /// Counts of the edges at each point.
    pub degrees: Arc<Vec<f64>>,
    /// β: the weight of the features against the graph.
    pub feature_weight: f64,
    /// E|x_i − x_j|² of each edge, as of the last update.
    pub steps: Vec<f64>,
    /// Weight of each edge in the precision of the coordinates, as of the last update.
    pub weights: Vec<f64>,
    /// Σ_{i<j} ρ_iρ_j E h as of the last update.
    pub expected: f64,
    /// Its standard error where it was sampled.
    pub error: f64,
    /// The sums over pairs with the present ρ, h and q(x), where they have just been found.
    known: Option<Arc<PairSums>>,
    /// The structure within the manifold, where something is known of it: then A is the precision of points of which nothing is.
    pub structure: Option<Box<StructureTerm>>,
}

impl GraphTerm {
    /// The term before anything is known but where points are: edges count as given.
    pub fn new(graph: &Graph, d_x: usize, counts: Arc<Vec<f64>>, feature_weight: f64, heaviness: f64) -> Self {
        let n = graph.n();
        let degrees = degrees(graph, &counts);
        // a cloud of n points about a unit apart, or a long curve of them
        let reach = (n as f64).powf((2.0 / d_x as f64).min(1.5));
        Self {
            precision: identity(d_x, FIRST_PRECISION),
            sociability: degrees.iter().map(|degree| (degree / 10.0).max(1e-6).sqrt()).collect(),
            affinity: Affinity::new(heaviness, reach),
            counts,
            degrees: Arc::new(degrees),
            feature_weight,
            steps: vec![1.0; graph.edges().len()],
            weights: vec![2.0; graph.edges().len()],
            expected: 0.0,
            error: 0.0,
            known: None,
            structure: None,
        }
    }

    /// The term with what is known of the coordinates of these points.
    pub fn with_structure(mut self, problem: &Problem) -> Self {
        let (n, d_x) = (problem.n(), self.d_x());
        let made = problem.structure.as_ref().map(|known| StructureTerm::new(known, n, d_x, &self.precision));
        self.structure = made.map(Box::new);
        self
    }

    fn d_x(&self) -> usize {
        self.precision.len().isqrt()
    }

    /// Whether the features have no weight: coordinates are then those of the graph alone.
    pub fn is_alone(&self) -> bool {
        self.feature_weight == 0.0
    }

    /// Entry of A.
    pub fn own(&self, a: usize, b: usize) -> f64 {
        self.precision[a * self.d_x() + b]
    }

    /// The precision of a point by itself: A, or that of its structure.
    pub fn block(&self, i: usize) -> &[f64] {
        self.structure.as_ref().map_or(&self.precision, |structure| structure.block(i))
    }

    /// Its mean over all points on the diagonal, for component a.
    pub fn mean_own(&self, a: usize) -> f64 {
        let (d_x, n) = (self.d_x(), self.sociability.len());
        match &self.structure {
            None => self.own(a, a),
            Some(structure) => (0..n).map(|i| structure.block(i)[a * d_x + a]).sum::<f64>() / n as f64,
        }
    }

    /// What pulls each point towards where its structure has it. `[n·d_x]`
    pub fn pull(&self) -> Option<&[f64]> {
        self.structure.as_ref().map(|structure| &structure.linear[..])
    }

    /// Learns the structure within the manifold at these coordinates.
    pub fn learn_structure(&mut self, of_x: &CoordinateMoments) {
        if let Some(structure) = &mut self.structure {
            structure.learn(of_x, &self.precision);
        }
    }

    /// Weighs each edge in the precision of the coordinates by the tangent of log h, which is a bound.
    pub fn weigh_edges(&mut self) {
        let weight = |(&step, &count): (&f64, &f64)| 2.0 * count * self.affinity.log_and_slope(step).1;
        self.weights = self.steps.par_iter().zip(self.counts.par_iter()).map(weight).collect();
    }

    /// The part of the bound: E log p(G | x).
    pub fn part(&self, graph: &Graph) -> f64 {
        let rho: Vec<f64> = self.sociability.iter().map(|rho| rho.ln()).collect();
        let of_edge = |(&(i, j), (&step, &count)): (&(u32, u32), (&f64, &f64))| {
            count * (rho[i as usize] + rho[j as usize] + self.affinity.log(step))
        };
        let edges = graph.edges().par_iter().zip(self.steps.par_iter().zip(self.counts.par_iter()));
        edges.map(of_edge).collect::<Vec<f64>>().iter().sum::<f64>() - self.expected
    }

    /// −KL(q(x) ‖ N(0, A⁻¹)). Where common shifts are held apart q(x) has the prior's own variance there.
    pub fn coordinate_part(&self, of_x: &CoordinateMoments) -> f64 {
        if let Some(structure) = &self.structure {
            return structure.part(of_x, &self.precision);
        }
        let d_x = self.d_x();
        let each = of_x.directions / d_x as f64;
        0.5 * of_x.log_det + 0.5 * each * self.log_det() - 0.5 * self.energy(of_x) + 0.5 * of_x.directions
    }

    /// Σ_i tr(A ⟨x_i x_iᵀ⟩), or with the precisions that points have by their structure.
    pub fn energy(&self, of_x: &CoordinateMoments) -> f64 {
        if let Some(structure) = &self.structure {
            return structure.energy(of_x);
        }
        let d_x = self.d_x();
        (0..d_x * d_x).map(|p| self.precision[p] * of_x.square[(p / d_x, p % d_x)]).sum()
    }

    fn log_det(&self) -> f64 {
        small::invert(&mut self.precision.clone(), self.d_x()).unwrap_or(f64::NAN)
    }

    /// The best A, no entry of it beyond what can be told from infinity.
    pub fn learn_precision(&mut self, of_x: &CoordinateMoments) {
        let d_x = self.d_x();
        let (square, each) = match &self.structure {
            None => (Cow::Borrowed(&of_x.square), of_x.directions / d_x as f64),
            Some(structure) => {
                let (square, each) = structure.square(of_x);
                (Cow::Owned(Matrix::from_fn(d_x, d_x, |a, b| square[a * d_x + b])), each)
            }
        };
        let Ok((values, vectors)) = symmetric_eigen(&square, "scatter of the coordinates") else { return };
        let largest = if self.feature_weight < 1.0 { LARGEST_OF_GRAPH } else { LARGEST_PRECISION };
        let precision = |c: usize| (each / values[c].max(f64::MIN_POSITIVE)).min(largest);
        self.precision = (0..d_x * d_x)
            .map(|p| (0..d_x).map(|c| vectors[(p / d_x, c)] * precision(c) * vectors[(p % d_x, c)]).sum())
            .collect();
    }

    /// One step of ρ towards ρ_i Σ_j ρ_j E h_ij = deg_i from what the points have around them, which can only raise the
    /// bound; returns how far the balance was, the largest |log| of a factor.
    pub fn balance(&mut self, around: &[f64]) -> f64 {
        let mut farthest = 0.0f64;
        for ((rho, around), degree) in self.sociability.iter_mut().zip(around).zip(self.degrees.iter()) {
            let factor = (degree / (*rho * around.max(1e-300))).sqrt().clamp(1e-3, 1e3);
            farthest = farthest.max(factor.ln().abs());
            *rho *= factor;
        }
        farthest
    }

    /// What was found of the pairs with the present ρ.
    pub fn take(&mut self, sums: impl Into<Arc<PairSums>>) {
        let sums = sums.into();
        (self.expected, self.error, self.known) = (sums.expected, sums.error, Some(sums));
    }

    /// What is known of the pairs with slopes and curvatures, if nothing has changed since it was found.
    pub fn known_curvature(&mut self) -> Option<Arc<PairSums>> {
        self.known.take().filter(|known| !known.curvature.is_empty())
    }

    /// With this h, the coordinates in other units: x → t·x.
    pub fn reshaped(&self, affinity: Affinity, t: f64) -> Self {
        let mut term = Self { affinity, known: None, ..self.clone() };
        term.steps.iter_mut().for_each(|step| *step *= t * t);
        term.precision.iter_mut().for_each(|entry| *entry /= t * t);
        term.structure.iter_mut().for_each(|structure| structure.rescale(t));
        term
    }

    /// The shape of h and the scale t of x → t·x that seem best: `sums` has Σ ρ_iρ_j E e^(−s|x_i − x_j|²) for the rates of
    /// [`GraphTerm::rates`]. ρ is taken to follow by one factor.
    pub fn propose(&self, sums: &[f64], learned: bool) -> (Affinity, f64) {
        let logs: Vec<f64> = sums.iter().map(|sum| sum.max(1e-300).ln()).collect();
        let first = self.rates()[0].ln();
        // log of the sum at a rate between those of the list
        let between = |log_rate: f64| {
            let place = (log_rate - first).clamp(0.0, (logs.len() - 1) as f64);
            let low = (place.floor() as usize).min(logs.len() - 2);
            let share = place - low as f64;
            let at = |k: i64| logs[(low as i64 + k).clamp(0, logs.len() as i64 - 1) as usize];
            // through four points
            let (p, q, r, s) = (at(-1), at(0), at(1), at(2));
            q + 0.5 * share * (r - p + share * (2.0 * p - 5.0 * q + 4.0 * r - s + share * (3.0 * (q - r) + s - p)))
        };
        let every = self.steps.len().div_ceil(TRIED_EDGES).max(1);
        let total: f64 = self.counts.iter().sum();
        let tried: f64 = self.counts.iter().step_by(every).sum();
        let height = |affinity: &Affinity, log_scale: f64| {
            let expected: f64 =
                affinity.parts.iter().map(|(s, weight)| weight * between(s.ln() + log_scale).exp()).sum();
            let factor = log_scale.exp();
            let of_edge = |e: usize| self.counts[e] * affinity.log(factor * self.steps[e]);
            let chosen: Vec<usize> = (0..self.steps.len()).step_by(every).collect();
            let edges: f64 = chosen.par_iter().map(|&e| of_edge(e)).collect::<Vec<f64>>().iter().sum();
            edges * total / tried - total * expected.ln()
        };
        let best_scale = |affinity: &Affinity| {
            SCALES.iter().map(|&scale| (height(affinity, scale), scale)).fold((f64::NEG_INFINITY, 0.0), highest)
        };
        let (mut best, mut scale) = best_scale(&self.affinity);
        let mut found = self.affinity.clone();
        if learned {
            let reach = self.reach();
            let place = HEAVINESSES.iter().position(|h| (h - found.heaviness).abs() < 1e-9).unwrap_or(3);
            for near in [place.wrapping_sub(1), place + 1] {
                let Some(&heaviness) = HEAVINESSES.get(near) else { continue };
                let other = Affinity::new(heaviness, reach);
                let (height, its_scale) = best_scale(&other);
                if height > best {
                    (best, scale, found) = (height, its_scale, other);
                }
            }
        }
        (found, (0.5 * scale).exp())
    }

    /// Rates at which sums are wanted, each e times the one before, a little beyond those of h on both sides.
    pub fn rates(&self) -> Vec<f64> {
        let smallest = -((8.0 * self.reach()).ln().ceil() as i32);
        (smallest - 1..=3).map(|power| f64::from(power).exp()).collect()
    }

    fn reach(&self) -> f64 {
        (self.sociability.len() as f64).powf((2.0 / self.d_x() as f64).min(1.5))
    }
}

/// ρ in balance with what points have around them, as far as that is cheap. Where sums over pairs are found anew for that, it is to
/// this depth, which an update that follows need not find again.
pub fn balance(term: &mut GraphTerm, field: &PairField, graph: &Graph, depth: Depth) {
    match field.affinities(graph, &term.affinity) {
        Some(affinities) => {
            let mut around = columns_times(&affinities, &term.sociability);
            for _ in 0..BALANCINGS {
                let farthest = term.balance(&around);
                around = columns_times(&affinities, &term.sociability);
                if farthest < BALANCED {
                    break;
                }
            }
            term.expected = 0.5 * dot(&around, &term.sociability);
            term.known = None;
        }
        None => {
            let sums = |term: &GraphTerm, depth| field.sums(graph, &term.affinity, &term.sociability, depth);
            let known = term.known.take().unwrap_or_else(|| Arc::new(sums(term, Depth::Value)));
            term.balance(&known.around);
            drop(known);
            term.take(sums(term, depth));
        }
    }
}

fn highest(best: (f64, f64), next: (f64, f64)) -> (f64, f64) {
    if next.0 > best.0 { next } else { best }
}

/// The largest ν/λ.
pub fn largest_ratio(problem: &Problem) -> f64 {
    LARGEST_NU * 2.0 * problem.graph.edges().len() as f64 / problem.n() as f64
}

/// Hyper-parameters whose ν is not too large.
pub fn capped(problem: &Problem, hyper: Hyperparameters) -> Hyperparameters {
    Hyperparameters { nu: hyper.nu.min(largest_ratio(problem) * hyper.lambda), ..hyper }
}

/// What the edges at each point count together.
fn degrees(graph: &Graph, counts: &[f64]) -> Vec<f64> {
    let mut degrees = vec![0.0; graph.n()];
    for (&(i, j), count) in graph.edges().iter().zip(counts) {
        degrees[i as usize] += count;
        degrees[j as usize] += count;
    }
    degrees
}

fn identity(d: usize, value: f64) -> Vec<f64> {
    (0..d * d).map(|p| if p / d == p % d { value } else { 0.0 }).collect()
}
