//! Pieces of a graph, and the shortest bridges that join them.

use super::Graph;
use super::outside::OutsideSearch;
use crate::linalg::Matrix;

/// The pieces of the graph, largest first (then by first point), each with its points in ascending order.
pub fn pieces(graph: &Graph) -> Vec<Vec<usize>> {
    let mut seen = vec![false; graph.n()];
    let mut pieces = Vec::new();
    for start in 0..graph.n() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut piece = vec![start];
        let mut at = 0;
        while at < piece.len() {
            for &j in graph.neighbors(piece[at]) {
                if !seen[j as usize] {
                    seen[j as usize] = true;
                    piece.push(j as usize);
                }
            }
            at += 1;
        }
        piece.sort_unstable();
        pieces.push(piece);
    }
    pieces.sort_by_key(|piece| (std::cmp::Reverse(piece.len()), piece[0]));
    pieces
}

/// The first of `candidates` that, one after the other, join pieces which the edges of the graph and those before leave
/// apart.
pub fn joining_edges(graph: &Graph, candidates: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut unions = Unions::of(graph);
    candidates.into_iter().filter(|&(i, j)| unions.join(i, j)).collect()
}

/// The shortest edges that make the graph one piece (a minimum spanning tree over its pieces), by Borůvka's rounds:
/// every piece but the largest is joined to its nearest outside point, until one piece is left. The largest need not
/// look, because it is found by the others. `points` is d × n.
pub fn bridges(graph: &Graph, points: &Matrix) -> Vec<(u32, u32)> {
    let mut unions = Unions::of(graph);
    let mut added = Vec::new();
    let mut search = None;
    loop {
        let (largest, size) = unions.largest();
        if size == graph.n() {
            return Graph::from_edges(graph.n(), added).edges().to_vec();
        }
        let piece_of: Vec<u32> = (0..graph.n() as u32).map(|i| unions.root(i)).collect();
        let search = search.get_or_insert_with(|| OutsideSearch::new(points));
        for (i, j) in search.shortest_ways_out(&piece_of, largest) {
            // two pieces may have chosen the same edge
            if unions.join(i, j) {
                added.push((i, j));
            }
        }
    }
}

/// Pieces that grow together: a point leads to the root of its piece.
struct Unions {
    parents: Vec<u32>,
    /// Number of points, for roots.
    sizes: Vec<usize>,
}

impl Unions {
    fn of(graph: &Graph) -> Self {
        let mut unions = Self { parents: (0..graph.n() as u32).collect(), sizes: vec![1; graph.n()] };
        graph.edges().iter().for_each(|&(i, j)| {
            unions.join(i, j);
        });
        unions
    }

    fn root(&mut self, mut i: u32) -> u32 {
        while self.parents[i as usize] != i {
            // every second point on the way is led past its parent, which keeps all ways short
            self.parents[i as usize] = self.parents[self.parents[i as usize] as usize];
            i = self.parents[i as usize];
        }
        i
    }

    /// Whether the two were apart.
    fn join(&mut self, i: u32, j: u32) -> bool {
        let (p, q) = (self.root(i), self.root(j));
        if p == q {
            return false;
        }
        let (small, large) = if self.sizes[p as usize] < self.sizes[q as usize] { (p, q) } else { (q, p) };
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        true
    }

    /// The root of the largest piece and its number of points. A root has more points than those it leads.
    fn largest(&self) -> (u32, usize) {
        let sizes = self.sizes.iter().enumerate();
        sizes.max_by_key(|&(_, &size)| size).map_or((0, 0), |(root, &size)| (root as u32, size))
    }
}

#[cfg(test)]
#[path = "components_tests.rs"]
mod tests;
