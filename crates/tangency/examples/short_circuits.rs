//! Pruning against the truth: rolls and s-curves whose short-circuits are known.
//!
//! `cargo run --release -p tangency --example short_circuits -- rolls|clean|k [SEEDS [POINTS-FOLDER]]` prints Markdown tables;
//! with a folder, `rolls` also writes the points there for the comparison in experiments/short_circuits.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::ops::ControlFlow;
use std::time::Instant;
use tangency::evidence::{PruneOptions, Pruned, prune};
use tangency::generate::Synthetic;
use tangency::quality::affine_r2;
use tangency::{Config, Fit, Fitter, Shape, generate};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds: u64 = arguments.get(1).map_or(20, |text| text.parse().unwrap());
    match arguments.first().map(String::as_str) {
        Some("rolls") => rolls(seeds, arguments.get(2).map(std::path::Path::new)),
        Some("clean") => clean(seeds),
        Some("k") => against_k(seeds),
        _ => println!("give rolls, clean or k"),
    }
}

fn fitted(data: &Synthetic, k: usize, edges: Option<Vec<(u32, u32)>>) -> Fit {
    let fitter = Fitter::new(Config { n_neighbors: k, connect: true, ..Config::default() });
    match edges {
        Some(edges) => fitter.edges(edges),
        None => fitter,
    }
    .fit(&data.points)
    .unwrap()
}

fn pruned(fit: &Fit) -> Pruned {
    prune(fit, &PruneOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn rolls(seeds: u64, folder: Option<&std::path::Path>) {
    println!(
        "| seed | short-circuits | found | good edges lost | R² before | after | true graph | bound before | after | true graph | cost in fits |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for seed in 0..seeds {
        let roll = generate(Shape::SwissRoll, 400, 0.0, seed);
        let (good, bad) = roll.neighbor_edges(9);
        if let Some(folder) = folder {
            let number = |i: usize, c: usize| if c < 3 { roll.points[(i, c)] } else { roll.truth[(i, c - 3)] };
            let lines: Vec<String> =
                (0..400).map(|i| (0..5).map(|c| number(i, c).to_string()).collect::<Vec<_>>().join(",")).collect();
            std::fs::write(folder.join(format!("roll-{seed}.csv")), lines.join("\n")).unwrap();
        }
        if bad.is_empty() {
            continue;
        }
        let started = Instant::now();
        let before = fitted(&roll, 9, None);
        let one_fit = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let after = pruned(&before);
        let cost = started.elapsed().as_secs_f64() / one_fit;
        let truth = fitted(&roll, 9, Some(good.clone()));
        let found = after.removed.iter().filter(|edge| bad.contains(&edge.score.edge)).count();
        let lost = after.removed.len() - found;
        let r2 = |fit: &Fit| affine_r2(&fit.coordinates, &roll.truth).unwrap();
        println!(
            "| {seed} | {} | {found} | {lost} ({:.2} %) | {:.3} | {:.4} | {:.4} | {:.1} | {:.1} | {:.1} | {cost:.1} |",
            bad.len(),
            100.0 * lost as f64 / good.len() as f64,
            r2(&before),
            r2(&after.fit),
            r2(&truth),
            before.bound_scaled(),
            after.fit.bound_scaled(),
            truth.bound_scaled(),
        );
    }
}

fn clean(seeds: u64) {
    println!("| data | seed | edges | removed | bound before | after | cost in iterations |");
    println!("|---|---|---|---|---|---|---|");
    for (name, shape, noise) in
        [("roll", Shape::SwissRoll, 0.0), ("s-curve", Shape::SCurve, 0.0), ("s-curve, noise 0.05", Shape::SCurve, 0.05)]
    {
        for seed in 0..seeds {
            let data = generate(shape, 400, noise, seed);
            let (good, _) = data.neighbor_edges(9);
            let before = fitted(&data, 9, Some(good.clone()));
            let after = pruned(&before);
            println!(
                "| {name} | {seed} | {} | {} | {:.2} | {:.2} | {} |",
                good.len(),
                after.removed.len(),
                before.bound_scaled(),
                after.fit.bound_scaled(),
                after.iterations,
            );
        }
    }
}

fn against_k(seeds: u64) {
    println!("| noise | seed | k | short-circuits | bound | R² | after pruning: removed | bound | R² |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for noise in [0.0, 0.05, 0.1, 0.2] {
        for seed in 0..seeds {
            let roll = generate(Shape::SwissRoll, 400, noise, seed);
            for k in [5, 6, 7, 9, 12] {
                let (_, bad) = roll.neighbor_edges(k);
                let before = fitted(&roll, k, None);
                let after = pruned(&before);
                let r2 = |fit: &Fit| affine_r2(&fit.coordinates, &roll.truth).unwrap();
                println!(
                    "| {noise} | {seed} | {k} | {} | {:.1} | {:.3} | {} | {:.1} | {:.4} |",
                    bad.len(),
                    before.bound_scaled(),
                    r2(&before),
                    after.removed.len(),
                    after.fit.bound_scaled(),
                    r2(&after.fit),
                );
            }
        }
    }
}
