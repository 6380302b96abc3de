//! Placing new rows against its floor, the search for their nearest neighbours, which every such method needs. Both are
//! measured in turn in one run, because the machine's speed changes from minute to minute.
//!
//! `cargo bench -p tangency --bench transform [-- ROWS]`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;
use tangency::extend::Extension;
use tangency::graph::NeighborIndex;
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Init, Shape, generate};

const TRAINING: usize = 1000;
const ROUNDS: usize = 5;

fn main() {
    let rows = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(8192);
    println!("| d_y | rows/s | search alone, rows/s | time / search | mean steps |");
    println!("|---|---|---|---|---|");
    for d_y in [3, 256] {
        let config = Config { init: Init::Isomap, max_iter: 30, ..Config::default() };
        let training = lifted(&generate(Shape::SwissRoll, TRAINING, 0.02, 1).points, d_y);
        let new = lifted(&generate(Shape::SwissRoll, rows, 0.02, 2).points, d_y);
        let fit = Fitter::new(config).fit(&training).unwrap();
        let (extension, index) = (Extension::new(&fit).unwrap(), NeighborIndex::new(columns(&training)));
        let queries = columns(&new);
        let (mut ours, mut floor, mut steps) = (f64::INFINITY, f64::INFINITY, 0.0);
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let found = index.nearest(&queries, 9);
            floor = floor.min(begin.elapsed().as_secs_f64());
            assert_eq!(found.len(), rows);
            let begin = Instant::now();
            let placed = extension.transform_columns(queries.as_ref()).unwrap();
            ours = ours.min(begin.elapsed().as_secs_f64());
            steps = placed.iter().map(|placement| placement.steps as f64).sum::<f64>() / rows as f64;
        }
        let rate = |seconds: f64| rows as f64 / seconds;
        println!("| {d_y} | {:.0} | {:.0} | {:.2} | {steps:.1} |", rate(ours), rate(floor), ours / floor);
    }
}

fn columns(rows: &Matrix) -> Matrix {
    rows.transpose().to_owned()
}

/// Three features among d_y, the others a wave of the three with a little of everything.
fn lifted(points: &Matrix, d_y: usize) -> Matrix {
    Matrix::from_fn(points.nrows(), d_y, |i, f| {
        let weight = |a: usize| ((f * 37 + a * 101) as f64).sin();
        let own = if f < 3 { points[(i, f)] } else { (0..3).map(|a| weight(a) * points[(i, a)]).sum() };
        own + 0.01 * ((i * 7919 + f * 104_729) as f64).sin()
    })
}
