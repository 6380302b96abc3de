//! Rolls without short-circuits: the default model beside ν = 0, λ = 1 with ν = 0, and the authors' settings.
//!
//! `cargo run --release -p tangency --example rolls [-- SEEDS [N]]` prints a Markdown table.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use tangency::linalg::Matrix;
use tangency::quality::{affine_r2, procrustes};
use tangency::{Config, Fit, Fitter, Init, Rule, Shape, generate};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().unwrap());
    let (seeds, n) = (arguments.next().unwrap_or(5), arguments.next().unwrap_or(400));
    println!(
        "| seed | noise | settings | start | iterations | bound (scaled) | affine R² | Procrustes | R² at 3 × the iterations |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for seed in 0..seeds as u64 {
        for noise in [0.0, 0.15] {
            let roll = generate(Shape::SwissRoll, n, noise, seed);
            let (edges, _) = roll.neighbor_edges(9);
            let row = |name: &str, config: Config| {
                let fit = fit(&config, &roll.points, &edges);
                let longer = Config { max_iter: 3 * fit.trace.len(), tol: 0.0, ..config };
                let far = self::fit(&longer, &roll.points, &edges);
                println!(
                    "| {seed} | {noise} | {name} | {:?} | {} | {:.2} | {:.4} | {:.4} | {:.4} |",
                    fit.start,
                    fit.trace.len(),
                    fit.bound_scaled(),
                    affine_r2(&fit.coordinates, &roll.truth).unwrap(),
                    procrustes(&fit.coordinates, &roll.truth).unwrap(),
                    affine_r2(&far.coordinates, &roll.truth).unwrap(),
                );
            };
            let isomap = Config { init: Init::Isomap, ..Config::default() };
            row("default", Config::default());
            row("ν = 0", Config { nu: Rule::Fixed(0.0), ..isomap.clone() });
            row("λ = 1, ν = 0", Config { lambda: Rule::Fixed(1.0), nu: Rule::Fixed(0.0), ..isomap });
            let authors = Config { n_init: 10, max_iter: 100, tol: 0.0, ..Config::authors() };
            let fit = fit(&authors, &roll.points, &edges);
            println!(
                "| {seed} | {noise} | authors, best of 10 | Random | 100 | {:.2} | {:.4} | {:.4} | |",
                fit.bound_scaled(),
                affine_r2(&fit.coordinates, &roll.truth).unwrap(),
                procrustes(&fit.coordinates, &roll.truth).unwrap(),
            );
        }
    }
}

fn fit(config: &Config, points: &Matrix, edges: &[(u32, u32)]) -> Fit {
    Fitter::new(Config { connect: true, ..config.clone() }).edges(edges.to_vec()).fit(points).unwrap()
}
