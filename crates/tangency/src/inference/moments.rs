//! The second moments of q(x) and q(C) that the hyper-parameters and the bound need: d_x × d_x sums over the graph.

use crate::linalg::{Matrix, scale, trace};

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
    /// Moments of each point, where its structure within the manifold needs them.
    pub points: Option<PointMoments>,
}

/// Means and covariances of points, numbers of a point next to each other.
#[derive(Clone)]
pub struct PointMoments {
    /// `[n·d_x]`
    pub mean: Vec<f64>,
    /// `[n·d_x²]`
    pub covariance: Vec<f64>,
    /// d_x.
    pub d_x: usize,
}

impl PointMoments {
    /// Number of points.
    pub fn n(&self) -> usize {
        self.mean.len() / self.d_x.max(1)
    }

    /// Mean and covariance of a point.
    pub fn of(&self, i: usize) -> (&[f64], &[f64]) {
        let (d, size) = (self.d_x, self.d_x * self.d_x);
        (&self.mean[i * d..(i + 1) * d], &self.covariance[i * size..(i + 1) * size])
    }
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
        if let Some(points) = &mut self.points {
            points.mean.iter_mut().for_each(|mean| *mean *= t);
            points.covariance.iter_mut().for_each(|entry| *entry *= t * t);
        }
    }
}

impl MapMoments {
    /// The moments of t·C.
    pub fn rescale(&mut self, t: f64) {
        scale(&mut self.square, t * t);
        scale(&mut self.rough, t * t);
        if let Some(total) = &mut self.total {
            scale(total, t * t);
        }
        self.log_det += 2.0 * self.size * t.ln();
    }
}
