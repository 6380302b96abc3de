//! New points as a user sees them: where they go, what is expected there, how surprising they are.

use crate::paper;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use tangency::evidence::{PruneOptions, prune};
use tangency::extend::{Extension, LoadingDeviations, Placement, Predicts, calibrate, loadings};
use tangency::fit::Fit;
use tangency::generate::Synthetic;
use tangency::linalg::{Matrix, solve_small};
use tangency::message::Piece;
use tangency::quality::affine_r2;
use tangency::{Config, Error, Fitter, Init, Shape, generate};

const TRAIN: usize = 320;
const NEW: usize = 140;

struct Case {
    all: Synthetic,
    fit: Fit,
}

/// A roll with noise, its short-circuits pruned and the fit calibrated, made once.
fn case() -> &'static Case {
    static CASE: OnceLock<Case> = OnceLock::new();
    CASE.get_or_init(|| {
        let all = generate(Shape::SwissRoll, TRAIN + NEW, 0.1, 4);
        let fit = Fitter::new(paper()).fit(&rows(&all.points, 0, TRAIN)).unwrap();
        let mut fit = prune(&fit, &PruneOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap().fit;
        fit.calibration = Some(calibrate(&fit, 5, |_, _| ControlFlow::Continue(())).unwrap());
        Case { all, fit }
    })
}

fn rows(matrix: &Matrix, first: usize, count: usize) -> Matrix {
    Matrix::from_fn(count, matrix.ncols(), |i, f| matrix[(first + i, f)])
}

fn means(placed: &[Placement]) -> Matrix {
    Matrix::from_fn(placed.len(), placed[0].mean.len(), |i, a| placed[i].mean[a])
}

#[test]
fn a_row_is_placed_by_itself() {
    let Case { all, fit } = case();
    let new = rows(&all.points, TRAIN, NEW);
    let extension = Extension::new(fit).unwrap();
    let together = extension.transform(&new).unwrap();
    for i in [0, 7, NEW - 1] {
        assert_eq!(extension.transform(&rows(&new, i, 1)).unwrap(), together[i..=i]);
    }
    let backwards = Matrix::from_fn(NEW, 3, |i, f| new[(NEW - 1 - i, f)]);
    let mut reversed = extension.transform(&backwards).unwrap();
    reversed.reverse();
    assert_eq!(reversed, together);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| Extension::new(fit).unwrap().transform(&new).unwrap());
        assert_eq!(again, together, "{threads} threads");
    }
}

#[test]
fn many_features_are_placed_by_themselves_too() {
    let all = generate(Shape::SCurve, 260, 0.0, 3);
    let lifted = Matrix::from_fn(260, 40, |i, f| {
        (0..3).map(|a| ((f * 7 + a * 3) as f64).cos() * all.points[(i, a)]).sum::<f64>() + 0.01 * ((i * f) as f64).sin()
    });
    let fit = Fitter::new(Config { init: Init::Isomap, max_iter: 40, ..paper() }).fit(&rows(&lifted, 0, 200)).unwrap();
    let extension = Extension::new(&fit).unwrap();
    let new = rows(&lifted, 200, 60);
    let together = extension.transform(&new).unwrap();
    for i in 0..60 {
        assert_eq!(extension.transform(&rows(&new, i, 1)).unwrap(), together[i..=i]);
    }
}

#[test]
fn held_out_points_land_where_they_belong() {
    let Case { all, fit } = case();
    let extension = Extension::new(fit).unwrap();
    let placed = extension.transform(&rows(&all.points, TRAIN, NEW)).unwrap();
    assert!(placed.iter().all(|placement| placement.settled));
    let (truth, new_truth) = (rows(&all.truth, 0, TRAIN), rows(&all.truth, TRAIN, NEW));
    let seen = affine_r2(&fit.coordinates, &truth).unwrap();

    let design = |x: &Matrix| Matrix::from_fn(x.nrows(), 3, |i, a| if a < 2 { x[(i, a)] } else { 1.0 });
    let of_training = design(&fit.coordinates);
    let affine =
        solve_small(&(of_training.transpose() * &of_training), &(of_training.transpose() * &truth), "test").unwrap();
    let rest = &new_truth - design(&means(&placed)) * affine;
    let mean = |a: usize| (0..NEW).map(|i| new_truth[(i, a)]).sum::<f64>() / NEW as f64;
    let total: f64 = (0..2).map(|a| (0..NEW).map(|i| (new_truth[(i, a)] - mean(a)).powi(2)).sum::<f64>()).sum();
    let held_out = 1.0 - rest.squared_norm_l2() / total;
    assert!(seen > 0.99 && held_out > seen - 0.01, "{seen} {held_out}");

    let deviations = fit.standard_deviations();
    let back = extension.transform(&rows(&all.points, 0, TRAIN)).unwrap();
    let near = |i: usize| (0..2).all(|a| (back[i].mean[a] - fit.coordinates[(i, a)]).abs() < 2.0 * deviations[(i, a)]);
    assert!((0..TRAIN).filter(|&i| near(i)).count() * 100 >= TRAIN * 95);
    for placement in &placed {
        let total = extension.total_covariance(placement);
        assert!((0..2).all(|a| total[(a, a)] > placement.covariance[(a, a)]));
    }
}

#[test]
fn intervals_hold_and_novelty_is_even() {
    let Case { all, fit } = case();
    let new = rows(&all.points, TRAIN, NEW);
    let extension = Extension::new(fit).unwrap();
    assert!(extension.is_calibrated() && extension.spread_is_calibrated());
    let placed = extension.transform(&new).unwrap();
    let expected = extension.reconstruct(&means(&placed), Predicts::PlacedRow).unwrap();
    let inside = |p: usize| {
        let (i, f) = (p / 3, p % 3);
        (new[(i, f)] - expected.values[(i, f)]).abs() < 1.645 * expected.deviations[(i, f)]
    };
    let share = (0..3 * NEW).filter(|&p| inside(p)).count() as f64 / (3 * NEW) as f64;
    assert!((0.85..0.96).contains(&share), "{share}");
    let there = extension.reconstruct(&means(&placed), Predicts::Measurement).unwrap();
    assert_eq!(there.values, expected.values);
    assert!((0..3 * NEW).all(|p| there.deviations[(p / 3, p % 3)] >= expected.deviations[(p / 3, p % 3)]));

    let novelty = |extension: &Extension| -> Vec<f64> {
        extension.score(&new).unwrap().into_iter().map(|score| extension.novelty(score)).collect()
    };
    let novelties = novelty(&extension);
    let mean = novelties.iter().sum::<f64>() / NEW as f64;
    let rare = novelties.iter().filter(|&&n| n > 0.95).count() as f64 / NEW as f64;
    assert!((0.3..0.6).contains(&mean) && rare < 0.12, "{mean} {rare}");
    let outside = extension.score(&Matrix::from_fn(1, 3, |_, f| if f == 0 { 40.0 } else { 0.0 })).unwrap();
    assert_eq!(extension.novelty(outside[0]), 1.0);

    // without calibration too: points are left out of the density, and their neighbours' maps forget them
    let plain = Fit { calibration: None, ..fit.clone() };
    let plain = Extension::new(&plain).unwrap();
    assert!(!plain.is_calibrated() && !plain.spread_is_calibrated());
    let mean = novelty(&plain).iter().sum::<f64>() / NEW as f64;
    assert!((0.4..0.6).contains(&mean), "{mean}");
    let strains: Vec<f64> = plain.left_out().into_iter().flatten().map(|seen| seen.strain).collect();
    assert!(
        strains.len() > TRAIN / 2
            && (strains.iter().map(|s| s * s).sum::<f64>() / strains.len() as f64 - 1.0).abs() < 1e-9
    );
}

#[test]
fn samples_are_like_the_data_and_do_not_depend_on_blocks() {
    let Case { all, fit } = case();
    let extension = Extension::new(fit).unwrap();
    let drawn = extension.sample(0, 300, 5).unwrap();
    assert_eq!(extension.sample(100, 50, 5).unwrap().values, rows(&drawn.values, 100, 50));
    assert_ne!(extension.sample(0, 300, 6).unwrap().values, drawn.values);
    let nearest = |i: usize| {
        let squares = |j: usize| (0..3).map(|f| (drawn.values[(i, f)] - all.points[(j, f)]).powi(2)).sum::<f64>();
        (0..TRAIN).map(squares).fold(f64::INFINITY, f64::min).sqrt()
    };
    let mut distances: Vec<f64> = (0..300).map(nearest).collect();
    distances.sort_by(f64::total_cmp);
    assert!(distances[150] < 0.8 && distances[285] < 1.6, "{} {}", distances[150], distances[285]);
}

#[test]
fn loadings_follow_the_surface() {
    // y = x on a plane with a third feature that only the second direction moves
    let plane = Matrix::from_fn(150, 3, |i, f| {
        let (a, b) = ((i % 15) as f64 + 0.2 * (i as f64).sin(), 0.6 * (i / 15) as f64 + 0.2 * (i as f64 * 1.7).cos());
        [a, b, 3.0 * b][f]
    });
    let fit = Fitter::new(Config { init: Init::Isomap, max_iter: 60, ..paper() }).fit(&plane).unwrap();
    let all: Vec<usize> = (0..150).collect();
    let found = loadings(&fit, &all).unwrap();
    let ratio = |a: usize| found.mean[(2, a)] / found.mean[(1, a)];
    assert!((0..2).all(|a| (ratio(a) - 3.0).abs() < 0.1), "{:?}", found.mean);
    assert!(found.deviation[(0, 0)] > 0.0);
    // maps vary together with those around them: an average is known better than one of them, but not as if they did not
    let own = |points: &[usize]| loadings(&fit, points).unwrap();
    let mean_own = (0..150).map(|i| own(&[i]).deviation[(0, 0)]).sum::<f64>() / 150.0;
    assert_eq!((own(&[7]).deviations, found.deviations), (LoadingDeviations::Exact, LoadingDeviations::Sampled));
    let independent = mean_own / 150f64.sqrt();
    let average = found.deviation[(0, 0)];
    assert!(average < mean_own && average > independent, "{independent} {average} {mean_own}");
    // draws know single points to their own error, 9 %
    let draws = fit.map_draws.as_ref().unwrap();
    let of_draws = |i: usize| (0..draws.ncols()).map(|r| draws[(2 * i, r)].powi(2)).sum::<f64>() / draws.ncols() as f64;
    let ratio = (0..150).map(|i| of_draws(i) / fit.map_covariances[(0, i)]).sum::<f64>() / 150.0;
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
    let old = tangency::Fit { map_draws: None, ..fit.clone() };
    let limit = loadings(&old, &all).unwrap();
    assert!(
        limit.deviations == LoadingDeviations::Limit && (limit.deviation[(0, 0)] - mean_own).abs() < 1e-9 * mean_own
    );
    assert!(matches!(loadings(&fit, &[]), Err(Error::Setting { name: "points", .. })));
}

#[test]
fn what_cannot_be_is_refused() {
    let Case { fit, .. } = case();
    let extension = Extension::new(fit).unwrap();
    assert!(matches!(extension.transform(&Matrix::zeros(2, 4)), Err(Error::ShapeMismatch { .. })));
    let nan = Matrix::from_fn(2, 3, |i, _| if i == 1 { f64::NAN } else { 0.0 });
    assert!(matches!(extension.transform(&nan), Err(Error::NoValue { place: Piece::Row(1) })));
    // farther and farther away a row is new, and then refused, whatever comes first in time
    let placed_at = |size: f64| {
        let rows = Matrix::from_fn(600, 3, |i, _| if i < 7 { 0.0 } else { size });
        extension.transform(&rows).map(|_| extension.novelty(extension.score(&rows).unwrap()[599]))
    };
    for power in 2..=5 {
        assert_eq!(placed_at(10f64.powi(power)).unwrap(), 1.0);
    }
    for power in [8, 12, 20, 100, 200, 308] {
        assert!(matches!(placed_at(10f64.powi(power)), Err(Error::TooFar { row: 7 })), "{power}");
    }
    assert!(extension.reconstruct(&Matrix::zeros(1, 3), Predicts::Measurement).is_err());
    for sizes in [&[3][..], &[2, 2, 2], &[0, 4], &[1 << 40, 1 << 40], &[]] {
        assert!(matches!(extension.grid(sizes), Err(Error::Setting { name: "grid", .. })), "{sizes:?}");
    }
    assert_eq!(extension.grid(&[3, 2]).unwrap().nrows(), 6);
    assert!(matches!(calibrate(fit, 1, |_, _| ControlFlow::Continue(())), Err(Error::Setting { .. })));
    let stopped = calibrate(fit, 4, |_, _| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
    assert!(Extension::new(fit).unwrap().with_neighbors(0).is_err());
    assert_eq!(Extension::new(fit).unwrap().with_neighbors(5).unwrap().n_neighbors(), 5);
}

#[test]
fn a_row_that_was_fitted_is_where_the_fit_put_it_and_is_judged_as_if_it_were_new() {
    let Case { all, fit } = case();
    let extension = Extension::new(fit).unwrap();
    let placed = extension.transform(&rows(&all.points, TRAIN - 2, 4)).unwrap();
    assert_eq!(
        placed.iter().map(|p| p.point).collect::<Vec<_>>(),
        [Some(TRAIN as u32 - 2), Some(TRAIN as u32 - 1), None, None]
    );
    let (known, new) = (&placed[0], &placed[2]);
    let i = TRAIN - 2;
    assert!((0..2).all(|a| extension.coordinates(known)[a] == fit.coordinates[(i, a)]));
    assert!(
        (0..4).all(|ab| extension.total_covariance(known)[(ab / 2, ab % 2)] == fit.coordinate_covariances[(ab, i)])
    );
    // by the fits of the calibration, whatever the number of neighbours, otherwise by leaving it out
    let of = |extension: &Extension| extension.score(&rows(&all.points, i, 1)).unwrap()[0];
    assert_eq!(of(&extension), fit.calibration.as_ref().unwrap().log_densities[i]);
    let other = Extension::new(fit).unwrap().with_neighbors(extension.n_neighbors() + 1).unwrap();
    assert!(other.is_calibrated() && !other.spread_is_calibrated());
    let plain = Extension::new(&Fit { calibration: None, ..fit.clone() }).unwrap();
    assert_eq!(of(&plain), plain.density().left_out(&[i])[0]);
    assert_eq!(of(&plain), plain.score_training_rows()[i]);
    assert_eq!(extension.coordinates(new), new.mean);
}
