//! The factorised engine and what belongs to it: flags, what is said, and every command on such a model.

use crate::command::{attempt, run, run_json};
use crate::files::{Columns, contents, folder};
use crate::fitted::put;
use safetensors::SafeTensors;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

const FIT: &str = "fit s.csv --columns y1:y3 -k 9 --engine factorised";

/// A folder with `s.csv`, 150 points of an S-shaped sheet.
fn with_sheet() -> tempfile::TempDir {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 150 --seed 3 --noise 0.02 --out s.csv");
    folder
}

/// The same with a factorised model of it.
fn with_model() -> tempfile::TempDir {
    let folder = with_sheet();
    run(folder.path(), FIT);
    folder
}

#[test]
fn flags_reach_the_settings_and_the_model() {
    let folder = with_sheet();
    let flags = "--ball-radius 0 --draws 20 --coarse-tol 0.05 --pca 0.6 --neighbor-search approximate --init coarse";
    let fitted = run_json(folder.path(), &format!("{FIT} {flags}"));
    let told = run_json(folder.path(), "info s.safetensors");
    for (field, value) in [
        ("engine", json!("factorised")),
        ("ball_radius", json!(0)),
        ("draws", json!(20)),
        ("coarse_tol", json!(0.05)),
        ("pca", json!(0.6)),
        ("neighbor_search", json!("approximate")),
        ("init", json!("coarse")),
    ] {
        assert_eq!(told["config"][field], value, "{field}");
    }
    for field in ["engine", "deviations", "recall", "pca", "config"] {
        assert_eq!(told[field], fitted[field], "{field}");
    }
    assert_eq!((&told["engine"]["kind"], &told["engine"]["reason"]), (&json!("factorised"), &Value::Null));
    assert_eq!(told["engine"]["solver"], "cholesky");
    assert_eq!((&told["deviations"]["kind"], &told["deviations"]["draws"]), (&json!("sampled"), &json!(20)));
    assert!((0.5..=1.0).contains(&told["recall"].as_f64().unwrap()));
    assert_eq!(told["pca"]["axes"], 2);
    assert!((0.6..1.0).contains(&told["pca"]["share"].as_f64().unwrap()));

    let said = run(folder.path(), "info s.safetensors").stdout;
    for words in ["engine: factorised, sparse Cholesky", "sampled from 20 draws, ±", "searched approximately", "2 of 3"]
    {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
    let again = run(folder.path(), &format!("{FIT} {flags} --force"));
    let lines: Vec<&str> = again.stderr.lines().filter(|line| !line.starts_with("warning: ")).collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("neighbours: ") && lines[1].starts_with("pca: "),
        "{}",
        again.said()
    );
}

#[test]
fn the_kinds_of_deviations_are_told() {
    let folder = with_model();
    let deviations = |more: &str| {
        run(folder.path(), &format!("{FIT} --init spectral --max-iter 15 {more} --embedding x.csv --force"));
        let told = run_json(folder.path(), "info s.safetensors")["deviations"].clone();
        let found = Columns::read(&folder.path().join("x.csv")).numbers("sd1");
        assert!(found.iter().all(|&sd| sd > 0.0 && sd.is_finite()), "{more}");
        (told["kind"].as_str().unwrap().to_owned(), found.iter().sum::<f64>())
    };
    let (sampled, whole) = deviations("--draws 50");
    let (conditional, part) = deviations("--draws 0");
    assert_eq!((sampled.as_str(), conditional.as_str()), ("sampled", "conditional"));
    assert!(part < whole, "a point is known better while all others are held");
    assert!(run(folder.path(), "info s.safetensors").stdout.contains("deviations: conditional"));
    let page = "report s.safetensors --out r.html";
    run(folder.path(), page);
    assert!(
        std::fs::read_to_string(folder.path().join("r.html")).unwrap().contains("factorised, deviations conditional")
    );
}

/// So few iterations that it is quick, and so many points that the exact engine would not be.
#[test]
fn auto_says_why_it_took_the_factorised_engine() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 3100 --seed 1 --out r.csv");
    let fit = "fit r.csv --columns y1:y3 -k 8 --connect --coarse-tol 10 --draws 0 --no-graph-likelihood";
    let outcome = run(folder.path(), fit);
    let said = outcome.stderr.lines().find(|line| line.contains("factorised engine")).unwrap_or_default();
    assert!(said.contains("would take about") || said.contains("memory"), "{}", outcome.said());
    assert!(outcome.stdout.contains("engine: factorised (exact inference of 3100 points"), "{}", outcome.said());
    let quiet = run(folder.path(), &format!("{fit} --force --quiet"));
    assert_eq!(quiet.stdout, "");
    assert!(quiet.stderr.lines().all(|line| line.starts_with("warning: ")), "{}", quiet.said());
    let told = run_json(folder.path(), "info r.safetensors");
    assert_eq!((&told["start"], &told["engine"]["kind"]), (&json!("coarse"), &json!("factorised")));
    assert!(told["engine"]["reason"].is_string());
}

#[test]
fn an_exact_fit_says_so() {
    let folder = with_sheet();
    let outcome = run(folder.path(), "fit s.csv --columns y1:y3 -k 9 --init isomap");
    assert_eq!(outcome.stderr, "");
    assert!(
        outcome.stdout.contains("engine: exact (exact inference of 150 points takes less than a second)"),
        "{}",
        outcome.said()
    );
    assert!(outcome.stdout.contains("deviations: exact"), "{}", outcome.said());
}

#[test]
fn threads_do_not_change_a_byte_of_a_factorised_fit() {
    let folder = with_sheet();
    for more in ["", "--init random --max-iter 30", "--ball-radius 0 --draws 9", "--neighbor-search approximate"] {
        for threads in [1, 2] {
            let names = format!("--embedding x{threads}.csv --trace t{threads}.csv --out m{threads}.safetensors");
            run(folder.path(), &format!("{FIT} {more} {names} --threads {threads} --force"));
        }
        let files = contents(folder.path());
        for (one, two) in [("x1.csv", "x2.csv"), ("t1.csv", "t2.csv"), ("m1.safetensors", "m2.safetensors")] {
            assert!(files[one] == files[two], "{one} and {two} differ after {more}");
        }
    }
}

#[test]
fn every_command_takes_a_factorised_model() {
    let folder = with_model();
    let there = folder.path();
    let edges = run_json(there, "edges s.safetensors --out e.csv --test 0,1 --seeds 1");
    assert!(edges["tests"][0]["change"].as_f64().unwrap().is_finite());
    let scores = Columns::read(&there.join("e.csv")).numbers("resistance");
    assert!(scores.iter().all(|&resistance| resistance > 0.0 && resistance < 1.0 + 1e-6));
    run(there, "transform s.safetensors s.csv --out placed.csv");
    assert_eq!(Columns::read(&there.join("placed.csv")).rows.len(), 150);
    run(there, "reconstruct s.safetensors placed.csv --out back.csv");
    run(there, "sample s.safetensors --n 5 --out more.csv");
    run(there, "loadings s.safetensors --out loadings.csv");
    for kind in ["map", "tangents", "bound", "edges"] {
        run(there, &format!("plot s.safetensors --kind {kind} --out {kind}.svg"));
    }
    run(there, "report s.safetensors --out page.html");
}

#[test]
fn the_factorised_engine_prunes() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 200 --seed 1 --out r.csv");
    let pruned =
        run_json(folder.path(), "prune r.csv --columns y1:y3 --connect --engine factorised --apply --max-removed 3");
    assert_eq!(pruned["engine"]["kind"], "factorised");
    let before = pruned["pruning"]["bound_scaled_before"].as_f64().unwrap();
    assert!(pruned["pruning"]["gain"].as_f64().unwrap() >= 0.0 && before.is_finite());
    let again = run_json(folder.path(), "prune pruned.safetensors --max-removed 1");
    assert_eq!(again["engine"]["kind"], "factorised");
}

#[test]
fn the_factorised_engine_selects_and_compares() {
    let folder = with_sheet();
    let grid = "select s.csv --columns y1:y3 --by bound -k 6,9 -d 1:2 --seeds 1 --engine factorised";
    let found = run_json(folder.path(), grid);
    assert!(found["best"]["mean"].as_f64().unwrap().is_finite());
    let exact = run_json(folder.path(), &format!("{grid} --force").replace("factorised", "exact"));
    assert_ne!(found["best"]["mean"], exact["best"]["mean"]);
    let beside = "compare s.csv --columns y1:y3 --methods ll-lvm,pca --engine factorised --draws 10 --report c.html";
    run(folder.path(), beside);
    let page = std::fs::read_to_string(folder.path().join("c.html")).unwrap();
    assert!(page.contains("factorised, deviations sampled from 10 draws"));
}

#[test]
fn a_model_from_before_there_was_a_choice_loads() {
    let folder = with_sheet();
    run(folder.path(), "fit s.csv --columns y1:y3 -k 9 --init pca");
    let new = std::fs::read(folder.path().join("s.safetensors")).unwrap();
    put(folder.path(), "old.safetensors", without_new_fields(&new));
    let (told, before) =
        (run_json(folder.path(), "info s.safetensors"), run_json(folder.path(), "info old.safetensors"));
    for field in ["n", "bound", "hyperparameters", "deviations", "recall", "pca"] {
        assert_eq!(told[field], before[field], "{field}");
    }
    assert_eq!((&before["engine"]["kind"], &before["engine"]["reason"]), (&json!("exact"), &Value::Null));
    run(folder.path(), "transform old.safetensors s.csv --out placed.csv");
    run(folder.path(), "edges old.safetensors");
}

/// The bytes of a model without the fields that early versions did not write.
fn without_new_fields(bytes: &[u8]) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
    let mut notes: Value = serde_json::from_str(&header.metadata().as_ref().unwrap()["tangency"]).unwrap();
    let top = notes.as_object_mut().unwrap();
    for name in ["engine", "deviations", "recall", "reduced"] {
        assert!(top.remove(name).is_some(), "{name}");
    }
    let config = top["config"].as_object_mut().unwrap();
    for name in ["engine", "ball_radius", "draws", "coarse_tol", "pca", "neighbor_search"] {
        assert!(config.remove(name).is_some(), "{name}");
    }
    let tensors = SafeTensors::deserialize(bytes).unwrap();
    safetensors::serialize(tensors.tensors(), Some(HashMap::from([("tangency".to_owned(), notes.to_string())])))
        .unwrap()
}

#[test]
fn the_full_covariance_takes_the_exact_engine() {
    let folder = with_sheet();
    let told = run_json(folder.path(), "fit s.csv --columns y1:y3 -k 9 --init pca --full-covariance");
    assert_eq!(told["engine"]["kind"], "exact");
    refused(folder.path(), &format!("{FIT} --full-covariance --force"), "use --engine exact");
    refused(folder.path(), "prune s.safetensors --engine factorised", "a model has its own");
}

fn refused(folder: &Path, arguments: &str, words: &str) {
    let outcome = attempt(folder, arguments);
    assert!(outcome.code == Some(2) && outcome.stderr.contains(words), "{arguments}: {}", outcome.said());
}
