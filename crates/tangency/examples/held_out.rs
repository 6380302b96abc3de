//! The density of rows that a fit has not seen, by number of neighbours: ours and the kernel density's.
//!
//! `cargo run --release -p tangency --example held_out -- TABLE NEIGHBOURS [FOLDS [SETTING=VALUE …]]` prints a Markdown table;
//! numbers of neighbours are separated by commas. TABLE is a file, or `roll:N:NOISE:SEED` or `curve:N:NOISE:SEED`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;
use tangency::density::Density;
use tangency::io::table::read_matrix;
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Shape, generate};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let points = table(&arguments[0]);
    let neighbors: Vec<usize> = arguments[1].split(',').map(|k| k.parse().unwrap()).collect();
    let folds: usize = arguments.get(2).map_or(3, |folds| folds.parse().unwrap());
    let mut config = Config { draws: Some(0), connect: true, ..Config::default() };
    for given in arguments.iter().skip(3) {
        let (name, value) = given.split_once('=').unwrap();
        let setting = Config::SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        config.set(setting, &setting.parse(value).unwrap()).unwrap();
    }
    println!("| table | k | held out | kernel | left out | kernel | novelty | reach | noise | seconds |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for k in neighbors {
        row(&arguments[0], &points, folds, &Config { n_neighbors: k, ..config.clone() });
    }
}

fn table(name: &str) -> Matrix {
    let parts: Vec<&str> = name.split(':').collect();
    let shape = match parts[0] {
        "roll" => Shape::SwissRoll,
        "curve" => Shape::SCurve,
        _ => return read_matrix(Path::new(name), "table").unwrap(),
    };
    generate(shape, parts[1].parse().unwrap(), parts[2].parse().unwrap(), parts[3].parse().unwrap()).points
}

fn row(name: &str, points: &Matrix, folds: usize, config: &Config) {
    let n = points.nrows();
    let begun = Instant::now();
    let (mut ours, mut kernel, mut left_out, mut kernel_left_out) = (0.0, 0.0, 0.0, 0.0);
    let (mut ranks, mut widths) = (0.0, vec![]);
    let place = |i: usize| (i.wrapping_mul(2_654_435_761) >> 7) % folds;
    for fold in 0..folds {
        let part = |held: bool| -> Matrix {
            let rows: Vec<usize> = (0..n).filter(|&i| (place(i) == fold) == held).collect();
            Matrix::from_fn(rows.len(), points.ncols(), |i, f| points[(rows[i], f)])
        };
        let (kept, held) = (part(false), part(true));
        let fit = Fitter::new(config.clone()).fit(&kept).unwrap();
        let density = Density::new(&fit).unwrap();
        let scores = density.score(&held).unwrap();
        ours += scores.iter().sum::<f64>() / n as f64;
        kernel += density.kernel_score(&held).unwrap().iter().sum::<f64>() / n as f64;
        let usual = density.left_out(&(0..kept.nrows()).collect::<Vec<_>>());
        let rank = |score: &f64| usual.iter().filter(|&other| other > score).count() as f64 / usual.len() as f64;
        ranks += scores.iter().map(rank).sum::<f64>() / n as f64;
        let notes = density.notes();
        left_out += notes.log_density / folds as f64;
        kernel_left_out += notes.kernel_log_density / folds as f64;
        widths = vec![notes.widths.reach, notes.widths.noise];
    }
    println!(
        "| {name} | {} | {ours:.4} | {kernel:.4} | {left_out:.4} | {kernel_left_out:.4} | {ranks:.3} | {:.3} | {:.4} | {:.1} |",
        config.n_neighbors,
        widths[0],
        widths[1],
        begun.elapsed().as_secs_f64()
    );
}
