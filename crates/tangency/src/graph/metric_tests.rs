//! Neighbours are those of each metric's own formula, by every search.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::graph::{NeighborIndex, NeighborSearch, find_neighbors, within_length};

/// Rows that lie along a few directions with lengths of their own, away from zero. [n, d]
fn rows(n: usize, d: usize) -> Matrix {
    let wave = |i: usize, f: usize| ((i as f64 * 12.9898 + f as f64 * 78.233).sin() * 43_758.545).fract().abs();
    Matrix::from_fn(n, d, |i, f| (0.2 + 3.0 * wave(i, 17)) * (1.0 + wave(i, 3 + f % 5) + 0.3 * wave(i, f)) + 0.1)
}

fn scaled(rows: &Matrix) -> Arc<Matrix> {
    Arc::new(Matrix::from_fn(rows.ncols(), rows.nrows(), |f, i| (rows[(i, f)] - 2.0) / (1.0 + f as f64)))
}

/// The distance as it is written in books: of rows as they are given, or of scaled ones.
fn literal(metric: Metric, rows: &Matrix, scaled: &Matrix, i: usize, j: usize) -> f64 {
    let d = rows.ncols();
    let mean = |i: usize| (0..d).map(|f| rows[(i, f)]).sum::<f64>() / d as f64;
    let (a, b) = if metric == Metric::Correlation { (mean(i), mean(j)) } else { (0.0, 0.0) };
    let product =
        |i: usize, a: f64, j: usize, b: f64| -> f64 { (0..d).map(|f| (rows[(i, f)] - a) * (rows[(j, f)] - b)).sum() };
    let steps = (0..d).map(|f| scaled[(f, i)] - scaled[(f, j)]);
    match metric {
        Metric::Euclidean => steps.map(|step| step * step).sum::<f64>().sqrt(),
        Metric::Manhattan => steps.map(f64::abs).sum(),
        Metric::Cosine | Metric::Correlation => {
            1.0 - product(i, a, j, b) / (product(i, a, i, a) * product(j, b, j, b)).sqrt()
        }
    }
}

fn nearest(metric: Metric, rows: &Matrix, scaled: &Matrix, i: usize, k: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows.nrows() as u32).filter(|&j| j as usize != i).collect();
    all.sort_by(|&p, &q| {
        let distance = |j: u32| literal(metric, rows, scaled, i, j as usize);
        distance(p).total_cmp(&distance(q))
    });
    all.truncate(k);
    all
}

#[test]
fn neighbors_are_those_of_the_formula() {
    // with a tree and without, few and many features
    for (n, d) in [(40, 3), (300, 3), (300, 9), (300, 30)] {
        let table = rows(n, d);
        let points = scaled(&table);
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Correlation, Metric::Manhattan] {
            let places = metric.places(table.as_ref(), &points).unwrap();
            let found = find_neighbors(&places, metric.length(), 6, NeighborSearch::Exact, 1);
            for i in (0..n).step_by(7) {
                assert_eq!(found.lists[i], nearest(metric, &table, &points, i, 6), "{metric:?}, {n} × {d}, row {i}");
            }
            let index = NeighborIndex::by(metric.length(), places.clone());
            let query = Matrix::from_fn(d, 1, |f, _| places[(f, 11)]);
            assert_eq!(index.nearest(&query, 3)[0][0], 11, "{metric:?}: a point is its own nearest");
        }
    }
}

#[test]
fn a_radius_is_in_the_units_of_the_metric() {
    let table = rows(120, 6);
    let points = scaled(&table);
    for (metric, radius) in [(Metric::Cosine, 0.02), (Metric::Correlation, 0.3), (Metric::Manhattan, 2.0)] {
        let places = metric.places(table.as_ref(), &points).unwrap();
        let graph = within_length(&places, metric.length(), metric.length_at(radius));
        let near = |&(i, j): &(u32, u32)| literal(metric, &table, &points, i as usize, j as usize) <= radius;
        let expected: Vec<(u32, u32)> = (0..120).flat_map(|i| (i + 1..120).map(move |j| (i, j))).filter(near).collect();
        assert!(!expected.is_empty() && expected.len() < 120 * 119 / 2, "{metric:?}: {}", expected.len());
        assert_eq!(graph.edges(), expected, "{metric:?}");
    }
}

#[test]
fn nearly_all_are_found_by_the_approximate_search() {
    let table = rows(3000, 40);
    let points = scaled(&table);
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Correlation, Metric::Manhattan] {
        let places = metric.places(table.as_ref(), &points).unwrap();
        let exact = find_neighbors(&places, metric.length(), 10, NeighborSearch::Exact, 1).lists;
        let found = find_neighbors(&places, metric.length(), 10, NeighborSearch::Approximate, 1);
        let common: usize =
            exact.iter().zip(&found.lists).map(|(a, b)| b.iter().filter(|j| a.contains(j)).count()).sum();
        let share = common as f64 / 30_000.0;
        assert!(share > 0.95, "{metric:?}: {share}");
        assert!((found.recall.unwrap() - share).abs() < 0.02, "{metric:?}: {:?} {share}", found.recall);
    }
}

#[test]
fn a_row_without_a_direction_is_named() {
    let mut table = rows(10, 4);
    (0..4).for_each(|f| table[(3, f)] = 0.1);
    let points = scaled(&table);
    assert!(Metric::Cosine.places(table.as_ref(), &points).is_ok());
    let error = Metric::Correlation.places(table.as_ref(), &points).unwrap_err().to_string();
    assert!(error.contains("row 3") && error.contains("constant"), "{error}");
    (0..4).for_each(|f| table[(3, f)] = 0.0);
    let error = Metric::Cosine.places(table.as_ref(), &points).unwrap_err().to_string();
    assert!(error.contains("row 3") && error.contains("zero"), "{error}");
    assert!(Metric::Manhattan.places(table.as_ref(), &points).is_ok());
}

#[test]
fn huge_and_tiny_rows_have_directions() {
    let table = Matrix::from_fn(3, 3, |i, f| [1e300, 1e-300, 1.0][i] * (1.0 + f as f64));
    let places = Metric::Cosine.places(table.as_ref(), &Arc::new(Matrix::zeros(0, 0))).unwrap();
    for i in 0..3 {
        assert!((places.col(i) - places.col(2)).norm_max() < 1e-15, "{i}");
    }
}
