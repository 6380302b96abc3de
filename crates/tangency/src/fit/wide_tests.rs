//! A table with more features than points is rotated, and nothing of the fit changes but the work.
#![allow(clippy::unwrap_used)]

use super::*;

/// Iterations of runs in which the factorised engine has a part.
const FEW: usize = 5;

/// A sheet bent into many features.
fn sheet(n: usize, d_y: usize) -> Matrix {
    let place = |i: usize, a: usize| ((i * (7919 + 104_729 * a)) % 1009) as f64 / 1009.0;
    let wave = |i: usize, f: usize| {
        let (u, v) = (((f * 37) % 101) as f64 / 101.0, ((f * 53) % 97) as f64 / 97.0);
        (4.0 * u * place(i, 0) + 3.0 * v * place(i, 1) + f as f64).sin()
    };
    let noise = |i: usize, f: usize| ((i * 131 + f * 313) as f64 * 0.61).sin() * 0.03;
    Matrix::from_fn(n, d_y, |i, f| wave(i, f) + noise(i, f))
}

/// The fit of a table as it is, and along the features themselves.
fn both_ways(values: &Matrix, config: &Config) -> [Fit; 2] {
    [true, false].map(|rotates| {
        let mut fitter = Fitter::new(config.clone());
        let (prepared, plan) = fitter.prepare(values.as_ref()).unwrap();
        let (mut runs, mut observer) = fitter.runs(&prepared, &plan).unwrap();
        assert!(runs.problem.reduction().is_some_and(|reduction| reduction.is_whole));
        assert_eq!(runs.problem.observations.nrows(), values.nrows());
        if !rotates {
            let (points, graph) = (prepared.points().clone(), prepared.graph().clone());
            let plain = Problem::new(points, graph, config.n_components, config.epsilon).unwrap();
            runs.problem = plain.lacking(prepared.missing.clone()).unwrap();
        }
        match plan.engine {
            EngineKind::Factorised => runs.best::<Factorised>(&mut *observer).unwrap().0,
            _ => runs.best::<Exact>(&mut *observer).unwrap().0,
        }
    })
}

fn apart(a: &Matrix, b: &Matrix) -> f64 {
    (a - b).norm_max() / b.norm_max()
}

/// The same table without some entries.
fn with_gaps(mut values: Matrix) -> Matrix {
    let d_y = values.ncols();
    (0..values.nrows()).step_by(3).for_each(|i| values[(i, (7 * i) % d_y)] = f64::NAN);
    values
}

#[test]
fn a_rotation_changes_nothing_where_entries_are_missing() {
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let config = Config { engine, init: Init::Spectral, draws: Some(0), max_iter: FEW, ..Config::default() };
        let [turned, plain] = both_ways(&with_gaps(sheet(40, 200)), &config);
        assert!((turned.bound() - plain.bound()).abs() < 1e-8 * plain.bound().abs(), "{engine:?}");
        assert!(apart(&turned.coordinates, &plain.coordinates) < 1e-8, "{engine:?}");
        assert!(apart(&turned.maps, &plain.maps) < 1e-8, "{engine:?}");
    }
    let fit = Fitter::new(Config::default()).fit(&with_gaps(sheet(40, 200))).unwrap();
    let imputed = fit.imputed.clone().unwrap();
    assert_eq!((imputed.values.len(), fit.maps.nrows()), (14, 200));
    let whole = sheet(40, 200);
    let error = |(&(i, f), value): (&(u32, u32), &f64)| (whole[(i as usize, f as usize)] - value).abs();
    assert!(imputed.entries.iter().zip(&imputed.values).map(error).fold(0.0, f64::max) < 0.7);
}

#[test]
fn a_rotation_changes_nothing() {
    let values = sheet(40, 200);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        for (graph_likelihood, init) in [(true, Init::Spectral), (false, Init::Isomap)] {
            // sampled deviations are other draws
            let config = Config { engine, graph_likelihood, init, draws: Some(0), ..Config::default() };
            // the last digits decide when conjugate gradients end, and of a long run more than the last digits
            let few = engine == EngineKind::Factorised || graph_likelihood;
            let config = Config { max_iter: if few { FEW } else { config.max_iter }, ..config };
            let [turned, plain] = both_ways(&values, &config);
            let name = format!("{engine:?}, {graph_likelihood}, {init:?}");
            assert_eq!((turned.stop, turned.start), (plain.stop, plain.start), "{name}");
            let (bound, other) = (turned.bound(), plain.bound());
            let steps = turned.trace.iter().zip(&plain.trace).map(|(a, b)| a.bound_scaled - b.bound_scaled);
            let steps: Vec<String> = steps.map(|step| format!("{step:.1e}")).collect();
            assert!((bound - other).abs() < 1e-8 * other.abs(), "{name}: bound {bound} {other}: {}", steps.join(" "));
            for (what, error) in [
                ("coordinates", apart(&turned.coordinates, &plain.coordinates)),
                ("deviations", apart(&turned.standard_deviations(), &plain.standard_deviations())),
                ("maps", apart(&turned.maps, &plain.maps)),
                ("map covariances", apart(&turned.map_covariances, &plain.map_covariances)),
            ] {
                assert!(error < 1e-8, "{name}: {what} {error:e}");
            }
            let (quality, other) = (turned.quality.unwrap(), plain.quality.unwrap());
            let (share, expected) = (quality.explained.unwrap(), other.explained.unwrap());
            assert!((share - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{name}: {share} {expected}");
            assert_eq!(quality.trustworthiness, other.trustworthiness, "{name}");
            let (density, other) = (turned.density.unwrap(), plain.density.unwrap());
            let (ours, expected) = (density.log_density, other.log_density);
            assert!((ours - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{name}: {ours} {expected}");
            assert_eq!(turned.reduced, None, "{name}: no axis is left out");
        }
    }
}
