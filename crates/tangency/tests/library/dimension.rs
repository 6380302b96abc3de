//! The number of coordinates, left to the data.

use std::ops::ControlFlow;
use std::path::Path;
use tangency::compare::{Comparison, Entrant};
use tangency::config::AUTO;
use tangency::inference::Start;
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::peers::{Method, PeerOptions, embed};
use tangency::{Config, Fitter, Shape, Stop, generate};

fn open() -> Config {
    Config { n_components: AUTO, draws: Some(0), ..Config::default() }
}

#[test]
fn a_sheet_has_two_dimensions_and_a_helix_one() {
    let sheet = generate(Shape::SCurve, 150, 0.05, 1);
    let helix = generate(Shape::Helix, 150, 0.0, 1);
    for (data, truth) in [(sheet, 2), (helix, 1)] {
        let (edges, _) = data.neighbor_edges(9);
        let fit = Fitter::new(open()).edges(edges.clone()).fit(&data.points).unwrap();
        let found = fit.dimension.clone().unwrap();
        assert_eq!((found.taken, found.by_bound(), found.points), (truth, Some(truth), 150));
        assert_eq!((found.spreads.len(), fit.config.n_components, fit.coordinates.ncols()), (3, truth, truth));
        assert!(found.spreads.windows(2).all(|pair| pair[0] >= pair[1]), "{:?}", found.spreads);
        assert!(found.bounds.iter().map(|row| row.n_components).eq(truth.max(2) - 1..=truth + 1));
        // the fit is the one with this number
        let plain = Fitter::new(fit.config.clone()).edges(edges).fit(&data.points).unwrap();
        assert_eq!(plain.coordinates, fit.coordinates);
        assert!(plain.dimension.is_none());
    }
}

#[test]
fn how_it_was_found_is_kept() {
    let curve = generate(Shape::SCurve, 60, 0.0, 1);
    let fit = Fitter::new(Config { max_iter: 10, ..open() }).fit(&curve.points).unwrap();
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
    let again = model_from_bytes(&model_to_bytes(&model).unwrap(), Path::new("model")).unwrap();
    assert!(again.fit.dimension.is_some());
    assert_eq!(again.fit.dimension, model.fit.dimension);
}

#[test]
fn a_start_that_is_given_says_how_many() {
    let curve = generate(Shape::SCurve, 60, 0.0, 1);
    let config = Config { max_iter: 5, ..open() };
    let start = Matrix::from_fn(60, 1, |i, _| curve.truth[(i, 0)]);
    let fit = Fitter::new(config).start(Start::Coordinates(start)).fit(&curve.points).unwrap();
    assert_eq!((fit.coordinates.ncols(), fit.dimension), (1, None));
}

#[test]
fn who_ends_the_search_gets_what_there_is() {
    let curve = generate(Shape::SCurve, 60, 0.0, 1);
    let mut seen = 0;
    let fitter = Fitter::new(open()).observer(|_| {
        seen += 1;
        ControlFlow::Break(())
    });
    let fit = fitter.fit(&curve.points).unwrap();
    assert_eq!(fit.stop, Stop::Interrupted);
    assert!(seen < 8, "{seen}");
}

#[test]
fn tables_without_much_in_them_are_fitted() {
    let line = Matrix::from_fn(40, 1, |i, _| (i as f64).sin());
    let tiny = Matrix::from_fn(4, 3, |i, f| ((3 * i + f) as f64).sin());
    for (table, most) in [(line, 1), (tiny, 3)] {
        let config = Config { n_neighbors: 3, connect: true, max_iter: 10, ..open() };
        let found = Fitter::new(config).fit(&table).unwrap().dimension.unwrap();
        assert!(found.spreads.len() == most && (1..=most).contains(&found.taken));
    }
}

#[test]
fn a_comparison_finds_it_once_and_other_methods_ask_for_a_number() {
    let curve = generate(Shape::SCurve, 80, 0.0, 1);
    let config = Config { max_iter: 10, ..open() };
    let mut comparison = Comparison::new(curve.points.as_ref(), config.clone(), None, None, None).unwrap();
    for entrant in [Entrant::Peer(Method::Pca), Entrant::LlLvm] {
        let outcome = comparison.run(entrant, &mut |_, _| ControlFlow::Continue(())).outcome.unwrap();
        assert_eq!(outcome.coordinates.ncols(), comparison.config.n_components);
    }
    let options = PeerOptions::default();
    let refused =
        embed(curve.points.as_ref(), Method::Pca, &config, &options, None, &mut |_, _| ControlFlow::Continue(()));
    let text = refused.err().unwrap().to_string();
    assert!(text.contains("n_components is auto") && text.contains("whole number"), "{text}");
}
