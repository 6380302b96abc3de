//! Features and views with a noise of their own: what is only noise does not move the layout, two views are better than one, and
//! one is expected from the other.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use tangency::extend::Extension;
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::model::{FeatureNoise, TableView};
use tangency::quality::affine_r2;
use tangency::{Config, Error, Fit, Fitter, Shape, generate};

const N: usize = 240;

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// An S-curve seen through a random map into some features, with noise.
fn seen(points: &Matrix, features: usize, noise: f64, seed: u64) -> Matrix {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let map = Matrix::from_fn(features, 3, |_, _| normal(&mut rng) / (features as f64).sqrt());
    Matrix::from_fn(points.nrows(), features, |i, f| {
        (0..3).map(|a| map[(f, a)] * points[(i, a)]).sum::<f64>() + noise * normal(&mut rng)
    })
}

fn beside(left: &Matrix, right: &Matrix) -> Matrix {
    let split = left.ncols();
    Matrix::from_fn(left.nrows(), split + right.ncols(), |i, f| match f < split {
        true => left[(i, f)],
        false => right[(i, f - split)],
    })
}

fn fitted(points: &Matrix, feature_noise: FeatureNoise, views: &[TableView]) -> Fit {
    let config = Config { connect: true, feature_noise, ..Config::default() };
    Fitter::new(config).views(views.to_vec()).fit(points).unwrap()
}

fn r_squared(fit: &Fit, truth: &Matrix) -> f64 {
    affine_r2(&fit.coordinates, truth).unwrap()
}

#[test]
fn noise_and_copies_do_not_move_the_layout() {
    let curve = generate(Shape::SCurve, N, 0.0, 3);
    let sheet = seen(&curve.points, 12, 0.02, 1);
    let clean = r_squared(&fitted(&sheet, FeatureNoise::Shared, &[]), &curve.truth);
    assert!(clean > 0.99, "{clean}");
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let noise = Matrix::from_fn(N, 5, |_, _| 0.2 * normal(&mut rng));
    let noisy = beside(&sheet, &noise);
    let own = fitted(&noisy, FeatureNoise::Own, &[]);
    let [shared, with_own] = [&fitted(&noisy, FeatureNoise::Shared, &[]), &own].map(|fit| r_squared(fit, &curve.truth));
    assert!(with_own > clean - 0.01 && with_own > shared, "{clean} {shared} {with_own}");
    let found = own.feature_noise();
    let most = found[..12].iter().copied().fold(0.0, f64::max);
    assert!(found[12..].iter().all(|noise| *noise > 1.5 * most), "{found:?}");
    let explained = own.feature_explained.unwrap();
    assert!(explained[12..].iter().all(|share| *share < 0.5) && explained[..12].iter().all(|share| *share > 0.5));
    // without being asked for anything: one loud feature, and one that stands twice
    let loud = Matrix::from_fn(N, 1, |_, _| 0.2 * normal(&mut rng));
    let twice = Matrix::from_fn(N, 1, |i, _| sheet[(i, 0)]);
    for more in [&loud, &twice] {
        let found = r_squared(&fitted(&beside(&sheet, more), FeatureNoise::Shared, &[]), &curve.truth);
        assert!(found > clean - 0.02, "{clean} {found}");
    }
    // six copies of one feature
    let copies = Matrix::from_fn(N, 6, |i, _| sheet[(i, 0)]);
    let copied = r_squared(&fitted(&beside(&sheet, &copies), FeatureNoise::Own, &[]), &curve.truth);
    assert!(copied > clean - 0.01, "{clean} {copied}");
}

/// Ten features of each view, and their views.
fn two_views(noise: [f64; 2]) -> (Matrix, Matrix, Matrix, Vec<TableView>) {
    let curve = generate(Shape::SCurve, N, 0.0, 4);
    let (first, second) = (seen(&curve.points, 10, noise[0], 21), seen(&curve.points, 10, noise[1], 22));
    let view = |name: &str, from: usize| TableView { name: name.into(), features: (from..from + 10).collect() };
    (first, second, curve.truth, vec![view("clear", 0), view("noisy", 10)])
}

#[test]
fn two_views_are_better_than_either() {
    let (clear, noisy, truth, views) = two_views([0.05, 0.2]);
    let both = beside(&clear, &noisy);
    let alone = [&clear, &noisy].map(|table| r_squared(&fitted(table, FeatureNoise::Shared, &[]), &truth));
    let together = fitted(&both, FeatureNoise::Shared, &views);
    let found = r_squared(&together, &truth);
    assert!(alone.iter().all(|alone| found > *alone), "{found} {alone:?}");
    let scales = together.noise_scales.as_ref().unwrap();
    assert!(scales[0] == scales[9] && scales[10] == scales[19] && scales[10] > 1.5 * scales[0], "{scales:?}");
    let explained = |view: &TableView| together.explained_of(&view.features).unwrap();
    assert!(explained(&views[0]) > explained(&views[1]));
    // a third of the rows lack the clear view
    let gaps = Matrix::from_fn(N, 20, |i, f| if i % 3 == 0 && f < 10 { f64::NAN } else { both[(i, f)] });
    let with_gaps = fitted(&gaps, FeatureNoise::Shared, &views);
    let found = r_squared(&with_gaps, &truth);
    assert!(found > alone[1], "{found} {alone:?}");
    assert_eq!(with_gaps.imputed.unwrap().entries.len(), 80 * 10);
}

#[test]
fn one_view_is_expected_from_another() {
    let (clear, noisy, _, views) = two_views([0.03, 0.06]);
    let both = beside(&clear, &noisy);
    let train = Matrix::from_fn(180, 20, |i, f| both[(i, f)]);
    let fit = fitted(&train, FeatureNoise::Shared, &views);
    let model = Model {
        fit,
        feature_names: vec![String::new(); 20],
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    };
    let bytes = model_to_bytes(&model).unwrap();
    let again = model_from_bytes(&bytes, "test".as_ref()).unwrap().fit;
    assert!(again.views == views && again.noise_scales == model.fit.noise_scales);
    assert_eq!(again.feature_explained, model.fit.feature_explained);
    let extension = Extension::new(&again).unwrap();
    let new = Matrix::from_fn(60, 20, |i, f| if f < 10 { both[(180 + i, f)] } else { f64::NAN });
    let found = extension.predict(&new).unwrap();
    let (mut square, mut variance, mut inside) = (0.0, 0.0, 0.0);
    for f in 10..20 {
        let mean = (0..180).map(|i| both[(i, f)]).sum::<f64>() / 180.0;
        for i in 0..60 {
            let (truth, value, deviation) = (both[(180 + i, f)], found.values[(i, f)], found.deviations[(i, f)]);
            square += (truth - value).powi(2) / 600.0;
            variance += (truth - mean).powi(2) / 600.0;
            inside += f64::from(u8::from((truth - value).abs() < 1.645 * deviation)) / 600.0;
        }
    }
    assert!(square < 0.1 * variance, "{square} of {variance}");
    assert!((0.8..0.99).contains(&inside), "{inside}");
    // rows that were fitted are where they were
    let placed = extension.transform(&train).unwrap();
    assert!(placed.iter().enumerate().all(|(i, placed)| placed.point == Some(i as u32)));
}

#[test]
fn what_is_decided_is_said_and_wrong_views_are_errors() {
    let (clear, _, _, _) = two_views([0.03, 0.06]);
    let some = Matrix::from_fn(120, 10, |i, f| clear[(i, f)]);
    let auto = fitted(&some, FeatureNoise::Auto, &[]);
    let choice = auto.noise_choice.unwrap();
    assert!(choice.taken != FeatureNoise::Auto && choice.rows == 120 && choice.error > 0.0, "{choice:?}");
    assert_eq!(auto.noise_scales.is_some(), choice.taken == FeatureNoise::Own);
    let wrong = TableView { name: "a".into(), features: vec![10] };
    let refused = Fitter::new(Config::default()).views(vec![wrong]).fit(&some);
    assert!(matches!(refused, Err(Error::Setting { name: "views", .. })));
}
