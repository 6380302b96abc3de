//! How many nearest neighbours it takes for a graph in one piece.

use super::{Length, NeighborIndex, Symmetry, graph_of_lists, pieces};
use crate::linalg::Matrix;
use std::sync::Arc;

/// Number of points up to which neighbours are searched for once more, for a better message only.
const MOST_POINTS: usize = 20_000;
/// More neighbours than these are no advice.
const MOST_NEIGHBORS: usize = 100;

/// The smallest number of nearest neighbours whose graph is in one piece; nothing where it is large, or long to find.
/// `points` is d × n, one point a column.
pub(crate) fn least_joining(points: &Arc<Matrix>, length: Length, symmetry: Symmetry) -> Option<usize> {
    let n = points.ncols();
    if n > MOST_POINTS {
        return None;
    }
    let most = MOST_NEIGHBORS.min(n.checked_sub(1)?);
    let lists = NeighborIndex::by(length, points.clone()).search(points, most, |i| Some(i as u32));
    // the nearest of more neighbours are the nearest of fewer, so edges are only added as the number grows
    let joined = |k: usize| {
        let nearest: Vec<Vec<u32>> = lists.iter().map(|list| list[..k].to_vec()).collect();
        pieces(&graph_of_lists(&nearest, symmetry)).len() == 1
    };
    if !joined(most) {
        return None;
    }
    let (mut apart, mut together) = (0, most);
    while together - apart > 1 {
        let middle = usize::midpoint(apart, together);
        *(if joined(middle) { &mut together } else { &mut apart }) = middle;
    }
    Some(together)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::neighbor_graph;

    /// Clusters on a line, each of a number of points.
    fn clusters(sizes: &[usize]) -> Arc<Matrix> {
        let places: Vec<f64> =
            sizes.iter().enumerate().flat_map(|(c, &size)| (0..size).map(move |i| (1000 * c + i) as f64)).collect();
        Arc::new(Matrix::from_fn(1, places.len(), |_, i| places[i]))
    }

    #[test]
    fn it_is_the_smallest_number_that_joins() {
        for symmetry in [Symmetry::Or, Symmetry::Mutual] {
            let points = clusters(&[20, 12, 7]);
            let found = least_joining(&points, Length::Squared, symmetry);
            let count = |k: usize| pieces(&neighbor_graph(&points, k, symmetry)).len();
            assert!(found.is_some_and(|k| count(k) == 1 && count(k - 1) > 1), "{symmetry}: {found:?}");
        }
        // the points of the smallest cluster find each other first
        assert_eq!(least_joining(&clusters(&[20, 10]), Length::Squared, Symmetry::Or), Some(10));
    }

    #[test]
    fn a_number_too_large_is_no_advice() {
        assert_eq!(least_joining(&clusters(&[150, 130]), Length::Squared, Symmetry::Or), None);
    }
}
