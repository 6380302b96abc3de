//! The same points from every kind of table and graph, and the names that travel with them.

use crate::command::{run, run_json};
use crate::files::{Columns, folder, npy, npz};
use std::fmt::Write;
use std::path::Path;

/// A bent sheet of whole numbers, exact in every type, with a name and a group for each point; `fixtures/sheet.parquet`
/// holds the same.
fn sheet() -> Vec<[i32; 3]> {
    (0..48)
        .map(|i| {
            let (u, v) = (10 * (i % 8) + (7 * i) % 5, 10 * (i / 8) + (11 * i) % 7);
            [u, v, u * u / 20]
        })
        .collect()
}

fn delimited(delimiter: char, header: bool) -> String {
    let mut text =
        if header { ["name", "u", "v", "w", "group"].join(&delimiter.to_string()) + "\n" } else { String::new() };
    for (i, [u, v, w]) in sheet().into_iter().enumerate() {
        let cells = [format!("p{i}"), u.to_string(), v.to_string(), w.to_string(), group(i).to_owned()];
        text += &(cells.join(&delimiter.to_string()) + "\n");
    }
    text
}

fn group(i: usize) -> &'static str {
    if i % 8 < 4 { "left" } else { "right" }
}

fn names(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|i| format!("p{i}")).collect()
}

const QUICK: &str = "-k 6 --init isomap --max-iter 15";

fn bound(folder: &Path, table: &str) -> f64 {
    let result = run_json(folder, &format!("fit {table} {QUICK} --force"));
    assert_eq!(result["n_features"], 3, "{table}");
    result["bound"].as_f64().unwrap()
}

#[test]
fn every_format_gives_the_same_fit() {
    let folder = folder();
    let put = |name: &str, content: Vec<u8>| std::fs::write(folder.path().join(name), content).unwrap();
    let cells = || sheet().into_iter().flatten();
    let shape = [48, 3];
    let doubles = npy(&shape, cells().map(f64::from));
    put("t.csv", delimited(',', true).into());
    put("quoted.csv", delimited(',', true).replace("right", "\"right, far\"").into());
    put("semicolons.csv", delimited(';', true).into());
    put("t.tsv", delimited('\t', true).into());
    put("headerless.csv", delimited(',', false).into());
    put("f8.npy", doubles.clone());
    put("f4.npy", npy(&shape, cells().map(|v| v as f32)));
    put("i8.npy", npy(&shape, cells().map(i64::from)));
    put("u2.npy", npy(&shape, cells().map(|v| v as u16)));
    put("one.npz", npz(&[("points", doubles.clone())]));
    put("two.npz", npz(&[("other", npy(&[48, 2], (0..96).map(f64::from))), ("points", doubles)]));
    put("t.parquet", include_bytes!("../fixtures/sheet.parquet").to_vec());

    let expected = bound(folder.path(), "t.csv");
    assert!(expected.is_finite());
    for table in [
        "quoted.csv",
        "semicolons.csv",
        "t.tsv",
        "headerless.csv",
        "headerless.csv --no-header",
        "f8.npy",
        "f4.npy",
        "i8.npy",
        "u2.npy",
        "one.npz",
        "two.npz --array points",
        "t.parquet",
    ] {
        assert_eq!(bound(folder.path(), table), expected, "{table}");
    }
}

#[test]
fn names_and_labels_reach_the_embedding() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), delimited(',', true)).unwrap();
    std::fs::write(folder.path().join("t.parquet"), include_bytes!("../fixtures/sheet.parquet")).unwrap();
    for table in ["t.csv", "t.parquet"] {
        let arguments = format!("fit {table} --id-column name --label-column group {QUICK} --embedding x.csv --force");
        run(folder.path(), &arguments);
        let embedding = Columns::read(&folder.path().join("x.csv"));
        assert_eq!(embedding.header, ["id", "label", "x1", "x2", "sd1", "sd2"], "{table}");
        assert_eq!(embedding.texts("id"), names(0..48), "{table}");
        assert_eq!(embedding.texts("label"), (0..48).map(group).collect::<Vec<_>>(), "{table}");
    }
}

#[test]
fn rows_without_names_are_numbered_from_zero() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), delimited(',', true)).unwrap();
    run(folder.path(), &format!("fit t.csv {QUICK} --embedding x.csv"));
    let embedding = Columns::read(&folder.path().join("x.csv"));
    assert_eq!(embedding.header, ["id", "x1", "x2", "sd1", "sd2", "name", "group"]);
    assert_eq!(embedding.texts("id"), (0..48).map(|i| i.to_string()).collect::<Vec<_>>());
}

#[test]
fn features_are_the_numeric_columns_unless_told_otherwise() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), delimited(',', true)).unwrap();
    let features = |more: &str| {
        let outcome = run(folder.path(), &format!("fit t.csv {QUICK} --connect --force --json {more}"));
        for word in ["column", "name", "group"] {
            let said = outcome.stderr.lines().find(|line| line.contains(word) && !line.contains("of the variance"));
            assert!(said.is_none(), "text columns are carried without a word: {}", outcome.stderr);
        }
        let result: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        serde_json::from_value::<Vec<String>>(result["feature_names"].clone()).unwrap()
    };
    assert_eq!(features(""), ["u", "v", "w"]);
    assert_eq!(features("--exclude v"), ["u", "w"]);
    assert_eq!(features("--exclude 3:4 --columns 2:4 -d 1"), ["u"]);
    assert_eq!(features("--columns w,u"), ["w", "u"]);
    assert_eq!(features("--columns v:w"), ["v", "w"]);
    assert_eq!(features("--id-column u"), ["v", "w"]);
    assert_eq!(features("--label-column w"), ["u", "v"]);
}

/// The sheet and, far from it, eight points of a small one; `first` says which comes first in the table.
fn two_sheets(first: &str) -> String {
    let far = |k: usize| format!("q{k},{},{},5000\n", 10 * k, 5 * (k % 2));
    let mut table = "name,u,v,w\n".to_owned();
    let few: String = (0..8).map(far).collect();
    let many: String = sheet().into_iter().enumerate().fold(String::new(), |mut text, (i, [u, v, w])| {
        writeln!(text, "p{i},{u},{v},{w}").unwrap();
        text
    });
    table += &if first == "few" { few + &many } else { many + &few };
    table
}

#[test]
fn largest_keeps_one_piece_and_says_so() {
    for first in ["few", "many"] {
        let folder = folder();
        std::fs::write(folder.path().join("t.csv"), two_sheets(first)).unwrap();
        let arguments =
            "fit t.csv --id-column name --largest -k 6 --init isomap --max-iter 15 --embedding x.csv --json";
        let outcome = run(folder.path(), arguments);
        let embedding = Columns::read(&folder.path().join("x.csv"));
        assert_eq!(embedding.texts("id"), names(0..48), "{first} first");
        let result: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(result["n"], 48);
        for said in [outcome.stderr, result["warnings"].to_string()] {
            assert!(said.contains("largest piece") && said.contains("48"), "{first} first: {said:?}");
        }
        let later = run(folder.path(), "info t.safetensors");
        assert!(later.stderr.contains("largest piece"), "{first} first, info: {:?}", later.stderr);
    }
}

#[test]
fn connect_adds_bridges_and_names_them() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), two_sheets("many")).unwrap();
    let arguments = "fit t.csv --id-column name --connect -k 6 --init isomap --max-iter 15 --embedding x.csv --json";
    let outcome = run(folder.path(), arguments);
    let result: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let bridges = result["bridges"].as_array().unwrap();
    assert_eq!((&result["n"], bridges.len()), (&56.into(), 1));
    let (from, to) = (bridges[0][0].as_u64().unwrap(), bridges[0][1].as_u64().unwrap());
    assert!(from < 48 && to >= 48, "a bridge joins the two pieces: {from}–{to}");
    assert!(outcome.stderr.contains("bridge"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(&format!("p{from}–q{}", to - 48)), "{}", outcome.stderr);
    assert_eq!(Columns::read(&folder.path().join("x.csv")).rows.len(), 56);

    // the shortest of all pairs between the two
    let points = Columns::parse(&two_sheets("many"));
    let features = ["u", "v", "w"].map(|name| points.numbers(name));
    let apart = |i: usize, j: usize| features.iter().map(|f| (f[i] - f[j]).powi(2)).sum::<f64>();
    let shortest =
        (0..48).flat_map(|i| (48..56).map(move |j| (i, j))).map(|(i, j)| apart(i, j)).fold(f64::INFINITY, f64::min);
    assert_eq!(apart(from as usize, to as usize), shortest);
}

/// Neighbours on the lattice that the sheet came from.
fn lattice_edges() -> Vec<(usize, usize)> {
    let inside = |i: usize, j: usize| j < 48 && (j / 8 == i / 8 || j % 8 == i % 8);
    let pairs = (0..48).flat_map(|i| [(i, i + 1), (i, i + 8)]);
    pairs.filter(|&(i, j)| inside(i, j)).collect()
}

#[test]
fn edges_by_number_and_by_name_are_the_same_graph() {
    let folder = folder();
    let list = |header: &str, name: &dyn Fn(usize) -> String| {
        let rows = lattice_edges().into_iter().map(|(i, j)| format!("{},{}\n", name(i), name(j)));
        header.to_owned() + &rows.collect::<String>()
    };
    let put = |name: &str, content: String| std::fs::write(folder.path().join(name), content).unwrap();
    put("t.csv", delimited(',', true));
    put("numbers.csv", list("", &|i| i.to_string()));
    put("headed.csv", list("from,to\n", &|i| i.to_string()));
    put("names.csv", list("", &|i| format!("p{i}")));
    put("headed-names.csv", list("from,to\n", &|i| format!("p{i}")));
    // each edge a second time, the other way round
    put("doubled.csv", list("", &|i| i.to_string()) + &list("", &|i| (47 - i).to_string()));
    let fitted = |edges: &str| {
        let arguments = format!("fit t.csv --id-column name --edges {edges} --init isomap --max-iter 15 --force");
        let result = run_json(folder.path(), &arguments);
        assert_eq!(result["n_edges"], lattice_edges().len(), "{edges}");
        result["bound"].as_f64().unwrap()
    };
    let expected = fitted("numbers.csv");
    for edges in [
        "headed.csv",
        "names.csv",
        "headed-names.csv",
        "names.csv --edges-by id",
        "numbers.csv --edges-by index",
        "doubled.csv",
    ] {
        assert_eq!(fitted(edges), expected, "{edges}");
    }
}

#[test]
fn ids_that_are_numbers_can_be_asked_for() {
    let folder = folder();
    // row i has id 47 − i: by row number and by id, the same list is another graph
    let mut table = "id,u,v,w\n".to_owned();
    for (i, [u, v, w]) in sheet().into_iter().enumerate() {
        writeln!(table, "{},{u},{v},{w}", 47 - i).unwrap();
    }
    let pairs = [(0, 1), (0, 2), (1, 3)].into_iter().chain((2..47).map(|i| (i, i + 1)));
    let list = |name: &dyn Fn(usize) -> usize| {
        pairs.clone().map(|(i, j)| format!("{},{}\n", name(i), name(j))).collect::<String>()
    };
    std::fs::write(folder.path().join("t.csv"), table).unwrap();
    std::fs::write(folder.path().join("rows.csv"), list(&|i| i)).unwrap();
    std::fs::write(folder.path().join("ids.csv"), list(&|i| 47 - i)).unwrap();
    let fitted = |edges: &str| {
        let arguments = format!("fit t.csv --id-column id --edges {edges} -d 1 --init isomap --max-iter 15 --force");
        run_json(folder.path(), &arguments)["bound"].as_f64().unwrap()
    };
    assert_eq!(fitted("ids.csv --edges-by id"), fitted("rows.csv"));
    assert_ne!(fitted("ids.csv --edges-by index"), fitted("rows.csv"));
}

#[test]
fn symmetry_and_radius_change_the_graph() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), delimited(',', true)).unwrap();
    let edges = |more: &str| {
        let arguments = format!("fit t.csv --columns u,v --init pca --max-iter 3 --force {more}");
        run_json(folder.path(), &arguments)["n_edges"].as_u64().unwrap() as usize
    };
    assert!(edges("-k 6 --symmetry mutual") < edges("-k 6 --symmetry or"));
    let points = sheet();
    let apart = |i: usize, j: usize| (0..2).map(|c| f64::from(points[i][c] - points[j][c]).powi(2)).sum::<f64>();
    let within = (0..48).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| apart(i, j) <= 400.0).count();
    assert_eq!(edges("--radius 20"), within);
}
