//! What is compiled into the command and the Python module comes from one registry, under licences that anyone can live with, with no
//! crate that is banned, and is listed in sbom.cdx.json. Which crates are without a maintainer, and why they stay, is in SECURITY.md.
//!
//! `TANGENCY_WRITE_SBOM=1 cargo test --release --workspace --test cli dependencies` writes the list anew after a change of crates.

use crate::files::workspace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Licences that ask for no more than their text. Of several with OR one is enough.
const LICENCES: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Zlib",
    "Unicode-3.0",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
];
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Crates that need libraries of the system, or the network, and those that others have taken the place of.
const BANNED: [&str; 12] = [
    "openssl",
    "openssl-sys",
    "native-tls",
    "reqwest",
    "hyper",
    "ureq",
    "curl",
    "openblas-src",
    "intel-mkl-src",
    "plotters",
    "npyz",
    "atty",
];
/// Crates that nobody maintains any more and that others still bring: each is explained in SECURITY.md.
const UNMAINTAINED: [&str; 3] = ["paste", "rustybuzz", "ttf-parser"];

/// All packages by id, and those that are in the command or the Python module.
fn packages() -> (BTreeMap<String, Value>, BTreeSet<String>) {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    // of one system, since only its crates are at hand; no network
    let arguments =
        ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let ran = Command::new(cargo).args(arguments).current_dir(workspace()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let packages: BTreeMap<String, Value> =
        list(&found["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&found["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let is_shipped = |package: &Value| package["name"] == "tangency-cli" || package["name"] == "tangency-python";
    let mut left: Vec<String> =
        packages.iter().filter(|(_, package)| is_shipped(package)).map(|(id, _)| id.clone()).collect();
    let mut shipped = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !shipped.insert(id.clone()) {
            continue;
        }
        for dependency in list(&nodes[&id]["deps"]) {
            if list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev") {
                left.push(text(&dependency["pkg"]));
            }
        }
    }
    (packages, shipped)
}

/// Whether one of the alternatives of a licence, or each part of one, is allowed.
fn is_allowed(licence: &str) -> bool {
    let licence = licence.replace('/', " OR ");
    let words = |text: &str| text.trim().trim_matches(['(', ')']).split_whitespace().collect::<Vec<_>>().join(" ");
    let one = |text: &str| text.split(" OR ").any(|licence| LICENCES.contains(&words(licence).as_str()));
    licence.split(" AND ").all(one)
}

#[test]
fn licences_are_read_as_they_are_meant() {
    for licence in
        ["MIT", "MIT/Apache-2.0", "Apache-2.0 OR BSL-1.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "GPL-3.0 OR MIT"]
    {
        assert!(is_allowed(licence), "{licence}");
    }
    for licence in ["GPL-3.0", "MIT AND GPL-2.0", "LGPL-2.1 OR GPL-3.0", "", "MPL-2.0", "MITX"] {
        assert!(!is_allowed(licence), "{licence}");
    }
}

#[test]
fn licences_sources_and_bans() {
    let (packages, shipped) = packages();
    assert!(shipped.len() > 100);
    let security = std::fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    for (id, package) in &packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence), "{name} has the licence {licence:?}");
        assert!(
            package["source"].is_null() || package["source"] == REGISTRY,
            "{name} comes from {}",
            package["source"]
        );
        assert!(!shipped.contains(id) || !BANNED.contains(&name), "{name} is banned");
    }
    for name in UNMAINTAINED {
        let is_there = packages.values().any(|package| package["name"] == name);
        assert!(is_there, "{name} is no longer there: take it out of this list and of SECURITY.md");
        assert!(security.contains(&format!("`{name}`")), "SECURITY.md has to say why {name} is there");
    }
}

#[test]
fn the_list_of_what_is_shipped_is_true() {
    let (packages, shipped) = packages();
    let mut components: Vec<Value> = shipped
        .iter()
        .map(|id| &packages[id])
        .filter(|package| !package["source"].is_null())
        .map(|package| {
            let (name, version) = (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
            let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
            let licence = licence.split_whitespace().collect::<Vec<_>>().join(" ");
            json!({
                "type": "library",
                "name": name,
                "version": version,
                "purl": format!("pkg:cargo/{name}@{version}"),
                "licenses": [{"expression": licence}],
            })
        })
        .collect();
    components.sort_by_key(|component| component["purl"].as_str().unwrap().to_owned());
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "tangency", "version": env!("CARGO_PKG_VERSION")}},
        "components": components,
    });
    let text = serde_json::to_string_pretty(&list).unwrap() + "\n";
    let path = workspace().join("sbom.cdx.json");
    if std::env::var_os("TANGENCY_WRITE_SBOM").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "crates have changed: run this test with TANGENCY_WRITE_SBOM=1, and look at the difference");
}
