//! How far the Gaussian around a training point reaches, and in which directions: along its map, as far as its neighbours are.

use crate::fit::Fit;
use crate::graph::{Graph, NeighborIndex, Symmetry, graph_of_lists, nearest_neighbors};
use crate::linalg::{Matrix, dot, product, small, symmetric_eigen, transposed_product};
use crate::model::RowGaps;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

/// A neighbour that decides nearly all of a map is taken to decide no more than this share of it.
const MOST: f64 = 0.95;
/// A regression adds this share of the mean variance to each axis.
const RIDGE: f64 = 1e-3;
/// Rows from which the share of variance is found; of more they are evenly spread over the table.
const ROWS: usize = 2000;

/// What of a fit the Gaussians are made from.
pub(crate) struct Reach<'a> {
    /// Points in scaled units, along the features or along axes that span all of them. `[≤ d_y, n]`
    pub(super) points: Arc<Matrix>,
    /// Number of features d_y.
    pub(super) n_features: usize,
    graph: Cow<'a, Graph>,
    /// One point per column. `[d_x, n]`
    coordinates: Matrix,
    /// Column i·d_x + a is column a of C_i. `[≤ d_y, n·d_x]`
    maps: Cow<'a, Matrix>,
    /// Column covariance of each map, one per column. `[d_x², n]`
    map_covariances: Cow<'a, Matrix>,
    gamma: f64,
    /// Entries that rows lacked, with which no row is scored.
    pub(super) gaps: Arc<RowGaps>,
}

/// Axes of one Gaussian.
#[derive(Clone)]
pub(super) struct Axes {
    /// Unit vectors. `[d_y, d_x]`
    pub directions: Matrix,
    /// Their squared lengths. `[d_x]`
    pub squares: Vec<f64>,
}

impl Axes {
    /// The longest axes of FFᵀ, so many.
    fn of(factor: &Matrix, kept: usize) -> Self {
        let (d_y, d_x) = (factor.nrows(), factor.ncols());
        let Ok((_, turn)) = symmetric_eigen(&transposed_product(factor, factor), "reach of a map") else {
            return Self { directions: Matrix::zeros(d_y, kept), squares: vec![0.0; kept] };
        };
        // the longest are last
        let turn = Matrix::from_fn(d_x, kept, |a, b| turn[(a, d_x - kept + b)]);
        let mut directions = product(factor, &turn);
        let squares: Vec<f64> =
            (0..kept).map(|a| dot(directions.col_as_slice(a), directions.col_as_slice(a))).collect();
        for (a, square) in squares.iter().enumerate() {
            // an axis without length has no direction, and none is needed
            let scale = if *square > f64::MIN_POSITIVE { square.sqrt().recip() } else { 0.0 };
            directions.col_as_slice_mut(a).iter_mut().for_each(|value| *value *= scale);
        }
        Self { directions, squares }
    }

    /// Those of the Gaussian of some features alone: its marginal, for which the others are left out.
    pub fn among(&self, features: &[usize]) -> Self {
        if self.squares.is_empty() {
            return Self { directions: Matrix::zeros(features.len(), 0), squares: vec![] };
        }
        let scaled = |f: usize, a: usize| self.squares[a].sqrt() * self.directions[(features[f], a)];
        let factor = Matrix::from_fn(features.len(), self.squares.len(), scaled);
        Self::of(&factor, self.squares.len().min(features.len()))
    }
}

impl<'a> Reach<'a> {
    /// Of a fit to a table that lacked these entries.
    pub fn of(fit: &'a Fit, lacked: Vec<(u32, u32)>) -> Self {
        let points = Arc::new(fit.scaled_observations());
        Self {
            gaps: Arc::new(RowGaps::new(lacked, &points)),
            points,
            n_features: fit.observations.ncols(),
            graph: Cow::Borrowed(&fit.graph),
            coordinates: fit.coordinates.transpose().to_owned(),
            maps: Cow::Borrowed(&fit.maps),
            map_covariances: Cow::Borrowed(&fit.map_covariances),
            gamma: fit.hyper.gamma,
        }
    }

    /// The same of a table without gaps along axes that span all points, which keep every distance: points and maps as they are along these.
    pub fn rotated(fit: &'a Fit, points: Arc<Matrix>, maps: &'a Matrix) -> Self {
        Self {
            points,
            n_features: fit.observations.ncols(),
            graph: Cow::Borrowed(&fit.graph),
            coordinates: fit.coordinates.transpose().to_owned(),
            maps: Cow::Borrowed(maps),
            map_covariances: Cow::Borrowed(&fit.map_covariances),
            gamma: fit.hyper.gamma,
            gaps: Arc::default(),
        }
    }

    /// What any embedding [n, d] says of points [d_y, n]: maps by regression on those that are nearest on it.
    pub fn of_embedding(points: Arc<Matrix>, embedding: &Matrix, k: usize) -> Self {
        let coordinates = embedding.transpose().to_owned();
        let graph = graph_of_lists(&nearest_neighbors(&coordinates, k), Symmetry::Or);
        let (d_x, d_y, n) = (coordinates.nrows(), points.nrows(), points.ncols());
        let regression = |i: usize| -> (Matrix, Vec<f64>) {
            let step = |j: u32, a: usize| coordinates[(a, j as usize)] - coordinates[(a, i)];
            let sum = |of: &dyn Fn(u32) -> f64| graph.neighbors(i).iter().map(|&j| of(j)).sum::<f64>();
            let mut covariance: Vec<f64> =
                (0..d_x * d_x).map(|p| sum(&|j| step(j, p / d_x) * step(j, p % d_x))).collect();
            let trace: f64 = (0..d_x).map(|a| covariance[a * d_x + a]).sum();
            let ridge = (RIDGE * trace / d_x as f64).max(f64::MIN_POSITIVE.sqrt());
            (0..d_x).for_each(|a| covariance[a * d_x + a] += ridge);
            if small::invert(&mut covariance, d_x).is_none() {
                return (Matrix::zeros(d_y, d_x), vec![0.0; d_x * d_x]);
            }
            let along =
                Matrix::from_fn(d_y, d_x, |f, a| sum(&|j| (points[(f, j as usize)] - points[(f, i)]) * step(j, a)));
            let map = Matrix::from_fn(d_y, d_x, |f, a| (0..d_x).map(|b| along[(f, b)] * covariance[b * d_x + a]).sum());
            (map, covariance)
        };
        let all: Vec<(Matrix, Vec<f64>)> = (0..n).into_par_iter().map(regression).collect();
        let maps = Matrix::from_fn(d_y, n * d_x, |f, p| all[p / d_x].0[(f, p % d_x)]);
        let map_covariances = Matrix::from_fn(d_x * d_x, n, |p, i| all[i].1[p]);
        let (maps, map_covariances) = (Cow::Owned(maps), Cow::Owned(map_covariances));
        let gaps = Arc::default();
        Self { points, n_features: d_y, graph: Cow::Owned(graph), coordinates, maps, map_covariances, gamma: 1.0, gaps }
    }

    /// The same without the fit.
    pub fn into_owned(self) -> Reach<'static> {
        Reach {
            points: self.points,
            n_features: self.n_features,
            graph: Cow::Owned(self.graph.into_owned()),
            coordinates: self.coordinates,
            maps: Cow::Owned(self.maps.into_owned()),
            map_covariances: Cow::Owned(self.map_covariances.into_owned()),
            gamma: self.gamma,
            gaps: self.gaps,
        }
    }

    /// Whether points are along a rotation of the features.
    pub fn is_rotated(&self) -> bool {
        self.points.nrows() < self.n_features
    }

    pub fn n_axes(&self) -> usize {
        self.coordinates.nrows()
    }

    /// Whether two points are neighbours.
    pub fn are_neighbors(&self, i: usize, j: usize) -> bool {
        self.graph.neighbors(i).binary_search(&(j as u32)).is_ok()
    }

    /// The axes of the Gaussian around a point; without one of its neighbours, if that is to be left out.
    pub(super) fn axes(&self, i: usize, without: Option<usize>) -> Axes {
        let (d_x, d_y) = (self.n_axes(), self.points.nrows());
        let others = || self.graph.neighbors(i).iter().map(|&j| j as usize).filter(|&j| Some(j) != without);
        let step = |j: usize, a: usize| self.coordinates[(a, j)] - self.coordinates[(a, i)];
        let count = others().count().max(1) as f64;
        let scatter = Matrix::from_fn(d_x, d_x, |a, b| others().map(|j| step(j, a) * step(j, b)).sum::<f64>() / count);
        let mut map = Matrix::from_fn(d_y, d_x, |f, a| self.maps[(f, i * d_x + a)]);
        if let Some(j) = without {
            self.forget(&mut map, i, j);
        }
        let none = Axes { directions: Matrix::zeros(d_y, d_x), squares: vec![0.0; d_x] };
        // F Fᵀ = C S Cᵀ; its axes are those of √S Cᵀ C √S
        let Ok((values, vectors)) = symmetric_eigen(&scatter, "scatter of the neighbours") else { return none };
        let root = Matrix::from_fn(d_x, d_x, |a, b| vectors[(a, b)] * values[b].max(0.0).sqrt());
        Axes::of(&product(&map, &root), d_x)
    }

    /// How far a point is from what some others on the map expect at its coordinates. They do not know it: a neighbour on the
    /// graph forgets what it says. Each counts by how well it knows what is there, and where entries are missing only those
    /// count that have one: what is filled in may know the point. `[d_y]`
    fn missed(&self, i: usize, others: &[u32]) -> Vec<Option<f64>> {
        let d_x = self.n_axes();
        let d_y = self.points.nrows();
        let (mut missed, mut known) = (vec![0.0; d_y], vec![0.0; d_y]);
        for j in others.iter().map(|&j| j as usize) {
            let (step, moved, share) = self.influence(j, i);
            let neighbors = self.are_neighbors(i, j);
            // without i the precision is γ (1 − share), and a residual r becomes r / (1 − share)
            let (weight, of_residual) = match neighbors {
                true => (1.0 - share, 1.0),
                false => {
                    let weight = 1.0 / (1.0 + self.gamma * dot(&step, &moved).max(0.0));
                    (weight, weight)
                }
            };
            let lacked = self.gaps.of(j);
            let lacks = |f: usize| !lacked.is_empty() && lacked.binary_search(&(j as u32, f as u32)).is_ok();
            for (f, missed) in missed.iter_mut().enumerate() {
                if lacks(f) {
                    continue;
                }
                known[f] += weight;
                let along: f64 = (0..d_x).map(|a| self.maps[(f, j * d_x + a)] * step[a]).sum();
                *missed += of_residual * (self.points[(f, i)] - self.points[(f, j)] - along);
            }
        }
        missed.into_iter().zip(known).map(|(missed, known)| (known > 0.0).then(|| missed / known)).collect()
    }

    /// The step from a point to a neighbour, that times the covariance of the point's map, and the share of the map that this
    /// neighbour decides.
    fn influence(&self, i: usize, j: usize) -> (Vec<f64>, Vec<f64>, f64) {
        let step: Vec<f64> = (0..self.n_axes()).map(|a| self.coordinates[(a, j)] - self.coordinates[(a, i)]).collect();
        let moved = small::times(self.map_covariances.col_as_slice(i), &step);
        let share = (self.gamma * dot(&step, &moved)).clamp(0.0, MOST);
        (step, moved, share)
    }

    /// The map of a point as it would be without what a neighbour says of it, all coordinates being where they are: the
    /// regression of its neighbours on their coordinates with one of them taken out.
    fn forget(&self, map: &mut Matrix, i: usize, j: usize) {
        let (d_x, d_y) = (self.n_axes(), self.points.nrows());
        let (step, moved, share) = self.influence(i, j);
        let (from, to) = (self.points.col_as_slice(i), self.points.col_as_slice(j));
        for f in 0..d_y {
            let expected: f64 = (0..d_x).map(|a| map[(f, a)] * step[a]).sum();
            let surplus = self.gamma * (to[f] - from[f] - expected) / (1.0 - share);
            (0..d_x).for_each(|a| map[(f, a)] -= surplus * moved[a]);
        }
    }

    /// The share of the variance that is explained of rows that are left out: each is expected at its coordinates from those
    /// that are next to it on the map. Entries count that were measured.
    pub fn share_left_out(&self) -> f64 {
        share_of(&self.squares_left_out(), None)
    }

    /// Of each feature the sum of squares that others on the map miss of rows that are left out, and that of these rows.
    pub fn squares_left_out(&self) -> Vec<(f64, f64)> {
        let n = self.points.ncols();
        let rows: Vec<usize> = (0..n).step_by(n.div_ceil(ROWS)).collect();
        let places = Matrix::from_fn(self.n_axes(), rows.len(), |a, c| self.coordinates[(a, rows[c])]);
        let count = (2 * self.graph.edges().len()).div_ceil(n).clamp(1, n - 1);
        let index = NeighborIndex::new(self.coordinates.clone());
        let lists = index.search(&places, count, |c| Some(rows[c] as u32));
        let missed = |c: usize| self.missed(rows[c], &lists[c]);
        let missed: Vec<Vec<Option<f64>>> = (0..rows.len()).into_par_iter().map(missed).collect();
        let mut sums = vec![(0.0, 0.0); self.points.nrows()];
        for (&row, missed) in rows.iter().zip(&missed) {
            for (f, sum) in sums.iter_mut().enumerate().filter(|&(f, _)| !self.gaps.lacks(row, f)) {
                let own = self.points[(f, row)];
                let missed = missed[f].unwrap_or(own);
                *sum = (sum.0 + missed * missed, sum.1 + own * own);
            }
        }
        sums
    }
}

/// The share that is explained, where these sums of squares are missed and there in all; features count by the squares of these
/// weights, or all alike.
pub(crate) fn share_of(squares: &[(f64, f64)], weights: Option<&[f64]>) -> f64 {
    let of = |f: usize| weights.map_or(1.0, |weights| weights[f] * weights[f]);
    let (mut missed, mut all) = (0.0, 0.0);
    for (f, (of_feature, squares)) in squares.iter().enumerate() {
        missed += of(f) * of_feature;
        all += of(f) * squares;
    }
    if all > 0.0 { 1.0 - missed / all } else { 0.0 }
}
