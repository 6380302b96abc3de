//! How neighbours are searched for: exactly where that is quick, nearly so where it is not.

use super::Length;
use super::approximate::{approximate_neighbors, recall};
use super::neighbors::{NeighborIndex, TREE_DIMENSION};
use crate::linalg::Matrix;
use std::sync::Arc;

crate::choice! {
    /// How the nearest neighbours of points are searched for.
    pub enum NeighborSearch default Auto {
        /// Exactly, unless the points are so many and of so high a dimension that it would be slow.
        Auto = "auto",
        /// Exactly: with a tree up to 12 dimensions, above by comparing all pairs.
        Exact = "exact",
        /// Nearly: some neighbours may be missed, and the share of those found is measured.
        Approximate = "approximate",
    }
}

/// Neighbours of each point.
#[derive(Clone, Debug)]
pub struct FoundNeighbors {
    /// The neighbours of each point, nearest first.
    pub lists: Vec<Vec<u32>>,
    /// The share of true neighbours among them, measured on a sample, when the search was approximate.
    pub recall: Option<f64>,
}

/// Points on which the recall of an approximate search is measured.
const RECALL_SAMPLE: usize = 500;

// Where the exact search is slow was measured on two shared cores for ten neighbours, in seconds exact and approximate.
// All pairs in 50 dimensions: 0.4 and 0.2 for 5 000 points, 5 and 0.7 for 20 000, 33 and 2 for 50 000. The approximate
// search is the quicker one from a few thousand points on, but exactness is worth some seconds.
// The tree on uniform points, its worst case: in 8 dimensions 2.2 and 2.6 for 50 000 points, 5.1 and 4.9 for 100 000; in
// 12 dimensions 14 and 3 for 50 000.

/// Dimension up to which the tree is quick for any number of points.
const QUICK_TREE_DIMENSION: usize = 8;
/// Number of points up to which the tree is used in more dimensions.
const TREE_POINTS: usize = 50_000;
/// Number of points up to which all pairs are compared where there is no tree.
const ALL_PAIRS_POINTS: usize = 20_000;

/// The `k` nearest other points of each point by some length; `points` is d × n, one point a column, and k < n. The seed is
/// that of an approximate search, which for the same seed is the same on any number of threads.
pub fn find_neighbors(
    points: &Arc<Matrix>,
    length: Length,
    k: usize,
    search: NeighborSearch,
    seed: u64,
) -> FoundNeighbors {
    let exact = match search {
        NeighborSearch::Auto => exact_is_quick(points.nrows(), points.ncols()),
        NeighborSearch::Exact => true,
        NeighborSearch::Approximate => false,
    };
    if exact {
        let index = NeighborIndex::by(length, points.clone());
        return FoundNeighbors { lists: index.search(points, k, |i| Some(i as u32)), recall: None };
    }
    let lists = approximate_neighbors(points, length, k, seed);
    let recall = recall(points, length, &lists, RECALL_SAMPLE, seed);
    FoundNeighbors { lists, recall: Some(recall) }
}

fn exact_is_quick(d: usize, n: usize) -> bool {
    let few = if d <= TREE_DIMENSION { TREE_POINTS } else { ALL_PAIRS_POINTS };
    d <= QUICK_TREE_DIMENSION || n <= few
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::nearest_neighbors;

    #[test]
    fn the_share_found_is_told_when_the_search_is_approximate() {
        let points = Arc::new(Matrix::from_fn(20, 300, |r, i| ((i * (r + 3) * 7919) % 1009) as f64));
        let exact = nearest_neighbors(&points, 5);
        for search in [NeighborSearch::Auto, NeighborSearch::Exact] {
            let found = find_neighbors(&points, Length::Squared, 5, search, 1);
            assert_eq!((found.lists, found.recall), (exact.clone(), None), "{search:?}");
        }
        let found = find_neighbors(&points, Length::Squared, 5, NeighborSearch::Approximate, 1);
        assert!(found.lists.iter().all(|list| list.len() == 5));
        assert!(found.recall.is_some_and(|recall| recall > 0.9), "{:?}", found.recall);
    }

    #[test]
    fn few_points_and_few_dimensions_are_searched_exactly() {
        assert!(exact_is_quick(3, 10_000_000) && exact_is_quick(12, 50_000) && exact_is_quick(1000, 20_000));
        assert!(!exact_is_quick(12, 50_001) && !exact_is_quick(13, 20_001));
    }
}
