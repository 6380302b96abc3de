//! Ctrl-C ends a fit with what it has.
#![cfg(target_os = "linux")]

use crate::command::{command, interrupt, run, run_json, wait_until};
use crate::files::{Columns, folder};
use std::path::Path;
use std::process::Stdio;
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
    assert_eq!(outcome.code, Some(0), "{}", outcome.said());
    assert!(outcome.stderr.contains("interrupted"), "{}", outcome.said());
    let told = run_json(folder.path(), "info model.safetensors");
    assert_eq!((&told["stop"], &told["n"]), (&"interrupted".into(), &700.into()));
    assert_eq!(Columns::read(&folder.path().join("x.csv")).rows.len(), 700);
    let iterations = Columns::read(&folder.path().join("t.csv")).rows.len();
    assert!((1..100_000).contains(&iterations));
    assert_eq!(told["n_iter"], iterations);
}

/// Whether the process catches SIGINT, the second bit of the mask.
fn listens_for_interrupts(id: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}
