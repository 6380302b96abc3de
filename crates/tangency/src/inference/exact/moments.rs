//! The moments of q(x) and q(C) from their full covariances.

use super::posterior::{Coordinates, Maps};
use crate::inference::moments::{CoordinateMoments, MapMoments, PointMoments};
use crate::linalg::{Matrix, dot};
use crate::model::Problem;
use rayon::prelude::*;

/// Moments of these coordinates.
pub fn coordinate_moments(problem: &Problem, coordinates: &Coordinates) -> CoordinateMoments {
    let mean = &coordinates.mean;
    let moment = |a: usize, i: usize, b: usize, j: usize| {
        coordinates.centered_covariance(a, i, b, j) + mean[(i, a)] * mean[(j, b)]
    };
    let (square, rough) = graph_sums(problem, moment);
    CoordinateMoments {
        square,
        rough,
        mean_square: mean.squared_norm_l2(),
        log_det: coordinates.log_det,
        shift_precision: Some(coordinates.shift_precision),
        directions: ((problem.n() - 1) * problem.n_components) as f64,
        points: problem.structure.as_ref().map(|_| point_moments(coordinates)),
    }
}

/// Those of each point.
fn point_moments(coordinates: &Coordinates) -> PointMoments {
    let (n, d_x) = (coordinates.n(), coordinates.mean.ncols());
    let mean = (0..n * d_x).map(|p| coordinates.mean[(p / d_x, p % d_x)]).collect();
    let entry = |i: usize, p: usize| coordinates.centered_covariance(p / d_x, i, p % d_x, i);
    let covariance = (0..n).flat_map(|i| (0..d_x * d_x).map(move |p| (i, p))).map(|(i, p)| entry(i, p)).collect();
    PointMoments { mean, covariance, d_x }
}

/// Moments of these maps; `total` on request.
pub fn map_moments(problem: &Problem, maps: &Maps, with_total: bool) -> MapMoments {
    let (n, d_y) = (problem.n(), problem.n_features());
    let d_x = problem.n_components;
    let mean = &maps.mean;
    let dot = |p: usize, q: usize| dot(mean.col_as_slice(p), mean.col_as_slice(q));
    let moment = |a: usize, i: usize, b: usize, j: usize| {
        d_y as f64 * maps.covariance_of(n, a, i, b, j) + dot(a * n + i, b * n + j)
    };
    let (square, rough) = graph_sums(problem, moment);
    let total = with_total.then(|| {
        let sums = Matrix::from_fn(mean.nrows(), d_x, |f, a| (0..n).map(|i| mean[(f, a * n + i)]).sum());
        Matrix::from_fn(d_x, d_x, |a, b| {
            let covariance: f64 = (0..n).map(|j| (0..n).map(|i| maps.covariance_of(n, a, i, b, j)).sum::<f64>()).sum();
            let means: f64 = (0..mean.nrows()).map(|f| sums[(f, a)] * sums[(f, b)]).sum();
            d_y as f64 * covariance + means
        })
    });
    MapMoments { square, rough, total, log_det: maps.log_det, size: problem.size() as f64 }
}

/// Σ_i M_ii and Σ_ij (2L)_ij M_ij for each pair of components of moments M; in parallel, added up in order.
fn graph_sums(problem: &Problem, moment: impl Fn(usize, usize, usize, usize) -> f64 + Sync) -> (Matrix, Matrix) {
    let (n, d_x, graph) = (problem.n(), problem.n_components, &problem.graph);
    let (mut square, mut rough) = (Matrix::zeros(d_x, d_x), Matrix::zeros(d_x, d_x));
    for a in 0..d_x {
        for b in 0..=a {
            let own: Vec<f64> = (0..n).into_par_iter().map(|i| moment(a, i, b, i)).collect();
            let across: Vec<f64> = graph
                .edges()
                .par_iter()
                .map(|&(i, j)| moment(a, i as usize, b, j as usize) + moment(a, j as usize, b, i as usize))
                .collect();
            let s: f64 = own.iter().sum();
            let around: f64 = own.iter().enumerate().map(|(i, value)| graph.degree(i) as f64 * value).sum();
            let r = 2.0 * (around - across.iter().sum::<f64>());
            (square[(a, b)], square[(b, a)]) = (s, s);
            (rough[(a, b)], rough[(b, a)]) = (r, r);
        }
    }
    (square, rough)
}
