//! Numbers of a fit as arrays, point by point.

use crate::arrays::{Out, array, columns};
use numpy::{Ix1, Ix3, Ix4};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use tangency::Fit;
use tangency::fit::Imputed;

/// [n, d_x, d_x]
pub fn covariances<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Out<'py, Ix3>> {
    let d_x = fit.coordinates.ncols();
    array(py, columns(&fit.coordinate_covariances), (fit.n(), d_x, d_x))
}

/// [n, d_x, n, d_x]
pub fn full_covariance<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Option<Out<'py, Ix4>>> {
    let (n, d_x) = (fit.n(), fit.coordinates.ncols());
    fit.full_covariance.as_ref().map(|full| array(py, columns(full), (n, d_x, n, d_x))).transpose()
}

/// Maps in the units of the table. [n, d_y, d_x]
pub fn maps<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Out<'py, Ix3>> {
    let (d_x, scale) = (fit.coordinates.ncols(), &fit.scaling.scale);
    by_point(py, fit, |i, f, a| fit.maps[(f, i * d_x + a)] * scale[f])
}

/// Standard deviations of the maps in the units of the table. [n, d_y, d_x]
pub fn map_deviations<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Out<'py, Ix3>> {
    let (d_x, scale) = (fit.coordinates.ncols(), &fit.scaling.scale);
    by_point(py, fit, |i, f, a| scale[f] * fit.map_covariances[(a * d_x + a, i)].max(0.0).sqrt())
}

/// The bound after each iteration, in the units of the table.
pub fn bounds<'py>(py: Python<'py>, fit: &Fit) -> PyResult<Out<'py, Ix1>> {
    let jacobian = fit.log_jacobian();
    array(py, fit.trace.iter().map(|point| point.bound_scaled - jacobian).collect(), fit.trace.len())
}

/// A weight of the features, none in the paper's model, and those that were tried with the trustworthiness of each.
pub type FeatureWeights = (Option<f64>, Vec<(Option<f64>, f64)>);

/// The weight of the features that was taken, and those that were tried.
pub fn feature_weights(fit: &Fit) -> FeatureWeights {
    let choice = fit.features.clone().unwrap_or_default();
    let tried = choice.tried.iter().map(|tried| (tried.weight, tried.trustworthiness)).collect();
    (choice.weight(), tried)
}

/// How good the map is, and its density, as JSON.
pub fn measures(fit: &Fit) -> PyResult<String> {
    let quality = fit.quality;
    crate::settings::json(&serde_json::json!({
        "explained": quality.and_then(|q| q.explained), "pca_explained": quality.and_then(|q| q.pca_explained),
        "trustworthiness": quality.map(|q| q.trustworthiness), "pca_trustworthiness": quality.map(|q| q.pca),
        "continuity": quality.and_then(|q| q.continuity), "pca_continuity": quality.and_then(|q| q.pca_continuity),
        "log_density": fit.density.map(|d| d.log_density),
        "kernel_log_density": fit.density.map(|d| d.kernel_log_density),
    }))
}

/// Trustworthiness of the map and of simpler ones, by name.
pub fn quality(fit: &Fit) -> BTreeMap<&'static str, f64> {
    let Some(found) = fit.quality else { return BTreeMap::new() };
    let start = found.start.map(|start| ("start", start));
    [("map", found.trustworthiness), ("pca", found.pca)].into_iter().chain(start).collect()
}

/// An entry for each point, feature and coordinate. [n, d_y, d_x]
fn by_point<'py>(py: Python<'py>, fit: &Fit, entry: impl Fn(usize, usize, usize) -> f64) -> PyResult<Out<'py, Ix3>> {
    let (n, d_y, d_x) = (fit.n(), fit.scaling.scale.len(), fit.coordinates.ncols());
    let mut values = Vec::with_capacity(n * d_y * d_x);
    for i in 0..n {
        for f in 0..d_y {
            values.extend((0..d_x).map(|a| entry(i, f, a)));
        }
    }
    array(py, values, (n, d_y, d_x))
}

/// Rows, features, values and deviations.
pub type ImputedEntries = (Vec<usize>, Vec<u32>, Vec<f64>, Vec<f64>);

/// Entries that the table lacked, with the rows of the table.
pub fn imputed(fit: &Fit) -> Option<ImputedEntries> {
    let Imputed { entries, values, deviations } = fit.imputed.as_ref()?;
    let rows = entries.iter().map(|&(point, _)| fit.rows[point as usize]).collect();
    let features = entries.iter().map(|&(_, f)| f).collect();
    Some((rows, features, values.clone(), deviations.clone()))
}
