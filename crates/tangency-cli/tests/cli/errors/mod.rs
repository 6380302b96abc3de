//! The error table: every bad input with its message, exit code 2 and nothing written.

mod compare;
mod edges;
mod extend;
mod plot;
mod requests;
mod select;
mod tables;

use crate::command::{attempt_within, run};
use crate::files::{contents, folder};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Long enough for a busy machine, too short for any work that the refusal should spare.
const PATIENCE: Duration = Duration::from_secs(20);

/// One bad input.
struct Case {
    name: String,
    /// Files beside the good table `Y.csv`; a name that ends in `/` is a folder.
    files: Vec<(String, Vec<u8>)>,
    arguments: String,
    /// What the message must contain.
    words: Vec<&'static str>,
    /// The parser of flags, which adds a tip and the usage, is the one to complain.
    by_parser: bool,
}

impl Case {
    fn new(name: &str, arguments: &str, words: &[&'static str]) -> Self {
        let (name, arguments) = (name.to_owned(), arguments.to_owned());
        Self { name, files: vec![], arguments, words: words.to_vec(), by_parser: false }
    }

    fn with(mut self, file: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((file.to_owned(), content.into()));
        self
    }

    fn by_parser(mut self) -> Self {
        self.by_parser = true;
        self
    }

    fn lay_out(&self, folder: &Path) {
        std::fs::write(folder.join("Y.csv"), good_table()).unwrap();
        for (name, content) in &self.files {
            match name.strip_suffix('/') {
                Some(name) => std::fs::create_dir(folder.join(name)).unwrap(),
                None => std::fs::write(folder.join(name), content).unwrap(),
            }
        }
    }

    /// The message, and what is wrong with how the command answered.
    fn answer(&self) -> (String, Vec<String>) {
        let folder = folder();
        self.lay_out(folder.path());
        let before = contents(folder.path());
        let outcome = attempt_within(PATIENCE, folder.path(), &self.arguments);
        let message = outcome.stderr.lines().next().unwrap_or_default().to_owned();

        let mut faults = Vec::new();
        let mut demand = |holds: bool, fault: String| {
            if !holds {
                faults.push(fault);
            }
        };
        let lines = outcome.stderr.lines().count();
        demand(outcome.code == Some(2), format!("exit code {:?} within {PATIENCE:?}", outcome.code));
        demand(message.starts_with("error: "), format!("no error: {:?}", outcome.stderr));
        demand(lines == 1 || self.by_parser, format!("{lines} lines on standard error: {:?}", outcome.stderr));
        demand(!outcome.stderr.contains("panicked"), "a panic".into());
        for word in &self.words {
            demand(message.contains(word), format!("{word:?} is not in {message:?}"));
        }
        demand(contents(folder.path()) == before, "files were written".into());
        (message, faults)
    }
}

/// Forty points of a bent sheet, with an id and a label.
fn good_table() -> String {
    let mut table = "id,kind,a,b,c\n".to_owned();
    for i in 0..40 {
        let (u, v) = ((i % 8) as f64 + 0.1 * (i % 3) as f64, (i / 8) as f64 + 0.1 * (i % 7) as f64);
        writeln!(table, "p{i},{},{u},{v},{}", if i % 2 == 0 { "even" } else { "odd" }, 0.05 * u * u).unwrap();
    }
    table
}

/// The bytes of a sound model of the good table.
fn good_model(more: &str) -> Vec<u8> {
    let folder = folder();
    std::fs::write(folder.path().join("Y.csv"), good_table()).unwrap();
    run(folder.path(), &format!("fit Y.csv --init pca --max-iter 10 {more}"));
    std::fs::read(folder.path().join("Y.safetensors")).unwrap()
}

#[test]
fn every_bad_input_is_refused_with_one_sentence() {
    let mut table = "| input | message |\n|---|---|\n".to_owned();
    let mut failures = Vec::new();
    let cases: Vec<Case> = [
        tables::cases(),
        requests::cases(),
        edges::cases(),
        select::cases(),
        extend::cases(),
        plot::cases(),
        compare::cases(),
    ]
    .into_iter()
    .flatten()
    .collect();
    for case in &cases {
        let (message, faults) = case.answer();
        writeln!(table, "| {} | {} |", case.name, message.replace('|', "\\|")).unwrap();
        failures.extend(faults.iter().map(|fault| format!("{} (tangency {}): {fault}", case.name, case.arguments)));
    }
    println!("{table}");
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("error-table.md"), table).unwrap();
    assert!(failures.is_empty(), "of {} inputs:\n{}", cases.len(), failures.join("\n"));
}

#[test]
fn the_good_table_is_good() {
    assert!(!good_model("--id-column id --label-column kind").is_empty());
}
