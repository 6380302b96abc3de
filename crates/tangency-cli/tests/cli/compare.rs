//! Methods side by side: a table, a figure, all coordinates, a page.

use crate::command::{command, interrupt, run, run_json, wait_until};
use crate::files::{Columns, folder};
use crate::fitted::text;
use std::process::Stdio;
use std::time::Duration;

const QUICK: &str = "pca,mds,isomap,lle,ltsa,laplacian-eigenmaps";

fn with_curve() -> tempfile::TempDir {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 150 --seed 1 --out c.csv");
    folder
}

fn number(columns: &Columns, method: &str, name: &str) -> f64 {
    let place = |name: &str| columns.header.iter().position(|found| found == name).unwrap();
    let row = columns.rows.iter().find(|row| row[place("method")] == method).unwrap();
    row[place(name)].parse().unwrap_or_else(|_| panic!("{method} {name}: {row:?}"))
}

fn methods_of(told: &serde_json::Value) -> Vec<&str> {
    told["methods"].as_array().unwrap().iter().map(|m| m["method"].as_str().unwrap()).collect()
}

#[test]
fn every_method_is_run_and_measured() {
    let folder = with_curve();
    let folder = folder.path();
    let arguments =
        "compare c.csv --truth true1,true2 --methods all --n-inducing 10 --embeddings e.csv --report r.html";
    let told = run_json(folder, arguments);
    let methods = methods_of(&told);
    let all = "ll-lvm,ll-lvm-pruned,pca,mds,isomap,lle,ltsa,laplacian-eigenmaps,gplvm,bayesian-gplvm";
    assert_eq!(methods.join(","), all);
    let table = Columns::read(&folder.join("compare.csv"));
    assert_eq!(table.rows.len(), 10);
    for method in ["ll-lvm", "isomap", "ltsa"] {
        assert!(number(&table, method, "affine_r2") > 0.97, "{method}");
    }
    for method in ["ll-lvm", "isomap"] {
        assert!(number(&table, method, "truth_trustworthiness") > 0.97, "{method}");
        assert!(number(&table, method, "geodesic_correlation") > 0.95, "{method}");
    }
    for method in methods {
        assert!(number(&table, method, "seconds") >= 0.0 && number(&table, method, "peak_mib") > 0.0, "{method}");
        assert!((0.0..=1.0).contains(&number(&table, method, "procrustes")), "{method}");
    }
    // all are ranked alike, and a method that bends the sheet is not among the first
    let ranks: Vec<f64> = methods_of(&told).iter().map(|method| number(&table, method, "mean_rank")).collect();
    assert!((ranks.iter().sum::<f64>() - 55.0).abs() < 1e-9, "{ranks:?}");
    assert!(number(&table, "ll-lvm", "mean_rank") < number(&table, "pca", "mean_rank"));
    assert!(number(&table, "ll-lvm", "explained") > number(&table, "pca", "explained"));
    assert!(number(&table, "ll-lvm", "trustworthiness") > number(&table, "pca", "trustworthiness"));
    assert!(number(&table, "ll-lvm", "log_density") > number(&table, "ltsa", "log_density"));
    let coordinates = Columns::read(&folder.join("e.csv"));
    assert_eq!((coordinates.rows.len(), coordinates.header.join(",")), (1500, "id,method,x1,x2".to_owned()));
    let svg = text(folder, "compare.svg");
    assert!(svg.contains(">truth<") && svg.contains("bayesian-gplvm") && !svg.contains("NaN"));
    assert!(text(folder, "r.html").contains("laplacian-eigenmaps"));
}

#[test]
fn labels_give_the_error_of_nearest_neighbours() {
    let folder = with_curve();
    let folder = folder.path();
    let table = text(folder, "c.csv");
    let labelled: Vec<String> = table
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            0 => format!("{line},half"),
            _ if line.split(',').nth(2).unwrap().parse::<f64>().unwrap() > 0.0 => format!("{line},upper"),
            _ => format!("{line},lower"),
        })
        .collect();
    std::fs::write(folder.join("l.csv"), labelled.join("\n")).unwrap();
    let told = run_json(folder, "compare l.csv --columns y1:y3 --label half --methods pca,isomap --figure f.png");
    let of = |m: usize| told["methods"][m]["measures"]["knn_error"].as_f64().unwrap();
    assert!(of(0) < 0.5 && of(1) < 0.2, "{told}");
    assert!(told["methods"][0]["measures"]["procrustes"].is_null());
    assert!(std::fs::read(folder.join("f.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_method_that_fails_does_not_stop_the_others() {
    let folder = with_curve();
    // as many coordinates as features and one more: too many for principal axes
    let told = run_json(folder.path(), "compare c.csv --columns y1:y3 -d 4 --methods pca,isomap");
    assert_eq!((&told["methods"][0]["failed"], &told["methods"][1]["failed"]), (&true.into(), &false.into()));
    assert!(told["methods"][0]["note"].as_str().unwrap().contains("only 3 feature(s)"), "{told}");
}

#[test]
fn the_same_coordinates_on_one_thread_and_on_two() {
    let folder = with_curve();
    let embeddings = |threads: usize| {
        let arguments = format!(
            "compare c.csv --columns y1:y3 --methods {QUICK},bayesian-gplvm --n-inducing 8 --embeddings e.csv --force --threads {threads}"
        );
        run(folder.path(), &arguments);
        text(folder.path(), "e.csv")
    };
    assert!(embeddings(1) == embeddings(2));
}

#[test]
fn a_graph_in_pieces_is_joined_or_the_largest_is_kept() {
    let folder = folder();
    let rows = (0..60).map(|i| {
        let far = if i < 40 { 0.0 } else { 1000.0 };
        let x = f64::from(i);
        format!("{},{},{}\n", far + (x * 0.7).sin(), far + (x * 1.3).cos(), far + (x * 0.2).sin())
    });
    std::fs::write(folder.path().join("t.csv"), std::iter::once("a,b,c\n".to_owned()).chain(rows).collect::<String>())
        .unwrap();
    run(folder.path(), &format!("compare t.csv --methods {QUICK} --largest --embeddings e.csv"));
    assert_eq!(Columns::read(&folder.path().join("e.csv")).rows.len(), 40 * 6);
    run(folder.path(), &format!("compare t.csv --methods {QUICK} --connect --embeddings e.csv --force"));
    assert_eq!(Columns::read(&folder.path().join("e.csv")).rows.len(), 60 * 6);
}

/// Ctrl-C keeps what has run.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_comparison_keeps_what_it_has() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 600 --out r.csv");
    let arguments = "compare r.csv --columns y1:y3 --connect --methods pca,gplvm,isomap";
    let mut child = command(folder.path(), arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || crate::interrupt::listens_for_interrupts(child.id()));
    std::thread::sleep(Duration::from_secs(1));
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("interrupted"), "{}", outcome.said());
    let rows = Columns::read(&folder.path().join("compare.csv")).rows;
    assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["pca", "gplvm"]);
}
