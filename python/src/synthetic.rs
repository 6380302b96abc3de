//! Points on known manifolds.

use crate::arrays::{Out, OutPairs, TableArray, TableLayout, pairs, rows};
use numpy::{Ix2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::Shape;
use tangency::generate::Synthetic;

/// Points of a shape and their true coordinates.
#[pyfunction]
pub fn generate<'py>(
    py: Python<'py>,
    shape: &str,
    n_samples: usize,
    noise: f64,
    seed: u64,
) -> PyResult<(Out<'py, Ix2>, Out<'py, Ix2>)> {
    let shape: Shape = serde_json::from_value(serde_json::Value::from(shape))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let made = tangency::generate(shape, n_samples, noise, seed);
    Ok((rows(py, &made.points)?, rows(py, &made.truth)?))
}

/// The edges of nearest neighbours: those on the sheet, and those that jump.
#[pyfunction]
pub fn neighbor_edges<'py>(
    py: Python<'py>,
    points: TableArray<'py>,
    truth: TableArray<'py>,
    n_neighbors: usize,
) -> PyResult<(OutPairs<'py>, OutPairs<'py>)> {
    let n = points.shape()[0];
    if truth.shape()[0] != n || !(1..n).contains(&n_neighbors) {
        let rows = truth.shape()[0];
        let sentence = format!(
            "there are {n} points and {rows} rows of truth; give as many of both, and a smaller n_neighbors, at least 1"
        );
        return Err(PyValueError::new_err(sentence));
    }
    let made = Synthetic { points: TableLayout::of(&points)?.to_matrix(), truth: TableLayout::of(&truth)?.to_matrix() };
    let (good, jumping) = made.neighbor_edges(n_neighbors);
    Ok((pairs(py, &good)?, pairs(py, &jumping)?))
}
