//! What a fit says of the structure within the manifold: coordinates in the units of the user, groups and classes.

use crate::inference::CoordinateMoments;
use crate::inference::terms::structure::{Group, Line, StructureTerm, normalise};
use crate::linalg::{Matrix, product, small, transposed_product};
use crate::model::{GroupRequest, KnownKind, KnownValues, Structure};
use serde::{Deserialize, Serialize};

/// The structure that was asked for, as it was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedStructure {
    /// Values that go with the coordinates.
    pub known: Option<FittedKnown>,
    /// Groups of points.
    pub groups: Option<FittedGroups>,
}

/// Values that are an affine function of the coordinates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedKnown {
    /// Anchors or covariates.
    pub kind: KnownKind,
    /// Names of the values.
    pub names: Vec<String>,
    /// What was given, point by point. `[n·d_z]`
    pub values: Vec<Option<f64>>,
    /// Standard deviations that were given. `[n·d_z]`
    pub deviations: Vec<Option<f64>>,
    /// How each follows from the coordinates.
    pub lines: Vec<FittedLine>,
}

/// One value as a function of the coordinates, in the units of the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedLine {
    /// Slopes along the coordinates, and where it is at their origin. `[d_x + 1]`
    pub mean: Vec<f64>,
    /// Covariance of these. `[(d_x + 1)²]`
    pub covariance: Vec<f64>,
    /// Variance of what a row deviates from it.
    pub noise: f64,
    /// Whether the coordinates have a part in it.
    pub on: bool,
    /// How much likelier the values are with the coordinates than without, in nats.
    pub gain: f64,
}

impl FittedLine {
    /// The value at these coordinates and its standard deviation, as a row like this would have it.
    pub fn at(&self, x: &[f64], covariance: impl Fn(usize, usize) -> f64) -> (f64, f64) {
        let d = x.len();
        let u = |a: usize| if a < d { x[a] } else { 1.0 };
        let expected = (0..=d).map(|a| self.mean[a] * u(a)).sum();
        let mut variance = self.noise;
        for a in 0..=d {
            for b in 0..=d {
                let q = self.covariance[a * (d + 1) + b];
                let spread = if a < d && b < d { covariance(a, b) } else { 0.0 };
                variance += q * (u(a) * u(b) + spread)
                    + if a < d && b < d { self.mean[a] * self.mean[b] * spread } else { 0.0 };
            }
        }
        (expected, variance.max(0.0).sqrt())
    }
}

impl FittedKnown {
    /// The values at these coordinates and their standard deviations.
    pub fn at(&self, x: &[f64], covariance: impl Fn(usize, usize) -> f64) -> Vec<(f64, f64)> {
        self.lines.iter().map(|line| line.at(x, &covariance)).collect()
    }
}

/// Groups of points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedGroups {
    /// Fewest and most groups that were asked for.
    pub asked: (usize, usize),
    /// Names of classes, where some rows have labels.
    pub classes: Vec<String>,
    /// The class that each point was given; empty without labels. `[n]`
    pub labels: Vec<Option<u32>>,
    /// The groups, largest first; with labels by class.
    pub groups: Vec<FittedGroup>,
    /// How likely each point is of each group, point by point. `[n·K]`
    pub probabilities: Vec<f64>,
}

/// One group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedGroup {
    /// The class that it is of, where classes are named.
    pub class: Option<u32>,
    /// Its share of all points.
    pub weight: f64,
    /// Its centre. `[d_x]`
    pub mean: Vec<f64>,
    /// Its expected precision. `[d_x²]`
    pub precision: Vec<f64>,
    /// The part of log-densities that does not depend on the point.
    pub constant: f64,
}

impl FittedGroups {
    /// Number of groups.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// How likely something at these coordinates is of each group.
    pub fn shares(&self, x: &[f64], covariance: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let d = x.len();
        let log = |group: &FittedGroup| {
            let mut distance = 0.0;
            for a in 0..d {
                for b in 0..d {
                    let square = (x[a] - group.mean[a]) * (x[b] - group.mean[b]) + covariance(a, b);
                    distance += group.precision[a * d + b] * square;
                }
            }
            group.constant - 0.5 * distance
        };
        let mut shares: Vec<f64> = self.groups.iter().map(log).collect();
        normalise(&mut shares);
        shares
    }

    /// What users tell apart: classes by their names, or groups by number from 1.
    pub fn names(&self) -> Vec<String> {
        match self.classes.is_empty() {
            true => (1..=self.count()).map(|k| k.to_string()).collect(),
            false => self.classes.clone(),
        }
    }

    /// From shares of groups to those of what users tell apart.
    pub fn named_shares(&self, shares: &[f64]) -> Vec<f64> {
        if self.classes.is_empty() {
            return shares.to_vec();
        }
        let mut all = vec![0.0; self.classes.len()];
        for (group, share) in self.groups.iter().zip(shares) {
            if let Some(class) = group.class {
                all[class as usize] += share;
            }
        }
        all
    }

    /// How likely a point of the model is of each class or group.
    pub fn of_point(&self, i: usize) -> Vec<f64> {
        self.named_shares(&self.probabilities[i * self.count()..(i + 1) * self.count()])
    }

    /// The precision that groups give something of these shares, and what they pull it with. `[d_x²]`, `[d_x]`
    pub fn prior(&self, shares: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let d = self.groups.first().map_or(0, |group| group.mean.len());
        let (mut precision, mut linear) = (vec![0.0; d * d], vec![0.0; d]);
        for (group, share) in self.groups.iter().zip(shares) {
            precision.iter_mut().zip(&group.precision).for_each(|(slot, own)| *slot += share * own);
            let pull = small::times(&group.precision, &group.mean);
            linear.iter_mut().zip(pull).for_each(|(slot, own)| *slot += share * own);
        }
        (precision, linear)
    }
}

/// The most likely of some, the first of equals.
pub fn likeliest(shares: &[f64]) -> usize {
    (0..shares.len()).reduce(|best, k| if shares[k] > shares[best] { k } else { best }).unwrap_or(0)
}

impl FittedStructure {
    /// What was asked for, of the points of the fit.
    pub(crate) fn asked(&self) -> Structure {
        let nan = |values: &[Option<f64>]| values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        Structure {
            known: self.known.as_ref().map(|known| KnownValues {
                kind: known.kind,
                names: known.names.clone(),
                values: nan(&known.values),
                deviations: nan(&known.deviations),
            }),
            groups: self.groups.as_ref().map(|groups| GroupRequest {
                least: groups.asked.0,
                most: groups.asked.1,
                classes: groups.classes.clone(),
                labels: groups.labels.clone(),
            }),
        }
    }

    /// Whether its numbers are those of so many points and coordinates.
    pub(crate) fn belongs_to(&self, n: usize, d: usize) -> bool {
        let known = self.known.iter().all(|known| {
            let width = known.names.len();
            known.values.len() == n * width
                && known.deviations.len() == n * width
                && known.lines.len() == width
                && known.lines.iter().all(|l| l.mean.len() == d + 1 && l.covariance.len() == (d + 1) * (d + 1))
        });
        let groups = self.groups.iter().all(|groups| {
            let class = |class: &Option<u32>| class.is_none_or(|class| (class as usize) < groups.classes.len());
            let group = |g: &FittedGroup| g.mean.len() == d && g.precision.len() == d * d && class(&g.class);
            !groups.groups.is_empty()
                && groups.probabilities.len() == n * groups.count()
                && (groups.labels.is_empty() || groups.labels.len() == n)
                && groups.labels.iter().all(class)
                && groups.groups.iter().all(group)
        });
        known && groups
    }

    /// What a term found, along the axes of a fit.
    pub(crate) fn new(asked: &Structure, term: &StructureTerm, of_x: &CoordinateMoments, gauge: &Matrix) -> Self {
        let gains = term.gains(of_x);
        let known = asked.known.as_ref().zip(term.known.as_ref()).map(|(asked, term)| {
            let there = |values: &[f64]| values.iter().map(|v| (!v.is_nan()).then_some(*v)).collect();
            FittedKnown {
                kind: asked.kind,
                names: asked.names.clone(),
                values: there(&asked.values),
                deviations: there(&asked.deviations),
                lines: term.lines.iter().zip(&gains).map(|(line, gain)| turned_line(line, *gain, gauge)).collect(),
            }
        });
        let groups = asked.groups.as_ref().zip(term.groups.as_ref()).map(|(asked, term)| {
            let total: f64 = term.groups.iter().map(|group| group.count).sum();
            let mut order: Vec<usize> = (0..term.groups.len()).collect();
            let group = |k: usize| &term.groups[k];
            order.sort_by(|&p, &q| {
                let by_size = group(q).count.total_cmp(&group(p).count);
                group(p).class.cmp(&group(q).class).then(by_size).then(p.cmp(&q))
            });
            let logs = term.logs();
            let shares = term.shares.chunks(term.groups.len().max(1));
            FittedGroups {
                asked: (asked.least, asked.most),
                classes: asked.classes.clone(),
                labels: asked.labels.clone(),
                groups: order.iter().map(|&k| turned_group(group(k), logs[k], total, gauge)).collect(),
                probabilities: shares.flat_map(|row| order.iter().map(|&k| row[k]).collect::<Vec<_>>()).collect(),
            }
        });
        Self { known, groups }
    }
}

fn turned_line(line: &Line, gain: f64, gauge: &Matrix) -> FittedLine {
    let d = gauge.nrows();
    let size = d + 1;
    // (slopes, 1) of the new axes from those of the old
    let whole = Matrix::from_fn(size, size, |a, b| match (a < d, b < d) {
        (true, true) => gauge[(a, b)],
        (false, false) => 1.0,
        _ => 0.0,
    });
    let covariance = Matrix::from_fn(size, size, |a, b| line.covariance[a * size + b]);
    let covariance = transposed_product(&whole, &product(&covariance, &whole));
    let scale = line.scale;
    let mean = |b: usize| {
        let turned: f64 = (0..size).map(|a| whole[(a, b)] * line.mean[a]).sum();
        scale * turned + if b == d { line.center } else { 0.0 }
    };
    FittedLine {
        mean: (0..size).map(mean).collect(),
        covariance: (0..size * size).map(|p| scale * scale * covariance[(p / size, p % size)]).collect(),
        noise: line.noise(),
        on: line.on,
        gain,
    }
}

fn turned_group(group: &Group, constant: f64, total: f64, gauge: &Matrix) -> FittedGroup {
    let d = gauge.nrows();
    let own = group.precision();
    let precision = Matrix::from_fn(d, d, |a, b| own[a * d + b]);
    let precision = transposed_product(gauge, &product(&precision, gauge));
    FittedGroup {
        class: group.class,
        weight: group.count / total,
        mean: (0..d).map(|b| (0..d).map(|a| group.mean[a] * gauge[(a, b)]).sum()).collect(),
        precision: (0..d * d).map(|p| precision[(p / d, p % d)]).collect(),
        constant,
    }
}
