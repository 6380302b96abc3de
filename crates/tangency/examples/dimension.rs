//! Which dimension the bound prefers, with λ and ν learned and with the paper's λ = 1, ν = 0 beside it.
//!
//! `cargo run --release -p tangency --example dimension [-- N [SEED]]` prints a Markdown table.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Rule, Shape, Stop, generate};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap());
    let (n, seed) = (arguments.next().unwrap_or(300), arguments.next().unwrap_or(1) as u64);
    println!("| data (n = {n}, seed {seed}) | noise | learned: 1 | 2 | 3 | 4 | λ = 1, ν = 0: 1 | 2 | 3 | 4 |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, shape) in [("roll", Shape::SwissRoll), ("s-curve", Shape::SCurve), ("helix", Shape::Helix)] {
        for noise in [0.0, 0.05, 0.1] {
            let data = generate(shape, n, noise, seed);
            let (edges, _) = data.neighbor_edges(9);
            row(name, noise, &data.points, Some(edges), 3);
        }
    }
    for noise in [0.0, 0.05] {
        row("3-D sheet in 10-D", noise, &sheet(n, noise, seed), None, 4);
    }
}

/// A cube bent into ten dimensions.
fn sheet(n: usize, noise: f64, seed: u64) -> Matrix {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let directions = Matrix::from_fn(10, 3, |_, _| rng.sample::<f64, _>(StandardNormal));
    let bends = Matrix::from_fn(10, 3, |_, _| 0.15 * rng.sample::<f64, _>(StandardNormal));
    let mut points = Matrix::zeros(n, 10);
    for i in 0..n {
        let place: [f64; 3] = std::array::from_fn(|_| rng.random());
        for f in 0..10 {
            let along: f64 =
                (0..3).map(|a| directions[(f, a)] * place[a] + bends[(f, a)] * (3.0 * place[a]).sin()).sum();
            points[(i, f)] = along + noise * rng.sample::<f64, _>(StandardNormal);
        }
    }
    points
}

fn row(name: &str, noise: f64, points: &Matrix, edges: Option<Vec<(u32, u32)>>, most: usize) {
    let bounds = |paper: bool| -> String {
        let mut cells: Vec<String> = Vec::new();
        for n_components in 1..=4 {
            if n_components > most {
                cells.push(String::new());
                continue;
            }
            let mut config = Config { n_components, connect: true, ..Config::default() };
            if paper {
                (config.lambda, config.nu) = (Rule::Fixed(1.0), Rule::Fixed(0.0));
            }
            let fitter = Fitter::new(config);
            let fit = match &edges {
                Some(edges) => fitter.edges(edges.clone()),
                None => fitter,
            }
            .fit(points)
            .unwrap();
            let mark = if fit.stop == Stop::Collapsed { " (collapsed)" } else { "" };
            cells.push(format!("{:.1}{mark}", fit.bound_scaled()));
        }
        cells.join(" | ")
    };
    println!("| {name} | {noise} | {} | {} |", bounds(false), bounds(true));
}
