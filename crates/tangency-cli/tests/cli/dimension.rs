//! `-d auto`.

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
