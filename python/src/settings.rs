//! Settings as JSON, which has the names of `Config`; and the library's table of settings for Python.

use crate::errors::exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use tangency::compare::Entrant;
use tangency::config::{Named, Setting};
use tangency::evidence::CellStop;
use tangency::graph::EdgeNames;
use tangency::inference::{DeviationKind, Solver, Stage, Stop};
use tangency::peers::Method;
use tangency::{Choice, Config, Preset, Shape};

/// The settings of a text.
pub fn config(text: &str) -> PyResult<Config> {
    serde_json::from_str(text)
        .map_err(|error| PyValueError::new_err(format!("a setting is not what it may be: {error}")))
}

/// Checks the settings of a text, and whether they go together.
#[pyfunction]
pub fn check_settings(text: &str) -> PyResult<()> {
    config(text)?.validate().map_err(exception)
}

/// The table of settings, the presets and the other closed lists, as JSON.
#[pyfunction]
pub fn settings() -> PyResult<String> {
    let plain = as_json(&Config::default())?;
    let row = |setting: &Setting| {
        let mut row = setting.as_json();
        row["default"] = plain[setting.name].clone();
        row
    };
    let presets: PyResult<serde_json::Map<String, Value>> =
        Preset::ALL.iter().map(|preset| Ok((preset.to_string(), as_json(&preset.config())?))).collect();
    let entrants: Vec<String> = Entrant::all().map(|entrant| entrant.to_string()).collect();
    json(&json!({
        "settings": Config::SETTINGS.iter().map(row).collect::<Vec<_>>(),
        "presets": presets?,
        "choices": {
            "method": words::<Method>(),
            "entrant": entrants,
            "shape": words::<Shape>(),
            "stop": words::<Stop>(),
            "stage": words::<Stage>(),
            "solver": words::<Solver>(),
            "deviations": words::<DeviationKind>(),
            "cell_stop": words::<CellStop>(),
            "edges_by": words::<EdgeNames>(),
        },
    }))
}

fn words<C: Choice>() -> Vec<&'static str> {
    C::list().iter().map(|Named { name, .. }| *name).collect()
}

fn as_json(config: &Config) -> PyResult<Value> {
    serde_json::to_value(config).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Anything as JSON.
pub fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}
