//! A view holds the numbers of its model under one set of names, and what is added to the model shows up by itself.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::evidence::{EdgeScore, GraphChoice, Judge, Selection, edge_scores};
use crate::extend::{Extension, Predicts};
use crate::io::Model;
use crate::{BoundParts, Config, Fitter, Hyperparameters, Shape, generate};
use serde_json::json;

fn model() -> Model {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let fit = Fitter::new(Config { n_neighbors: 6, max_iter: 8, ..Config::default() }).fit(&curve.points).unwrap();
    Model {
        fit,
        feature_names: ["a", "b", "c"].map(str::to_owned).to_vec(),
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    }
}

#[test]
fn names_count_from_one_and_ellipses_are_those_of_the_covariances() {
    let model = model();
    let map = MapView::new(&model.fit);
    assert_eq!(map.axes, ["x1", "x2"]);
    assert_eq!(axis_names(3), FIRST_AXES);
    for (i, ellipse) in map.ellipses(0, 1).into_iter().enumerate() {
        let ellipse = ellipse.unwrap();
        let (c, s) = (ellipse.degrees.to_radians().cos(), ellipse.degrees.to_radians().sin());
        let (p, q) = (ellipse.major.powi(2), ellipse.minor.powi(2));
        let again = [p * c * c + q * s * s, (p - q) * c * s, p * s * s + q * c * c];
        let given = &map.covariances[i];
        for (again, given) in again.iter().zip([given[0], given[1], given[3]]) {
            assert!((again - given).abs() < 1e-12 * p, "point {i}");
        }
        assert_eq!(map.deviations[i][0], given[0].sqrt());
    }
}

#[test]
fn parts_add_up_to_the_bound_and_all_names_are_there() {
    let fit = model().fit;
    let view = BoundView::new(&fit);
    assert_eq!(view.parts.iter().map(|part| part.name).collect::<Vec<_>>(), BoundParts::NAMES);
    assert_eq!(view.hyperparameters.iter().map(|hyper| hyper.name).collect::<Vec<_>>(), Hyperparameters::NAMES);
    assert!(view.hyperparameters.iter().all(|hyper| hyper.about.ends_with('.')));
    for (t, bound) in view.bound.iter().enumerate() {
        let sum: f64 = view.parts.iter().map(|part| part.values[t]).sum();
        assert!((sum - bound).abs() < 1e-9 * bound.abs().max(1.0));
    }
    let last: f64 = view.parts.iter().map(|part| part.last).sum();
    assert!((last - fit.bound()).abs() < 1e-9 * last.abs());
    let old = crate::Fit { trace: fit.trace.iter().map(|&p| crate::TracePoint { parts: None, ..p }).collect(), ..fit };
    let parts = BoundView::new(&old).parts;
    assert!(parts.len() == BoundParts::NAMES.len() && parts.iter().all(|part| part.values.is_empty()));
}

#[test]
fn loadings_are_ranked_by_what_can_be_compared() {
    let mut model = model();
    // a feature in small units has large numbers, and is no stronger
    let before = LoadingsView::new(&model, &[3, 4]).unwrap();
    let observations = std::sync::Arc::make_mut(&mut model.fit.observations);
    (0..60).for_each(|i| observations[(i, 1)] *= 1000.0);
    model.fit.scaling.scale[1] *= 1000.0;
    model.fit.scaling.center[1] *= 1000.0;
    let after = LoadingsView::new(&model, &[3, 4]).unwrap();
    let names = |view: &LoadingsView| -> Vec<String> { view.along(0, 3).into_iter().map(|row| row.feature).collect() };
    assert_eq!(names(&before), names(&after));
    assert!((after.mean[1][0] / before.mean[1][0] - 1000.0).abs() < 1e-6);
    let (one, other) = (before.row(1, 0), after.row(1, 0));
    assert!((one.standardised - other.standardised).abs() < 1e-9);
    assert!((one.standardised_sd - other.standardised_sd).abs() < 1e-9);
    assert_eq!(before.directions(2).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(before.strongest(3).len(), 3);
}

#[test]
fn a_grid_reaches_from_end_to_end_and_says_what_is_far() {
    let model = model();
    let extension = Extension::new(&model.fit).unwrap();
    let grid = GridPlaces::new(&extension, &[5, 4]).unwrap();
    let ends = |values: &[f64]| {
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    for a in 0..2 {
        let ((low, high), (first, last)) = (ends(&grid.ticks(a)), ends(model.fit.coordinates.col_as_slice(a)));
        // up to the rounding of the steps between
        assert!(low == first && (high - last).abs() <= 1e-14 * last.abs(), "{high} {last}");
    }
    let all = grid.read_all(Predicts::Measurement).unwrap();
    let part = grid.read(7..12, Predicts::Measurement).unwrap();
    assert_eq!((all.known.len(), part.known.as_slice()), (20, &all.known[7..12]));
    assert_eq!(part.expected.values[(2, 1)], all.expected.values[(9, 1)]);
    let step = extension.typical_step();
    assert_eq!([0.9, 1.1, 2.1].map(|steps| Known::at(steps * step, step)), [Known::Well, Known::Badly, Known::Not]);
}

#[test]
fn edges_stand_with_the_most_suspect_first_and_some_are_marked() {
    let mut model = model();
    model.fit.rows = (100..160).collect();
    let view = EdgesView::new(&model).unwrap();
    let scores = edge_scores(&model.fit).unwrap();
    assert_eq!(view.edges.len(), scores.len());
    let (row, score) = (&view.edges[0], &scores[0]);
    assert_eq!((row.points, row.i, row.j), (score.edge, score.edge.0 as usize + 100, score.edge.1 as usize + 100));
    assert_eq!(row.numbers(), [score.length, score.resistance, score.residual, score.score, score.surprise.unwrap()]);
    // this short run has an edge that stands out, and most that do not
    assert_eq!(view.least_gain, 2.0 + (scores.len() as f64).ln());
    let stands_out = |score: &EdgeScore| score.expected_gain.unwrap() > view.least_gain;
    let marked: Vec<bool> = view.edges.iter().map(|edge| edge.suspect).collect();
    assert_eq!(marked, scores.iter().map(stands_out).collect::<Vec<_>>());
    assert_eq!(view.n_suspects, marked.iter().filter(|&&suspect| suspect).count());
    assert!((1..scores.len() / 10).contains(&view.n_suspects), "{}", view.n_suspects);
    let told = json!(row);
    assert_eq!(EdgeRow::NUMBERS.map(|name| told[name].as_f64().unwrap()), row.numbers());
    assert!(told.get("gain").is_none());
}

#[test]
fn a_summary_has_the_parts_and_hyper_parameters_by_name() {
    let model = model();
    let told = json!(Summary::new(&model, vec!["take care".into()]));
    for (name, value) in model.fit.hyper.named() {
        assert_eq!(told["hyperparameters"][name], value);
    }
    for (name, value) in model.fit.parts.named() {
        assert_eq!(told["bound_parts_scaled"][name], value);
    }
    assert_eq!((&told["coordinates"][1]["name"], &told["warnings"][0]), (&"x2".into(), &"take care".into()));
}

#[test]
fn what_is_within_a_nat_is_equal_to_the_best() {
    let curve = generate(Shape::SCurve, 40, 0.02, 1);
    let graphs = [6, 7, 8].map(GraphChoice::neighbors).to_vec();
    let selection = Selection::new(&curve.points, Config::default(), graphs, vec![2]).unwrap();
    let selection = selection.by(Judge::Bound).unwrap().seeds(1).unwrap();
    let cell = |candidate: usize, bound: f64| {
        serde_json::from_value(json!({
            "candidate": candidate, "seed": 0, "bound": bound, "n_iter": 9, "stop": "converged", "message": null
        }))
        .unwrap()
    };
    let view = EvidenceView::new(&selection, &[cell(0, -10.0), cell(1, -10.9), cell(2, -11.1)]);
    let equal: Vec<bool> = view.candidates.iter().map(|row| row.equal_to_best).collect();
    assert_eq!(equal, [false, true, false]);
    assert_eq!(view.best.as_ref().unwrap().name, "knn 6");
    assert_eq!(view.remarks, [Remark::FewestNeighbors { n_neighbors: 6 }]);
    let told = json!(view);
    assert_eq!((&told["best"]["mean"], &told["equal"]["nats"]), (&(-10.0).into(), &1.0.into()));
    assert_eq!(told["remarks"][0]["kind"], "fewest-neighbors");
}
