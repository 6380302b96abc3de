//! The only place that prints.

use crate::words::Flags;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tangency::message::Sentence;

static WARNED: AtomicBool = AtomicBool::new(false);
/// Whether only warnings and errors are told.
static QUIET: AtomicBool = AtomicBool::new(false);
static LOST: AtomicBool = AtomicBool::new(false);

/// How much is said, and in which form.
#[derive(Clone, Copy)]
pub struct Say {
    pub quiet: bool,
    pub json: bool,
    /// Whether hyper-parameters are shown too.
    pub verbose: bool,
}

impl Say {
    /// A line for people, on standard output.
    pub fn line(&self, text: &str) {
        if !self.quiet && !self.json {
            print(text);
        }
    }

    /// The result for machines.
    pub fn result(&self, value: &serde_json::Value) {
        if self.json {
            print(&value.to_string());
        }
    }

    /// Data that was asked for, whatever the verbosity.
    pub fn data(&self, text: &str) {
        print(text);
    }

    /// A line for people that is not part of the result, on standard error.
    pub fn note(&self, text: &str) {
        if !self.quiet && !self.json {
            tell(text);
        }
    }

    /// A warning, on standard error, however little is said.
    pub fn warn(&self, text: &str) {
        WARNED.store(true, Ordering::Relaxed);
        tell(&format!("warning: {text}"));
    }

    /// What ended the program.
    pub fn error(&self, error: &tangency::Error) {
        tell(&format!("error: {}", error.in_words(&Flags)));
    }
}

/// Whether there was a warning.
pub fn warned() -> bool {
    WARNED.load(Ordering::Relaxed)
}

/// Files by name for machines; a name that is not Unicode is given as near as it can be.
pub fn names<'a>(paths: impl IntoIterator<Item = &'a Path>) -> serde_json::Value {
    paths.into_iter().map(|path| path.display().to_string()).collect()
}

/// Says what the first Ctrl-C does, unless that is not wanted: Ctrl-C is heard where nobody knows how much is to be said.
pub fn ending(keeps: bool) {
    if !QUIET.load(Ordering::Relaxed) {
        tell(match keeps {
            true => "ending with what there is; Ctrl-C again ends at once",
            false => "ending; Ctrl-C again ends at once",
        });
    }
}

/// From now on only warnings and errors are told.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether standard output would not take something, as on a full disk; then that is said.
pub fn lost() -> bool {
    let lost = LOST.load(Ordering::Relaxed);
    if lost {
        tell("error: standard output cannot be written; check that there is room");
    }
    lost
}

/// A reader that went away (`| head`) is no reason to complain.
fn print(text: &str) {
    let written = writeln!(std::io::stdout().lock(), "{text}");
    if written.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Where nobody can be told, there is nobody to tell that to.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
