//! Groups of points: x_i ~ Σ_k π_k N(m_k, Λ_k⁻¹), by variational Bayes (docs/derivation.md, eq. S7–S10).
//!
//! The bound chooses the number: groups are split, joined and dropped as long as that raises it. Labels of some points fix the
//! class they are of; a class is one group or more.

use super::special::{digamma, log_gamma};
use crate::inference::moments::PointMoments;
use crate::linalg::{Matrix, small, symmetric_eigen};
use crate::model::GroupRequest;
use rayon::prelude::*;
use std::f64::consts::PI;

/// The prior of π: as if so many points of each group had been seen.
const SEEN: f64 = 1.0;
/// Rounds after a change of the number of groups, in which it must show its worth, and rounds of an update.
const TRIED_ROUNDS: usize = 12;
const ROUNDS: usize = 2;
/// Gain in nats for which the number of groups is changed.
const GAIN: f64 = 1e-3;
/// Pairs of groups that are joined in trial, the nearest first.
const PAIRS: usize = 8;
/// Most changes of the number of groups in an update.
const CHANGES: usize = 16;
/// Bounds of β0, the precision of the prior of m_k in units of Λ_k. Groups are farther apart than they are wide, and so a group
/// that is alone, whose centre is the origin, does not make a prior which holds the next ones there.
const SPREADS: [f64; 2] = [1e-6, 1.0];
/// β0 at most where a group is split.
const OF_SPLIT: f64 = 0.1;

/// One group.
#[derive(Clone, Debug)]
pub struct Group {
    /// The class it is of, if labels name classes.
    pub class: Option<u32>,
    /// q(π): so many points.
    pub count: f64,
    /// m_k. `[d]`
    pub mean: Vec<f64>,
    /// β_k.
    beta: f64,
    /// ν_k.
    freedom: f64,
    /// W_k. `[d²]`
    scale: Vec<f64>,
    log_det: f64,
}

impl Group {
    /// E Λ_k. `[d²]`
    pub fn precision(&self) -> Vec<f64> {
        self.scale.iter().map(|entry| self.freedom * entry).collect()
    }

    fn d(&self) -> usize {
        self.mean.len()
    }

    /// β_k, W_k and ν_k.
    #[cfg(test)]
    pub(super) fn numbers(&self) -> (f64, &[f64], f64) {
        (self.beta, &self.scale, self.freedom)
    }

    /// E log|Λ_k|.
    fn expected_log_det(&self) -> f64 {
        let d = self.d();
        let digammas: f64 = (0..d).map(|j| digamma(0.5 * (self.freedom - j as f64))).sum();
        digammas + d as f64 * 2f64.ln() + self.log_det
    }

    /// What of log N(x; m_k, Λ_k⁻¹) does not depend on x, expected.
    fn constant(&self) -> f64 {
        let d = self.d() as f64;
        0.5 * (self.expected_log_det() - d * (2.0 * PI).ln() - d / self.beta)
    }

    /// ν_k E(x − m_k)ᵀW_k(x − m_k).
    fn distance(&self, (x, s): (&[f64], &[f64])) -> f64 {
        let d = self.d();
        let mut sum = 0.0;
        for a in 0..d {
            for b in 0..d {
                let square = (x[a] - self.mean[a]) * (x[b] - self.mean[b]) + s[a * d + b];
                sum += self.scale[a * d + b] * square;
            }
        }
        self.freedom * sum
    }
}

/// All groups.
#[derive(Clone)]
pub struct GroupTerm {
    least: usize,
    most: usize,
    classes: usize,
    labels: Vec<Option<u32>>,
    pub groups: Vec<Group>,
    /// How likely each point is of each group. `[n·K]`
    pub shares: Vec<f64>,
    /// β0 and W0.
    beta: f64,
    scale: Vec<f64>,
    /// Times that it was learned.
    updates: usize,
    /// The bound on log p(labels) where coordinates have no part in them.
    labels_alone: f64,
    d: usize,
}

/// log B(W, ν) of a Wishart distribution with this log|W|.
fn log_wishart(log_det: f64, freedom: f64, d: usize) -> f64 {
    let gammas: f64 = (0..d).map(|j| log_gamma(0.5 * (freedom - j as f64))).sum();
    let d = d as f64;
    -0.5 * freedom * log_det - 0.5 * freedom * d * 2f64.ln() - 0.25 * d * (d - 1.0) * PI.ln() - gammas
}

impl GroupTerm {
    pub fn new(request: &GroupRequest, n: usize, d: usize) -> Self {
        let classes = request.classes.len();
        let mut counts = vec![0.0; classes];
        request.labels.iter().flatten().for_each(|&class| counts[class as usize] += 1.0);
        // classes with the prior of groups, which are as many
        let labels_alone =
            dirichlet(&vec![SEEN; classes]) - dirichlet(&counts.iter().map(|c| c + SEEN).collect::<Vec<_>>());
        Self {
            least: request.least,
            most: request.most,
            classes,
            labels: if request.labels.is_empty() { vec![None; n] } else { request.labels.clone() },
            groups: vec![],
            shares: vec![],
            beta: 1.0,
            scale: vec![],
            updates: 0,
            labels_alone: if classes > 0 { labels_alone } else { 0.0 },
            d,
        }
    }

    fn freedom(&self) -> f64 {
        self.d as f64 + 2.0
    }

    /// β0, W0 and ν0.
    #[cfg(test)]
    pub(super) fn prior(&self) -> (f64, Vec<f64>, f64) {
        (self.beta, self.scale.clone(), self.freedom())
    }

    /// Improves all of it at these coordinates, the number of groups too now and then.
    pub fn learn(&mut self, points: &PointMoments) {
        if self.groups.is_empty() {
            self.begin(points);
        }
        for _ in 0..ROUNDS {
            self.round(points);
        }
        self.updates += 1;
        // at first and then ever more rarely
        if self.updates.is_power_of_two() || self.updates.is_multiple_of(16) {
            self.change_number(points);
        }
    }

    /// One group of all points, or one of each class, and the prior that goes with them.
    fn begin(&mut self, points: &PointMoments) {
        let (d, n) = (self.d, points.n());
        let count = self.classes.max(1);
        let every = Group {
            class: None,
            count: SEEN,
            mean: vec![0.0; d],
            beta: 1.0,
            freedom: self.freedom(),
            scale: vec![0.0; d * d],
            log_det: 0.0,
        };
        self.groups =
            (0..count).map(|k| Group { class: (self.classes > 0).then_some(k as u32), ..every.clone() }).collect();
        // the scatter of all, of which groups have a part
        let mut scatter = vec![0.0; d * d];
        for i in 0..n {
            let (x, s) = points.of(i);
            (0..d * d).for_each(|p| scatter[p] += (x[p / d] * x[p % d] + s[p]) / n as f64);
        }
        let _ = small::invert(&mut scatter, d);
        self.scale = scatter.iter().map(|entry| entry / self.freedom()).collect();
        self.shares = (0..n * count)
            .map(|p| match self.labels[p / count] {
                Some(class) if self.classes > 0 => f64::from(u8::from(class as usize == p % count)),
                // the others have a hand in it only once labelled points have made the groups
                _ if self.classes > 0 => 1e-9,
                _ => 1.0,
            })
            .collect();
        self.learn_groups(points);
        (0..TRIED_ROUNDS).for_each(|_| self.round(points));
        while self.groups.len() < self.least && self.split_best(points, f64::NEG_INFINITY) {}
    }

    /// Shares, groups, and the prior of groups in turn.
    fn round(&mut self, points: &PointMoments) {
        self.learn_shares(points);
        self.learn_groups(points);
        self.learn_prior();
    }

    /// E log π_k, and what of log-densities does not depend on the point.
    pub fn logs(&self) -> Vec<f64> {
        let total: f64 = self.groups.iter().map(|group| group.count).sum();
        self.groups.iter().map(|group| digamma(group.count) - digamma(total) + group.constant()).collect()
    }

    fn may_be(&self, i: usize, k: usize) -> bool {
        self.classes == 0 || self.labels[i].is_none_or(|class| self.groups[k].class == Some(class))
    }

    fn learn_shares(&mut self, points: &PointMoments) {
        let (count, logs) = (self.groups.len(), self.logs());
        let mut shares = std::mem::take(&mut self.shares);
        shares.resize(points.n() * count, 0.0);
        shares.par_chunks_mut(count).enumerate().with_min_len(256).for_each(|(i, row)| {
            for (k, slot) in row.iter_mut().enumerate() {
                let distance = self.groups[k].distance(points.of(i));
                *slot = if self.may_be(i, k) { logs[k] - 0.5 * distance } else { f64::NEG_INFINITY };
            }
            normalise(row);
        });
        self.shares = shares;
    }

    fn learn_groups(&mut self, points: &PointMoments) {
        let (d, count, n) = (self.d, self.groups.len(), points.n());
        let freedom = self.freedom();
        let (shares, beta, scale) = (&self.shares, self.beta, &self.scale);
        let mut prior = scale.clone(); // W0⁻¹
        if small::invert(&mut prior, d).is_none() {
            return;
        }
        let made: Vec<Option<Group>> = (0..count)
            .into_par_iter()
            .map(|k| {
                let share = |i: usize| shares[i * count + k];
                let all: f64 = (0..n).map(share).sum();
                let mut sum = vec![0.0; d];
                for i in 0..n {
                    let x = points.of(i).0;
                    (0..d).for_each(|a| sum[a] += share(i) * x[a]);
                }
                let mean: Vec<f64> = sum.iter().map(|sum| sum / (beta + all)).collect();
                // W_k⁻¹ = W0⁻¹ + Σ r E(x − m)(x − m)ᵀ + β0 m mᵀ, m being the mean of q(m_k)
                let mut inverse = prior.clone();
                (0..d * d).for_each(|p| inverse[p] += beta * mean[p / d] * mean[p % d]);
                for i in 0..n {
                    let (x, s) = points.of(i);
                    for p in 0..d * d {
                        inverse[p] += share(i) * ((x[p / d] - mean[p / d]) * (x[p % d] - mean[p % d]) + s[p]);
                    }
                }
                let log_det = -small::invert(&mut inverse, d)?;
                Some(Group {
                    class: self.groups[k].class,
                    count: SEEN + all,
                    mean,
                    beta: beta + all,
                    freedom: freedom + all,
                    scale: inverse,
                    log_det,
                })
            })
            .collect();
        if let Some(made) = made.into_iter().collect() {
            self.groups = made;
        }
    }

    /// W0 = Σ_k ν_kW_k / (K ν0), and β0 = K d / Σ_k (d/β_k + ν_k m_kᵀW_k m_k).
    fn learn_prior(&mut self) {
        let (d, count) = (self.d, self.groups.len() as f64);
        let freedom = self.freedom();
        let mut scale = vec![0.0; d * d];
        let mut square = 0.0;
        for group in &self.groups {
            (0..d * d).for_each(|p| scale[p] += group.freedom * group.scale[p] / (count * freedom));
            square += d as f64 / group.beta + group.distance((&vec![0.0; d], &vec![0.0; d * d]));
        }
        self.scale = scale;
        self.beta = (count * d as f64 / square).clamp(SPREADS[0], SPREADS[1]);
    }

    /// E log p(x, groups) − E log q(groups), and how much likelier labels are with coordinates than without.
    pub fn part(&self, points: &PointMoments) -> f64 {
        let (d, count, n) = (self.d, self.groups.len(), points.n());
        if count == 0 {
            return f64::NEG_INFINITY;
        }
        let logs = self.logs();
        let of_point = |i: usize| -> f64 {
            let term = |k: usize| {
                let share = self.shares[i * count + k];
                let log = || logs[k] - 0.5 * self.groups[k].distance(points.of(i)) - share.ln();
                if share > 0.0 { share * log() } else { 0.0 }
            };
            (0..count).map(term).sum()
        };
        let of_points: Vec<f64> = (0..n).into_par_iter().with_min_len(256).map(of_point).collect();
        let total: f64 = self.groups.iter().map(|group| group.count).sum();
        let prior = vec![SEEN; count];
        let counts: Vec<f64> = self.groups.iter().map(|group| group.count).collect();
        let of_weights = dirichlet(&prior) - dirichlet(&counts)
            + counts.iter().map(|c| (SEEN - c) * (digamma(*c) - digamma(total))).sum::<f64>();
        let freedom = self.freedom();
        let mut inverse = self.scale.clone();
        let log_det = small::invert(&mut inverse, d).unwrap_or(f64::NAN);
        let of_group = |group: &Group| {
            let size = d as f64;
            let mean = size * (group.beta / self.beta).ln() - size
                + size * self.beta / group.beta
                + self.beta * group.distance((&vec![0.0; d], &vec![0.0; d * d]));
            let trace: f64 = inverse.iter().zip(&group.scale).map(|(a, b)| a * b).sum();
            let wishart = log_wishart(group.log_det, group.freedom, d) - log_wishart(log_det, freedom, d)
                + 0.5 * (group.freedom - freedom) * group.expected_log_det()
                - 0.5 * group.freedom * size
                + 0.5 * group.freedom * trace;
            0.5 * mean + wishart
        };
        of_points.iter().sum::<f64>() + of_weights - self.groups.iter().map(of_group).sum::<f64>() - self.labels_alone
    }

    /// Precisions and linear terms of points.
    pub fn give(&self, precision: &mut [f64], linear: &mut [f64]) {
        let (d, count) = (self.d, self.groups.len());
        if count == 0 {
            return;
        }
        let precisions: Vec<Vec<f64>> = self.groups.iter().map(Group::precision).collect();
        let pulls: Vec<Vec<f64>> =
            precisions.iter().zip(&self.groups).map(|(own, group)| small::times(own, &group.mean)).collect();
        let blocks = precision.par_chunks_mut(d * d).zip(linear.par_chunks_mut(d)).enumerate().with_min_len(256);
        blocks.for_each(|(i, (block, pull))| {
            block.fill(0.0);
            for k in 0..count {
                let share = self.shares[i * count + k];
                block.iter_mut().zip(&precisions[k]).for_each(|(slot, own)| *slot += share * own);
                pull.iter_mut().zip(&pulls[k]).for_each(|(slot, own)| *slot += share * own);
            }
        });
    }

    /// x → t·x.
    pub fn rescale(&mut self, t: f64) {
        for group in &mut self.groups {
            group.mean.iter_mut().for_each(|m| *m *= t);
            group.scale.iter_mut().for_each(|w| *w /= t * t);
            group.log_det -= 2.0 * self.d as f64 * t.ln();
        }
        self.scale.iter_mut().for_each(|w| *w /= t * t);
    }

    /// Splits, joins and drops groups as long as that raises the bound.
    fn change_number(&mut self, points: &PointMoments) {
        for _ in 0..CHANGES {
            let now = self.part(points) + GAIN;
            let fewer = self.groups.len() > self.least && self.join_best(points, now);
            let more = !fewer && self.groups.len() < self.most && self.split_best(points, now);
            if !fewer && !more {
                break;
            }
        }
    }

    /// Takes the best of some trials if it is better than `now`.
    fn take_best(&mut self, trials: Vec<Self>, points: &PointMoments, now: f64) -> bool {
        let heights = trials.into_iter().map(|mut tried| {
            (0..TRIED_ROUNDS).for_each(|_| tried.round(points));
            (tried.part(points), tried)
        });
        let best = heights.reduce(|best, next| if next.0 > best.0 { next } else { best });
        match best {
            Some((height, tried)) if height > now => {
                *self = tried;
                true
            }
            _ => false,
        }
    }

    /// Splits each group along its longest axis.
    fn split_best(&mut self, points: &PointMoments, now: f64) -> bool {
        let trials = (0..self.groups.len()).filter_map(|k| self.split(points, k)).collect();
        self.take_best(trials, points, now)
    }

    fn split(&self, points: &PointMoments, k: usize) -> Option<Self> {
        let (d, count) = (self.d, self.groups.len());
        let group = &self.groups[k];
        if group.count < SEEN + 2.0 * (d as f64 + 1.0) {
            return None;
        }
        let (_, axes) =
            symmetric_eigen(&Matrix::from_fn(d, d, |a, b| group.scale[a * d + b]), "scatter of a group").ok()?;
        let along = |i: usize| -> f64 {
            let x = points.of(i).0;
            (0..d).map(|a| (x[a] - group.mean[a]) * axes[(a, 0)]).sum()
        };
        let n = points.n();
        let shares = (0..n).flat_map(|i| {
            let mut row = self.shares[i * count..(i + 1) * count].to_vec();
            let own = row[k];
            let right = f64::from(u8::from(along(i) > 0.0));
            row[k] = own * right;
            row.push(own * (1.0 - right));
            row
        });
        let mut tried = Self { shares: shares.collect(), ..self.clone() };
        tried.groups.push(group.clone());
        tried.beta = tried.beta.min(OF_SPLIT);
        tried.learn_groups(points);
        Some(tried)
    }

    /// Joins pairs of groups that are near each other and of one class.
    fn join_best(&mut self, points: &PointMoments, now: f64) -> bool {
        let count = self.groups.len();
        let none = vec![0.0; self.d * self.d];
        let apart = |p: usize, q: usize| {
            let (p, q) = (&self.groups[p], &self.groups[q]);
            p.distance((&q.mean, &none)).min(q.distance((&p.mean, &none)))
        };
        let mut pairs: Vec<(f64, usize, usize)> = (0..count)
            .flat_map(|p| (p + 1..count).map(move |q| (p, q)))
            .filter(|&(p, q)| self.groups[p].class == self.groups[q].class)
            .map(|(p, q)| (apart(p, q), p, q))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let trials = pairs.into_iter().take(PAIRS).map(|(_, p, q)| self.joined(points, p, q)).collect();
        self.take_best(trials, points, now)
    }

    fn joined(&self, points: &PointMoments, p: usize, q: usize) -> Self {
        let count = self.groups.len();
        let shares = self.shares.chunks(count).flat_map(|row| {
            let mut row = row.to_vec();
            row[p] += row[q];
            row.remove(q);
            row
        });
        let mut tried = Self { shares: shares.collect(), ..self.clone() };
        tried.groups.remove(q);
        tried.learn_groups(points);
        tried
    }
}

/// log C(a) = log Γ(Σ a) − Σ log Γ(a).
fn dirichlet(counts: &[f64]) -> f64 {
    log_gamma(counts.iter().sum::<f64>().max(f64::MIN_POSITIVE)) - counts.iter().map(|c| log_gamma(*c)).sum::<f64>()
}

/// From logarithms to shares that add up to one.
pub(crate) fn normalise(row: &mut [f64]) {
    let highest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|log| *log = (*log - highest).exp());
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|share| *share /= total);
}
