//! A scale for each feature: how noisy it is beside the others (docs/derivation.md, *Noise by feature, and views*).

use super::{MapPrior, Problem};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::message;
use crate::message::{Column, Piece, Remedy, given};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The noise of a feature, as a share of its deviation, is at least the largest such share divided by this. Without it a feature
/// that the maps explain without a rest would outvote all others: coordinates would follow it, and explain it the better.
const WIDEST: f64 = 10.0;
/// Features that differ by less than this, in deviations and up to a factor, are copies.
const COPY: f64 = 1e-6;
/// Rows by which features are found that may be copies.
const FIRST: usize = 16;
/// Features that deviate less than this share of the largest deviation count as constant.
const CONSTANT: f64 = 1e-9;

crate::choice! {
    /// Whether features share one noise.
    pub enum FeatureNoise default Shared {
        /// All features, or all of a view, have the same.
        Shared = "shared",
        /// Each feature has its own.
        Own = "own",
        /// Their own where rows that were held out are clearly likelier with it and neighbourhoods are no worse.
        Auto = "auto",
    }
}

/// Features that belong together: of one instrument, one kind of measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableView {
    /// Its name.
    pub name: String,
    /// Its features, ascending.
    pub features: Vec<usize>,
}

/// An error unless views have names of their own and features that are there, none of them twice.
pub fn check_views(views: &[TableView], d_y: usize) -> Result<()> {
    let refused = |problem, remedy: &'static str| Err(Error::unfit("views", problem, [Remedy::act(remedy)]));
    let mut taken = vec![None; d_y];
    for (number, view) in views.iter().enumerate() {
        let name = || given(&view.name);
        if view.name.trim().is_empty() {
            return refused(message!["a view of ", Piece::Setting("views"), " has no name"], "give it one");
        }
        if views[..number].iter().any(|other| other.name == view.name) {
            return refused(message!["two views are named ", name()], "give each a name of its own");
        }
        if view.features.is_empty() {
            return refused(message!["the view ", name(), " has no feature"], "name at least one, or leave it out");
        }
        for &f in &view.features {
            let Some(place) = taken.get_mut(f) else {
                let problem = message!["the view ", name(), format!(" names feature {f}, but there are {d_y}")];
                return refused(problem, "count features from 0");
            };
            if let Some(other) = place.replace(number) {
                let problem = message![
                    Piece::Column(Column::Numbered(f)),
                    " is in the views ",
                    given(&views[other].name),
                    " and ",
                    name()
                ];
                return refused(problem, "put each feature in one view");
            }
        }
    }
    Ok(())
}

/// Twice what the bound loses to each feature at unit scale: 2γE_f + tr(Kμ_fᵀμ_f) + ε|Σ_i y_if|². E_f is the expected squared
/// residual of the edges with maps at their means; column i·d_x + a of the maps is column a of C_i. `[d_y]`
pub(crate) fn losses(problem: &Problem, residuals: &[f64], maps: &Matrix, gamma: f64, prior: &MapPrior) -> Vec<f64> {
    let (n, d_x, y) = (problem.n(), problem.n_components, &problem.observations);
    let precision = prior.precision();
    let of = |f: usize| {
        let mut energy = 0.0;
        for a in 0..d_x {
            let map = |i: usize| maps[(f, i * d_x + a)];
            let rough: f64 =
                problem.graph.edges().iter().map(|&(i, j)| (map(i as usize) - map(j as usize)).powi(2)).sum();
            let square: f64 = (0..n).map(|i| map(i).powi(2)).sum();
            let total: f64 = (0..n).map(map).sum();
            energy += precision.edge * rough + precision.own * square + precision.common * total * total;
        }
        let sum: f64 = (0..n).map(|i| y[(f, i)]).sum();
        2.0 * gamma * residuals[f] + energy + problem.epsilon * sum * sum
    };
    (0..y.nrows()).map(of).collect()
}

/// The features that share a scale, and the scales.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoiseScales {
    /// The group of each feature. `[d_y]`
    group: Vec<usize>,
    /// Entries of each feature that were measured; those of copies count once. `[d_y]`
    measured: Vec<f64>,
    /// Deviation of each group of features, zero of one that is constant.
    spread: Vec<f64>,
    /// The scale of each feature. `[d_y]`
    pub scales: Vec<f64>,
}

impl NoiseScales {
    /// Scales of 1. Points are one per column, with anything where entries were not measured.
    pub fn new(points: &Matrix, mut measured: Vec<f64>, group: Vec<usize>) -> Self {
        let total: f64 = measured.iter().sum();
        measured.iter_mut().zip(copies(points)).for_each(|(measured, copies)| *measured /= copies);
        // as many in all as there are, since γ goes by that
        let left: f64 = measured.iter().sum();
        measured.iter_mut().for_each(|measured| *measured *= total / left);
        let groups = group.iter().max().map_or(0, |last| last + 1);
        let (mut squares, mut counts) = (vec![0.0; groups], vec![0.0; groups]);
        for (f, &group) in group.iter().enumerate() {
            squares[group] += (0..points.ncols()).map(|i| points[(f, i)].powi(2)).sum::<f64>();
            counts[group] += points.ncols() as f64;
        }
        let mut spread: Vec<f64> = squares.iter().zip(counts).map(|(square, count)| (square / count).sqrt()).collect();
        let largest = spread.iter().copied().fold(0.0, f64::max);
        spread.iter_mut().filter(|spread| **spread <= CONSTANT * largest).for_each(|spread| *spread = 0.0);
        let scales = vec![1.0; group.len()];
        Self { group, measured, spread, scales }
    }

    /// The same with other scales.
    pub fn with(&self, scales: Vec<f64>) -> Self {
        Self { scales, ..self.clone() }
    }

    /// The scales that are best given maps and coordinates, and the common factor by which points become larger beside what these
    /// scales alone make of them: γ, λ and ν are less by its square. s_v² → s_v² Σ_f losses / Σ_f entries over the features f of a
    /// view v, kept within a range beside the features' own deviation; the sum of squares of all points stays as it is.
    pub fn improved(&self, losses: &[f64]) -> (Self, f64) {
        let groups = self.spread.len();
        let (mut lost, mut entries) = (vec![0.0; groups], vec![0.0; groups]);
        for (f, &group) in self.group.iter().enumerate() {
            lost[group] += losses[f];
            entries[group] += self.measured[f];
        }
        let first = |v: usize| self.group.iter().position(|&group| group == v).map_or(1.0, |f| self.scales[f]);
        let mut found: Vec<f64> = (0..groups).map(|v| first(v) * (lost[v] / entries[v]).max(0.0).sqrt()).collect();
        let varies = |v: &usize| self.spread[*v] > 0.0 && found[*v].is_finite();
        // a feature that is all noise has the largest
        let most = (0..groups).filter(varies).map(|v| found[v] / self.spread[v]).fold(0.0, f64::max);
        if most <= 0.0 {
            return (self.clone(), 1.0);
        }
        for v in 0..groups {
            found[v] = match self.spread[v] > 0.0 {
                true if found[v].is_finite() => found[v].max(most / WIDEST * self.spread[v]),
                true => most * self.spread[v],
                false => 1.0,
            };
        }
        let size = |v: usize| self.group.iter().filter(|&&group| group == v).count() as f64;
        let squares = |scale: &dyn Fn(usize) -> f64| -> f64 {
            (0..groups).map(|v| size(v) * (self.spread[v] / scale(v)).powi(2)).sum()
        };
        let common = (squares(&|_| 1.0) / squares(&|v| found[v])).sqrt();
        let scales = self.group.iter().map(|&v| if self.spread[v] > 0.0 { found[v] / common } else { 1.0 }).collect();
        (self.with(scales), common)
    }

    /// What the units of the scales cost in log-density.
    pub fn log_jacobian(&self) -> f64 {
        self.measured.iter().zip(&self.scales).map(|(measured, scale)| measured * scale.ln()).sum()
    }

    /// The largest change of a scale beside another's, as a share.
    pub fn moved(&self, before: &Self) -> f64 {
        let ratio = |f: usize| (self.scales[f] / before.scales[f] - 1.0).abs();
        (0..self.scales.len()).map(ratio).fold(0.0, f64::max)
    }
}

/// How many features each is one of that are the same up to a factor. Copies have the same noise, which independent features
/// would not: m of them are no m witnesses. `[d_y]`
fn copies(points: &Matrix) -> Vec<f64> {
    let (d_y, n) = (points.nrows(), points.ncols());
    // in deviations, the first of some size positive
    let unit = |f: usize| -> Vec<f64> {
        let size = ((0..n).map(|i| points[(f, i)].powi(2)).sum::<f64>() / n as f64).sqrt();
        let sign = (0..n).map(|i| points[(f, i)]).find(|value| value.abs() > 0.1 * size).map_or(1.0, f64::signum);
        let factor = if size > 0.0 { sign / size } else { 0.0 };
        (0..n).map(|i| factor * points[(f, i)]).collect()
    };
    let mut alike: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
    for f in 0..d_y {
        let first = unit(f).iter().take(FIRST).map(|value| (value / COPY.sqrt()).round() as i64).collect();
        alike.entry(first).or_default().push(f);
    }
    let mut copies = vec![1.0; d_y];
    for features in alike.values().filter(|features| features.len() > 1) {
        let units: Vec<Vec<f64>> = features.iter().map(|&f| unit(f)).collect();
        for (place, &f) in features.iter().enumerate() {
            let same = |other: &&Vec<f64>| units[place].iter().zip(*other).all(|(a, b)| (a - b).abs() < COPY);
            copies[f] = units.iter().filter(same).count() as f64;
        }
    }
    copies
}

#[cfg(test)]
mod tests {
    //! Scales follow what is lost to features, within a range, and nothing makes them other than positive numbers.
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Four features of 20 points, of which the last is constant.
    fn points() -> Matrix {
        Matrix::from_fn(4, 20, |f, i| if f == 3 { 0.0 } else { ((1 + f) * (i + 1)) as f64 % 7.0 - 3.0 })
    }

    #[test]
    fn scales_go_with_losses_and_keep_the_sum_of_squares() {
        let all = NoiseScales::new(&points(), vec![20.0; 4], vec![0, 1, 2, 3]);
        let (found, common) = all.improved(&[20.0, 80.0, 20.0, 0.0]);
        assert!((found.scales[1] / found.scales[0] - 2.0).abs() < 1e-12 && found.scales[0] == found.scales[2]);
        assert_eq!(found.scales[3], 1.0);
        assert!((common * found.scales[0] - 1.0).abs() < 1e-12);
        let squares = |scales: &[f64]| -> f64 {
            (0..4).map(|f| (0..20).map(|i| (points()[(f, i)] / scales[f]).powi(2)).sum::<f64>()).sum()
        };
        assert!((squares(&found.scales) / squares(&[1.0; 4]) - 1.0).abs() < 1e-12);
        // at the optimum nothing moves
        assert!(found.improved(&[20.0; 4]).0.moved(&found) < 1e-12);
    }

    #[test]
    fn features_of_a_view_share_a_scale() {
        let views = NoiseScales::new(&points(), vec![20.0, 10.0, 20.0, 20.0], vec![0, 0, 1, 1]);
        let (found, common) = views.improved(&[20.0, 100.0, 160.0, 0.0]);
        assert!(found.scales[0] == found.scales[1] && found.scales[2] == found.scales[3]);
        assert!((common * found.scales[0] - 2.0).abs() < 1e-12 && (common * found.scales[2] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn no_feature_takes_over_and_no_scale_is_odd() {
        let all = NoiseScales::new(&points(), vec![20.0, 20.0, 0.0, 20.0], vec![0, 1, 2, 3]);
        for losses in [[0.0; 4], [0.0, 1.0, 0.0, 0.0], [1e-300, 1e300, 1.0, 1.0], [f64::NAN; 4], [f64::INFINITY; 4]] {
            let (found, common) = all.improved(&losses);
            assert!(found.scales.iter().chain([&common]).all(|scale| *scale > 0.0 && scale.is_finite()), "{losses:?}");
            let beside: Vec<f64> = (0..3).map(|f| found.scales[f] / found.spread[f]).collect();
            let most = beside.iter().copied().fold(0.0, f64::max);
            assert!(beside.iter().all(|scale| *scale >= most / WIDEST * (1.0 - 1e-9)), "{losses:?} {beside:?}");
        }
    }

    #[test]
    fn copies_count_once() {
        let points = Matrix::from_fn(5, 20, |f, i| {
            let value = ((i * i) as f64).sin();
            [value, -3.0 * value, (i as f64).cos(), value + 1e-3 * (i as f64).cos(), 0.5 * value][f]
        });
        assert_eq!(copies(&points), [3.0, 3.0, 1.0, 1.0, 3.0]);
        let all = NoiseScales::new(&points, vec![20.0; 5], (0..5).collect());
        let (found, _) = all.improved(&[20.0; 5]);
        assert!((found.scales[0] / found.scales[2] - 3f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn views_are_checked() {
        let view = |name: &str, features: &[usize]| TableView { name: name.into(), features: features.to_vec() };
        assert!(check_views(&[view("a", &[0, 2]), view("b", &[1])], 4).is_ok());
        for wrong in [
            vec![view(" ", &[0])],
            vec![view("a", &[])],
            vec![view("a", &[4])],
            vec![view("a", &[0]), view("a", &[1])],
            vec![view("a", &[0, 1]), view("b", &[1])],
        ] {
            assert!(check_views(&wrong, 4).is_err(), "{wrong:?}");
        }
    }
}
