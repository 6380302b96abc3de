//! Points that lack some entries (NaN), filled in from those around them, so that neighbours can be searched.

use super::Length;
use super::approximate::approximate_neighbors;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::borrow::Borrow;

/// Points nearby that an entry may be taken from.
pub(crate) const DONORS: usize = 9;
/// Points whose nearest neighbours show how much features differ between neighbours.
const SAMPLE: usize = 500;
/// Up to so many points all pairs are compared.
const ALL_PAIRS_POINTS: usize = 20_000;
/// Of more points so many are donors at first, and then so many of those that are near once the gaps are filled in.
const FIRST_DONORS: usize = 5_000;
const NEAR: usize = 4 * DONORS;
/// Of the approximate search; nothing that a user sees hangs on it.
const SEED: u64 = 0;

/// Points among which those are sought that a row with gaps resembles.
pub(crate) struct Donors<P> {
    points: P,
    /// Mean squared difference, in one feature, of two points by chance.
    by_chance: f64,
    /// How much each feature usually differs between a point and its nearest.
    usual: Vec<f64>,
}

impl<P: Borrow<Matrix> + Sync> Donors<P> {
    /// Points, one per column, which may have gaps themselves.
    pub fn new(given: P) -> Self {
        let points: &Matrix = given.borrow();
        let (d, n) = (points.nrows(), points.ncols());
        let mut sum = (0.0, 0usize);
        for f in 0..d {
            let known = || (0..n).map(|i| points[(f, i)]).filter(|value| !value.is_nan());
            let count = known().count();
            let mean = known().sum::<f64>() / count.max(1) as f64;
            sum = (sum.0 + known().map(|value| (value - mean).powi(2)).sum::<f64>(), sum.1 + count);
        }
        let mut donors = Self { points: given, by_chance: 2.0 * sum.0 / sum.1.max(1) as f64, usual: vec![] };
        let points = donors.points();
        let sample: Vec<usize> = (0..n).step_by(n.div_ceil(SAMPLE)).collect();
        let near: Vec<Option<u32>> =
            sample.par_iter().map(|&i| donors.nearest(points.col_as_slice(i), 1, Some(i)).first().copied()).collect();
        let usual = |f: usize| -> f64 {
            let difference =
                |(&i, j): (&usize, &Option<u32>)| Some((points[(f, i)] - points[(f, (*j)? as usize)]).abs());
            let mut all: Vec<f64> =
                sample.iter().zip(&near).filter_map(difference).filter(|value| !value.is_nan()).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.get(all.len() * 3 / 4).copied().unwrap_or(0.0)
        };
        let usual: Vec<f64> = (0..d).map(usual).collect();
        donors.usual = usual;
        donors
    }

    fn points(&self) -> &Matrix {
        self.points.borrow()
    }

    /// The squared distance of a point and a row. The mean squared difference over the features that both have stands for all
    /// features, and a difference as large as of two points by chance counts as one feature more: else points that share next
    /// to nothing would often be the nearest.
    fn squared(&self, i: usize, row: &[f64]) -> f64 {
        let (mut sum, mut shared) = (0.0, 0usize);
        for (a, b) in self.points().col_as_slice(i).iter().zip(row) {
            let difference = a - b;
            if !difference.is_nan() {
                sum += difference * difference;
                shared += 1;
            }
        }
        row.len() as f64 * (sum + self.by_chance) / (shared + 1) as f64
    }

    /// The `k` points nearest to a row, nearest first, of two as near the first.
    fn nearest(&self, row: &[f64], k: usize, without: Option<usize>) -> Vec<u32> {
        let others = (0..self.points().ncols()).filter(|&i| Some(i) != without);
        self.nearest_of(others.map(|i| i as u32), row, k)
    }

    /// The same of some points.
    fn nearest_of(&self, points: impl Iterator<Item = u32>, row: &[f64], k: usize) -> Vec<u32> {
        let mut all: Vec<(f64, u32)> = points.map(|i| (self.squared(i as usize, row), i)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if k < all.len() {
            all.select_nth_unstable_by(k, order);
            all.truncate(k);
        }
        all.sort_unstable_by(order);
        all.into_iter().map(|(_, i)| i).collect()
    }

    /// A row with its gaps filled in: with the entry of the nearest point that has it, and the mean of those nearby that are
    /// not far from that. The mean of all nearby would put a row between two sheets.
    /// What the points nearby have is returned for each gap.
    pub fn fill(&self, row: &mut [f64], without: Option<usize>) -> OfGaps {
        // a feature without any entry has no value
        let nowhere = |f: usize| (0.0, self.nearby(f, vec![]));
        self.fill_by(row, |row, count| self.nearest(row, count, without), nowhere)
    }

    /// The same from the points that `nearest` gives, so many, and `otherwise` where none of these has an entry.
    fn fill_by(
        &self,
        row: &mut [f64],
        nearest: impl Fn(&[f64], usize) -> Vec<u32>,
        otherwise: impl Fn(usize) -> (f64, Nearby),
    ) -> OfGaps {
        let mut all = Vec::new();
        let mut gaps: Vec<usize> = (0..row.len()).filter(|&f| row[f].is_nan()).collect();
        let mut count = DONORS;
        while !gaps.is_empty() {
            let donors = nearest(row, count);
            let mut left = Vec::new();
            let mut found = Vec::new();
            for &f in &gaps {
                let known = || donors.iter().map(|&j| self.points()[(f, j as usize)]).filter(|value| !value.is_nan());
                match known().next() {
                    Some(first) => {
                        let like = || known().filter(|value| (value - first).abs() <= self.usual[f]);
                        found.push((f, like().sum::<f64>() / like().count() as f64));
                        all.push((f, self.nearby(f, known().collect())));
                    }
                    None => left.push(f),
                }
            }
            // what others lack too is sought further away
            if donors.len() < count {
                for f in left.drain(..) {
                    let (value, nearby) = otherwise(f);
                    found.push((f, value));
                    all.push((f, nearby));
                }
            }
            for (f, value) in found {
                row[f] = value;
            }
            gaps = left;
            count *= 4;
        }
        all.sort_unstable_by_key(|(f, _)| *f);
        all
    }

    fn nearby(&self, f: usize, values: Vec<f64>) -> Nearby {
        let usual = self.usual[f].powi(2);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        match values.len() {
            // as much as by chance
            0 | 1 => Nearby { mean, variance: 0.5 * self.by_chance, usual },
            _ => {
                let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
                Nearby { mean, variance, usual }
            }
        }
    }
}

/// What is nearby, for each feature that a row lacks.
pub(crate) type OfGaps = Vec<(usize, Nearby)>;

/// What points have that a row resembles in its other entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearby {
    pub mean: f64,
    pub variance: f64,
    /// The squared difference in this feature between a point and its nearest that few exceed.
    pub usual: f64,
}

/// Points, one per column, with all gaps filled in, and what points nearby have, gap by gap: point by point, and feature by feature.
pub(crate) fn without_gaps(points: &Matrix) -> (Matrix, Vec<Nearby>) {
    let rows = if points.ncols() <= ALL_PAIRS_POINTS {
        let donors = Donors::new(points);
        each(points, |i, row| donors.fill(row, Some(i)))
    } else {
        filled_nearly(points, FIRST_DONORS)
    };
    let filled = matrix(&rows);
    (filled, rows.into_iter().flat_map(|(_, nearby)| nearby).map(|(_, nearby)| nearby).collect())
}

/// A point with its gaps filled in, and what is nearby.
type Filled = (Vec<f64>, OfGaps);

fn each(points: &Matrix, fill: impl Fn(usize, &mut [f64]) -> OfGaps + Sync) -> Vec<Filled> {
    let one = |i: usize| {
        let mut row = points.col_as_slice(i).to_vec();
        let nearby = fill(i, &mut row);
        (row, nearby)
    };
    (0..points.ncols()).into_par_iter().map(one).collect()
}

fn matrix(rows: &[Filled]) -> Matrix {
    Matrix::from_fn(rows.first().map_or(0, |(row, _)| row.len()), rows.len(), |f, i| rows[i].0[f])
}

/// The same without comparing all pairs: gaps are filled in from a few of the points, which brings each point near to where it
/// belongs, and then once more from those that are near there.
fn filled_nearly(points: &Matrix, few: usize) -> Vec<Filled> {
    let step = points.ncols().div_ceil(few);
    let some = Matrix::from_fn(points.nrows(), points.ncols().div_ceil(step), |f, i| points[(f, i * step)]);
    let first = Donors::new(&some);
    let begun = each(points, |i, row| first.fill(row, (i % step == 0).then_some(i / step)));
    let near = approximate_neighbors(&matrix(&begun), Length::Squared, NEAR, SEED);
    let donors = Donors::new(points);
    each(points, |i, row| {
        let nearest = |row: &[f64], count: usize| donors.nearest_of(near[i].iter().copied(), row, count);
        let (before, nearby) = &begun[i];
        let as_begun = |f: usize| {
            let found = nearby.iter().find(|(other, _)| *other == f).map(|(_, nearby)| *nearby);
            (before[f], found.unwrap_or_else(|| donors.nearby(f, vec![])))
        };
        donors.fill_by(row, nearest, as_begun)
    })
}

#[cfg(test)]
mod tests {
    //! Gaps are filled with what is nearby, never with what is between.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::graph::nearest_neighbors;

    fn points() -> Matrix {
        Matrix::from_fn(6, 80, |f, i| ((i as f64) * 0.1 + f as f64).sin())
    }

    #[test]
    fn whole_points_stay_as_they_are() {
        assert_eq!(without_gaps(&points()).0, points());
    }

    #[test]
    fn some_holes_leave_most_neighbours_as_they_are() {
        let whole = points();
        let mut holes = whole.clone();
        (0..80).filter(|i| i % 3 == 0).for_each(|i| holes[(i % 6, i)] = f64::NAN);
        let (before, after) = (nearest_neighbors(&whole, 5), nearest_neighbors(&without_gaps(&holes).0, 5));
        let kept: usize = before.iter().zip(&after).map(|(b, a)| b.iter().filter(|j| a.contains(j)).count()).sum();
        assert!(kept > 320, "{kept} of 400");
    }

    #[test]
    fn a_row_is_put_on_one_of_two_sheets() {
        let mut sheets = Matrix::from_fn(2, 60, |f, i| if f == 0 { (i / 2) as f64 } else { 10.0 * (i % 2) as f64 });
        sheets[(1, 31)] = f64::NAN;
        let filled = without_gaps(&sheets).0[(1, 31)];
        assert!(filled.abs() < 1e-9 || (filled - 10.0).abs() < 1e-9, "{filled}");
    }

    /// Points on a sheet of two dimensions in eight, with entries that are known and a part that is hidden.
    fn sheet(n: usize, hidden: impl Fn(usize, usize) -> bool) -> (Matrix, Matrix) {
        let at = |i: usize, step: usize| ((i * step) % 10_007) as f64 / 10_007.0;
        let whole = Matrix::from_fn(8, n, |f, i| {
            let (u, v) = (at(i, 4801), at(i, 7919));
            (2.0 * u + f as f64).sin() + (1.0 + 0.2 * f as f64) * v
        });
        let holes = Matrix::from_fn(8, n, |f, i| if hidden(f, i) { f64::NAN } else { whole[(f, i)] });
        (whole, holes)
    }

    #[test]
    fn of_many_points_nearly_the_same_is_filled_in() {
        let (whole, holes) = sheet(3000, |f, i| (i * 31 + f * 17).is_multiple_of(7));
        let wrong = |filled: &Matrix| (filled - &whole).norm_l2();
        let all_pairs = wrong(&without_gaps(&holes).0);
        let nearly = wrong(&matrix(&filled_nearly(&holes, 300)));
        let few = Donors::new(holes.subcols(0, 300).to_owned());
        let far = wrong(&matrix(&each(&holes, |_, row| few.fill(row, None))));
        assert!(nearly < 1.2 * all_pairs && nearly < 0.7 * far, "{nearly} of {all_pairs}, {far}");
    }

    #[test]
    fn of_many_points_the_same_on_any_number_of_threads() {
        let (_, holes) = sheet(1500, |f, i| (i * 31 + f * 17).is_multiple_of(7));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| matrix(&filled_nearly(&holes, 200)))
        };
        assert_eq!(on(1), on(2));
    }

    #[test]
    fn what_nobody_nearby_has_is_found_further_away_or_is_zero() {
        let mut holes = points();
        (0..40).for_each(|i| holes[(2, i)] = f64::NAN);
        assert!(without_gaps(&holes).0.is_all_finite());
        (0..80).for_each(|i| holes[(2, i)] = f64::NAN);
        assert!((0..80).all(|i| without_gaps(&holes).0[(2, i)] == 0.0));
    }
}
