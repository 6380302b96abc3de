//! Shortest paths along the edges.

use super::Graph;
use super::neighbors::squared_distance;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

struct Reached {
    distance: f64,
    point: u32,
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Reached {}
impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Reached {
    // the heap gives its greatest: nearest first
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.point.cmp(&self.point))
    }
}

/// Lengths of the shortest paths between all pairs, edges as long as the points are apart; `points` is d × n. [n, n]
pub fn geodesic_distances(graph: &Graph, points: &Matrix) -> Matrix {
    let n = graph.n();
    let lengths: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let from = points.col_as_slice(i);
            graph.neighbors(i).iter().map(|&j| squared_distance(from, points.col_as_slice(j as usize)).sqrt()).collect()
        })
        .collect();
    let mut distances = Matrix::zeros(n, n);
    distances.as_mut().par_col_iter_mut().enumerate().for_each(|(source, column)| {
        let mut from_source = vec![f64::INFINITY; n];
        from_source[source] = 0.0;
        let mut heap = BinaryHeap::from([Reached { distance: 0.0, point: source as u32 }]);
        while let Some(Reached { distance, point }) = heap.pop() {
            let i = point as usize;
            if distance > from_source[i] {
                continue;
            }
            for (&j, &length) in graph.neighbors(i).iter().zip(&lengths[i]) {
                let through = distance + length;
                if through < from_source[j as usize] {
                    from_source[j as usize] = through;
                    heap.push(Reached { distance: through, point: j });
                }
            }
        }
        for (slot, distance) in column.iter_mut().zip(from_source) {
            *slot = distance;
        }
    });
    distances
}
