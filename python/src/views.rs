//! A model as numbers with names: the same that the command prints, gives as JSON and draws.

use crate::arrays::{Out, array, rows};
use crate::attend::attend;
use crate::errors::exception;
use crate::model::NativeModel;
use crate::settings;
use crate::words::PythonWords;
use numpy::Ix2;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use tangency::Choice;
use tangency::extend::Predicts;
use tangency::message::Sentence;
use tangency::view::{self, BoundView, GridPlaces, Known, LoadingsView, MapView, Summary};

/// What `tangency info --json` gives, as JSON.
#[pyfunction]
pub fn summary(model: &NativeModel) -> PyResult<String> {
    let warnings = model.saved.cautions().iter().map(|caution| caution.in_words(&PythonWords)).collect();
    settings::json(&Summary::new(&model.saved, warnings))
}

/// The bound, its parts and the hyper-parameters after each iteration, as JSON.
#[pyfunction]
pub fn history(model: &NativeModel) -> PyResult<String> {
    settings::json(&BoundView::new(&model.saved.fit))
}

/// What a coordinate, counted from 0, is called.
#[pyfunction]
pub fn axis_name(a: usize) -> String {
    view::axis_name(a)
}

/// Half axes of the ellipse of one standard deviation of each point, and the angle of the longer in degrees; NaN where there
/// is none. [n, 3]
#[pyfunction]
pub fn ellipses<'py>(py: Python<'py>, model: &NativeModel, a: usize, b: usize) -> PyResult<Out<'py, Ix2>> {
    let map = MapView::new(&model.saved.fit);
    if a.max(b) >= map.axes.len() {
        return Err(PyIndexError::new_err("there is no such coordinate"));
    }
    let numbers = map.ellipses(a, b).into_iter().flat_map(|ellipse| match ellipse {
        Some(ellipse) => [ellipse.major, ellipse.minor, ellipse.degrees],
        None => [f64::NAN; 3],
    });
    array(py, numbers.collect(), (map.coordinates.len(), 3))
}

/// Means, standard deviations, and the factor that makes them comparable. [d_y, d_x] each
type LoadingArrays<'py> = (Out<'py, Ix2>, Out<'py, Ix2>, Out<'py, Ix2>);

/// Loadings at points or averaged over them, the features that change most, the strongest first, and what the deviations are.
#[pyfunction]
pub fn loadings<'py>(
    py: Python<'py>,
    model: &NativeModel,
    points: Vec<usize>,
) -> PyResult<(LoadingArrays<'py>, Vec<usize>, &'static str)> {
    let found = LoadingsView::new(&model.saved, &points).map_err(exception)?;
    let shape = (found.features.len(), found.axes.len());
    let table = |table: &[Vec<f64>]| array(py, table.concat(), shape);
    let numbers = (table(&found.mean)?, table(&found.deviation)?, table(&found.standard)?);
    Ok((numbers, found.strongest(usize::MAX), found.deviations.name()))
}

/// Places [m, d_x], expected values and standard deviations [m, d_y], and how well each place is known: 0 well, 1 badly, 2 not.
type Grid<'py> = (Out<'py, Ix2>, Out<'py, Ix2>, Out<'py, Ix2>, Vec<usize>);

/// What is expected on a grid over the coordinates.
#[pyfunction]
pub fn grid<'py>(py: Python<'py>, model: &NativeModel, sizes: Vec<usize>, threads: usize) -> PyResult<Grid<'py>> {
    let found =
        attend(py, threads, None, |_| GridPlaces::new(model.extension()?, &sizes)?.read_all(Predicts::Measurement))?;
    let known = found.known.iter().map(|known| match known {
        Known::Well => 0,
        Known::Badly => 1,
        Known::Not => 2,
    });
    let expected = (rows(py, &found.expected.values)?, rows(py, &found.expected.deviations)?);
    Ok((rows(py, &found.places)?, expected.0, expected.1, known.collect()))
}
