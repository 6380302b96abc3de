//! The points around each point, for methods to which "is a neighbour of" has a direction.

use super::{Graph, nearest_neighbors};
use crate::linalg::Matrix;

/// For each point, those around it. A list need not be mutual; the graph is: an edge if either lists the other.
#[derive(Clone, Debug)]
pub struct Neighborhoods {
    lists: Vec<Vec<u32>>,
    graph: Graph,
}

impl Neighborhoods {
    /// The `k` nearest other points of each; `points` is d × n, one point a column, and k < n.
    pub fn nearest(points: &Matrix, k: usize) -> Self {
        Self::from_lists(nearest_neighbors(points, k))
    }

    /// These lists.
    pub fn from_lists(lists: Vec<Vec<u32>>) -> Self {
        let edges = lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| (i as u32, j)));
        let graph = Graph::from_edges(lists.len(), edges);
        Self { lists, graph }
    }

    /// All neighbours along the edges of a graph.
    pub fn of(graph: Graph) -> Self {
        Self { lists: (0..graph.n()).map(|i| graph.neighbors(i).to_vec()).collect(), graph }
    }

    /// The same with more edges, each listed at both ends.
    pub fn with_edges(mut self, edges: &[(u32, u32)]) -> Self {
        for &(i, j) in edges {
            for (from, to) in [(i, j), (j, i)] {
                let list = &mut self.lists[from as usize];
                if !list.contains(&to) {
                    list.push(to);
                }
            }
        }
        Self::from_lists(self.lists)
    }

    /// The points `kept` (ascending), renumbered.
    pub fn restricted_to(&self, kept: &[usize]) -> Self {
        let number = |j: &u32| kept.binary_search(&(*j as usize)).ok().map(|new| new as u32);
        let lists = kept.iter().map(|&i| self.lists[i].iter().filter_map(number).collect()).collect();
        Self { lists, graph: self.graph.restricted_to(kept) }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.lists.len()
    }

    /// The points around point `i`.
    pub fn around(&self, i: usize) -> &[u32] {
        &self.lists[i]
    }

    /// Whether every point is in some list.
    pub fn lists_all(&self) -> bool {
        let mut listed = vec![false; self.n()];
        self.lists.iter().flatten().for_each(|&j| listed[j as usize] = true);
        listed.into_iter().all(|is| is)
    }

    /// Who is next to whom, without direction.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }
}
