//! How much each edge strains the fit (docs/derivation.md, eq. 13).

use crate::error::Result;
use crate::fit::Fit;
use crate::graph::edge_resistances;
use crate::inference::EngineKind;
use crate::linalg::Matrix;

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
    most_suspect_first(&mut scores);
    Ok(scores)
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
            EdgeScore { edge, length, resistance, residual, score: resistance * residual }
        })
        .collect()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
