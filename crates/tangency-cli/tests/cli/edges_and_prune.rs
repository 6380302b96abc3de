//! Evidence about edges: scores, tests and pruning from the command line.

use crate::command::{attempt, run, run_json};
use crate::files::{Columns, contents, folder};
use crate::fitted::put;
use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

/// The false pair that joins the ends of the sheet.
const FALSE_PAIR: (usize, usize) = (0, 119);

/// A folder with `y.csv`, 120 points of a bent strip in order, and `e.csv`, neighbours along it with one false pair.
fn with_strip() -> tempfile::TempDir {
    let folder = folder();
    let place = |i: usize| {
        ((i / 4) as f64 + 0.3 * ((i * 7) % 5) as f64 / 5.0, (i % 4) as f64 + 0.2 * ((i * 3) % 7) as f64 / 7.0)
    };
    let mut table = "id,a,b,c\n".to_owned();
    for i in 0..120 {
        let (u, v) = place(i);
        let turn = 0.15 * u;
        table += &format!("s{i},{},{v},{}\n", 8.0 * turn.sin(), 8.0 * turn.cos());
    }
    let mut edges = "from,to\n".to_owned();
    for i in 0..120 {
        for j in i + 1..(i + 9).min(120) {
            edges += &format!("{i},{j}\n");
        }
    }
    edges += &format!("{},{}\n", FALSE_PAIR.0, FALSE_PAIR.1);
    std::fs::write(folder.path().join("y.csv"), table).unwrap();
    std::fs::write(folder.path().join("e.csv"), edges).unwrap();
    folder
}

const FIT: &str = "fit y.csv --id-column id --edges e.csv --edges-by index";

/// The same folder with `y.safetensors`, fitted once.
fn with_fitted_strip() -> tempfile::TempDir {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let folder = with_strip();
        run(folder.path(), FIT);
        contents(folder.path())
    });
    let folder = folder();
    files.iter().for_each(|(name, content)| put(folder.path(), name, content));
    folder
}

fn pairs(columns: &Columns) -> HashSet<(usize, usize)> {
    let numbers = |name| columns.numbers(name).into_iter().map(|v| v as usize).collect::<Vec<_>>();
    numbers("i").into_iter().zip(numbers("j")).collect()
}

#[test]
fn edges_are_scored_the_most_suspect_first_and_tested() {
    let folder = with_fitted_strip();
    let told = run(folder.path(), "edges y.safetensors --out scores.csv --top 3");
    let said = &told.stdout;
    assert!(said.contains("resistance") && said.contains("s0,s119"), "{said}");
    let scores = Columns::read(&folder.path().join("scores.csv"));
    assert_eq!(scores.header, ["i", "j", "length", "resistance", "residual", "score", "surprise"]);
    assert_eq!(pairs(&scores), pairs_of_list(&folder));
    let order = scores.numbers("score");
    assert!(order.windows(2).all(|pair| pair[0] >= pair[1]));
    for ((score, resistance), residual) in
        order.iter().zip(scores.numbers("resistance")).zip(scores.numbers("residual"))
    {
        assert!((score - resistance * residual).abs() < 1e-12 && (0.0..=1.0 + 1e-9).contains(&resistance));
    }

    let result = run_json(folder.path(), "edges y.safetensors --test s0,s119 --test s3,s4 --test s0,s40 --seeds 1");
    let tests = result["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 4, "jointly and one by one");
    let of = |pair: [usize; 2]| {
        let named = serde_json::json!([pair]);
        tests[1..].iter().find(|test| test["removed"] == named || test["added"] == named).unwrap()
    };
    assert_eq!(of([0, 40])["added"], serde_json::json!([[0, 40]]));
    let change = |test: &serde_json::Value| test["change"].as_f64().unwrap();
    assert!(change(of([0, 119])) > change(of([3, 4])) + 2.0, "{result}");
    for test in tests {
        let parts =
            ["likelihood", "log_determinant", "maps", "coordinates"].map(|part| test["parts"][part].as_f64().unwrap());
        assert!((parts.iter().sum::<f64>() - change(test)).abs() < 1e-9);
    }
}

fn pairs_of_list(folder: &tempfile::TempDir) -> HashSet<(usize, usize)> {
    let list = Columns::read(&folder.path().join("e.csv"));
    let numbers = |name| list.numbers(name).into_iter().map(|v| v as usize).collect::<Vec<_>>();
    numbers("from").into_iter().zip(numbers("to")).collect()
}

#[test]
fn prune_shows_its_plan_and_writes_only_when_told() {
    let folder = with_fitted_strip();
    let before = contents(folder.path());
    let shown = run(folder.path(), "prune y.safetensors");
    assert!(shown.stdout.contains("short-circuit") && shown.stdout.contains("dry run"), "{}", shown.stdout);
    assert!(contents(folder.path()) == before, "a dry run writes nothing");

    let told = run_json(
        folder.path(),
        "prune y.safetensors --apply --out p.safetensors --out-edges left.csv --removed gone.csv --embedding x.csv",
    );
    let left = Columns::read(&folder.path().join("left.csv"));
    let gone = Columns::read(&folder.path().join("gone.csv"));
    assert_eq!(left.header, ["i", "j"]);
    assert_eq!(gone.header, ["i", "j", "length", "resistance", "residual", "score", "surprise", "gain"]);
    assert!(pairs(&gone).contains(&FALSE_PAIR) && gone.rows.len() <= 3, "{:?}", gone.rows);
    assert_eq!(&pairs(&left) | &pairs(&gone), pairs_of_list(&folder));
    assert!(pairs(&left).is_disjoint(&pairs(&gone)));
    assert_eq!(Columns::read(&folder.path().join("x.csv")).rows.len(), 120);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let pruning = &told["pruning"];
    assert!(number(&pruning["bound_scaled_after"]) > number(&pruning["bound_scaled_before"]) + 2.0);
    assert_eq!(pruning["removed"].as_array().unwrap().len(), gone.rows.len());

    // the list that is left is an edge list like any other, and the model knows what happened to it
    let again = run_json(
        folder.path(),
        "fit y.csv --id-column id --edges left.csv --edges-by index --no-graph-likelihood --engine factorised --out again.safetensors",
    );
    assert!((number(&again["bound_scaled"]) - number(&pruning["bound_scaled_after"])).abs() < 2.0);
    let info = run_json(folder.path(), "info p.safetensors");
    assert_eq!(info["n_removed"], gone.rows.len());
    // the table is fitted again as it was; the paper's bound is what graphs are compared by
    assert_eq!(info["bound_scaled"], told["bound_scaled"]);
}

#[test]
fn fit_with_prune_is_fit_and_then_prune() {
    let folder = with_strip();
    run(folder.path(), &format!("{FIT} --prune --out one.safetensors --out-edges one.csv --removed gone.csv"));
    run(
        folder.path(),
        "prune y.csv --id-column id --edges e.csv --edges-by index --apply --out two.safetensors --out-edges two.csv",
    );
    let files = contents(folder.path());
    assert!(files["one.csv"] == files["two.csv"] && files["one.safetensors"] == files["two.safetensors"]);
    assert!(pairs(&Columns::read(&folder.path().join("gone.csv"))).contains(&FALSE_PAIR));
}

#[test]
fn a_bridge_of_a_broken_graph_is_compared_with_others() {
    let folder = with_strip();
    // two strips, cut between points 59 and 60
    let cut: Vec<String> = pairs_of_list(&folder)
        .into_iter()
        .filter(|&(i, j)| (i < 60) == (j < 60))
        .map(|(i, j)| format!("{i},{j}"))
        .collect();
    std::fs::write(folder.path().join("cut.csv"), cut.join("\n")).unwrap();
    let told = run_json(folder.path(), "prune y.csv --id-column id --edges cut.csv --edges-by index --connect");
    let bridges = told["pruning"]["bridges"].as_array().unwrap();
    assert!(!bridges.is_empty());
    assert!(bridges.iter().all(|bridge| bridge["change"].is_f64() && bridge["in_place_of"].is_array()), "{bridges:?}");
    let refused = attempt(folder.path(), "prune y.csv --id-column id --edges cut.csv --edges-by index");
    assert!(refused.code == Some(2) && refused.stderr.contains("2 pieces"), "{}", refused.said());
}
