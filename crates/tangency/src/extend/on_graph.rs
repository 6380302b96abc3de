//! A new point under the graph's own likelihood: its edges pull with the weights of their tangents, all training points push,
//! and its ρ is in balance with both (docs/derivation.md, eq. 32).

use super::frozen::Frozen;
use super::new_star::{NewCoordinates, NewMaps, NewStar};
use super::surroundings::Surroundings;
use crate::fit::{Fit, FittedGroups};
use crate::graph::{MetricPlaces, squared_distance};
use crate::inference::pairs::{OutsideSums, PairField, place};
use crate::inference::terms::edge_counts::counts_of_star;
use crate::linalg::{Matrix, small, symmetric_eigen};
use crate::model::{Affinity, Scaling};
use std::borrow::Cow;

/// Most steps of a placement, and those after which steps do not grow again.
const MOST_STEPS: usize = 600;
const GROWING: usize = 100;
/// It is done when a step is this small, where edges are about 1 long.
const STILL: f64 = 1e-10;
/// After the most steps it is at rest all the same where a step is this small.
const NEARLY_STILL: f64 = 1e-5;
/// So many training points push, the nearest to where a point begins; those beyond hardly do.
const NEAREST: usize = 3000;

/// The training points as the graph's likelihood has them.
pub(super) struct FrozenGraph {
    pub feature_weight: f64,
    /// A. `[d_x²]`
    precision: Vec<f64>,
    groups: Option<FittedGroups>,
    affinity: Affinity,
    sociability: Vec<f64>,
    field: PairField,
    weighted: bool,
    /// Where the metric of the graph has the training points, if it is not the Euclidean one.
    places: Option<MetricPlaces>,
    scaling: Scaling,
}

impl FrozenGraph {
    /// That of a fit, if it has one.
    pub fn of(fit: &Fit, places: Option<MetricPlaces>) -> Option<Self> {
        let model = fit.graph_model.as_ref()?;
        let (n, d_x) = (fit.n(), fit.coordinates.ncols());
        let x: Vec<f64> = (0..n * d_x).map(|p| fit.coordinates[(p / d_x, p % d_x)]).collect();
        let of_point = |p: usize| fit.coordinate_covariances[(p % (d_x * d_x), p / (d_x * d_x))];
        let blocks = (0..n * d_x * d_x).map(of_point).collect();
        Some(Self {
            feature_weight: model.feature_weight,
            precision: model.precision.clone(),
            groups: fit.structure.as_ref().and_then(|structure| structure.groups.clone()),
            affinity: Affinity::new(fit.hyper.heaviness, (n as f64).powf((2.0 / d_x as f64).min(1.5))),
            sociability: model.sociability.clone(),
            field: PairField::independent(&fit.graph, x, blocks, 0),
            weighted: fit.config.edge_weights == crate::config::EdgeWeights::Membership,
            places,
            scaling: fit.scaling.clone(),
        })
    }

    /// The precision of a point there by itself, and what it is pulled with: A, or that of the groups it may be of.
    fn prior(&self, x: &[f64], covariance: &[f64]) -> (Cow<'_, [f64]>, Vec<f64>) {
        match &self.groups {
            None => (Cow::Borrowed(&self.precision), vec![0.0; x.len()]),
            Some(groups) => {
                let (precision, pull) = groups.prior(&groups.shares(x, |a, b| covariance[a * x.len() + b]));
                (Cow::Owned(precision), pull)
            }
        }
    }

    /// How far a scaled row is from training points in the metric of the graph.
    fn lengths(&self, frozen: &Frozen, y: &[f64], points: &[u32]) -> Vec<f64> {
        let placed = self.places.as_ref().and_then(|places| {
            let Scaling { center, scale } = &self.scaling;
            let row: Vec<f64> = y.iter().zip(center.iter().zip(scale)).map(|(y, (c, s))| c + s * y).collect();
            Some((places, places.place(&row, y)?))
        });
        let length = |&j: &u32| match &placed {
            Some((places, place)) => places.distance(place, j as usize),
            None => squared_distance(y, frozen.observations.col_as_slice(j as usize)).sqrt(),
        };
        points.iter().map(length).collect()
    }

    /// What the training points do to a point there: all of them, or the nearest.
    fn outside(&self, x: &[f64], spread: &[f64], pushing: &[u32], without: Option<usize>) -> OutsideSums {
        self.field.outside(&self.affinity, &self.sociability, (x, spread), pushing, without)
    }

    /// The training points that push a point which begins here.
    fn pushing(&self, x: &[f64]) -> Vec<u32> {
        let n = self.sociability.len();
        let mut points: Vec<u32> = (0..n as u32).collect();
        if n > NEAREST {
            let d = x.len();
            let away = |i: u32| squared_distance(x, &self.field.x[i as usize * d..(i as usize + 1) * d]);
            points.select_nth_unstable_by(NEAREST - 1, |&p, &q| away(p).total_cmp(&away(q)).then(p.cmp(&q)));
            points.truncate(NEAREST);
            points.sort_unstable();
        }
        points
    }
}

/// Goes on from where a new point is without the graph's likelihood to where it is with it; also whether it came to rest.
pub(super) fn settle_on_graph(
    graph: &FrozenGraph,
    star: &NewStar,
    frozen: &Frozen,
    y: &[f64],
    around: &Surroundings,
    mut x: NewCoordinates,
    mut maps: NewMaps,
) -> Option<(NewCoordinates, NewMaps, bool)> {
    let (d_x, k) = (frozen.d_x(), around.points.len());
    let at = |j: u32, a: usize| frozen.coordinates[(a, j as usize)] - star.center[a];
    let counts = match graph.weighted {
        true => counts_of_star(&graph.lengths(frozen, y, &around.points)),
        false => vec![1.0; k],
    };
    // from the middle of its neighbours: where it is without the graph's likelihood may be in other units
    let total: f64 = counts.iter().sum();
    for a in 0..d_x {
        x.mean[a] = around.points.iter().zip(&counts).map(|(&j, count)| count * at(j, a)).sum::<f64>() / total;
    }
    let absolute = |mean: &[f64]| -> Vec<f64> { mean.iter().zip(&star.center).map(|(x, center)| x + center).collect() };
    let pushing = graph.pushing(&absolute(&x.mean));
    let mut rho = 1.0;
    let (mut share, mut before, mut at_rest) = (1.0f64, vec![0.0; d_x], false);
    for number in 0..MOST_STEPS {
        maps = star.update_maps(&x)?;
        let (mut precision, mut linear) = star.of_features(&maps, graph.feature_weight);
        let variance: f64 = (0..d_x).map(|a| x.covariance[a * d_x + a]).sum();
        for (&j, count) in around.points.iter().zip(&counts) {
            let step = (0..d_x).map(|a| (x.mean[a] - at(j, a)).powi(2)).sum::<f64>() + variance;
            let weight = 2.0 * count * graph.affinity.log_and_slope(step).1;
            for a in 0..d_x {
                precision[a * d_x + a] += weight;
                linear[a] += weight * at(j, a);
            }
        }
        let (own, pull) = graph.prior(&absolute(&x.mean), &x.covariance);
        for a in 0..d_x {
            linear[a] += pull[a];
            for b in 0..d_x {
                precision[a * d_x + b] += own[a * d_x + b];
                linear[a] -= own[a * d_x + b] * star.center[b];
            }
        }
        let seen = graph.outside(&absolute(&x.mean), &x.covariance, &pushing, around.without);
        rho = (rho * total / seen.around.max(1e-300)).sqrt();
        let bend = positive_part(&seen.curvature, d_x, rho)?;
        for a in 0..d_x {
            linear[a] += rho * seen.push[a];
            for b in 0..d_x {
                precision[a * d_x + b] += bend[(a, b)];
                linear[a] += bend[(a, b)] * x.mean[b];
            }
        }
        let mut covariance = precision.clone();
        let log_det = -small::invert(&mut covariance, d_x)?;
        let target = small::times(&covariance, &linear);
        let step: Vec<f64> = target.iter().zip(&x.mean).map(|(to, from)| to - from).collect();
        // steps that turn back are too long
        let turns = step.iter().zip(&before).map(|(p, q)| p * q).sum::<f64>() < 0.0;
        let growth = if number < GROWING { 1.3 } else { 1.0 };
        share = if turns { 0.5 * share } else { (growth * share).min(1.0) };
        let mean: Vec<f64> = x.mean.iter().zip(&step).map(|(from, step)| from + share * step).collect();
        x = NewCoordinates { mean, precision, covariance, log_det, linear };
        let length = step.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length < STILL {
            return Some((x, maps, true));
        }
        at_rest = length < NEARLY_STILL;
        before = step;
    }
    Some((x, maps, at_rest))
}

/// A symmetric matrix, packed, times a factor, without its negative directions.
fn positive_part(packed: &[f64], d: usize, factor: f64) -> Option<Matrix> {
    let entry = |a: usize, b: usize| factor * packed[place(a.max(b), a.min(b))];
    let (values, vectors) = symmetric_eigen(&Matrix::from_fn(d, d, entry), "curvature of a new point").ok()?;
    let along = |a: usize, b: usize| (0..d).map(|c| vectors[(a, c)] * values[c].max(0.0) * vectors[(b, c)]).sum();
    Some(Matrix::from_fn(d, d, along))
}
