//! Settings as JSON, which has the names of `Config`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::Config;

/// The settings of a text.
pub fn config(text: &str) -> PyResult<Config> {
    serde_json::from_str(text)
        .map_err(|error| PyValueError::new_err(format!("a setting is not what it may be: {error}")))
}

/// Anything as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The one word that a value is in JSON.
pub fn word(value: &impl serde::Serialize) -> PyResult<String> {
    Ok(json(value)?.trim_matches('"').to_owned())
}
