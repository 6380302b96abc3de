//! How much each edge counts in the graph's likelihood.

use crate::config::{Config, EdgeWeights};
use crate::model::Problem;
use rayon::prelude::*;
use std::sync::Arc;

/// No edge counts less.
const LEAST: f64 = 1e-3;
/// Most steps of the search for the width of a neighbourhood, and the logarithm of a width that is near enough.
const STEPS: usize = 60;
const NEAR: f64 = 1e-14;

/// The counts of the graph's edges, in their order.
pub fn edge_counts(problem: &Problem, config: &Config) -> Arc<Vec<f64>> {
    match config.edge_weights {
        EdgeWeights::Plain => Arc::new(vec![1.0; problem.graph.edges().len()]),
        EdgeWeights::Membership => {
            problem.edge_counts(config.n_neighbors, |problem| memberships(problem, config.n_neighbors))
        }
    }
}

/// Counts that fall with distance in the metric of the graph: at each point e^(−(d − d₁)/w) with d₁ the distance of its nearest neighbour and w such that
/// the first k add up to log₂ k; of both ends a and b together a + b − ab.
fn memberships(problem: &Problem, k: usize) -> Vec<f64> {
    let graph = &problem.graph;
    let length = |i: usize, j: usize| problem.apart(i, j);
    let widths: Vec<(f64, f64, f64)> = (0..graph.n())
        .into_par_iter()
        .map(|i| {
            let mut lengths: Vec<f64> = graph.neighbors(i).iter().map(|&j| length(i, j as usize)).collect();
            lengths.sort_unstable_by(f64::total_cmp);
            lengths.truncate(k.max(2));
            neighborhood(&lengths)
        })
        .collect();
    let seen = |i: usize, length: f64| {
        let (nearest, width, farthest) = widths[i];
        if length > farthest * (1.0 + 1e-12) { 0.0 } else { (-(length - nearest).max(0.0) / width).exp() }
    };
    let count = |&(i, j): &(u32, u32)| {
        let (i, j) = (i as usize, j as usize);
        let length = length(i, j);
        let (a, b) = (seen(i, length), seen(j, length));
        (a + b - a * b).max(LEAST)
    };
    let counts: Vec<f64> = graph.edges().iter().map(count).collect();
    // as many edges in all as there are: the graph speaks as loudly as without weights
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    counts.into_iter().map(|count| count / mean).collect()
}

/// The counts of the edges of a new point to neighbours at these distances, 1 in the mean.
pub fn counts_of_star(lengths: &[f64]) -> Vec<f64> {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (nearest, width, _) = neighborhood(&sorted);
    let counts: Vec<f64> = lengths.iter().map(|length| (-(length - nearest) / width).exp().max(LEAST)).collect();
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    counts.into_iter().map(|count| count / mean).collect()
}

/// Distance of the nearest, width, and distance of the farthest of a point's neighbours.
fn neighborhood(lengths: &[f64]) -> (f64, f64, f64) {
    let (nearest, farthest) = (lengths[0], lengths[lengths.len() - 1]);
    let wanted = (lengths.len() as f64).log2().max(1.0);
    // the sum over the neighbours, and its slope in the logarithm of the width
    let total = |width: f64| {
        let of = |length: &f64| {
            let steps = (length - nearest) / width;
            let value = (-steps).exp();
            (value, steps * value)
        };
        lengths.iter().map(of).fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
    };
    let scale = farthest.max(f64::MIN_POSITIVE);
    let (mut low, mut high) = ((1e-6 * scale).ln(), (1e3 * scale).ln());
    let mut at = (farthest - nearest).max(1e-6 * scale).ln();
    // Newton's steps, or halvings where these leave what is known
    for _ in 0..STEPS {
        let (value, slope) = total(at.exp());
        if value > wanted {
            high = at
        } else {
            low = at
        }
        let next = at - (value - wanted) / slope;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        let moved = (next - at).abs();
        at = next;
        if moved < NEAR {
            break;
        }
    }
    (nearest, at.exp(), farthest)
}
