//! Within limits on files and on memory a command does all of its work or says why not; it is never ended by a signal.

use crate::command::{BINARY, Outcome, run};
use crate::files::contents;
use crate::fitted::with_model;
use std::path::Path;
use std::process::Command;

fn within(limit: &str, folder: &Path, arguments: &str) -> Outcome {
    // a file that would become too large is an error of that write, as on a full disk, and no signal
    let script = format!("trap '' XFSZ; {limit} && exec {BINARY} {arguments}");
    let ran = Command::new("bash").args(["-c", &script]).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome { code: ran.status.code(), stdout: text(ran.stdout), stderr: text(ran.stderr) }
}

/// Each write of an output fails in turn, KiB by KiB.
#[test]
fn what_cannot_be_written_whole_is_not_there() {
    let folder = with_model();
    for (arguments, out) in [
        ("transform m.safetensors new.csv --details --out x.csv --quiet", "x.csv"),
        ("transform m.safetensors new.csv --out x.parquet --quiet", "x.parquet"),
        ("sample m.safetensors --n 100 --out x.tsv --quiet", "x.tsv"),
        ("reconstruct m.safetensors --grid 9x9 --out x.csv --quiet", "x.csv"),
        ("loadings m.safetensors --each --out x.csv --quiet", "x.csv"),
        ("edges m.safetensors --out x.csv --quiet", "x.csv"),
        ("report m.safetensors --out x.html --quiet", "x.html"),
        ("plot m.safetensors --out x.svg --quiet", "x.svg"),
        ("plot m.safetensors --out x.png --quiet", "x.png"),
        (
            "fit new.csv --columns y1:y3 --init pca --max-iter 3 --no-graph-likelihood --out x.safetensors --quiet",
            "x.safetensors",
        ),
    ] {
        let before = contents(folder.path());
        run(folder.path(), arguments);
        let whole = std::fs::read(folder.path().join(out)).unwrap();
        std::fs::remove_file(folder.path().join(out)).unwrap();
        let most = whole.len().div_ceil(1024);
        let step = most.div_ceil(5).max(1);
        for limit in (0..=most).step_by(step).chain([most - 1]) {
            let outcome = within(&format!("ulimit -f {limit}"), folder.path(), arguments);
            let what = format!("{arguments}, {limit} of {most} KiB: {}", outcome.said());
            if limit >= most {
                assert_eq!(outcome.code, Some(0), "{what}");
                assert!(std::fs::read(folder.path().join(out)).unwrap() == whole, "{what}");
                std::fs::remove_file(folder.path().join(out)).unwrap();
                continue;
            }
            assert_eq!(outcome.code, Some(2), "{what}");
            assert!(outcome.stderr.contains(&format!("{out}: cannot be written (")), "{what}");
            assert!(!outcome.stderr.contains(".tangency-") && !outcome.stderr.contains("External"), "{what}");
            assert!(contents(folder.path()) == before, "{what}");
        }
    }
}

#[test]
fn little_memory_is_said_and_no_abort() {
    let folder = with_model();
    for kilobytes in [120_000, 200_000, 400_000, 700_000, 1_500_000] {
        for arguments in [
            "fit new.csv --columns y1:y3 --init pca --max-iter 3 --out x.safetensors --force",
            "transform m.safetensors new.csv --out x.csv --force",
            "info m.safetensors",
        ] {
            let outcome = within(&format!("ulimit -v {kilobytes}"), folder.path(), arguments);
            let what = format!("{kilobytes} kB: {}", outcome.said());
            match outcome.code {
                Some(0) => {}
                Some(2) => assert!(outcome.stderr.contains("error: ") && outcome.stderr.contains("memory"), "{what}"),
                _ => panic!("{what}"),
            }
        }
    }
    let asked = within("ulimit -v 1000000", folder.path(), "info m.safetensors --threads 64");
    assert!(asked.code == Some(2) && asked.stderr.contains("--threads is 64, but the limit on"), "{}", asked.said());
}

/// A model file is data of others: one with numbers that no fit finds is refused by every command.
#[test]
fn models_with_numbers_beyond_all_reason_are_refused() {
    let folder = with_model();
    let path = folder.path().join("m.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    let end = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..end]).unwrap();
    for (name, number, problem) in [
        ("coordinates", 1e155, "has numbers in coordinates that are too large to reckon with"),
        ("maps", -1e76, "has numbers in maps that are too large"),
        ("observations", 1e150, "has numbers in observations that are too large"),
        ("coordinate_covariances", -1e-3, "has variances in coordinate_covariances below zero"),
        ("scale", f64::INFINITY, "has numbers in scale that are not finite"),
    ] {
        let start = end + header[name]["data_offsets"][0].as_u64().unwrap() as usize;
        let mut changed = bytes.clone();
        changed[start..start + 8].copy_from_slice(&f64::to_le_bytes(number));
        std::fs::write(&path, changed).unwrap();
        for arguments in [
            "info m.safetensors",
            "edges m.safetensors",
            "loadings m.safetensors",
            "sample m.safetensors --out x.csv",
            "transform m.safetensors new.csv --out x.csv",
            "reconstruct m.safetensors --grid 3x3 --out x.csv",
            "report m.safetensors --out x.html",
            "plot m.safetensors --out x.png",
        ] {
            let outcome = crate::command::attempt(folder.path(), arguments);
            assert!(outcome.code == Some(2) && outcome.stderr.contains(problem), "{name}: {}", outcome.said());
        }
    }
}
