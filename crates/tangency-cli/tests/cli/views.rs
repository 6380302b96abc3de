//! Views of a table, from the flag to rows of which only one view is known.

use crate::command::{attempt, run, run_json};
use crate::fitted::{put, table, text, with_sheet};
use std::path::Path;

/// The sheet with two views: of three features that are clear, and of three that are less so.
fn with_views(folder: &Path) {
    for (from, to) in [("train.csv", "both.csv"), ("new.csv", "new_both.csv")] {
        let mut made = "name,a1,a2,a3,b1,b2,b3\n".to_owned();
        for (i, line) in text(folder, from).lines().skip(1).enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let y = |a: usize| cells[2 + a].parse::<f64>().unwrap();
            let blur = |f: usize| 0.1 * (((i * 7919 + f * 104_729) % 1009) as f64 / 504.0 - 1.0);
            let numbers = [y(0), y(1), y(2), y(0) + y(1) + blur(0), y(1) - y(2) + blur(1), y(2) + y(0) + blur(2)];
            let row: Vec<String> = numbers.iter().map(f64::to_string).collect();
            made += &format!("{},{}\n", cells[0], row.join(","));
        }
        put(folder, to, made);
    }
    // only the first view
    let of_line = |line: &str| line.split(',').take(4).collect::<Vec<_>>().join(",");
    let first: Vec<String> = text(folder, "new_both.csv").lines().map(of_line).collect();
    put(folder, "new_a.csv", first.join("\n") + "\n");
}

const FIT: &str = "fit both.csv --id-column name --init isomap --view a=a1:a3 --view b=b1,6,b3";

#[test]
fn a_view_is_expected_from_another() {
    let folder = with_sheet();
    with_views(folder.path());
    let said = run_json(folder.path(), &format!("{FIT} --out m.safetensors --report r.html"));
    assert_eq!(said["views"][0]["features"], serde_json::json!(["a1", "a2", "a3"]));
    assert_eq!(said["views"][1]["features"], serde_json::json!(["b1", "b2", "b3"]));
    assert!(said["views"][1]["noise"].as_f64() > said["views"][0]["noise"].as_f64(), "{}", said["views"]);
    assert!(said["views"][0]["explained"].as_f64().unwrap() > 0.8);
    assert_eq!(said["feature_noise"].as_array().unwrap().len(), 6);
    assert!(run(folder.path(), "info m.safetensors").stdout.contains("views: a (3 features) variance explained"));
    let again = text(folder.path(), "r.html");
    assert!(
        again.contains("--view 'a=a1:a3'") || again.contains("--view &#39;a=a1:a3&#39;") || again.contains("a=a1:a3")
    );

    let placed = run_json(folder.path(), "transform m.safetensors new_a.csv --id-column name --out placed.csv");
    assert_eq!(placed["with_gaps"], placed["rows"]);
    let made = "reconstruct m.safetensors new_a.csv --id-column name --view b --out b.csv";
    run(folder.path(), made);
    let (found, truth) = (table(folder.path(), "b.csv"), table(folder.path(), "new_both.csv"));
    for name in ["b1", "b2", "b3"] {
        let (found, deviation) = (found.numbers(name), found.numbers(&format!("sd_{name}")));
        let truth = truth.numbers(name);
        let near = (0..truth.len()).filter(|&i| (found[i] - truth[i]).abs() < 3.0 * deviation[i] + 0.1).count();
        assert!(10 * near >= 9 * truth.len(), "{near} of {} of {name}", truth.len());
    }
    // what the table has of the view itself changes nothing
    run(folder.path(), "reconstruct m.safetensors new_both.csv --id-column name --view b --out b2.csv");
    assert_eq!(text(folder.path(), "b.csv"), text(folder.path(), "b2.csv"));
}

#[test]
fn features_have_a_noise_of_their_own() {
    let folder = with_sheet();
    with_views(folder.path());
    let fit = "fit both.csv --id-column name --init isomap --feature-noise own --out m.safetensors";
    let said = run_json(folder.path(), fit);
    let rows = said["feature_noise"].as_array().unwrap();
    assert!(rows.len() == 6 && rows.iter().all(|row| row["noise"].as_f64().unwrap() > 0.0));
    assert!(run(folder.path(), "info m.safetensors").stdout.contains("noise: each feature has its own"));
    run(folder.path(), "transform m.safetensors new_both.csv --id-column name --out placed.csv");
    let auto = run_json(folder.path(), &format!("{} --force", fit.replace("own", "auto")));
    assert!(auto["noise"]["rows"].as_u64().unwrap() > 0 && auto["noise"]["taken"] != "auto");
}

#[test]
fn views_that_make_no_sense_are_said() {
    let folder = with_sheet();
    with_views(folder.path());
    run(folder.path(), &format!("{FIT} --out m.safetensors"));
    for (arguments, said) in [
        ("fit both.csv --view a1:a3", "a name and columns are needed"),
        ("fit both.csv --view a=a1:a3 --view a=b1", "two views are named a"),
        ("fit both.csv --view a=a1:a3 --view b=a3:b1", "is in the views a and b"),
        ("fit both.csv --view a=name", "the view a has no feature"),
        ("fit both.csv --view a=nothing", "nothing"),
        ("reconstruct m.safetensors new_a.csv --view c --out c.csv", "the views of the model are"),
        ("reconstruct m.safetensors new_a.csv --view a --out c.csv", "has no feature outside of the view a"),
    ] {
        let outcome = attempt(folder.path(), arguments);
        assert_eq!(outcome.code, Some(2), "{arguments}: {}", outcome.said());
        assert!(outcome.stderr.contains(said), "{arguments}: {}", outcome.said());
    }
}

#[test]
fn views_are_those_of_the_fits_that_are_compared() {
    let folder = with_sheet();
    with_views(folder.path());
    let of = "both.csv --id-column name --init isomap --view a=a1:a3 --view b=b1,6,b3 --max-iter 20 --force";
    let page = |name: &str| text(folder.path(), name);
    run_json(folder.path(), &format!("select {of} -k 9 -d 2 --seeds 1 --report s.html"));
    run_json(folder.path(), &format!("compare {of} -k 9 --methods ll-lvm,pca --report c.html"));
    run_json(folder.path(), &format!("fit {of} --out m.safetensors --report f.html"));
    for name in ["s.html", "c.html", "f.html"] {
        assert!(page(name).contains("\"view a\",\"3 features (a1, a2, a3), noise "), "{name}");
    }
    let refused = attempt(folder.path(), "select both.csv --view a=nobody --force");
    assert!(refused.code == Some(2) && refused.said().contains("nobody"), "{}", refused.said());
}
