//! The one place where errors of the library become Python's.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyValueError};
use tangency::Error;

/// The exception that a Python user expects, with the library's sentence in Python's words.
pub fn exception(error: Error) -> PyErr {
    let message = in_python(&error.to_string());
    match error {
        Error::TooLarge { .. } | Error::NoRoom { .. } => PyMemoryError::new_err(message),
        Error::Interrupted { .. } => PyKeyboardInterrupt::new_err(message),
        Error::Exists { .. } => PyFileExistsError::new_err(message),
        Error::File { path, .. } if !path.exists() => PyFileNotFoundError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// What flags of the command are called here.
const WORDS: [(&str, &str); 15] = [
    ("--lambda 1 --nu 0", "lam=1.0, nu=0.0"),
    ("--connect", "connect=True"),
    ("--largest", "largest=True"),
    ("--force", "overwrite=True"),
    ("--init random", "init=\"random\""),
    ("--scaling max-abs", "scaling=\"max-abs\""),
    ("--n-neighbors", "n_neighbors"),
    ("--n-components", "n_components"),
    ("--max-iter", "max_iter"),
    ("--n-init", "n_init"),
    ("--radius", "radius"),
    ("--init", "init"),
    (", or leave the column out with --exclude ", ", or leave out the column "),
    ("`tangency fit`", "`tangency fit` or `LLLVM.save`"),
    ("fit --calibrate", "LLLVM.calibrate"),
];

/// A sentence for the command line as one for Python.
pub fn in_python(sentence: &str) -> String {
    WORDS.iter().fold(sentence.to_owned(), |text, (flag, word)| text.replace(flag, word))
}
