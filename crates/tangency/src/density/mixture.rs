//! A mixture of Gaussians around points, each with a few axes of its own and one width in all other directions.

use super::reach::{Axes, Reach};
use super::tune::Widths;
use crate::graph::NeighborIndex;
use crate::linalg::{Matrix, dot, squared_difference};
use crate::model::RowGaps;
use rayon::prelude::*;
use std::sync::Arc;

/// Up to so many Gaussians all count; of more the nearest.
const ALL_UP_TO: usize = 2000;
/// How many count then.
const NEAREST: usize = 256;
/// A Gaussian so many nats below the best does not count.
const NOTHING: f64 = 40.0;

/// (1/n) Σ N(y; y_i, reach² Σ_a f_ia u_ia u_iaᵀ + noise² I).
pub struct Mixture {
    /// Centres. `[d_y, n]`
    points: Arc<NeighborIndex>,
    /// What the axes were made from; none where there are none.
    reach: Option<Reach<'static>>,
    /// Unit vectors u_ia in column i·d + a. `[d_y, n·d]`
    directions: Matrix,
    /// Where the centre is along them. `[d, n]`
    origins: Matrix,
    /// Squared lengths f_ia. `[d, n]`
    squares: Matrix,
    widths: Widths,
    /// Entries that the centres lacked.
    gaps: Arc<RowGaps>,
    /// Logarithm of what stands before the exponential of each. `[n]`
    heights: Vec<f64>,
    /// The largest variance of each in any direction. `[n]`
    largest: Vec<f64>,
}

/// What a Gaussian sees of a row: the squared distance, squared projections on its axes, and squared lengths of these.
#[derive(Default)]
pub(super) struct Seen {
    pub square: f64,
    pub along: Vec<f64>,
    pub lengths: Vec<f64>,
}

impl Seen {
    /// What a Gaussian with these axes sees.
    pub fn by(&mut self, axes: &Axes, center: &[f64], y: &[f64]) {
        self.square = squared_difference(y, center);
        self.along.clear();
        self.lengths.clone_from(&axes.squares);
        let square = |axis: &[f64]| (dot(axis, y) - dot(axis, center)).powi(2);
        self.along.extend((0..axes.squares.len()).map(|a| square(axes.directions.col_as_slice(a))));
    }
}

impl Mixture {
    /// Gaussians around points that reach along local maps.
    pub(super) fn along_maps(points: Arc<NeighborIndex>, reach: Reach<'static>, widths: Widths) -> Self {
        let d = reach.n_axes();
        let (n, d_y) = (reach.points.ncols(), reach.points.nrows());
        let all: Vec<Axes> = (0..n).into_par_iter().map(|i| reach.axes(i, None)).collect();
        let directions = Matrix::from_fn(d_y, n * d, |f, p| all[p / d].directions[(f, p % d)]);
        let squares = Matrix::from_fn(d, n, |a, i| all[i].squares[a]);
        let gaps = reach.gaps.clone();
        Self::new(points, gaps, Some(reach), directions, squares, widths)
    }

    /// Round Gaussians around points: a kernel density.
    pub(crate) fn plain(points: Arc<NeighborIndex>, gaps: Arc<RowGaps>, widths: Widths) -> Self {
        let (d_y, n) = (points.points().nrows(), points.points().ncols());
        Self::new(points, gaps, None, Matrix::zeros(d_y, 0), Matrix::zeros(0, n), widths)
    }

    fn new(
        points: Arc<NeighborIndex>,
        gaps: Arc<RowGaps>,
        reach: Option<Reach<'static>>,
        directions: Matrix,
        squares: Matrix,
        widths: Widths,
    ) -> Self {
        let (d, n, d_y) = (squares.nrows(), squares.ncols(), directions.nrows());
        let centers = points.points();
        let origins = Matrix::from_fn(d, n, |a, i| dot(directions.col_as_slice(i * d + a), centers.col_as_slice(i)));
        let heights = (0..n).map(|i| widths.height(d_y, squares.col_as_slice(i))).collect();
        let longest = |i: usize| squares.col_as_slice(i).iter().copied().fold(0.0, f64::max);
        let largest = (0..n).map(|i| widths.variance(longest(i))).collect();
        Self { points, reach, directions, origins, squares, widths, gaps, heights, largest }
    }

    /// Number of Gaussians.
    pub fn n(&self) -> usize {
        self.squares.ncols()
    }

    fn center(&self, i: usize) -> &[f64] {
        self.points.points().col_as_slice(i)
    }

    /// Log-density of rows given one per column. A row that is a centre is left out of its own density. One that lacks entries
    /// (NaN) has that of the others: the marginal of a mixture leaves coordinates out.
    pub fn log_density(&self, rows: &Matrix) -> Vec<f64> {
        let (all, whole) = (self.all(), whole_columns(rows));
        let lists = if all.is_empty() { self.nearest_whole(rows, &whole, NEAREST + 1) } else { vec![] };
        let score = |row: usize| {
            let y = rows.col_as_slice(row);
            match whole.binary_search(&row) {
                Ok(place) => self.among(y, lists.get(place).unwrap_or(&all), None),
                Err(_) => self.of_measured(y, self.gaps.find(self.points.points(), y).map(|i| i as usize)),
            }
        };
        (0..rows.ncols()).into_par_iter().map(score).collect()
    }

    /// Log-density of the entries that a row has, by all Gaussians but one.
    fn of_measured(&self, y: &[f64], without: Option<usize>) -> f64 {
        let known: Vec<usize> = (0..y.len()).filter(|&f| !y[f].is_nan()).collect();
        let measured = |of: &[f64]| -> Vec<f64> { known.iter().map(|&f| of[f]).collect() };
        let y = measured(y);
        let square = |i: u32| -> f64 {
            let center = self.center(i as usize);
            known.iter().zip(&y).map(|(&f, y)| (y - center[f]).powi(2)).sum()
        };
        let others = (0..self.n() as u32).filter(|&i| Some(i as usize) != without);
        let mut some: Vec<(f64, u32)> = others.map(|i| (square(i), i)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if self.n() > ALL_UP_TO && some.len() > NEAREST {
            some.select_nth_unstable_by(NEAREST - 1, order);
            some.truncate(NEAREST);
        }
        some.sort_unstable_by(order);
        let (d, mut sum, mut seen) = (self.squares.nrows(), Sum::default(), Seen::default());
        // a marginal is nowhere wider than the whole, and nowhere narrower than the noise
        let height = self.widths.height(known.len(), &[]);
        for (square, i) in some {
            let i = i as usize;
            if height - 0.5 * square / self.largest[i] < sum.best - NOTHING {
                continue;
            }
            let axes = match self.reach.as_ref().filter(|_| self.knows(i, without)) {
                Some(reach) => reach.axes(i, without),
                None => Axes {
                    directions: Matrix::from_fn(self.directions.nrows(), d, |f, a| self.directions[(f, i * d + a)]),
                    squares: self.squares.col_as_slice(i).to_vec(),
                },
            };
            seen.by(&axes.among(&known), &measured(self.center(i)), &y);
            sum.add(self.widths.height(known.len(), &seen.lengths) - 0.5 * self.widths.distance(&seen));
        }
        let count = self.n() - usize::from(without.is_some());
        sum.log() - (count as f64).ln()
    }

    /// Which centre each row, given one per column, is; one with gaps is a centre that lacked the same.
    pub fn centers_of(&self, rows: &Matrix) -> Vec<Option<usize>> {
        let whole = whole_columns(rows);
        let nearest = self.nearest_whole(rows, &whole, 1);
        let own = |row: usize| {
            let y = rows.col_as_slice(row);
            let Ok(place) = whole.binary_search(&row) else {
                return self.gaps.find(self.points.points(), y).map(|i| i as usize);
            };
            let i = *nearest[place].first()? as usize;
            (self.center(i) == y).then_some(i)
        };
        (0..rows.ncols()).map(own).collect()
    }

    /// Log-density of some centres by all others; of one that lacked entries, of those that it has.
    pub fn left_out(&self, rows: &[usize]) -> Vec<f64> {
        let all = self.all();
        let queries = || Matrix::from_fn(self.directions.nrows(), rows.len(), |f, c| self.center(rows[c])[f]);
        let lists = match all.is_empty() {
            true => self.points.search(&queries(), NEAREST, |c| Some(rows[c] as u32)),
            false => vec![],
        };
        let score = |c: usize| match self.gaps.is_whole(rows[c]) {
            true => self.among(self.center(rows[c]), lists.get(c).unwrap_or(&all), Some(rows[c])),
            false => {
                let measured = self.gaps.measured(self.points.points(), &rows[c..=c]);
                self.of_measured(measured.col_as_slice(0), Some(rows[c]))
            }
        };
        (0..rows.len()).into_par_iter().map(score).collect()
    }

    /// The nearest centres of some rows that have no gaps.
    fn nearest_whole(&self, rows: &Matrix, whole: &[usize], count: usize) -> Vec<Vec<u32>> {
        match whole.len() {
            0 => vec![],
            all if all == rows.ncols() => self.points.nearest(rows, count),
            some => {
                let queries = Matrix::from_fn(rows.nrows(), some, |f, c| rows[(f, whole[c])]);
                self.points.nearest(&queries, count)
            }
        }
    }

    /// All Gaussians, where there are few.
    fn all(&self) -> Vec<u32> {
        if self.n() <= ALL_UP_TO { (0..self.n() as u32).collect() } else { vec![] }
    }

    /// Log-density of a row by some Gaussians, without one: the first that is this very row, if none is named.
    fn among(&self, y: &[f64], some: &[u32], without: Option<usize>) -> f64 {
        // eight sums side by side have the same digits whatever the width of the machine's lanes
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let squares: Vec<f64> = some.iter().map(|&i| squared_difference(y, self.center(i as usize))).collect();
                let same = |(&i, &square): (&u32, &f64)| (square == 0.0).then_some(i as usize);
                let without = without.or_else(|| some.iter().zip(&squares).find_map(same));
                self.sum_of(y, some, &squares, without)
            },
        )
    }

    #[inline(always)]
    fn sum_of(&self, y: &[f64], some: &[u32], squares: &[f64], without: Option<usize>) -> f64 {
        let (mut sum, mut seen) = (Sum::default(), Seen::default());
        // the most that a Gaussian can add; whose axes know of the row that is left out is not known before
        let most = |c: usize| {
            let i = some[c] as usize;
            match (Some(i) == without, self.knows(i, without)) {
                (true, _) => f64::NEG_INFINITY,
                (_, true) => f64::INFINITY,
                _ => self.heights[i] - 0.5 * squares[c] / self.largest[i],
            }
        };
        let most: Vec<f64> = (0..some.len()).map(most).collect();
        // the best first, so that most of the others need not be looked at
        let first = (0..some.len()).max_by(|&a, &b| most[a].total_cmp(&most[b]));
        let others = (0..some.len()).filter(|&c| Some(c) != first);
        for c in first.into_iter().chain(others) {
            if most[c] == f64::NEG_INFINITY || most[c] < sum.best - NOTHING {
                continue;
            }
            let i = some[c] as usize;
            seen.square = squares[c];
            sum.add(self.term(y, i, without, &mut seen));
        }
        let count = self.n() - usize::from(without.is_some());
        sum.log() - (count as f64).ln()
    }

    /// Whether the axes of a Gaussian know of the row that is left out.
    #[inline(always)]
    fn knows(&self, i: usize, without: Option<usize>) -> bool {
        without.zip(self.reach.as_ref()).is_some_and(|(out, reach)| reach.are_neighbors(i, out))
    }

    /// Logarithm of what a Gaussian adds to the density of a row; its axes do not know of the row that is left out.
    #[inline(always)]
    fn term(&self, y: &[f64], i: usize, without: Option<usize>, seen: &mut Seen) -> f64 {
        let d = self.squares.nrows();
        if let Some(reach) = self.reach.as_ref().filter(|_| self.knows(i, without)) {
            seen.by(&reach.axes(i, without), self.center(i), y);
            return self.widths.height(y.len(), &seen.lengths) - 0.5 * self.widths.distance(seen);
        }
        seen.along.clear();
        seen.lengths.clear();
        let square = |a: usize| (dot(self.directions.col_as_slice(i * d + a), y) - self.origins[(a, i)]).powi(2);
        seen.along.extend((0..d).map(square));
        seen.lengths.extend(self.squares.col_as_slice(i));
        self.heights[i] - 0.5 * self.widths.distance(seen)
    }
}

/// Columns without a gap, ascending.
fn whole_columns(rows: &Matrix) -> Vec<usize> {
    (0..rows.ncols()).filter(|&row| rows.col_as_slice(row).iter().all(|value| !value.is_nan())).collect()
}

/// The logarithm of a sum of exponentials, term by term.
pub(super) struct Sum {
    best: f64,
    sum: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { best: f64::NEG_INFINITY, sum: 0.0 }
    }
}

impl Sum {
    pub fn add(&mut self, term: f64) {
        if term > self.best {
            self.sum = self.sum * (self.best - term).exp() + 1.0;
            self.best = term;
        } else {
            self.sum += (term - self.best).exp();
        }
    }

    pub fn log(&self) -> f64 {
        self.best + self.sum.ln()
    }
}

#[cfg(test)]
mod tests {
    //! The density of rows with gaps is that of whole rows with the others integrated out.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::linalg::{SpdWork, invert_spd, mirror_lower};
    use crate::{Config, Fitter, Shape, generate};

    /// log N of some features of a row, by the dense covariance of all features.
    fn literal(mixture: &Mixture, y: &[f64], i: usize, axes: &Axes) -> f64 {
        let known: Vec<usize> = (0..y.len()).filter(|&f| !y[f].is_nan()).collect();
        let Widths { reach, noise } = mixture.widths;
        let entry = |f: usize, g: usize| -> f64 {
            let along = |a: usize| axes.squares[a] * axes.directions[(f, a)] * axes.directions[(g, a)];
            reach * reach * (0..axes.squares.len()).map(along).sum::<f64>() + if f == g { noise * noise } else { 0.0 }
        };
        let mut covariance = Matrix::from_fn(known.len(), known.len(), |p, q| entry(known[p], known[q]));
        let log_det = invert_spd(&mut covariance, &mut SpdWork::new(known.len()), "test").unwrap();
        mirror_lower(&mut covariance);
        let away: Vec<f64> = known.iter().map(|&f| y[f] - mixture.center(i)[f]).collect();
        let square: f64 = (0..known.len())
            .map(|p| (0..known.len()).map(|q| away[p] * covariance[(p, q)] * away[q]).sum::<f64>())
            .sum();
        -0.5 * (known.len() as f64 * std::f64::consts::TAU.ln() + log_det + square)
    }

    #[test]
    fn gaps_are_integrated_out() {
        let curve = generate(Shape::SCurve, 80, 0.1, 4);
        // four features, of which some rows lack one to three
        let table = Matrix::from_fn(80, 4, |i, f| match f {
            3 => curve.points[(i, 0)] - curve.points[(i, 2)],
            f => curve.points[(i, f)],
        });
        let fit = Fitter::new(Config { max_iter: 10, ..Config::default() }).fit(&table).unwrap();
        let lacked: Vec<(u32, u32)> = (0..80).filter(|i| i % 5 == 0).map(|i| (i, i % 4)).collect();
        let reach = Reach::of(&fit, lacked);
        let (index, gaps) = (Arc::new(NeighborIndex::new(reach.points.clone())), reach.gaps.clone());
        let mixture = Mixture::along_maps(index.clone(), reach.into_owned(), Widths { reach: 0.6, noise: 0.07 });
        let new = generate(Shape::SCurve, 12, 0.1, 5);
        let rows = Matrix::from_fn(4, 12, |f, i| match (f + i) % 4 < 1 + i % 3 {
            true => f64::NAN,
            false => 0.3 * new.points[(i, f % 3)],
        });
        let found = mixture.log_density(&rows);
        for (i, found) in found.iter().enumerate() {
            let mut sum = Sum::default();
            (0..80).for_each(|j| {
                let axes = mixture.reach.as_ref().unwrap().axes(j, None);
                sum.add(literal(&mixture, rows.col_as_slice(i), j, &axes));
            });
            let expected = sum.log() - 80f64.ln();
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{i}: {found} {expected}");
        }
        // a training row is left out, by what it has
        let measured = gaps.measured(index.points(), &[10, 11]);
        let out = mixture.left_out(&[10, 11]);
        assert_eq!(out, mixture.log_density(&measured));
        let mut sum = Sum::default();
        (0..80).filter(|&j| j != 10).for_each(|j| {
            let reach = mixture.reach.as_ref().unwrap();
            let without = reach.are_neighbors(j, 10).then_some(10);
            sum.add(literal(&mixture, measured.col_as_slice(0), j, &reach.axes(j, without)));
        });
        assert!((out[0] - (sum.log() - 79f64.ln())).abs() < 1e-9 * (1.0 + out[0].abs()));
        // the kernel density too
        let kernel = Mixture::plain(index, gaps, Widths { reach: 0.0, noise: 0.2 });
        assert!(kernel.log_density(&rows).iter().all(|score| score.is_finite()));
    }
}
