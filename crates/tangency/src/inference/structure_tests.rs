//! The structure within the manifold in both engines: no single update lowers the bound, its part does not change with the units
//! of the coordinates, and what is known is followed.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::generate::{Shape, generate};
use crate::graph::{Symmetry, neighbor_graph};
use crate::inference::engine::Updates;
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::model::{GroupRequest, KnownKind, KnownValues, Structure};
use std::ops::ControlFlow;
use std::sync::Arc;

const N: usize = 60;

fn anchors(truth: &Matrix, every: usize, deviation: f64) -> KnownValues {
    let width = 2;
    let known = |p: usize| (p / width).is_multiple_of(every);
    // turned, stretched and moved
    let value = |i: usize, f: usize| match f {
        0 => 40.0 + 3.0 * truth[(i, 0)] - truth[(i, 1)],
        _ => -7.0 + 2.0 * truth[(i, 1)],
    };
    let values = (0..N * width).map(|p| if known(p) { value(p / width, p % width) } else { f64::NAN }).collect();
    let mut known = KnownValues::new(KnownKind::Anchors, vec!["east".into(), "north".into()], values);
    known.deviations.iter_mut().step_by(width * every).for_each(|slot| *slot = deviation);
    known
}

fn labels(truth: &Matrix, every: usize) -> GroupRequest {
    let cell = |i: usize| match (i.is_multiple_of(every), truth[(i, 0)] > 3.0) {
        (false, _) => String::new(),
        (true, true) => "far".into(),
        (true, false) => "near".into(),
    };
    let cells: Vec<String> = (0..N).map(cell).collect();
    GroupRequest::of_labels(&cells, Some((2, 4)))
}

fn structures(truth: &Matrix) -> Vec<Structure> {
    let known = Some(anchors(truth, 7, 0.4));
    vec![
        Structure { known: known.clone(), groups: None },
        Structure { known: None, groups: Some(GroupRequest::between(1, 5)) },
        Structure { known, groups: Some(labels(truth, 4)) },
    ]
}

fn problem(d_x: usize, seed: u64, which: usize) -> (Problem, Matrix) {
    let sheet = generate(Shape::SCurve, N, 0.1, seed);
    let points = sheet.points.transpose().to_owned();
    let graph = neighbor_graph(&points, 7, Symmetry::Or);
    let start = Matrix::from_fn(N, d_x, |i, a| if a < 2 { sheet.truth[(i, a)] } else { 0.1 * points[(0, i)] });
    let structure = structures(&sheet.truth).swap_remove(which);
    structure.check(N).unwrap();
    let problem = Problem::new(points, graph, d_x, 1e-3).unwrap();
    (problem.with_structure(Some(Arc::new(structure))), start)
}

fn no_update_lowers_the_bound<E: Engine>(d_x: usize, seed: u64, which: usize, weight: f64) {
    let (problem, start) = problem(d_x, seed, which);
    let config = Config { feature_weight: FeatureWeight::Fixed(weight), ..Config::default() };
    let mut engine = E::new(&problem, &config).unwrap();
    let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(start));
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
            if step == "coordinates" && engine.notes(&problem).kind == crate::inference::EngineKind::Factorised {
                continue;
            }
            let next = run.bound(&mut engine).unwrap().total();
            assert!(next >= last - 1e-7 * last.abs(), "{step} {round} d_x {d_x} seed {seed} {which}: {last} -> {next}");
            last = next;
        }
    }
}

#[test]
fn no_single_update_lowers_the_bound_with_a_structure() {
    for which in 0..3 {
        for (d_x, weight) in [(1, 1.0), (2, 0.3), (3, 1.0)] {
            no_update_lowers_the_bound::<Exact>(d_x, which as u64, which, weight);
            no_update_lowers_the_bound::<Factorised>(d_x, which as u64, which, weight);
        }
    }
}

#[test]
fn its_part_is_the_same_in_all_units_but_for_the_entropy() {
    for which in 0..3 {
        let (problem, start) = problem(2, 1, which);
        let config = Config { feature_weight: FeatureWeight::Fixed(1.0), ..Config::default() };
        let mut engine = Exact::new(&problem, &config).unwrap();
        let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(start));
        for _ in 0..8 {
            run.iterate(&mut engine, &mut |_, _| ControlFlow::Continue(())).unwrap();
        }
        let mut moments = run.state.statistics.coordinates.clone();
        let mut term = run.state.graph.take().unwrap();
        let before = term.coordinate_part(&moments);
        moments.rescale(1.7);
        term = term.reshaped(term.affinity.clone(), 1.7);
        let after = term.coordinate_part(&moments);
        assert!((before - after).abs() < 1e-8 * before.abs(), "{which}: {before} {after}");
    }
}

/// With nothing to be known the structure is the default, to the digits that a sum leaves.
#[test]
fn a_line_that_is_off_leaves_the_default() {
    let (problem, start) = problem(2, 2, 0);
    let config = Config { feature_weight: FeatureWeight::Fixed(1.0), ..Config::default() };
    let mut engine = Exact::new(&problem, &config).unwrap();
    let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(start));
    run.iterate(&mut engine, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let moments = run.state.statistics.coordinates.clone();
    let mut term = run.state.graph.take().unwrap();
    term.learn_precision(&moments);
    let structure = term.structure.as_mut().unwrap();
    structure.known.as_mut().unwrap().lines.clear();
    term.learn_structure(&moments);
    term.learn_precision(&moments);
    term.learn_structure(&moments);
    let with = term.coordinate_part(&moments);
    term.structure = None;
    term.learn_precision(&moments);
    let without = term.coordinate_part(&moments);
    assert!((with - without).abs() < 0.02 && with <= without + 1e-6, "{with} {without}");
}
