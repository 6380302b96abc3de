//! Measured data, on machines that have them beside the workspace.

use crate::command::run_json;
use crate::files::{Columns, folder, workspace};
use std::path::PathBuf;

fn table(name: &str) -> Option<PathBuf> {
    let path = workspace().join("../shared/data").join(name);
    if path.exists() {
        return Some(path.canonicalize().unwrap());
    }
    println!("skipped: no ../shared/data");
    None
}

#[test]
fn precipitation_of_400_stations() {
    let Some(path) = table("ushcn_precip_400.csv") else { return };
    let folder = folder();
    let arguments = format!("fit {} --id-column station --columns jan:dec -k 12 --embedding x.csv", path.display());
    let result = run_json(folder.path(), &arguments);
    assert_eq!((&result["n"], &result["n_features"]), (&400.into(), &12.into()));
    assert!(result["bound"].as_f64().unwrap().is_finite());
    let embedding = Columns::read(&folder.path().join("x.csv"));
    assert_eq!(embedding.texts("id"), Columns::read(&path).texts("station"));
}

#[test]
fn four_hundred_digits() {
    let Some(path) = table("usps_0to4_80each.csv") else { return };
    let folder = folder();
    let arguments =
        format!("fit {} --label-column digit -k 6 --init isomap --max-iter 10 --embedding x.csv", path.display());
    let result = run_json(folder.path(), &arguments);
    assert_eq!((&result["n"], &result["n_features"]), (&400.into(), &256.into()));
    assert!(result["bound"].as_f64().unwrap().is_finite());
    let embedding = Columns::read(&folder.path().join("x.csv"));
    assert_eq!(embedding.texts("label"), Columns::read(&path).texts("digit"));
}
