//! Tables with empty cells, from the file to the files.

use crate::command::{attempt, run, run_json};
use crate::files::Columns;
use crate::fitted::with_sheet;
use std::path::Path;

/// The sheet with every feature twice and more, so that one says something of another; some cells are empty.
fn with_gaps(folder: &Path) {
    for (from, to) in [("train.csv", "gaps.csv"), ("new.csv", "new_gaps.csv")] {
        let text = std::fs::read_to_string(folder.join(from)).unwrap();
        let mut made = "name,temp,flow,vib,temp2,flow2,vib2\n".to_owned();
        for (i, line) in text.lines().skip(1).enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let y = |a: usize| cells[2 + a].parse::<f64>().unwrap();
            let numbers = [y(0), y(1), y(2), y(0) + y(1), y(1) - y(2), y(2) + y(0)];
            let cell = |f: usize| match (i % 16, f) {
                (3, 0) | (7, 1) => String::new(),
                (11, 2) => "NA".to_owned(),
                _ => numbers[f].to_string(),
            };
            let row: Vec<String> = (0..6).map(cell).collect();
            made += &format!("{},{}\n", cells[0], row.join(","));
        }
        std::fs::write(folder.join(to), made).unwrap();
    }
}

const FIT: &str = "fit gaps.csv --id-column name --init isomap";

#[test]
fn entries_that_are_missing_are_found_and_said() {
    let folder = with_sheet();
    with_gaps(folder.path());
    let said = run_json(folder.path(), &format!("{FIT} --out m.safetensors --report r.html"));
    assert_eq!((&said["missing"]["entries"], &said["missing"]["rows"]), (&30.into(), &30.into()));
    assert_eq!(said["missing"]["by_feature"][0], serde_json::json!(["temp", 10]));
    let line = "missing: 30 entries in 30 of 160 rows, found together with the map: temp 10, flow 10, vib 10";
    assert!(run(folder.path(), "info m.safetensors").stdout.contains(line));

    run(folder.path(), "reconstruct m.safetensors --missing --out found.csv");
    let found = Columns::parse(&std::fs::read_to_string(folder.path().join("found.csv")).unwrap());
    assert_eq!((found.rows.len(), found.rows[0].len()), (30, 4));
    let whole = std::fs::read_to_string(folder.path().join("train.csv")).unwrap();
    let mut near = 0;
    for row in &found.rows {
        let line = whole.lines().find(|line| line.starts_with(&format!("{},", row[0]))).unwrap();
        let place = ["temp", "flow", "vib"].iter().position(|name| *name == row[1]).unwrap();
        let truth: f64 = line.split(',').nth(2 + place).unwrap().parse().unwrap();
        let (value, deviation): (f64, f64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        near += usize::from((value - truth).abs() < 2.0 * deviation + 1e-9);
    }
    assert!(near >= 24, "{near} of 30 are within two deviations");

    let pruned = run_json(folder.path(), "prune gaps.csv --id-column name --init isomap");
    assert!(pruned["pruning"]["removed"].is_array() && pruned["missing"]["entries"] == 30, "{pruned}");

    let placed = run_json(folder.path(), "transform m.safetensors new_gaps.csv --id-column name --out placed.csv");
    let gaps = placed["with_gaps"].as_u64().unwrap();
    assert!(gaps > 0);
    let placed = Columns::parse(&std::fs::read_to_string(folder.path().join("placed.csv")).unwrap());
    assert_eq!(placed.texts("novelty").iter().filter(|cell| cell.is_empty()).count() as u64, gaps);
    assert!(placed.texts("log_density").iter().all(|cell| cell.parse::<f64>().unwrap().is_finite()));
    assert!(placed.texts("x1").iter().all(|cell| cell.parse::<f64>().unwrap().is_finite()));
}

#[test]
fn pages_and_calibration_take_gaps() {
    let folder = with_sheet();
    with_gaps(folder.path());
    let said = run_json(folder.path(), &format!("{FIT} --calibrate 3 --out m.safetensors"));
    // 130 of 160 rows are whole
    assert_eq!(said["quality"]["among"], serde_json::json!({ "whole": 130 }));
    assert!(run(folder.path(), "info m.safetensors").stdout.contains("among the 130 rows without gaps"));
    run(folder.path(), "report m.safetensors new_gaps.csv --id-column name --out page.html");
    assert!(std::fs::read_to_string(folder.path().join("page.html")).unwrap().contains("<!DOCTYPE html>"));
}

#[test]
fn they_can_be_left_out_or_refused() {
    let folder = with_sheet();
    with_gaps(folder.path());
    let said = run_json(folder.path(), &format!("{FIT} --missing drop --connect --out m.safetensors"));
    assert_eq!((&said["n"], &said["n_rows"]), (&130.into(), &160.into()));
    let words = "30 rows of 160 lack an entry and were left out; use --missing model";
    assert!(said["warnings"].as_array().unwrap().iter().any(|text| text == words), "{said}");
    let refused = attempt(folder.path(), &format!("{FIT} --missing error --out n.safetensors"));
    assert_eq!(refused.code, Some(2));
    assert!(refused.said().contains("column temp is missing"), "{}", refused.said());
    let whole = attempt(folder.path(), "reconstruct m.safetensors --missing --out found.csv");
    assert!(whole.code == Some(2) && whole.said().contains("lacked no entry"), "{}", whole.said());
    for other in ["select gaps.csv --id-column name", "compare gaps.csv --id-column name"] {
        let refused = attempt(folder.path(), &format!("{other} --missing error"));
        assert!(refused.code == Some(2) && refused.said().contains("is missing"), "{}", refused.said());
    }
}

#[test]
fn graphs_are_compared_by_what_rows_have() {
    let folder = with_sheet();
    with_gaps(folder.path());
    let grid = "select gaps.csv --id-column name -k 6,9 -d 2 --seeds 1 --max-iter 20 --init isomap --force";
    let said = run_json(folder.path(), &format!("{grid} --report r.html"));
    for candidate in said["candidates"].as_array().unwrap() {
        assert_eq!(candidate["held_out"]["rows"], 160, "{candidate}");
    }
    let dropped = run_json(folder.path(), &format!("{grid} --missing drop --connect"));
    assert_eq!(dropped["candidates"][0]["held_out"]["rows"], 130, "{dropped}");
}

#[test]
fn other_methods_get_gaps_filled_in_and_that_is_said() {
    let folder = with_sheet();
    with_gaps(folder.path());
    let asked =
        "compare gaps.csv --id-column name -k 9 --methods ll-lvm,pca,isomap,lle --init isomap --max-iter 30 --force";
    let line = "30 entries missing in 30 rows: ll-lvm takes the rows as they are, the other methods get them filled in from the \
                nearest rows; neighbourhoods, variance and density are measured among the 130 rows without gaps";
    let outcome = run(folder.path(), &format!("{asked} --report r.html"));
    assert!(outcome.stderr.contains(line), "{}", outcome.stderr);
    assert!(std::fs::read_to_string(folder.path().join("r.html")).unwrap().contains(line));
    let said = run_json(folder.path(), asked);
    assert_eq!(said["filled_in"], serde_json::json!({"entries": 30, "rows": 30, "among": {"whole": 130}}));
    for method in said["methods"].as_array().unwrap() {
        assert!(method["measures"]["trustworthiness"].as_f64().unwrap() > 0.8, "{method}");
    }
    let dropped = run_json(folder.path(), &format!("{asked} --missing drop --connect"));
    assert!(dropped["filled_in"].is_null(), "{dropped}");
}
