//! Maps of sheets have the lengths of the table; maps that would lose neighbourhoods keep theirs; and what goes on from a fit
//! does so from the best bound.

use std::ops::ControlFlow;
use tangency::config::{FeatureWeight, KeepLengths};
use tangency::evidence::{PruneOptions, prune_from};
use tangency::inference::EngineKind;
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::peers::isomap;
use tangency::quality::{affine_r2, procrustes};
use tangency::view::LengthsRow;
use tangency::{Config, Fitter, Init, Shape, generate};

fn isomap_start(keep_lengths: KeepLengths) -> Config {
    Config { init: Init::Isomap, keep_lengths, ..Config::default() }
}

#[test]
fn sheets_are_laid_out_as_long_as_they_are() {
    for (shape, noise, n) in [(Shape::SwissRoll, 0.0, 700), (Shape::SCurve, 0.05, 300)] {
        let sheet = generate(shape, n, noise, 1);
        let with = Fitter::new(isomap_start(KeepLengths::Auto)).fit(&sheet.points).unwrap();
        let without = Fitter::new(isomap_start(KeepLengths::Never)).fit(&sheet.points).unwrap();
        let lengths = with.lengths.unwrap();
        assert!(without.lengths.is_none());
        assert!(lengths.taken && lengths.misfit < 0.5 * lengths.misfit_before, "{shape:?} {lengths:?}");
        let off = |fit: &tangency::Fit| procrustes(&fit.coordinates, &sheet.truth).unwrap();
        assert!(off(&with) < 0.002 && off(&with) < 0.7 * off(&without), "{shape:?} {} {}", off(&with), off(&without));
        assert!(affine_r2(&with.coordinates, &sheet.truth).unwrap() > 0.998);
        // a bound of the same evidence, and the lower one
        assert!(with.bound_scaled() < lengths.bound_before);
        assert_eq!(lengths.bound_before, without.bound_scaled());
        let of_isomap = isomap(&without.scaled_observations(), &without.graph, 2).unwrap();
        assert!(off(&with) < procrustes(&of_isomap, &sheet.truth).unwrap());
    }
}

#[test]
fn a_step_on_the_map_has_a_length_in_the_table() {
    let sheet = generate(Shape::SCurve, 250, 0.0, 3);
    let found = Fitter::new(isomap_start(KeepLengths::Auto)).fit(&sheet.points).unwrap();
    let row = LengthsRow::of(&found).unwrap();
    let (i, j) = (0, 200);
    let apart = |x: &Matrix| (0..2).map(|a| (x[(i, a)] - x[(j, a)]).powi(2)).sum::<f64>().sqrt();
    let (on_map, on_sheet) = (row.unit.unwrap() * apart(&found.coordinates), apart(&sheet.truth));
    assert!((on_map / on_sheet - 1.0).abs() < 0.03, "{on_map} {on_sheet}");
}

#[test]
fn what_has_more_dimensions_keeps_its_map() {
    // a cube of three dimensions, bent, on two coordinates
    let noise = |i: usize, f: usize| ((i * 31 + f * 17) as f64 * 12.9898).sin() * 43_758.545_3 % 1.0;
    let table = Matrix::from_fn(200, 4, |i, f| if f < 3 { noise(i, f) } else { noise(i, 0).powi(2) });
    let found = Fitter::new(isomap_start(KeepLengths::Auto)).fit(&table).unwrap();
    let lengths = found.lengths.unwrap();
    assert!(!lengths.taken && lengths.trustworthiness < lengths.trustworthiness_before);
    let never = Fitter::new(isomap_start(KeepLengths::Never)).fit(&table).unwrap();
    assert_eq!(never.bound(), found.bound());
    assert!(Fitter::new(isomap_start(KeepLengths::Always)).fit(&table).unwrap().lengths.unwrap().taken);
}

#[test]
fn a_fixed_weight_and_the_papers_model_are_left_alone() {
    let sheet = generate(Shape::SCurve, 150, 0.0, 2);
    let fixed = Config { feature_weight: FeatureWeight::Fixed(1.0), ..isomap_start(KeepLengths::Auto) };
    assert!(Fitter::new(fixed).fit(&sheet.points).unwrap().lengths.is_none());
    let paper = Config { graph_likelihood: false, ..isomap_start(KeepLengths::Always) };
    assert!(Fitter::new(paper).fit(&sheet.points).unwrap().lengths.is_none());
}

#[test]
fn both_engines_and_files_keep_the_lengths() {
    let sheet = generate(Shape::SCurve, 200, 0.02, 4);
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let config = Config { engine, ..isomap_start(KeepLengths::Auto) };
        let found = Fitter::new(config).fit(&sheet.points).unwrap();
        assert!(found.lengths.unwrap().taken, "{engine}");
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let model = Model {
            fit: found,
            feature_names: names,
            ids: None,
            labels: None,
            carried: vec![],
            table: None,
            label_name: None,
            reading: None,
        };
        let bytes = model_to_bytes(&model).unwrap();
        let read = model_from_bytes(&bytes, std::path::Path::new("model")).unwrap();
        assert_eq!(read.fit.lengths, model.fit.lengths);
    }
}

#[test]
fn pruning_goes_on_from_the_best_bound() {
    let sheet = generate(Shape::SCurve, 150, 0.02, 2);
    // the engine that searches
    let config = Config { engine: EngineKind::Factorised, ..isomap_start(KeepLengths::Auto) };
    let fitter = Fitter::new(config);
    let (found, posterior) = fitter.fit_with_posterior(sheet.points.as_ref()).unwrap();
    let lengths = found.lengths.unwrap();
    assert!(lengths.taken);
    assert!(posterior.is_some());
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let pruned = prune_from(&found, posterior, &PruneOptions::default(), &mut go_on).unwrap();
    assert!(pruned.bound_before >= lengths.bound_before);
}
