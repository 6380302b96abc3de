//! Running the command in a folder of its own.

use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_tangency");

/// What a run left behind.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Whatever was said, for the message of a failed assertion.
    pub fn said(&self) -> String {
        format!("exit {:?}\nstdout: {}\nstderr: {}", self.code, self.stdout, self.stderr)
    }
}

/// A command with these arguments, separated by blanks, that runs in `folder`.
pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

/// Runs to the end, however it ends.
pub fn attempt(folder: &Path, arguments: &str) -> Outcome {
    outcome(command(folder, arguments).output().unwrap())
}

/// Runs to the end or, if that is later, until the patience is over; then there is no exit code. For commands that say
/// little.
pub fn attempt_within(patience: Duration, folder: &Path, arguments: &str) -> Outcome {
    let mut command = command(folder, arguments);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if ended_within(patience, &mut child).is_none() {
        child.kill().unwrap();
    }
    outcome(child.wait_with_output().unwrap())
}

/// How the process ended, unless it is still at work when the patience is over.
pub fn ended_within(patience: Duration, child: &mut Child) -> Option<ExitStatus> {
    let mut status = None;
    wait_until(patience, || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status
}

/// Ctrl-C, and how the process ended; it has 15 seconds.
pub fn interrupt(child: &mut Child) -> Outcome {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = ended_within(Duration::from_secs(15), child);
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("the command went on for 15 s after Ctrl-C");
    }
    let stderr = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    Outcome { code: status.unwrap().code(), stdout: String::new(), stderr }
}

/// Looks again and again, but not for longer than the patience.
pub fn wait_until(patience: Duration, mut happened: impl FnMut() -> bool) {
    let began = Instant::now();
    while !happened() && began.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn outcome(output: std::process::Output) -> Outcome {
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs to the end, which must be a good one.
pub fn run(folder: &Path, arguments: &str) -> Outcome {
    let outcome = attempt(folder, arguments);
    assert_eq!(outcome.code, Some(0), "tangency {arguments}\n{}", outcome.said());
    outcome
}

/// Runs with `--json` and parses all of standard output.
pub fn run_json(folder: &Path, arguments: &str) -> Value {
    let outcome = run(folder, &format!("{arguments} --json"));
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {}", outcome.said()))
}
