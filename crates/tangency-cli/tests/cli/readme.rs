//! What the README tells people to type works as it stands there, in that order.

use crate::command::BINARY;
use crate::files::{folder, workspace};
use std::path::Path;
use std::process::Command;

#[test]
fn commands_of_the_readme_run() {
    let Ok(text) = std::fs::read_to_string(workspace().join("README.md")) else {
        println!("skipped: no README.md");
        return;
    };
    let folder = folder();
    let programs = Path::new(BINARY).parent().unwrap().display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let commands = commands(&text);
    assert!(!commands.is_empty(), "the README shows no command");
    for line in commands {
        let output =
            Command::new("sh").args(["-c", &line]).current_dir(folder.path()).env("PATH", &path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}\n{said}");
    }
}

/// The lines of `sh` blocks that begin with the command; a line that ends in a backslash goes on in the next.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in text.replace("\\\n", " ").lines() {
        match line.trim().strip_prefix("```") {
            Some(language) => inside = !inside && language.trim() == "sh",
            None if inside && line.starts_with("tangency ") => commands.push(line.to_owned()),
            None => {}
        }
    }
    commands
}

#[test]
fn only_commands_in_shell_blocks_count() {
    let text = "tangency a\n```sh\ncargo b\ntangency c \\\n  --d\n```\n```\ntangency e\n```\n```python\ntangency f\n```\n```sh\ntangency g\n```\n";
    assert_eq!(commands(text), ["tangency c    --d", "tangency g"]);
}
