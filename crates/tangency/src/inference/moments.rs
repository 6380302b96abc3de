//! The second moments of q(x) and q(C) that the hyper-parameters and the bound need: d_x × d_x sums over the graph.

use crate::linalg::{Matrix, dot, scale, trace};
use crate::model::{Coordinates, Hyperparameters, Maps, Problem};
use rayon::prelude::*;

/// Moments of q(x). Where common shifts are held apart (`shift_precision`), without that direction.
#[derive(Clone)]
pub struct CoordinateMoments {
    /// Σ_i ⟨x_i x_iᵀ⟩. [d_x, d_x]
    pub square: Matrix,
    /// Σ_ij (2L)_ij ⟨x_i x_jᵀ⟩. [d_x, d_x]
    pub rough: Matrix,
    /// |μ_x|².
    pub mean_square: f64,
    /// log|Σ_x|.
    pub log_det: f64,
    /// Precision of common shifts in q(x), if they are held apart.
    pub shift_precision: Option<f64>,
    /// Directions that log|Σ_x| is about.
    pub directions: f64,
}

/// Moments of q(C).
#[derive(Clone)]
pub struct MapMoments {
    /// Σ_i ⟨C_iᵀC_i⟩. [d_x, d_x]
    pub square: Matrix,
    /// Σ_ij (2L)_ij ⟨C_iᵀC_j⟩. [d_x, d_x]
    pub rough: Matrix,
    /// Σ_ij ⟨C_iᵀC_j⟩, of which only the paper's prior (ν = 0) has need. [d_x, d_x]
    pub total: Option<Matrix>,
    /// log|Σ_C|.
    pub log_det: f64,
    /// Its size, n·d_x.
    pub size: f64,
}

impl CoordinateMoments {
    /// Moments of these coordinates.
    pub fn new(problem: &Problem, coordinates: &Coordinates) -> Self {
        let mean = &coordinates.mean;
        let moment = |a: usize, i: usize, b: usize, j: usize| {
            coordinates.centered_covariance(a, i, b, j) + mean[(i, a)] * mean[(j, b)]
        };
        let (square, rough) = graph_sums(problem, moment);
        Self {
            square,
            rough,
            mean_square: mean.squared_norm_l2(),
            log_det: coordinates.log_det,
            shift_precision: Some(coordinates.shift_precision),
            directions: ((problem.n() - 1) * problem.n_components) as f64,
        }
    }

    /// ⟨|x|²⟩.
    pub fn total(&self) -> f64 {
        trace(&self.square)
    }

    /// The moments of t·x.
    pub fn rescale(&mut self, t: f64) {
        scale(&mut self.square, t * t);
        scale(&mut self.rough, t * t);
        self.mean_square *= t * t;
        self.log_det += 2.0 * self.directions * t.ln();
    }

    /// tr((αI + 2L)⊗I ⟨xxᵀ⟩).
    pub fn prior_energy(&self, hyper: &Hyperparameters) -> f64 {
        hyper.alpha * trace(&self.square) + trace(&self.rough)
    }
}

impl MapMoments {
    /// Moments of these maps; `total` on request.
    pub fn new(problem: &Problem, maps: &Maps, with_total: bool) -> Self {
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
                let covariance: f64 =
                    (0..n).map(|j| (0..n).map(|i| maps.covariance_of(n, a, i, b, j)).sum::<f64>()).sum();
                let means: f64 = (0..mean.nrows()).map(|f| sums[(f, a)] * sums[(f, b)]).sum();
                d_y as f64 * covariance + means
            })
        });
        Self { square, rough, total, log_det: maps.log_det, size: problem.size() as f64 }
    }

    /// The moments of t·C.
    pub fn rescale(&mut self, t: f64) {
        scale(&mut self.square, t * t);
        scale(&mut self.rough, t * t);
        if let Some(total) = &mut self.total {
            scale(total, t * t);
        }
        self.log_det += 2.0 * self.size * t.ln();
    }

    /// tr(K⊗I ⟨CᵀC⟩), K = 2λL + νI, or the paper's λ(2L + ε11ᵀ) when ν = 0.
    pub fn prior_energy(&self, hyper: &Hyperparameters, epsilon: f64) -> f64 {
        match &self.total {
            Some(total) if hyper.nu == 0.0 => hyper.lambda * (trace(&self.rough) + epsilon * trace(total)),
            _ => hyper.lambda * trace(&self.rough) + hyper.nu * trace(&self.square),
        }
    }
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
