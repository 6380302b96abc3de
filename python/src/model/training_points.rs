//! What a model knows of its own points.

use super::NativeModel;
use crate::arrays::{Out, array};
use crate::attend::{ProgressReport, attend};
use numpy::{Ix1, Ix2, Ix3};
use pyo3::prelude::*;
use tangency::extend::{LeftOut, calibrate};
use tangency::{Fit, Progress};

/// Coordinates, values, standard deviations and strain.
pub type SeenArrays<'py> = (Out<'py, Ix2>, Out<'py, Ix2>, Out<'py, Ix2>, Out<'py, Ix1>);

/// Each training point as the others see it.
pub fn left_out<'py>(py: Python<'py>, model: &NativeModel, threads: usize) -> PyResult<SeenArrays<'py>> {
    let seen = attend(py, threads, None, |_| Ok(model.extension()?.left_out()))?;
    let fit = &model.saved.fit;
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    let of = |size: usize, part: fn(&LeftOut) -> &[f64]| -> Vec<f64> {
        seen.iter().flat_map(|one| one.as_ref().map_or(vec![f64::NAN; size], |one| part(one).to_vec())).collect()
    };
    let strain = seen.iter().map(|one| one.as_ref().map_or(f64::NAN, |one| one.strain)).collect();
    Ok((
        array(py, of(d_x, |one| &one.mean), (n, d_x))?,
        array(py, of(d_y, |one| &one.values), (n, d_y))?,
        array(py, of(d_y, |one| &one.deviations), (n, d_y))?,
        array(py, strain, n)?,
    ))
}

/// The fit, calibrated by fits without one part of its rows in turn.
pub fn calibrated(
    py: Python<'_>,
    fit: &Fit,
    parts: usize,
    threads: usize,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Fit> {
    let found = attend(py, threads, progress, |watch| {
        calibrate(fit, parts, |part, progress| watch.tell(|| of_parts(part, parts, progress)))
    })?;
    Ok(Fit { calibration: Some(found), ..fit.clone() })
}

fn of_parts(part: usize, parts: usize, progress: &Progress) -> ProgressReport {
    let bound = Some(progress.point.bound_scaled);
    ProgressReport { step: format!("part {}/{parts}", part + 1), done: part, total: Some(parts), bound }
}

/// Draws of all coordinates. [draws, n, d_x]
pub fn sample_coordinates<'py>(
    py: Python<'py>,
    fit: &Fit,
    count: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Out<'py, Ix3>> {
    let draws = attend(py, threads, None, |_| fit.sample_coordinates(count, seed))?;
    let (n, d_x) = (fit.n(), fit.coordinates.ncols());
    let flat = draws.iter().flat_map(|draw| (0..n * d_x).map(move |p| draw[(p / d_x, p % d_x)])).collect();
    array(py, flat, (count, n, d_x))
}
