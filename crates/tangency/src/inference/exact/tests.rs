#![allow(clippy::unwrap_used)]
use super::aggregate::{Aggregator, Sign};
use super::*;
use crate::graph::{Graph, Laplacian};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// A connected random graph: a random tree and some more edges.
pub fn random_graph(n: usize, extra: usize, rng: &mut ChaCha8Rng) -> Graph {
    let mut edges: Vec<(u32, u32)> = (1..n as u32).map(|i| (rng.random_range(0..i), i)).collect();
    edges.extend((0..extra).map(|_| (rng.random_range(0..n as u32), rng.random_range(0..n as u32))));
    Graph::from_edges(n, edges)
}

pub fn normal(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| rng.sample(StandardNormal))
}

pub fn random_spd(size: usize, rng: &mut ChaCha8Rng) -> Matrix {
    let factor = normal(size, size + 3, rng);
    &factor * factor.transpose()
}

/// The four-fold sum of the definition.
fn literal(graph: &Graph, lp: &Matrix, s: &Matrix, sign: f64, a: usize, b: usize) -> Matrix {
    let n = graph.n();
    let s = |i: usize, j: usize| s[(a * n + i, b * n + j)];
    Matrix::from_fn(n, n, |i, j| {
        let mut sum = 0.0;
        for &p in graph.neighbors(i) {
            for &q in graph.neighbors(j) {
                let (p, q) = (p as usize, q as usize);
                sum += (lp[(p, q)] - lp[(p, j)] - lp[(i, q)] + lp[(i, j)])
                    * (s(p, q) + sign * s(p, j) + sign * s(i, q) + s(i, j));
            }
        }
        sum
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn aggregate_is_the_four_fold_sum(seed in any::<u64>(), n in 2usize..40, d_x in 1usize..4, plus in any::<bool>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(n, 2 * n, &mut rng);
        let laplacian = Laplacian::new(&graph).unwrap();
        let moments = random_spd(n * d_x, &mut rng);
        let mut found = moments.clone();
        let sign = if plus { Sign::Plus } else { Sign::Minus };
        Aggregator::new(&graph, &laplacian).aggregate(&mut found, sign, 1.0);
        for b in 0..d_x {
            for a in b..d_x {
                let expected = literal(&graph, &laplacian.pseudo_inverse, &moments, if plus { 1.0 } else { -1.0 }, a, b);
                for j in 0..n {
                    for i in if a == b { j } else { 0 }..n {
                        let (e, f) = (expected[(i, j)], found[(a * n + i, b * n + j)]);
                        prop_assert!((e - f).abs() < 1e-9 * (1.0 + e.abs()), "{a}{b} {i} {j}: {e} {f}");
                    }
                }
            }
        }
    }
}
