//! A fitted model, as Python holds it.

mod attributes;
mod fit;
mod new_rows;
mod structure;
mod training_points;

pub use fit::{Given, best_start, expected_seconds, named, starts, table_views, try_start};

use crate::arrays::{Out, OutPairs, PairArray, TableArray, TableLayout, array, pairs, rows};
use crate::attend::{ProgressReport, StopFlag, Watcher, attend, attend_until};
use crate::errors::exception;
use crate::settings;
use crate::words::PythonWords;
use attributes::{FeatureWeights, ImputedEntries};
use fit::{Task, TimedFit};
use numpy::{Ix1, Ix2, Ix3, Ix4};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tangency::Choice;
use tangency::extend::{Extension, Predicts};
use tangency::fit::{Caution, FullPosterior};
use tangency::inference::Deviations;
use tangency::io::table::{TableOptions, TableStream};
use tangency::io::{Claims, Model, NewRows, TableWriter, load_model, model_from_bytes, model_to_bytes, save_model};
use tangency::message::Sentence;
use tangency::model::{MissingRule, TableView};
use tangency::view::{LengthsRow, StructureView};
use training_points::SeenArrays;

/// A fit and the names of its table. It never changes; what changes a model makes another.
#[pyclass(frozen, name = "Model", module = "tangency._tangency")]
pub struct NativeModel {
    pub saved: Arc<Model>,
    extension: OnceLock<Arc<Extension>>,
    /// The whole posterior, from a fit that was asked to keep it until it is pruned.
    posterior: Mutex<Option<FullPosterior>>,
    /// How long the library took to fit it; the bench compares that with what Python waits.
    #[pyo3(get)]
    seconds: f64,
}

impl NativeModel {
    pub fn new(saved: Model) -> Self {
        Self { saved: Arc::new(saved), extension: OnceLock::new(), posterior: Mutex::default(), seconds: 0.0 }
    }

    /// Gives up the whole posterior, if there is one.
    pub fn take_posterior(&self) -> Option<FullPosterior> {
        self.posterior.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The same names with another fit.
    pub fn with_fit(&self, fit: tangency::Fit) -> Self {
        let Model { feature_names, ids, labels, label_name, carried, table, reading, .. } = &*self.saved;
        Self::new(Model {
            fit,
            feature_names: feature_names.clone(),
            ids: ids.clone(),
            labels: labels.clone(),
            label_name: label_name.clone(),
            carried: carried.clone(),
            table: table.clone(),
            reading: reading.clone(),
        })
    }

    /// The model prepared for new points, once.
    pub fn extension(&self) -> tangency::Result<&Extension> {
        if self.extension.get().is_none() {
            let made = Arc::new(Extension::new(&self.saved.fit)?);
            let _ = self.extension.set(made); // another thread may have been quicker with the same
        }
        self.extension.get().map(|arc| &**arc).ok_or(tangency::Error::Interrupted { what: "the preparation" })
    }
}

#[pymethods]
impl NativeModel {
    /// Fits a table; `ids` are the names of its rows.
    #[staticmethod]
    #[pyo3(signature = (values, config, feature_names, ids=None, *, edges=None, views=vec![], known=None, groups=None, start=None, only=None, keep_posterior=false, threads=1, progress=None, stop=None))]
    fn fit(
        py: Python<'_>,
        values: TableArray<'_>,
        config: &str,
        feature_names: Vec<String>,
        ids: Option<Vec<String>>,
        edges: Option<PairArray<'_>>,
        views: Vec<(String, Vec<usize>)>,
        known: Option<structure::Known<'_>>,
        groups: Option<structure::Groups>,
        start: Option<Given<'_>>,
        only: Option<usize>,
        keep_posterior: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
        stop: Option<&StopFlag>,
    ) -> PyResult<Self> {
        let task = Task::new(&values, config, edges.as_ref())?.with_views(views);
        let task = task.with_structure(structure::structure(known, groups));
        let start = start.map(|start| start.start()).transpose()?;
        let found =
            attend_until(py, stop, threads, progress.as_ref(), |watch| task.fit(start, only, keep_posterior, watch))?;
        let TimedFit { fit, posterior, seconds } = found;
        let made = Self::new(named(fit, feature_names, ids));
        Ok(Self { seconds, posterior: Mutex::new(posterior), ..made })
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| load_model(&path)).map(Self::new).map_err(exception)
    }

    /// The model of a file's bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| model_from_bytes(bytes, "the pickled model".as_ref())).map(Self::new).map_err(exception)
    }

    /// The bytes of its file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| model_to_bytes(&self.saved)).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Writes its file.
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let none: [&PathBuf; 0] = [];
        py.detach(|| save_model(&Claims::new(overwrite, none).claim(&path)?, &self.saved)).map_err(exception)
    }

    #[getter]
    fn config(&self) -> PyResult<String> {
        settings::json(&self.saved.fit.config)
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.saved.feature_names.clone()
    }

    /// Names of the points, where the table had some.
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.saved.ids.clone()
    }

    /// Whether the graph was given.
    #[getter]
    fn own_edges(&self) -> bool {
        self.saved.fit.own_edges
    }

    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix2>> {
        rows(py, &self.saved.fit.observations)
    }

    #[getter]
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix2>> {
        rows(py, &self.saved.fit.coordinates)
    }

    #[getter]
    fn deviations<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix2>> {
        rows(py, &self.saved.fit.standard_deviations())
    }

    /// [n, d_x, d_x]
    #[getter]
    fn covariances<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix3>> {
        attributes::covariances(py, &self.saved.fit)
    }

    /// [n, d_x, n, d_x]
    #[getter]
    fn full_covariance<'py>(&self, py: Python<'py>) -> PyResult<Option<Out<'py, Ix4>>> {
        attributes::full_covariance(py, &self.saved.fit)
    }

    /// Maps in the units of the table. [n, d_y, d_x]
    #[getter]
    fn maps<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix3>> {
        attributes::maps(py, &self.saved.fit)
    }

    /// Standard deviations of the maps in the units of the table. [n, d_y, d_x]
    #[getter]
    fn map_deviations<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix3>> {
        attributes::map_deviations(py, &self.saved.fit)
    }

    #[getter]
    fn bound(&self) -> f64 {
        self.saved.fit.bound()
    }

    /// The bound after each iteration, in the units of the table.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Out<'py, Ix1>> {
        attributes::bounds(py, &self.saved.fit)
    }

    /// The hyper-parameters by name.
    #[getter]
    fn hyperparameters(&self) -> Vec<(&'static str, f64)> {
        self.saved.fit.hyper.named().collect()
    }

    /// The weight of the features that was taken, and those that were tried with the trustworthiness of each.
    #[getter]
    fn feature_weights(&self) -> FeatureWeights {
        attributes::feature_weights(&self.saved.fit)
    }

    /// Whether distances on the map are those of the table, as JSON.
    #[getter]
    fn lengths(&self) -> PyResult<Option<String>> {
        LengthsRow::of(&self.saved.fit).as_ref().map(crate::settings::json).transpose()
    }

    /// How the number of coordinates was found, as JSON.
    #[getter]
    fn dimension(&self) -> PyResult<Option<String>> {
        self.saved.fit.dimension.as_ref().map(crate::settings::json).transpose()
    }

    /// How the scaling was found, as JSON.
    #[getter]
    fn scaling(&self) -> PyResult<Option<String>> {
        self.saved.fit.scaling_choice.as_ref().map(crate::settings::json).transpose()
    }

    /// How the number of neighbours was found, as JSON.
    #[getter]
    fn neighbors(&self) -> PyResult<Option<String>> {
        self.saved.fit.neighbors.as_ref().map(crate::settings::json).transpose()
    }

    /// How good the map is, next to principal components, and its density, next to a kernel density, as JSON.
    #[getter]
    fn measures(&self) -> PyResult<String> {
        attributes::measures(&self.saved.fit)
    }

    /// The same in one line.
    #[getter]
    fn glance(&self) -> Option<String> {
        self.saved.fit.glance()
    }

    /// Trustworthiness of the map and of simpler ones, by name.
    #[getter]
    fn quality(&self) -> BTreeMap<&'static str, f64> {
        attributes::quality(&self.saved.fit)
    }

    #[getter]
    fn n_used(&self) -> usize {
        self.saved.fit.used_components()
    }

    #[getter]
    fn sociability(&self) -> Option<Vec<f64>> {
        self.saved.fit.graph_model.as_ref().map(|graph| graph.sociability.clone())
    }

    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<OutPairs<'py>> {
        pairs(py, self.saved.fit.graph.edges())
    }

    #[getter]
    fn bridges<'py>(&self, py: Python<'py>) -> PyResult<OutPairs<'py>> {
        pairs(py, &self.saved.fit.bridges)
    }

    #[getter]
    fn removed<'py>(&self, py: Python<'py>) -> PyResult<OutPairs<'py>> {
        pairs(py, &self.saved.fit.removed)
    }

    #[getter]
    fn rows(&self) -> Vec<usize> {
        self.saved.fit.rows.clone()
    }

    /// Entries that the table lacked: rows, features, what is expected, and its deviations.
    #[getter]
    fn imputed(&self) -> Option<ImputedEntries> {
        attributes::imputed(&self.saved.fit)
    }

    /// Standard deviation of each feature's noise, in the units of the table.
    #[getter]
    fn feature_noise(&self) -> Vec<f64> {
        self.saved.fit.feature_noise()
    }

    /// Share of the variance of each feature that is explained of rows that are left out.
    #[getter]
    fn feature_explained(&self) -> Option<Vec<f64>> {
        self.saved.fit.feature_explained.clone()
    }

    /// The structure within the manifold in short, as JSON.
    #[getter]
    fn structure(&self) -> PyResult<Option<String>> {
        StructureView::new(&self.saved.fit).as_ref().map(crate::settings::json).transpose()
    }

    /// What the structure says of the training points: values with deviations, and probabilities.
    #[getter]
    fn structure_of_points<'py>(&self, py: Python<'py>) -> PyResult<structure::StructureArrays<'py>> {
        structure::of_points(py, &self.saved.fit)
    }

    /// The same of new rows, and how many had not come to rest.
    fn structure_of_rows<'py>(
        &self,
        py: Python<'py>,
        values: TableArray<'py>,
        threads: usize,
    ) -> PyResult<(structure::StructureArrays<'py>, usize)> {
        let lying = TableLayout::of(&values)?;
        let fit = &self.saved.fit;
        let placed = attend(py, threads, None, |watch| new_rows::place(self.extension()?, lying, watch))?;
        Ok((structure::rows(py, &placed.structure(fit))?, placed.unsettled))
    }

    /// Groups of features: name, features, share explained of rows that are left out.
    #[getter]
    fn views(&self) -> Vec<(String, Vec<usize>, Option<f64>)> {
        let fit = &self.saved.fit;
        let row = |view: &TableView| (view.name.clone(), view.features.clone(), fit.explained_of(&view.features));
        fit.views.iter().map(row).collect()
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.saved.fit.n_rows
    }

    #[getter]
    fn stop(&self) -> &'static str {
        self.saved.fit.stop.name()
    }

    #[getter]
    fn start(&self) -> &'static str {
        self.saved.fit.start.name()
    }

    /// The engine, why it was chosen if it was, how it solved linear systems, and the standard error of the bound.
    #[getter]
    fn engine(&self) -> (&'static str, Option<String>, &'static str, f64) {
        let notes = &self.saved.fit.engine;
        (notes.kind.name(), notes.reason.clone(), notes.solver.name(), notes.bound_error)
    }

    /// What the standard deviations are, and their standard error as a share of them, where that is known.
    #[getter]
    fn deviation_kind(&self) -> (&'static str, Option<f64>) {
        let deviations = self.saved.fit.deviations;
        let error = match deviations {
            Deviations::Exact => Some(0.0),
            Deviations::Sampled { relative_error, .. } => Some(relative_error),
            Deviations::Conditional => None,
        };
        (deviations.kind().name(), error)
    }

    /// Share of true neighbours that an approximate search found.
    #[getter]
    fn recall(&self) -> Option<f64> {
        self.saved.fit.recall
    }

    /// Number of principal axes that the maps were restricted to, and the share of the variance along them.
    #[getter]
    fn reduced(&self) -> Option<(usize, f64)> {
        self.saved.fit.reduced
    }

    /// Parts of a calibration and its factor, if there is one.
    #[getter]
    fn calibration(&self) -> Option<(usize, f64)> {
        self.saved.fit.calibration.as_ref().map(|found| (found.folds, found.spread))
    }

    /// Reasons not to trust it: whether each is about the run itself, and a sentence.
    #[getter]
    fn cautions(&self) -> Vec<(bool, String)> {
        let of_run = |caution: &Caution| matches!(caution, Caution::Collapsed | Caution::NotConverged);
        self.saved.cautions().iter().map(|caution| (of_run(caution), caution.in_words(&PythonWords))).collect()
    }

    /// Coordinates of rows and their standard deviations, and how many rows had not come to rest.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        values: TableArray<'py>,
        threads: usize,
    ) -> PyResult<(Out<'py, Ix2>, Out<'py, Ix2>, usize)> {
        let (lying, d_x) = (TableLayout::of(&values)?, self.saved.fit.coordinates.ncols());
        let placed = attend(py, threads, None, |watch| new_rows::place(self.extension()?, lying, watch))?;
        let shape = (placed.mean.len() / d_x, d_x);
        Ok((array(py, placed.mean, shape)?, array(py, placed.deviations, shape)?, placed.unsettled))
    }

    /// Log-density of the rows that were fitted, each held out.
    fn left_out_scores<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Out<'py, Ix1>> {
        let scores = attend(py, threads, None, |_| Ok(self.extension()?.score_training_rows()))?;
        let n = scores.len();
        array(py, scores, n)
    }

    /// Log-density of rows by the kernel density of those that were fitted.
    fn kernel_score<'py>(&self, py: Python<'py>, values: TableArray<'py>, threads: usize) -> PyResult<Out<'py, Ix1>> {
        let lying = TableLayout::of(&values)?;
        let scores = attend(py, threads, None, |watch| new_rows::kernel_score(self.extension()?, lying, watch))?;
        let m = scores.len();
        array(py, scores, m)
    }

    /// Log-density of rows, and their novelty.
    fn score<'py>(
        &self,
        py: Python<'py>,
        values: TableArray<'py>,
        threads: usize,
    ) -> PyResult<(Out<'py, Ix1>, Out<'py, Ix1>)> {
        let lying = TableLayout::of(&values)?;
        let (densities, novelty) = attend(py, threads, None, |watch| new_rows::score(self.extension()?, lying, watch))?;
        let m = densities.len();
        Ok((array(py, densities, m)?, array(py, novelty, m)?))
    }

    /// Values expected at coordinates, and their standard deviations.
    fn reconstruct<'py>(
        &self,
        py: Python<'py>,
        coordinates: TableArray<'py>,
        placed_row: bool,
        threads: usize,
    ) -> PyResult<(Out<'py, Ix2>, Out<'py, Ix2>)> {
        let coordinates = TableLayout::of(&coordinates)?.to_matrix();
        let predicts = if placed_row { Predicts::PlacedRow } else { Predicts::Measurement };
        let found = attend(py, threads, None, |_| self.extension()?.reconstruct(&coordinates, predicts))?;
        Ok((rows(py, &found.values)?, rows(py, &found.deviations)?))
    }

    /// Values expected of rows from the entries that they have, and their standard deviations.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        values: TableArray<'py>,
        threads: usize,
    ) -> PyResult<(Out<'py, Ix2>, Out<'py, Ix2>)> {
        let lying = TableLayout::of(&values)?;
        let found = attend(py, threads, None, |_| self.extension()?.predict_columns(lying.view().transpose()))?;
        Ok((rows(py, &found.values)?, rows(py, &found.deviations)?))
    }

    /// Samples of the model: values and coordinates.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<(Out<'py, Ix2>, Out<'py, Ix2>)> {
        let drawn = attend(py, threads, None, |_| self.extension()?.sample(0, count, seed))?;
        Ok((rows(py, &drawn.values)?, rows(py, &drawn.coordinates)?))
    }

    /// Each training point as the others see it: coordinates, values, standard deviations, strain; NaN for a point
    /// without which the graph would be in pieces.
    fn left_out<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<SeenArrays<'py>> {
        training_points::left_out(py, self, threads)
    }

    /// The same model, calibrated.
    #[pyo3(signature = (parts, threads, progress=None))]
    fn calibrated(&self, py: Python<'_>, parts: usize, threads: usize, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        training_points::calibrated(py, &self.saved.fit, parts, threads, progress.as_ref())
            .map(|fit| self.with_fit(fit))
    }

    /// The distance of two points: of their means, and the lower end, median and upper end of its interval.
    fn distance_interval(&self, i: usize, j: usize, level: f64) -> PyResult<(f64, f64, f64, f64)> {
        let found = self.saved.fit.distance_interval(i, j, level).map_err(exception)?;
        Ok((found.of_means, found.lower, found.median, found.upper))
    }

    /// Draws of all coordinates. [draws, n, d_x]
    fn sample_coordinates<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
        threads: usize,
    ) -> PyResult<Out<'py, Ix3>> {
        training_points::sample_coordinates(py, &self.saved.fit, count, seed, threads)
    }

    /// Places the rows of a table file in another, a block at a time; how many, and how many are rare.
    #[pyo3(signature = (source, destination, *, overwrite, details, columns, id_column, label_column, sheet, threads, progress=None))]
    fn transform_file(
        &self,
        py: Python<'_>,
        source: PathBuf,
        destination: PathBuf,
        overwrite: bool,
        details: bool,
        columns: Option<Vec<String>>,
        id_column: Option<String>,
        label_column: Option<String>,
        sheet: Option<String>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(usize, usize, bool)> {
        let gaps = self.saved.fit.config.missing != MissingRule::Error;
        let options = TableOptions { columns, id_column, label_column, sheet, gaps, ..TableOptions::default() };
        let seen = attend(py, threads, progress.as_ref(), |watch: &Watcher| {
            TableWriter::check(&destination)?;
            let out = Claims::new(overwrite, [&source]).claim(&destination)?;
            let new = NewRows::new(&source, TableStream::open(&source, &options)?, &self.saved)?;
            let total = new.rows();
            new.transform(&self.saved, self.extension()?, &out, details, |done| {
                watch.tell(|| ProgressReport { step: "rows".into(), done, total, bound: None })
            })
        })?;
        Ok((seen.rows, seen.rare, seen.interrupted))
    }
}
