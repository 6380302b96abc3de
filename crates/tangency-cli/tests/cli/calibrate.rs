//! `fit --calibrate` keeps in the model how it does on rows that it has not seen, and what is done with the model uses it.

use crate::command::{run, run_json};
use crate::files::{contents, model_arrays};
use crate::fitted::{FIT, TRAINED, mean, numbers, put, rms, sheet, table, with_sheet};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The folder of the sheet with `c.safetensors`, calibrated on three parts, and 300 rows that it has not seen.
fn with_calibrated() -> tempfile::TempDir {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let folder = with_sheet();
        put(folder.path(), "new.csv", sheet(folder.path(), "q", 300, 6));
        run(folder.path(), &format!("{FIT} --calibrate 3 --out c.safetensors"));
        contents(folder.path())
    });
    let folder = crate::files::folder();
    files.iter().for_each(|(name, content)| put(folder.path(), name, content));
    folder
}

#[test]
fn the_model_keeps_its_calibration() {
    let folder = with_calibrated();
    let told = run_json(folder.path(), "info c.safetensors");
    assert_eq!(told["calibration"]["parts"], 3);
    let spread = told["calibration"]["spread"].as_f64().unwrap();
    assert!((0.1..10.0).contains(&spread), "{spread}");
    let said = run(folder.path(), "info c.safetensors").stdout;
    assert!(said.contains("calibrated on 3 parts"), "{said}");
    let arrays = model_arrays(&folder.path().join("c.safetensors"));
    assert_eq!(arrays["held_out_log_densities"].0, [TRAINED]);

    // without it nothing else is different
    let plain = run_json(folder.path(), &format!("{FIT} --out m.safetensors"));
    assert!(plain["calibration"].is_null() && plain["bound"] == told["bound"]);
    let others = model_arrays(&folder.path().join("m.safetensors"));
    assert!(others.iter().all(|(name, array)| arrays[name] == *array) && others.len() + 1 == arrays.len());
}

#[test]
fn ten_parts_unless_told() {
    let folder = with_sheet();
    let told = run_json(folder.path(), &format!("{FIT} --init pca --max-iter 3 --calibrate --out c.safetensors"));
    assert_eq!(told["calibration"]["parts"], 10);
}

#[test]
fn new_rows_are_compared_with_rows_that_were_held_out() {
    let folder = with_calibrated();
    let outcome = run(folder.path(), "transform c.safetensors new.csv --out t.csv");
    assert!(!outcome.stdout.contains("calibrate"), "{}", outcome.said());
    let told = run_json(folder.path(), "transform c.safetensors new.csv --out t.csv --force");
    assert_eq!(told["calibrated"], true);
    let novelty = table(folder.path(), "t.csv").numbers("novelty");
    // fits of two thirds of the rows know less, so that new rows seem rather too usual than too rare
    let average = mean(novelty.iter().copied());
    assert!((0.1..0.6).contains(&average), "{average} of the training points are less surprising on average");
    let rare = novelty.iter().filter(|&&share| share > 0.99).count();
    assert!(rare <= 9, "{rare} of 300 usual rows are called rarer than 99 of 100");
    put(folder.path(), "far.csv", "y1,y2,y3\n0,1,9\n-30,1,0\n");
    run(folder.path(), "transform c.safetensors far.csv --out far-out.csv");
    assert_eq!(table(folder.path(), "far-out.csv").numbers("novelty"), [1.0, 1.0]);
}

#[test]
fn deviations_are_those_of_rows_that_were_not_fitted() {
    let folder = with_calibrated();
    run(folder.path(), "transform c.safetensors new.csv --out t.csv");
    let told = run_json(folder.path(), "reconstruct c.safetensors t.csv --out r.csv");
    assert_eq!(told["calibrated"], true);
    let (new, found) = (table(folder.path(), "new.csv"), table(folder.path(), "r.csv"));
    let (y, seen) = (numbers(&new, ["y1", "y2", "y3"]), numbers(&found, ["y1", "y2", "y3"]));
    let sd = numbers(&found, ["sd_y1", "sd_y2", "sd_y3"]);
    let strain =
        rms((0..3).flat_map(|f| (0..300).map(move |i| (f, i))).map(|(f, i)| (y[f][i] - seen[f][i]) / sd[f][i]));
    assert!((0.75..1.3).contains(&strain), "misses are {strain} predicted deviations");
}

/// Deviations that were found for nine neighbours are not for five; the density does not go by neighbours.
#[test]
fn a_calibration_is_for_the_neighbours_of_the_fit() {
    let folder = with_calibrated();
    run(folder.path(), "transform c.safetensors new.csv --out t.csv");
    for command in ["transform c.safetensors new.csv", "reconstruct c.safetensors t.csv"] {
        let calibrated = |more: &str| {
            run_json(folder.path(), &format!("{command} --out out.csv --force {more}"))["calibrated"].as_bool().unwrap()
        };
        assert!(calibrated("") && calibrated("-k 9"), "{command}");
        assert_eq!(calibrated("-k 5"), command.starts_with("transform"), "{command}");
    }
    let said = run(folder.path(), "transform c.safetensors new.csv -k 5 --out out.csv --force").stdout;
    assert!(!said.contains("fit --calibrate"), "the model is calibrated already: {said}");
}
