//! Entries and their variances are those of the Gaussian that the likelihood is, and the bound stays below its integral.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::linalg::{SpdWork, invert_spd, product};
use std::f64::consts::PI;

const EPSILON: f64 = 1e-3;

/// A ring of 12 points with two chords.
fn graph() -> Graph {
    let ring = (0..12u32).map(|i| (i, (i + 1) % 12));
    Graph::from_edges(12, ring.chain([(0, 6), (3, 8)]))
}

fn laplacian(graph: &Graph) -> Matrix {
    Matrix::from_fn(graph.n(), graph.n(), |i, j| match i == j {
        true => graph.neighbors(i).len() as f64,
        false if graph.neighbors(i).contains(&(j as u32)) => -1.0,
        false => 0.0,
    })
}

fn with_holes() -> Matrix {
    let mut points = Matrix::from_fn(3, 12, |f, i| ((i * (f + 2)) as f64).sin());
    for (f, i) in [(0, 2), (0, 3), (0, 9), (1, 2), (1, 3), (1, 9), (2, 0)] {
        points[(f, i)] = f64::NAN;
    }
    points
}

fn inverse(mut matrix: Matrix) -> (Matrix, f64) {
    let log_det = invert_spd(&mut matrix, &mut SpdWork::new(12), "test").unwrap();
    crate::linalg::mirror_lower(&mut matrix);
    (matrix, log_det)
}

/// The entries of one feature by dense sums: L_mm, its inverse, and the right-hand side.
fn dense(points: &Matrix, flow: &Matrix, f: usize) -> (Vec<usize>, Matrix, f64, Vec<f64>) {
    let graph = graph();
    let all = laplacian(&graph);
    let rows: Vec<usize> = (0..12).filter(|&i| points[(f, i)].is_nan()).collect();
    let mm = Matrix::from_fn(rows.len(), rows.len(), |a, b| all[(rows[a], rows[b])]);
    let mut work = SpdWork::new(rows.len());
    let mut inverse = mm;
    let log_det = invert_spd(&mut inverse, &mut work, "test").unwrap();
    crate::linalg::mirror_lower(&mut inverse);
    let right = |&i: &usize| {
        let known = (0..12).filter(|j| !rows.contains(j)).map(|j| all[(i, j)] * points[(f, j)]).sum::<f64>();
        flow[(f, i)] - known
    };
    (rows.clone(), inverse, log_det, rows.iter().map(right).collect())
}

#[test]
fn entries_and_variances_are_those_of_dense_sums() {
    let (graph, points) = (graph(), with_holes());
    let flow = Matrix::from_fn(3, 12, |f, i| ((i + f) as f64).cos());
    let entries = MissingEntries::of(&points).unwrap();
    assert_eq!((entries.count(), entries.gaps.len()), (7, 2));
    assert_eq!(MissingEntries::from_pairs(&entries.pairs()), entries);
    let filling = entries.on(&graph).unwrap();
    let mut filled = points.clone();
    filling.fill(&graph, &mut filled, Some(&flow));
    let variances = filling.variances(&graph).unwrap();
    let mut log_det = 0.0;
    for f in 0..3 {
        let (rows, inverse, of_feature, right) = dense(&points, &flow, f);
        log_det += of_feature;
        for (a, &row) in rows.iter().enumerate() {
            let expected: f64 = (0..rows.len()).map(|b| inverse[(a, b)] * right[b]).sum();
            assert!((filled[(f, row)] - expected).abs() < 1e-12);
            let place = entries.pairs().iter().position(|&pair| pair == (row as u32, f as u32)).unwrap();
            assert!((variances[place] - inverse[(a, a)]).abs() < 1e-12);
        }
    }
    let term = filling.term();
    assert!((term.log_det - log_det).abs() < 1e-12 && term.count == 7.0);
    // what is known stays
    assert!((0..12).all(|i| points[(1, i)].is_nan() || points[(1, i)] == filled[(1, i)]));
}

#[test]
fn a_flat_sheet_is_filled_in_exactly() {
    let graph = graph();
    let coordinates = Matrix::from_fn(12, 2, |i, a| ((3 * i + a) as f64).sin());
    let map = Matrix::from_fn(3, 2, |f, a| 1.0 + f as f64 - 2.0 * a as f64);
    let maps = Matrix::from_fn(3, 24, |f, p| map[(f, p % 2)]);
    let whole = product(&map, &coordinates.transpose().to_owned());
    let holes = with_holes();
    let entries = MissingEntries::of(&holes).unwrap();
    let mut points = Matrix::from_fn(3, 12, |f, i| if holes[(f, i)].is_nan() { 0.0 } else { whole[(f, i)] });
    let along = flow(&graph, &coordinates, &maps);
    entries.on(&graph).unwrap().fill(&graph, &mut points, Some(&along));
    assert!((&points - &whole).norm_l2() < 1e-12);
}

#[test]
fn the_bound_is_just_below_the_integral_over_missing_entries() {
    let (graph, points) = (graph(), with_holes());
    let flow = Matrix::from_fn(3, 12, |f, i| 0.3 * ((i + f) as f64).cos());
    let entries = MissingEntries::of(&points).unwrap();
    let filling = entries.on(&graph).unwrap();
    let mut filled = points.clone();
    filling.fill(&graph, &mut filled, Some(&flow));
    let (all, gamma) = (laplacian(&graph), 0.7);
    // log p of one feature up to what does not depend on y
    let log_density = |y: &[f64], f: usize| {
        let quadratic: f64 = (0..12).map(|i| (0..12).map(|j| y[i] * all[(i, j)] * y[j]).sum::<f64>()).sum();
        let linear: f64 = (0..12).map(|i| y[i] * flow[(f, i)]).sum();
        -gamma * (quadratic - 2.0 * linear) - 0.5 * EPSILON * y.iter().sum::<f64>().powi(2)
    };
    let row = |f: usize| -> Vec<f64> { (0..12).map(|i| filled[(f, i)]).collect() };
    let at_filled: f64 = (0..3).map(|f| log_density(&row(f), f)).sum();
    let MissingTerm { count, log_det, ones } = filling.term();
    let bound = at_filled + 0.5 * (count * (PI / gamma).ln() - log_det) - 0.25 * EPSILON * ones / gamma;
    let mut integral = 0.0;
    for f in 0..3 {
        let (rows, _, _, _) = dense(&points, &flow, f);
        let precision = Matrix::from_fn(rows.len(), rows.len(), |a, b| EPSILON + 2.0 * gamma * all[(rows[a], rows[b])]);
        // the maximum by one Newton step from the filled row
        let gradient: Vec<f64> = rows
            .iter()
            .map(|&i| {
                let (mut up, mut down) = (row(f), row(f));
                up[i] += 1e-4;
                down[i] -= 1e-4;
                (log_density(&up, f) - log_density(&down, f)) / 2e-4
            })
            .collect();
        let (covariance, log_det) = inverse(precision);
        let gain: f64 = (0..rows.len())
            .map(|a| (0..rows.len()).map(|b| 0.5 * gradient[a] * covariance[(a, b)] * gradient[b]).sum::<f64>())
            .sum();
        integral += log_density(&row(f), f) + gain + 0.5 * (rows.len() as f64 * (2.0 * PI).ln() - log_det);
    }
    assert!(bound <= integral + 1e-9 && integral - bound < 1e-2, "{bound} {integral}");
}

/// A grid of 40 × 40 points of which three in ten, as if by chance, lack a feature.
#[test]
fn variances_by_rows_nearby_are_nearly_those_by_all() {
    let place = |x: u32, y: u32| 40 * y + x;
    let along = (0..40).flat_map(|y| (1..40).map(move |x| (place(x - 1, y), place(x, y))));
    let across = (1..40).flat_map(|y| (0..40).map(move |x| (place(x, y - 1), place(x, y))));
    let graph = Graph::from_edges(1600, along.chain(across));
    for (share, most) in [(30, 1e-9), (60, 0.02)] {
        let rows: Vec<u32> = (0..1600u32).filter(|i| i.wrapping_mul(2_654_435_761) / 7 % 100 < share).collect();
        let part = Part::new(&Gap { rows: rows.clone(), features: vec![0] }, &graph).unwrap();
        let (all, nearby) = (part.variances(&graph, rows.len()).unwrap(), part.variances(&graph, 0).unwrap());
        for (all, nearby) in all.iter().zip(&nearby) {
            assert!(*nearby <= all + 1e-12 && all - nearby < most * all, "{share}: {nearby} of {all}");
        }
    }
}

#[test]
fn a_row_with_gaps_is_found_by_what_it_has() {
    let points = Matrix::from_fn(3, 12, |f, i| ((i * (f + 2)) as f64).sin());
    let pairs = MissingEntries::of(&with_holes()).unwrap().pairs();
    let gaps = RowGaps::new(pairs.clone(), &points);
    let rows: Vec<usize> = (0..12).collect();
    let measured = gaps.measured(&points, &rows);
    for i in 0..12 {
        let whole = pairs.iter().all(|&(row, _)| row as usize != i);
        assert_eq!(gaps.is_whole(i), whole);
        assert_eq!(gaps.find(&points, measured.col_as_slice(i)), (!whole).then_some(i as u32));
        // one gap more is another row
        let mut other = measured.col_as_slice(i).to_vec();
        other[2] = f64::NAN;
        assert_eq!(gaps.find(&points, &other), (i == 0).then_some(0));
        (0..3).for_each(|f| assert_eq!(gaps.lacks(i, f), measured[(f, i)].is_nan()));
    }
}
