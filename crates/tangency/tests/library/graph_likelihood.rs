//! The default: the graph's own likelihood, from the graph up to the paper's model as far as neighbourhoods hold.

use crate::fit;
use std::ops::ControlFlow;
use tangency::config::FeatureWeight;
use tangency::evidence::{PruneOptions, edge_scores, prune};
use tangency::extend::Extension;
use tangency::inference::EngineKind;
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::quality::affine_r2;
use tangency::{Config, Fit, Fitter, Init, Shape, Stop, generate};

/// Some clusters in five dimensions, which the paper's model lays on top of each other.
fn blobs(count: usize, each: usize) -> Matrix {
    let place = |c: usize, f: usize| 8.0 * ((c * 7 + f * 3) % 5) as f64;
    let noise = |i: usize, f: usize| ((i * 31 + f * 17) as f64 * 12.9898).sin() * 43_758.545_3 % 1.0;
    Matrix::from_fn(count * each, 5, |i, f| place(i / each, f) + 2.0 * noise(i, f))
}

fn short(weight: f64) -> Config {
    Config { init: Init::Isomap, connect: true, feature_weight: FeatureWeight::Fixed(weight), ..Config::default() }
}

fn same(a: &Fit, b: &Fit) -> bool {
    let bits = |fit: &Fit| -> Vec<u64> {
        (0..fit.coordinates.ncols())
            .flat_map(|c| fit.coordinates.col_as_slice(c).iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            .collect()
    };
    bits(a) == bits(b) && a.bound().to_bits() == b.bound().to_bits()
}

#[test]
fn a_noisy_sheet_does_not_collapse() {
    let sheet = generate(Shape::SCurve, 300, 0.15, 2);
    let found = Fitter::new(Config { init: Init::Isomap, ..Config::default() }).fit(&sheet.points).unwrap();
    let choice = found.features.clone().unwrap();
    assert!(affine_r2(&found.coordinates, &sheet.truth).unwrap() > 0.97);
    assert!(found.stop == Stop::Converged && choice.tried.len() >= 2);
    let quality = found.quality.unwrap();
    assert!(quality.trustworthiness > quality.pca && quality.trustworthiness > 0.99);
}

#[test]
fn a_clean_sheet_ends_in_the_papers_model() {
    let sheet = generate(Shape::SCurve, 200, 0.0, 2);
    let found = Fitter::new(Config { init: Init::Isomap, ..Config::default() }).fit(&sheet.points).unwrap();
    assert!(found.graph_model.is_none() && found.features.unwrap().weight().is_none());
    assert!(affine_r2(&found.coordinates, &sheet.truth).unwrap() > 0.995);
    assert_eq!(found.parts.graph, 0.0);
}

#[test]
fn a_thin_chain_that_the_graph_folds_is_held_from_its_start() {
    let sheet = generate(Shape::SCurve, 150, 0.0, 1);
    let engine = EngineKind::Factorised;
    let config = Config { n_neighbors: 2, connect: true, init: Init::Isomap, engine, ..Config::default() };
    let found = Fitter::new(config.clone()).fit(&sheet.points).unwrap();
    let (choice, quality) = (found.features.unwrap(), found.quality.unwrap());
    let graph_alone = choice.tried[0].trustworthiness;
    assert!(choice.tried[choice.taken].from_start && graph_alone < 0.88, "{choice:?}");
    assert!(quality.trustworthiness > 0.93 && quality.start.unwrap() > quality.trustworthiness, "{quality:?}");
    // whoever asks for a weight gets it
    let asked = Config { feature_weight: FeatureWeight::Fixed(0.03), ..config };
    let found = Fitter::new(asked).fit(&sheet.points).unwrap();
    assert!(found.features.unwrap().tried.iter().all(|tried| !tried.from_start));
}

#[test]
fn clusters_stay_apart() {
    let (count, each) = (5, 30);
    let found = Fitter::new(short(0.1)).fit(&blobs(count, each)).unwrap();
    let x = &found.coordinates;
    let nearest = |i: usize| {
        let away = |j: usize| (x[(i, 0)] - x[(j, 0)]).powi(2) + (x[(i, 1)] - x[(j, 1)]).powi(2);
        (0..x.nrows()).filter(|&j| j != i).min_by(|&p, &q| away(p).total_cmp(&away(q))).unwrap()
    };
    let wrong = (0..count * each).filter(|&i| nearest(i) / each != i / each).count();
    assert!(wrong <= 2, "{wrong}");
}

#[test]
fn no_table_collapses_or_panics() {
    for seed in 0..12u64 {
        let noise = |i: usize, f: usize| ((seed as usize * 977 + i * 31 + f * 17) as f64 * 12.9898).sin() * 43.5 % 1.0;
        let n = [4, 8, 15, 40][seed as usize % 4];
        let table = match seed % 3 {
            0 => Matrix::from_fn(n, 3, noise),
            // a ring
            1 => Matrix::from_fn(n, 2, |i, f| (std::f64::consts::TAU * (i as f64 / n as f64 + 0.25 * f as f64)).sin()),
            // every row three times
            _ => Matrix::from_fn(n, 3, |i, f| noise(i / 3, f)),
        };
        let config = Config { n_neighbors: 3.min(n - 1), connect: true, ..Config::default() };
        if let Ok(found) = Fitter::new(config).fit(&table) {
            assert!(found.coordinates.is_all_finite() && found.bound().is_finite(), "seed {seed}");
            // where all are neighbours of all the graph says nothing
            assert!(n < 10 || found.stop != Stop::Collapsed, "seed {seed}");
        }
    }
}

#[test]
fn many_coordinates_are_fitted_too() {
    let few = blobs(3, 30);
    let many = Matrix::from_fn(90, 10, |i, f| few[(i, f % 5)] + 2.0 * few[((i + 7 * f) % 90, (f + 1) % 5)]);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let fit = Fitter::new(Config { n_components: 8, engine, connect: true, max_iter: 20, ..Config::default() });
        let fit = fit.fit(&many).unwrap();
        assert!(fit.coordinates.ncols() == 8 && fit.quality.unwrap().trustworthiness > 0.8);
    }
}

#[test]
fn threads_do_not_change_a_bit_of_either_engine() {
    let sheet = generate(Shape::SwissRoll, 150, 0.1, 3);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let config = Config { engine, draws: Some(4), max_iter: 15, ..short(0.3) };
            pool.install(|| Fitter::new(config).fit(&sheet.points).unwrap())
        };
        assert!(same(&on(1), &on(3)));
    }
}

#[test]
fn new_rows_are_placed_one_by_one_as_in_a_batch() {
    let table = blobs(4, 30);
    let found = Fitter::new(short(0.1)).fit(&table).unwrap();
    let new = Matrix::from_fn(9, 5, |i, f| table[(i * 13, f)] + 0.05 * (i + f) as f64);
    let extension = Extension::new(&found).unwrap();
    let all = extension.transform(&new).unwrap();
    for (i, placement) in all.iter().enumerate() {
        let alone = extension.transform(&Matrix::from_fn(1, 5, |_, f| new[(i, f)])).unwrap();
        assert_eq!(placement, &alone[0]);
        let home = i * 13;
        let away = (0..2).map(|a| (placement.mean[a] - found.coordinates[(home, a)]).powi(2)).sum::<f64>().sqrt();
        assert!(placement.settled && away < 4.0, "{i}: {away}");
    }
}

#[test]
fn a_model_file_keeps_it() {
    let found = Fitter::new(short(0.3)).fit(&blobs(3, 20)).unwrap();
    let names = (0..5).map(|f| f.to_string()).collect();
    let model = Model {
        fit: found,
        feature_names: names,
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    };
    let bytes = model_to_bytes(&model).unwrap();
    let again = model_from_bytes(&bytes, std::path::Path::new("model")).unwrap();
    assert_eq!(again.fit.graph_model, model.fit.graph_model);
    assert_eq!((again.fit.features, again.fit.quality), (model.fit.features, model.fit.quality));
    assert!(again.fit.graph_model.is_some() && again.fit.config.graph_likelihood);
}

#[test]
fn a_short_circuit_is_surprising_and_pruned() {
    let curve = generate(Shape::SCurve, 150, 0.0, 4);
    let (mut edges, _) = curve.neighbor_edges(7);
    let along = curve.truth.col_as_slice(0);
    let by_place = |p: &usize, q: &usize| along[*p].total_cmp(&along[*q]);
    let (first, last) = ((0..150).min_by(by_place).unwrap() as u32, (0..150).max_by(by_place).unwrap() as u32);
    let false_pair = (first.min(last), first.max(last));
    edges.push(false_pair);
    let found = fit(Config { init: Init::Isomap, ..Config::default() }, &curve.points, &edges);
    let scores = edge_scores(&found).unwrap();
    let surprise = |edge| scores.iter().find(|score| score.edge == edge).and_then(|score| score.surprise).unwrap();
    let more = scores.iter().filter(|score| score.surprise.unwrap() > surprise(false_pair)).count();
    assert!(more < 25, "{more}");
    let pruned = prune(&found, &PruneOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(pruned.removed.iter().map(|removed| removed.score.edge).collect::<Vec<_>>(), [false_pair]);
    assert!(pruned.bound_after > pruned.bound_before + 2.0);
    assert!(affine_r2(&pruned.fit.coordinates, &curve.truth).unwrap() > 0.99);
}
