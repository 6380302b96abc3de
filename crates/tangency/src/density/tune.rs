//! The widths of a mixture, by the density of training rows that are left out.

use super::mixture::{Seen, Sum};
use super::reach::{Axes, Reach};
use crate::graph::nearest_of;
use crate::linalg::Matrix;
use crate::model::{RowGaps, Scaling};
use argmin::core::{CostFunction, Executor, State};
use argmin::solver::neldermead::NelderMead;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Rows that are left out, evenly spread over the table.
const ROWS: usize = 400;
/// Gaussians that each of them is scored by: the nearest.
const NEAREST: usize = 200;
/// Most steps of the search.
const STEPS: u64 = 60;
/// Logarithms of widths may differ by as much when the search ends.
const CLOSE: f64 = 1e-3;

/// Widths of the Gaussians of a density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Widths {
    /// How far they reach along their maps, as a share of the distance to their neighbours.
    pub reach: f64,
    /// Their standard deviation in all other directions, in scaled units.
    pub noise: f64,
}

impl Widths {
    /// Variance along an axis of this squared length.
    pub(super) fn variance(self, square: f64) -> f64 {
        self.reach.powi(2) * square + self.noise.powi(2)
    }

    /// Logarithm of what stands before the exponential of a Gaussian with axes of these squared lengths.
    pub(super) fn height(self, d_y: usize, squares: &[f64]) -> f64 {
        let round = (d_y - squares.len().min(d_y)) as f64 * self.noise.powi(2).ln();
        let along: f64 = squares.iter().map(|&square| self.variance(square).ln()).sum();
        -0.5 * (d_y as f64 * std::f64::consts::TAU.ln() + round + along)
    }

    /// The squared distance of a row from a Gaussian, in its deviations.
    pub(super) fn distance(self, seen: &Seen) -> f64 {
        let across = (seen.square - seen.along.iter().sum::<f64>()).max(0.0) / self.noise.powi(2);
        let along = seen.along.iter().zip(&seen.lengths).map(|(along, &length)| along / self.variance(length));
        across + along.sum::<f64>()
    }
}

/// Rows of a table that are left out of its density, and the Gaussians that each is scored by.
pub(super) struct Sample<'a> {
    points: &'a Matrix,
    n_features: usize,
    rows: Vec<usize>,
    /// The features that each of them has, if not all.
    known: Vec<Option<Vec<usize>>>,
    lists: Vec<Vec<u32>>,
}

impl<'a> Sample<'a> {
    /// A sample of points, one per column, of so many features, which may be more than the axes along which they are given. Rows
    /// that lacked entries are scored by those that they have.
    pub fn of(points: &'a Matrix, n_features: usize, gaps: &RowGaps) -> Self {
        let n = points.ncols();
        let rows: Vec<usize> = (0..n).step_by(n.div_ceil(ROWS)).collect();
        let measured = |&row: &usize| -> Option<Vec<usize>> {
            (!gaps.is_whole(row)).then(|| (0..points.nrows()).filter(|&f| !gaps.lacks(row, f)).collect())
        };
        let known: Vec<Option<Vec<usize>>> = rows.iter().map(measured).collect();
        let near = |(&row, known): (&usize, &Option<Vec<usize>>)| {
            let others = (0..n as u32).filter(|&i| i as usize != row);
            match known {
                None => nearest_of(points, points.col_as_slice(row), others, NEAREST),
                Some(known) => {
                    let some = Matrix::from_fn(known.len(), n, |f, i| points[(known[f], i)]);
                    nearest_of(&some, some.col_as_slice(row), others, NEAREST)
                }
            }
        };
        let lists = rows.par_iter().zip(&known).map(near).collect();
        Self { points, n_features, rows, known, lists }
    }

    /// How many features each row has.
    fn sizes(&self) -> Vec<usize> {
        self.known.iter().map(|known| known.as_ref().map_or(self.n_features, Vec::len)).collect()
    }

    /// Mean over the rows of the logarithms of the scales of what they have.
    pub fn log_jacobian(&self, scaling: &Scaling) -> f64 {
        let of = |known: &Option<Vec<usize>>| match known {
            None => scaling.log_jacobian(1),
            Some(known) => known.iter().map(|&f| scaling.scale[f].ln()).sum(),
        };
        self.known.iter().map(of).sum::<f64>() / self.known.len() as f64
    }

    /// What Gaussians without axes see of each row.
    fn seen_plainly(&self) -> Vec<Vec<Seen>> {
        let none = Axes { directions: Matrix::zeros(self.points.nrows(), 0), squares: vec![] };
        self.each(|_| Cow::Borrowed(&none))
    }

    /// What Gaussians along maps see of each row, which these do not know.
    fn seen_along(&self, reach: &Reach) -> Vec<Vec<Seen>> {
        let mut needed: Vec<u32> = self.lists.iter().flatten().copied().collect();
        needed.sort_unstable();
        needed.dedup();
        let all: Vec<Axes> = needed.par_iter().map(|&i| reach.axes(i as usize, None)).collect();
        self.each(|(i, row)| match needed.binary_search(&(i as u32)) {
            Ok(place) if !reach.are_neighbors(i, row) => Cow::Borrowed(&all[place]),
            _ => Cow::Owned(reach.axes(i, Some(row))),
        })
    }

    /// What Gaussians with these axes see of each row in the features that it has.
    fn each<'x>(&self, axes: impl Fn((usize, usize)) -> Cow<'x, Axes> + Sync) -> Vec<Vec<Seen>> {
        let see = |((&row, known), list): ((&usize, &Option<Vec<usize>>), &Vec<u32>)| -> Vec<Seen> {
            let of = |&i: &u32| {
                let mut seen = Seen::default();
                let (axes, center, y) =
                    (axes((i as usize, row)), self.points.col_as_slice(i as usize), self.points.col_as_slice(row));
                match known {
                    None => seen.by(&axes, center, y),
                    Some(known) => {
                        let some = |of: &[f64]| -> Vec<f64> { known.iter().map(|&f| of[f]).collect() };
                        seen.by(&axes.among(known), &some(center), &some(y));
                    }
                }
                seen
            };
            list.iter().map(of).collect()
        };
        self.rows.par_iter().zip(&self.known).zip(&self.lists).map(see).collect()
    }
}

/// The widths with the largest mean log-density of rows that are left out, and that. Without maps it is a kernel density.
pub(super) fn tune(sample: &Sample, reach: Option<&Reach>) -> (Widths, f64) {
    let left_out = LeftOut::new(sample, reach);
    let first = (left_out.nearest.max(left_out.least)).ln();
    let simplex: Vec<Vec<f64>> = match reach {
        None => vec![vec![first], vec![first - 0.5]],
        Some(_) => vec![vec![first, 0.0], vec![first, -0.75], vec![first - 0.5, 0.0]],
    };
    let best = search(&left_out, simplex).unwrap_or_else(|| vec![first, 0.0]);
    let widths = left_out.widths(&best);
    (widths, left_out.mean(widths))
}

/// The place of the smallest cost, as far as a simplex finds it.
fn search(left_out: &LeftOut, simplex: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let solver = NelderMead::new(simplex).with_sd_tolerance(CLOSE).ok()?;
    let found = Executor::new(left_out, solver).configure(|state| state.max_iters(STEPS)).run().ok()?;
    found.state.get_best_param().cloned()
}

/// What Gaussians see of rows that are left out.
struct LeftOut {
    /// How many features each row has.
    sizes: Vec<usize>,
    n: usize,
    /// What the nearest Gaussians see of each row.
    seen: Vec<Vec<Seen>>,
    /// Mean distance to the nearest, per feature.
    nearest: f64,
    /// The smallest width that is looked at: without it repeated rows would ask for none.
    least: f64,
}

impl LeftOut {
    fn new(sample: &Sample, reach: Option<&Reach>) -> Self {
        let (d_y, n) = (sample.n_features, sample.points.ncols());
        let seen = reach.map_or_else(|| sample.seen_plainly(), |reach| sample.seen_along(reach));
        let sizes = sample.sizes();
        let first = |(seen, &size): (&Vec<Seen>, &usize)| Some(seen.first()?.square / size as f64);
        let nearest = seen.iter().zip(&sizes).filter_map(first).sum::<f64>() / seen.len() as f64;
        let variance: f64 = sample.points.squared_norm_l2() / (n * d_y) as f64;
        let least = 1e-4 * variance.sqrt().max(1e-12);
        Self { sizes, n, seen, nearest: nearest.sqrt(), least }
    }

    /// The widths of parameters.
    fn widths(&self, parameters: &[f64]) -> Widths {
        let reach = parameters.get(1).copied().unwrap_or(0.0).clamp(-4.0, 2.0).exp();
        Widths { reach, noise: parameters[0].exp().clamp(self.least, 1e4 * self.least.max(1.0)) }
    }

    /// Mean log-density of the rows, each by the others.
    fn mean(&self, widths: Widths) -> f64 {
        let score = |(row, &size): (&Vec<Seen>, &usize)| {
            let mut sum = Sum::default();
            for seen in row {
                sum.add(widths.height(size, &seen.lengths) - 0.5 * widths.distance(seen));
            }
            sum.log() - ((self.n - 1) as f64).ln()
        };
        let scores: Vec<f64> = self.seen.par_iter().zip(&self.sizes).map(score).collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    }
}

impl CostFunction for &LeftOut {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, parameters: &Vec<f64>) -> std::result::Result<f64, argmin::core::Error> {
        Ok(-self.mean(self.widths(parameters)))
    }
}
