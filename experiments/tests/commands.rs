//! The experiments run from one command, on small tables, and say what is wrong when the data are not there.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_experiments")).args(arguments).output().unwrap()
}

/// Runs an experiment into a folder and gives back its page.
fn page(folder: &Path, arguments: &[&str]) -> String {
    let out = folder.to_str().unwrap();
    let output = run(&[arguments, &["--out", out]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(folder.join("results.md")).unwrap()
}

#[test]
fn rolls_have_a_higher_bound_without_short_circuits() {
    let folder = tempfile::tempdir().unwrap();
    let text = page(folder.path(), &["short-circuit", "--n", "200", "--seeds", "1"]);
    assert!(text.contains("for 1 of 1 rolls"), "{text}");
    assert!(std::fs::read_to_string(folder.path().join("layouts.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn stations_are_compared_with_the_map() {
    let folder = tempfile::tempdir().unwrap();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut table = format!("station,latitude,longitude,{}\n", months.join(","));
    for i in 0..45 {
        let (east, north) = ((i * 17 % 45) as f64 / 45.0, (i * 29 % 43) as f64 / 43.0);
        let rain = (0..12)
            .map(|m| format!("{:.6}", 100.0 + 50.0 * (east * 2.0 + north + m as f64).sin() + 10.0 * east * north));
        writeln!(table, "s{i},{},{},{}", 30.0 + 15.0 * north, -120.0 + 50.0 * east, rain.collect::<Vec<_>>().join(","))
            .unwrap();
    }
    let path = folder.path().join("stations.csv");
    std::fs::write(&path, table).unwrap();
    let text = page(folder.path(), &["climate", path.to_str().unwrap()]);
    for method in ["ll-lvm-pruned", "isomap", "bayesian-gplvm"] {
        assert!(text.contains(&format!("| {method} |")), "{text}");
    }
    assert!(folder.path().join("layouts.svg").is_file());
}

#[test]
fn a_table_that_is_not_there_is_one_sentence() {
    for experiment in ["usps", "climate"] {
        let folder = tempfile::tempdir().unwrap();
        let output = run(&[experiment, "none.csv", "--out", folder.path().to_str().unwrap()]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("none.csv") && said.trim().lines().count() == 1, "{said}");
    }
}
