#![allow(clippy::unwrap_used)]
use super::super::squared_distance;
use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The candidates that join, with every point relabelled at every union.
fn literal_joining(graph: &Graph, candidates: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut piece_of = vec![0usize; graph.n()];
    for (p, piece) in pieces(graph).iter().enumerate() {
        piece.iter().for_each(|&i| piece_of[i] = p);
    }
    let mut joining = Vec::new();
    for &(i, j) in candidates {
        let (from, into) = (piece_of[i as usize], piece_of[j as usize]);
        if from != into {
            piece_of.iter_mut().filter(|piece| **piece == from).for_each(|piece| *piece = into);
            joining.push((i, j));
        }
    }
    joining
}

/// Borůvka's rounds over all pairs.
fn literal_bridges(graph: &Graph, points: &Matrix) -> Vec<(u32, u32)> {
    let n = graph.n();
    let place = |i: usize| points.col_as_slice(i);
    let mut added = Vec::new();
    loop {
        let pieces = pieces(&Graph::from_edges(n, graph.edges().iter().chain(&added).copied()));
        if pieces.len() == 1 {
            return Graph::from_edges(n, added).edges().to_vec();
        }
        for piece in &pieces {
            let outside: Vec<usize> = (0..n).filter(|j| piece.binary_search(j).is_err()).collect();
            let ways = piece.iter().flat_map(|&i| {
                outside.iter().map(move |&j| (squared_distance(place(i), place(j)), i.min(j) as u32, i.max(j) as u32))
            });
            let (_, i, j) = ways.min_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2)))).unwrap();
            added.push((i, j));
        }
    }
}

/// Points, all over or on a coarse grid where ties and duplicates are the rule, and a graph in pieces.
fn scattered(d: usize, n: usize, grid: bool, edges: usize, seed: u64) -> (Matrix, Graph) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let points = Matrix::from_fn(d, n, |_, _| {
        let value = rng.random_range(0.0..4.0_f64);
        if grid { value.floor() } else { 1e3 + value }
    });
    let edges: Vec<(u32, u32)> =
        (0..edges).map(|_| (rng.random_range(0..n as u32), rng.random_range(0..n as u32))).collect();
    (points, Graph::from_edges(n, edges))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn bridges_are_those_of_all_pairs(
        seed in 0u64..1000, d in 1usize..20, n in 1usize..300, grid in any::<bool>(), share in 0.0..1.2
    ) {
        let (points, graph) = scattered(d, n, grid, (share * n as f64) as usize, seed);
        prop_assert_eq!(bridges(&graph, &points), literal_bridges(&graph, &points));
    }

    #[test]
    fn joining_edges_are_those_of_relabelling(seed in 0u64..1000, n in 1usize..60, edges in 0usize..60) {
        let (_, graph) = scattered(1, n, false, edges, seed);
        let (_, candidates) = scattered(1, n, false, 2 * n, seed + 1);
        let candidates = candidates.edges();
        prop_assert_eq!(joining_edges(&graph, candidates.iter().copied()), literal_joining(&graph, candidates));
    }
}

#[test]
fn identical_points_are_bridged() {
    let points = Matrix::from_fn(3, 500, |_, _| 2.0);
    let graph = Graph::from_edges(500, []);
    assert_eq!(bridges(&graph, &points), (1..500).map(|j| (0, j)).collect::<Vec<_>>());
}

#[test]
fn no_points_need_no_bridges() {
    assert_eq!(bridges(&Graph::from_edges(0, []), &Matrix::zeros(2, 0)), vec![]);
}

#[test]
fn far_pieces_are_bridged_where_single_precision_is_too_coarse() {
    // between points a millionth apart, one at the other end of the world
    let points = Matrix::from_fn(2, 400, |r, i| if i == 399 { 1e9 } else { ((i * (7 + 6 * r)) % 401) as f64 * 1e-6 });
    let graph = Graph::from_edges(400, []);
    assert_eq!(bridges(&graph, &points), literal_bridges(&graph, &points));
}

#[test]
fn distances_that_overflow_are_bridged() {
    for height in [f64::MAX, f64::MIN_POSITIVE / 1e6] {
        let points = Matrix::from_fn(2, 200, |r, i| if (i + r) % 3 == 0 { height } else { -height });
        let graph = Graph::from_edges(200, []);
        assert_eq!(bridges(&graph, &points), literal_bridges(&graph, &points));
    }
}
