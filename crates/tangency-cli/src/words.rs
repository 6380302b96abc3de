//! The words of the command: settings are flags, rows and columns count from 1.

use tangency::message::Dialect;
use tangency_report::command::flag;

/// The command's own words.
pub struct Flags;

impl Dialect for Flags {
    fn setting(&self, name: &str) -> String {
        match name {
            "overwrite" => "--force".to_owned(),
            _ => flag(name),
        }
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        let flag = self.setting(name);
        match value {
            // as everybody types it
            _ if name == "n_neighbors" => format!("-k {value}"),
            "true" => flag,
            "false" if flag.starts_with("--no-") => flag,
            _ if value.contains(char::is_whitespace) => format!("{flag} \"{value}\""),
            _ => format!("{flag} {value}"),
        }
    }

    fn without(&self, name: &str) -> (&'static str, String) {
        ("leave out", self.setting(name))
    }

    fn number(&self, index: usize) -> usize {
        index + 1
    }
}
