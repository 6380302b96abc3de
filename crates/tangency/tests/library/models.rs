//! What a fit can tell, and what its file keeps of it.

use super::{clean_roll, fit, paper};
use tangency::fit::{Calibration, Caution, Plan, StartRank};
use tangency::inference::EngineKind;
use tangency::inference::Start;
use tangency::io::{Model, Output, load_model, model_from_bytes, model_to_bytes, save_model};
use tangency::linalg::Matrix;
use tangency::model::{MissingRule, Prepared};
use tangency::{Choice, Config, Error, Fit, Fitter, Init, ScalingRule, Shape, Stop, generate};

fn small() -> (Matrix, Config) {
    let config = Config { n_neighbors: 8, init: Init::Isomap, full_covariance: true, ..paper() };
    (generate(Shape::SCurve, 120, 0.05, 3).points, config)
}

#[test]
fn a_model_comes_back_from_its_file_bit_for_bit() {
    let (points, config) = small();
    let mut fit = Fitter::new(config).fit(&points).unwrap();
    let log_densities = (0..120).map(f64::from).collect();
    fit.calibration = Some(Calibration { folds: 3, log_densities, spread: 1.25 });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    let names = |prefix: &str, count: usize| (0..count).map(|i| format!("{prefix}\u{00e9}{i}")).collect::<Vec<_>>();
    let model = Model {
        fit,
        feature_names: names("f", 3),
        ids: Some(names("id", 120)),
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    };
    save_model(&Output::claim(&path, false).unwrap(), &model).unwrap();
    let back = load_model(&path).unwrap();
    let (a, b) = (&model.fit, &back.fit);
    assert!(a.coordinates == b.coordinates && a.maps == b.maps && a.observations == b.observations);
    assert!(a.coordinate_covariances == b.coordinate_covariances && a.map_covariances == b.map_covariances);
    assert!(a.map_draws.is_some() && a.map_draws == b.map_draws);
    assert!(a.full_covariance == b.full_covariance && a.graph == b.graph && a.trace == b.trace);
    assert_eq!((a.config.clone(), a.hyper, a.parts, a.stop), (b.config.clone(), b.hyper, b.parts, b.stop));
    assert_eq!((&back.ids, &back.feature_names), (&model.ids, &model.feature_names));
    assert_eq!((a.bound(), &a.calibration), (b.bound(), &b.calibration));
    assert!(matches!(Output::claim(&path, false), Err(Error::Exists { .. })));

    // a graph in pieces, which no fit has
    let alone = model.fit.graph.edges().iter().copied().filter(|&(i, j)| i != 5 && j != 5);
    let fit = tangency::Fit { graph: tangency::Graph::from_edges(120, alone), ..model.fit.clone() };
    let apart = folder.path().join("apart.safetensors");
    save_model(&Output::claim(&apart, false).unwrap(), &Model { fit, ..model.clone() }).unwrap();
    assert!(load_model(&apart).is_err_and(|error| error.to_string().contains("in pieces")));

    // no cut and no flipped byte gives a panic
    let whole = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken.safetensors");
    for length in (0..whole.len()).step_by(whole.len() / 60) {
        std::fs::write(&broken, &whole[..length]).unwrap();
        assert!(load_model(&broken).is_err(), "cut at {length}");
    }
    for at in (0..8000).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        std::fs::write(&broken, &bytes).unwrap();
        let _ = load_model(&broken);
    }
}

#[test]
fn bounds_do_not_depend_on_the_units() {
    let (points, config) = small();
    let thousandfold = Matrix::from_fn(120, 3, |i, f| 1000.0 * points[(i, f)]);
    let (metres, millimetres) =
        (Fitter::new(config.clone()).fit(&points).unwrap(), Fitter::new(config).fit(&thousandfold).unwrap());
    assert!((metres.bound_scaled() - millimetres.bound_scaled()).abs() < 1e-6);
    let cost = 120.0 * 3.0 * 1000f64.ln();
    assert!((metres.bound() - cost - millimetres.bound()).abs() < 1e-6);
}

#[test]
fn distances_and_samples_agree_with_the_posterior() {
    let (points, config) = small();
    let fit = Fitter::new(config).fit(&points).unwrap();
    let interval = fit.distance_interval(3, 77, 0.9).unwrap();
    assert!(interval.lower < interval.median && interval.median < interval.upper);
    assert!(interval.lower < interval.of_means && interval.of_means < interval.upper);

    let draws = fit.sample_coordinates(400, 5).unwrap();
    let deviations = fit.standard_deviations();
    for (i, a) in [(0, 0), (50, 1), (119, 0)] {
        let spread = (draws.iter().map(|x| (x[(i, a)] - fit.coordinates[(i, a)]).powi(2)).sum::<f64>() / 400.0).sqrt();
        assert!((spread / deviations[(i, a)] - 1.0).abs() < 0.2, "{spread} {}", deviations[(i, a)]);
    }
    let inside = draws
        .iter()
        .map(|x| ((x[(3, 0)] - x[(77, 0)]).powi(2) + (x[(3, 1)] - x[(77, 1)]).powi(2)).sqrt())
        .filter(|d| (interval.lower..=interval.upper).contains(d))
        .count();
    assert!((330..=388).contains(&inside), "{inside} of 400 inside a 90 % interval");
}

#[test]
fn the_gauge_is_canonical() {
    let (roll, edges) = clean_roll(150, 0.0, 1);
    let turned = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let start = Matrix::from_fn(150, 2, |i, a| {
            let (u, v) = (roll.truth[(i, 0)], roll.truth[(i, 1)]);
            if a == 0 { cos * u - sin * v } else { sin * u + cos * v }
        });
        let config = Config { max_iter: 15, ..paper() };
        Fitter::new(config).edges(edges.clone()).start(Start::Coordinates(start)).fit(&roll.points).unwrap()
    };
    let (straight, rotated) = (turned(0.0), turned(2.3));
    for i in 0..150 {
        for a in 0..2 {
            assert!((straight.coordinates[(i, a)] - rotated.coordinates[(i, a)]).abs() < 1e-6);
        }
    }
    let spread = |a: usize| straight.coordinates.col_as_slice(a).iter().map(|v| v * v).sum::<f64>();
    assert!(spread(0) > spread(1));
}

#[test]
fn an_observer_can_stop_a_fit_and_gets_what_there_is() {
    let (roll, edges) = clean_roll(150, 0.0, 1);
    for after in [1, 7, 15, 40] {
        let mut seen = 0;
        let fitter = Fitter::new(Config { tol: 0.0, ..paper() }).edges(edges.clone()).observer(|_| {
            seen += 1;
            if seen >= after { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        });
        let fit = fitter.fit(&roll.points).unwrap();
        assert_eq!(fit.stop, Stop::Interrupted);
        assert!(fit.coordinates.is_all_finite() && fit.bound().is_finite());
    }
}

#[test]
fn a_fit_of_the_graph_and_its_features_can_be_stopped_in_every_stage() {
    let curve = tangency::generate(tangency::Shape::SCurve, 120, 0.05, 1);
    for after in [1, 4, 20, 45] {
        // heard once only: whoever asks need not ask again
        let mut seen = 0;
        let fitter = Fitter::new(Config::default()).observer(|_| {
            seen += 1;
            if seen == after { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        });
        let fit = fitter.fit(&curve.points).unwrap();
        assert_eq!(fit.stop, Stop::Interrupted, "after {after}");
        assert!(fit.coordinates.is_all_finite() && fit.maps.is_all_finite() && fit.bound().is_finite());
        assert!(fit.maps.squared_norm_l2() > 0.0, "after {after}: a fit has maps");
        assert!(seen <= after + 1, "{seen} iterations, asked to end after {after}");
    }
}

#[test]
fn every_scaling_fits() {
    let (points, config) = small();
    let stretched = Matrix::from_fn(120, 3, |i, f| points[(i, f)] * [1.0, 20.0, 0.1][f] + 5.0);
    for &scaling in ScalingRule::ALL {
        let fit = Fitter::new(Config { scaling, ..config.clone() }).fit(&stretched).unwrap();
        assert!(fit.bound().is_finite(), "{scaling:?}");
    }
}

#[test]
fn a_constant_feature_changes_no_coordinate_and_adds_no_evidence_of_its_own() {
    let (points, config) = small();
    let config = Config { scaling: ScalingRule::PerFeature, ..config };
    let more = Matrix::from_fn(120, 4, |i, f| if f < 3 { points[(i, f)] } else { 0.1 });
    let (three, four) =
        (Fitter::new(config.clone()).fit(&points).unwrap(), Fitter::new(config.clone()).fit(&more).unwrap());
    assert_eq!(four.scaling.scale[3], 1.0);
    assert!((four.bound() / three.bound()).abs() < 3.0, "{} {}", three.bound(), four.bound());
    let constant = Matrix::from_fn(60, 2, |_, f| [0.1, 0.7][f]);
    assert!(matches!(Fitter::new(config).fit(&constant), Err(Error::NoVariation { n: 60 })));
}

/// Without any noise γ runs to its limit and λ without one; rounding is then about a millionth of the bound.
#[test]
fn points_on_a_line_without_noise_have_a_bound_that_rises() {
    let line = Matrix::from_fn(60, 2, |i, f| i as f64 * [0.37, -1.1][f]);
    let config = Config { n_components: 1, n_neighbors: 4, max_iter: 200, tol: 0.0, init: Init::Pca, ..paper() };
    let fit = Fitter::new(config).fit(&line).unwrap();
    for pair in fit.trace.windows(2) {
        let (before, after) = (pair[0].bound_scaled, pair[1].bound_scaled);
        assert!(
            after >= before - 1e-5 * before.abs(),
            "{} at {}: {before} → {after}",
            pair[1].hyper.gamma,
            pair[1].iteration
        );
    }
}

#[test]
fn as_many_components_as_points_are_refused() {
    let (points, config) = small();
    for n_components in [120, 1 << 61] {
        let asked = Config { n_components, init: Init::Random, ..config.clone() };
        assert!(matches!(Fitter::new(asked).fit(&points), Err(Error::Setting { name: "n_components", .. })));
    }
}

#[test]
fn a_fit_too_large_for_memory_is_refused_with_a_way_out() {
    let exact = Config { engine: EngineKind::Exact, ..paper() };
    for (n, config) in [(50_000, exact), (10_000_000, paper())] {
        let error = Plan::with_memory(n, 20, &config, 8 << 30).check().unwrap_err().to_string();
        assert!(error.contains("GiB") && error.contains("sample of the rows"), "{error}");
    }
    for n in [50_000, 500] {
        let plan = Plan::with_memory(n, 20, &paper(), 8 << 30);
        assert!(plan.check().is_ok() && plan.needed() <= plan.available);
    }
}

#[test]
fn one_more_component_than_needed_is_harmless() {
    let (roll, edges) = clean_roll(150, 0.0, 1);
    let found = fit(Config { n_components: 3, max_iter: 60, ..paper() }, &roll.points, &edges);
    assert!(found.coordinates.is_all_finite() && found.bound().is_finite());
}

#[test]
fn more_components_than_features_are_refused_and_as_many_are_a_caution() {
    let (points, config) = small();
    let fit = |n_components| Fitter::new(Config { n_components, max_iter: 3, ..config.clone() }).fit(&points);
    let refused = fit(4).err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(refused, "n_components is 4, but the table has only 3 feature(s); use a smaller n_components");
    let cautions = fit(3).unwrap().cautions(|i| i.to_string());
    assert_eq!(cautions, [Caution::NotConverged, Caution::NothingReduced]);
}

#[test]
fn cautions_name_bridges_and_what_was_left_out() {
    let (points, config) = small();
    let apart = Matrix::from_fn(240, 3, |i, f| points[(i % 120, f)] + if i < 120 { 0.0 } else { 100.0 });
    let joined = Fitter::new(Config { connect: true, max_iter: 3, ..config.clone() }).fit(&apart).unwrap();
    let told: Vec<String> = joined.cautions(|i| format!("p{i}")).iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|text| text.starts_with("1 bridge was added to join pieces of the graph (p")), "{told:?}");
    let part = Fitter::new(Config { largest: true, max_iter: 3, ..config }).fit(&apart).unwrap();
    assert!(part.cautions(|i| i.to_string()).contains(&Caution::LargestPiece { kept: 120, rows: 240 }));
}

#[test]
fn a_model_comes_back_from_its_bytes() {
    let (points, config) = small();
    let fit = Fitter::new(Config { max_iter: 3, ..config }).fit(&points).unwrap();
    let model = Model {
        fit,
        feature_names: vec!["a".into(), "b".into(), "c".into()],
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    };
    let bytes = model_to_bytes(&model).unwrap();
    let back = model_from_bytes(&bytes, "here".as_ref()).unwrap();
    assert_eq!(model_to_bytes(&back).unwrap(), bytes);
    let cut = model_from_bytes(&bytes[..bytes.len() - 9], "here".as_ref()).err().unwrap().to_string();
    assert!(cut.starts_with("here: is cut short"), "{cut}");
}

#[test]
fn starts_that_are_tried_apart_give_the_same_fit() {
    let (points, config) = small();
    for (init, starts) in [(Init::Auto, 4), (Init::Random, 2), (Init::Isomap, 1)] {
        let n_init = if init == Init::Isomap { 1 } else { 2 };
        let config = Config { init, n_init, max_iter: 30, full_covariance: false, ..config.clone() };
        let whole = Fitter::new(config.clone()).fit(&points).unwrap();
        let plan = Plan::new(points.nrows(), points.ncols(), &config);
        assert_eq!(plan.starts.len(), starts);
        let mut tried: Vec<_> = plan
            .starts
            .iter()
            .map(|start| Fitter::new(config.clone()).try_start(points.as_ref(), start.number).unwrap())
            .collect();
        let ranks: Vec<StartRank> = tried.iter().map(|tried| tried.rank).collect();
        let best = StartRank::best(&ranks).unwrap();
        let kept = tried.swap_remove(best).fit;
        assert_eq!(kept.is_none(), plan.trials);
        let alone = Fitter::new(config.clone()).only(plan.starts[best].number).fit(&points).unwrap();
        assert!(kept.is_none_or(|fit| fit.coordinates == whole.coordinates && fit.trace == whole.trace));
        assert!(alone.coordinates == whole.coordinates && alone.trace == whole.trace, "{init:?}");
        assert_eq!((alone.start, alone.start_seed), (whole.start, whole.start_seed));
        assert!(matches!(Fitter::new(config).only(starts).fit(&points), Err(Error::Setting { name: "start", .. })));
    }
}

#[test]
fn the_parts_of_the_bound_are_those_of_every_iteration() {
    let (points, config) = small();
    for init in [Init::Auto, Init::Isomap, Init::Random] {
        let fit = Fitter::new(Config { init, full_covariance: false, ..config.clone() }).fit(&points).unwrap();
        for point in &fit.trace {
            assert_eq!(point.parts.unwrap().total(), point.bound_scaled, "{init:?}, iteration {}", point.iteration);
        }
    }
}

#[test]
fn a_table_is_read_where_it_lies() {
    let (points, config) = small();
    let config = Config { max_iter: 5, ..config };
    let by_rows: Vec<f64> = (0..120).flat_map(|i| (0..3).map(move |f| (i, f))).map(|at| points[at]).collect();
    let own = Fitter::new(config.clone()).fit(&points).unwrap();
    let lying = Fitter::new(config).fit_view(tangency::linalg::view_of_rows(&by_rows, 120, 3)).unwrap();
    assert!(own.coordinates == lying.coordinates && own.observations == lying.observations);
}

#[test]
fn a_table_made_ready_once_gives_the_same_fits() {
    let (points, config) = small();
    let config = Config { max_iter: 5, full_covariance: false, ..config };
    let prepared = Prepared::new(points.as_ref(), &config, None).unwrap();
    for random_state in [3, 4] {
        let config = Config { random_state, init: Init::Random, ..config.clone() };
        let own = Fitter::new(config.clone()).fit(&points).unwrap();
        let ready = Fitter::new(config).fit_prepared(&prepared).unwrap();
        assert!(own.coordinates == ready.coordinates && own.trace == ready.trace && own.graph == ready.graph);
    }
    let config = Config { missing: MissingRule::Error, ..config };
    let gap = Matrix::from_fn(120, 3, |i, f| if i == 7 { f64::NAN } else { points[(i, f)] });
    assert!(matches!(Prepared::new(gap.as_ref(), &config, None), Err(Error::NonFinite { row: 7, .. })));
    assert!(matches!(Prepared::new(points.as_ref(), &config, Some(vec![(0, 1)])), Err(Error::Disconnected { .. })));
}

#[test]
fn a_map_next_to_perfect_is_still_compared() {
    let (points, config) = small();
    let mut fit = Fitter::new(Config { max_iter: 3, ..config }).fit(&points).unwrap();
    let worse = |fit: &Fit| fit.cautions(|i| i.to_string()).iter().any(|c| matches!(c, Caution::WorseThanPca { .. }));
    let mut quality = fit.quality.unwrap();
    for (ours, pca, said) in [(0.9965, 0.99999, true), (0.9985, 0.99999, false), (0.99999, 0.9, false)] {
        (quality.trustworthiness, quality.pca) = (ours, pca);
        fit.quality = Some(quality);
        assert_eq!(worse(&fit), said, "{ours} {pca}");
    }
}
