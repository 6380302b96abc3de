//! Exact nearest neighbours: a k-d tree in low dimension, blocked matrix products in high, the same answer by both.
//!
//! Both searches only propose candidates; who is nearest is decided by one distance function and, between equal
//! distances, by the smaller number. So the graph does not depend on the path, and duplicates do no harm.

use super::{Graph, Length, Symmetry};
use crate::linalg::Matrix;
use kiddo::{ImmutableKdTree, Manhattan, SquaredEuclidean};
use rayon::prelude::*;
use std::num::NonZero;
use std::sync::Arc;

/// Dimension up to which the tree is used.
pub(super) const TREE_DIMENSION: usize = 12;
/// Number of points below which comparing all pairs is quicker than a tree.
const TREE_POINTS: usize = 256;
/// Relative room given to rounding when candidates are proposed.
pub(super) const SLACK: f64 = 1e-9;

/// Squared Euclidean distance, the one that decides.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The graph of the `k` nearest neighbours; `points` is d × n, one point a column, and k < n.
pub fn neighbor_graph(points: &Matrix, k: usize, symmetry: Symmetry) -> Graph {
    graph_of_lists(&nearest_neighbors(points, k), symmetry)
}

/// The graph of lists of neighbours, one of each point.
pub fn graph_of_lists(lists: &[Vec<u32>], symmetry: Symmetry) -> Graph {
    let listed = |i: u32, j: u32| lists[i as usize].contains(&j);
    let edges = lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| (i as u32, j)));
    match symmetry {
        Symmetry::Or => Graph::from_edges(lists.len(), edges),
        Symmetry::Mutual => Graph::from_edges(lists.len(), edges.filter(|&(i, j)| listed(j, i))),
    }
}

/// The `k` nearest other points of each point, nearest first.
pub fn nearest_neighbors(points: &Matrix, k: usize) -> Vec<Vec<u32>> {
    NeighborIndex::new(points.clone()).search(points, k, |i| Some(i as u32))
}

/// Points prepared for many queries. The answer to a query does not depend on what else is asked.
pub struct NeighborIndex {
    points: Arc<Matrix>,
    length: Length,
    search: SearchMethod,
}

enum SearchMethod {
    Tree(Box<dyn Tree>),
    Products(Products),
    /// Every point is a candidate.
    All,
}

impl NeighborIndex {
    /// Prepares points, d × n, one a column.
    pub fn new(points: impl Into<Arc<Matrix>>) -> Self {
        Self::by(Length::Squared, points)
    }

    /// The same for neighbours by some length.
    pub fn by(length: Length, points: impl Into<Arc<Matrix>>) -> Self {
        let points = points.into();
        let search = match (tree_of(&points, length), length) {
            (Some(tree), _) => SearchMethod::Tree(tree),
            (None, Length::Squared) => SearchMethod::Products(Products::new(&points)),
            (None, Length::Absolute) => SearchMethod::All,
        };
        Self { points, length, search }
    }

    /// The points.
    pub(crate) fn points(&self) -> &Arc<Matrix> {
        &self.points
    }

    /// The same, to be held by others too.
    pub(crate) fn shared(&self) -> &Arc<Matrix> {
        &self.points
    }

    /// The `k` points nearest to each query, nearest first. `queries` is d × m.
    pub fn nearest(&self, queries: &Matrix, k: usize) -> Vec<Vec<u32>> {
        self.search(queries, k, |_| None)
    }

    /// The same without the point, if any, that `skipped` names for a query.
    pub(crate) fn search(
        &self,
        queries: &Matrix,
        k: usize,
        skipped: impl Fn(usize) -> Option<u32> + Sync,
    ) -> Vec<Vec<u32>> {
        let n = self.points.ncols();
        let count = |query: usize| (k + usize::from(skipped(query).is_some())).min(n);
        let choose = |query: usize, candidates: Vec<u32>| -> Vec<u32> {
            let others = candidates.into_iter().filter(|&j| Some(j) != skipped(query));
            nearest_by(self.length, &self.points, queries.col_as_slice(query), others, k)
        };
        match &self.search {
            SearchMethod::Tree(tree) => (0..queries.ncols())
                .into_par_iter()
                .map(|q| choose(q, tree.candidates(queries.col_as_slice(q), count(q))))
                .collect(),
            SearchMethod::Products(products) => products.candidates(queries, count, choose),
            SearchMethod::All => {
                (0..queries.ncols()).into_par_iter().map(|q| choose(q, (0..n as u32).collect())).collect()
            }
        }
    }
}

/// The `k` of the candidates that are nearest to a place, nearest first, the smaller number first between equal distances.
pub(crate) fn nearest_of(points: &Matrix, from: &[f64], candidates: impl Iterator<Item = u32>, k: usize) -> Vec<u32> {
    nearest_by(Length::Squared, points, from, candidates, k)
}

/// The same by some length.
pub(crate) fn nearest_by(
    length: Length,
    points: &Matrix,
    from: &[f64],
    candidates: impl Iterator<Item = u32>,
    k: usize,
) -> Vec<u32> {
    let apart = |j: u32| (length.between(from, points.col_as_slice(j as usize)), j);
    let nearer = |p: &(f64, u32), q: &(f64, u32)| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1));
    let mut ranked: Vec<(f64, u32)> = candidates.map(apart).collect();
    if ranked.len() > k {
        ranked.select_nth_unstable_by(k, nearer);
        ranked.truncate(k);
    }
    ranked.sort_unstable_by(nearer);
    ranked.into_iter().map(|(_, j)| j).collect()
}

/// The graph of all pairs whose length is no more than `limit`.
pub fn within_length(points: &Matrix, length: Length, limit: f64) -> Graph {
    let n = points.ncols();
    let tree = tree_of(points, length);
    let edges: Vec<(u32, u32)> = (0..n)
        .into_par_iter()
        .flat_map_iter(|i| {
            let from = points.col_as_slice(i);
            let near = move |j: &u32| length.between(from, points.col_as_slice(*j as usize)) <= limit;
            let later = i as u32 + 1..n as u32;
            let candidates = match &tree {
                Some(tree) => tree.within(from, limit).into_iter().filter(|j| later.contains(j)).filter(near).collect(),
                None => later.filter(near).collect::<Vec<u32>>(),
            };
            candidates.into_iter().map(move |j| (i as u32, j))
        })
        .collect();
    Graph::from_edges(n, edges)
}

/// A k-d tree of some dimension.
trait Tree: Send + Sync {
    /// At least the `count` nearest.
    fn candidates(&self, query: &[f64], count: usize) -> Vec<u32>;

    /// At least those whose length is no more than `limit`.
    fn within(&self, query: &[f64], limit: f64) -> Vec<u32>;
}

/// The tree of the points, where one is quicker than all pairs.
fn tree_of(points: &Matrix, length: Length) -> Option<Box<dyn Tree>> {
    match points.nrows() {
        d if points.ncols() < TREE_POINTS || d > TREE_DIMENSION => None,
        0..=2 => Padded::<2>::build(points, length),
        3 => Padded::<3>::build(points, length),
        4 => Padded::<4>::build(points, length),
        5..=8 => Padded::<8>::build(points, length),
        _ => Padded::<12>::build(points, length),
    }
}

/// Points with zeros for missing axes, which add nothing to a distance.
struct Padded<const D: usize> {
    tree: ImmutableKdTree<f64, D>,
    length: Length,
}

impl<const D: usize> Padded<D>
where
    Self: Tree,
{
    /// `None` when the tree cannot be built.
    fn build(points: &Matrix, length: Length) -> Option<Box<dyn Tree>> {
        let rows: Vec<[f64; D]> = (0..points.ncols()).map(|i| padded(points.col_as_slice(i))).collect();
        Some(Box::new(Self { tree: ImmutableKdTree::new_from_slice(&rows).ok()?, length }))
    }
}

impl<const D: usize> Tree for Padded<D> {
    fn candidates(&self, query: &[f64], count: usize) -> Vec<u32> {
        let Some(count) = NonZero::new(count) else { return vec![] };
        let row = padded(query);
        let farthest = match self.length {
            Length::Squared => {
                let nearest = self.tree.query(&row).nearest_n::<SquaredEuclidean<f64>>(count).execute();
                nearest.iter().map(|found| found.distance).fold(0.0, f64::max)
            }
            Length::Absolute => {
                let nearest = self.tree.query(&row).nearest_n::<Manhattan<f64>>(count).execute();
                nearest.iter().map(|found| found.distance).fold(0.0, f64::max)
            }
        };
        self.within(query, farthest)
    }

    fn within(&self, query: &[f64], limit: f64) -> Vec<u32> {
        let row = padded(query);
        let limit = limit * (1.0 + SLACK);
        match self.length {
            Length::Squared => {
                let all = self.tree.query(&row).within::<SquaredEuclidean<f64>>(limit).unsorted().execute();
                all.iter().map(|found| found.item).collect()
            }
            Length::Absolute => {
                let all = self.tree.query(&row).within::<Manhattan<f64>>(limit).unsorted().execute();
                all.iter().map(|found| found.item).collect()
            }
        }
    }
}

fn padded<const D: usize>(point: &[f64]) -> [f64; D] {
    let mut row = [0.0; D];
    row[..point.len()].copy_from_slice(point);
    row
}

/// |a−b|² = |a|² + |b|² − 2a·b for a block of queries against all points, in one matrix product a block.
pub(super) struct Products {
    mean: Vec<f64>,
    /// Centred, so that rounding is relative to the spread of the points and not to their distance from zero.
    centred: Matrix,
    norms: Vec<f64>,
}

impl Products {
    pub(super) fn new(points: &Matrix) -> Self {
        let n = points.ncols();
        let mean: Vec<f64> =
            (0..points.nrows()).map(|r| (0..n).map(|i| points[(r, i)]).sum::<f64>() / n as f64).collect();
        let centred = Matrix::from_fn(points.nrows(), n, |r, i| points[(r, i)] - mean[r]);
        let norms = norms(&centred);
        Self { mean, centred, norms }
    }

    /// What `choose` makes of each query and of at least the `count` points nearest to it.
    pub(super) fn candidates<T: Send>(
        &self,
        queries: &Matrix,
        count: impl Fn(usize) -> usize + Sync,
        choose: impl Fn(usize, Vec<u32>) -> T + Sync,
    ) -> Vec<T> {
        let n = self.centred.ncols();
        self.each_query(queries, |query, near, slack| {
            let Some(last) = count(query).checked_sub(1) else { return choose(query, vec![]) };
            let mut order = near.clone();
            let (_, &mut reach, _) = order.select_nth_unstable_by(last, f64::total_cmp);
            let limit = reach.max(0.0) * (1.0 + SLACK) + slack;
            choose(query, (0..n as u32).filter(|&j| near[j as usize] <= limit).collect())
        })
    }

    /// What `answer` makes of each query, its squared distances to all points, and the room that rounding needs in them.
    pub(super) fn each_query<T: Send>(
        &self,
        queries: &Matrix,
        answer: impl Fn(usize, Vec<f64>, f64) -> T + Sync,
    ) -> Vec<T> {
        let n = self.centred.ncols();
        let block = (1usize << 22).div_ceil(n).clamp(1, 512);
        let largest = self.norms.iter().fold(0.0, |a: f64, &b| a.max(b));
        let mut answers = Vec::with_capacity(queries.ncols());
        for first in (0..queries.ncols()).step_by(block) {
            let width = block.min(queries.ncols() - first);
            let centred = Matrix::from_fn(queries.nrows(), width, |r, c| queries[(r, first + c)] - self.mean[r]);
            let norms = norms(&centred);
            let products = crate::linalg::cross_products(&self.centred, &centred); // [n, width]
            let found: Vec<T> = (0..width)
                .into_par_iter()
                .map(|c| {
                    let near: Vec<f64> = products
                        .col_as_slice(c)
                        .iter()
                        .zip(&self.norms)
                        .map(|(dot, norm)| norm + norms[c] - 2.0 * dot)
                        .collect();
                    answer(first + c, near, SLACK * (largest + norms[c]))
                })
                .collect();
            answers.extend(found);
        }
        answers
    }
}

fn norms(points: &Matrix) -> Vec<f64> {
    (0..points.ncols()).map(|i| points.col_as_slice(i).iter().map(|v| v * v).sum()).collect()
}

#[cfg(test)]
#[path = "neighbors_tests.rs"]
mod tests;
