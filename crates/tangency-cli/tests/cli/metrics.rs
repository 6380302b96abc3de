//! `--metric`, from the table to new rows, and tables with more features than rows.

use crate::command::{attempt, run, run_json};
use crate::files::{Columns, folder};
use std::fmt::Write;
use std::path::Path;

/// Rows in directions that make a sheet, each with a length of its own.
fn rays(folder: &Path, name: &str, rows: std::ops::Range<usize>, features: usize) {
    let mut text: String = (1..=features).map(|f| format!("w{f}{}", if f == features { "\n" } else { "," })).collect();
    for i in rows {
        let place = |a: usize| ((i * (7919 + 104_729 * a)) % 1009) as f64 / 1009.0;
        let length = 0.5 + 2.0 * place(2);
        let cell =
            |f: usize| length * (2.0 + (3.0 * place(0) + f as f64).sin() + (2.0 * place(1) * (f % 7) as f64).cos());
        let row: Vec<String> = (0..features).map(|f| cell(f).to_string()).collect();
        writeln!(text, "{}", row.join(",")).unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

const QUICK: &str = "--init isomap --max-iter 8 --connect";

#[test]
fn a_metric_makes_the_graph_and_places_new_rows() {
    let folder = folder();
    let folder = folder.path();
    rays(folder, "t.csv", 0..120, 8);
    rays(folder, "new.csv", 120..150, 8);
    let mut placed = vec![];
    for metric in ["euclidean", "cosine", "correlation", "manhattan"] {
        let said = run_json(folder, &format!("fit t.csv {QUICK} --metric {metric} --out {metric}.safetensors"));
        assert_eq!(said["config"]["metric"], metric);
        let line = run(folder, &format!("info {metric}.safetensors")).stdout;
        assert_eq!(line.contains(&format!("metric {metric}")), metric != "euclidean", "{line}");
        run(folder, &format!("transform {metric}.safetensors new.csv --details --out {metric}.csv"));
        placed.push(Columns::read(&folder.join(format!("{metric}.csv"))).texts("neighbors"));
        run(folder, &format!("transform {metric}.safetensors new.csv --details --threads 1 --out one.csv --force"));
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        assert_eq!(read("one.csv"), read(&format!("{metric}.csv")), "{metric}");
    }
    assert!((1..4).all(|metric| placed[metric] != placed[0]));
    let chosen = ["euclidean", "cosine"].map(|metric| {
        let words = format!("select t.csv -k 6,9 -d 2 --seeds 1 {QUICK} --force --metric {metric}");
        run_json(folder, &words)["best"]["mean"].as_f64().unwrap()
    });
    assert!(chosen[0] != chosen[1]);
    run(folder, "compare t.csv --methods pca,isomap --metric correlation --connect");
}

#[test]
fn a_row_without_a_direction_is_one_sentence() {
    let folder = folder();
    let folder = folder.path();
    rays(folder, "t.csv", 0..60, 4);
    let text = std::fs::read_to_string(folder.join("t.csv")).unwrap();
    std::fs::write(folder.join("zero.csv"), format!("{text}0,0,0,0\n")).unwrap();
    let tried = attempt(folder, &format!("fit zero.csv {QUICK} --metric cosine"));
    assert_eq!(tried.code, Some(2));
    for words in ["row 61", "zero in all features", "--metric cosine", "--metric euclidean"] {
        assert!(tried.stderr.contains(words), "{words}: {}", tried.stderr);
    }
    run(folder, &format!("fit t.csv {QUICK} --metric cosine --out m.safetensors"));
    let tried = attempt(folder, "transform m.safetensors zero.csv --out p.csv");
    assert_eq!(tried.code, Some(2));
    assert!(tried.stderr.contains("row 61"), "{}", tried.stderr);
    let tried = attempt(folder, &format!("fit t.csv {QUICK} --metric hamming"));
    assert_eq!(tried.code, Some(2));
    assert!(tried.stderr.contains("manhattan"), "{}", tried.stderr);
}

#[test]
fn a_wide_table_goes_all_the_way() {
    let folder = folder();
    let folder = folder.path();
    rays(folder, "wide.csv", 0..40, 300);
    rays(folder, "new.csv", 40..50, 300);
    let said = run_json(folder, &format!("fit wide.csv {QUICK} --out m.safetensors --report r.html"));
    assert_eq!((&said["n_features"], &said["pca"]), (&300.into(), &serde_json::Value::Null));
    run(folder, "transform m.safetensors new.csv --out p.csv");
    run(folder, "sample m.safetensors --out s.csv");
    let loadings = run(folder, "loadings m.safetensors").stdout;
    assert!(loadings.contains("w1"), "{loadings}");
    run(folder, "edges m.safetensors --out e.csv");
    let fitted = Columns::read(&folder.join("p.csv"));
    assert_eq!(fitted.rows.len(), 10);
    let pruned = run_json(folder, &format!("prune wide.csv {QUICK} --no-graph-likelihood --apply --out q.safetensors"));
    assert_eq!(pruned["n_features"], 300);
}
