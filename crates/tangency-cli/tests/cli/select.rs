//! A selection fits the grid that was asked for, survives being killed, and does not depend on threads.

use crate::command::{command, interrupt, run, run_json, wait_until};
use crate::files::{Columns, contents, folder};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

const HEADER: [&str; 11] = [
    "n_neighbors",
    "n_components",
    "seed",
    "pieces",
    "bound",
    "bound_per_point",
    "n_iter",
    "stop",
    "graph",
    "part",
    "log_density",
];

/// A folder with `s.csv`, 100 points of an S-shaped sheet.
fn with_sheet() -> tempfile::TempDir {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 100 --seed 3 --out s.csv");
    folder
}

const SELECT: &str = "select s.csv --columns y1:y3 --by bound -k 5:9:2 -d 1:2 --seeds 2";

fn journal_lines(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("select.csv.partial")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).skip(1).map(str::to_owned).collect()
}

/// Starts a command and waits until its journal has so many fits.
fn started(folder: &Path, arguments: &str, fits: usize) -> Child {
    let mut command = command(folder, arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(60), || journal_lines(folder).len() >= fits || child.try_wait().unwrap().is_some());
    child
}

#[test]
fn the_whole_grid_is_in_the_table_and_the_best_is_named() {
    let folder = with_sheet();
    let told = run_json(folder.path(), &format!("{SELECT} --all"));
    let files: Vec<String> = contents(folder.path()).into_keys().collect();
    assert_eq!(files, ["s.csv", "select.csv", "select.svg"], "and no journal is left");
    let table = Columns::read(&folder.path().join("select.csv"));
    assert_eq!(table.header, HEADER);
    let key = |name: &str| table.texts(name);
    let keys: Vec<String> = (0..table.rows.len())
        .map(|row| ["n_neighbors", "n_components", "seed"].map(|name| key(name)[row].clone()).join(" "))
        .collect();
    let mut expected = Vec::new();
    for k in [5, 7, 9] {
        for d in [1, 2] {
            expected.extend([0, 1].map(|seed| format!("{k} {d} {seed}")));
        }
    }
    assert_eq!(keys, expected);
    for (bound, per_point) in table.numbers("bound").iter().zip(table.numbers("bound_per_point")) {
        assert!((bound / 100.0 - per_point).abs() < 1e-12);
    }
    // the best by hand: means over seeds of what did not collapse
    let (bounds, stops) = (table.numbers("bound"), table.texts("stop"));
    let means = (0..6).filter_map(|c| {
        let counted: Vec<f64> =
            [2 * c, 2 * c + 1].into_iter().filter(|&row| stops[row] != "collapsed").map(|row| bounds[row]).collect();
        (!counted.is_empty()).then(|| (c, counted.iter().sum::<f64>() / counted.len() as f64))
    });
    let (best, mean) = means.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!((&told["best"]["candidate"], &told["best"]["graph"]), (&best.into(), &"knn".into()));
    assert!((told["best"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    assert_eq!(told["resumed"], 0);
    assert_eq!(told["candidates"].as_array().unwrap().len(), 6);
}

#[test]
fn a_cell_is_the_fit_of_the_same_settings() {
    let folder = with_sheet();
    run(folder.path(), &format!("{SELECT} --all --seed 4"));
    let table = Columns::read(&folder.path().join("select.csv"));
    let fit = run_json(folder.path(), "fit s.csv --columns y1:y3 -k 9 -d 2 --seed 5 --no-graph-likelihood");
    let row = table.rows.iter().find(|row| row[..3] == ["9", "2", "5"]).unwrap();
    assert_eq!(row[4].parse::<f64>().unwrap(), fit["bound"].as_f64().unwrap());
    assert_eq!((row[6].as_str(), row[7].as_str()), (fit["n_iter"].to_string().as_str(), fit["stop"].as_str().unwrap()));
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = with_sheet();
    for threads in [1, 2] {
        run(folder.path(), &format!("{SELECT} --threads {threads} --out t{threads}.csv"));
    }
    let files = contents(folder.path());
    assert_eq!(files["t1.csv"], files["t2.csv"]);
    assert_eq!(files["t1.svg"], files["t2.svg"]);
}

#[test]
fn hopeless_candidates_stop_early_unless_all_are_asked_for() {
    let folder = with_sheet();
    run(folder.path(), &format!("{SELECT} --seeds 3 --out raced.csv").replace("--seeds 2 ", ""));
    run(folder.path(), &format!("{SELECT} --seeds 3 --all --out all.csv").replace("--seeds 2 ", ""));
    let [raced, all] = ["raced.csv", "all.csv"].map(|name| Columns::read(&folder.path().join(name)));
    assert_eq!(raced.rows.len(), 18);
    assert!(all.texts("stop").iter().all(|stop| stop != "raced"));
    let mut early = 0;
    for (one, other) in raced.rows.iter().zip(&all.rows) {
        assert_eq!(one[..4], other[..4]);
        if one[7] == "raced" {
            assert_eq!(one[4..7], ["", "", ""]);
            early += 1;
        } else {
            assert_eq!(one, other);
        }
    }
    assert!(early > 0);
}

#[test]
fn pieces_are_reported_or_joined() {
    let folder = with_sheet();
    let arguments = "select s.csv --columns y1:y3 --by bound -k 1,9 -d 1:2 --seeds 2 --all";
    let said = run(folder.path(), arguments).stdout;
    assert!(said.contains("in pieces: knn 1 ("), "{said}");
    let table = Columns::read(&folder.path().join("select.csv"));
    assert_eq!(table.rows.len(), 2 + 4, "one row a candidate in pieces, one a fit of the others");
    for row in &table.rows[..2] {
        assert!(row[3].parse::<usize>().unwrap() > 1);
        assert_eq!(
            (&row[2..3], &row[4..8]),
            (&[String::new()][..], &["", "", "", "disconnected"].map(String::from)[..])
        );
    }
    run(folder.path(), &format!("{arguments} --connect --out joined.csv --max-iter 20"));
    let joined = Columns::read(&folder.path().join("joined.csv"));
    assert_eq!(joined.rows.len(), 8);
    assert_eq!(joined.rows[0][3], table.rows[0][3], "pieces before they were joined");
    assert!(joined.texts("bound").iter().all(|bound| !bound.is_empty()));
}

#[test]
fn a_grid_all_in_pieces_has_a_table_and_no_best() {
    let folder = with_sheet();
    let told = run_json(folder.path(), "select s.csv --columns y1:y3 --by bound -k 1 -d 1:2");
    assert!(told["best"].is_null());
    assert_eq!(Columns::read(&folder.path().join("select.csv")).rows.len(), 2);
    assert!(!folder.path().join("select.svg").exists());
}

#[test]
fn kinds_of_graphs_stand_side_by_side() {
    let folder = with_sheet();
    let chain: String = (0..99).map(|i| format!("{i},{}\n", i + 1)).collect();
    std::fs::write(folder.path().join("a.csv"), &chain).unwrap();
    std::fs::write(folder.path().join("b.csv"), format!("{chain}0,2\n")).unwrap();
    let common = "select s.csv --columns y1:y3 --by bound -d 2 --seeds 1 --max-iter 20";
    let arguments = format!("{common} -k 9 --mutual 12 --radius 1.5,0.9 --edges a.csv b.csv");
    let outcome = run(folder.path(), &arguments);
    assert!(outcome.stderr.contains("in the table only"), "{}", outcome.said());
    let table = Columns::read(&folder.path().join("select.csv"));
    assert_eq!(table.texts("graph"), ["knn", "mutual", "radius 0.9", "radius 1.5", "edges a.csv", "edges b.csv"]);
    assert_eq!(table.texts("n_neighbors"), ["9", "12", "", "", "", ""]);
    // without neighbours the axis of the figure is the radius, or the dimension
    run(folder.path(), &format!("{common} --radius 1.5,2 --out radius.csv"));
    run(folder.path(), &format!("{common} --edges a.csv b.csv --out edges.csv --figure edges.png"));
    let files = contents(folder.path());
    assert!(String::from_utf8_lossy(&files["radius.svg"]).contains("radius"));
    assert!(files["edges.png"].starts_with(b"\x89PNG"));
}

#[test]
fn a_start_that_is_the_same_every_time_is_fitted_once() {
    let folder = with_sheet();
    let said = run(folder.path(), "select s.csv --columns y1:y3 --by bound -k 7,9 -d 2 --init isomap").stdout;
    assert!(said.contains("same for every seed"), "{said}");
    assert_eq!(Columns::read(&folder.path().join("select.csv")).texts("seed"), ["0", "0"]);
}

#[test]
fn a_killed_selection_goes_on_where_it_was() {
    let folder = with_sheet();
    let arguments = format!("{SELECT} --tol 0 --max-iter 60");
    run(folder.path(), &arguments);
    let whole = contents(folder.path());
    for name in ["select.csv", "select.svg"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    let mut child = started(folder.path(), &arguments, 3);
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    let kept = journal_lines(folder.path());
    assert!(kept.len() >= 3, "{} fits were kept", kept.len());
    assert!(!folder.path().join("select.csv").exists(), "the kill came too late");
    // as if the kill had hit while a line was being written
    let path = folder.path().join("select.csv.partial");
    let mut torn = std::fs::read(&path).unwrap();
    torn.extend_from_slice(br#"{"candidate":1,"seed":1,"bou"#);
    std::fs::write(&path, torn).unwrap();

    let told = run_json(folder.path(), &arguments);
    assert_eq!(told["resumed"], kept.len());
    assert_eq!(contents(folder.path()), whole);
}

#[test]
fn finished_fits_are_taken_over_and_not_repeated() {
    let folder = with_sheet();
    let arguments = format!("{SELECT} --all --tol 0 --max-iter 60");
    let mut child = started(folder.path(), &arguments, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    // a bound that no fit would give shows whether a fit was made again
    let path = folder.path().join("select.csv.partial");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = journal_lines(folder.path())[0].clone();
    let mut cell: serde_json::Value = serde_json::from_str(&line).unwrap();
    cell["bound"] = 123456.5.into();
    std::fs::write(&path, text.replace(&line, &format!("{cell}\n"))).unwrap();
    run(folder.path(), &arguments);
    let bounds = Columns::read(&folder.path().join("select.csv")).texts("bound");
    assert_eq!(bounds.iter().filter(|bound| *bound == "123456.5").count(), 1);
}

#[test]
fn unfinished_work_of_other_settings_is_kept_unless_forced() {
    let folder = with_sheet();
    let mut child = started(folder.path(), &format!("{SELECT} --tol 0 --max-iter 200"), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = contents(folder.path());
    let refused = crate::command::attempt(folder.path(), &format!("{SELECT} --tol 0 --max-iter 10"));
    assert_eq!(refused.code, Some(2), "{}", refused.said());
    assert!(refused.stderr.contains("select.csv.partial") && refused.stderr.contains("--force"), "{}", refused.said());
    assert_eq!(contents(folder.path()), before);
    let told = run_json(folder.path(), &format!("{SELECT} --tol 0 --max-iter 10 --force"));
    assert_eq!(told["resumed"], 0);
}

#[test]
fn a_run_that_was_killed_after_its_last_fit_is_ended_by_the_next() {
    let folder = with_sheet();
    let arguments = &format!("{SELECT} --max-iter 40");
    run(folder.path(), arguments);
    let whole = contents(folder.path());
    // the journal of the finished run, found by stopping another one short
    std::fs::remove_file(folder.path().join("select.csv")).unwrap();
    std::fs::remove_file(folder.path().join("select.svg")).unwrap();
    let told = run_json(folder.path(), &format!("{arguments} --out again.csv"));
    let mut lines = String::new();
    for cell in told["cells"].as_array().unwrap().iter().filter(|cell| cell["stop"] != "raced") {
        lines.push_str(&format!("{cell}\n"));
    }
    let mut child = started(folder.path(), arguments, 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let path = folder.path().join("select.csv.partial");
    let header = std::fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    std::fs::write(&path, format!("{header}\n{lines}")).unwrap();
    std::fs::write(folder.path().join("select.svg"), &whole["select.svg"]).unwrap();
    run(folder.path(), arguments);
    let after = contents(folder.path());
    assert_eq!((&after["select.csv"], &after["select.svg"]), (&whole["select.csv"], &whole["select.svg"]));
    assert!(!path.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = with_sheet();
    let arguments = format!("{SELECT} --tol 0 --max-iter 300");
    let mut child = started(folder.path(), &arguments, 2);
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("run the same command again"), "{}", outcome.said());
    let kept = journal_lines(folder.path()).len();
    assert!((2..12).contains(&kept), "{kept} fits were kept");
    assert!(!folder.path().join("select.csv").exists());
    assert_eq!(run_json(folder.path(), &arguments)["resumed"], kept);
}

#[test]
fn rows_held_out_rank_graphs_where_nothing_is_said() {
    let folder = with_sheet();
    let grid = "select s.csv --columns y1:y3 -k 6,9 -d 1:2 --seeds 1 --max-iter 20 --init isomap";
    let told = run_json(folder.path(), &format!("{grid} --all"));
    assert_eq!(told["by"], "held-out");
    let table = Columns::read(&folder.path().join("select.csv"));
    assert_eq!(table.rows.len(), 4 * (1 + 3), "a fit of all rows and three without a part each");
    let (parts, densities) = (table.texts("part"), table.texts("log_density"));
    let of = |k: &str, d: &str| -> f64 {
        let ours = (0..table.rows.len()).filter(|&row| table.rows[row][..2] == [k, d] && !parts[row].is_empty());
        // 100 rows in three parts of 34, 33 and 33
        ours.map(|row| {
            densities[row].parse::<f64>().unwrap() * [0.34, 0.33, 0.33][parts[row].parse::<usize>().unwrap()]
        })
        .sum()
    };
    for row in told["candidates"].as_array().unwrap() {
        let held = &row["held_out"];
        let expected = of(&row["n_neighbors"].to_string(), &row["n_components"].to_string());
        assert!((held["mean"].as_f64().unwrap() - expected).abs() < 1e-9, "{row}");
        assert_eq!(held["rows"], 100);
    }
    // of those within one standard error of the likeliest the one with the fewest dimensions
    let level = |row: &serde_json::Value| row["held_out"]["behind"].as_f64() <= row["held_out"]["error"].as_f64();
    let candidates = told["candidates"].as_array().unwrap();
    let fewest = candidates.iter().filter(|row| level(row)).map(|row| row["n_components"].as_u64()).min().unwrap();
    assert!(level(&told["best"]) && told["best"]["n_components"].as_u64() == fewest, "{told}");
    let said = run(folder.path(), &format!("{grid} --force")).stdout;
    assert!(said.contains("log-density") && said.contains("held out") && said.contains("bound"), "{said}");
    // the same rows with the bound as the judge, and one graph for which the bound is the judge anyway
    assert_eq!(run_json(folder.path(), &format!("{grid} --by bound --force"))["by"], "bound");
    let one = "select s.csv --columns y1:y3 -k 6 -d 1:2 --seeds 1 --max-iter 5 --init isomap --force";
    assert_eq!(run_json(folder.path(), one)["by"], "bound");
}
