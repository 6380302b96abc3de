//! Exact nearest neighbours: a k-d tree in low dimension, blocked matrix products in high, the same answer by both.
//!
//! Both searches only propose candidates; who is nearest is decided by one distance function and, between equal
//! distances, by the smaller number. So the graph does not depend on the path, and duplicates do no harm.

use super::{Graph, Symmetry};
use crate::linalg::Matrix;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use std::num::NonZero;

/// Dimension up to which the tree is used.
const TREE_DIMENSION: usize = 12;
/// Number of points below which comparing all pairs is quicker than a tree.
const TREE_POINTS: usize = 256;
/// Relative room given to rounding when candidates are proposed.
const SLACK: f64 = 1e-9;

/// Squared Euclidean distance, the one that decides.
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The graph of the `k` nearest neighbours; `points` is d × n, one point a column, and k < n.
pub fn neighbor_graph(points: &Matrix, k: usize, symmetry: Symmetry) -> Graph {
    let lists = nearest_neighbors(points, k);
    let listed = |i: u32, j: u32| lists[i as usize].contains(&j);
    let edges = lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| (i as u32, j)));
    match symmetry {
        Symmetry::Or => Graph::from_edges(points.ncols(), edges),
        Symmetry::Mutual => Graph::from_edges(points.ncols(), edges.filter(|&(i, j)| listed(j, i))),
    }
}

/// The `k` nearest other points of each point, nearest first.
pub fn nearest_neighbors(points: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let (d, n) = (points.nrows(), points.ncols());
    let k = k.min(n.saturating_sub(1));
    let tree = match d {
        _ if n < TREE_POINTS || d > TREE_DIMENSION => None,
        0..=2 => by_tree::<2>(points, k),
        3 => by_tree::<3>(points, k),
        4 => by_tree::<4>(points, k),
        5..=8 => by_tree::<8>(points, k),
        _ => by_tree::<12>(points, k),
    };
    tree.unwrap_or_else(|| by_products(points, k))
}

/// The graph of all pairs at most `radius` apart.
pub fn within_radius(points: &Matrix, radius: f64) -> Graph {
    let n = points.ncols();
    let limit = radius * radius;
    let edges: Vec<(u32, u32)> = (0..n)
        .into_par_iter()
        .flat_map_iter(|i| {
            let from = points.col_as_slice(i);
            (i + 1..n)
                .filter(move |&j| squared_distance(from, points.col_as_slice(j)) <= limit)
                .map(move |j| (i as u32, j as u32))
        })
        .collect();
    Graph::from_edges(n, edges)
}

/// The best `k` of the candidates by distance, then number.
fn choose(points: &Matrix, i: usize, candidates: impl Iterator<Item = u32>, k: usize) -> Vec<u32> {
    let from = points.col_as_slice(i);
    let mut ranked: Vec<(f64, u32)> = candidates
        .filter(|&j| j as usize != i)
        .map(|j| (squared_distance(from, points.col_as_slice(j as usize)), j))
        .collect();
    ranked.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    ranked.truncate(k);
    ranked.into_iter().map(|(_, j)| j).collect()
}

/// `None` when the tree cannot be built.
fn by_tree<const D: usize>(points: &Matrix, k: usize) -> Option<Vec<Vec<u32>>> {
    // Missing axes are zero, which adds nothing to a distance.
    let rows: Vec<[f64; D]> = (0..points.ncols())
        .map(|i| {
            let mut row = [0.0; D];
            row[..points.nrows()].copy_from_slice(points.col_as_slice(i));
            row
        })
        .collect();
    let tree = ImmutableKdTree::new_from_slice(&rows).ok()?;
    let count = NonZero::new(k + 1)?;
    let lists = rows
        .par_iter()
        .enumerate()
        .map(|(i, row)| {
            let nearest = tree.query(row).nearest_n::<SquaredEuclidean<f64>>(count).execute();
            let reach = nearest.iter().map(|found| found.distance).fold(0.0, f64::max);
            let all = tree.query(row).within::<SquaredEuclidean<f64>>(reach * (1.0 + SLACK)).unsorted().execute();
            choose(points, i, all.iter().map(|found| found.item), k)
        })
        .collect();
    Some(lists)
}

/// |a−b|² = |a|² + |b|² − 2a·b for a block of points against all, in one matrix product a block.
fn by_products(points: &Matrix, k: usize) -> Vec<Vec<u32>> {
    let n = points.ncols();
    let block = (1usize << 22).div_ceil(n).clamp(1, 512);
    // centred, so that rounding is relative to the spread of the points and not to their distance from zero
    let mean: Vec<f64> = (0..points.nrows()).map(|r| (0..n).map(|i| points[(r, i)]).sum::<f64>() / n as f64).collect();
    let centred = Matrix::from_fn(points.nrows(), n, |r, i| points[(r, i)] - mean[r]);
    let norms: Vec<f64> = (0..n).map(|i| centred.col_as_slice(i).iter().map(|v| v * v).sum()).collect();
    let room = SLACK * norms.iter().fold(0.0, |a: f64, &b| a.max(b));
    let mut lists = Vec::with_capacity(n);
    for first in (0..n).step_by(block) {
        let width = block.min(n - first);
        let products = crate::linalg::cross_products(&centred, first, width); // [n, width]
        let block_lists: Vec<Vec<u32>> = (0..width)
            .into_par_iter()
            .map(|c| {
                let i = first + c;
                let near: Vec<f64> = products
                    .col_as_slice(c)
                    .iter()
                    .zip(&norms)
                    .map(|(dot, norm)| norm + norms[i] - 2.0 * dot)
                    .collect();
                let mut order = near.clone();
                let (_, &mut reach, _) = order.select_nth_unstable_by(k, f64::total_cmp);
                let limit = reach.max(0.0) * (1.0 + SLACK) + room;
                choose(points, i, (0..n as u32).filter(|&j| near[j as usize] <= limit), k)
            })
            .collect();
        lists.extend(block_lists);
    }
    lists
}

#[cfg(test)]
#[path = "neighbors_tests.rs"]
mod tests;
