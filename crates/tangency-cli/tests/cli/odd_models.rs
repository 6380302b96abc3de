//! Whatever `fit` makes a model of can be put to use: few points, other dimensions, every graph and preset, odd names.

use crate::command::{Outcome, attempt, command, run, run_json};
use crate::files::{Columns, contents, folder};
use crate::fitted::{NEW, TRAINED, assert_finite, put, table, text, with_model, with_sheet};
use std::path::Path;

/// Sends `new.csv` of the folder and the model `m.safetensors` through every command and looks at what is written.
fn put_to_use(folder: &Path, what: &str) {
    let told = run_json(folder, "info m.safetensors");
    let (n, d_x) = (told["n"].as_u64().unwrap() as usize, told["n_components"].as_u64().unwrap() as usize);
    let features: Vec<String> = serde_json::from_value(told["feature_names"].clone()).unwrap();
    let written = |arguments: &str, text: &[&str]| {
        run(folder, &format!("{arguments} --out out.csv --force"));
        let found = table(folder, "out.csv");
        assert_finite(&found, text, &format!("{what}, {arguments}"));
        found
    };
    for k in ["", "-k 1", &format!("-k {}", (n - 1).min(25))] {
        let placed = written(&format!("transform m.safetensors new.csv --details {k}"), &["neighbors"]);
        assert_eq!(placed.rows.len(), NEW, "{what}");
        let count = 1 + 2 * d_x + 2 + 1 + d_x * (d_x + 1) / 2 + d_x * features.len();
        assert_eq!(placed.header.len(), count, "{what}");
        assert!(placed.numbers("novelty").iter().all(|share| (0.0..=1.0).contains(share)), "{what}");
        for a in 1..=d_x {
            assert!(placed.numbers(&format!("sd{a}")).iter().all(|&sd| sd > 0.0), "{what}: sd{a}");
        }
        put(folder, "placed.csv", text(folder, "out.csv"));
        let found = written(&format!("reconstruct m.safetensors placed.csv {k}"), &["id"]);
        assert_eq!((found.rows.len(), found.header.len()), (NEW, 1 + 2 * features.len()), "{what}");
        assert_positive_deviations(&found, &features, what);
    }
    let others = written("reconstruct m.safetensors --leave-one-out", &["id"]);
    assert!((2..=n).contains(&others.rows.len()), "{what}: {} of {n}", others.rows.len());
    assert_positive_deviations(&others, &features, what);
    let size = vec!["5"; d_x].join("x");
    let image = format!("--image {}x1 --figure f.svg", features.len());
    let grid = written(&format!("reconstruct m.safetensors --grid {size} {image}"), &[]);
    assert_eq!(grid.rows.len(), 5usize.pow(d_x as u32), "{what}");
    assert_eq!(written("sample m.safetensors --n 20", &["beside"]).rows.len(), 20, "{what}");
    assert_eq!(written("loadings m.safetensors --each", &["id", "feature"]).rows.len(), n * features.len(), "{what}");
}

fn assert_positive_deviations(found: &Columns, features: &[String], what: &str) {
    for name in features {
        assert!(found.numbers(&format!("sd_{name}")).iter().all(|&sd| sd > 0.0), "{what}: sd_{name}");
    }
}

fn with_fit(arguments: &str) -> tempfile::TempDir {
    let folder = with_sheet();
    run(folder.path(), &format!("fit train.csv --columns y1:y3 --out m.safetensors {arguments}"));
    folder
}

#[test]
fn models_of_a_few_points() {
    for n in [3, 4, 5] {
        let folder = with_sheet();
        let few: String =
            text(folder.path(), "train.csv").lines().take(n + 1).map(|line| format!("{line}\n")).collect();
        put(folder.path(), "few.csv", few);
        for more in ["-k 2", "-k 2 -d 1", "-k 1 --connect", "-k 2 --preset authors"] {
            run(folder.path(), &format!("fit few.csv --columns y1:y3 --out m.safetensors --force {more}"));
            put_to_use(folder.path(), &format!("{n} points {more}"));
        }
    }
}

#[test]
fn models_of_other_dimensions() {
    for more in ["-d 1", "-d 3", "-d 3 --preset authors --init random"] {
        put_to_use(with_fit(&format!("--max-iter 60 {more}")).path(), more);
    }
}

#[test]
fn models_of_other_settings() {
    for more in [
        "--max-iter 30 --preset authors",
        "--max-iter 30 --scaling none --symmetry mutual -k 12 --connect",
        "--max-iter 30 --scaling per-feature --lambda 1 --nu 0",
        "--max-iter 30 --full-covariance",
        "--init pca --max-iter 1",
        "--max-iter 30 --prune",
    ] {
        put_to_use(with_fit(more).path(), more);
    }
}

#[test]
fn a_feature_alone_a_constant_one_and_points_given_twice() {
    let folder = with_sheet();
    run(folder.path(), "fit train.csv --columns y1 -d 1 --max-iter 30 --out m.safetensors");
    put_to_use(folder.path(), "one feature");

    let still = |name: &str| {
        let lines = text(folder.path(), name);
        let rows =
            lines.lines().enumerate().map(|(i, line)| format!("{line},{}\n", if i == 0 { "still" } else { "5" }));
        put(folder.path(), name, rows.collect::<String>());
    };
    still("train.csv");
    still("new.csv");
    for scaling in ["max-abs", "per-feature", "none"] {
        let fit = "fit train.csv --columns y1:y3,still --init isomap --max-iter 30 --out m.safetensors --force";
        run(folder.path(), &format!("{fit} --scaling {scaling}"));
        put_to_use(folder.path(), &format!("a constant feature, {scaling}"));
    }

    let lines = text(folder.path(), "train.csv");
    let twice = lines.lines().chain(lines.lines().skip(1).take(40)).map(|line| format!("{line}\n"));
    put(folder.path(), "train.csv", twice.collect::<String>());
    run(folder.path(), "fit train.csv --columns y1:y3 -k 6 --connect --max-iter 30 --out m.safetensors --force");
    put_to_use(folder.path(), "points given twice");
}

/// The sheet and, far from it, twelve points more.
fn with_two_pieces() -> tempfile::TempDir {
    let folder = with_sheet();
    let whole = text(folder.path(), "train.csv");
    let train = Columns::parse(&whole);
    let far = train.rows.iter().take(12).map(|row| {
        let y1: f64 = row[2].parse().unwrap();
        format!("far {},\"far, off\",{},{},{},0,0\n", row[0], y1 + 100.0, row[3], row[4])
    });
    put(folder.path(), "train.csv", whole.clone() + &far.collect::<String>());
    folder
}

#[test]
fn models_of_every_graph() {
    let folder = with_two_pieces();
    let names = "--id-column name --label-column side --columns y1:y3 --max-iter 30 --out m.safetensors --force";
    for (graph, n) in [("--largest", TRAINED), ("--connect", TRAINED + 12), ("--radius 0.7 --connect", TRAINED + 12)] {
        run(folder.path(), &format!("fit train.csv {names} {graph}"));
        assert_eq!(run_json(folder.path(), "info m.safetensors")["n"], n);
        put_to_use(folder.path(), graph);
        let arguments =
            "transform m.safetensors train.csv --id-column name --label-column side --details --out out.csv";
        let outcome = run(folder.path(), &format!("{arguments} --force"));
        assert!(outcome.stderr.starts_with("warning: "), "{graph}: {}", outcome.said());
        let (train, placed) = (table(folder.path(), "train.csv"), table(folder.path(), "out.csv"));
        assert_eq!(placed.texts("id"), train.texts("name"), "{graph}");
        assert_eq!(placed.texts("label"), train.texts("side"), "{graph}");
        // what was left out of the fit is new to it
        let far = &placed.numbers("novelty")[TRAINED..];
        assert_eq!(graph == "--largest", far.iter().all(|&share| share == 1.0), "{graph}: {far:?}");
        let chosen = attempt(folder.path(), "loadings m.safetensors --point far --label low");
        assert_eq!(chosen.code, Some(2), "{graph}: {}", chosen.said());
    }
}

/// A chain falls apart without any point but its ends.
#[test]
fn models_of_a_list_of_edges() {
    let folder = folder();
    for (name, n, seed) in [("train.csv", 120, 1), ("new.csv", NEW, 2)] {
        let drawn =
            Columns::parse(&run(folder.path(), &format!("generate helix --n {n} --seed {seed} --noise 0.02")).stdout);
        let along = drawn.numbers("true1");
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| along[i].total_cmp(&along[j]));
        let rows: String = order.into_iter().map(|i| drawn.rows[i][..3].join(",") + "\n").collect();
        put(folder.path(), name, format!("y1,y2,y3\n{rows}"));
    }
    put(folder.path(), "edges.csv", (0..119).map(|i| format!("{i},{}\n", i + 1)).collect::<String>());
    run(folder.path(), "fit train.csv -d 1 --edges edges.csv --out m.safetensors");
    put_to_use(folder.path(), "a chain");
    let result = run_json(folder.path(), "reconstruct m.safetensors --leave-one-out --out l.csv");
    assert_eq!(result["rows"], 2);
    let said = run(folder.path(), "reconstruct m.safetensors --leave-one-out --out l.csv --force").stdout;
    assert!(said.contains("left out 118"), "{said}");
}

/// Two neighbours a point, as in the chain, and not the nine that `--n-neighbors` would have been.
#[test]
fn new_rows_have_as_many_neighbours_as_a_list_of_edges_gives() {
    let folder = with_sheet();
    let order = (0..TRAINED).map(|i| format!("{i},{}\n", (i + 1) % TRAINED));
    put(folder.path(), "ring.csv", order.collect::<String>());
    run(folder.path(), "fit train.csv --columns y1:y3 --edges ring.csv --init pca --max-iter 5 --out m.safetensors");
    let told = run_json(folder.path(), "transform m.safetensors new.csv --out t.csv");
    assert_eq!(told["n_neighbors"], 2);
}

/// Features are called what the tables of others call them.
#[test]
fn features_may_have_the_names_of_our_columns() {
    let mut refused = Vec::new();
    for names in [
        "x1,x2,x3",
        "id,label,neighbors",
        "y1,sd_y1,sd1",
        "beside,nearest,strain",
        "1,2,3",
        "\"a,b\",α β,\"c\"\"\"",
        "novelty,log_density,feature",
    ] {
        let folder = with_sheet();
        for table in ["train.csv", "new.csv"] {
            let rows = Columns::read(&folder.path().join(table)).rows;
            let cells: String = rows.iter().map(|row| row[2..5].join(",") + "\n").collect();
            put(folder.path(), table, format!("{names}\n{cells}"));
        }
        run(folder.path(), "fit train.csv --header --init pca --max-iter 8 --no-graph-likelihood --out m.safetensors");
        for arguments in [
            "transform m.safetensors new.csv --header --details --out t.csv",
            "reconstruct m.safetensors t.csv --out r.csv",
            "reconstruct m.safetensors --leave-one-out --out l.csv",
            "reconstruct m.safetensors --grid 2x2 --out g.csv",
            "sample m.safetensors --out s.csv",
            "sample m.safetensors --out s.parquet",
            "loadings m.safetensors --each --out f.csv",
        ] {
            let outcome = attempt(folder.path(), arguments);
            if outcome.code != Some(0) {
                refused.push(format!("{names}: {arguments}: {}", outcome.stderr.trim()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[cfg(unix)]
#[test]
fn files_may_have_names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = with_model();
    let [model, table, out] = [&b"m\xff.safetensors"[..], b"n\xff.csv", b"o\xff.csv"].map(OsStr::from_bytes);
    std::fs::copy(folder.path().join("m.safetensors"), folder.path().join(model)).unwrap();
    std::fs::copy(folder.path().join("new.csv"), folder.path().join(table)).unwrap();
    for (arguments, inputs) in [
        ("transform", &[model, table][..]),
        ("reconstruct --grid 2x2", &[model]),
        ("sample --json", &[model]),
        ("loadings", &[model]),
    ] {
        let ran = command(folder.path(), arguments).args(inputs).arg("--force").arg("--out").arg(out).output().unwrap();
        let outcome = Outcome {
            code: ran.status.code(),
            stdout: String::from_utf8_lossy(&ran.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
        };
        assert_eq!(outcome.code, Some(0), "{arguments}: {}", outcome.said());
        assert!(std::fs::read(folder.path().join(out)).unwrap().len() > 20, "{arguments}");
    }
}

/// A link to an input is another name for it.
#[cfg(unix)]
#[test]
fn an_input_is_not_overwritten_under_another_name() {
    let folder = with_model();
    std::os::unix::fs::symlink("new.csv", folder.path().join("link.csv")).unwrap();
    let before = contents(folder.path());
    let outcome = attempt(folder.path(), "transform m.safetensors link.csv --out new.csv --force");
    assert!(contents(folder.path()) == before, "the table is gone: {}", outcome.said());
    assert_eq!(outcome.code, Some(2), "{}", outcome.said());
    let other = format!("transform m.safetensors ./new.csv --out {}/new.csv --force", folder.path().display());
    assert_eq!(attempt(folder.path(), &other).code, Some(2), "{other}");
    assert!(contents(folder.path()) == before);
}
