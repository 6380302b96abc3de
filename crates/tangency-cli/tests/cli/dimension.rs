//! What is left to the data: `-d auto`, and how features are scaled.

use crate::command::{attempt, run, run_json};
use crate::fitted::with_sheet;

#[test]
fn the_number_of_coordinates_is_found_and_explained() {
    let folder = with_sheet();
    let fit = "fit train.csv --columns y1:y3 -d auto --report r.html --embedding e.csv --out m.safetensors";
    let said = run_json(folder.path(), fit);
    assert_eq!((&said["n_components"], &said["config"]["n_components"]), (&2.into(), &2.into()));
    let found = &said["dimension"];
    assert_eq!((&found["taken"], &found["points"]), (&2.into(), &160.into()));
    assert_eq!(found["spreads"].as_array().unwrap().len(), 3);
    assert_eq!(found["bounds"][1]["n_components"], 2);
    let line = "dimensions: 2 of 3 are used";
    assert!(run(folder.path(), "info m.safetensors").stdout.contains(line));
    // the page's command repeats the fit, with the number that was found
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(!page.contains("n-components auto"));
}

#[test]
fn other_words_are_refused() {
    let folder = with_sheet();
    for wrong in ["few", "0", "2.5", "-1", "Auto"] {
        let outcome = attempt(folder.path(), &format!("fit train.csv --columns y1:y3 -d={wrong}"));
        let said = outcome.said();
        assert_eq!(outcome.code, Some(2), "{said}");
        assert!(said.contains("use a whole number, at least 1, or auto"), "{said}");
    }
}

#[test]
fn features_in_several_units_are_scaled_one_by_one_and_that_is_said() {
    let folder = with_sheet();
    let text = std::fs::read_to_string(folder.path().join("train.csv")).unwrap();
    let in_units: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let cells = line.split(',').enumerate();
            let cell = |(column, cell): (usize, &str)| match (row, cell.parse::<f64>()) {
                (1.., Ok(value)) if column == 2 => (1e6 * value).to_string(),
                _ => cell.to_owned(),
            };
            cells.map(cell).collect::<Vec<_>>().join(",")
        })
        .collect();
    std::fs::write(folder.path().join("units.csv"), in_units.join("\n")).unwrap();
    let fit = "fit units.csv --columns y1:y3 --max-iter 5 --report r.html --force";
    let said = run_json(folder.path(), fit);
    assert_eq!((&said["scaling"]["taken"], &said["scaling"]["reason"]), (&"per-feature".into(), &"units".into()));
    assert_eq!(said["config"]["scaling"], "per-feature");
    let name =
        said["feature_names"][said["scaling"]["largest"].as_u64().unwrap() as usize].as_str().unwrap().to_owned();
    let words = run(folder.path(), fit).stdout;
    let line = format!(
        "scaling: each feature by its own spread, since their units seem to differ: {name} alone holds 100.0 %"
    );
    assert!(words.contains(&line), "{words}");
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains(&format!("units seem to differ: {name} alone")) && !page.contains("--scaling"));
    // in one unit nothing is said, unless all is asked for
    let plain = "fit train.csv --columns y1:y3 --max-iter 5 --force";
    assert!(!run(folder.path(), plain).stdout.contains("scaling:"));
    assert!(run(folder.path(), &format!("{plain} --verbose")).stdout.contains("amounts of one size"));
}
