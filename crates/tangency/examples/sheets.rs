//! Sheets with a known truth: rolls and S-curves of several sizes and noises, without short-circuits.
//!
//! `cargo run --release -p tangency --example sheets [-- SIZES [NOISES [SEEDS [SETTING=VALUE …]]]]` prints a Markdown table;
//! lists are separated by commas.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;
use tangency::peers::isomap;
use tangency::quality::{affine_r2, procrustes};
use tangency::{Config, Fitter, Shape, generate};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = |place: usize, default: &str| -> Vec<f64> {
        let text = arguments.get(place).map_or(default, String::as_str);
        text.split(',').map(|number| number.parse().unwrap()).collect()
    };
    let (sizes, noises, seeds) = (list(0, "400,1000"), list(1, "0,0.05,0.15"), list(2, "0,1,2"));
    let mut config = Config { draws: Some(0), ..Config::default() };
    for given in arguments.iter().skip(3) {
        let (name, value) = given.split_once('=').unwrap();
        let setting = Config::SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        config.set(setting, &setting.parse(value).unwrap()).unwrap();
    }
    println!(
        "| sheet | n | noise | seed | R² | Procrustes | Isomap's | weights tried: trust | start | used | iterations | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, shape) in [("roll", Shape::SwissRoll), ("S-curve", Shape::SCurve)] {
        for &n in &sizes {
            for &noise in &noises {
                for &seed in &seeds {
                    row(name, shape, n as usize, noise, seed as u64, &config);
                }
            }
        }
    }
}

fn row(name: &str, shape: Shape, n: usize, noise: f64, seed: u64, config: &Config) {
    let sheet = generate(shape, n, noise, seed);
    let (edges, shorts) = sheet.neighbor_edges(config.n_neighbors);
    let begun = Instant::now();
    let fit = Fitter::new(Config { connect: true, ..config.clone() }).edges(edges).fit(&sheet.points).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    // shortest paths between all points are for some thousands of them
    let of_isomap = match n {
        0..=4000 => {
            let found = isomap(&fit.scaled_observations(), &fit.graph, 2).unwrap();
            format!("{:.4}", procrustes(&found, &sheet.truth).unwrap())
        }
        _ => String::new(),
    };
    let choice = fit.features.clone().unwrap_or_default();
    let tried: Vec<String> = choice
        .tried
        .iter()
        .enumerate()
        .map(|(place, tried)| {
            let weight = tried.weight.map_or("∞".to_owned(), |weight| weight.to_string());
            let mark = if place == choice.taken { "**" } else { "" };
            format!("{mark}{weight}: {:.4}{mark}", tried.trustworthiness)
        })
        .collect();
    println!(
        "| {name} | {n} | {noise} | {seed}{} | {:.4} | {:.4} | {of_isomap} | {} | {:?} | {} | {} {:?} | {seconds:.1} |",
        if shorts.is_empty() { String::new() } else { format!(" ({} left out)", shorts.len()) },
        affine_r2(&fit.coordinates, &sheet.truth).unwrap(),
        procrustes(&fit.coordinates, &sheet.truth).unwrap(),
        tried.join(", "),
        fit.start,
        fit.used_components(),
        fit.trace.len(),
        fit.stop,
    );
}
