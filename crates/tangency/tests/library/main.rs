//! The library as a user sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod acceleration;
mod golden;
mod graphs;
mod models;
mod rolls;

use tangency::generate::{Synthetic, is_short_circuit};
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Shape, Symmetry, generate};

/// A roll and its nine-neighbour graph without short-circuits.
fn clean_roll(n: usize, noise: f64, seed: u64) -> (Synthetic, Vec<(u32, u32)>) {
    let roll = generate(Shape::SwissRoll, n, noise, seed);
    let graph = tangency::graph::neighbor_graph(&roll.points.transpose().to_owned(), 9, Symmetry::Or);
    let short = |&edge: &(u32, u32)| is_short_circuit(edge, &roll.points, &roll.truth);
    let edges = graph.edges().iter().copied().filter(|edge| !short(edge)).collect();
    (roll, edges)
}

fn fit(config: Config, points: &Matrix, edges: &[(u32, u32)]) -> Fit {
    Fitter::new(config).edges(edges.to_vec()).fit(points).unwrap()
}
