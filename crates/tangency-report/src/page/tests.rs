//! The page holds the numbers of its model, stays one element of data whatever the names are, and asks for nothing outside.

use super::*;
use crate::Multiple;
use crate::command::typed;
use serde_json::Value;
use tangency::fit::{NeighborsChoice, TriedNeighbors};
use tangency::io::Model;
use tangency::io::table::TableOptions;
use tangency::linalg::Matrix;
use tangency::model::TableView;
use tangency::view::{BoundView, EdgesView, LoadingsView, MapView, REACH};
use tangency::{Config, Fitter, Shape, generate};

const HOSTILE: &str = "</script><script>alert(1)</script><!--/*STYLE*/<!--DATA-->\u{2028}\"'&";

fn model() -> Model {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { n_neighbors: 6, max_iter: 8, ..Config::default() };
    let fit = Fitter::new(config).fit(&curve.points).unwrap();
    let names = ["a", HOSTILE, "c"].map(str::to_owned).to_vec();
    let labels = (0..60).map(|i| if i == 3 { HOSTILE.to_owned() } else { format!("{i}") }).collect();
    Model {
        fit,
        feature_names: names,
        ids: None,
        labels: Some(labels),
        label_name: None,
        carried: vec![],
        table: None,
        reading: None,
    }
}

fn data(page: &str) -> Value {
    let begin = page.find("<script id=\"tangency-data\" type=\"application/json\">").unwrap();
    let text = &page[begin..];
    let text = &text[text.find('>').unwrap() + 1..text.find("</script>").unwrap()];
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f32> {
    let bytes = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, value["f32"].as_str().unwrap()).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn the_page_is_whole_and_names_stay_text() {
    let model = Model { label_name: Some("site".to_owned()), ..model() };
    let report = Report { title: HOSTILE.into(), table: Some("a b.csv"), ..Report::default() };
    let page = report.html(&model).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert!(!page.contains("alert(1)</script>") && !page.contains("<script>alert"));
    assert_eq!(page.matches("id=\"tangency-data\"").count(), 1);
    assert!(!page.contains("http://") || !page.contains("src=\"http"));
    let data = data(&page);
    assert_eq!(data["title"], HOSTILE);
    assert_eq!(data["features"]["names"][1], HOSTILE);
    assert_eq!(data["labels"][3], HOSTILE);
    assert_eq!(data["label_name"], "site");
    assert_eq!((&data["n_points"], &data["n_new"], &data["n_components"]), (&60.into(), &0.into(), &2.into()));
    assert_eq!(data["coordinates"]["shape"], serde_json::json!([60, 2]));
    assert_eq!(data["command"], "tangency fit 'a b.csv' --n-neighbors 6 --max-iter 8");
    assert_eq!(data["graph"]["refit"], "tangency fit 'a b.csv' --edges kept.csv --max-iter 8");
    assert_eq!(data["warnings"].as_array().unwrap().len(), model.cautions().len());
    assert_eq!(data["bound"]["bound"]["shape"], serde_json::json!([model.fit.trace.len()]));
    assert_eq!(data["bound"]["parts"][0]["values"]["shape"], serde_json::json!([model.fit.trace.len()]));
}

#[test]
fn the_page_sees_wide_tables_along_three_directions_and_knows_how_they_were_read() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1).points;
    let wide =
        Matrix::from_fn(60, 5, |i, f| curve[(i, f % 3)] + if f > 2 { 0.3 * curve[(i, (f + 1) % 3)] } else { 0.0 });
    let edges = (0..59).map(|i| (i, i + 1)).collect();
    let config = Config { max_iter: 3, ..Config::default() };
    let fit = Fitter::new(config).edges(edges).fit(&wide).unwrap();
    assert!(fit.own_edges);
    let reading = TableOptions { label_column: Some("kind".into()), show: Some(vec![]), ..TableOptions::default() };
    let views = vec![("all".to_owned(), vec!["a:e".to_owned()])];
    let reading = Some(TableOptions { header: Some(true), views, ..reading });
    let names = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let model = Model { fit, feature_names: names, reading, table: Some("t.csv".into()), labels: None, ..model() };
    let page = data(&Report::default().html(&model).unwrap());
    let found = &page["features"]["directions"];
    assert_eq!(found["weights"]["shape"], serde_json::json!([3, 5]));
    let shares: f64 = found["shares"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert!((shares - 1.0).abs() < 1e-6, "five features of three: {shares}");
    // what a row is along the directions has the variances that the shares say
    let weights = numbers(&found["weights"]);
    let along = |a: usize| -> f64 {
        let place = |i: usize| (0..5).map(|f| f64::from(weights[5 * a + f]) * wide[(i, f)]).sum::<f64>();
        let mean = (0..60).map(place).sum::<f64>() / 60.0;
        (0..60).map(|i| (place(i) - mean).powi(2)).sum()
    };
    let ratio = along(0) / along(2);
    let wanted = found["shares"][0].as_f64().unwrap() / found["shares"][2].as_f64().unwrap();
    assert!((ratio / wanted - 1.0).abs() < 1e-3, "{ratio} {wanted}");
    let command = "tangency fit t.csv --label-column kind --show none --header --view 'all=a:e' --edges EDGES.csv";
    assert!(page["command"].as_str().unwrap().starts_with(command), "{}", page["command"]);
    assert!(page["compare"].as_str().unwrap().contains("--edges EDGES.csv"), "{}", page["compare"]);
    // three features need no directions
    assert!(data(&Report::default().html(&self::model()).unwrap())["features"].get("directions").is_none());
}

#[test]
fn new_rows_stand_behind_the_fitted_ones() {
    let model = model();
    let new = generate(Shape::SCurve, 5, 0.02, 2).points.transpose().to_owned();
    let new = UnfittedRows { values: new, ids: Some((0..5).map(|i| format!("n{i}")).collect()), labels: None };
    let page = Report { new: Some(new), ..Report::default() }.html(&model).unwrap();
    let data = data(&page);
    assert_eq!(data["n_new"], 5);
    assert_eq!(data["coordinates"]["shape"], serde_json::json!([65, 2]));
    assert_eq!((&data["ids"][59], &data["ids"][60]), (&"59".into(), &"n0".into()));
    assert_eq!((&data["labels"][59], &data["labels"][60]), (&"59".into(), &"".into()));
    assert_eq!(data["features"]["values"]["shape"], serde_json::json!([65, 3]));
}

#[test]
fn images_must_have_as_many_pixels_as_there_are_features() {
    let model = model();
    let refused = Report { image: Some((2, 2)), ..Report::default() }.html(&model).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "image is 2x2, but the model has 3 features, one for each pixel; use another image"
    );
    let page = Report { image: Some((1, 3)), ..Report::default() }.html(&model).unwrap();
    assert_eq!(data(&page)["image"]["width"], 3);
}

#[test]
fn other_embeddings_stand_beside_the_fit() {
    let model = model();
    let coordinates: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i), 0.5]).collect();
    let other = |coordinates: &[[f64; 2]]| Multiple {
        name: HOSTILE.to_owned(),
        note: "Procrustes .60 · trust .87".to_owned(),
        coordinates: coordinates.to_vec(),
    };
    let comparisons = vec![other(&coordinates), other(&[])];
    let page = Report { comparisons: comparisons.clone(), ..Report::default() }.html(&model).unwrap();
    assert!(!page.contains("<script>alert"));
    let found = &data(&page)["comparisons"];
    assert_eq!(found.as_array().unwrap().len(), 2);
    assert_eq!((&found[0]["name"], &found[0]["note"]), (&HOSTILE.into(), &"Procrustes .60 · trust .87".into()));
    assert_eq!(found[0]["coordinates"]["shape"], serde_json::json!([60, 2]));
    assert!(numbers(&found[0]["coordinates"]).into_iter().eq(coordinates.iter().flatten().map(|&value| value as f32)));
    assert!(numbers(&found[1]["coordinates"]).iter().all(|value| value.is_nan()));
    assert_eq!(data(&Report::default().html(&model).unwrap())["comparisons"], Value::Null);

    // new rows have no place in it, unless it gives them one
    let new = || UnfittedRows {
        values: generate(Shape::SCurve, 5, 0.02, 2).points.transpose().to_owned(),
        ids: None,
        labels: None,
    };
    let page = Report { new: Some(new()), comparisons, ..Report::default() }.html(&model).unwrap();
    let padded = numbers(&data(&page)["comparisons"][0]["coordinates"]);
    assert!(padded.len() == 130 && padded[119] == 0.5 && padded[120..].iter().all(|value| value.is_nan()));
    let all: Vec<[f64; 2]> = (0..65).map(|i| [f64::from(i), 1.0]).collect();
    let page = Report { new: Some(new()), comparisons: vec![other(&all)], ..Report::default() }.html(&model).unwrap();
    assert_eq!(numbers(&data(&page)["comparisons"][0]["coordinates"])[128], 64.0);

    let short = Report { comparisons: vec![Multiple { name: "PCA".into(), ..other(&all[..59]) }], ..Report::default() };
    let refused = short.html(&model).err().unwrap().to_string();
    assert!(refused.starts_with("the comparison \"PCA\" has 59 rows, but 60 rows are needed"), "{refused}");
}

#[test]
fn a_page_from_python_gives_calls() {
    let calls = PythonCalls { refit: "refit()".into(), compare: "select(X)".into() };
    let page = data(&Report { calls: Some(calls), ..Report::default() }.html(&model()).unwrap());
    assert_eq!((&page["graph"]["refit"], &page["compare"]), (&"refit()".into(), &"select(X)".into()));
    assert_eq!(page["python"], true);
    assert!(data(&Report::default().html(&model()).unwrap()).get("python").is_none());
}

#[test]
fn the_page_has_what_was_found_the_groups_of_features_and_the_command_that_compares() {
    let mut model = model();
    let tried = |k| TriedNeighbors { n_neighbors: k, log_density: 1.0, behind: 0.0, error: 0.1, rows: 60 };
    model.fit.neighbors = Some(NeighborsChoice { taken: 6, rows: 60, tried: vec![tried(5), tried(6)] });
    model.fit.views = vec![TableView { name: "left".into(), features: vec![0, 2] }];
    model.table = Some("stored.csv".into());
    let page =
        data(&Report { reading: vec!["--columns".into(), "a:c".into()], ..Report::default() }.html(&model).unwrap());
    assert_eq!(page["title"], "stored.csv in 2 dimensions");
    assert_eq!(page["choices"]["neighbors"]["tried"][1]["n_neighbors"], 6);
    assert_eq!(page["features"]["views"], serde_json::json!([{"name": "left", "features": [0, 2]}]));
    let wanted = "tangency select stored.csv --columns a:c -k 4,6,9 -d 1:3 --max-iter 8 --report compared.html";
    assert_eq!(page["compare"], wanted);
    let facts: Vec<(String, String)> = serde_json::from_value(page["facts"].clone()).unwrap();
    let uncertainty = facts.iter().find(|(name, _)| name == "uncertainty").unwrap();
    assert!(uncertainty.1.ends_with("% of the spread for a typical point"), "{uncertainty:?}");
    model.fit.config.radius = Some(2.0);
    let page = data(&Report::default().html(&model).unwrap());
    assert!(page["compare"].as_str().unwrap().starts_with("tangency select stored.csv --radius 1.5,2,3 -d 1:3"));
}

#[test]
fn words_of_a_shell_are_quoted() {
    let typed = typed(["tangency", "fit", "it's here.csv", "-k", "7", ""].map(str::to_owned));
    assert_eq!(typed, "tangency fit 'it'\\''s here.csv' -k 7 ''");
}

#[test]
fn the_page_has_the_numbers_and_names_of_the_views() {
    let model = model();
    let data = data(&Report::default().html(&model).unwrap());
    let same = |value: &Value, given: &[f64]| assert!(numbers(value).into_iter().eq(given.iter().map(|&v| v as f32)));
    let map = MapView::new(&model.fit);
    assert_eq!((&data["axes"], &data["reach"]), (&serde_json::json!(map.axes), &REACH.into()));
    same(&data["coordinates"], &map.coordinates.concat());
    let loadings = LoadingsView::new(&model, &(0..60).collect::<Vec<_>>()).unwrap();
    same(&data["model"]["loadings"]["mean"], &loadings.mean.concat());
    same(&data["model"]["loadings"]["deviation"], &loadings.deviation.concat());
    same(&data["model"]["loadings"]["standard"], &loadings.standard.concat());
    let edges = EdgesView::new(&model).unwrap();
    same(&data["graph"]["scores"], &edges.edges.iter().map(|edge| edge.score).collect::<Vec<_>>());
    assert_eq!(data["graph"]["suspect"].as_array().unwrap().len(), edges.n_suspects);
    let bound = BoundView::new(&model.fit);
    for (key, lines) in [("parts", &bound.parts), ("hyperparameters", &bound.hyperparameters)] {
        for (k, line) in lines.iter().enumerate() {
            assert_eq!(data["bound"][key][k]["name"], line.name);
            same(&data["bound"][key][k]["values"], &line.values);
        }
    }
    assert_eq!(data["bound"]["final"], bound.last);
}
