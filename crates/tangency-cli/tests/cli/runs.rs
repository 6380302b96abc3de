//! Fits from start to end: what is written, what is said, and what a second run or an interruption gives.

use crate::command::{attempt, command, run, run_json};
use crate::files::{Columns, contents, folder, model_arrays};

/// A folder with `s.csv`, 120 points of an S-shaped sheet.
fn with_sheet() -> tempfile::TempDir {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 120 --seed 3 --out s.csv");
    folder
}

const FIT: &str = "fit s.csv --columns y1:y3 -k 9";

#[test]
fn fit_writes_model_embedding_and_trace() {
    let folder = with_sheet();
    run(folder.path(), &format!("{FIT} --embedding x.csv --trace t.csv"));
    let files: Vec<String> = contents(folder.path()).into_keys().collect();
    assert_eq!(files, ["s.csv", "s.safetensors", "t.csv", "x.csv"]);

    let embedding = Columns::read(&folder.path().join("x.csv"));
    assert_eq!(embedding.header, ["id", "x1", "x2", "sd1", "sd2", "true1", "true2"]);
    assert_eq!(embedding.rows.len(), 120);
    let spread = |name: &str| embedding.numbers(name).iter().map(|x| x * x).sum::<f64>();
    assert!(spread("x1") >= spread("x2"), "the longest axis comes first");
    for name in ["sd1", "sd2"] {
        assert!(embedding.numbers(name).iter().all(|&sd| sd > 0.0 && sd.is_finite()), "{name}");
    }

    let trace = Columns::read(&folder.path().join("t.csv"));
    let parts = ["part_likelihood", "part_log_determinant", "part_maps", "part_coordinates", "part_graph"];
    let names = ["iteration", "bound_scaled", "bound", "gamma", "alpha", "lambda", "nu", "heaviness"];
    assert_eq!(trace.header, [&names[..], &parts[..]].concat());
    let columns = parts.map(|part| trace.numbers(part));
    for (t, bound) in trace.numbers("bound_scaled").into_iter().enumerate() {
        let sum: f64 = columns.iter().map(|column| column[t]).sum();
        assert!((sum - bound).abs() < 1e-9 * bound.abs().max(1.0), "iteration {t}");
    }
    let counted: Vec<f64> = (1..=trace.rows.len()).map(|i| i as f64).collect();
    assert_eq!(trace.numbers("iteration"), counted);

    let arrays = model_arrays(&folder.path().join("s.safetensors"));
    for (name, shape) in [
        ("observations", vec![120, 3]),
        ("center", vec![3]),
        ("scale", vec![3]),
        ("coordinates", vec![120, 2]),
        ("coordinate_covariances", vec![120, 2, 2]),
        ("maps", vec![120, 2, 3]),
        ("map_covariances", vec![120, 2, 2]),
        ("map_draws", vec![120, 2, 64]),
    ] {
        assert_eq!(arrays[name].0, shape, "{name}");
    }
    // the bound in the units of the table is the scaled one less n log-scales
    let jacobian = 120.0 * arrays["scale"].1.iter().map(|s| s.ln()).sum::<f64>();
    for (scaled, bound) in trace.numbers("bound_scaled").iter().zip(trace.numbers("bound")) {
        assert!((scaled - jacobian - bound).abs() < 1e-9 * bound.abs().max(1.0));
    }
}

#[test]
fn the_bound_never_falls() {
    let folder = with_sheet();
    for preset in ["default", "authors"] {
        for more in ["", "--init random --seed 5", "--no-acceleration --init isomap", "-d 1"] {
            let arguments = format!("{FIT} --preset {preset} {more} --max-iter 120 --tol 0 --trace t.csv --force");
            run(folder.path(), &arguments);
            let bounds = Columns::read(&folder.path().join("t.csv")).numbers("bound_scaled");
            for (iteration, pair) in bounds.windows(2).enumerate() {
                let room = 1e-9 * pair[0].abs().max(1.0);
                let place = format!("{preset} {more}, after iteration {}", iteration + 1);
                assert!(pair[1] >= pair[0] - room, "{place}: from {} to {}", pair[0], pair[1]);
            }
        }
    }
}

/// Sizes on both sides of where the linear algebra begins to share its work.
#[test]
fn threads_do_not_change_a_byte() {
    let folder = with_sheet();
    run(folder.path(), "generate swiss-roll --n 450 --seed 2 --out r.csv");
    let large = "fit r.csv --columns y1:y3 --connect --max-iter 3";
    let mut differing = Vec::new();
    for arguments in [
        FIT,
        &format!("{FIT} --init random --n-init 2 --seed 7"),
        &format!("{FIT} --preset authors --max-iter 40"),
        &format!("{FIT} --full-covariance --init pca"),
        &format!("{large} --init random"),
        &format!("{large} --init pca"),
        &format!("{large} --init spectral"),
        &format!("{large} --init isomap"),
    ] {
        for threads in [1, 2] {
            let names = format!("--embedding x{threads}.csv --trace t{threads}.csv --out m{threads}.safetensors");
            run(folder.path(), &format!("{arguments} {names} --threads {threads} --force"));
        }
        let files = contents(folder.path());
        for (one, two) in [("x1.csv", "x2.csv"), ("t1.csv", "t2.csv"), ("m1.safetensors", "m2.safetensors")] {
            if files[one] != files[two] {
                differing.push(format!("{one} and {two} differ after {arguments}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn seeds_change_a_random_start() {
    let folder = with_sheet();
    let bound = |seed: u64| {
        let arguments = format!("{FIT} --preset authors --seed {seed} --max-iter 5 --force");
        run_json(folder.path(), &arguments)["bound"].as_f64().unwrap()
    };
    assert_eq!(bound(1), bound(1));
    assert_ne!(bound(1), bound(2));
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let folder = with_sheet();
    let fitted = run(folder.path(), &format!("{FIT} --json"));
    assert_eq!(fitted.stdout.trim_end().lines().count(), 1);
    let result: serde_json::Value = serde_json::from_str(&fitted.stdout).unwrap();
    assert!(result.is_object());
    assert_eq!((&result["n"], &result["n_components"], &result["stop"]), (&120.into(), &2.into(), &"converged".into()));
    assert_eq!(result["written"], serde_json::json!(["s.safetensors"]));

    let told = run_json(folder.path(), "info s.safetensors");
    for field in ["n", "n_features", "n_edges", "bound", "bound_scaled", "hyperparameters", "n_iter", "stop", "config"]
    {
        assert_eq!(told[field], result[field], "{field}");
    }
    let parts = told["bound_parts_scaled"].as_object().unwrap().values().map(|part| part.as_f64().unwrap());
    assert!((parts.sum::<f64>() - told["bound_scaled"].as_f64().unwrap()).abs() < 1e-6);

    let drawn = run_json(folder.path(), "generate helix --n 5 --out h.csv");
    assert_eq!(drawn["n"], 5);
}

#[test]
fn quiet_says_nothing_but_warnings() {
    let folder = with_sheet();
    // too few iterations are worth a warning
    for arguments in [&format!("{FIT} --max-iter 3 --init pca --quiet"), "info s.safetensors --quiet"] {
        let outcome = run(folder.path(), arguments);
        assert_eq!(outcome.stdout, "", "{arguments}");
        assert!(outcome.stderr.lines().all(|line| line.starts_with("warning: ")), "{}", outcome.said());
        assert!(!outcome.stderr.is_empty(), "{arguments}");
    }
    let outcome = run(folder.path(), "generate helix --out h.csv --quiet");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
}

#[test]
fn what_a_test_of_an_edge_says_stands_first() {
    let folder = with_sheet();
    run(folder.path(), FIT);
    let outcome = run(folder.path(), "edges s.safetensors --test 0,1 --seeds 1");
    let first = outcome.stdout.lines().next().unwrap_or_default();
    assert!(first.contains("0,1") && first.contains("the bound changes by"), "{}", outcome.said());
}

#[test]
fn a_pipe_gets_no_progress_bar() {
    let folder = with_sheet();
    let outcome = run(folder.path(), FIT);
    assert_eq!(outcome.stderr, "");
    assert!(!outcome.stdout.contains(['\r', '\u{1b}']), "{:?}", outcome.stdout);
    assert!(outcome.stdout.contains("120 points, 3 features (y1, y2, y3) → 2 coordinates"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("wrote s.safetensors"), "{}", outcome.stdout);
}

#[test]
fn files_are_kept_unless_forced() {
    let folder = with_sheet();
    let arguments = format!("{FIT} --init pca --max-iter 5 --embedding x.csv --trace t.csv");
    run(folder.path(), &arguments);
    let before = contents(folder.path());
    for lost in ["s.safetensors", "x.csv", "t.csv"] {
        let kept: Vec<_> = ["s.safetensors", "x.csv", "t.csv"].into_iter().filter(|&name| name != lost).collect();
        std::fs::rename(folder.path().join(lost), folder.path().join("aside")).unwrap();
        let outcome = attempt(folder.path(), &format!("{arguments} --seed 1"));
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(kept.iter().any(|name| outcome.stderr.contains(name)), "{}", outcome.said());
        std::fs::rename(folder.path().join("aside"), folder.path().join(lost)).unwrap();
        assert!(contents(folder.path()) == before, "nothing changes without --force");
    }
    run(folder.path(), &format!("{arguments} --seed 1 --max-iter 6 --force").replace("--max-iter 5 ", ""));
    let after = contents(folder.path());
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert_ne!(after["t.csv"], before["t.csv"]);
    assert_eq!(run_json(folder.path(), "info s.safetensors")["n_iter"], 6);
}

#[test]
fn info_tells_what_the_model_holds() {
    let folder = with_sheet();
    let fitted = run(folder.path(), FIT);
    let told = run(folder.path(), "info s.safetensors");
    for line in told.stdout.lines() {
        assert!(fitted.stdout.contains(line), "{line:?} was not said by fit");
    }
    assert!(told.stdout.starts_with("variance explained "), "{}", told.stdout);
    for word in ["120 points", "edges", "nats", "iterations", "trustworthiness", "continuity", "density"] {
        assert!(told.stdout.contains(word), "{word} in {}", told.stdout);
    }
    // hyper-parameters are for those who ask
    let more = run(folder.path(), "info s.safetensors --verbose").stdout;
    for word in ["gamma", "lambda", "nu", "alpha"] {
        assert!(!told.stdout.contains(&format!("{word} ")) && more.contains(&format!("{word} ")), "{word} in {more}");
    }
}

#[test]
fn distances_come_with_their_interval() {
    let folder = with_sheet();
    run(folder.path(), &format!("{FIT} --full-covariance --embedding x.csv"));
    let embedding = Columns::read(&folder.path().join("x.csv"));
    let (x, y) = (embedding.numbers("x1"), embedding.numbers("x2"));
    let far = (0..120).max_by(|&i, &j| (x[i] - x[0]).abs().total_cmp(&(x[j] - x[0]).abs())).unwrap();
    let asked = |level: f64| {
        run_json(folder.path(), &format!("info s.safetensors --distance 0,{far} --distance 1,2 --level {level}"))
    };
    let width = |result: &serde_json::Value| {
        let distances = result["distances"].as_array().unwrap();
        assert_eq!(distances.len(), 2);
        for distance in distances {
            let of = |field: &str| distance[field].as_f64().unwrap();
            assert!(0.0 <= of("lower") && of("lower") <= of("median") && of("median") <= of("upper"), "{distance}");
            assert!(of("lower") < of("upper"), "{distance}");
        }
        let of = |field: &str| distances[0][field].as_f64().unwrap();
        assert!((of("of_means") - (x[far] - x[0]).hypot(y[far] - y[0])).abs() < 1e-9);
        assert!(of("lower") < of("of_means") && of("of_means") < of("upper"), "{}", distances[0]);
        of("upper") - of("lower")
    };
    assert!(width(&asked(0.5)) < width(&asked(0.95)));
    let said = run(folder.path(), &format!("info s.safetensors --distance 0,{far}")).stdout;
    assert!(said.contains(&format!("distance 0,{far}: ")), "{said}");
}

#[test]
fn start_coordinates_are_a_start() {
    let folder = with_sheet();
    let table = Columns::read(&folder.path().join("s.csv"));
    let rows = table.numbers("true1").into_iter().zip(table.numbers("true2"));
    let start: String = rows.map(|(s, t)| format!("{s},{t}\n")).collect();
    std::fs::write(folder.path().join("start.csv"), start).unwrap();
    let result = run_json(folder.path(), &format!("{FIT} --init-coordinates start.csv"));
    assert_eq!((&result["config"]["init"], &result["stop"]), (&"coordinates".into(), &"converged".into()));
}

#[test]
fn strict_turns_a_warning_into_an_exit_code_and_writes_all_the_same() {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 60 --seed 1 --out s.csv");
    // what is typed by habit is understood too
    let fit = "fit s.csv --columns y1:y3 --k 8 --d 2 --init pca --max-iter 2 --strict";
    let told = attempt(folder.path(), fit);
    assert!(told.code == Some(3) && told.stderr.contains("warning: the fit did not converge"), "{}", told.said());
    assert!(told.stdout.lines().last().is_some_and(|line| line.starts_with("next: tangency report s.safetensors")));
    assert_eq!(run_json(folder.path(), "info s.safetensors")["n"], 60);
    assert_eq!(attempt(folder.path(), "info s.safetensors --strict --quiet").code, Some(3));
    assert_eq!(attempt(folder.path(), "info s.safetensors").code, Some(0));
}

/// Where nothing can be said of an error there is no panic, and a result that is lost on the way out is no success.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_the_standard_streams_is_no_panic() {
    let folder = with_sheet();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    // with a warning, and with an error
    run(folder.path(), "fit s.csv --columns y1:y3 -k 2 --connect --max-iter 3 --quiet");
    for (arguments, code) in [("info s.safetensors", 0), ("info none.safetensors", 2)] {
        let ended =
            command(folder.path(), arguments).stdout(std::process::Stdio::null()).stderr(full()).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{arguments}");
    }
    for arguments in ["info s.safetensors", "info s.safetensors --json", "generate s-curve --n 20"] {
        let ended = command(folder.path(), arguments).stdout(full()).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code() == Some(2) && said.contains("standard output cannot be written"), "{said}");
    }
}

/// What a link leads to is replaced, and what is no file is refused before the work.
#[cfg(target_os = "linux")]
#[test]
fn links_stay_and_names_that_are_none_are_refused_at_once() {
    let folder = with_sheet();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("kept.csv"), "old").unwrap();
    std::os::unix::fs::symlink("kept.csv", at("link.csv")).unwrap();
    std::os::unix::fs::symlink("nowhere.csv", at("dangling.csv")).unwrap();
    let drawn = |out: &str| attempt(folder.path(), &format!("generate s-curve --n 20 --force --out {out}"));
    assert_eq!(drawn("link.csv").code, Some(0));
    assert!(at("link.csv").is_symlink() && std::fs::read_to_string(at("kept.csv")).unwrap().starts_with("y1,"));
    let long = "a".repeat(256);
    for (out, problem) in [
        ("dangling.csv", "is a link to nothing"),
        ("new/", "is a folder"),
        (long.as_str(), "has a name of 256 bytes, and 255 are the most"),
        ("/dev/stdout", "is not a regular file"),
        ("/proc/self/comm", "is not a regular file"),
    ] {
        let outcome = drawn(out);
        assert!(outcome.code == Some(2) && outcome.stderr.contains(problem), "{}", outcome.said());
    }
}
