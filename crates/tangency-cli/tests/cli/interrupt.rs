//! Ctrl-C ends a command with what it has, and a second one ends it at once.
#![cfg(target_os = "linux")]

use crate::command::{command, ended_within, interrupt, run, run_json, wait_until};
use crate::files::{Columns, contents, folder, npy};
use crate::fitted::{put, text, with_model, with_sheet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Ctrl-C, as soon as the command listens for it and a second later, so that there is something to keep.
#[test]
fn an_interrupted_fit_writes_the_best_so_far() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 700 --out r.csv");
    let arguments =
        "fit r.csv --columns y1:y3 --connect --init random --tol 0 --max-iter 100000 --trace t.csv --embedding x.csv";
    let mut child = command(folder.path(), arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || listens_for_interrupts(child.id()));
    std::thread::sleep(Duration::from_secs(1));
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("interrupted"), "{}", outcome.said());
    let told = run_json(folder.path(), "info r.safetensors");
    assert_eq!((&told["stop"], &told["n"]), (&"interrupted".into(), &700.into()));
    assert_eq!(Columns::read(&folder.path().join("x.csv")).rows.len(), 700);
    let iterations = Columns::read(&folder.path().join("t.csv")).rows.len();
    assert!((1..100_000).contains(&iterations));
    assert_eq!(told["n_iter"], iterations);
}

/// The graph of cells would be fitted for ever; Ctrl-C ends that, and the layout it has is carried over to all points.
#[test]
fn an_interrupted_coarse_start_still_gives_a_model() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 3200 --out r.csv");
    let arguments = "fit r.csv --columns y1:y3 --connect --tol 0 --coarse-tol 0 --max-iter 100000 --draws 4 --embedding x.csv --engine factorised";
    let mut child = command(folder.path(), arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || listens_for_interrupts(child.id()));
    std::thread::sleep(Duration::from_secs(2));
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("interrupted"), "{}", outcome.said());
    let told = run_json(folder.path(), "info r.safetensors");
    assert_eq!((&told["stop"], &told["start"]), (&"interrupted".into(), &"coarse".into()));
    assert_eq!(Columns::read(&folder.path().join("x.csv")).rows.len(), 3200);
}

/// The model, and a table that keeps it busy for a minute.
fn with_much_to_do() -> tempfile::TempDir {
    let folder = with_model();
    let cells = (0..2_000_000).flat_map(|i| [f64::from(i % 97) / 97.0, f64::from(i % 101) / 101.0, 0.0]);
    put(folder.path(), "much.npy", npy(&[2_000_000, 3], cells));
    folder
}

/// A command that is at work: it listens and, where that can be seen, has begun its file.
fn at_work(folder: &Path, arguments: &str) -> Child {
    let child = command(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || listens_for_interrupts(child.id()));
    wait_until(Duration::from_secs(1), || begun(folder));
    std::thread::sleep(Duration::from_millis(300));
    child
}

fn begun(folder: &Path) -> bool {
    let mut names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.any(|name| name.to_string_lossy().starts_with(".tangency-"))
}

const ENDLESS: [&str; 2] =
    ["transform m.safetensors much.npy --out out.csv", "sample m.safetensors --n 1000000000 --out out.csv"];

#[test]
fn what_is_done_row_by_row_ends_after_whole_rows() {
    let folder = with_much_to_do();
    for arguments in ENDLESS {
        let before: Vec<String> = contents(folder.path()).into_keys().collect();
        let mut child = at_work(folder.path(), &format!("{arguments} --json"));
        let outcome = interrupt(&mut child);
        assert_eq!(outcome.code, Some(130), "{arguments}: {}", outcome.said());
        // what a second one would do, and what there is
        assert_eq!(outcome.stderr.lines().count(), 2, "{arguments}: {}", outcome.said());
        let said = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
        let result: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(result["interrupted"], true, "{arguments}");
        let rows = result["rows"].as_u64().or(result["n"].as_u64()).unwrap();
        assert!(rows > 0 && outcome.stderr.contains(&format!("interrupted after {rows}")), "{}", outcome.said());
        let lines = text(folder.path(), "out.csv");
        assert!(lines.ends_with('\n') && lines.lines().count() as u64 == rows + 1, "{arguments}");
        std::fs::remove_file(folder.path().join("out.csv")).unwrap();
        assert_eq!(contents(folder.path()).into_keys().collect::<Vec<_>>(), before, "{arguments}");
    }
}

#[test]
fn ctrl_c_twice_leaves_nothing_half_written() {
    let folder = with_much_to_do();
    let before: Vec<String> = contents(folder.path()).into_keys().collect();
    for arguments in ENDLESS {
        let mut child = at_work(folder.path(), arguments);
        for _ in 0..2 {
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        }
        let status = ended_within(Duration::from_secs(15), &mut child).expect("the command went on");
        assert_eq!(status.code(), Some(130), "{arguments}");
        // the first may have been enough if it was quick: the file is then there, in whole rows
        let file = folder.path().join("out.csv");
        if file.exists() {
            assert!(text(folder.path(), "out.csv").ends_with('\n'), "{arguments}");
            std::fs::remove_file(file).unwrap();
        }
        assert_eq!(contents(folder.path()).into_keys().collect::<Vec<_>>(), before, "{arguments}");
    }
}

#[test]
fn an_interrupted_calibration_leaves_the_model_as_it_is() {
    let folder = with_sheet();
    let arguments = "fit train.csv --columns y1:y3 --init pca --tol 0 --max-iter 40 --calibrate 160 --json";
    let mut child = command(folder.path(), arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || listens_for_interrupts(child.id()));
    std::thread::sleep(Duration::from_millis(1500));
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("not calibrated"), "{}", outcome.said());
    assert!(run_json(folder.path(), "info train.safetensors")["calibration"].is_null());
}

/// A command whose search for short-circuits takes much longer than the fit before it.
fn in_the_search(folder: &Path, arguments: &str) -> Child {
    let child = command(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(Duration::from_secs(30), || listens_for_interrupts(child.id()));
    std::thread::sleep(Duration::from_secs(4));
    child
}

#[test]
fn an_interrupted_search_removes_nothing_and_says_so() {
    let folder = folder();
    run(folder.path(), "generate swiss-roll --n 400 --seed 1 --out r.csv");
    let fit = "fit r.csv --columns y1:y3 --no-graph-likelihood --init pca --max-iter 8 --tol 0";
    run(folder.path(), &format!("{fit} --out plain.safetensors"));
    let before: Vec<String> = contents(folder.path()).into_keys().collect();

    let mut child =
        in_the_search(folder.path(), "prune plain.safetensors --apply --out p.safetensors --removed gone.csv");
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("search for short-circuits"), "{}", outcome.said());
    assert_eq!(contents(folder.path()).into_keys().collect::<Vec<_>>(), before);

    let arguments = format!("{fit} --prune --out r.safetensors --removed gone.csv --out-edges left.csv --json");
    let mut child = in_the_search(folder.path(), &arguments);
    let outcome = interrupt(&mut child);
    assert_eq!(outcome.code, Some(130), "{}", outcome.said());
    assert!(outcome.stderr.contains("nothing was removed"), "{}", outcome.said());
    let said = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    let result: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&result["stop"], &result["pruning"]["interrupted"]), (&"interrupted".into(), &true.into()));
    let (pruned, plain) =
        (run_json(folder.path(), "info r.safetensors"), run_json(folder.path(), "info plain.safetensors"));
    assert_eq!((&pruned["stop"], &pruned["n_removed"]), (&"interrupted".into(), &0.into()));
    assert_eq!(pruned["n_edges"], plain["n_edges"]);
    assert!(!folder.path().join("gone.csv").exists() && !folder.path().join("left.csv").exists());
}

/// Whether the process catches SIGINT, the second bit of the mask.
pub fn listens_for_interrupts(id: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}
