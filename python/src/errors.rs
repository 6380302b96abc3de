//! The one place where errors of the library become Python's.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyValueError};
use tangency::Error;

/// The exception that a Python user expects, with the library's sentence in Python's words.
pub fn exception(error: Error) -> PyErr {
    let error = match error {
        Error::TooFar { row } => Error::TooFar { row: row - 1 }, // Python counts from 0
        other => other,
    };
    let mut message = in_python(&error.to_string());
    if matches!(error, Error::InvalidConfig { .. } | Error::Setting { .. }) {
        message = message.replace("lambda", "lam"); // a word that Python keeps for itself
    }
    match error {
        Error::TooLarge { .. } | Error::NoRoomForPairs { .. } | Error::FactorTooLarge { .. } => {
            PyMemoryError::new_err(message)
        }
        Error::Interrupted { .. } => PyKeyboardInterrupt::new_err(message),
        Error::Exists { .. } => PyFileExistsError::new_err(message),
        Error::File { path, reason } if is_missing(&reason) && !path.exists() => PyFileNotFoundError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

fn is_missing(reason: &str) -> bool {
    reason.starts_with("cannot be read") || reason.contains("folder does not exist")
}

/// What flags of the command are called here, where it is not only their dashes.
const WORDS: [(&str, &str); 9] = [
    ("--lambda 1 --nu 0", "lam=1.0, nu=0.0"),
    ("--connect", "connect=True"),
    ("--largest", "largest=True"),
    ("--force", "overwrite=True"),
    ("--init random", "init=\"random\""),
    ("--scaling max-abs", "scaling=\"max-abs\""),
    (", or leave the column out with --exclude ", ", or leave out the column "),
    ("`tangency fit`", "`tangency fit` or `LLLVM.save`"),
    ("fit --calibrate", "LLLVM.calibrate"),
];

/// A sentence for the command line as one for Python.
pub fn in_python(sentence: &str) -> String {
    let text = WORDS.iter().fold(sentence.to_owned(), |text, (flag, word)| text.replace(flag, word));
    let mut parts = text.split("--");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(part.len());
        let (flag, rest) = part.split_at(end);
        plain.push_str(&flag.replace('-', "_"));
        plain.push_str(rest);
    }
    plain
}
