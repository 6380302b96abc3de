//! A mixture of Gaussians around points, each with a few axes of its own and one width in all other directions.

use super::reach::{Axes, Reach};
use super::tune::Widths;
use crate::graph::NeighborIndex;
use crate::linalg::{Matrix, dot};
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
    points: Arc<Matrix>,
    /// What the axes were made from; none where there are none.
    reach: Option<Reach>,
    /// Unit vectors u_ia in column i·d + a. `[d_y, n·d]`
    directions: Matrix,
    /// Squared lengths f_ia. `[d, n]`
    squares: Matrix,
    index: NeighborIndex,
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

impl Mixture {
    /// Gaussians that reach along local maps; all widths 1.
    pub(super) fn along_maps(reach: Reach) -> Self {
        let (points, d) = (reach.points.clone(), reach.n_axes());
        let (n, d_y) = (points.ncols(), points.nrows());
        let all: Vec<Axes> = (0..n).into_par_iter().map(|i| reach.axes(i, None)).collect();
        let directions = Matrix::from_fn(d_y, n * d, |f, p| all[p / d].directions[(f, p % d)]);
        let squares = Matrix::from_fn(d, n, |a, i| all[i].squares[a]);
        Self::new(points, Some(reach), directions, squares)
    }

    /// Round Gaussians around points `[d_y, n]`: a kernel density.
    pub fn plain(points: Arc<Matrix>) -> Self {
        let (d_y, n) = (points.nrows(), points.ncols());
        Self::new(points, None, Matrix::zeros(d_y, 0), Matrix::zeros(0, n))
    }

    fn new(points: Arc<Matrix>, reach: Option<Reach>, directions: Matrix, squares: Matrix) -> Self {
        let index = NeighborIndex::new((*points).clone());
        let widths = Widths { reach: 1.0, noise: 1.0 };
        let (heights, largest) = (vec![], vec![]);
        Self { points, reach, directions, squares, index, widths, heights, largest }.with_widths(widths)
    }

    /// The same with these widths.
    pub fn with_widths(mut self, widths: Widths) -> Self {
        let d_y = self.points.nrows();
        self.heights = (0..self.n()).map(|i| widths.height(d_y, self.squares.col_as_slice(i))).collect();
        let longest = |i: usize| self.squares.col_as_slice(i).iter().copied().fold(0.0, f64::max);
        self.largest = (0..self.n()).map(|i| widths.variance(longest(i))).collect();
        self.widths = widths;
        self
    }

    /// Number of Gaussians.
    pub fn n(&self) -> usize {
        self.points.ncols()
    }

    /// Axes of each.
    pub fn n_axes(&self) -> usize {
        self.squares.nrows()
    }

    pub(super) fn points(&self) -> &Matrix {
        &self.points
    }

    /// The nearest Gaussians to some centres, these themselves left out.
    pub(super) fn nearest_to(&self, rows: &[usize], k: usize) -> Vec<Vec<u32>> {
        let queries = Matrix::from_fn(self.points.nrows(), rows.len(), |f, c| self.points[(f, rows[c])]);
        self.index.search(&queries, k, |c| Some(rows[c] as u32))
    }

    /// Log-density of rows given one per column. A row that is a centre is left out of its own density.
    pub fn log_density(&self, rows: &Matrix) -> Vec<f64> {
        let all: Vec<u32> = if self.n() <= ALL_UP_TO { (0..self.n() as u32).collect() } else { vec![] };
        let lists = if all.is_empty() { self.index.nearest(rows, NEAREST + 1) } else { vec![] };
        let score = |row: usize| {
            let (y, list) = (rows.col_as_slice(row), lists.get(row).unwrap_or(&all));
            let own = list.iter().copied().find(|&i| self.points.col_as_slice(i as usize) == y);
            self.among(y, list, own.map(|i| i as usize))
        };
        (0..rows.ncols()).into_par_iter().map(score).collect()
    }

    /// Which centre each row, given one per column, is.
    pub fn centers_of(&self, rows: &Matrix) -> Vec<Option<usize>> {
        let nearest = self.index.nearest(rows, 1);
        let own = |row: usize| {
            let i = *nearest[row].first()? as usize;
            (self.points.col_as_slice(i) == rows.col_as_slice(row)).then_some(i)
        };
        (0..rows.ncols()).map(own).collect()
    }

    /// Log-density of some centres by all others.
    pub fn left_out(&self, rows: &[usize]) -> Vec<f64> {
        let all: Vec<u32> = if self.n() <= ALL_UP_TO { (0..self.n() as u32).collect() } else { vec![] };
        let lists = if all.is_empty() { self.nearest_to(rows, NEAREST) } else { vec![] };
        let score =
            |c: usize| self.among(self.points.col_as_slice(rows[c]), lists.get(c).unwrap_or(&all), Some(rows[c]));
        (0..rows.len()).into_par_iter().map(score).collect()
    }

    /// Log-density of a row by some Gaussians, without one.
    fn among(&self, y: &[f64], some: &[u32], without: Option<usize>) -> f64 {
        let (mut sum, mut seen) = (Sum::default(), Seen::default());
        let d_y = y.len();
        for i in some.iter().map(|&i| i as usize).filter(|&i| Some(i) != without) {
            let close = self.knows(i, without);
            seen.square = squared_difference(y, self.points.col_as_slice(i));
            if !close && self.heights[i] - 0.5 * seen.square / self.largest[i] < sum.best - NOTHING {
                continue;
            }
            self.see(y, i, without, &mut seen);
            let height = if close { self.widths.height(d_y, &seen.lengths) } else { self.heights[i] };
            sum.add(height - 0.5 * self.widths.distance(&seen));
        }
        let count = self.n() - usize::from(without.is_some());
        sum.log() - (count as f64).ln()
    }

    /// Whether the axes of a Gaussian know of the row that is left out.
    fn knows(&self, i: usize, without: Option<usize>) -> bool {
        without.zip(self.reach.as_ref()).is_some_and(|(out, reach)| reach.are_neighbors(i, out))
    }

    /// What a Gaussian sees of a row; its axes do not know of the row that is left out.
    pub(super) fn see(&self, y: &[f64], i: usize, without: Option<usize>, seen: &mut Seen) {
        let (center, d) = (self.points.col_as_slice(i), self.n_axes());
        seen.along.clear();
        seen.lengths.clear();
        seen.square = squared_difference(y, center);
        let square = |axis: &[f64]| (dot(axis, y) - dot(axis, center)).powi(2);
        match &self.reach {
            Some(reach) if self.knows(i, without) => {
                let axes = reach.axes(i, without);
                seen.along.extend((0..d).map(|a| square(axes.directions.col_as_slice(a))));
                seen.lengths.extend(axes.squares);
            }
            _ => {
                seen.along.extend((0..d).map(|a| square(self.directions.col_as_slice(i * d + a))));
                seen.lengths.extend(self.squares.col_as_slice(i));
            }
        }
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

/// Squared distance, summed in lanes.
pub(super) fn squared_difference(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f64>() + rest
}
