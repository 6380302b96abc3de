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

/// A graph with the lengths of its edges, for shortest paths from one point at a time.
pub(crate) struct Paths<'a> {
    graph: &'a Graph,
    lengths: Vec<Vec<f64>>,
}

impl<'a> Paths<'a> {
    /// Edges as long as the points are apart; `points` is d × n.
    pub(crate) fn new(graph: &'a Graph, points: &Matrix) -> Self {
        let length =
            |i: usize, j: u32| squared_distance(points.col_as_slice(i), points.col_as_slice(j as usize)).sqrt();
        let lengths = (0..graph.n()).map(|i| graph.neighbors(i).iter().map(|&j| length(i, j)).collect()).collect();
        Self { graph, lengths }
    }

    /// For each point the place in `sources` of the one that is nearest along the graph, and of equally near ones the
    /// one whose path came first. `[n]`
    pub(crate) fn nearest_of(&self, sources: &[usize]) -> Vec<u32> {
        let mut owner = vec![0u32; self.graph.n()];
        for (place, &source) in sources.iter().enumerate() {
            owner[source] = place as u32;
        }
        self.explore(sources, |from, to| owner[to] = owner[from]);
        owner
    }

    /// Lengths of the shortest paths from a point, infinite to other pieces. `[n]`
    pub(crate) fn from(&self, source: usize) -> Vec<f64> {
        self.explore(&[source], |_, _| {})
    }

    /// Lengths of the shortest paths from the nearest source; `reached` sees every step along a shorter path.
    fn explore(&self, sources: &[usize], mut reached: impl FnMut(usize, usize)) -> Vec<f64> {
        let mut from_source = vec![f64::INFINITY; self.graph.n()];
        let mut heap = BinaryHeap::new();
        for &source in sources {
            from_source[source] = 0.0;
            heap.push(Reached { distance: 0.0, point: source as u32 });
        }
        while let Some(Reached { distance, point }) = heap.pop() {
            let i = point as usize;
            if distance > from_source[i] {
                continue;
            }
            for (&j, &length) in self.graph.neighbors(i).iter().zip(&self.lengths[i]) {
                let through = distance + length;
                if through < from_source[j as usize] {
                    from_source[j as usize] = through;
                    reached(i, j as usize);
                    heap.push(Reached { distance: through, point: j });
                }
            }
        }
        from_source
    }
}

/// Lengths of the shortest paths between all pairs, edges as long as the points are apart; `points` is d × n. [n, n]
pub fn geodesic_distances(graph: &Graph, points: &Matrix) -> Matrix {
    let paths = Paths::new(graph, points);
    let mut distances = Matrix::zeros(graph.n(), graph.n());
    distances.as_mut().par_col_iter_mut().enumerate().for_each(|(source, column)| {
        for (slot, distance) in column.iter_mut().zip(paths.from(source)) {
            *slot = distance;
        }
    });
    distances
}
