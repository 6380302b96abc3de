//! How many dimensions data have: what `auto` finds, and what the bound and rows held out prefer, on manifolds whose dimension is
//! known.
//!
//! `cargo run --release -p tangency --example dimension [-- SIZES [NOISES [SEED]]]` prints a Markdown table; lists are separated
//! by commas. Short-circuits are left out by the truth.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::time::Instant;
use tangency::config::{AUTO, FeatureWeight, Init};
use tangency::density::{Density, Paired};
use tangency::inference::EngineKind;
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Shape, generate};

/// Parts of the rows, each held out in turn.
const PARTS: usize = 3;
/// Most coordinates that rows are asked about.
const MOST: usize = 4;

/// Points, and edges where short-circuits are known.
type Data = (Matrix, Option<Vec<(u32, u32)>>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = |place: usize, default: &str| -> Vec<f64> {
        let text = arguments.get(place).map_or(default, String::as_str);
        text.split(',').map(|number| number.parse().unwrap()).collect()
    };
    let (sizes, noises, seeds) = (list(0, "300,1000"), list(1, "0,0.05,0.1"), list(2, "1"));
    println!(
        "| data | n | noise | true | by spreads | spreads, in steps along an edge | by the bound | bounds | by rows held out | nats per row behind the likeliest (standard error) | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &n in &sizes {
        for &noise in &noises {
            for &seed in &seeds {
                let (n, seed) = (n as usize, seed as u64);
                let sheet = |shape: Shape| {
                    let data = generate(shape, n, noise, seed);
                    let edges = data.neighbor_edges(Config::default().n_neighbors).0;
                    (data.points, Some(edges))
                };
                row("roll", noise, 2, sheet(Shape::SwissRoll));
                row("S-curve", noise, 2, sheet(Shape::SCurve));
                row("helix", noise, 1, sheet(Shape::Helix));
                row("bent cube in 10-D", noise, 3, (cube(n, noise, seed), None));
                row("ring in 10-D", noise, 2, (ring(n, noise, seed), None));
            }
        }
    }
}

/// A cube bent into ten dimensions.
fn cube(n: usize, noise: f64, seed: u64) -> Matrix {
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

/// A ring, which one coordinate would cut open, in a random plane of ten dimensions.
fn ring(n: usize, noise: f64, seed: u64) -> Matrix {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let plane = Matrix::from_fn(10, 2, |_, _| 0.5 * rng.sample::<f64, _>(StandardNormal));
    let mut points = Matrix::zeros(n, 10);
    for i in 0..n {
        let (sin, cos) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
        for f in 0..10 {
            points[(i, f)] = plane[(f, 0)] * cos + plane[(f, 1)] * sin + noise * rng.sample::<f64, _>(StandardNormal);
        }
    }
    points
}

fn row(name: &str, noise: f64, dimension: usize, (points, edges): Data) {
    let fitter = Fitter::new(Config { n_components: AUTO, connect: true, draws: Some(0), ..Config::default() });
    let began = Instant::now();
    let fit = match edges {
        Some(edges) => fitter.edges(edges),
        None => fitter,
    }
    .fit(&points)
    .unwrap();
    let found = fit.dimension.unwrap();
    let spreads: Vec<String> = found.spreads.iter().map(|spread| format!("{spread:.2}")).collect();
    let bounds: Vec<String> =
        found.bounds.iter().map(|row| format!("{}: {:.0}", row.n_components, row.bound)).collect();
    let seconds = began.elapsed().as_secs_f64();
    let (by_rows, behind) = by_rows(&points);
    println!(
        "| {name} | {} | {noise} | {dimension} | {} | {} | {} | {} | {by_rows} | {behind} | {seconds:.0} |",
        points.nrows(),
        found.taken,
        spreads.join(", "),
        found.by_bound().unwrap(),
        bounds.join(", "),
    );
}

/// The fewest coordinates within one standard error of those with which rows held out are likeliest, and how far each number is
/// behind. The graph is that of the rows that are kept, with whatever short-circuits it has.
fn by_rows(points: &Matrix) -> (usize, String) {
    let numbers: Vec<usize> = (1..=MOST.min(points.ncols())).collect();
    let scores: Vec<Vec<f64>> = numbers.iter().map(|&n_components| held_out(points, n_components)).collect();
    let mean = |of: &Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
    let best = (0..scores.len()).max_by(|&a, &b| mean(&scores[a]).total_cmp(&mean(&scores[b]))).unwrap();
    let paired: Vec<Paired> = scores.iter().map(|of| Paired::new(of, &scores[best])).collect();
    let taken = numbers[paired.iter().position(Paired::is_level).unwrap()];
    let shown = |(d, paired): (&usize, &Paired)| format!("{d}: {:.3} ({:.3})", paired.behind, paired.error);
    (taken, numbers.iter().zip(&paired).map(shown).collect::<Vec<_>>().join(", "))
}

fn held_out(points: &Matrix, n_components: usize) -> Vec<f64> {
    let config = Config {
        n_components,
        connect: true,
        draws: Some(0),
        engine: EngineKind::Factorised,
        feature_weight: FeatureWeight::Fixed(1.0),
        init: Init::Isomap,
        ..Config::default()
    };
    let of_part = |part: usize| {
        let rows = |held: bool| -> Matrix {
            let rows: Vec<usize> = (0..points.nrows()).filter(|i| (i % PARTS == part) == held).collect();
            Matrix::from_fn(rows.len(), points.ncols(), |i, f| points[(rows[i], f)])
        };
        let fit = Fitter::new(config.clone()).fit(&rows(false)).unwrap();
        Density::new(&fit).unwrap().score(&rows(true)).unwrap()
    };
    (0..PARTS).flat_map(of_part).collect()
}
