//! Neighbours are sought in the metric that is asked for: of the table, of new rows, with gaps and without.

use tangency::config::AUTO;
use tangency::extend::Extension;
use tangency::graph::{Metric, Symmetry, graph_of_lists};
use tangency::linalg::Matrix;
use tangency::quality::{continuity, trustworthiness};
use tangency::{Config, Fit, Fitter};

const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Correlation, Metric::Manhattan];

/// Rows in directions that make a sheet, each with a length of its own. [n, 8]
fn rays(n: usize, shift: usize) -> Matrix {
    let place = |i: usize, a: usize| (((i + shift) * (7919 + 104_729 * a)) % 1009) as f64 / 1009.0;
    Matrix::from_fn(n, 8, |i, f| {
        let (u, v) = (place(i, 0), place(i, 1));
        let direction = 2.0 + (3.0 * u + f as f64).sin() + (2.0 * v * (1.0 + f as f64 / 3.0)).cos();
        (0.5 + 2.0 * place(i, 2)) * direction
    })
}

fn short(metric: Metric) -> Config {
    let init = tangency::config::Init::Isomap;
    Config { metric, init, max_iter: 8, n_neighbors: 7, connect: true, ..Config::default() }
}

/// The distance of two rows in a metric, from its definition; scaled rows where the metric takes these.
fn distance(metric: Metric, a: &[f64], b: &[f64], scale: &[f64]) -> f64 {
    let mean = |row: &[f64]| match metric {
        Metric::Correlation => row.iter().sum::<f64>() / row.len() as f64,
        _ => 0.0,
    };
    let product = |a: &[f64], b: &[f64]| -> f64 {
        let (p, q) = (mean(a), mean(b));
        a.iter().zip(b).map(|(a, b)| (a - p) * (b - q)).sum()
    };
    match metric {
        Metric::Manhattan => a.iter().zip(b).zip(scale).map(|((a, b), scale)| ((a - b) / scale).abs()).sum(),
        _ => 1.0 - product(a, b) / (product(a, a) * product(b, b)).sqrt(),
    }
}

fn row(table: &Matrix, i: usize) -> Vec<f64> {
    table.row(i).iter().copied().collect()
}

/// The `k` training rows that are nearest to a row, without one of them.
fn nearest(fit: &Fit, y: &[f64], k: usize, without: Option<usize>) -> Vec<u32> {
    let of = |j: usize| distance(fit.config.metric, y, &row(&fit.observations, j), &fit.scaling.scale);
    let mut all: Vec<usize> = (0..fit.n()).filter(|&j| Some(j) != without).collect();
    all.sort_by(|&p, &q| of(p).total_cmp(&of(q)));
    all.into_iter().take(k).map(|j| j as u32).collect()
}

#[test]
fn the_graph_and_the_neighbors_of_new_rows_are_those_of_the_metric() {
    let (table, new) = (rays(150, 0), rays(20, 500));
    let plain = Fitter::new(short(Metric::Euclidean)).fit(&table).unwrap();
    for metric in METRICS {
        let fit = Fitter::new(short(metric)).fit(&table).unwrap();
        let lists: Vec<Vec<u32>> = (0..150).map(|i| nearest(&fit, &row(&table, i), 7, Some(i))).collect();
        let expected = graph_of_lists(&lists, Symmetry::Or).with_changes(&[], &fit.bridges);
        assert_eq!(fit.graph.edges(), expected.edges(), "{metric}");
        assert!(fit.graph != plain.graph, "{metric}");
        assert_eq!(fit.scaling, plain.scaling, "{metric}: the model sees the same points");

        let extension = Extension::new(&fit).unwrap();
        let placed = extension.transform(&new).unwrap();
        for (i, placement) in placed.iter().enumerate() {
            let wanted = nearest(&fit, &row(&new, i), extension.n_neighbors(), None);
            assert!(placement.neighbors.iter().all(|j| wanted.contains(j)), "{metric}, row {i}");
            let alone = Matrix::from_fn(1, 8, |_, f| new[(i, f)]);
            assert_eq!(&extension.transform(&alone).unwrap()[0], placement, "{metric}: row {i} alone");
        }
        let again = extension.transform(&table).unwrap();
        assert!((0..150).all(|i| again[i].point == Some(i as u32)), "{metric}: fitted rows are found again");
    }
}

#[test]
fn rows_of_the_same_direction_are_not_the_same_row() {
    let table = Matrix::from_fn(120, 8, |i, f| if i == 7 { 2.0 * rays(120, 0)[(8, f)] } else { rays(120, 0)[(i, f)] });
    let extension = Extension::new(&Fitter::new(short(Metric::Cosine)).fit(&table).unwrap()).unwrap();
    let placed = extension.transform(&table).unwrap();
    assert_eq!((placed[7].point, placed[8].point), (Some(7), Some(8)));
    let between = Matrix::from_fn(1, 8, |_, f| 1.5 * table[(8, f)]);
    let placed = &extension.transform(&between).unwrap()[0];
    assert_eq!(placed.point, None);
    assert!(placed.neighbors.contains(&7) && placed.neighbors.contains(&8));
}

#[test]
fn rows_without_a_direction_are_refused_by_number() {
    let mut table = rays(60, 0);
    (0..8).for_each(|f| table[(41, f)] = 0.0);
    let refused = |metric| Fitter::new(short(metric)).fit(&table).err().unwrap().to_string();
    for metric in [Metric::Cosine, Metric::Correlation] {
        assert!(refused(metric).starts_with("row 41 "), "{}", refused(metric));
    }
    assert!(Fitter::new(short(Metric::Manhattan)).fit(&table).is_ok());
    (0..8).for_each(|f| table[(41, f)] = 3.0);
    assert!(Fitter::new(short(Metric::Cosine)).fit(&table).is_ok());

    let extension = Extension::new(&Fitter::new(short(Metric::Cosine)).fit(&rays(60, 0)).unwrap()).unwrap();
    let mut new = rays(3, 100);
    (0..8).for_each(|f| new[(2, f)] = 0.0);
    let error = extension.transform(&new).unwrap_err().to_string();
    assert!(error.starts_with("row 2 ") && error.contains("cosine"), "{error}");
}

#[test]
fn entries_may_be_missing_and_the_number_of_neighbors_left_to_the_data() {
    for metric in METRICS {
        let mut table = rays(140, 0);
        (0..140).step_by(9).for_each(|i| table[(i, i % 8)] = f64::NAN);
        let fit = Fitter::new(short(metric)).fit(&table).unwrap();
        assert_eq!(fit.imputed.as_ref().map(|imputed| imputed.values.len()), Some(16), "{metric}");
        let extension = Extension::new(&fit).unwrap();
        let mut new = rays(4, 300);
        new[(1, 2)] = f64::NAN;
        assert!(extension.transform(&new).unwrap().iter().all(|placed| placed.mean.iter().all(|x| x.is_finite())));

        let open = Config { n_neighbors: AUTO, ..short(metric) };
        let fit = Fitter::new(open).fit(&rays(140, 0)).unwrap();
        assert!(fit.neighbors.is_some_and(|found| found.tried.len() > 1), "{metric}");
        assert_eq!(fit.config.metric, metric);
    }
}

#[test]
fn neighbourhoods_are_compared_in_the_metric_of_the_graph() {
    let table = rays(200, 0);
    let config = Config { metric: Metric::Cosine, max_iter: 20, ..Config::default() };
    let fit = Fitter::new(config).fit(&table).unwrap();
    let length = |i: usize| (0..8).map(|f| table[(i, f)].powi(2)).sum::<f64>().sqrt();
    let directions = Matrix::from_fn(200, 8, |i, f| table[(i, f)] / length(i));
    let [by_angle, straight] = [&directions, &table].map(|of| trustworthiness(of, &fit.coordinates, 12).unwrap());
    let quality = fit.quality.unwrap();
    assert!((quality.trustworthiness - by_angle).abs() < 1e-9, "{quality:?} {by_angle}");
    assert!((by_angle - straight).abs() > 1e-3, "{by_angle} {straight}");
    let continuity = continuity(&directions, &fit.coordinates, 12).unwrap();
    assert!((quality.continuity.unwrap() - continuity).abs() < 1e-9, "{quality:?} {continuity}");
}
