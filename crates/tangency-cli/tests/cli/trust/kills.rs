//! A run that is killed leaves whole files or none, and what it had begun is gone after the next run in that folder.
//!
//! `TANGENCY_KILLS=50 cargo test --release --workspace --test cli kills` kills so many runs of each command.

use crate::command::{command, ended_within, run};
use crate::files::contents;
use crate::fitted::{put, with_model};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Kills of each command where no number is given.
const KILLS: u64 = 3;

const COMMANDS: [&str; 6] = [
    "fit train.csv --columns y1:y3 -k 9 --max-iter 25 --out f.safetensors --embedding e.csv --trace t.csv",
    "select train.csv --columns y1:y3 -k 6,9 --seeds 1 --max-iter 10 --init pca --out s.csv",
    "prune m.safetensors --apply --out p.safetensors",
    "transform m.safetensors new.csv --details --out x.csv",
    "transform m.safetensors new.csv --out x.parquet",
    "report m.safetensors --out r.html",
];

fn is_begun(name: &str) -> bool {
    name.starts_with(".tangency-")
}

#[test]
fn a_killed_run_leaves_whole_files_or_none() {
    let kills = std::env::var("TANGENCY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    for arguments in COMMANDS {
        let folder = with_model();
        let before: Vec<String> = contents(folder.path()).into_keys().collect();
        let begin = Instant::now();
        run(folder.path(), arguments);
        let length = begin.elapsed();
        let of_run = |files: BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
            files.into_iter().filter(|(name, _)| !before.contains(name)).collect()
        };
        let whole = of_run(contents(folder.path()));
        assert!(!whole.is_empty(), "{arguments}");
        for kill in 0..kills {
            whole.keys().for_each(|name| drop(std::fs::remove_file(folder.path().join(name))));
            let mut child =
                command(folder.path(), arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // the last moments, when files come to their places, most often
            let share = (f64::from(rng.next_u32()) / f64::from(u32::MAX)).sqrt() * 1.05;
            std::thread::sleep(length.mul_f64(share));
            child.kill().unwrap();
            assert!(ended_within(Duration::from_secs(10), &mut child).is_some());
            for (name, content) in of_run(contents(folder.path())) {
                // what select has done so far is kept on purpose, to go on from
                if is_begun(&name) || name.ends_with(".partial") {
                    continue;
                }
                assert!(
                    whole.get(&name).is_some_and(|whole| *whole == content),
                    "{arguments}, kill {kill}: half of {name}"
                );
            }
        }
        // the next run ends as if nothing had been, and cleans up
        whole.keys().for_each(|name| drop(std::fs::remove_file(folder.path().join(name))));
        run(folder.path(), arguments);
        assert!(of_run(contents(folder.path())) == whole, "{arguments}");
    }
}

/// A lock tells a run that is alive from one that is not.
#[test]
fn leftovers_go_and_what_is_being_written_stays() {
    let folder = with_model();
    let at = |name: &str| folder.path().join(name);
    let kept = [".tangency-live00", ".tangency-keep", ".tangency-longer-name", "tangency-abc123"];
    for name in kept.iter().chain(&[".tangency-dead00"]) {
        put(folder.path(), name, "half");
    }
    std::fs::create_dir(at(".tangency-folder")).unwrap();
    std::os::unix::fs::symlink(at("train.csv"), at(".tangency-link00")).unwrap();
    let live = std::fs::File::open(at(".tangency-live00")).unwrap();
    live.lock().unwrap();
    run(folder.path(), "generate s-curve --n 20 --out g.csv");
    assert!(!at(".tangency-dead00").exists());
    assert!(kept.iter().all(|name| at(name).exists()));
    assert!(at(".tangency-folder").exists() && at(".tangency-link00").is_symlink() && at("train.csv").exists());
    drop(live);
    run(folder.path(), "generate s-curve --n 20 --out h.csv");
    assert!(!at(".tangency-live00").exists());
}
