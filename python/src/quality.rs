//! How good an embedding is.

use crate::arrays::{Out, PairArray, TableArray, TableLayout, rows};
use crate::attend::attend;
use numpy::{Ix2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::linalg::Matrix;
use tangency::quality;
use tangency::{Graph, Symmetry};

/// A measure of two tables.
type OfTwo = fn(&Matrix, &Matrix) -> tangency::Result<f64>;

fn of_two(
    py: Python<'_>,
    first: &TableArray<'_>,
    second: &TableArray<'_>,
    threads: usize,
    measure: OfTwo,
) -> PyResult<f64> {
    let (first, second) = (TableLayout::of(first)?.to_matrix(), TableLayout::of(second)?.to_matrix());
    attend(py, threads, None, |_| measure(&first, &second))
}

/// Distance to known coordinates after the best rotation and scale.
#[pyfunction]
pub fn procrustes(py: Python<'_>, embedding: TableArray<'_>, truth: TableArray<'_>, threads: usize) -> PyResult<f64> {
    of_two(py, &embedding, &truth, threads, quality::procrustes)
}

/// Share of known coordinates that an affine map explains.
#[pyfunction]
pub fn affine_r2(py: Python<'_>, embedding: TableArray<'_>, truth: TableArray<'_>, threads: usize) -> PyResult<f64> {
    of_two(py, &embedding, &truth, threads, quality::affine_r2)
}

/// An embedding turned onto another.
#[pyfunction]
pub fn align<'py>(
    py: Python<'py>,
    embedding: TableArray<'_>,
    onto: TableArray<'_>,
    threads: usize,
) -> PyResult<Out<'py, Ix2>> {
    let (embedding, onto) = (TableLayout::of(&embedding)?.to_matrix(), TableLayout::of(&onto)?.to_matrix());
    rows(py, &attend(py, threads, None, |_| quality::align(&embedding, &onto))?)
}

/// Whether neighbours in the embedding are so in the table.
#[pyfunction]
pub fn trustworthiness(
    py: Python<'_>,
    values: TableArray<'_>,
    embedding: TableArray<'_>,
    n_neighbors: usize,
    threads: usize,
) -> PyResult<f64> {
    let (values, embedding) = (TableLayout::of(&values)?.to_matrix(), TableLayout::of(&embedding)?.to_matrix());
    attend(py, threads, None, |_| quality::trustworthiness(&values, &embedding, n_neighbors))
}

/// Whether neighbours in the table are so in the embedding.
#[pyfunction]
pub fn continuity(
    py: Python<'_>,
    values: TableArray<'_>,
    embedding: TableArray<'_>,
    n_neighbors: usize,
    threads: usize,
) -> PyResult<f64> {
    let (values, embedding) = (TableLayout::of(&values)?.to_matrix(), TableLayout::of(&embedding)?.to_matrix());
    attend(py, threads, None, |_| quality::continuity(&values, &embedding, n_neighbors))
}

/// Error of nearest neighbours in folds: mean, and standard deviations over shuffles and over folds.
#[pyfunction]
pub fn knn_error(
    py: Python<'_>,
    embedding: TableArray<'_>,
    labels: Vec<String>,
    n_neighbors: usize,
    folds: usize,
    shuffles: usize,
    seed: u64,
    threads: usize,
) -> PyResult<(f64, f64, f64)> {
    let embedding = TableLayout::of(&embedding)?.to_matrix();
    let found =
        attend(py, threads, None, |_| quality::knn_error(&embedding, &labels, n_neighbors, folds, shuffles, seed))?;
    Ok((found.mean, found.deviation, found.fold_deviation))
}

/// Correlation of distances in the embedding with those along a graph: the given one, or that of nearest neighbours.
#[pyfunction]
pub fn geodesic_correlation(
    py: Python<'_>,
    values: TableArray<'_>,
    embedding: TableArray<'_>,
    edges: Option<PairArray<'_>>,
    n_neighbors: usize,
    threads: usize,
) -> PyResult<f64> {
    let n = values.shape()[0];
    let edges = edges.as_ref().map(crate::arrays::edges).transpose()?;
    let beyond = edges.iter().flatten().any(|&(i, j)| i.max(j) as usize >= n);
    if beyond || (edges.is_none() && !(1..n).contains(&n_neighbors)) {
        let sentence =
            format!("there are {n} points; give a graph that joins them, or a smaller n_neighbors, at least 1");
        return Err(PyValueError::new_err(sentence));
    }
    let points = TableLayout::of(&values)?.view().transpose().to_owned();
    let embedding = TableLayout::of(&embedding)?.to_matrix();
    attend(py, threads, None, |_| {
        let graph = match edges {
            Some(edges) => Graph::from_edges(n, edges),
            None => tangency::graph::neighbor_graph(&points, n_neighbors, Symmetry::Or),
        };
        quality::geodesic_correlation(&graph, &points, &embedding)
    })
}
