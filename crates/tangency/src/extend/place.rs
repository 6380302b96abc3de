//! q(x*) and q(C*) of one new point, with everything else held at its posterior mean (docs/derivation.md, eqs. 15–17).
//!
//! The map C* stays in the span of (1 + d_x)² vectors that do not change from step to step, so the steps work with their
//! inner products and their cost does not depend on the number of features.

use super::Placement;
use super::surroundings::Surroundings;
use crate::linalg::{Matrix, dot, small};
use crate::model::Hyperparameters;
use std::f64::consts::PI;

/// A placement is done when a step moves it by less than this many of its standard deviations.
const STILL: f64 = 1e-11;
/// Most steps.
const MOST_STEPS: usize = 1000;

/// The training points at their posterior means, in scaled units.
pub(super) struct Frozen {
    /// [d_y, n]
    pub observations: Matrix,
    /// [d_x, n]
    pub coordinates: Matrix,
    /// Column i·d_x + a is column a of C_i. [d_y, n·d_x]
    pub maps: Matrix,
    pub hyper: Hyperparameters,
    pub epsilon: f64,
    /// Σ_i y_i. `[d_y]`
    pub observation_sum: Vec<f64>,
    /// Σ_i C_i. `[d_x·d_y]`
    pub map_sum: Vec<f64>,
}

impl Frozen {
    /// `observations` is d_y × n, `coordinates` d_x × n, `maps` d_y × n·d_x.
    pub fn new(observations: Matrix, coordinates: Matrix, maps: Matrix, hyper: Hyperparameters, epsilon: f64) -> Self {
        let (d_x, d_y) = (coordinates.nrows(), observations.nrows());
        let sum = |matrix: &Matrix, first: usize, step: usize, f: usize| -> f64 {
            (first..matrix.ncols()).step_by(step).map(|p| matrix[(f, p)]).sum()
        };
        let observation_sum = (0..d_y).map(|f| sum(&observations, 0, 1, f)).collect();
        let map_sum = (0..d_x * d_y).map(|p| sum(&maps, p / d_y, d_x, p % d_y)).collect();
        Self { observations, coordinates, maps, hyper, epsilon, observation_sum, map_sum }
    }

    /// u = BY − a: what the maps leave of the step along each edge. [d_y, m]
    pub fn residuals(&self, edges: &[(u32, u32)]) -> Matrix {
        let d_x = self.d_x();
        Matrix::from_fn(self.d_y(), edges.len(), |f, e| {
            let (i, j) = (edges[e].0 as usize, edges[e].1 as usize);
            let along = |a: usize| {
                let maps = self.maps[(f, i * d_x + a)] + self.maps[(f, j * d_x + a)];
                0.5 * maps * (self.coordinates[(a, j)] - self.coordinates[(a, i)])
            };
            self.observations[(f, j)] - self.observations[(f, i)] - (0..d_x).map(along).sum::<f64>()
        })
    }

    pub fn d_x(&self) -> usize {
        self.coordinates.nrows()
    }

    pub fn d_y(&self) -> usize {
        self.observations.nrows()
    }

    /// The columns of C_i, one after the other.
    pub fn map(&self, i: usize) -> impl Iterator<Item = &[f64]> {
        let d_x = self.d_x();
        (0..d_x).map(move |a| self.maps.col_as_slice(i * d_x + a))
    }

    /// Precision of C* by its prior.
    fn map_precision(&self, k: usize) -> f64 {
        let Hyperparameters { lambda, nu, .. } = self.hyper;
        2.0 * lambda * k as f64 + nu + if nu == 0.0 { lambda * self.epsilon } else { 0.0 }
    }
}

/// Places an observation given in scaled units; `None` if it is so far away that numbers overflow.
pub(super) fn place(frozen: &Frozen, y: &[f64], around: &Surroundings) -> Option<Placement> {
    let star = Star::new(frozen, y, around)?;
    let d_x = frozen.d_x();
    let d_y = frozen.d_y() as f64;
    let mut x = star.update_coordinates(&star.first_maps())?;
    let mut maps = star.update_maps(&x)?;
    let mut creep = Creep::new(&x);
    let mut steps = 0;
    loop {
        let next = star.update_coordinates(&maps)?;
        steps += 1;
        let moved: Vec<f64> = next.mean.iter().zip(&x.mean).map(|(new, old)| new - old).collect();
        let distance = dot(&moved, &small::times(&next.precision, &moved));
        if distance <= STILL * STILL || distance.is_nan() || steps == MOST_STEPS {
            x = next;
            break;
        }
        // an end that is not possible is no end
        (x, maps) = match creep.end(&x, &next).and_then(|end| star.update_maps(&end).map(|maps| (end, maps))) {
            Some(end) => end,
            None => {
                let maps = star.update_maps(&next)?;
                (next, maps)
            }
        };
    }
    let log_density = star.bound_change(&x, &maps, d_y) + star.normaliser(y, d_y);
    log_density.is_finite().then(|| Placement {
        neighbors: around.points.clone(),
        mean: x.mean.iter().zip(&star.center).map(|(x, center)| x + center).collect(),
        covariance: Matrix::from_fn(d_x, d_x, |a, b| x.covariance[a * d_x + b]),
        map: star.map(&maps),
        map_covariance: Matrix::from_fn(d_x, d_x, |a, b| maps.covariance[a * d_x + b]),
        log_density,
        steps,
        settled: steps < MOST_STEPS,
    })
}

/// q(x*) relative to the mean of the neighbours.
#[derive(Clone)]
struct NewCoordinates {
    mean: Vec<f64>,
    precision: Vec<f64>,
    covariance: Vec<f64>,
    log_det: f64,
    /// Right-hand side of the mean.
    linear: Vec<f64>,
}

/// Aitken's extrapolation. Where x* and C* pull on each other, steps creep: each is in the direction of the one before and
/// a fixed share of it. Then the sum of all that would follow is known. Steps that turn are left as they are, so that the
/// place where all comes to rest is the one that plain steps go to.
struct Creep {
    /// One over the first standard deviations, which makes means and covariances comparable.
    units: Vec<f64>,
    /// The step before, in those units.
    before: Option<Vec<f64>>,
}

/// Cosine of the angle between two steps of the same direction.
const SAME_DIRECTION: f64 = 0.999;
/// Share of a step that the next one is, when there is something to gain and when there may be no end.
const CREEPS: std::ops::Range<f64> = 0.2..0.998;

impl Creep {
    fn new(x: &NewCoordinates) -> Self {
        let d_x = x.mean.len();
        Self { units: (0..d_x).map(|a| 1.0 / x.covariance[a * d_x + a].sqrt()).collect(), before: None }
    }

    /// From a step, the place that it and all that follow would lead to, if it creeps.
    fn end(&mut self, from: &NewCoordinates, to: &NewCoordinates) -> Option<NewCoordinates> {
        let d_x = to.mean.len();
        let unit = |p: usize| match p.checked_sub(d_x) {
            None => self.units[p],
            Some(ab) => self.units[ab / d_x] * self.units[ab % d_x],
        };
        let entry = |x: &NewCoordinates, p: usize| if p < d_x { x.mean[p] } else { x.covariance[p - d_x] };
        let step: Vec<f64> = (0..d_x + d_x * d_x).map(|p| unit(p) * (entry(to, p) - entry(from, p))).collect();
        let before = self.before.replace(step)?;
        let step = self.before.as_ref()?;
        let (along, length) = (dot(step, &before), dot(&before, &before));
        let share = along / length;
        if along < SAME_DIRECTION * (length * dot(step, step)).sqrt() || !CREEPS.contains(&share) {
            return None;
        }
        let rest = share / (1.0 - share);
        let mut end = to.clone();
        end.mean.iter_mut().enumerate().for_each(|(p, x)| *x += rest * step[p] / unit(p));
        end.covariance.iter_mut().enumerate().for_each(|(ab, c)| *c += rest * step[d_x + ab] / unit(d_x + ab));
        self.before = None;
        Some(end)
    }
}

/// q(C*): its mean is `span` · `weights`.
struct NewMaps {
    weights: Vec<f64>,
    /// Inner products of the span with the mean. [p, d_x]
    seen: Vec<f64>,
    /// Mean of C*ᵀC* without its covariance. [d_x, d_x]
    square: Vec<f64>,
    covariance: Vec<f64>,
    log_det: f64,
}

/// All that the steps need of a new point and its neighbours.
struct Star<'a> {
    frozen: &'a Frozen,
    around: &'a Surroundings,
    k: f64,
    /// Mean of the neighbours' coordinates; all coordinates here are relative to it.
    center: Vec<f64>,
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
    /// U₁, U₀, c and T one after the other. [p, d_y]
    span: Vec<f64>,
    /// Inner products of the span. [p, p]
    gram: Vec<f64>,
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
        1 + self.d_x + a
    }
    fn tilted(&self, a: usize, b: usize) -> usize {
        1 + (2 + a) * self.d_x + b
    }
}

impl<'a> Star<'a> {
    fn new(frozen: &'a Frozen, y: &[f64], around: &'a Surroundings) -> Option<Self> {
        let (k, d_x, d_y) = (around.points.len(), frozen.d_x(), frozen.d_y());
        let points = || around.points.iter().map(|&j| j as usize);
        let x = |j: usize| frozen.coordinates.col_as_slice(j);
        let center: Vec<f64> = (0..d_x).map(|a| points().map(|j| x(j)[a]).sum::<f64>() / k as f64).collect();
        let relative: Vec<f64> = points().flat_map(|j| x(j).iter().zip(&center).map(|(x, c)| x - c)).collect(); // [k, d_x]
        let (spread_apart, log_det) = spread_apart(&around.greens[0], k)?; // A

        // rows [e_j, C_j] and, after it, A times them
        let width = (1 + d_x) * d_y;
        let mut rows = Vec::with_capacity(k * width);
        let mut misses = Vec::with_capacity(k * d_y); // v_j
        for (p, j) in points().enumerate() {
            let first = misses.len();
            misses.extend(frozen.observations.col_as_slice(j).iter().zip(y).map(|(y_j, y)| y_j - y));
            for (a, column) in frozen.map(j).enumerate() {
                let half = 0.5 * relative[p * d_x + a];
                misses[first..].iter_mut().zip(column).for_each(|(miss, c)| *miss -= half * c);
            }
            rows.extend(misses[first..].iter().zip(&around.potentials[first..]).map(|(miss, level)| miss - level));
            frozen.map(j).for_each(|column| rows.extend_from_slice(column));
        }
        let mut smoothed = vec![0.0; k * width];
        for p in 0..k {
            for q in 0..k {
                add(&mut smoothed[p * width..(p + 1) * width], spread_apart[p * k + q], &rows[q * width..]);
            }
        }
        let row = |p: usize, c: usize| &rows[p * width + c * d_y..p * width + (c + 1) * d_y];
        let smooth = |p: usize, c: usize| &smoothed[p * width + c * d_y..p * width + (c + 1) * d_y];

        let mut tilted = relative.clone(); // Mx = x − Ax [k, d_x]
        for p in 0..k {
            for q in 0..k {
                add(&mut tilted[p * d_x..(p + 1) * d_x], -spread_apart[p * k + q], &relative[q * d_x..]);
            }
        }
        let over_pairs = |entry: &dyn Fn(usize, usize, usize) -> f64| -> Vec<f64> {
            (0..d_x * d_x).map(|ab| (0..k).map(|p| entry(p, ab / d_x, ab % d_x)).sum()).collect()
        };
        let xmx = over_pairs(&|p, a, b| relative[p * d_x + a] * tilted[p * d_x + b]);
        let cmc = over_pairs(&|p, a, b| dot(row(p, 1 + a), row(p, 1 + b)) - dot(row(p, 1 + a), smooth(p, 1 + b)));

        let Hyperparameters { gamma, lambda, nu, .. } = frozen.hyper;
        let places = Places { d_x };
        let mut span = vec![0.0; places.count() * d_y];
        let mut into = |place: usize, factor: f64, vector: &[f64]| {
            add(&mut span[place * d_y..(place + 1) * d_y], factor, vector);
        };
        let mut pull = vec![0.0; d_x];
        let mut residual = 0.0;
        for p in 0..k {
            let miss = &misses[p * d_y..(p + 1) * d_y];
            residual += dot(miss, miss) - dot(row(p, 0), smooth(p, 0));
            let tension: Vec<f64> = miss.iter().zip(smooth(p, 0)).map(|(v, s)| v - s).collect(); // t_j
            into(0, gamma, &tension);
            for a in 0..d_x {
                let column = row(p, 1 + a);
                pull[a] += dot(column, &tension);
                into(places.own(a), gamma * relative[p * d_x + a], &tension);
                into(places.own(a), 2.0 * lambda, column);
                into(places.sum(a), 1.0, column);
                for b in 0..d_x {
                    into(places.tilted(a, b), tilted[p * d_x + b], column);
                }
            }
        }
        if nu == 0.0 {
            for a in 0..d_x {
                into(places.own(a), -lambda * frozen.epsilon, &frozen.map_sum[a * d_y..(a + 1) * d_y]);
                if let Some(i) = around.without {
                    into(places.own(a), lambda * frozen.epsilon, frozen.maps.col_as_slice(i * d_x + a));
                }
            }
        }
        let count = places.count();
        let mut gram = vec![0.0; count * count];
        for p in 0..count {
            for q in 0..=p {
                let value = dot(&span[p * d_y..(p + 1) * d_y], &span[q * d_y..(q + 1) * d_y]);
                (gram[p * count + q], gram[q * count + p]) = (value, value);
            }
        }
        let map_energy = (0..k).map(|p| (0..d_x).map(|a| dot(row(p, 1 + a), row(p, 1 + a))).sum::<f64>()).sum();
        let spread = dot(&relative, &relative);
        let k = k as f64;
        Some(Self { frozen, around, k, center, spread, map_energy, residual, xmx, cmc, pull, span, gram, log_det })
    }

    fn places(&self) -> Places {
        Places { d_x: self.frozen.d_x() }
    }

    /// The mean of the neighbours' maps, known exactly.
    fn first_maps(&self) -> NewMaps {
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
                add(&mut seen[p * d_x..(p + 1) * d_x], self.gram[p * count + q], &weights[q * d_x..]);
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
    fn update_coordinates(&self, maps: &NewMaps) -> Option<NewCoordinates> {
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

    /// E-step of q(C*).
    fn update_maps(&self, x: &NewCoordinates) -> Option<NewMaps> {
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
        let weights = right.chunks(d_x).flat_map(|row| small::times(&covariance, row)).collect();
        Some(self.maps(weights, covariance, log_det))
    }

    /// The mean of C*. [d_y, d_x]
    fn map(&self, maps: &NewMaps) -> Matrix {
        let (d_x, d_y) = (self.frozen.d_x(), self.frozen.d_y());
        let mut map = Matrix::zeros(d_y, d_x);
        for a in 0..d_x {
            let column = map.col_as_slice_mut(a);
            for (vector, weights) in self.span.chunks(d_y).zip(maps.weights.chunks(d_x)) {
                add(column, weights[a], vector);
            }
        }
        map
    }

    /// What of the change of the bound depends on q(x*) and q(C*), right after the E-step of q(x*).
    fn bound_change(&self, x: &NewCoordinates, maps: &NewMaps, d_y: f64) -> f64 {
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
    fn normaliser(&self, y: &[f64], d_y: f64) -> f64 {
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
fn spread_apart(green: &[f64], k: usize) -> Option<(Vec<f64>, f64)> {
    let means: Vec<f64> = green.chunks(k).map(|row| row.iter().sum::<f64>() / k as f64).collect();
    let mean = means.iter().sum::<f64>() / k as f64;
    let mut inverse: Vec<f64> = (0..k * k).map(|pq| green[pq] - means[pq / k] - means[pq % k] + mean).collect();
    (0..k).for_each(|j| inverse[j * k + j] += 1.0);
    let log_det = small::invert(&mut inverse, k)?;
    inverse.iter_mut().for_each(|value| *value -= 1.0 / k as f64);
    Some((inverse, log_det))
}

/// `target += factor * vector`, of the vector as much as the target has.
fn add(target: &mut [f64], factor: f64, vector: &[f64]) {
    target.iter_mut().zip(vector).for_each(|(slot, value)| *slot += factor * value);
}
