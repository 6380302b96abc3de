//! Acceleration: fewer iterations to the same end, a bound that never falls, the same bits for any thread count.

use super::{clean_roll, fit, paper};
use tangency::quality::affine_r2;
use tangency::{Config, Fit, Fitter, Init, Rule, Shape, Stop, generate};

/// Iterations until the bound is within 0.1 % of its final value.
fn iterations(fit: &Fit) -> usize {
    let end = fit.bound_scaled();
    1 + fit.trace.iter().position(|point| point.bound_scaled >= end - 1e-3 * end.abs()).unwrap()
}

#[test]
fn acceleration_shortens_the_climb_and_keeps_its_end() {
    let (roll, edges) = clean_roll(300, 0.15, 3);
    let with = Config { init: Init::Isomap, ..paper() };
    let without = Config { accelerate: false, ..with.clone() };
    let (fast, slow) = (fit(with, &roll.points, &edges), fit(without, &roll.points, &edges));
    let (few, many) = (iterations(&fast), iterations(&slow));
    println!("iterations to within 0.1 %: {few} with, {many} without");
    assert!(2 * few < many, "{few} with, {many} without");
    assert!((fast.bound_scaled() / slow.bound_scaled() - 1.0).abs() < 2e-3);
    let r2 = |fit: &Fit| affine_r2(&fit.coordinates, &roll.truth).unwrap();
    assert!((r2(&fast) - r2(&slow)).abs() < 0.003);
}

#[test]
fn the_bound_never_falls_along_a_run() {
    let (roll, edges) = clean_roll(100, 0.05, 1);
    let fixed = Config { lambda: Rule::Fixed(1.0), nu: Rule::Fixed(0.0), ..paper() };
    let smooth = Config { nu: Rule::Fixed(0.0), ..paper() };
    for preset in [paper(), Config::authors(), fixed, smooth] {
        for init in [Init::Random, Init::Isomap, Init::Spectral, Init::Pca] {
            let found = fit(Config { init, max_iter: 60, tol: 0.0, ..preset.clone() }, &roll.points, &edges);
            for pair in found.trace.windows(2) {
                let (before, after) = (pair[0].bound_scaled, pair[1].bound_scaled);
                assert!(after >= before - 1e-9 * before.abs(), "{init:?} at {}: {before} → {after}", pair[1].iteration);
            }
            assert_eq!(found.bound_scaled(), found.trace.last().unwrap().bound_scaled);
        }
    }
}

#[test]
fn one_thread_or_more_give_the_same_bits() {
    let (roll, edges) = clean_roll(310, 0.05, 1);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(Config { max_iter: 20, ..paper() }, &roll.points, &edges))
    };
    let (one, two, three) = (on(1), on(2), on(3));
    assert!(one.coordinates == two.coordinates && one.coordinates == three.coordinates);
    assert_eq!(one.bound(), two.bound());
    assert!(one.maps == two.maps && one.coordinate_covariances == two.coordinate_covariances);
}

#[test]
fn a_run_that_its_limit_ends_has_not_converged() {
    let curve = generate(Shape::SCurve, 150, 0.0, 1);
    let run = |max_iter: usize| {
        let config = Config { n_neighbors: 8, init: Init::Isomap, max_iter, ..paper() };
        let found = Fitter::new(config).fit(&curve.points).unwrap();
        (found.stop, found.trace.len())
    };
    let (stop, end) = run(500);
    assert!(stop == Stop::Converged && end > 20, "{stop:?} after {end}");
    for limit in 12..end {
        assert_eq!(run(limit), (Stop::MaxIterations, limit));
    }
    assert_eq!(run(end), (Stop::Converged, end));
}
