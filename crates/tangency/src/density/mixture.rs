//! A mixture of Gaussians around points, each with a few axes of its own and one width in all other directions.

use super::reach::{Axes, Reach};
use super::tune::Widths;
use crate::graph::NeighborIndex;
use crate::linalg::{Matrix, dot, squared_difference};
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
        Self::new(points, Some(reach), directions, squares, widths)
    }

    /// Round Gaussians around points: a kernel density.
    pub fn plain(points: Arc<NeighborIndex>, widths: Widths) -> Self {
        let (d_y, n) = (points.points().nrows(), points.points().ncols());
        Self::new(points, None, Matrix::zeros(d_y, 0), Matrix::zeros(0, n), widths)
    }

    fn new(
        points: Arc<NeighborIndex>,
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
        Self { points, reach, directions, origins, squares, widths, heights, largest }
    }

    /// Number of Gaussians.
    pub fn n(&self) -> usize {
        self.squares.ncols()
    }

    fn center(&self, i: usize) -> &[f64] {
        self.points.points().col_as_slice(i)
    }

    /// Log-density of rows given one per column. A row that is a centre is left out of its own density.
    pub fn log_density(&self, rows: &Matrix) -> Vec<f64> {
        let all = self.all();
        let lists = if all.is_empty() { self.points.nearest(rows, NEAREST + 1) } else { vec![] };
        let score = |row: usize| self.among(rows.col_as_slice(row), lists.get(row).unwrap_or(&all), None);
        (0..rows.ncols()).into_par_iter().map(score).collect()
    }

    /// Which centre each row, given one per column, is.
    pub fn centers_of(&self, rows: &Matrix) -> Vec<Option<usize>> {
        let nearest = self.points.nearest(rows, 1);
        let own = |row: usize| {
            let i = *nearest[row].first()? as usize;
            (self.center(i) == rows.col_as_slice(row)).then_some(i)
        };
        (0..rows.ncols()).map(own).collect()
    }

    /// Log-density of some centres by all others.
    pub fn left_out(&self, rows: &[usize]) -> Vec<f64> {
        let all = self.all();
        let queries = || Matrix::from_fn(self.directions.nrows(), rows.len(), |f, c| self.center(rows[c])[f]);
        let lists = match all.is_empty() {
            true => self.points.search(&queries(), NEAREST, |c| Some(rows[c] as u32)),
            false => vec![],
        };
        let score = |c: usize| self.among(self.center(rows[c]), lists.get(c).unwrap_or(&all), Some(rows[c]));
        (0..rows.len()).into_par_iter().map(score).collect()
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
