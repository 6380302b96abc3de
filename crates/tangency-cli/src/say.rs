//! The only place that prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Write;

/// How much is said, and in which form.
#[derive(Clone, Copy)]
pub struct Say {
    pub quiet: bool,
    pub json: bool,
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

    /// A warning, on standard error.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            eprintln!("warning: {text}");
        }
    }

    /// What ended the program.
    pub fn error(&self, error: &tangency::Error) {
        eprintln!("error: {error}");
    }
}

/// A reader that went away (`| head`) is no reason to complain.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
}
