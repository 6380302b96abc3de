//! Tables with gaps: they are filled in with honest deviations, the layout hardly suffers, and nothing downstream sees a NaN.

use std::ops::ControlFlow;
use tangency::extend::{Extension, calibrate};
use tangency::fit::AmongRows;
use tangency::inference::{EngineKind, Start};
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::message::Piece;
use tangency::model::MissingRule;
use tangency::quality::affine_r2;
use tangency::{Config, Error, Fit, Fitter, Shape, generate};

const N: usize = 240;
const FEATURES: usize = 9;

/// An S-curve turned into nine features, with a little noise, and its true coordinates.
fn sheet() -> (Matrix, Matrix) {
    let curve = generate(Shape::SCurve, N, 0.0, 3);
    // three directions at right angles
    let direction =
        |f: usize, a: usize| (std::f64::consts::TAU * ((a + 1) * f) as f64 / 9.0).cos() * (2.0_f64 / 9.0).sqrt();
    let noise = |i: usize, f: usize| 0.04 * (((i * 7919 + f * 104_729) % 1009) as f64 / 504.0 - 1.0);
    let points = Matrix::from_fn(N, FEATURES, |i, f| {
        (0..3).map(|a| curve.points[(i, a)] * direction(f, a)).sum::<f64>() + noise(i, f)
    });
    (points, curve.truth)
}

/// Whether an entry is hidden; `share` of a hundred are.
fn hidden(i: usize, f: usize, share: usize) -> bool {
    (i * 31 + f * 17 + i * f * 7 + (i / 9) * 13) % 100 < share
}

fn with_gaps(points: &Matrix, share: usize) -> Matrix {
    Matrix::from_fn(N, FEATURES, |i, f| if hidden(i, f, share) { f64::NAN } else { points[(i, f)] })
}

fn config() -> Config {
    Config { connect: true, ..Config::default() }
}

fn fitted(share: usize) -> (Fit, Matrix, Matrix) {
    let (points, truth) = sheet();
    (Fitter::new(config()).fit(&with_gaps(&points, share)).unwrap(), points, truth)
}

#[test]
fn a_fifth_of_the_entries_may_be_missing() {
    let (fit, points, truth) = fitted(20);
    let found = fit.imputed.as_ref().unwrap();
    let expected =
        (0..N).flat_map(|i| (0..FEATURES).filter(move |&f| hidden(i, f, 20)).map(move |f| (i as u32, f as u32)));
    assert!(found.entries.iter().copied().eq(expected));
    let r_squared = affine_r2(&fit.coordinates, &truth).unwrap();
    assert!(r_squared > 0.97, "{r_squared}");
    let count = found.entries.len() as f64;
    let error = |place: usize| {
        let (i, f) = (found.entries[place].0 as usize, found.entries[place].1 as usize);
        found.values[place] - points[(i, f)]
    };
    let square: f64 = (0..found.entries.len()).map(|place| error(place).powi(2)).sum::<f64>() / count;
    let spread: f64 = (0..FEATURES)
        .map(|f| {
            let mean = (0..N).map(|i| points[(i, f)]).sum::<f64>() / N as f64;
            (0..N).map(|i| (points[(i, f)] - mean).powi(2)).sum::<f64>() / (N * FEATURES) as f64
        })
        .sum();
    assert!(square < 0.05 * spread, "{square} of {spread}");
    let inside = (0..found.entries.len()).filter(|&p| error(p).abs() < 1.645 * found.deviations[p]).count() as f64;
    assert!((0.85..0.97).contains(&(inside / count)), "{}", inside / count);
    assert!(fit.observations.is_all_finite() && fit.coordinates.is_all_finite());
    assert!(fit.trace.windows(2).all(|pair| pair[1].bound_scaled >= pair[0].bound_scaled - 1e-6));
    // two rows in ten are whole: too few to look at these alone
    assert_eq!(fit.quality.unwrap().among, Some(AmongRows::FilledIn));
    assert!(fit.glance().unwrap().contains("with what was filled in"), "{:?}", fit.glance());
}

#[test]
fn rows_with_gaps_are_less_sure_of_their_place() {
    let (points, _) = sheet();
    // half of the rows lack five features of nine
    let gaps = Matrix::from_fn(N, FEATURES, |i, f| match i % 2 == 0 && (i / 2 + 2 * f) % 9 < 5 {
        true => f64::NAN,
        false => points[(i, f)],
    });
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let whole = Fitter::new(Config { engine, ..config() }).fit(&points).unwrap();
        let fit = Fitter::new(Config { engine, ..config() }).fit(&gaps).unwrap();
        assert_eq!(fit.quality.unwrap().among, Some(AmongRows::Whole(N / 2)));
        let width = |fit: &Fit, first: usize| {
            let of = |i: usize| fit.coordinate_covariances[(0, i)] + fit.coordinate_covariances[(3, i)];
            (first..N).step_by(2).map(of).sum::<f64>() / (N / 2) as f64
        };
        // their variance is larger, where it was the same before
        let (lacking, having) = (width(&fit, 0), width(&fit, 1));
        assert!(lacking > 1.3 * having, "{engine}: {lacking} {having}");
        let before = width(&whole, 0) / width(&whole, 1);
        assert!((0.9..1.1).contains(&before), "{engine}: {before}");
    }
}

#[test]
fn densities_and_calibration_go_by_what_was_measured() {
    let (fit, points, _) = fitted(10);
    let extension = Extension::new(&fit).unwrap();
    let rows = with_gaps(&points, 10);
    let scores = extension.score(&rows).unwrap();
    assert!(scores.iter().all(|score| score.is_finite()));
    // a training row is left out of it, whether it has gaps or not
    let held: Vec<usize> = (0..N).collect();
    assert_eq!(scores, extension.density().left_out(&held));
    let novelty = extension.novelties(rows.transpose(), &scores);
    for i in 0..N {
        assert_eq!(novelty[i].is_nan(), (0..FEATURES).any(|f| hidden(i, f, 10)), "{i}");
    }
    let calibration = calibrate(&fit, 3, |_, _| ControlFlow::Continue(())).unwrap();
    assert!(calibration.log_densities.iter().all(|value| value.is_finite()) && calibration.spread.is_finite());
    let mut moved = fit.clone();
    moved.calibration = Some(calibration.clone());
    let calibrated = Extension::new(&moved).unwrap();
    assert_eq!(calibrated.score(&rows).unwrap(), calibration.log_densities);
}

#[test]
fn a_start_may_be_given_for_a_table_with_gaps() {
    let (points, truth) = sheet();
    let start = Start::Coordinates(truth.clone());
    let fit = Fitter::new(Config { max_iter: 20, ..config() }).start(start).fit(&with_gaps(&points, 5)).unwrap();
    assert!(affine_r2(&fit.coordinates, &truth).unwrap() > 0.97);
}

#[test]
fn a_file_with_missing_entries_out_of_order_is_refused() {
    let (mut fit, ..) = fitted(5);
    let names: Vec<String> = (0..FEATURES).map(|f| format!("f{f}")).collect();
    let mut refused = |change: fn(&mut [(u32, u32)])| {
        let before = fit.imputed.clone();
        change(&mut fit.imputed.as_mut().unwrap().entries);
        let model = Model {
            fit: fit.clone(),
            feature_names: names.clone(),
            ids: None,
            labels: None,
            label_name: None,
            carried: vec![],
            table: None,
            reading: None,
        };
        fit.imputed = before;
        model_from_bytes(&model_to_bytes(&model).unwrap(), "m".as_ref()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(|entries| entries.swap(0, 1)).contains("not in order, or twice"));
    assert!(refused(|entries| entries[1] = entries[0]).contains("not in order, or twice"));
    assert!(refused(|entries| entries[0] = (N as u32, 0)).contains("not in the table"));
}

#[test]
fn the_model_file_keeps_them() {
    let (fit, ..) = fitted(5);
    let names = (0..FEATURES).map(|f| format!("f{f}")).collect();
    let model = Model {
        fit,
        feature_names: names,
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    };
    let bytes = model_to_bytes(&model).unwrap();
    let again = model_from_bytes(&bytes, "m".as_ref()).unwrap();
    assert_eq!(again.fit.imputed, model.fit.imputed);
    assert_eq!(again.fit.bound(), model.fit.bound());
    assert_eq!(model_to_bytes(&again).unwrap(), bytes);
}

#[test]
fn new_rows_may_have_gaps_too() {
    let (fit, points, _) = fitted(10);
    let extension = Extension::new(&fit).unwrap();
    let rows = with_gaps(&points, 10);
    let placed = extension.transform(&rows).unwrap();
    // rows that were fitted are where they were, with or without gaps
    for (i, placement) in placed.iter().enumerate() {
        assert_eq!(placement.point, Some(i as u32));
    }
    // others are near where they are with all of their entries
    let shifted = Matrix::from_fn(40, FEATURES, |i, f| points[(5 * i, f)] + 1e-3);
    let gaps = Matrix::from_fn(40, FEATURES, |i, f| if (i + f) % 4 == 0 { f64::NAN } else { shifted[(i, f)] });
    let (whole, some) = (extension.transform(&shifted).unwrap(), extension.transform(&gaps).unwrap());
    let mut distances: Vec<f64> = whole
        .iter()
        .zip(&some)
        .map(|(a, b)| a.mean.iter().zip(&b.mean).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt())
        .collect();
    distances.sort_unstable_by(f64::total_cmp);
    let spread = (0..N).map(|i| fit.coordinates[(i, 0)].abs()).sum::<f64>() / N as f64;
    assert!(distances[20] < 0.1 * spread && distances[36] < 0.3 * spread, "{spread} {distances:?}");
    // and less sure of it
    assert!(whole.iter().zip(&some).all(|(a, b)| b.covariance[(0, 0)] > a.covariance[(0, 0)]));
    // each by itself
    let alone = extension.transform(&Matrix::from_fn(1, FEATURES, |_, f| gaps[(7, f)])).unwrap();
    assert_eq!(alone[0].mean, some[7].mean);
    let nothing = Matrix::from_fn(1, FEATURES, |_, _| f64::NAN);
    assert_eq!(extension.transform(&nothing).unwrap_err(), Error::NoValue { place: Piece::Row(0) });
}

#[test]
fn rows_with_gaps_can_be_left_out_or_refused() {
    let (points, _) = sheet();
    let gaps = with_gaps(&points, 5);
    let whole: Vec<usize> = (0..N).filter(|&i| (0..FEATURES).all(|f| !hidden(i, f, 5))).collect();
    let fit = Fitter::new(Config { missing: MissingRule::Drop, ..config() }).fit(&gaps).unwrap();
    assert_eq!((fit.rows.clone(), fit.n_rows), (whole.clone(), N));
    assert!(fit.imputed.is_none());
    let kept = Matrix::from_fn(whole.len(), FEATURES, |i, f| points[(whole[i], f)]);
    assert_eq!(Fitter::new(config()).fit(&kept).unwrap().coordinates, fit.coordinates);
    let refused = Fitter::new(Config { missing: MissingRule::Error, ..config() }).fit(&gaps);
    assert!(matches!(refused, Err(Error::NonFinite { .. })));
}

#[test]
fn the_largest_piece_may_have_gaps() {
    let (points, _) = sheet();
    // some rows far away, which the graph does not reach
    let gaps = with_gaps(&points, 5);
    let apart = Matrix::from_fn(N, FEATURES, |i, f| gaps[(i, f)] + if i % 16 == 0 { 50.0 } else { 0.0 });
    let config = Config { connect: false, largest: true, max_iter: 20, ..Config::default() };
    let fit = Fitter::new(config).fit(&apart).unwrap();
    assert_eq!((fit.n(), fit.n_rows), (N - 15, N));
    let found = fit.imputed.unwrap();
    assert!(
        !found.entries.is_empty() && found.entries.iter().all(|&(i, f)| hidden(fit.rows[i as usize], f as usize, 5))
    );
}

#[test]
fn what_is_empty_or_infinite_is_refused() {
    let (points, _) = sheet();
    let fit = |at: &dyn Fn(usize, usize) -> Option<f64>| {
        let table = Matrix::from_fn(N, FEATURES, |i, f| at(i, f).unwrap_or(points[(i, f)]));
        Fitter::new(config()).fit(&table).map(|_| ())
    };
    let row = fit(&|i, _| (i == 4).then_some(f64::NAN));
    assert_eq!(row, Err(Error::NoValue { place: Piece::Row(4) }));
    let column = fit(&|_, f| (f == 2).then_some(f64::NAN)).unwrap_err();
    assert!(matches!(column, Error::NoValue { place: Piece::Column(_) }), "{column}");
    let infinite = fit(&|i, f| (i == 4 && f == 1).then_some(f64::INFINITY));
    assert!(matches!(infinite, Err(Error::NonFinite { row: 4, .. })));
}

#[test]
fn the_paper_s_model_and_both_engines_take_gaps() {
    let (points, truth) = sheet();
    let gaps = with_gaps(&points, 5);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        for graph_likelihood in [true, false] {
            let config = Config { engine, graph_likelihood, max_iter: 60, ..config() };
            let fit = Fitter::new(config).fit(&gaps).unwrap();
            let r_squared = affine_r2(&fit.coordinates, &truth).unwrap();
            assert!(r_squared > 0.9 && fit.imputed.is_some(), "{engine} {graph_likelihood}: {r_squared}");
        }
    }
}
