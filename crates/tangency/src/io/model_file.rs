//! The model as one safetensors file: arrays by name, and one JSON text with everything else. No code in it.
//!
//! Arrays are stored row-major as other languages expect them; `docs/model-file.md` lists them.

use super::allowance::Allowance;
use super::model_arrays::{FileArray, LARGEST, LARGEST_SAID, Reader, of_missing};
use super::output::Output;
use super::table::TableOptions;
use crate::config::{AUTO, Config, Init};
use crate::density::DensityNotes;
use crate::error::{Error, Result};
use crate::fit::{
    Calibration, Caution, DimensionChoice, FeatureChoice, Fit, FittedStructure, GraphModel, LengthsChoice, MapQuality,
    NeighborsChoice, NoiseChoice, Pruning,
};
use crate::graph::{Graph, pieces};
use crate::inference::{BoundParts, Deviations, EngineNotes, Stop, TracePoint};
use crate::linalg::Matrix;
use crate::message::{Column, Remedy, shown};
use crate::model::{Hyperparameters, Scaling, ScalingChoice, TableView, check_views};
use safetensors::tensor::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The version of the layout; a reader refuses one that it does not know.
const FORMAT: u32 = 1;
const KEY: &str = "tangency";
const HELD_OUT: &str = "held_out_log_densities";
/// What stands for the noise of features in their scale.
const NOISE: &str = "noise_scales";
const MAP_DRAWS: &str = "map_draws";
const EXPLAINED: &str = "feature_explained";
const SOCIABILITY: &str = "sociability";
const CARRIED: &str = "carried";
const STRUCTURE: &str = "structure";

/// A fit together with the names that its table gave.
#[derive(Clone)]
pub struct Model {
    /// The fit.
    pub fit: Fit,
    /// Names of the features.
    pub feature_names: Vec<String>,
    /// Ids of the points, where the table had them.
    pub ids: Option<Vec<String>>,
    /// Labels of the points, where the table had them.
    pub labels: Option<Vec<String>>,
    /// What the labels are called, where they have a name.
    pub label_name: Option<String>,
    /// Other columns of the table, by name, with a cell for each point.
    pub carried: Vec<(String, Vec<String>)>,
    /// What the table is called, where it has a name.
    pub table: Option<String>,
    /// How it was read, where it was a file.
    pub reading: Option<TableOptions>,
}

impl Model {
    /// The id of point `i`, or its row of the table from 0.
    pub fn id(&self, i: usize) -> String {
        match &self.ids {
            Some(ids) => ids[i].clone(),
            None => self.fit.rows[i].to_string(),
        }
    }

    /// What to know before trusting it.
    pub fn cautions(&self) -> Vec<Caution> {
        let named = |caution| match caution {
            Caution::OneFeature(Column::Numbered(feature)) => {
                Caution::OneFeature(Column::Named(self.feature_names[feature].clone()))
            }
            other => other,
        };
        self.fit.cautions(|i| self.id(i)).into_iter().map(named).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct Metadata {
    format: u32,
    version: String,
    config: Config,
    n_rows: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    own_edges: bool,
    start: Init,
    start_seed: u64,
    /// Models from before there was a choice have the defaults.
    #[serde(default)]
    engine: EngineNotes,
    #[serde(default)]
    deviations: Deviations,
    #[serde(default)]
    recall: Option<f64>,
    #[serde(default)]
    reduced: Option<(usize, f64)>,
    stop: Stop,
    hyper: Hyperparameters,
    parts: BoundParts,
    bound: f64,
    bound_scaled: f64,
    trace: Vec<TracePoint>,
    feature_names: Vec<String>,
    ids: Option<Vec<String>>,
    labels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reading: Option<TableOptions>,
    calibration: Option<CalibrationNotes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pruning: Option<Pruning>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quality: Option<MapQuality>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    density: Option<DensityNotes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    neighbors: Option<NeighborsChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    noise: Option<NoiseChoice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    views: Vec<TableView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scaling: Option<ScalingChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dimension: Option<DimensionChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    features: Option<FeatureChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lengths: Option<LengthsChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    graph_model: Option<GraphNotes>,
}

/// What of the graph's likelihood is not an array.
#[derive(Serialize, Deserialize)]
struct GraphNotes {
    precision: Vec<f64>,
    feature_weight: f64,
    error: f64,
}

/// What of a calibration is not an array.
#[derive(Serialize, Deserialize)]
struct CalibrationNotes {
    folds: usize,
    spread: f64,
}

/// Writes a model.
pub fn save_model(output: &Output, model: &Model) -> Result<()> {
    let bytes = model_to_bytes(model).map_err(|e| Error::unwritable(output.path(), &e))?;
    output.write(|file| file.write_all(&bytes))
}

/// Reads a model.
pub fn load_model(path: &Path) -> Result<Model> {
    // the bytes and the numbers that are made of them
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    Allowance::of_length(length).check(length.saturating_mul(2)).map_err(|excess| excess.of(path))?;
    let bytes = std::fs::read(path).map_err(|e| Error::unreadable(path, &e))?;
    model_from_bytes(&bytes, path)
}

/// A model as the bytes of its file.
pub fn model_to_bytes(model: &Model) -> std::io::Result<Vec<u8>> {
    let fit = &model.fit;
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    let metadata = Metadata {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").into(),
        config: fit.config.clone(),
        n_rows: fit.n_rows,
        own_edges: fit.own_edges,
        start: fit.start,
        start_seed: fit.start_seed,
        engine: fit.engine.clone(),
        deviations: fit.deviations,
        recall: fit.recall,
        reduced: fit.reduced,
        stop: fit.stop,
        hyper: fit.hyper,
        parts: fit.parts,
        bound: fit.bound(),
        bound_scaled: fit.bound_scaled(),
        trace: fit.trace.clone(),
        feature_names: model.feature_names.clone(),
        ids: model.ids.clone(),
        labels: model.labels.clone(),
        label_name: model.label_name.clone(),
        table: model.table.clone(),
        reading: model.reading.clone(),
        calibration: fit.calibration.as_ref().map(|c| CalibrationNotes { folds: c.folds, spread: c.spread }),
        pruning: fit.pruning,
        quality: fit.quality,
        density: fit.density,
        neighbors: fit.neighbors.clone(),
        noise: fit.noise_choice,
        views: fit.views.clone(),
        scaling: fit.scaling_choice,
        dimension: fit.dimension.clone(),
        features: fit.features.clone(),
        lengths: fit.lengths,
        graph_model: fit.graph_model.as_ref().map(|graph| GraphNotes {
            precision: graph.precision.clone(),
            feature_weight: graph.feature_weight,
            error: graph.error,
        }),
    };
    let pairs = |edges: &[(u32, u32)]| edges.iter().flat_map(|&(i, j)| [i, j]).collect::<Vec<u32>>();
    let columns =
        |matrix: &Matrix| -> Vec<f64> { (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j).to_vec()).collect() };
    let rows = |matrix: &Matrix| columns(&matrix.transpose().to_owned());
    let mut arrays = vec![
        FileArray::of_f64("observations", vec![n, d_y], &rows(&fit.observations)),
        FileArray::of_f64("center", vec![d_y], &fit.scaling.center),
        FileArray::of_f64("scale", vec![d_y], &fit.scaling.scale),
        FileArray::of_u32("rows", vec![n], &fit.rows.iter().map(|&r| r as u32).collect::<Vec<_>>()),
        FileArray::of_u32("edges", vec![fit.graph.edges().len(), 2], &pairs(fit.graph.edges())),
        FileArray::of_u32("bridges", vec![fit.bridges.len(), 2], &pairs(&fit.bridges)),
        FileArray::of_u32("removed", vec![fit.removed.len(), 2], &pairs(&fit.removed)),
        FileArray::of_f64("coordinates", vec![n, d_x], &rows(&fit.coordinates)),
        FileArray::of_f64("coordinate_covariances", vec![n, d_x, d_x], &columns(&fit.coordinate_covariances)),
        // column i·d_x + a of the d_y × n·d_x matrix is column a of C_i, so columns in turn are [n, d_x, d_y]
        FileArray::of_f64("maps", vec![n, d_x, d_y], &columns(&fit.maps)),
        FileArray::of_f64("map_covariances", vec![n, d_x, d_x], &columns(&fit.map_covariances)),
    ];
    if let Some(draws) = &fit.map_draws {
        // the draws of a number stand together
        arrays.push(FileArray::of_f64(MAP_DRAWS, vec![n, d_x, draws.ncols()], &rows(draws)));
    }
    if let Some(full) = &fit.full_covariance {
        arrays.push(FileArray::of_f64("full_covariance", vec![n, d_x, n, d_x], &columns(full)));
    }
    if let Some(calibration) = &fit.calibration {
        arrays.push(FileArray::of_f64(HELD_OUT, vec![n], &calibration.log_densities));
    }
    if let Some(imputed) = &fit.imputed {
        arrays.extend(of_missing(imputed));
    }
    if let Some(noise) = &fit.noise_scales {
        arrays.push(FileArray::of_f64(NOISE, vec![d_y], noise));
    }
    if let Some(shares) = &fit.feature_explained {
        arrays.push(FileArray::of_f64(EXPLAINED, vec![d_y], shares));
    }
    if let Some(graph) = &fit.graph_model {
        arrays.push(FileArray::of_f64(SOCIABILITY, vec![n], &graph.sociability));
    }
    // not among the metadata, which may not be large
    if !model.carried.is_empty() {
        let bytes = serde_json::to_vec(&model.carried)?;
        arrays.push(FileArray { name: CARRIED, dtype: Dtype::U8, shape: vec![bytes.len()], bytes });
    }
    if let Some(structure) = &fit.structure {
        let bytes = serde_json::to_vec(structure)?;
        arrays.push(FileArray { name: STRUCTURE, dtype: Dtype::U8, shape: vec![bytes.len()], bytes });
    }
    let text = serde_json::to_string(&metadata)?;
    let views = arrays
        .iter()
        .map(|array| Ok((array.name, array.view()?)))
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>();
    views
        .and_then(|views| safetensors::serialize(views, Some(HashMap::from([(KEY.to_owned(), text)]))))
        .map_err(std::io::Error::other)
}

/// The model of a file's bytes; what is wrong with them is said with the name of the file.
pub fn model_from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
    let refuse = |what: String, ways: [&'static str; 2]| Error::file(path, what, ways.map(Remedy::act).to_vec());
    let broken = |what: &str| refuse(what.to_owned(), ["fit the model again", "take a whole copy of the file"]);
    let foreign =
        || Error::file(path, "is not a tangency model", [Remedy::act("give a file that tangency saved as a model")]);
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|_| if bytes.len() > 8 && bytes[8] == b'{' { broken("is cut short or damaged") } else { foreign() })?;
    let text = header.metadata().as_ref().and_then(|map| map.get(KEY)).ok_or_else(foreign)?;
    #[derive(Deserialize)]
    struct Version {
        format: u32,
        version: String,
    }
    let version: Version = serde_json::from_str(text).map_err(|_| broken("has damaged metadata"))?;
    if version.format != FORMAT {
        let problem = format!(
            "was written by tangency {} in model format {}, and this is {} with format {FORMAT}",
            version.version,
            version.format,
            env!("CARGO_PKG_VERSION")
        );
        return Err(refuse(problem, ["use that version", "fit again"]));
    }
    if let Some(what) = unknown_setting(text) {
        let problem = format!(
            "has {what}, which tangency {} does not know: it was written by another version, {}",
            env!("CARGO_PKG_VERSION"),
            version.version
        );
        return Err(Error::file(path, problem, [Remedy::act("install a newer tangency")]));
    }
    let mut metadata: Metadata = serde_json::from_str(text).map_err(|_| broken("has damaged metadata"))?;
    if serde_json::from_str(text).is_ok_and(|value| largest(&value) > LARGEST_SAID) {
        return Err(broken("has metadata with numbers that are too large to reckon with"));
    }
    // models from before the graph had a likelihood are the paper's
    metadata.config.graph_likelihood &= text.contains("\"graph_likelihood\"");
    let tensors = SafeTensors::deserialize(bytes).map_err(|_| broken("is cut short or damaged"))?;
    let reader = Reader { tensors, broken: &broken };

    let (shape, _) = reader.array("coordinates", Dtype::F64)?;
    let &[n, d_x] = shape.as_slice() else { return Err(broken("has coordinates of a strange shape")) };
    let d_y = metadata.feature_names.len();
    if n < 3 || d_x == 0 || d_y == 0 {
        return Err(broken("holds too few points"));
    }
    let open = metadata.config.n_neighbors == AUTO;
    if metadata.config.validate().is_err()
        || open
        || metadata.config.n_components != d_x
        || !metadata.hyper.are_possible()
        || !metadata.hyper.values().iter().all(|&value| value == 0.0 || (SMALLEST..=LARGEST).contains(&value))
    {
        return Err(broken("has settings that do not belong to its arrays"));
    }
    let per_point = |name: &str, height: usize, shape: &[usize]| -> Result<Matrix> {
        let values = reader.f64s(name, shape)?;
        Ok(Matrix::from_fn(height, n, |r, i| values[i * height + r]))
    };
    let by_rows = |name: &str, columns: usize| -> Result<Matrix> {
        let values = reader.f64s(name, &[n, columns])?;
        Ok(Matrix::from_fn(n, columns, |i, c| values[i * columns + c]))
    };
    let pairs = |name: &str| -> Result<Vec<(u32, u32)>> {
        let values = reader.u32s(name)?;
        if values.len() % 2 != 0 || values.iter().any(|&v| v as usize >= n) {
            return Err(broken("has edges to points that are not there"));
        }
        Ok(values.chunks_exact(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect())
    };
    let maps = reader.f64s("maps", &[n, d_x, d_y])?;
    let rows: Vec<usize> = reader.u32s("rows")?.into_iter().map(|r| r as usize).collect();
    let right_length = |names: &Option<Vec<String>>| names.as_ref().is_none_or(|names| names.len() == n);
    if rows.len() != n || !right_length(&metadata.ids) || !right_length(&metadata.labels) {
        return Err(broken("has lists of different lengths"));
    }
    let full_covariance = if reader.tensors.names().contains(&"full_covariance") {
        let values = reader.f64s("full_covariance", &[n, d_x, n, d_x])?;
        let size = n * d_x;
        Some(Matrix::from_fn(size, size, |p, q| values[q * size + p]))
    } else {
        None
    };
    let map_draws = match reader.tensors.tensor(MAP_DRAWS).ok().map(|view| view.shape().to_vec()).as_deref() {
        Some(&[.., draws]) => {
            let values = reader.f64s(MAP_DRAWS, &[n, d_x, draws])?;
            Some(Matrix::from_fn(n * d_x, draws, |p, draw| values[p * draws + draw]))
        }
        Some([]) => return Err(broken("has an array map_draws of another shape")),
        None => None,
    };
    let scaling = Scaling { center: reader.f64s("center", &[d_y])?, scale: reader.f64s("scale", &[d_y])? };
    if !scaling.scale.iter().all(|&scale| scale > 0.0 && scale.is_finite()) {
        return Err(broken("has a scale that is not positive"));
    }
    let observations = by_rows("observations", d_y)?;
    for f in 0..d_y {
        let scaled = |value: &f64| (value - scaling.center[f]) / scaling.scale[f];
        let scaled: Vec<f64> = observations.col_as_slice(f).iter().map(scaled).collect();
        reader.check_magnitudes("observations", &scaled, LARGEST)?;
    }
    let covariances = |name: &str| -> Result<Matrix> {
        let found = per_point(name, d_x * d_x, &[n, d_x, d_x])?;
        let is_variance = |(i, a): (usize, usize)| found[(a * d_x + a, i)] >= 0.0;
        match (0..n).flat_map(|i| (0..d_x).map(move |a| (i, a))).all(is_variance) {
            true => Ok(found),
            false => Err(broken(&format!("has variances in {name} below zero"))),
        }
    };
    let graph = Graph::from_edges(n, pairs("edges")?);
    if pieces(&graph).len() > 1 {
        return Err(broken("has a graph in pieces"));
    }
    let calibration = match metadata.calibration {
        Some(CalibrationNotes { folds, spread }) => {
            Some(Calibration { folds, spread, log_densities: reader.f64s(HELD_OUT, &[n])? })
        }
        None => None,
    };
    let graph_model = match metadata.graph_model {
        Some(GraphNotes { precision, feature_weight, error }) => {
            let sociability = reader.f64s(SOCIABILITY, &[n])?;
            let positive = |value: &f64| *value > 0.0 && value.is_finite();
            if precision.len() != d_x * d_x || !sociability.iter().chain([&feature_weight]).all(positive) {
                return Err(broken("has a likelihood of the graph that does not belong to its arrays"));
            }
            Some(GraphModel { sociability, precision, feature_weight, error })
        }
        None => None,
    };
    let imputed = reader.imputed(n, d_y)?;
    let if_there = |name: &str| -> Result<Option<Vec<f64>>> {
        reader.tensors.names().contains(&name).then(|| reader.f64s(name, &[d_y])).transpose()
    };
    let (noise_scales, feature_explained) = (if_there(NOISE)?.map(Arc::new), if_there(EXPLAINED)?);
    if check_views(&metadata.views, d_y).is_err() {
        return Err(broken("has views of features that are not there"));
    }
    if noise_scales.iter().any(|scales| scales.iter().any(|&scale| scale <= 0.0)) {
        return Err(broken("has a scale that is not positive"));
    }
    let structure: Option<FittedStructure> = match reader.tensors.names().contains(&STRUCTURE) {
        true => {
            let (_, view) = reader.array(STRUCTURE, Dtype::U8)?;
            let read: FittedStructure =
                serde_json::from_slice(view.data()).map_err(|_| broken("has a damaged structure"))?;
            if !read.belongs_to(n, d_x) {
                return Err(broken("has a structure that does not belong to its points"));
            }
            Some(read)
        }
        false => None,
    };
    let fit = Fit {
        graph_model,
        structure,
        noise_scales,
        feature_explained,
        noise_choice: metadata.noise,
        views: metadata.views,
        quality: metadata.quality,
        density: metadata.density,
        neighbors: metadata.neighbors,
        scaling_choice: metadata.scaling,
        imputed,
        dimension: metadata.dimension,
        features: metadata.features,
        lengths: metadata.lengths,
        observations: Arc::new(observations),
        scaling,
        graph,
        bridges: pairs("bridges")?,
        // models from before pruning was there have none
        removed: if reader.tensors.names().contains(&"removed") { pairs("removed")? } else { vec![] },
        coordinates: by_rows("coordinates", d_x)?,
        coordinate_covariances: covariances("coordinate_covariances")?,
        full_covariance,
        maps: Matrix::from_fn(d_y, n * d_x, |f, p| maps[p * d_y + f]),
        map_covariances: covariances("map_covariances")?,
        map_draws,
        n_rows: metadata.n_rows,
        own_edges: metadata.own_edges,
        rows,
        config: metadata.config,
        start: metadata.start,
        start_seed: metadata.start_seed,
        engine: metadata.engine,
        deviations: metadata.deviations,
        recall: metadata.recall,
        reduced: metadata.reduced,
        stop: metadata.stop,
        hyper: metadata.hyper,
        parts: metadata.parts,
        trace: metadata.trace,
        calibration,
        pruning: metadata.pruning,
    };
    let carried: Vec<(String, Vec<String>)> = if reader.tensors.names().contains(&CARRIED) {
        let (_, view) = reader.array(CARRIED, Dtype::U8)?;
        serde_json::from_slice(view.data()).map_err(|_| broken("has carried columns that cannot be read"))?
    } else {
        vec![]
    };
    if carried.iter().any(|(_, cells)| cells.len() != n) {
        return Err(broken("has lists of different lengths"));
    }
    let Metadata { feature_names, ids, labels, label_name, table, reading, .. } = metadata;
    Ok(Model { fit, feature_names, ids, labels, label_name, carried, table, reading })
}

/// The smallest hyper-parameter that is reckoned with.
const SMALLEST: f64 = 1e-200;

/// The largest number among metadata, without its sign.
fn largest(value: &serde_json::Value) -> f64 {
    use serde_json::Value::{Array, Number, Object};
    match value {
        Number(number) => number.as_f64().map_or(f64::INFINITY, f64::abs),
        Array(values) => values.iter().map(largest).fold(0.0, f64::max),
        Object(fields) => fields.values().map(largest).fold(0.0, f64::max),
        _ => 0.0,
    }
}

/// A setting, or a word that a setting is, that only a newer version can have written.
fn unknown_setting(metadata: &str) -> Option<String> {
    let metadata: serde_json::Value = serde_json::from_str(metadata).ok()?;
    metadata["config"].as_object()?.iter().find_map(|(name, value)| {
        match (Config::reads(name, value), value.as_str()) {
            (None, _) => Some(format!("the setting \"{}\"", shown(name))),
            (Some(false), Some(word)) => Some(format!("the setting {name} = \"{}\"", shown(word))),
            _ => None,
        }
    })
}
