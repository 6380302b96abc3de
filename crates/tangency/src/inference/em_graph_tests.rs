//! The graph's likelihood in both engines: no single update lowers the bound, its part is the literal sum, and fits hold a
//! noisy sheet that the paper's model lets collapse.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::config::EdgeWeights;
use crate::generate::{Shape, generate};
use crate::graph::{Symmetry, neighbor_graph};
use crate::inference::engine::Updates;
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use std::ops::ControlFlow;

fn problem(shape: Shape, n: usize, d_x: usize, seed: u64) -> (Problem, Matrix) {
    let sheet = generate(shape, n, 0.15, seed);
    let points = sheet.points.transpose().to_owned();
    let graph = neighbor_graph(&points, 7, Symmetry::Or);
    let truth = Matrix::from_fn(n, d_x, |i, a| if a < 2 { sheet.truth[(i, a)] } else { 0.1 * points[(0, i)] });
    (Problem::new(points, graph, d_x, 1e-3).unwrap(), truth)
}

fn settings(weight: f64, counts: EdgeWeights, heaviness: Rule) -> Config {
    Config { feature_weight: FeatureWeight::Fixed(weight), edge_weights: counts, heaviness, ..Config::default() }
}

fn no_update_lowers_the_bound<E: Engine>(config: &Config, d_x: usize, seed: u64) {
    let (problem, truth) = problem(Shape::SCurve, 60, d_x, seed);
    let mut engine = E::new(&problem, config).unwrap();
    let mut run = Run::new(&problem, config, &engine, &Start::Coordinates(truth));
    for _ in 0..3 {
        run.iterate(&mut engine, &mut |_, _| ControlFlow::Continue(())).unwrap();
    }
    run.stage = Stage::Climbing;
    let mut last = run.bound(&mut engine).unwrap().total();
    for round in 0..12 {
        run.in_stage = round;
        for step in ["coordinates", "maps", "graph", "hyper-parameters"] {
            match step {
                "coordinates" => engine.update_coordinates(&problem, &mut run.state, 1e-3).unwrap(),
                "maps" => engine.update_maps(&problem, &mut run.state, 1e-3).unwrap(),
                "graph" => run.update_graph(&engine),
                _ => {
                    run.update_hyperparameters(&mut engine).unwrap();
                }
            }
            // the residual of independent points is known only after their maps
            if step == "coordinates" && engine.notes(&problem).kind == crate::inference::EngineKind::Factorised {
                continue;
            }
            let next = run.bound(&mut engine).unwrap().total();
            assert!(next >= last - 1e-7 * last.abs(), "{step} {round} d_x {d_x} seed {seed}: {last} -> {next}");
            last = next;
        }
    }
}

#[test]
fn no_single_update_lowers_the_bound() {
    for seed in 0..4 {
        for d_x in 1..=3 {
            let weight = [1.0, 0.3, 0.03][d_x - 1];
            let counts = if seed % 2 == 0 { EdgeWeights::Membership } else { EdgeWeights::Plain };
            let heaviness = [Rule::Learned, Rule::Fixed(0.5), Rule::Fixed(0.0), Rule::Fixed(1.0)][seed as usize];
            let config = settings(weight, counts, heaviness);
            no_update_lowers_the_bound::<Exact>(&config, d_x, seed);
            no_update_lowers_the_bound::<Factorised>(&config, d_x, seed);
        }
    }
}

#[test]
fn the_part_of_the_graph_is_the_literal_sum() {
    for d_x in 1..=3 {
        let (problem, truth) = problem(Shape::SwissRoll, 40, d_x, 3);
        let config = settings(1.0, EdgeWeights::Membership, Rule::Fixed(0.5));
        let mut engine = Exact::new(&problem, &config).unwrap();
        let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(truth));
        for _ in 0..14 {
            run.iterate(&mut engine, &mut |_, _| ControlFlow::Continue(())).unwrap();
        }
        let (term, q) = (run.state.graph.as_ref().unwrap(), &run.state.beliefs.coordinates);
        let n = problem.n();
        let spread = |i: usize, j: usize, a: usize, b: usize| {
            let at = |p: usize, r: usize| q.centered_covariance(a, p, b, r);
            at(i, i) + at(j, j) - at(i, j) - at(j, i)
        };
        let step = |i: usize, j: usize| -> Vec<f64> { (0..d_x).map(|a| q.mean[(i, a)] - q.mean[(j, a)]).collect() };
        let (mut edges, mut pairs) = (0.0, 0.0);
        for i in 0..n {
            for j in 0..i {
                let d = step(i, j);
                let mut expected = 0.0;
                for &(s, weight) in &term.affinity.parts {
                    let mut grown: Vec<f64> = (0..d_x * d_x)
                        .map(|p| 2.0 * s * spread(i, j, p / d_x, p % d_x) + f64::from(u8::from(p / d_x == p % d_x)))
                        .collect();
                    let log_det = crate::linalg::small::invert(&mut grown, d_x).unwrap();
                    let energy = crate::linalg::dot(&d, &crate::linalg::small::times(&grown, &d));
                    expected += weight * (-s * energy - 0.5 * log_det).exp();
                }
                pairs += term.sociability[i] * term.sociability[j] * expected;
            }
        }
        for (&(i, j), count) in problem.graph.edges().iter().zip(term.counts.iter()) {
            let (i, j) = (i as usize, j as usize);
            let square: f64 = step(i, j).iter().map(|v| v * v).sum();
            let variance: f64 = (0..d_x).map(|a| spread(i, j, a, a)).sum();
            let rate = (term.sociability[i] * term.sociability[j]).ln();
            edges += count * (rate + term.affinity.log(square + variance));
        }
        let found = term.part(&problem.graph);
        assert!((found - (edges - pairs)).abs() < 1e-7 * found.abs(), "{d_x}: {found} {}", edges - pairs);
        // ρ is in balance: what is expected is what is there
        let total: f64 = term.counts.iter().sum();
        assert!((pairs - total).abs() < 0.01 * total, "{pairs} {total}");
    }
}

#[test]
fn a_noisy_sheet_is_held_by_both_engines() {
    let sheet = generate(Shape::SCurve, 300, 0.15, 5);
    for engine in [crate::inference::EngineKind::Exact, crate::inference::EngineKind::Factorised] {
        let config = Config { engine, init: crate::config::Init::Isomap, draws: Some(0), ..Config::default() };
        let fit = crate::Fitter::new(config).fit(&sheet.points).unwrap();
        let r2 = crate::quality::affine_r2(&fit.coordinates, &sheet.truth).unwrap();
        assert!(r2 > 0.97 && fit.stop != Stop::Collapsed, "{r2}");
        let bounds: Vec<f64> = fit.trace.iter().map(|point| point.bound_scaled).collect();
        assert!(bounds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-7 * pair[0].abs()));
    }
}

#[test]
fn a_dimension_too_many_is_switched_off() {
    let sheet = generate(Shape::SCurve, 250, 0.05, 1);
    let config = Config {
        n_components: 3,
        init: crate::config::Init::Isomap,
        feature_weight: FeatureWeight::Fixed(1.0),
        ..Config::default()
    };
    let fit = crate::Fitter::new(config).fit(&sheet.points).unwrap();
    assert_eq!(fit.used_components(), 2);
}

#[test]
fn the_graph_alone_never_lowers_its_bound_and_needs_no_maps() {
    for d_x in 1..=3 {
        let (problem, truth) = problem(Shape::SCurve, 80, d_x, 2);
        let config = settings(0.0, EdgeWeights::Membership, Rule::Fixed(0.5));
        let mut engine = Factorised::new(&problem, &config).unwrap();
        let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(truth));
        assert_eq!(run.stage, Stage::Climbing);
        run.advance(&mut engine, None, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let bounds: Vec<f64> = run.trace.iter().map(|point| point.bound_scaled).collect();
        assert!(bounds.len() > 3 && bounds.iter().all(|bound| bound.is_finite()), "{bounds:?}");
        assert!(bounds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-7 * pair[0].abs()), "{d_x}: {bounds:?}");
        // E log p(G | x) − KL(q(x) ‖ p(x)), and nothing of the features
        let term = run.state.graph.as_ref().unwrap();
        let literal = term.part(&problem.graph) + term.coordinate_part(&run.state.statistics.coordinates);
        assert!((run.bound_scaled() - literal).abs() < 1e-9 * literal.abs());
        assert!(run.state.beliefs.c.iter().all(|&value| value == 0.0));
    }
}

#[test]
fn a_tolerance_of_zero_wants_all_iterations() {
    let sheet = generate(Shape::SCurve, 80, 0.05, 1);
    let config = Config { tol: 0.0, max_iter: 60, init: crate::config::Init::Isomap, ..Config::default() };
    let fit = crate::Fitter::new(config).fit(&sheet.points).unwrap();
    assert_eq!((fit.trace.len(), fit.stop), (60, Stop::MaxIterations));
}
