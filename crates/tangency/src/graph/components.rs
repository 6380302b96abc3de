//! Pieces of a graph, and the shortest bridges that join them.

use super::Graph;
use super::neighbors::squared_distance;
use crate::linalg::Matrix;
use rayon::prelude::*;

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
    let mut piece_of = vec![0usize; graph.n()];
    for (p, piece) in pieces(graph).iter().enumerate() {
        piece.iter().for_each(|&i| piece_of[i] = p);
    }
    let mut joining = Vec::new();
    for (i, j) in candidates {
        let (from, into) = (piece_of[i as usize], piece_of[j as usize]);
        if from != into {
            piece_of.iter_mut().filter(|piece| **piece == from).for_each(|piece| *piece = into);
            joining.push((i, j));
        }
    }
    joining
}

/// The shortest edges that make the graph one piece (a minimum spanning tree over its pieces), by Borůvka's rounds:
/// every piece is joined to its nearest outside point, until one piece is left. `points` is d × n.
pub fn bridges(graph: &Graph, points: &Matrix) -> Vec<(u32, u32)> {
    let n = graph.n();
    let mut added = Vec::new();
    loop {
        let joined = Graph::from_edges(n, graph.edges().iter().chain(&added).copied());
        let pieces = pieces(&joined);
        if pieces.len() == 1 {
            return Graph::from_edges(n, added).edges().to_vec();
        }
        let mut piece_of = vec![0usize; n];
        for (p, piece) in pieces.iter().enumerate() {
            piece.iter().for_each(|&i| piece_of[i] = p);
        }
        let nearest: Vec<(f64, u32, u32)> = (0..n)
            .into_par_iter()
            .map(|i| {
                (0..n)
                    .filter(|&j| piece_of[j] != piece_of[i])
                    .map(|j| {
                        let (a, b) = (i.min(j), i.max(j));
                        (squared_distance(points.col_as_slice(i), points.col_as_slice(j)), a as u32, b as u32)
                    })
                    .min_by(by_length)
                    .unwrap_or((f64::INFINITY, 0, 0))
            })
            .collect();
        for piece in &pieces {
            if let Some(&(_, i, j)) = piece.iter().map(|&i| &nearest[i]).min_by(|p, q| by_length(p, q)) {
                added.push((i, j));
            }
        }
    }
}

/// Length first, then the smaller numbers: the same bridges in every run, and no cycle among equal lengths.
fn by_length(p: &(f64, u32, u32), q: &(f64, u32, u32)) -> std::cmp::Ordering {
    p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2)))
}
