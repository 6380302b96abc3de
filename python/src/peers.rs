//! The methods beside ours.

use crate::arrays::{Lying, Out, Pairs, Table, rows};
use crate::attend::{Told, attend};
use crate::settings;
use numpy::Ix2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use tangency::peers::{Method, PeerOptions, embed};

/// Coordinates of a table by a method, and which rows of the table they are.
#[pyfunction]
#[pyo3(name = "embed", signature = (values, method, config, options, edges, threads, progress=None))]
pub fn embed_table<'py>(
    py: Python<'py>,
    values: Table<'_>,
    method: &str,
    config: &str,
    options: &str,
    edges: Option<Pairs<'_>>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Out<'py, Ix2>, Vec<usize>)> {
    let lying = Lying::of(&values)?;
    let method: Method = read(&format!("\"{method}\""))?;
    let (config, options) = (settings::config(config)?, read::<PeerOptions>(options)?);
    let edges = edges.as_ref().map(crate::arrays::edges).transpose()?;
    let found = attend(py, threads, progress.as_ref(), |watch| {
        embed(lying.view(), method, &config, &options, edges, &mut |done, value| {
            watch.tell(|| Told { step: "iterations".into(), done, total: None, bound: Some(value) })
        })
    })?;
    Ok((rows(py, &found.coordinates)?, found.rows))
}

fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
