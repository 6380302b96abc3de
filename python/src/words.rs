//! The words of Python: settings are arguments, rows and columns count from 0. Nothing here needs Python itself.

use std::io::ErrorKind;
use tangency::Error;
use tangency::message::Dialect;

/// Python's own words.
pub struct PythonWords;

/// Arguments whose name is not that of the setting.
const NAMES: [(&str, &str); 4] = [("lambda", "lam"), ("calibrate", "parts"), ("test", "edges"), ("threads", "n_jobs")];

impl Dialect for PythonWords {
    fn setting(&self, name: &str) -> String {
        NAMES.iter().find(|(setting, _)| *setting == name).map_or(name, |(_, argument)| argument).to_owned()
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        let value = match value {
            "true" => "True".to_owned(),
            "false" => "False".to_owned(),
            number if number.parse::<f64>().is_ok() => number.to_owned(),
            word => format!("{word:?}"),
        };
        format!("{}={value}", self.setting(name))
    }

    fn number(&self, index: usize) -> usize {
        index
    }

    fn without_column(&self, _: &str) -> String {
        "leave the column out".to_owned()
    }
}

/// The exception that a Python user expects, by the name that Python has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    FileExistsError,
    FileNotFoundError,
    KeyboardInterrupt,
    MemoryError,
    ValueError,
}

impl Exception {
    /// The exception of an error.
    pub fn of(error: &Error) -> Self {
        match error {
            Error::TooLarge { .. } | Error::NoRoomForPairs { .. } | Error::FactorTooLarge { .. } => Self::MemoryError,
            Error::Interrupted { .. } => Self::KeyboardInterrupt,
            Error::Exists { .. } => Self::FileExistsError,
            Error::NoFolder { .. } => Self::FileNotFoundError,
            Error::Unreadable { kind: ErrorKind::NotFound | ErrorKind::NotADirectory, .. } => Self::FileNotFoundError,
            _ => Self::ValueError,
        }
    }
}
