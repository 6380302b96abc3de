//! Expectations of an RBF kernel under a Gaussian for each point, and what flows back through them.
//!
//! Ψ1_ij = ⟨k(x_i, z_j)⟩ and each point's share of Ψ2_jk = Σ_i ⟨k(x_i, z_j) k(x_i, z_k)⟩ are, up to a constant of the
//! centre, both bumps e_ip = Π_a (1 + κ w_a S_ia)^(−½) exp(−½κ q_ia (μ_ia − c_pa)²) with q = w/(1 + κwS): κ = 1 and the
//! centres z_j for Ψ1; κ = 2 and the midpoints (z_j + z_k)/2 for Ψ2, which needs each pair once.

use super::lanes::{self, AddRow, FillRow, Lane, LaneMoments, WIDTH, ZERO, vectorized};
use rayon::prelude::*;

/// Points that one thread sums up; a constant, so that the order of additions does not follow the number of threads.
const PART: usize = 32;

/// The Gaussians of all points, component by component. [n, d] each
#[derive(Clone, Copy)]
pub(super) struct Gaussians<'a> {
    pub(super) mean: &'a [f64],
    pub(super) variance: &'a [f64],
    pub(super) n: usize,
    pub(super) d: usize,
}

/// Where gradients are added to.
pub(super) struct Flow<'a> {
    pub(super) mean: &'a mut [f64],
    pub(super) variance: &'a mut [f64],
    pub(super) log_w: &'a mut [f64],
    /// [centres, d], component by component.
    pub(super) centers: &'a mut [f64],
}

/// Values e_ip for all points and centres.
pub(super) struct Bumps {
    kappa: f64,
    /// Number of centres, and of lanes of centres.
    count: usize,
    blocks: usize,
    centers: Vec<Lane>,
    /// Point by point. [n, blocks]
    pub(super) values: Vec<Lane>,
}

/// What a point contributes to the exponents: ½κq, μ and q for each component.
struct PsiShape {
    half: Vec<f64>,
    mean: Vec<f64>,
    q: Vec<f64>,
}

impl PsiShape {
    fn new(d: usize) -> Self {
        Self { half: vec![0.0; d], mean: vec![0.0; d], q: vec![0.0; d] }
    }

    /// Takes the shape of point i and returns the logarithm of its height.
    fn set(&mut self, kappa: f64, w: &[f64], q: Gaussians, i: usize) -> f64 {
        let mut height = 1.0;
        for a in 0..q.d {
            let spread = 1.0 + kappa * w[a] * q.variance[a * q.n + i];
            height *= spread;
            self.mean[a] = q.mean[a * q.n + i];
            self.q[a] = w[a] / spread;
            self.half[a] = 0.5 * kappa * self.q[a];
        }
        -0.5 * height.ln()
    }
}

impl Bumps {
    pub(super) fn new(kappa: f64, count: usize, n: usize) -> Self {
        let blocks = count.div_ceil(WIDTH);
        Self { kappa, count, blocks, centers: Vec::new(), values: vec![ZERO; n * blocks] }
    }

    /// Computes all values at these centres [count, d]; with `totals` also their sums over the points.
    pub(super) fn fill(&mut self, w: &[f64], q: Gaussians, centers: &[f64], totals: Option<&mut [f64]>) {
        lanes::pack(centers, self.count, &mut self.centers);
        let (kappa, blocks, wanted) = (self.kappa, self.blocks, totals.is_some());
        let centers = &self.centers;
        let work = |(part, values): (usize, &mut [Lane])| {
            let (mut shape, mut sums) = (PsiShape::new(q.d), vec![ZERO; if wanted { blocks } else { 0 }]);
            for (i, row) in values.chunks_exact_mut(blocks).enumerate() {
                let height = shape.set(kappa, w, q, part * PART + i);
                let (mean, half) = (&shape.mean, &shape.half);
                vectorized(FillRow { row, centers, mean, half, height, factor: 1.0 });
                vectorized(AddRow { sums: &mut sums, row });
            }
            sums
        };
        let parts: Vec<Vec<Lane>> = self.values.par_chunks_mut(PART * blocks).enumerate().map(work).collect();
        if let Some(totals) = totals {
            totals.fill(0.0);
            for part in &parts {
                totals.iter_mut().zip(part.as_flattened()).for_each(|(total, value)| *total += value);
            }
        }
    }

    /// Adds to `flow` the gradient of Σ_ip t_ip log e_ip, where t_ip = g·e_ip is what a change of log e_ip is worth, and
    /// g stands in `weights`, for each point a row of lanes or one row for all.
    pub(super) fn flow_back(&self, w: &[f64], q: Gaussians, weights: &[Lane], flow: Flow) {
        let (kappa, blocks, n, d) = (self.kappa, self.blocks, q.n, q.d);
        let shared = weights.len() == blocks;
        let work = |(part, values): (usize, &[Lane])| {
            let (mut shape, mut scratch) = (PsiShape::new(d), vec![ZERO; blocks]);
            let (mut of_centers, mut moments) = (vec![ZERO; blocks * d], vec![0.0; 1 + 2 * d]);
            // for each point ∂μ and ∂S, then ∂log w
            let points = values.len() / blocks;
            let mut found = vec![0.0; points * 2 * d + d];
            for (i, values) in values.chunks_exact(blocks).enumerate() {
                let point = part * PART + i;
                shape.set(kappa, w, q, point);
                vectorized(LaneMoments {
                    values,
                    weights: &weights[if shared { 0 } else { point * blocks }..][..blocks],
                    centers: &self.centers,
                    mean: &shape.mean,
                    half: &shape.half,
                    scratch: &mut scratch,
                    moments: &mut moments,
                    of_centers: &mut of_centers,
                });
                let zeroth = moments[0];
                for a in 0..d {
                    let (first, second) = (moments[1 + a], moments[1 + d + a]);
                    let (half, slope, s) = (shape.half[a], shape.q[a], q.variance[a * n + point]);
                    found[i * 2 * d + a] = -2.0 * half * first;
                    found[i * 2 * d + d + a] = half * (kappa * slope * second - zeroth);
                    found[points * 2 * d + a] -= half * (s * zeroth + slope / w[a] * second);
                }
            }
            (of_centers, found)
        };
        let parts: Vec<_> = self.values.par_chunks(PART * blocks).enumerate().map(work).collect();
        for (part, (of_centers, found)) in parts.iter().enumerate() {
            let points = (found.len() - d) / (2 * d);
            for a in 0..d {
                for i in 0..points {
                    flow.mean[a * n + part * PART + i] += found[i * 2 * d + a];
                    flow.variance[a * n + part * PART + i] += found[i * 2 * d + d + a];
                }
                flow.log_w[a] += found[points * 2 * d + a];
                let mine = of_centers[a * blocks..][..blocks].as_flattened();
                flow.centers[a * self.count..][..self.count]
                    .iter_mut()
                    .zip(mine)
                    .for_each(|(slot, value)| *slot += 2.0 * value);
            }
        }
    }
}
