//! The report of a model, and figures.

use crate::arrays::{TableArray, TableLayout};
use crate::attend::attend;
use crate::model::NativeModel;
use crate::words::PythonWords;
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tangency::io::Model;
use tangency_report::page::{PythonCalls, Report, UnfittedRows};
use tangency_report::{Colour, FigureError, Multiple};

/// Names of rows: of those fitted and of the new ones.
type Names = (Option<Vec<String>>, Option<Vec<String>>);

/// The name of a column of the table, and a cell for each fitted row.
type Column = (String, Vec<String>);

/// Name, note and places [n, 2] of an embedding; no places if there is none.
type PanelGiven<'py> = (String, String, TableArray<'py>);

fn multiples(panels: &[PanelGiven<'_>]) -> PyResult<Vec<Multiple>> {
    let of = |(name, note, places): &PanelGiven<'_>| {
        if places.shape()[1] != 2 {
            return Err(PyValueError::new_err(
                "places have another number of columns than two; give two coordinates per point",
            ));
        }
        let places = TableLayout::of(places)?.view();
        let coordinates = (0..places.nrows()).map(|i| [places[(i, 0)], places[(i, 1)]]).collect();
        Ok(Multiple { name: name.clone(), note: note.clone(), coordinates })
    };
    panels.iter().map(of).collect()
}

/// The HTML page of a model. `ids` and `labels` are those of the fitted rows and of the new ones; `columns` are others of the
/// fitted rows, by name.
#[pyfunction]
#[pyo3(signature = (model, new, ids, labels, label_name=None, columns=vec![], *, image, title, command, calls, threads, comparisons=vec![], remark=None))]
pub fn report(
    py: Python<'_>,
    model: &NativeModel,
    new: Option<TableArray<'_>>,
    ids: Names,
    labels: Names,
    label_name: Option<String>,
    columns: Vec<Column>,
    image: Option<(usize, usize)>,
    title: String,
    command: String,
    calls: (String, String),
    threads: usize,
    comparisons: Vec<PanelGiven<'_>>,
    remark: Option<String>,
) -> PyResult<String> {
    let rows = new.as_ref().map(TableLayout::of).transpose()?;
    let new =
        rows.map(|rows| UnfittedRows { values: rows.view().transpose().to_owned(), ids: ids.1, labels: labels.1 });
    let Model { fit, feature_names, .. } = &*model.saved;
    let (fit, feature_names) = (fit.clone(), feature_names.clone());
    // labels that are given have their own name, or none
    let label_name = if labels.0.is_some() { label_name } else { model.saved.label_name.clone() };
    let (ids, labels) = (ids.0.or_else(|| model.saved.ids.clone()), labels.0.or_else(|| model.saved.labels.clone()));
    let others = model.saved.carried.iter().filter(|(name, _)| columns.iter().all(|(given, _)| given != name));
    let carried = columns.iter().chain(others).cloned().collect();
    let named =
        Model { fit, feature_names, ids, labels, label_name, carried, table: model.saved.table.clone(), reading: None };
    let comparisons = multiples(&comparisons)?;
    let report = Report {
        title,
        command: Some(command),
        calls: Some(PythonCalls { refit: calls.0, compare: calls.1 }),
        new,
        image,
        comparisons,
        remark,
        words: Some(&PythonWords),
        ..Report::default()
    };
    attend(py, threads, None, |_| report.html(&named))
}

/// Pixels of a PNG to each CSS pixel, as of the command.
const SCALE: f64 = 3.0;

/// Embeddings side by side as the bytes of a file. They are coloured by labels, or by values: one column of numbers, or two
/// of a place; `titles` are what these are.
#[pyfunction]
#[pyo3(name = "multiples", signature = (panels, labels, values, titles, *, title, kind))]
pub fn draw_multiples<'py>(
    py: Python<'py>,
    panels: Vec<PanelGiven<'_>>,
    labels: Option<Vec<String>>,
    values: Option<TableArray<'_>>,
    titles: (String, String),
    title: &str,
    kind: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let panels = multiples(&panels)?;
    let values = values.as_ref().map(TableLayout::of).transpose()?.map(TableLayout::to_matrix);
    let (mut numbers, mut places) = (vec![], vec![]);
    let colour = match (&labels, &values) {
        (Some(labels), _) => Colour::Categorical { labels, title: &titles.0 },
        (None, Some(values)) if values.ncols() == 2 => {
            places.extend((0..values.nrows()).map(|i| [values[(i, 0)], values[(i, 1)]]));
            Colour::Place { places: &places, titles: [&titles.0, &titles.1] }
        }
        (None, Some(values)) if values.ncols() == 1 => {
            numbers.extend_from_slice(values.col_as_slice(0));
            Colour::Continuous { values: &numbers, title: &titles.0 }
        }
        (None, Some(_)) => {
            return Err(PyValueError::new_err("values have more than two columns; give one or two per point"));
        }
        (None, None) => Colour::None,
    };
    let draw = || -> Result<Vec<u8>, FigureError> {
        let figure = tangency_report::multiples(&panels, colour, None, title)?;
        Ok(match kind {
            "png" => figure.png(SCALE)?,
            "pdf" => figure.pdf()?,
            _ => figure.svg().as_bytes().to_vec(),
        })
    };
    let bytes = py.detach(draw).map_err(|error| PyValueError::new_err(format!("this cannot be drawn: {error}")))?;
    Ok(PyBytes::new(py, &bytes))
}
