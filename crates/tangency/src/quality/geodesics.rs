//! Distances in an embedding against paths along the graph.

use super::same_points;
use crate::error::{Error, Result};
use crate::graph::{Graph, Paths, pieces, squared_distance};
use crate::linalg::Matrix;
use crate::message::Remedy;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Up to this many points all pairs count.
const SOURCES: usize = 2000;

/// Pearson correlation of the lengths of shortest paths along the graph, edges as long as `points` (d × n, one a
/// column) are apart, with the distances in `embedding` [n, d], over all pairs of points. 1 is an embedding that unrolls
/// without stretching.
///
/// Of more than 2000 points a seeded sample of 2000 is taken, and the pairs are those of a sampled point and any other.
pub fn geodesic_correlation(graph: &Graph, points: &Matrix, embedding: &Matrix) -> Result<f64> {
    let n = graph.n();
    if points.ncols() != n {
        return Err(Error::ShapeMismatch {
            what: "the table of points".into(),
            expected: format!("{n} points, as many as in the graph,"),
            found: format!("{} points", points.ncols()),
        });
    }
    same_points(embedding, n)?;
    let found = pieces(graph);
    if found.len() > 1 {
        let sizes = found.iter().map(Vec::len).collect();
        return Err(Error::Disconnected { sizes, wider: Remedy::act("widen the neighbourhoods") });
    }
    let sources = sources(n, SOURCES);
    let mut sampled = vec![false; n];
    sources.iter().for_each(|&i| sampled[i] = true);
    let (paths, places) = (Paths::new(graph, points), embedding.transpose().to_owned());
    let of_sources: Vec<PathMoments> = sources
        .par_iter()
        .map(|&i| {
            let along = paths.from(i);
            // a pair of two sampled points counts once
            let others = (0..n).filter(|&j| j > i || (j < i && !sampled[j]));
            let apart = |j: usize| squared_distance(places.col_as_slice(i), places.col_as_slice(j)).sqrt();
            PathMoments::of(&others.map(|j| (along[j], apart(j))).collect::<Vec<_>>())
        })
        .collect();
    let all = of_sources.into_iter().fold(PathMoments::default(), PathMoments::with);
    all.correlation().ok_or_else(|| Error::Setting {
        name: "embedding",
        problem: "all points of the embedding are equally far apart, so there is no correlation of distances".into(),
        remedies: vec![Remedy::act("give an embedding whose points differ")],
    })
}

/// All points, or a seeded sample of `most` of them, ascending.
pub(super) fn sources(n: usize, most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    if n > most {
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(n as u64));
        order.truncate(most);
        order.sort_unstable();
    }
    order
}

/// Means of two numbers over some pairs, and the sums of products of the deviations from them.
#[derive(Clone, Copy, Default)]
struct PathMoments {
    count: f64,
    means: [f64; 2],
    squares: [f64; 2],
    cross: f64,
}

impl PathMoments {
    fn of(pairs: &[(f64, f64)]) -> Self {
        let count = pairs.len() as f64;
        let mut moments = Self { count, ..Self::default() };
        if pairs.is_empty() {
            return moments;
        }
        moments.means =
            [pairs.iter().map(|p| p.0).sum::<f64>() / count, pairs.iter().map(|p| p.1).sum::<f64>() / count];
        for &(p, q) in pairs {
            let (p, q) = (p - moments.means[0], q - moments.means[1]);
            moments.squares[0] += p * p;
            moments.squares[1] += q * q;
            moments.cross += p * q;
        }
        moments
    }

    /// Both together (Chan, Golub and LeVeque): no digits are lost to large means.
    fn with(self, other: Self) -> Self {
        let count = self.count + other.count;
        if count == 0.0 {
            return self;
        }
        let share = other.count / count;
        let [p, q] = [other.means[0] - self.means[0], other.means[1] - self.means[1]];
        Self {
            count,
            means: [self.means[0] + share * p, self.means[1] + share * q],
            squares: [
                self.squares[0] + other.squares[0] + self.count * share * p * p,
                self.squares[1] + other.squares[1] + self.count * share * q * q,
            ],
            cross: self.cross + other.cross + self.count * share * p * q,
        }
    }

    fn correlation(&self) -> Option<f64> {
        let scale = (self.squares[0] * self.squares[1]).sqrt();
        // below this spread the deviations are rounding
        let flat = (0..2).any(|c| self.squares[c] <= 1e-24 * self.count * self.means[c] * self.means[c]);
        (!flat && scale > 0.0).then(|| (self.cross / scale).clamp(-1.0, 1.0))
    }
}
