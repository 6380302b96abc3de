//! A new point with its neighbours: the E-steps of q(x*) and q(C*), and what the bound gains (docs/derivation.md, eqs. 15–17).
//!
//! The map C* stays in the span of (1 + d_x)² vectors that do not change from step to step, so the steps work with their
//! inner products and their cost does not depend on the number of features.

use super::frozen::Frozen;
use super::surroundings::Surroundings;
use crate::linalg::{Matrix, dot, sequential_gram, sequential_product, small};
use crate::model::Hyperparameters;
use std::f64::consts::PI;

/// q(x*) relative to the mean of the neighbours.
#[derive(Clone)]
pub(super) struct NewCoordinates {
    pub mean: Vec<f64>,
    pub precision: Vec<f64>,
    pub covariance: Vec<f64>,
    pub log_det: f64,
    /// Right-hand side of the mean.
    pub linear: Vec<f64>,
}

/// q(C*): its mean is `span` · `weights`.
pub(super) struct NewMaps {
    weights: Vec<f64>,
    /// Inner products of the span with the mean. [p, d_x]
    seen: Vec<f64>,
    /// Mean of C*ᵀC* without its covariance. [d_x, d_x]
    square: Vec<f64>,
    pub covariance: Vec<f64>,
    log_det: f64,
}

/// All that the steps need of a new point and its neighbours.
pub(super) struct NewStar<'a> {
    frozen: &'a Frozen,
    around: &'a Surroundings,
    k: f64,
    /// Mean of the neighbours' coordinates; all coordinates here are relative to it.
    pub center: Vec<f64>,
    /// Σ_j |x_j|².
    spread: f64,
    /// Σ_j |C_j|².
    map_energy: f64,
    /// What the neighbours' maps leave unexplained for x* and C* at zero.
    residual: f64,
    /// Σ_jl M_jl x_j x_lᵀ. [d_x, d_x]
    xmx: Vec<f64>,
    /// Σ_jl M_jl C_jᵀC_l. [d_x, d_x]
    cmc: Vec<f64>,
    /// Σ_j C_jᵀt_j. `[d_x]`
    pull: Vec<f64>,
    /// U₁ and U₀, then for each component c and T, a vector a column. [d_y, p]
    span: Matrix,
    /// Inner products of the span. [p, p]
    gram: Matrix,
    /// log|I + WKW|.
    log_det: f64,
}

/// Which vector of the span is which.
struct Places {
    d_x: usize,
}

impl Places {
    fn count(&self) -> usize {
        (1 + self.d_x) * (1 + self.d_x)
    }
    fn own(&self, a: usize) -> usize {
        1 + a
    }
    fn sum(&self, a: usize) -> usize {
        (1 + a) * (1 + self.d_x)
    }
    fn tilted(&self, a: usize, b: usize) -> usize {
        self.sum(a) + 1 + b
    }
}

impl<'a> NewStar<'a> {
    pub fn new(frozen: &'a Frozen, y: &[f64], around: &'a Surroundings) -> Option<Self> {
        let (k, d_x, d_y) = (around.points.len(), frozen.d_x(), frozen.d_y());
        let points = || around.points.iter().map(|&j| j as usize);
        let x = |j: usize| frozen.coordinates.col_as_slice(j);
        let center: Vec<f64> = (0..d_x).map(|a| points().map(|j| x(j)[a]).sum::<f64>() / k as f64).collect();
        let relative = Matrix::from_fn(k, d_x, |p, a| x(around.points[p] as usize)[a] - center[a]);
        let (spread_apart, log_det) = spread_apart(&around.greens[0], k)?; // A

        // v, e and the columns C_a, a neighbour a column
        let mut misses = Matrix::zeros(d_y, k);
        let mut excess = Matrix::zeros(d_y, k);
        let mut maps = vec![Matrix::zeros(d_y, k); d_x];
        for (p, j) in points().enumerate() {
            let miss = misses.col_as_slice_mut(p);
            let steps = frozen.observations.col_as_slice(j).iter().zip(y);
            miss.iter_mut().zip(steps).for_each(|(miss, (y_j, y))| *miss = y_j - y);
            for (a, column) in frozen.map(j).enumerate() {
                add(miss, -0.5 * relative[(p, a)], column);
                maps[a].col_as_slice_mut(p).copy_from_slice(column);
            }
            let levels = miss.iter().zip(&around.potentials[p * d_y..]);
            excess
                .col_as_slice_mut(p)
                .iter_mut()
                .zip(levels)
                .for_each(|(excess, (miss, level))| *excess = miss - level);
        }
        let smoothed = sequential_product(&excess, &spread_apart); // eA
        let mut tension = misses.clone(); // t = v − eA
        tension -= &smoothed;
        let residual = all_dot(&misses, &misses) - all_dot(&excess, &smoothed);
        let kept = Matrix::from_fn(k, k, |p, q| f64::from(u8::from(p == q)) - spread_apart[(p, q)]); // M
        let tilted = sequential_product(&kept, &relative); // Mx
        let xmx =
            (0..d_x * d_x).map(|ab| dot(relative.col_as_slice(ab / d_x), tilted.col_as_slice(ab % d_x))).collect();
        let kept_maps: Vec<Matrix> = maps.iter().map(|map| sequential_product(map, &kept)).collect();
        let cmc = (0..d_x * d_x).map(|ab| all_dot(&maps[ab / d_x], &kept_maps[ab % d_x])).collect();
        let pull = maps.iter().map(|map| all_dot(map, &tension)).collect();
        let map_energy = maps.iter().map(|map| all_dot(map, map)).sum();

        let Hyperparameters { gamma, lambda, nu, .. } = frozen.hyper;
        let with_one = |x: &Matrix| Matrix::from_fn(k, 1 + d_x, |p, c| if c == 0 { 1.0 } else { x[(p, c - 1)] });
        let places = Places { d_x };
        let mut span = Matrix::zeros(d_y, places.count());
        let mut blocks = vec![sequential_product(&tension, &with_one(&relative))];
        blocks.extend(maps.iter().map(|map| sequential_product(map, &with_one(&tilted))));
        for (b, block) in blocks.iter().enumerate() {
            for c in 0..=d_x {
                add(span.col_as_slice_mut(b * (1 + d_x) + c), if b == 0 { gamma } else { 1.0 }, block.col_as_slice(c));
            }
        }
        for a in 0..d_x {
            let own = span.col_as_slice_mut(places.own(a));
            add(own, 2.0 * lambda, blocks[1 + a].col_as_slice(0));
            if nu == 0.0 {
                add(own, -lambda * frozen.epsilon, &frozen.map_sum[a * d_y..]);
                if let Some(i) = around.without {
                    add(own, lambda * frozen.epsilon, frozen.maps.col_as_slice(i * d_x + a));
                }
            }
        }
        let gram = sequential_gram(&span);
        let spread = all_dot(&relative, &relative);
        let k = k as f64;
        Some(Self { frozen, around, k, center, spread, map_energy, residual, xmx, cmc, pull, span, gram, log_det })
    }

    fn places(&self) -> Places {
        Places { d_x: self.frozen.d_x() }
    }

    /// The mean of the neighbours' maps, known exactly.
    pub fn first_maps(&self) -> NewMaps {
        let (d_x, places) = (self.frozen.d_x(), self.places());
        let mut weights = vec![0.0; places.count() * d_x];
        (0..d_x).for_each(|a| weights[places.sum(a) * d_x + a] = 1.0 / self.k);
        self.maps(weights, vec![0.0; d_x * d_x], 0.0)
    }

    fn maps(&self, weights: Vec<f64>, covariance: Vec<f64>, log_det: f64) -> NewMaps {
        let (d_x, count) = (self.frozen.d_x(), self.places().count());
        let mut seen = vec![0.0; count * d_x];
        for p in 0..count {
            for q in 0..count {
                add(&mut seen[p * d_x..(p + 1) * d_x], self.gram[(p, q)], &weights[q * d_x..]);
            }
        }
        let mut square = vec![0.0; d_x * d_x];
        for p in 0..count {
            for a in 0..d_x {
                add(&mut square[a * d_x..(a + 1) * d_x], weights[p * d_x + a], &seen[p * d_x..]);
            }
        }
        NewMaps { weights, seen, square, covariance, log_det }
    }

    /// E-step of q(x*).
    pub fn update_coordinates(&self, maps: &NewMaps) -> Option<NewCoordinates> {
        let (d_x, d_y, places) = (self.frozen.d_x(), self.frozen.d_y() as f64, self.places());
        let Hyperparameters { alpha, gamma, .. } = self.frozen.hyper;
        let sum = |a: usize, b: usize| maps.seen[places.sum(a) * d_x + b];
        let precision: Vec<f64> = (0..d_x * d_x)
            .map(|ab| {
                let (a, b) = (ab / d_x, ab % d_x);
                let own = if a == b { alpha + 2.0 * self.k } else { 0.0 };
                let squares = self.k * (maps.square[ab] + d_y * maps.covariance[ab]) + self.cmc[ab];
                own + 0.5 * gamma * (squares + sum(a, b) + sum(b, a))
            })
            .collect();
        let linear: Vec<f64> = (0..d_x)
            .map(|a| {
                let tilted: f64 = (0..d_x).map(|b| maps.seen[places.tilted(a, b) * d_x + b]).sum();
                0.5 * gamma * tilted - maps.seen[a] - gamma * self.pull[a] - alpha * self.center[a]
            })
            .collect();
        let mut covariance = precision.clone();
        let log_det = -small::invert(&mut covariance, d_x)?;
        let mean = small::times(&covariance, &linear);
        Some(NewCoordinates { mean, precision, covariance, log_det, linear })
    }

    /// What the features say of x*: precision and linear term, with this weight.
    pub fn of_features(&self, maps: &NewMaps, weight: f64) -> (Vec<f64>, Vec<f64>) {
        let (d_x, d_y, places) = (self.frozen.d_x(), self.frozen.d_y() as f64, self.places());
        let gamma = self.frozen.hyper.gamma;
        let sum = |a: usize, b: usize| maps.seen[places.sum(a) * d_x + b];
        let precision = (0..d_x * d_x).map(|ab| {
            let (a, b) = (ab / d_x, ab % d_x);
            let squares = self.k * (maps.square[ab] + d_y * maps.covariance[ab]) + self.cmc[ab];
            0.5 * weight * gamma * (squares + sum(a, b) + sum(b, a))
        });
        let linear = (0..d_x).map(|a| {
            let tilted: f64 = (0..d_x).map(|b| maps.seen[places.tilted(a, b) * d_x + b]).sum();
            weight * (0.5 * gamma * tilted - maps.seen[a] - gamma * self.pull[a])
        });
        (precision.collect(), linear.collect())
    }

    /// E-step of q(C*).
    pub fn update_maps(&self, x: &NewCoordinates) -> Option<NewMaps> {
        let (d_x, places, gamma) = (self.frozen.d_x(), self.places(), self.frozen.hyper.gamma);
        let prior = self.frozen.map_precision(self.around.points.len());
        let moment = |a: usize, b: usize| x.mean[a] * x.mean[b] + x.covariance[a * d_x + b];
        let mut covariance: Vec<f64> = (0..d_x * d_x)
            .map(|ab| {
                let (a, b) = (ab / d_x, ab % d_x);
                0.5 * gamma * (self.xmx[ab] + self.k * moment(a, b)) + if a == b { prior } else { 0.0 }
            })
            .collect();
        let log_det = -small::invert(&mut covariance, d_x)?;
        let mut right = vec![0.0; places.count() * d_x];
        for b in 0..d_x {
            right[b] = -x.mean[b];
            right[places.own(b) * d_x + b] = 1.0;
            for a in 0..d_x {
                right[places.sum(a) * d_x + b] = -0.5 * gamma * moment(a, b);
                right[places.tilted(a, b) * d_x + b] = 0.5 * gamma * x.mean[a];
            }
        }
        let weights = small::rows_times(&right, &covariance, d_x);
        Some(self.maps(weights, covariance, log_det))
    }

    /// The mean of C*. [d_y, d_x]
    pub fn map(&self, maps: &NewMaps) -> Matrix {
        let d_x = self.frozen.d_x();
        sequential_product(&self.span, &Matrix::from_fn(self.span.ncols(), d_x, |p, a| maps.weights[p * d_x + a]))
    }

    /// What of the change of the bound depends on q(x*) and q(C*), right after the E-step of q(x*).
    pub fn bound_change(&self, x: &NewCoordinates, maps: &NewMaps, d_y: f64) -> f64 {
        let (d_x, places) = (self.frozen.d_x(), self.places());
        let Hyperparameters { alpha, gamma, lambda, .. } = self.frozen.hyper;
        let squares: Vec<f64> = maps.square.iter().zip(&maps.covariance).map(|(s, c)| s + d_y * c).collect();
        let energy: f64 = (0..d_x).map(|a| squares[a * d_x + a]).sum();
        let along: f64 = (0..d_x).map(|a| maps.seen[places.own(a) * d_x + a]).sum();
        let prior = self.frozen.map_precision(self.around.points.len());
        let of_maps = along - 0.25 * gamma * dot(&squares, &self.xmx) - 0.5 * prior * energy - lambda * self.map_energy;
        let of_coordinates =
            0.5 * dot(&x.mean, &x.linear) - self.spread - 0.5 * alpha * dot(&self.center, &self.center);
        let entropies = 0.5 * x.log_det + 0.5 * d_y * (maps.log_det + d_x as f64);
        of_maps + of_coordinates + entropies - gamma * self.residual
    }

    /// What depends only on the graph and on y* itself: determinants of the enlarged graph, and units.
    pub fn normaliser(&self, y: &[f64], d_y: f64) -> f64 {
        let (d_x, n) = (self.frozen.d_x() as f64, self.around.n as f64);
        let Hyperparameters { gamma, lambda, .. } = self.frozen.hyper;
        let grown = ((n + 1.0) / n).ln();
        let laplacian = grown + self.k.ln() + self.log_det; // change of log pdet L
        let of_shift = |which: usize, shift: f64| self.shifted_determinant(which, shift, n);
        let coordinates = 2f64.ln() + of_shift(1, 0.5 * self.frozen.hyper.alpha);
        let maps = (2.0 * lambda).ln()
            + match self.frozen.hyper.nu {
                0.0 => laplacian + grown,
                nu => of_shift(2, 0.5 * nu / lambda),
            };
        let out = self.around.without.map(|i| self.frozen.observations.col_as_slice(i));
        let sum = |f: usize| self.frozen.observation_sum[f] - out.map_or(0.0, |out| out[f]);
        let shift: f64 = y.iter().enumerate().map(|(f, y)| y * (y + 2.0 * sum(f))).sum();
        0.5 * d_y * (laplacian + grown + (gamma / PI).ln()) - 0.5 * self.frozen.epsilon * shift
            + 0.5 * d_x * (coordinates + d_y * maps)
    }

    /// Change of log|L + aI| by the new point.
    fn shifted_determinant(&self, which: usize, a: f64, n: f64) -> f64 {
        let k = self.around.points.len();
        let mut inverse = self.around.greens[which].clone();
        (0..k).for_each(|j| inverse[j * k + j] += 1.0);
        match small::invert(&mut inverse, k) {
            Some(log_det) => log_det + (a + (n + 1.0) / n * inverse.iter().sum::<f64>()).ln(),
            None => f64::NAN,
        }
    }
}

/// A = (I + WKW)⁻¹ − 11ᵀ/k with W = I − 11ᵀ/k, and log|I + WKW|. K is given up to constants.
fn spread_apart(green: &[f64], k: usize) -> Option<(Matrix, f64)> {
    let means: Vec<f64> = green.chunks(k).map(|row| row.iter().sum::<f64>() / k as f64).collect();
    let mean = means.iter().sum::<f64>() / k as f64;
    let mut inverse: Vec<f64> = (0..k * k).map(|pq| green[pq] - means[pq / k] - means[pq % k] + mean).collect();
    (0..k).for_each(|j| inverse[j * k + j] += 1.0);
    let log_det = small::invert(&mut inverse, k)?;
    Some((Matrix::from_fn(k, k, |p, q| inverse[p * k + q] - 1.0 / k as f64), log_det))
}

/// Sum of the products of all entries.
fn all_dot(a: &Matrix, b: &Matrix) -> f64 {
    (0..a.ncols()).map(|c| dot(a.col_as_slice(c), b.col_as_slice(c))).sum()
}

/// `target += factor * vector`, of the vector as much as the target has.
fn add(target: &mut [f64], factor: f64, vector: &[f64]) {
    target.iter_mut().zip(vector).for_each(|(slot, value)| *slot += factor * value);
}
