//! The collapsed bound of the Bayesian GP-LVM and its gradient, in O(n m² d).
//!
//! With Kuu = LLᵀ, A = β L⁻¹Ψ2L⁻ᵀ, B = I + A = MMᵀ, T = M⁻¹L⁻¹, C = TΨ1ᵀY and E = TᵀC = (Kuu + βΨ2)⁻¹Ψ1ᵀY,
//!
//! F = ½nD log(β/2π) − ½D log|B| − ½β tr(YYᵀ) + ½β² |C|² − ½βDns² + ½D tr A − KL(q(X) ‖ N(0, I)),
//!
//! ∂F/∂Ψ1 = β² Y Eᵀ, ∂F/∂Ψ2 = ½βD L⁻ᵀ(I − B⁻¹)L⁻¹ − ½β³ EEᵀ, ∂F/∂Kuu = ½D L⁻ᵀ(I − B⁻¹ − A)L⁻¹ − ½β² EEᵀ.

use super::JITTER;
use super::lanes::{Lane, WIDTH, ZERO};
use super::optimize::Objective;
use super::psi::{Bumps, Flow, Gaussians};
use crate::error::Result;
use crate::linalg::{
    Matrix, dot, inverse_factor, product, product_transposed, sequential_gram, sequential_product, trace,
};
use std::f64::consts::TAU;

/// What the bound needs and keeps between evaluations.
///
/// Parameters in order: μ, log S and Z, each component by component, log w, log s², log β.
pub(super) struct Bound {
    /// The data or fewer rows with the same inner products. [≤ d_y, n]
    y: Matrix,
    /// tr(YYᵀ).
    energy: f64,
    n_features: f64,
    n_components: usize,
    /// Jitter of Kuu beside the constant one, as a part of s².
    relative_jitter: f64,
    /// j ≥ k of each midpoint.
    pairs: Vec<(usize, usize)>,
    first: Bumps,
    second: Bumps,
}

/// Where the blocks of parameters lie.
struct ParameterLayout {
    s: usize,
    z: usize,
    w: usize,
    signal: usize,
    beta: usize,
}

/// Number of parameters: two blocks of n·d, one of m·d, and d + 2.
pub(super) fn n_parameters(n: usize, m: usize, d: usize) -> usize {
    (2 * n + m + 1) * d + 2
}

impl Bound {
    /// `y` has the inner products of `n_features` features.
    pub(super) fn new(
        y: Matrix,
        n_features: usize,
        n_components: usize,
        n_inducing: usize,
        relative_jitter: f64,
    ) -> Self {
        let pairs: Vec<_> = (0..n_inducing).flat_map(|j| (0..=j).map(move |k| (j, k))).collect();
        let n = y.ncols();
        Self {
            energy: (0..n).map(|i| dot(y.col_as_slice(i), y.col_as_slice(i))).sum(),
            n_features: n_features as f64,
            n_components,
            relative_jitter,
            first: Bumps::new(1.0, n_inducing, n),
            second: Bumps::new(2.0, pairs.len(), n),
            pairs,
            y,
        }
    }

    fn layout(&self, parameters: usize) -> (usize, ParameterLayout) {
        let (n, d) = (self.y.ncols(), self.n_components);
        let w = parameters - d - 2;
        ((w - 2 * n * d) / d, ParameterLayout { s: n * d, z: 2 * n * d, w, signal: w + d, beta: w + d + 1 })
    }

    /// Ψ1ᵀ. [m, n]
    fn psi1(&mut self, w: &[f64], q: Gaussians, z: &[f64], signal: f64) -> Matrix {
        self.first.fill(w, q, z, None);
        let m = z.len() / q.d;
        let mut psi1 = Matrix::zeros(m, q.n);
        for (i, row) in self.first.values.chunks_exact(m.div_ceil(WIDTH)).enumerate() {
            psi1.col_as_slice_mut(i).iter_mut().zip(row.as_flattened()).for_each(|(slot, e)| *slot = signal * e);
        }
        psi1
    }

    /// Ψ2 [m, m], and for each pair the constant s⁴ exp(−¼ Σ_a w_a (z_ja − z_ka)²) that its bumps are multiplied by.
    fn psi2(&mut self, w: &[f64], q: Gaussians, z: &[f64], signal: f64) -> (Matrix, Vec<f64>) {
        let (m, count) = (z.len() / q.d, self.pairs.len());
        let mut middles = vec![0.0; count * q.d];
        for a in 0..q.d {
            for (p, &(j, k)) in self.pairs.iter().enumerate() {
                middles[a * count + p] = 0.5 * (z[a * m + j] + z[a * m + k]);
            }
        }
        let mut totals = vec![0.0; count];
        self.second.fill(w, q, &middles, Some(&mut totals));
        let (mut psi2, mut constants) = (Matrix::zeros(m, m), vec![0.0; count]);
        for (p, &(j, k)) in self.pairs.iter().enumerate() {
            let apart: f64 = (0..q.d).map(|a| w[a] * (z[a * m + j] - z[a * m + k]).powi(2)).sum();
            constants[p] = signal * signal * (-0.25 * apart).exp();
            psi2[(j, k)] = constants[p] * totals[p];
            psi2[(k, j)] = psi2[(j, k)];
        }
        (psi2, constants)
    }
}

fn transposed(matrix: &Matrix) -> Matrix {
    matrix.transpose().to_owned()
}

/// `rootᵀ · middle · root`.
fn between(root: &Matrix, middle: &Matrix) -> Matrix {
    sequential_product(&transposed(root), &sequential_product(middle, root))
}

impl Objective for Bound {
    fn evaluate(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (n, d, features) = (self.y.ncols(), self.n_components, self.n_features);
        let (m, at) = self.layout(parameters.len());
        let variance: Vec<f64> = parameters[at.s..at.z].iter().map(|log| log.exp()).collect();
        let q = Gaussians { mean: &parameters[..at.s], variance: &variance, n, d };
        let z = &parameters[at.z..at.w];
        let w: Vec<f64> = parameters[at.w..at.signal].iter().map(|log| log.exp()).collect();
        let (signal, beta) = (parameters[at.signal].exp(), parameters[at.beta].exp());

        let kuu = Matrix::from_fn(m, m, |j, k| {
            let apart: f64 = (0..d).map(|a| w[a] * (z[a * m + j] - z[a * m + k]).powi(2)).sum();
            signal * (-0.5 * apart).exp()
        });
        let psi1 = self.psi1(&w, q, z, signal);
        let (psi2, constants) = self.psi2(&w, q, z, signal);
        let jitter = self.relative_jitter * signal;
        let with_jitter = Matrix::from_fn(m, m, |j, k| kuu[(j, k)] + if j == k { JITTER + jitter } else { 0.0 });
        let (root, _) = inverse_factor(&with_jitter, "covariance of the inducing points")?; // L⁻¹
        let inner = between(&transposed(&root), &psi2);
        let a = Matrix::from_fn(m, m, |j, k| 0.5 * beta * (inner[(j, k)] + inner[(k, j)]));
        let b = Matrix::from_fn(m, m, |j, k| a[(j, k)] + f64::from(j == k));
        let (root_b, log_det_b) = inverse_factor(&b, "precision of the inducing points")?; // M⁻¹
        let t = sequential_product(&root_b, &root);
        let c = product(&t, &product_transposed(&psi1, &self.y)); // [m, D]
        let e = product(&transposed(&t), &c);
        let fit: f64 = (0..c.ncols()).map(|f| dot(c.col_as_slice(f), c.col_as_slice(f))).sum();
        let points = n as f64;
        let kl: f64 = 0.5
            * (dot(q.mean, q.mean)
                + variance.iter().zip(&parameters[at.s..at.z]).map(|(s, log)| s - log - 1.0).sum::<f64>());
        let value = 0.5 * points * features * (parameters[at.beta] - TAU.ln())
            - 0.5 * features * log_det_b
            - 0.5 * beta * self.energy
            + 0.5 * beta * beta * fit
            - 0.5 * beta * features * points * signal
            + 0.5 * features * trace(&a)
            - kl;

        let b_inverse = sequential_gram(&root_b);
        let explained = Matrix::from_fn(m, m, |j, k| f64::from(j == k) - b_inverse[(j, k)]);
        let (of_psi2, of_kuu) = (between(&root, &explained), between(&root, &(&explained - &a)));
        let outer = product_transposed(&e, &e);
        let of_psi2 = Matrix::from_fn(m, m, |j, k| {
            0.25 * beta * features * (of_psi2[(j, k)] + of_psi2[(k, j)]) - 0.5 * beta.powi(3) * outer[(j, k)]
        });
        let of_kuu = Matrix::from_fn(m, m, |j, k| {
            0.25 * features * (of_kuu[(j, k)] + of_kuu[(k, j)]) - 0.5 * beta * beta * outer[(j, k)]
        });
        let of_psi1 = product(&e, &self.y); // without β² [m, n]

        gradient.fill(0.0);
        let (of_mean, rest) = gradient.split_at_mut(at.s);
        let (of_variance, rest) = rest.split_at_mut(at.z - at.s);
        let (of_z, rest) = rest.split_at_mut(at.w - at.z);
        let (of_w, rest) = rest.split_at_mut(d);
        let [of_signal, of_beta] = rest else { return Ok(value) };

        let blocks = m.div_ceil(WIDTH);
        let mut weights = vec![ZERO; n * blocks];
        for (i, row) in weights.chunks_exact_mut(blocks).enumerate() {
            let column = of_psi1.col_as_slice(i);
            row.as_flattened_mut().iter_mut().zip(column).for_each(|(slot, g)| *slot = beta * beta * signal * g);
            *of_signal += beta * beta * dot(column, psi1.col_as_slice(i));
        }
        let flow = Flow { mean: of_mean, variance: of_variance, log_w: of_w, centers: of_z };
        self.first.flow_back(&w, q, &weights, flow);

        let mut weights: Vec<Lane> = vec![ZERO; self.pairs.len().div_ceil(WIDTH)];
        let flat = weights.as_flattened_mut();
        let mut by_psi2 = 0.0; // Σ ∂F/∂Ψ2 ∘ Ψ2
        for (p, &(j, k)) in self.pairs.iter().enumerate() {
            let twice = if j == k { 1.0 } else { 2.0 };
            flat[p] = twice * of_psi2[(j, k)] * constants[p];
            let (worth, kernel) = (twice * of_psi2[(j, k)] * psi2[(j, k)], twice * of_kuu[(j, k)] * kuu[(j, k)]);
            by_psi2 += worth;
            *of_signal += 2.0 * worth + kernel;
            for a in 0..d {
                let delta = z[a * m + j] - z[a * m + k];
                let pull = w[a] * delta * (0.5 * worth + kernel);
                of_z[a * m + j] -= pull;
                of_z[a * m + k] += pull;
                of_w[a] -= w[a] * delta * delta * (0.25 * worth + 0.5 * kernel);
            }
        }
        let count = self.pairs.len();
        let mut of_middles = vec![0.0; count * d];
        let flow = Flow { mean: of_mean, variance: of_variance, log_w: of_w, centers: &mut of_middles };
        self.second.flow_back(&w, q, &weights, flow);
        for a in 0..d {
            for (p, &(j, k)) in self.pairs.iter().enumerate() {
                of_z[a * m + j] += 0.5 * of_middles[a * count + p];
                of_z[a * m + k] += 0.5 * of_middles[a * count + p];
            }
        }
        *of_signal += jitter * trace(&of_kuu) - 0.5 * beta * features * points * signal;
        *of_beta = 0.5 * points * features - 0.5 * beta * (self.energy + features * points * signal)
            + beta * beta * fit
            + by_psi2;
        for (slot, mean) in of_mean.iter_mut().zip(q.mean) {
            *slot -= mean;
        }
        for (slot, s) in of_variance.iter_mut().zip(&variance) {
            *slot = *slot * s - 0.5 * (s - 1.0);
        }
        Ok(value)
    }
}
