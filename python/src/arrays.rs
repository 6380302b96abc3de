//! NumPy arrays and matrices. Input is read where it lies; output is moved, not copied.

use numpy::ndarray::{Array, Dimension};
use numpy::{IntoPyArray, PyArray, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tangency::linalg::{Matrix, View, view_of_columns, view_of_rows};

/// A table that Python holds.
pub type TableArray<'py> = PyReadonlyArray2<'py, f64>;

/// Pairs of points.
pub type PairArray<'py> = PyReadonlyArray2<'py, u32>;

/// The numbers of a table in the order in which they lie, and what they mean.
#[derive(Clone, Copy)]
pub struct TableLayout<'a> {
    values: &'a [f64],
    rows: usize,
    columns: usize,
    by_rows: bool,
}

impl<'a> TableLayout<'a> {
    /// Finds them; the array must be contiguous in C or Fortran order.
    pub fn of(table: &'a TableArray<'_>) -> PyResult<Self> {
        let [rows, columns] = [table.shape()[0], table.shape()[1]];
        let values = table.as_slice().map_err(|_| PyValueError::new_err("the array is not contiguous"))?;
        Ok(Self { values, rows, columns, by_rows: table.is_c_contiguous() })
    }

    /// The matrix.
    pub fn view(self) -> View<'a> {
        match self.by_rows {
            true => view_of_rows(self.values, self.rows, self.columns),
            false => view_of_columns(self.values, self.rows, self.columns),
        }
    }

    /// The same as a matrix of its own.
    pub fn to_matrix(self) -> Matrix {
        self.view().to_owned()
    }
}

/// An array of Python's.
pub type Out<'py, D> = Bound<'py, PyArray<f64, D>>;

/// Numbers in C order as an array of this shape.
pub fn array<'py, D: Dimension>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: impl Into<numpy::ndarray::StrideShape<D>>,
) -> PyResult<Out<'py, D>> {
    let array = Array::from_shape_vec(shape, values).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(array.into_pyarray(py))
}

/// A matrix as an array of the same shape.
pub fn rows<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (m, d) = (matrix.nrows(), matrix.ncols());
    array(py, (0..m).flat_map(|i| (0..d).map(move |a| matrix[(i, a)])).collect(), (m, d))
}

/// Columns one after the other: of a matrix with a point a column, the numbers point by point.
pub fn columns(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.ncols()).flat_map(|i| matrix.col_as_slice(i).iter().copied()).collect()
}

/// Pairs, an array of two columns.
pub type OutPairs<'py> = Bound<'py, PyArray2<u32>>;

/// Pairs as an array.
pub fn pairs<'py>(py: Python<'py>, edges: &[(u32, u32)]) -> PyResult<OutPairs<'py>> {
    let flat: Vec<u32> = edges.iter().flat_map(|&(i, j)| [i, j]).collect();
    let array = Array::from_shape_vec((edges.len(), 2), flat).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(array.into_pyarray(py))
}

/// Pairs from an array of two columns.
pub fn edges(pairs: &PairArray<'_>) -> PyResult<Vec<(u32, u32)>> {
    if pairs.shape()[1] != 2 {
        return Err(PyValueError::new_err(format!("pairs stand in {} columns; give two", pairs.shape()[1])));
    }
    Ok(pairs.as_array().rows().into_iter().map(|row| (row[0], row[1])).collect())
}
