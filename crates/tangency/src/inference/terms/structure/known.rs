//! Values that are an affine function of the coordinates: z_if = V_f·x_i + v_f + noise, with q(V_f, v_f) Gaussian and q(τ_f) a
//! Gamma distribution (docs/derivation.md, eq. S4–S6).
//!
//! Values are centred and divided by their standard deviation first. κ_f, the precision of the prior of V_f, is learned: a value
//! that has nothing to do with the coordinates switches itself off, and then costs and changes nothing.

use super::special::{digamma, log_gamma};
use crate::inference::moments::PointMoments;
use crate::linalg::small;
use crate::model::KnownValues;
use std::f64::consts::PI;

/// Prior precision of v_f, in standard deviations of the values.
const OF_INTERCEPT: f64 = 0.1;
/// The prior of τ_f: one that knows as much as two values do, with deviations of a tenth.
const SHAPE: f64 = 1.0;
const RATE: f64 = 0.01;
/// The largest κ_f.
const LARGEST: f64 = 1e12;
/// Rounds of the first time, and of each later one.
const FIRST_ROUNDS: usize = 60;
const ROUNDS: usize = 2;

/// One kind of value.
#[derive(Clone)]
pub struct Line {
    /// What was taken off the values, and what they were divided by.
    pub center: f64,
    pub scale: f64,
    /// Points whose value is known.
    points: Vec<u32>,
    /// Their values.
    values: Vec<f64>,
    /// Their precisions where these were given, NaN where they are to be learned.
    given: Vec<f64>,
    /// Mean of (V_f, v_f). `[d + 1]`
    pub mean: Vec<f64>,
    /// Covariance of it. `[(d + 1)²]`
    pub covariance: Vec<f64>,
    /// q(τ_f).
    shape: f64,
    rate: f64,
    /// κ_f.
    shrinkage: f64,
    /// The bound on the density of the values where coordinates have no part in them.
    alone: f64,
    /// Whether coordinates have a part in them.
    pub on: bool,
}

impl Line {
    fn new(known: &KnownValues, f: usize, d: usize) -> Self {
        let width = known.names.len();
        let n = known.values.len() / width;
        let points: Vec<u32> = (0..n as u32).filter(|&i| !known.values[i as usize * width + f].is_nan()).collect();
        let raw: Vec<f64> = points.iter().map(|&i| known.values[i as usize * width + f]).collect();
        let count = raw.len().max(1) as f64;
        let center = raw.iter().sum::<f64>() / count;
        let scale = (raw.iter().map(|z| (z - center).powi(2)).sum::<f64>() / count).sqrt();
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let precision = |&i: &u32| (known.deviations[i as usize * width + f] / scale).powi(-2);
        let mut line = Self {
            center,
            scale,
            given: points.iter().map(precision).collect(),
            values: raw.iter().map(|z| (z - center) / scale).collect(),
            points,
            mean: vec![0.0; d + 1],
            covariance: vec![0.0; (d + 1) * (d + 1)],
            shape: SHAPE,
            rate: RATE,
            shrinkage: 1.0,
            alone: 0.0,
            on: false,
        };
        let nowhere = PointMoments { mean: vec![], covariance: vec![], d_x: 0 };
        let mut without = Self { mean: vec![0.0], covariance: vec![1.0 / OF_INTERCEPT], ..line.clone() };
        without.improve(&nowhere, FIRST_ROUNDS);
        line.alone = without.height(&nowhere);
        (line.shape, line.rate) = (without.shape, without.rate);
        line
    }

    /// q(τ), κ, and the bound without the coordinates.
    #[cfg(test)]
    pub(super) fn numbers(&self) -> (f64, f64, f64, f64) {
        (self.shape, self.rate, self.shrinkage, self.alone)
    }

    fn d(&self) -> usize {
        self.mean.len() - 1
    }

    /// The precision of the value at this place of the list.
    fn precision(&self, place: usize) -> f64 {
        if self.given[place].is_nan() { self.shape / self.rate } else { self.given[place] }
    }

    /// The variance of the noise that is learned, in the units of the user; where all deviations were given nothing is left.
    pub fn noise(&self) -> f64 {
        let learned = self.given.iter().any(|given| given.is_nan());
        if learned { self.scale * self.scale * self.rate / self.shape } else { 0.0 }
    }

    /// E(z − V·x − v)² at this place of the list.
    fn missed(&self, points: &PointMoments, place: usize) -> f64 {
        let d = self.d();
        let (x, s) = points.of(self.points[place] as usize);
        let mut u = x.to_vec();
        u.push(1.0);
        let expected: f64 = u.iter().zip(&self.mean).map(|(u, b)| u * b).sum();
        let mut variance = 0.0;
        for a in 0..=d {
            for b in 0..=d {
                let q = self.covariance[a * (d + 1) + b];
                variance += u[a] * q * u[b];
                if a < d && b < d {
                    variance += s[a * d + b] * (q + self.mean[a] * self.mean[b]);
                }
            }
        }
        (self.values[place] - expected).powi(2) + variance
    }

    /// Some rounds of q(V, v), q(τ) and κ, each of which can only raise the bound.
    fn improve(&mut self, points: &PointMoments, rounds: usize) {
        let d = self.d();
        let size = d + 1;
        let learned = self.given.iter().filter(|given| given.is_nan()).count() as f64;
        for _ in 0..rounds {
            let mut precision = vec![0.0; size * size];
            let mut linear = vec![0.0; size];
            for place in 0..self.points.len() {
                let (x, s) = points.of(self.points[place] as usize);
                let weight = self.precision(place);
                for a in 0..size {
                    let own = if a < d { x[a] } else { 1.0 };
                    linear[a] += weight * own * self.values[place];
                    for b in 0..size {
                        let other = if b < d { x[b] } else { 1.0 };
                        let spread = if a < d && b < d { s[a * d + b] } else { 0.0 };
                        precision[a * size + b] += weight * (own * other + spread);
                    }
                }
            }
            for a in 0..size {
                precision[a * size + a] += if a < d { self.shrinkage } else { OF_INTERCEPT };
            }
            if small::invert(&mut precision, size).is_none() {
                return;
            }
            self.mean = small::times(&precision, &linear);
            self.covariance = precision;
            let missed: f64 =
                (0..self.points.len()).filter(|&p| self.given[p].is_nan()).map(|p| self.missed(points, p)).sum();
            (self.shape, self.rate) = (SHAPE + 0.5 * learned, RATE + 0.5 * missed);
            if d > 0 {
                let square: f64 = (0..d).map(|a| self.mean[a].powi(2) + self.covariance[a * size + a]).sum();
                self.shrinkage = (d as f64 / square).min(LARGEST);
            }
        }
    }

    /// E log p(z | x, V, v, τ) − KL(q(V, v) ‖ p) − KL(q(τ) ‖ p) in standard deviations of the values.
    fn height(&self, points: &PointMoments) -> f64 {
        let d = self.d();
        let size = d + 1;
        let log_tau = digamma(self.shape) - self.rate.ln();
        let of_value = |place: usize| {
            let log_precision = if self.given[place].is_nan() { log_tau } else { self.given[place].ln() };
            0.5 * (log_precision - (2.0 * PI).ln() - self.precision(place) * self.missed(points, place))
        };
        let values: f64 = (0..self.points.len()).map(of_value).sum();
        let log_det = small::invert(&mut self.covariance.clone(), size).unwrap_or(f64::NEG_INFINITY);
        let prior = |a: usize| if a < d { self.shrinkage } else { OF_INTERCEPT };
        let of_line: f64 = (0..size)
            .map(|a| 1.0 + prior(a).ln() - prior(a) * (self.mean[a].powi(2) + self.covariance[a * size + a]))
            .sum();
        let gamma = |shape: f64, rate: f64| shape * rate.ln() - log_gamma(shape);
        let of_noise = gamma(SHAPE, RATE) - gamma(self.shape, self.rate) + (SHAPE - self.shape) * log_tau
            - (RATE - self.rate) * self.shape / self.rate;
        values + 0.5 * (log_det + of_line) + of_noise
    }
}

/// All kinds of values.
#[derive(Clone)]
pub struct KnownTerm {
    pub lines: Vec<Line>,
}

impl KnownTerm {
    pub fn new(known: &KnownValues, d_x: usize) -> Self {
        Self { lines: (0..known.names.len()).map(|f| Line::new(known, f, d_x)).collect() }
    }

    /// Improves the lines at these coordinates. One that would lower the bound stays off.
    pub fn learn(&mut self, points: &PointMoments) {
        for line in &mut self.lines {
            if line.on {
                line.improve(points, ROUNDS);
                continue;
            }
            let mut tried = line.clone();
            // slopes as they would be if the values were the coordinates
            let n = points.n() as f64;
            tried.shrinkage = points.mean.iter().map(|x| x * x).sum::<f64>() / n;
            tried.improve(points, FIRST_ROUNDS);
            if tried.height(points) > line.alone {
                *line = Line { on: true, ..tried };
            }
        }
    }

    /// How much likelier each of the values is with the coordinates than without.
    pub fn gains(&self, points: &PointMoments) -> Vec<f64> {
        let gain = |line: &Line| if line.on { line.height(points) - line.alone } else { 0.0 };
        self.lines.iter().map(gain).collect()
    }

    /// What the values add to the bound.
    pub fn part(&self, points: &PointMoments) -> f64 {
        self.gains(points).iter().sum()
    }

    /// What they add to the precision and to the linear term of points.
    pub fn add_to(&self, precision: &mut [f64], linear: &mut [f64]) {
        for line in self.lines.iter().filter(|line| line.on) {
            let d = line.d();
            let size = d + 1;
            for (place, &i) in line.points.iter().enumerate() {
                let weight = line.precision(place);
                let block = &mut precision[i as usize * d * d..(i as usize + 1) * d * d];
                let second = |a: usize, b: usize| line.mean[a] * line.mean[b] + line.covariance[a * size + b];
                for a in 0..d {
                    linear[i as usize * d + a] += weight * (line.mean[a] * line.values[place] - second(a, d));
                    for b in 0..d {
                        block[a * d + b] += weight * second(a, b);
                    }
                }
            }
        }
    }

    /// x → t·x, V → V/t.
    pub fn rescale(&mut self, t: f64) {
        for line in &mut self.lines {
            let d = line.d();
            for a in 0..d {
                line.mean[a] /= t;
                for b in 0..=d {
                    line.covariance[a * (d + 1) + b] /= t;
                    line.covariance[b * (d + 1) + a] /= t;
                }
            }
            line.shrinkage *= t * t;
        }
    }
}
