//! How much each edge strains the fit (docs/derivation.md, eq. 13).

use crate::error::Result;
use crate::fit::Fit;
use crate::graph::edge_resistances;
use crate::inference::EngineKind;
use crate::inference::pairs::{Depth, PairField};
use crate::inference::terms::graph::{FIRST_HEAVINESS, GraphTerm, balance};
use crate::linalg::Matrix;
use std::sync::Arc;

/// An edge holds two parts together where its resistance is this near to 1.
const HOLDS: f64 = 1e-9;

/// An edge and how suspect it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeScore {
    /// Its points.
    pub edge: (u32, u32),
    /// Distance of its points in the scaled units of the data.
    pub length: f64,
    /// Effective resistance R_e between its points: 1 for an edge that alone holds two parts together.
    pub resistance: f64,
    /// r_e: how far the local maps miss the step along the edge, in the scaled units.
    pub residual: f64,
    /// R_e·r_e: large where an edge is hard to explain and little else joins its points.
    pub score: f64,
    /// −log of the edge's own rate in the graph's likelihood, in nats: large where points are joined that are far apart on the
    /// map. None for pairs that are no edges.
    pub surprise: Option<f64>,
    /// About what its removal alone would gain, in nats, all else being held (eq. 13b); minus infinity for an edge that alone
    /// holds two parts together. None for pairs that are no edges.
    pub expected_gain: Option<f64>,
}

/// The least gain of the bound that speaks for the removal of the most suspect of so many edges, in nats: as much as is asked
/// of a single edge, and the odds of one among them all.
pub fn least_gain(min_gain: f64, n_edges: usize) -> f64 {
    min_gain + (n_edges as f64).ln()
}

/// Scores every edge of a fit, the most suspect first. Resistances are those of the fit's engine: the factorised one
/// takes them from the surroundings of an edge, where they are a little larger than in the whole graph.
pub fn edge_scores(fit: &Fit) -> Result<Vec<EdgeScore>> {
    let d_x = fit.coordinates.ncols();
    let y = fit.scaled_observations();
    let edges = fit.graph.edges();
    let resistances = match fit.engine.kind {
        EngineKind::Factorised => edge_resistances(&fit.graph, fit.config.ball_radius),
        _ => fit.graph.resistances()?.to_vec(),
    };
    let map = |i: usize, a: usize| fit.maps.col_as_slice(i * d_x + a);
    let mut scores = score(edges, &resistances, &y, &fit.coordinates, map);
    let surprises = edge_surprises(fit);
    scores.iter_mut().zip(surprises).for_each(|(score, surprise)| score.surprise = Some(surprise));
    let gains: Vec<f64> = expected_gains(fit, &scores);
    scores.iter_mut().zip(gains).for_each(|(score, gain)| score.expected_gain = Some(gain));
    most_suspect_first(&mut scores);
    Ok(scores)
}

/// About what the bound gains without each of these edges (eq. 13b).
fn expected_gains(fit: &Fit, scores: &[EdgeScore]) -> Vec<f64> {
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    let step = |i: usize, j: usize| -> f64 {
        (0..d_x).map(|a| (fit.coordinates[(j, a)] - fit.coordinates[(i, a)]).powi(2)).sum()
    };
    let turn = |i: usize, j: usize| -> f64 {
        let columns = |i: usize| (0..d_x).flat_map(move |a| fit.maps.col_as_slice(i * d_x + a));
        columns(i).zip(columns(j)).map(|(from, to)| (to - from).powi(2)).sum()
    };
    let all_steps: f64 = scores.iter().map(|score| step(score.edge.0 as usize, score.edge.1 as usize)).sum();
    // coordinates are taken in the units of the paper's prior, whose scale is free
    let units = 0.5 * ((n - 1) * d_x) as f64 / all_steps.max(f64::MIN_POSITIVE);
    let directions = 0.5 * (d_y * (1 + d_x) + d_x) as f64;
    let gain = |score: &EdgeScore| {
        let (i, j) = (score.edge.0 as usize, score.edge.1 as usize);
        let left = 1.0 - score.resistance;
        if left < HOLDS {
            return f64::NEG_INFINITY;
        }
        let strain = fit.hyper.gamma * score.score * score.residual;
        strain + fit.hyper.lambda * turn(i, j) + units * step(i, j) + directions * left.ln()
    };
    scores.iter().map(gain).collect()
}

/// −log(ρ_iρ_j h) of every edge of a fit, in the order of the graph's edges, with ρ in balance for the map as it is.
fn edge_surprises(fit: &Fit) -> Vec<f64> {
    let (n, d_x, graph) = (fit.n(), fit.coordinates.ncols(), &fit.graph);
    let x: Vec<f64> = (0..n * d_x).map(|p| fit.coordinates[(p / d_x, p % d_x)]).collect();
    let spreads = (0..n * d_x * d_x).map(|p| fit.coordinate_covariances[(p % (d_x * d_x), p / (d_x * d_x))]).collect();
    let mut field = PairField::independent(graph, x, spreads, 0);
    let steps = field.steps(graph);
    let heaviness = if fit.graph_model.is_some() { fit.hyper.heaviness } else { FIRST_HEAVINESS };
    let mut term = GraphTerm::new(graph, d_x, Arc::new(vec![1.0; steps.len()]), 1.0, heaviness);
    if fit.graph_model.is_none() {
        // the paper's units are not those of edges
        let square = steps.iter().sum::<f64>() / steps.len() as f64;
        field.rescale(1.0 / square.max(f64::MIN_POSITIVE).sqrt());
    }
    term.steps = field.steps(graph);
    balance(&mut term, &field, graph, Depth::Value);
    let log_rho: Vec<f64> = term.sociability.iter().map(|rho| rho.ln()).collect();
    let surprise =
        |(&(i, j), &step): (&(u32, u32), &f64)| -(log_rho[i as usize] + log_rho[j as usize] + term.affinity.log(step));
    graph.edges().iter().zip(&term.steps).map(surprise).collect()
}

pub(super) fn most_suspect_first(scores: &mut [EdgeScore]) {
    scores.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.edge.cmp(&b.edge)));
}

/// Scores pairs of points, which need not be edges. `y` is d_y × n, `x` n × d_x, `map` gives column a of C_i.
pub(super) fn score<'m>(
    pairs: &[(u32, u32)],
    resistances: &[f64],
    y: &Matrix,
    x: &Matrix,
    map: impl Fn(usize, usize) -> &'m [f64],
) -> Vec<EdgeScore> {
    let mut miss = vec![0.0; y.nrows()];
    pairs
        .iter()
        .zip(resistances)
        .map(|(&edge, &resistance)| {
            let (i, j) = (edge.0 as usize, edge.1 as usize);
            for (slot, (from, to)) in miss.iter_mut().zip(y.col_as_slice(i).iter().zip(y.col_as_slice(j))) {
                *slot = to - from;
            }
            let length = norm(&miss);
            for a in 0..x.ncols() {
                let half_step = 0.5 * (x[(j, a)] - x[(i, a)]);
                for (slot, (c_i, c_j)) in miss.iter_mut().zip(map(i, a).iter().zip(map(j, a))) {
                    *slot -= (c_i + c_j) * half_step;
                }
            }
            let residual = norm(&miss);
            let score = resistance * residual;
            EdgeScore { edge, length, resistance, residual, score, surprise: None, expected_gain: None }
        })
        .collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
