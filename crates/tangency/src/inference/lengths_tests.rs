//! A bent map of a flat sheet becomes flat again; the way down is the derivative of the misfit; and a run whose means are held
//! keeps its map, while no update lowers the bound, in both engines.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::config::Config;
use crate::generate::{Shape, generate};
use crate::graph::{Symmetry, neighbor_graph};
use crate::inference::em::{Run, layout_of};
use crate::inference::engine::Engine;
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::start::{Layout, Start};
use crate::linalg::product;
use crate::quality::procrustes;
use std::ops::ControlFlow;

fn sheet(n: usize) -> (Problem, Matrix) {
    let sheet = generate(Shape::SCurve, n, 0.0, 1);
    let points = sheet.points.transpose().to_owned();
    let graph = neighbor_graph(&points, 9, Symmetry::Or);
    (Problem::new(points, graph, 2, 1e-3).unwrap(), sheet.truth)
}

/// The truth, stretched more the farther along.
fn bent(truth: &Matrix) -> Matrix {
    Matrix::from_fn(truth.nrows(), 2, |i, a| {
        truth[(i, a)] * if a == 0 { 1.0 + 0.03 * truth[(i, 0)] } else { 0.7 } + 4.0
    })
}

#[test]
fn a_bent_map_gets_the_lengths_of_the_sheet() {
    let (problem, truth) = sheet(150);
    let config = Config::default();
    let (exact, factorised) = (
        Exact::new(&problem, &config).unwrap(),
        Factorised::new(&problem, &Config { ball_radius: 2, ..config }).unwrap(),
    );
    let start = bent(&truth);
    let found = stretched(&problem, &exact, &start);
    assert!(found.misfit.1 < 1e-4 && found.misfit.0 > 100.0 * found.misfit.1, "{:?}", found.misfit);
    assert!(procrustes(&found.coordinates, &truth).unwrap() < 1e-4);
    assert!(procrustes(&start, &truth).unwrap() > 1e-3);
    // the units are those of the start, and the centroid is 0
    let (unit, misfit) = unit_and_misfit(&problem, &found.coordinates);
    assert!((unit / unit_and_misfit(&problem, &start).0 - 1.0).abs() < 0.01);
    assert!((misfit - found.misfit.1).abs() < 1e-6);
    assert!(found.coordinates.col_as_slice(0).iter().sum::<f64>().abs() < 1e-9);
    // the other engine solves with the same Laplacian
    let other = stretched(&problem, &factorised, &start);
    assert!(procrustes(&found.coordinates, &other.coordinates).unwrap() < 1e-6);
}

#[test]
fn turned_and_larger_maps_end_alike() {
    let (problem, truth) = sheet(120);
    let engine = Exact::new(&problem, &Config::default()).unwrap();
    let start = bent(&truth);
    let turn = Matrix::from_fn(2, 2, |a, b| 3.0 * [[0.8, -0.6], [0.6, 0.8]][a][b]);
    let (found, turned) = (stretched(&problem, &engine, &start), stretched(&problem, &engine, &product(&start, &turn)));
    assert!(procrustes(&found.coordinates, &turned.coordinates).unwrap() < 1e-8);
    assert!((found.misfit.1 - turned.misfit.1).abs() < 1e-9);
}

#[test]
fn the_way_down_is_the_derivative_of_the_misfit() {
    let (problem, truth) = sheet(40);
    let springs = Springs::of(&problem, 2);
    let x: Vec<f64> = (0..80).map(|p| bent(&truth)[(p / 2, p % 2)]).collect();
    let (_, slope) = springs.at(&x);
    for p in [0, 7, 33, 79] {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[p] += by;
            springs.at(&x).0
        };
        // each edge is in the misfit from both of its ends, and the slope is of half of one
        let slope_there = -(moved(1e-5) - moved(-1e-5)) / 2e-5 / 4.0;
        assert!((slope[p] - slope_there).abs() < 1e-6 * (1.0 + slope_there.abs()), "{p}: {} {slope_there}", slope[p]);
    }
}

fn held_means_stay_and_the_bound_rises<E: Engine>(graph_likelihood: bool) {
    let (problem, truth) = sheet(90);
    let config =
        Config { graph_likelihood, accelerate: false, tol: 0.0, coarse_tol: 0.0, max_iter: 30, ..Config::default() };
    let mut engine = E::new(&problem, &config).unwrap();
    let mut go_on = |_: &_, _| ControlFlow::Continue(());
    let mut run = Run::new(&problem, &config, &engine, &Start::Coordinates(truth.clone()));
    run.advance(&mut engine, Some(5), &mut go_on).unwrap();
    let found = layout_of(&problem, &engine, &run.state, true);
    let map = stretched(&problem, &engine, &found.coordinates);
    let layout = Layout { coordinates: map.coordinates.clone(), held: true, ..found };
    let mut run = Run::new(&problem, &config, &engine, &Start::Layout(Box::new(layout)));
    run.advance(&mut engine, None, &mut go_on).unwrap();
    for pair in run.trace[3..].windows(2) {
        let (before, after) = (pair[0].bound_scaled, pair[1].bound_scaled);
        assert!(after >= before - 1e-7 * before.abs(), "{before} -> {after} in {}", pair[1].iteration);
    }
    let end = engine.coordinates(&problem, &run.state.beliefs);
    assert!(procrustes(&end, &map.coordinates).unwrap() < 1e-10);
    assert!(run.trace.len() == 30);
}

#[test]
fn runs_whose_means_are_held_keep_their_map() {
    for graph_likelihood in [false, true] {
        held_means_stay_and_the_bound_rises::<Exact>(graph_likelihood);
        held_means_stay_and_the_bound_rises::<Factorised>(graph_likelihood);
    }
}
