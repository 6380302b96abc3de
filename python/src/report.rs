//! The report of a model.

use crate::arrays::{Lying, Table};
use crate::attend::attend;
use crate::model::Model;
use pyo3::prelude::*;
use tangency::io::Model as SavedModel;
use tangency_report::page::{NewRows, Report};

/// Names of rows: of those fitted and of the new ones.
type Names = (Option<Vec<String>>, Option<Vec<String>>);

/// The HTML page of a model. `ids` and `labels` are those of the fitted rows and of the new ones.
#[pyfunction]
#[pyo3(signature = (model, new, ids, labels, *, image, title, command, threads))]
pub fn report(
    py: Python<'_>,
    model: &Model,
    new: Option<Table<'_>>,
    ids: Names,
    labels: Names,
    image: Option<(usize, usize)>,
    title: String,
    command: String,
    threads: usize,
) -> PyResult<String> {
    let rows = new.as_ref().map(Lying::of).transpose()?;
    let new = rows.map(|rows| NewRows { values: rows.view().transpose().to_owned(), ids: ids.1, labels: labels.1 });
    let SavedModel { fit, feature_names, .. } = &*model.saved;
    let (fit, feature_names) = (fit.clone(), feature_names.clone());
    let (ids, labels) = (ids.0.or_else(|| model.saved.ids.clone()), labels.0.or_else(|| model.saved.labels.clone()));
    let named = SavedModel { fit, feature_names, ids, labels };
    let report = Report { title, command: Some(command), new, image, ..Report::default() };
    attend(py, threads, None, |_| report.html(&named))
}
