//! The library as a user sees it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod acceleration;
mod bombs;
mod density;
mod dimension;
mod evidence;
mod extend;
mod golden;
mod gpy;
mod graph_likelihood;
mod graphs;
mod lengths;
mod messages;
mod metrics;
mod missing;
mod models;
mod mutated;
mod neighbors;
mod noise;
mod odd_tables;
mod rolls;
mod structure;

use tangency::generate::Synthetic;
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Shape, generate};

/// A roll and its nine-neighbour graph without short-circuits.
fn clean_roll(n: usize, noise: f64, seed: u64) -> (Synthetic, Vec<(u32, u32)>) {
    let roll = generate(Shape::SwissRoll, n, noise, seed);
    let (edges, _) = roll.neighbor_edges(9);
    (roll, edges)
}

/// Default settings without the graph's likelihood: the paper's model, which most of these tests are about.
fn paper() -> Config {
    Config { graph_likelihood: false, ..Config::default() }
}

fn fit(config: Config, points: &Matrix, edges: &[(u32, u32)]) -> Fit {
    Fitter::new(config).edges(edges.to_vec()).fit(points).unwrap()
}
