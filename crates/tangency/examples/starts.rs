//! Fits from every start side by side: where each ends, and whether `auto` ends at the best of them.
//!
//! `cargo run --release -p tangency --example starts [-- TABLE TRUTH …]` prints a Markdown table for an S-curve and a roll of two
//! seeds each, or for the tables that are given, each with the file of its truth.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use tangency::config::FeatureWeight;
use tangency::inference::derived_seed;
use tangency::io::table::read_matrix;
use tangency::linalg::Matrix;
use tangency::quality::affine_r2;
use tangency::{Choice, Config, Fit, Fitter, Init, Shape, generate};

/// Random starts.
const RANDOM: usize = 3;
/// Neighbours on the map from which a truth is expected that the map need not show along straight lines.
const NEIGHBORS: usize = 10;
/// Two bounds count as the same within this share of a nat per point: runs end when they gain a hundredth of it an iteration.
const SAME: f64 = 0.01;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        for seed in [0, 1] {
            for (name, shape) in [("S-curve", Shape::SCurve), ("roll", Shape::SwissRoll)] {
                let data = generate(shape, 400, 0.05, seed);
                let r2 = |fit: &Fit| affine_r2(&fit.coordinates, &data.truth).unwrap();
                compare(&format!("{name}, seed {seed}"), &data.points, &r2);
            }
        }
    }
    for pair in arguments.chunks_exact(2) {
        let points = read_matrix(Path::new(&pair[0]), "table").unwrap();
        let truth = read_matrix(Path::new(&pair[1]), "truth").unwrap();
        let name = Path::new(&pair[0]).file_stem().unwrap().to_string_lossy();
        compare(&name, &points, &|fit| local_r2(&fit.coordinates, &truth));
    }
}

/// One row a start.
struct Row {
    name: String,
    /// After the few iterations by which `auto` ranks starts, at the end of the run with the first weight, and at the end of
    /// the run with weight 1.
    bounds: [Option<f64>; 3],
    /// By default, with the weight that was taken, and with weight 1.
    fits: [Fit; 2],
}

fn compare(name: &str, points: &Matrix, r2: &dyn Fn(&Fit) -> f64) {
    let plain = Config { connect: true, ..Config::default() };
    let one = |config: &Config| Config { feature_weight: FeatureWeight::Fixed(1.0), ..config.clone() };
    let fitted = |config: &Config, number: Option<usize>| {
        let fitter = Fitter::new(config.clone());
        number.into_iter().fold(fitter, Fitter::only).fit(points).unwrap()
    };
    // the bound is reported in the units of the table, a rank in scaled ones
    let rank = |config: &Config, number: usize, fit: &Fit| {
        let tried = Fitter::new(config.clone()).try_start(points.as_ref(), number).unwrap();
        tried.rank.bound_scaled - fit.log_jacobian()
    };
    let named = [Init::Spectral, Init::Isomap, Init::BayesianGplvm, Init::Pca].map(|init| (init, 0));
    let starts = named.into_iter().chain((0..RANDOM).map(|number| (Init::Random, number)));
    let mut rows: Vec<Row> = Vec::new();
    for (place, (init, number)) in starts.enumerate() {
        let config = Config { init, n_init: if init == Init::Random { RANDOM } else { 1 }, ..plain.clone() };
        let fits = [fitted(&config, Some(number)), fitted(&one(&config), Some(number))];
        // the trials of `auto` with random starts: spectral, Isomap, Bayesian GP-LVM, random ones
        let trial = match init {
            Init::Pca => None,
            Init::Random => Some(place - 1),
            _ => Some(place),
        };
        let tried = Config { n_init: RANDOM, ..plain.clone() };
        let bounds = [
            trial.map(|trial| rank(&tried, trial, &fits[0])),
            Some(rank(&config, number, &fits[0])),
            Some(fits[1].bound()),
        ];
        let name = if init == Init::Random { format!("random {number}") } else { init.name().to_owned() };
        rows.push(Row { name, bounds, fits });
    }
    let fits = [fitted(&plain, None), fitted(&one(&plain), None)];
    let from = |fit: &Fit| match fit.start {
        Init::Random => (0..RANDOM)
            .find(|&r| derived_seed(0, r) == fit.start_seed)
            .map_or("random".into(), |r| format!("random {r}")),
        init => init.name().to_owned(),
    };
    let name_of_auto = format!("**auto** ({}; with weight 1 {})", from(&fits[0]), from(&fits[1]));
    let bounds = [None, None, Some(fits[1].bound())];
    rows.push(Row { name: name_of_auto, bounds, fits });
    print_rows(name, &rows, r2);
}

fn print_rows(name: &str, rows: &[Row], r2: &dyn Fn(&Fit) -> f64) {
    println!("### {name}\n");
    println!(
        "| start | trial, weight 0.03 | end, weight 0.03 | weight taken | bound there | R² | trust | bound with weight 1 | R² | trust | ended |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1}"));
    for Row { name, bounds, fits } in rows {
        let [free, one] = fits;
        let weight = free.features.as_ref().and_then(|choice| choice.weight());
        let trust = |fit: &Fit| fit.quality.unwrap().trustworthiness;
        println!(
            "| {name} | {} | {} | {} | {:.1} | {:.4} | {:.4} | {} | {:.4} | {:.4} | {:?}, {:?} |",
            number(bounds[0]),
            number(bounds[1]),
            weight.map_or_else(|| "paper's model".to_owned(), |weight| weight.to_string()),
            free.bound(),
            r2(free),
            trust(free),
            number(bounds[2]),
            r2(one),
            trust(one),
            free.stop,
            one.stop
        );
    }
    let (auto, others) = rows.split_last().unwrap();
    let best = others.iter().max_by(|a, b| a.bounds[2].unwrap().total_cmp(&b.bounds[2].unwrap())).unwrap();
    let missing = best.bounds[2].unwrap() - auto.bounds[2].unwrap();
    let n = auto.fits[1].n() as f64;
    let verdict = if missing <= SAME * n { "ends at the best" } else { "does not end at the best" };
    println!("\nWith weight 1 the best is {}; `auto` {verdict} ({:+.1} nats).\n", best.name, -missing);
}

/// R² of a truth that is expected from the nearest other points on the map; mean over its columns.
fn local_r2(map: &Matrix, truth: &Matrix) -> f64 {
    let n = map.nrows();
    let apart = |i: usize, j: usize| (0..map.ncols()).map(|a| (map[(i, a)] - map[(j, a)]).powi(2)).sum::<f64>();
    let near = |i: usize| {
        let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        others.sort_by(|&a, &b| apart(i, a).total_cmp(&apart(i, b)));
        others.truncate(NEIGHBORS);
        others
    };
    let near: Vec<Vec<usize>> = (0..n).map(near).collect();
    let of_column = |c: usize| {
        let truth = truth.col_as_slice(c);
        let mean = truth.iter().sum::<f64>() / n as f64;
        let expected = |i: usize| near[i].iter().map(|&j| truth[j]).sum::<f64>() / NEIGHBORS as f64;
        let rest: f64 = (0..n).map(|i| (truth[i] - expected(i)).powi(2)).sum();
        1.0 - rest / truth.iter().map(|v| (v - mean).powi(2)).sum::<f64>()
    };
    (0..truth.ncols()).map(of_column).sum::<f64>() / truth.ncols() as f64
}
