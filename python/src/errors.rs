//! The one place where errors of the library become Python's.

use crate::words::{Exception, PythonWords};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyValueError};
use tangency::Error;
use tangency::message::Sentence;

/// The exception that a Python user expects, in Python's words.
pub fn exception(error: Error) -> PyErr {
    let sentence = error.in_words(&PythonWords);
    match Exception::of(&error) {
        Exception::FileExistsError => PyFileExistsError::new_err(sentence),
        Exception::FileNotFoundError => PyFileNotFoundError::new_err(sentence),
        Exception::KeyboardInterrupt => PyKeyboardInterrupt::new_err(sentence),
        Exception::MemoryError => PyMemoryError::new_err(sentence),
        Exception::ValueError => PyValueError::new_err(sentence),
    }
}
