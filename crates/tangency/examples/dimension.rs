//! How many dimensions data have: what a fit with too many of them uses, and what the bound prefers, on manifolds whose
//! dimension is known.
//!
//! `cargo run --release -p tangency --example dimension [-- SIZES [NOISES [SEED]]]` prints a Markdown table; lists are separated
//! by commas. Short-circuits are left out by the truth.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Shape, generate};

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
        "| data | n | noise | true | used of 5, or of the features | spreads there, in edges | bound for 1, 2, 3 … | best |"
    );
    println!("|---|---|---|---|---|---|---|---|");
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

fn fit(n_components: usize, (points, edges): &Data, config: Config) -> Fit {
    let fitter = Fitter::new(Config { n_components, connect: true, draws: Some(0), ..config });
    match edges {
        Some(edges) => fitter.edges(edges.clone()),
        None => fitter,
    }
    .fit(points)
    .unwrap()
}

fn row(name: &str, noise: f64, dimension: usize, data: Data) {
    let most = data.0.ncols().min(5);
    let weight = tangency::config::FeatureWeight::Fixed(1.0);
    let many = fit(most, &data, Config::default());
    let x = &many.coordinates;
    let step = |&(i, j): &(u32, u32)| (0..most).map(|a| (x[(i as usize, a)] - x[(j as usize, a)]).powi(2)).sum::<f64>();
    let edge = many.graph.edges().iter().map(step).sum::<f64>() / many.graph.edges().len() as f64;
    let spread = |a: usize| {
        let square: f64 = x.col_as_slice(a).iter().map(|x| x * x).sum();
        format!("{:.2}", (square / many.n() as f64 / edge).sqrt())
    };
    let spreads: Vec<String> = (0..most).map(spread).collect();
    let bounds: Vec<f64> = (1..=(dimension + 1).min(most))
        .map(|d| fit(d, &data, Config { feature_weight: weight, ..Config::default() }).bound_scaled())
        .collect();
    let best = (0..bounds.len()).reduce(|best, d| if bounds[d] > bounds[best] { d } else { best }).unwrap() + 1;
    let bounds: Vec<String> = bounds.iter().map(|bound| format!("{bound:.0}")).collect();
    println!(
        "| {name} | {} | {noise} | {dimension} | {} of {most} | {} | {} | {best} |",
        data.0.nrows(),
        many.used_components(),
        spreads.join(", "),
        bounds.join(", ")
    );
}
