//! Structure within the manifold, in whole fits: anchored rows come out in their units, groups and classes are found, of new rows
//! too, models keep what they found, and what does not go together is refused.

use tangency::extend::Extension;
use tangency::fit::likeliest;
use tangency::inference::EngineKind;
use tangency::io::{Model, model_from_bytes, model_to_bytes, structure_of_point, structure_row};
use tangency::linalg::Matrix;
use tangency::model::{GroupRequest, KnownKind, KnownValues, Structure};
use tangency::{Config, Fit, Fitter, Shape, generate};

const N: usize = 200;
const NEW: usize = 30;

/// A noisy S-curve, and its places in units of a user.
fn sheet() -> (Matrix, Vec<f64>) {
    let sheet = generate(Shape::SCurve, N + NEW, 0.05, 3);
    let place = |p: usize| match p % 2 {
        0 => 100.0 + 20.0 * sheet.truth[(p / 2, 0)],
        _ => 50.0 - 10.0 * sheet.truth[(p / 2, 1)] + 2.0 * sheet.truth[(p / 2, 0)],
    };
    (sheet.points.clone(), (0..2 * (N + NEW)).map(place).collect())
}

fn first(points: &Matrix, from: usize, count: usize) -> Matrix {
    Matrix::from_fn(count, points.ncols(), |i, f| points[(from + i, f)])
}

fn anchors(places: &[f64]) -> Structure {
    let value = |p: usize| if (p / 2).is_multiple_of(20) { places[p] } else { f64::NAN };
    let known =
        KnownValues::new(KnownKind::Anchors, vec!["east".into(), "north".into()], (0..2 * N).map(value).collect());
    Structure { known: Some(known), groups: None }
}

fn config(engine: EngineKind) -> Config {
    Config { engine, draws: Some(40), ..Config::default() }
}

/// Mean distance of what was found from the places, and the share of values within 1.645 deviations.
fn against(rows: &[Vec<f64>], places: &[f64]) -> (f64, f64) {
    let (mut away, mut held) = (0.0, 0.0);
    for (i, row) in rows.iter().enumerate() {
        let off = [row[0] - places[2 * i], row[1] - places[2 * i + 1]];
        away += off[0].hypot(off[1]) / rows.len() as f64;
        held += (0..2).filter(|&f| off[f].abs() < 1.645 * row[2 + f]).count() as f64 / (2 * rows.len()) as f64;
    }
    (away, held)
}

#[test]
fn anchored_rows_come_out_in_their_units_with_both_engines() {
    let (points, places) = sheet();
    let table = first(&points, 0, N);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let fit = Fitter::new(config(engine)).structure(anchors(&places)).fit(&table).unwrap();
        assert_eq!(fit.engine.kind, engine);
        let lines = &fit.structure.as_ref().unwrap().known.as_ref().unwrap().lines;
        assert!(lines.iter().all(|line| line.on && line.gain > 5.0), "{lines:?}");
        let rows: Vec<Vec<f64>> = (0..N).map(|i| structure_of_point(&fit, i).known).collect();
        // the sheet is about 100 by 50
        let (away, held) = against(&rows, &places);
        assert!(away < 7.0 && held > 0.8, "{away} {held}");
        let extension = Extension::new(&fit).unwrap();
        let placed = extension.transform(&first(&points, N, NEW)).unwrap();
        let new: Vec<Vec<f64>> = placed
            .iter()
            .map(|placement| {
                let total = extension.total_covariance(placement);
                structure_row(&fit, extension.coordinates(placement), |a, b| total[(a, b)], None).known
            })
            .collect();
        let (away, held) = against(&new, &places[2 * N..]);
        assert!(away < 7.0 && held > 0.8, "{away} {held}");
        let bounds: Vec<f64> = fit.trace.iter().map(|point| point.bound_scaled).collect();
        assert!(bounds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-7 * pair[0].abs()), "{bounds:?}");
    }
}

/// Three groups on a plane in five features.
fn blobs() -> (Matrix, Vec<usize>) {
    let of: Vec<usize> = (0..N).map(|i| i % 3).collect();
    let noise = generate(Shape::SCurve, N, 1.0, 8).points;
    let center = [[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]];
    let at = |i: usize, a: usize| center[of[i]][a] + 1.2 * noise[(i, a)];
    let points = Matrix::from_fn(N, 5, |i, f| {
        let (u, v) = (at(i, 0), at(i, 1));
        u * (f as f64).cos() + v * (1.3 * f as f64).sin() + 0.1 * noise[(i, 2)]
    });
    (points, of)
}

fn config_of_groups() -> Config {
    Config { connect: true, draws: Some(0), ..Config::default() }
}

fn classes(fit: &Fit) -> Vec<usize> {
    let groups = fit.structure.as_ref().unwrap().groups.as_ref().unwrap();
    (0..fit.n()).map(|i| likeliest(&groups.of_point(i))).collect()
}

#[test]
fn groups_are_found_and_models_keep_them() {
    let (points, of) = blobs();
    let structure = Structure { known: None, groups: Some(GroupRequest::between(1, 6)) };
    let fit = Fitter::new(config_of_groups()).structure(structure).fit(&points).unwrap();
    let groups = fit.structure.as_ref().unwrap().groups.as_ref().unwrap();
    assert_eq!(groups.count(), 3);
    let found = classes(&fit);
    let right = (0..N).filter(|&i| found[i] == found[of[i]]).count();
    assert!(right >= N - 3, "{right}");
    let model = Model {
        fit,
        feature_names: (0..5).map(|f| format!("f{f}")).collect(),
        ids: None,
        labels: None,
        carried: vec![],
        table: None,
        label_name: None,
        reading: None,
    };
    let bytes = model_to_bytes(&model).unwrap();
    let again = model_from_bytes(&bytes, "m".as_ref()).unwrap();
    assert_eq!(again.fit.structure, model.fit.structure);
    // a row that was fitted is of its own group; so is one next to it
    let extension = Extension::new(&again.fit).unwrap();
    let near = Matrix::from_fn(N, 5, |i, f| points[(i, f)] + 1e-3 * (i + f) as f64 / N as f64);
    let placed = extension.transform(&near).unwrap();
    let same = placed.iter().enumerate().filter(|(i, placement)| {
        let total = extension.total_covariance(placement);
        let row = structure_row(&again.fit, extension.coordinates(placement), |a, b| total[(a, b)], None);
        likeliest(&row.probabilities) == found[*i]
    });
    assert!(same.count() >= N - 4);
}

#[test]
fn few_labels_are_enough_where_groups_are_apart() {
    let (points, of) = blobs();
    let names = ["red", "green", "blue"];
    let cells: Vec<String> = (0..N).map(|i| if i % 20 < 3 { names[of[i]].to_owned() } else { String::new() }).collect();
    let structure = Structure { known: None, groups: Some(GroupRequest::of_labels(&cells, None)) };
    let fit = Fitter::new(config_of_groups()).structure(structure).fit(&points).unwrap();
    let groups = fit.structure.as_ref().unwrap().groups.as_ref().unwrap();
    assert_eq!(groups.names(), ["blue", "green", "red"]);
    let found = classes(&fit);
    let right = (0..N).filter(|&i| groups.names()[found[i]] == names[of[i]]).count();
    assert!(right >= N - 3, "{right}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (points, places) = sheet();
    let table = first(&points, 0, N);
    let refused = |config: Config, structure: Structure, said: &str| {
        let Err(error) = Fitter::new(config).structure(structure).fit(&table) else { panic!("{said}") };
        assert!(error.to_string().contains(said), "{error}");
    };
    let paper = Config { graph_likelihood: false, ..Config::default() };
    refused(paper, anchors(&places), "belongs to the graph's likelihood");
    let groups = |least, most| Structure { known: None, groups: Some(GroupRequest::between(least, most)) };
    refused(Config::default(), groups(0, 4), "a number from 1");
    refused(Config::default(), groups(1, 65), "at most 64");
    let mut other = anchors(&places);
    if let Some(known) = &mut other.known {
        known.values.truncate(20);
    }
    refused(Config::default(), other, "200 rows");
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let (points, of) = blobs();
    let values: Vec<f64> = (0..N).map(|i| if i % 7 == 0 { of[i] as f64 } else { f64::NAN }).collect();
    let structure = Structure {
        known: Some(KnownValues::new(KnownKind::Covariates, vec!["of".into()], values)),
        groups: Some(GroupRequest::between(1, 6)),
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fit = pool.install(|| Fitter::new(config_of_groups()).structure(structure.clone()).fit(&points).unwrap());
        (fit.coordinates, fit.structure)
    };
    assert_eq!(on(1), on(2));
}
