//! The likelihood of a GP-LVM and its gradient: one Cholesky factorisation, one inverse, and O(n²) for the rest.
//!
//! With K = s² exp(−½ Σ_a w_a (x_ia − x_ja)²) + noise·I, W = K⁻¹Y and D features,
//! log p(Y|X) = −½ (D log|K| + tr(YᵀW) + nD log 2π) and ∂/∂K = ½ (WWᵀ − D K⁻¹).

use super::JITTER;
use super::lanes::{self, FillRow, Lane, LaneMoments, WIDTH, ZERO, vectorized};
use super::optimize::Objective;
use crate::error::Result;
use crate::linalg::{Matrix, SpdWork, dot, gram_lower_weighted, invert_spd, mirror_lower, product_with_symmetric};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// What a likelihood needs and keeps between evaluations.
///
/// Parameters in order: X component by component, log w, log s², log noise.
pub(super) struct Likelihood {
    /// The data or fewer rows with the same inner products. [≤ d_y, n]
    y: Matrix,
    n_features: f64,
    n_components: usize,
    /// Whether the standard normal prior of X counts.
    prior: bool,
    /// Column by column in lanes, without the noise.
    kernel: Vec<Lane>,
    inverse: Matrix,
    work: SpdWork,
    x: Vec<Lane>,
    /// For each point Σ_j h, then Σ_j h δ_a and Σ_j h δ_a² for each component.
    sums: Vec<f64>,
}

impl Likelihood {
    /// `y` has the inner products of `n_features` features.
    pub(super) fn new(y: Matrix, n_features: usize, n_components: usize, prior: bool) -> Self {
        let n = y.ncols();
        Self {
            kernel: vec![ZERO; n * n.div_ceil(WIDTH)],
            inverse: Matrix::zeros(n, n),
            work: SpdWork::new(n),
            x: Vec::new(),
            sums: vec![0.0; n * (1 + 2 * n_components)],
            n_features: n_features as f64,
            n_components,
            prior,
            y,
        }
    }

    fn fill_kernel(&mut self, x: &[f64], w: &[f64], signal: f64) {
        let n = self.y.ncols();
        lanes::pack(x, n, &mut self.x);
        let half: Vec<f64> = w.iter().map(|w| 0.5 * w).collect();
        let centers = &self.x;
        self.kernel.par_chunks_mut(n.div_ceil(WIDTH)).enumerate().for_each_init(
            || vec![0.0; w.len()],
            |mean, (j, row)| {
                mean.iter_mut().enumerate().for_each(|(a, slot)| *slot = x[a * n + j]);
                vectorized(FillRow { row, centers, mean, half: &half, height: 0.0, factor: signal });
            },
        );
    }

    /// Fills `sums` from h = K ∘ (K⁻¹ − WWᵀ/D), the second factor in `inverse`.
    fn fill_sums(&mut self, x: &[f64]) {
        let (n, d, blocks) = (self.y.ncols(), self.n_components, self.y.ncols().div_ceil(WIDTH));
        let (kernel, inverse, centers) = (&self.kernel, &self.inverse, &self.x);
        self.sums.par_chunks_mut(1 + 2 * d).enumerate().for_each_init(
            || (vec![0.0; d], vec![ZERO; blocks], vec![ZERO; blocks]),
            |(mean, weights, scratch), (j, moments)| {
                mean.iter_mut().enumerate().for_each(|(a, slot)| *slot = x[a * n + j]);
                weights.as_flattened_mut()[..n].copy_from_slice(inverse.col_as_slice(j));
                let values = &kernel[j * blocks..][..blocks];
                let (half, of_centers): (&[f64], &mut [Lane]) = (mean, &mut []);
                vectorized(LaneMoments { values, weights, centers, mean, half, scratch, moments, of_centers });
            },
        );
    }
}

impl Objective for Likelihood {
    fn evaluate(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (n, d, features) = (self.y.ncols(), self.n_components, self.n_features);
        let (x, rest) = parameters.split_at(n * d);
        let w: Vec<f64> = rest[..d].iter().map(|log| log.exp()).collect();
        let (signal, noise) = (rest[d].exp(), rest[d + 1].exp());
        self.fill_kernel(x, &w, signal);
        let width = n.div_ceil(WIDTH);
        for j in 0..n {
            let column = &self.kernel[j * width..][..width];
            self.inverse.col_as_slice_mut(j)[j..].copy_from_slice(&column.as_flattened()[j..n]);
            self.inverse[(j, j)] += noise + JITTER;
        }
        let log_det = invert_spd(&mut self.inverse, &mut self.work, "covariance of a Gaussian process")?;
        let solved = product_with_symmetric(1.0, &self.y, &mut self.inverse); // Wᵀ
        let fit: f64 = (0..n).map(|i| dot(self.y.col_as_slice(i), solved.col_as_slice(i))).sum();
        let mut value = -0.5 * (features * log_det + fit + n as f64 * features * TAU.ln());

        gram_lower_weighted(&mut self.inverse, &solved, -1.0 / features);
        mirror_lower(&mut self.inverse);
        self.fill_sums(x);
        // ∂/∂K = −D/2 · inverse; each pair of points counts twice
        let scale = -0.5 * features;
        let (of_x, of_rest) = gradient.split_at_mut(n * d);
        of_rest.fill(0.0);
        for (i, sums) in self.sums.chunks_exact(1 + 2 * d).enumerate() {
            of_rest[d] += scale * sums[0];
            for a in 0..d {
                of_x[a * n + i] = -2.0 * scale * w[a] * sums[1 + a];
                of_rest[a] -= 0.5 * scale * w[a] * sums[1 + d + a];
            }
            of_rest[d + 1] += scale * noise * self.inverse[(i, i)];
        }
        if self.prior {
            value -= 0.5 * (dot(x, x) + (n * d) as f64 * TAU.ln());
            of_x.iter_mut().zip(x).for_each(|(slot, x)| *slot -= x);
        }
        Ok(value)
    }
}
