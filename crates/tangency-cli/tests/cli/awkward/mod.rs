//! A folder of awkward files: each is fitted with the features that a person would take, and what was guessed is said; or it is
//! refused with one sentence. Nothing changes its meaning in silence.

mod columns;
mod sheets;
mod text;

use crate::command::{Outcome, attempt, command};
use crate::files::{contents, folder};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Quick, and good for a line of points.
const QUICK: &str = "-k 5 -d 1 --connect --init pca --max-iter 2 --no-graph-likelihood";

/// Rows of a table.
const ROWS: usize = 24;

/// What must happen.
enum Expected {
    /// A fit of these features; the notes have these words, in this order and no other notes but the list of columns.
    Fit(&'static [&'static str], &'static [&'static str]),
    /// An error with these words.
    Refused(&'static [&'static str]),
}
use Expected::{Fit, Refused};

struct Awkward {
    name: &'static str,
    /// The table; `-` is standard input.
    file: &'static str,
    content: Vec<u8>,
    /// More arguments.
    more: &'static str,
    expected: Expected,
}

fn case(name: &'static str, file: &'static str, content: impl Into<Vec<u8>>, expected: Expected) -> Awkward {
    Awkward { name, file, content: content.into(), more: "", expected }
}

/// Rows of cells, made by their number, under a header that may be missing.
fn rows(header: &str, mark: &str, row: impl Fn(usize) -> Vec<String>) -> String {
    let lines = (0..ROWS).map(|i| row(i).join(mark));
    let header = (!header.is_empty()).then(|| header.to_owned());
    header.into_iter().chain(lines).map(|line| line + "\n").collect()
}

/// Three measurements of a point, no two the same and none of them whole.
fn measured(i: usize) -> Vec<String> {
    let t = i as f64;
    [0.5 + t, 0.25 + (i * 7 % 24) as f64 / 8.0, 0.125 + t * t / 50.0].map(|x| format!("{x:.3}")).to_vec()
}

fn plain() -> String {
    rows("a,b,c", ",", measured)
}

fn fit(case: &Awkward, folder: &std::path::Path) -> Outcome {
    let arguments = format!("fit {} {QUICK} {} --out m.safetensors --json", case.file, case.more);
    if case.file != "-" {
        std::fs::write(folder.join(case.file), &case.content).unwrap();
        return attempt(folder, &arguments);
    }
    let mut command = command(folder, &arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&case.content).unwrap();
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What is wrong with how a file was taken.
fn faults(case: &Awkward) -> Vec<String> {
    let folder = folder();
    let outcome = fit(case, folder.path());
    let mut faults = Vec::new();
    if outcome.stderr.contains("panicked") {
        faults.push("a panic".to_owned());
    }
    match case.expected {
        Fit(features, notes) => {
            let Ok(told) = serde_json::from_str::<Value>(&outcome.stdout) else { return vec![outcome.said()] };
            if told["feature_names"] != serde_json::json!(features) {
                faults.push(format!("features {}", told["feature_names"]));
            }
            let said: Vec<&str> = told["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let said: Vec<&str> = said.into_iter().filter(|note| !note.starts_with("features: ")).collect();
            if said.len() != notes.len() || said.iter().zip(notes).any(|(said, words)| !said.contains(words)) {
                faults.push(format!("notes {said:?}"));
            }
        }
        Refused(words) => {
            if outcome.code != Some(2) || outcome.stderr.lines().count() != 1 {
                faults.push(outcome.said());
            }
            faults.extend(
                words
                    .iter()
                    .filter(|word| !outcome.stderr.contains(**word))
                    .map(|word| format!("{word:?} is not in {:?}", outcome.stderr)),
            );
            if contents(folder.path()).keys().any(|name| name != case.file) {
                faults.push("files were written".into());
            }
        }
    }
    faults
}

#[test]
fn every_awkward_file_is_understood_or_refused() {
    let cases: Vec<Awkward> = text::cases().into_iter().chain(columns::cases()).chain(sheets::cases()).collect();
    assert!(cases.len() >= 40, "only {}", cases.len());
    let faults: Vec<String> = cases
        .iter()
        .flat_map(|case| faults(case).into_iter().map(|fault| format!("{}: {fault}", case.name)).collect::<Vec<_>>())
        .collect();
    assert!(faults.is_empty(), "of {} files:\n{}", cases.len(), faults.join("\n"));
}

#[test]
fn a_model_of_an_awkward_file_places_its_rows() {
    for (name, content) in [("t.csv", columns::with_row_numbers("n,a,b,c")), ("u.csv", columns::with_row_numbers(""))] {
        let folder = folder();
        std::fs::write(folder.path().join(name), content).unwrap();
        crate::command::run(folder.path(), &format!("fit {name} {QUICK} --out m.safetensors"));
        let placed = crate::command::run(folder.path(), &format!("transform m.safetensors {name} --out p.csv"));
        assert!(placed.stdout.contains("24 rows placed"), "{}", placed.said());
        let mut back = command(folder.path(), "reconstruct m.safetensors - --out r.csv");
        let status = back.stdin(std::fs::File::open(folder.path().join("p.csv")).unwrap()).output().unwrap().status;
        assert!(status.success(), "what comes through standard input is read once");
    }
}

#[test]
fn other_columns_go_to_the_embedding_and_the_page() {
    let folder = folder();
    let table = rows("id,day,a,b,c,sex", ",", |i| {
        let mut row = vec![(i * 5 % 24).to_string(), format!("2024-01-{:02}", i + 1)];
        row.extend(measured(i));
        row.push(["f", "m"][i % 2].to_owned());
        row
    });
    std::fs::write(folder.path().join("t.csv"), table).unwrap();
    let header = |more: &str| {
        let arguments = format!("fit t.csv {QUICK} --embedding x.csv --report r.html --force {more}");
        crate::command::run(folder.path(), &arguments);
        crate::files::Columns::read(&folder.path().join("x.csv"))
    };
    let embedding = header("");
    assert_eq!(embedding.header, ["id", "x1", "sd1", "id_", "day", "sex"]);
    assert_eq!((embedding.texts("id_")[1].as_str(), embedding.texts("sex")[1].as_str()), ("5", "m"));
    let page = std::fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("2024-01-24"));
    assert_eq!(header("--show sex,a").header, ["id", "x1", "sd1", "sex", "a"]);
    assert_eq!(header("--show none").header, ["id", "x1", "sd1"]);
    assert!(attempt(folder.path(), "fit t.csv --show q").stderr.contains("there is no column \"q\""));
}

#[test]
fn the_same_fit_may_replace_its_model_and_another_may_not() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), plain()).unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/t.tsv"), plain()).unwrap();
    let fit = |table: &str, more: &str| attempt(folder.path(), &format!("fit {table} {QUICK} {more}"));
    assert!(fit("t.csv", "").stdout.contains("wrote t.safetensors"));
    assert_eq!(fit("t.csv", "").code, Some(0), "{}", fit("t.csv", "").said());
    let with_files = "--embedding x.csv --trace r.csv";
    for _ in 0..2 {
        assert_eq!(fit("t.csv", with_files).code, Some(0), "what it wrote itself and is as it was, it writes again");
    }
    std::fs::write(folder.path().join("x.csv"), "id,x1\nmine,1\n").unwrap();
    assert!(fit("t.csv", with_files).stderr.contains("x.csv exists already"), "what was changed stays");
    for (table, more) in [("t.csv", "--seed 3"), ("t.csv", "--exclude c"), ("data/t.tsv", "")] {
        let outcome = fit(table, more);
        assert_eq!(outcome.code, Some(2), "{table} {more}: {}", outcome.said());
        assert!(outcome.stderr.contains("t.safetensors exists already"), "{}", outcome.said());
    }
    std::fs::write(folder.path().join("t.safetensors"), "mine").unwrap();
    assert_eq!(fit("t.csv", "").code, Some(2));
    // what is wrong with the table is said first
    std::fs::write(folder.path().join("t.csv"), "a,b\n1,x\n").unwrap();
    assert!(fit("t.csv", "--columns a,b").stderr.contains("column b"));
}
