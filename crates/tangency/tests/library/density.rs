//! How likely rows are.

use crate::paper;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use tangency::density::Density;
use tangency::linalg::Matrix;
use tangency::{Config, Error, Fit, Fitter, Shape, generate};

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn bow(n: usize, seed: u64) -> Matrix {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let places: Vec<f64> = (0..n).map(|_| 3.0 * rng.random::<f64>()).collect();
    Matrix::from_fn(n, 2, |i, f| {
        let along = if f == 0 { 10.0 * places[i].cos() } else { 4.0 * places[i].sin() };
        along + 0.1 * rng.sample::<f64, _>(StandardNormal)
    })
}

#[test]
fn it_integrates_to_one_in_the_units_of_the_table() {
    let fit = Fitter::new(Config { n_components: 1, connect: true, ..Config::default() }).fit(&bow(120, 1)).unwrap();
    let density = Density::new(&fit).unwrap();
    // importance sampling from a Gaussian that covers the table
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (count, widths) = (200_000, [9.0, 4.0]);
    let drawn = Matrix::from_fn(count, 2, |_, f| widths[f] * rng.sample::<f64, _>(StandardNormal));
    let proposed = |i: usize| -> f64 {
        (0..2)
            .map(|f| -0.5 * (drawn[(i, f)] / widths[f]).powi(2) - (widths[f] * std::f64::consts::TAU.sqrt()).ln())
            .sum()
    };
    for scores in [density.score(&drawn).unwrap(), density.kernel_score(&drawn).unwrap()] {
        let ratios: Vec<f64> = scores.iter().enumerate().map(|(i, score)| (score - proposed(i)).exp()).collect();
        let total = mean(&ratios);
        let error = (mean(&ratios.iter().map(|r| (r - total).powi(2)).collect::<Vec<_>>()) / count as f64).sqrt();
        assert!((total - 1.0).abs() < 5.0 * error && error < 0.03, "{total} ± {error}");
    }
}

#[test]
fn the_kernel_density_is_one() {
    let table = bow(40, 3);
    let fit = Fitter::new(Config { n_components: 1, connect: true, ..paper() }).fit(&table).unwrap();
    let density = Density::new(&fit).unwrap();
    let width = density.notes().kernel_widths.noise * fit.scaling.scale[0];
    let new = bow(5, 4);
    for (q, score) in density.kernel_score(&new).unwrap().into_iter().enumerate() {
        let term = |i: usize| {
            let square: f64 = (0..2).map(|f| (new[(q, f)] - table[(i, f)]).powi(2)).sum();
            (-0.5 * square / width.powi(2)).exp() / (std::f64::consts::TAU * width.powi(2))
        };
        let literal = ((0..40).map(term).sum::<f64>() / 40.0).ln();
        assert!((score - literal).abs() < 1e-9 * literal.abs().max(1.0), "{score} {literal}");
    }
}

#[test]
fn rows_that_are_left_out_are_as_likely_as_new_ones_and_novelty_is_even() {
    for (noise, k) in [(0.05, 9), (0.15, 12)] {
        let (table, new) = (generate(Shape::SCurve, 300, noise, 1), generate(Shape::SCurve, 300, noise, 2));
        let fit = Fitter::new(Config { n_neighbors: k, ..Config::default() }).fit(&table.points).unwrap();
        let density = Density::new(&fit).unwrap();
        let (ours, kernel) = (density.score(&new.points).unwrap(), density.kernel_score(&new.points).unwrap());
        assert!(mean(&ours) > mean(&kernel));
        let usual = density.left_out(&(0..300).collect::<Vec<_>>());
        assert!((mean(&usual) - mean(&ours)).abs() < 0.25, "{} {}", mean(&usual), mean(&ours));
        let rank = |score: &f64| usual.iter().filter(|&other| other > score).count() as f64 / 300.0;
        let novelty = mean(&ours.iter().map(rank).collect::<Vec<_>>());
        assert!((0.43..0.57).contains(&novelty), "{novelty}");
    }
}

#[test]
fn a_row_is_scored_by_itself_and_a_fitted_one_is_left_out() {
    let curve = generate(Shape::SCurve, 120, 0.02, 1);
    let fit = Fitter::new(Config::default()).fit(&curve.points).unwrap();
    let density = Density::new(&fit).unwrap();
    let new = generate(Shape::SCurve, 30, 0.02, 2).points;
    let together = density.score(&new).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for i in [0, 7, 29] {
        let row = Matrix::from_fn(1, 3, |_, f| new[(i, f)]);
        assert_eq!(pool.install(|| density.score(&row).unwrap()), [together[i]]);
    }
    assert_eq!(density.score(&curve.points).unwrap(), density.left_out(&(0..120).collect::<Vec<_>>()));
    // widths are kept with the fit, and found again without them
    let again = Density::new(&Fit { density: None, ..fit.clone() }).unwrap();
    assert_eq!(Some(again.notes()), fit.density);
    // far away it is a number all the same
    let far = density.score(&Matrix::from_fn(1, 3, |_, _| 1e4)).unwrap()[0];
    assert!(far.is_finite() && far < together.iter().copied().fold(f64::INFINITY, f64::min));
    assert!(matches!(density.score(&Matrix::zeros(1, 4)), Err(Error::ShapeMismatch { .. })));
    assert!(matches!(density.score(&Matrix::from_fn(1, 3, |_, _| f64::NAN)), Err(Error::NoValue { .. })));
    let infinite = Matrix::from_fn(1, 3, |_, f| if f == 1 { f64::INFINITY } else { 0.0 });
    assert!(matches!(density.score(&infinite), Err(Error::NonFinite { .. })));
}

#[test]
fn many_points_are_scored_by_those_around_and_repeated_rows_do_no_harm() {
    let many = generate(Shape::SCurve, 2400, 0.05, 1).points;
    let config = Config { max_iter: 2, draws: Some(0), ..paper() };
    let fit = Fitter::new(Config { engine: tangency::inference::EngineKind::Factorised, ..config.clone() })
        .fit(&many)
        .unwrap();
    let density = Density::new(&fit).unwrap();
    let new = generate(Shape::SCurve, 200, 0.05, 2).points;
    assert!(mean(&density.score(&new).unwrap()) > mean(&density.kernel_score(&new).unwrap()) - 0.05);
    let twice = Matrix::from_fn(80, 3, |i, f| ((5 * (i / 2) + f) as f64).sin());
    let fit = Fitter::new(Config { connect: true, ..config }).fit(&twice).unwrap();
    assert!(Density::new(&fit).unwrap().score(&twice).unwrap().iter().all(|score| score.is_finite()));
    assert!(fit.glance().is_some_and(|line| line.starts_with("variance explained")));
}
