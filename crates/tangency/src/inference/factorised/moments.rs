//! The moments of q(x) and q(C) from the covariances of single points.

use super::conjugate_gradients::sum;
use super::{Beliefs, Sizes};
use crate::inference::moments::{CoordinateMoments, MapMoments, PointMoments};
use crate::linalg::Matrix;
use crate::model::Problem;

/// Moments of q(x).
pub fn coordinate_moments(problem: &Problem, beliefs: &Beliefs) -> CoordinateMoments {
    let Sizes { n, d_x, .. } = Sizes::of(problem);
    let (square, rough) = graph_moments(problem, &beliefs.x, 1, &beliefs.s, 1.0);
    CoordinateMoments {
        square,
        rough,
        mean_square: sum(n, |i| beliefs.x[i * d_x..(i + 1) * d_x].iter().map(|v| v * v).sum()),
        log_det: log_determinant(&beliefs.s, d_x),
        shift_precision: None,
        directions: problem.size() as f64,
        points: problem.structure.as_ref().map(|_| PointMoments {
            mean: beliefs.x.clone(),
            covariance: beliefs.s.clone(),
            d_x,
        }),
    }
}

/// Moments of q(C); `total` on request.
pub fn map_moments(problem: &Problem, beliefs: &Beliefs, with_total: bool) -> MapMoments {
    let Sizes { n, d_x, rows, d_y } = Sizes::of(problem);
    let (square, rough) = graph_moments(problem, &beliefs.c, rows, &beliefs.t, d_y);
    let total = with_total.then(|| {
        let means: Vec<f64> = (0..d_x * rows).map(|p| sum(n, |i| beliefs.c[i * d_x * rows + p])).collect();
        Matrix::from_fn(d_x, d_x, |a, b| {
            let of_means: f64 = (0..rows).map(|f| means[a * rows + f] * means[b * rows + f]).sum();
            of_means + d_y * sum(n, |i| beliefs.t[(i * d_x + a) * d_x + b])
        })
    });
    MapMoments { square, rough, total, log_det: log_determinant(&beliefs.t, d_x), size: problem.size() as f64 }
}

/// Σ_i ⟨v_iᵀv_i⟩ and Σ_ij (2L)_ij ⟨v_iᵀv_j⟩ for means of `rows` rows and block covariances that count `copies` times.
fn graph_moments(problem: &Problem, mean: &[f64], rows: usize, blocks: &[f64], copies: f64) -> (Matrix, Matrix) {
    let (n, d_x, graph) = (problem.n(), problem.n_components, &problem.graph);
    let at = |i: usize, a: usize| &mean[(i * d_x + a) * rows..(i * d_x + a + 1) * rows];
    let (mut square, mut rough) = (Matrix::zeros(d_x, d_x), Matrix::zeros(d_x, d_x));
    for a in 0..d_x {
        for b in 0..=a {
            let block = |i: usize| copies * blocks[(i * d_x + a) * d_x + b];
            let s = sum(n, |i| block(i) + at(i, a).iter().zip(at(i, b)).map(|(p, q)| p * q).sum::<f64>());
            // every edge is met twice, so that the sum over neighbours is that over 2L
            let r = sum(n, |i| {
                let steps: f64 = graph
                    .neighbors(i)
                    .iter()
                    .map(|&j| {
                        let (ja, jb) = (at(j as usize, a), at(j as usize, b));
                        let (ia, ib) = (at(i, a), at(i, b));
                        (0..rows).map(|f| (ja[f] - ia[f]) * (jb[f] - ib[f])).sum::<f64>()
                    })
                    .sum();
                steps + 2.0 * graph.degree(i) as f64 * block(i)
            });
            (square[(a, b)], square[(b, a)]) = (s, s);
            (rough[(a, b)], rough[(b, a)]) = (r, r);
        }
    }
    (square, rough)
}

/// Sum of the log-determinants of small blocks.
pub(super) fn log_determinant(blocks: &[f64], d_x: usize) -> f64 {
    sum(blocks.len() / (d_x * d_x), |i| {
        let mut block = blocks[i * d_x * d_x..(i + 1) * d_x * d_x].to_vec();
        crate::linalg::small::invert(&mut block, d_x).unwrap_or(f64::NAN)
    })
}
