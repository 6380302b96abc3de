//! Anchors, covariates, groups and labels, from the flags to new rows.

use crate::command::{attempt, run, run_json};
use crate::fitted::{put, table, text, with_sheet};
use std::path::Path;

/// Anchors of some rows of the sheet: its true coordinates, stretched.
fn with_anchors(folder: &Path) {
    let mut made = "name,east,north\n".to_owned();
    for line in text(folder, "train.csv").lines().skip(1).step_by(9) {
        let cells: Vec<&str> = line.split(',').collect();
        let y = |a: usize| cells[2 + a].parse::<f64>().unwrap();
        made += &format!("{},{},{}\n", cells[0], 100.0 + 10.0 * y(3), 5.0 * y(4));
    }
    put(folder, "anchors.csv", made);
}

fn header(folder: &Path, name: &str) -> String {
    text(folder, name).lines().next().unwrap().to_owned()
}

#[test]
fn anchors_give_all_rows_a_place() {
    let folder = with_sheet();
    let folder = folder.path();
    with_anchors(folder);
    let fit = "fit train.csv --id-column name --label-column side --columns y1:y3 --init isomap --anchors anchors.csv --embedding e.csv --out m.safetensors --report r.html";
    let said = run_json(folder, fit);
    let known = &said["structure"]["known"];
    assert_eq!(known["kind"], "anchors");
    assert_eq!(known["values"][0]["name"], "east");
    assert!(header(folder, "e.csv").contains("east,north,sd_east,sd_north"), "{}", header(folder, "e.csv"));
    assert!(run(folder, "info m.safetensors").stdout.contains("anchors: east of "));
    assert!(text(folder, "r.html").contains("--anchors anchors.csv"));
    run(folder, "transform m.safetensors new.csv --id-column name --label-column side --out p.csv");
    assert!(header(folder, "p.csv").contains("east,north,sd_east,sd_north"));
    assert!(table(folder, "p.csv").numbers("sd_east").iter().all(|sd| *sd > 0.0));
}

#[test]
fn labels_of_some_rows_give_probabilities_for_all() {
    let folder = with_sheet();
    let folder = folder.path();
    let lines: Vec<String> = text(folder, "train.csv").lines().map(str::to_owned).collect();
    let mut made = format!("{},class\n", lines[0]);
    for (i, line) in lines[1..].iter().enumerate() {
        let first: f64 = line.split(',').nth(2).unwrap().parse().unwrap();
        let class = if i % 4 > 0 {
            ""
        } else if first > 0.0 {
            "right"
        } else {
            "left"
        };
        made += &format!("{line},{class}\n");
    }
    put(folder, "some.csv", made);
    let fit = "fit some.csv --id-column name --columns y1:y3 --init isomap --labels class --embedding e.csv --out m.safetensors";
    let said = run_json(folder, fit);
    assert_eq!(said["structure"]["groups"]["names"], serde_json::json!(["left", "right"]));
    let found = table(folder, "e.csv");
    let (left, right) = (found.numbers("p_left"), found.numbers("p_right"));
    assert!(left.iter().zip(&right).all(|(l, r)| (l + r - 1.0).abs() < 1e-9));
    assert!(header(folder, "e.csv").contains("class,p_left,p_right"));
    let said = run_json(
        folder,
        "fit some.csv --id-column name --columns y1:y3 --init isomap --groups 1:4 --out g.safetensors",
    );
    assert!(said["structure"]["groups"]["count"].as_u64().unwrap() >= 1);
}

#[test]
fn what_was_typed_wrong_is_said_in_one_sentence() {
    let folder = with_sheet();
    let folder = folder.path();
    with_anchors(folder);
    put(folder, "wrong.csv", "name,east\nnobody,3\n");
    let fit = "fit train.csv --id-column name --columns y1:y3";
    for (more, said) in [
        ("--groups many", "write it like 4 or 1:8"),
        ("--groups 5:2", "--groups is 5:2, but a number from 1"),
        ("--anchors wrong.csv", "which is no row of the table"),
        ("--anchors anchors.csv --no-graph-likelihood", "--anchors belongs to the graph's likelihood"),
        ("--groups 3 --feature-weight polish", "--groups belongs to the graph's likelihood"),
        ("--covariates height", "height"),
    ] {
        let done = attempt(folder, &format!("{fit} {more}"));
        assert_eq!(done.code, Some(2), "{more}: {}", done.stderr);
        assert!(done.stderr.contains(said), "{more}: {}", done.stderr);
    }
}
