//! The neighbour graph: who is next to whom, its pieces, its Laplacian, and distances along it.

mod approximate;
mod components;
mod edge_list;
mod forest;
mod gaps;
mod geodesics;
mod joining;
mod laplacian;
mod locality;
mod metric;
mod neighborhoods;
mod neighbors;
mod outside;
mod ranks;
mod search;
mod stars;
mod table;

pub use approximate::{approximate_neighbors, recall};
pub use components::{bridges, joining_edges, pieces};
pub(crate) use edge_list::edge_outside;
pub use edge_list::{EdgeNames, edges_from_cells};
pub(crate) use gaps::{DONORS, Donors, Nearby, without_gaps};
pub(crate) use geodesics::Paths;
pub use geodesics::geodesic_distances;
pub(crate) use joining::least_joining;
pub use laplacian::Laplacian;
pub(crate) use laplacian::shifted_inverse;
pub(crate) use locality::order_by_nearness;
pub(crate) use metric::MetricPlaces;
pub use metric::{Length, Metric};
pub use neighborhoods::Neighborhoods;
pub use neighbors::{NeighborIndex, graph_of_lists, nearest_neighbors, neighbor_graph, within_length};
pub(crate) use neighbors::{nearest_by, nearest_of, squared_distance};
pub use ranks::neighbor_ranks;
pub use search::{FoundNeighbors, NeighborSearch, find_neighbors};
pub use stars::{Star, Stars, edge_resistances};

use crate::error::Result;
use std::sync::{Arc, OnceLock};

crate::choice! {
    /// How directed "is a nearest neighbour of" becomes an undirected edge.
    pub enum Symmetry default Or {
        /// An edge if either point lists the other (the paper's choice).
        Or = "or",
        /// An edge only if both list each other.
        Mutual = "mutual",
    }
}

/// An undirected graph without loops or parallel edges; neighbours of each point in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    offsets: Vec<usize>,
    neighbors: Vec<u32>,
    edges: Vec<(u32, u32)>,
    resistances: Resistances,
}

/// Effective resistances of the edges of a graph, found at most once; its clones share them.
#[derive(Clone, Debug, Default)]
struct Resistances(Arc<OnceLock<Vec<f64>>>);

/// They follow from the edges.
impl PartialEq for Resistances {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Resistances {}

impl Graph {
    /// A graph on `n` points from edges in any order and direction; loops and repetitions are dropped.
    pub fn from_edges(n: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut edges: Vec<(u32, u32)> =
            edges.into_iter().filter(|(i, j)| i != j).map(|(i, j)| (i.min(j), i.max(j))).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut degrees = vec![0usize; n];
        for &(i, j) in &edges {
            degrees[i as usize] += 1;
            degrees[j as usize] += 1;
        }
        let mut offsets = vec![0usize; n + 1];
        for i in 0..n {
            offsets[i + 1] = offsets[i] + degrees[i];
        }
        let mut next = offsets.clone();
        let mut neighbors = vec![0u32; 2 * edges.len()];
        // Edges are sorted, so first every smaller neighbour arrives in order (as j), then every larger one (as i).
        for &(i, j) in &edges {
            neighbors[next[j as usize]] = i;
            next[j as usize] += 1;
        }
        for &(i, j) in &edges {
            neighbors[next[i as usize]] = j;
            next[i as usize] += 1;
        }
        Self { offsets, neighbors, edges, resistances: Resistances::default() }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Each edge once, as (smaller, larger), sorted.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// Whether this pair, smaller first, is an edge.
    pub fn has(&self, edge: (u32, u32)) -> bool {
        self.edges.binary_search(&edge).is_ok()
    }

    /// The neighbours of point `i`, ascending.
    pub fn neighbors(&self, i: usize) -> &[u32] {
        &self.neighbors[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Place of point `i`'s first neighbour in the list of all points' neighbours.
    pub(crate) fn first(&self, i: usize) -> usize {
        self.offsets[i]
    }

    /// The number of neighbours of point `i`.
    pub fn degree(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// Effective resistances of the edges, in their order. They take the Laplacian of the graph, unless that was made before.
    pub fn resistances(&self) -> Result<&[f64]> {
        let Resistances(found) = &self.resistances;
        if found.get().is_none() {
            self.keep_resistances(&Laplacian::new(self)?);
        }
        Ok(found.get().map_or(&[], Vec::as_slice))
    }

    /// Keeps what the Laplacian of this graph says.
    pub(crate) fn keep_resistances(&self, laplacian: &Laplacian) {
        let of_edge = |&(i, j): &(u32, u32)| laplacian.resistance(i as usize, j as usize);
        self.resistances.0.get_or_init(|| self.edges.iter().map(of_edge).collect());
    }

    /// The graph without some edges and with some others.
    pub fn with_changes(&self, removed: &[(u32, u32)], added: &[(u32, u32)]) -> Self {
        let gone: std::collections::HashSet<_> = removed.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        let kept = self.edges.iter().filter(|edge| !gone.contains(edge));
        Self::from_edges(self.n(), kept.chain(added).copied())
    }

    /// The graph on the points `kept` (ascending), renumbered.
    pub fn restricted_to(&self, kept: &[usize]) -> Self {
        let mut number = vec![u32::MAX; self.n()];
        for (new, &old) in kept.iter().enumerate() {
            number[old] = new as u32;
        }
        let edges = self
            .edges
            .iter()
            .map(|&(i, j)| (number[i as usize], number[j as usize]))
            .filter(|&(i, j)| i != u32::MAX && j != u32::MAX);
        Self::from_edges(kept.len(), edges)
    }
}
