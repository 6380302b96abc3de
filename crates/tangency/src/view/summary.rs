//! What `fit` and `info` show of a model, without its arrays.

use super::{StructureView, axis_name, spread};
use crate::config::{Config, Init};
use crate::density::DensityNotes;
use crate::fit::{
    DimensionChoice, DistanceInterval, FeatureChoice, Fit, Imputed, MapQuality, NeighborsChoice, NoiseChoice,
};
use crate::inference::{BoundParts, DeviationKind, Deviations, EngineNotes, Stop};
use crate::io::Model;
use crate::model::{Hyperparameters, ScalingChoice, TableView};
use serde::Serialize;

/// A model in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How good the map is, in one line.
    pub glance: Option<String>,
    /// How good the map is, next to principal components.
    pub quality: Option<MapQuality>,
    /// How likely rows are, next to a kernel density.
    pub density: Option<DensityNotes>,
    /// Number of points.
    pub n: usize,
    /// Rows of the table that was fitted.
    pub n_rows: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of coordinates.
    pub n_components: usize,
    /// Names of the features.
    pub feature_names: Vec<String>,
    /// Number of edges.
    pub n_edges: usize,
    /// Edges that were added to join pieces.
    pub bridges: Vec<(u32, u32)>,
    /// Edges that pruning removed.
    pub n_removed: usize,
    /// The coordinates, each with its spread and how well it is known.
    pub coordinates: Vec<CoordinateRow>,
    /// How it was calibrated, if it was.
    pub calibration: Option<CalibrationRow>,
    /// The bound in the units of the table.
    pub bound: f64,
    /// The same per point.
    pub bound_per_point: f64,
    /// The same in scaled units.
    pub bound_scaled: f64,
    /// Its parts.
    pub bound_parts_scaled: BoundParts,
    /// How the number of neighbours was found, if it was left to the data.
    pub neighbors: Option<NeighborsChoice>,
    /// Entries that the table lacked and that were filled in.
    pub missing: Option<MissingRow>,
    /// How it was decided whether features have a noise of their own, if that was left to the data.
    pub noise: Option<NoiseChoice>,
    /// The structure within the manifold, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<StructureView>,
    /// Groups of features that were named.
    pub views: Vec<ViewRow>,
    /// The features, where they have a noise of their own.
    pub feature_noise: Option<Vec<FeatureRow>>,
    /// How the scaling was found, if it was left to the data.
    pub scaling: Option<ScalingChoice>,
    /// How the number of coordinates was found, if it was left to the data.
    pub dimension: Option<DimensionChoice>,
    /// Which weight of the features was taken, and why.
    pub features: Option<FeatureChoice>,
    /// Whether distances on the map are those of the table, if that was looked at.
    pub lengths: Option<LengthsRow>,
    /// Coordinates that are used: the others have no spread.
    pub n_used: usize,
    /// The hyper-parameters.
    pub hyperparameters: Hyperparameters,
    /// Iterations of the run that was kept.
    pub n_iter: usize,
    /// How it ended.
    pub stop: Stop,
    /// The kind of its start.
    pub start: Init,
    /// The seed of its start.
    pub start_seed: u64,
    /// The engine and how it worked.
    pub engine: EngineNotes,
    /// What the standard deviations of coordinates are.
    pub deviations: DeviationsRow,
    /// Share of true neighbours that an approximate search found.
    pub recall: Option<f64>,
    /// Principal axes that the maps were restricted to.
    pub pca: Option<PcaRow>,
    /// The settings.
    pub config: Config,
    /// What to know before trusting it, in the words of a front end.
    pub warnings: Vec<String>,
}

/// One coordinate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoordinateRow {
    /// Its name.
    pub name: String,
    /// Its standard deviation over the points.
    pub spread: f64,
    /// The median over the points of how well it is known: a standard deviation.
    pub deviation: f64,
}

/// Whether the map was stretched until edges had the lengths that they have in the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LengthsRow {
    /// Whether it was; otherwise neighbourhoods would have been lost.
    pub taken: bool,
    /// How far lengths on the map are from those of the table, as a share of them, root mean square.
    pub off: f64,
    /// The same without it.
    pub off_before: f64,
    /// Trustworthiness towards the table with it.
    pub trustworthiness: f64,
    /// The same without it.
    pub trustworthiness_before: f64,
    /// The bound without it, in the units of the table.
    pub bound_before: f64,
    /// How long in the table a step of 1 on the map is that was taken; none where features have scales of their own.
    pub unit: Option<f64>,
}

impl LengthsRow {
    /// Of a fit, if that was looked at.
    pub fn of(fit: &Fit) -> Option<Self> {
        fit.lengths.map(|lengths| {
            let scale = fit.scaling.scale.first().copied().unwrap_or(1.0);
            let common = fit.scaling.scale.iter().all(|&other| other == scale);
            Self {
                taken: lengths.taken,
                off: lengths.misfit.sqrt(),
                off_before: lengths.misfit_before.sqrt(),
                trustworthiness: lengths.trustworthiness,
                trustworthiness_before: lengths.trustworthiness_before,
                bound_before: lengths.bound_before - fit.log_jacobian(),
                unit: common.then_some(lengths.unit * scale),
            }
        })
    }
}

/// A calibration in short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationRow {
    /// Parts of the rows that were left out in turn.
    pub parts: usize,
    /// What deviations of new rows are multiplied by.
    pub spread: f64,
}

/// Entries that a table lacked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingRow {
    /// How many.
    pub entries: usize,
    /// Rows that lacked one.
    pub rows: usize,
    /// How many of each feature, those with the most first.
    pub by_feature: Vec<(String, usize)>,
}

impl MissingRow {
    fn new(imputed: &Imputed, names: &[String]) -> Self {
        let (counts, rows) = imputed.by_feature();
        let by_feature = counts.into_iter().map(|(f, count)| (names[f].clone(), count)).collect();
        Self { entries: imputed.entries.len(), rows, by_feature }
    }
}

/// A group of features.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewRow {
    /// Its name.
    pub name: String,
    /// Its features.
    pub features: Vec<String>,
    /// Share of their variance that is explained of rows that are left out.
    pub explained: Option<f64>,
    /// Their noise beside that of the others: the root mean square of what they are divided by for it.
    pub noise: f64,
}

impl ViewRow {
    /// One for each view of a fit.
    pub fn all(fit: &Fit, names: &[String]) -> Vec<Self> {
        fit.views.iter().map(|view| Self::new(view, fit, names)).collect()
    }

    fn new(view: &TableView, fit: &Fit, names: &[String]) -> Self {
        let scale = |f: usize| fit.noise_scales.as_ref().map_or(1.0, |scales| scales[f]);
        let square: f64 = view.features.iter().map(|&f| scale(f).powi(2)).sum();
        Self {
            name: view.name.clone(),
            features: view.features.iter().map(|&f| names[f].clone()).collect(),
            explained: fit.explained_of(&view.features),
            noise: (square / view.features.len() as f64).sqrt(),
        }
    }
}

/// A feature with a noise of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureRow {
    /// Its name.
    pub name: String,
    /// Standard deviation of its noise, in the units of the table.
    pub noise: f64,
    /// Share of its variance that is explained of rows that are left out.
    pub explained: Option<f64>,
}

impl FeatureRow {
    fn of_all(fit: &Fit, names: &[String]) -> Vec<Self> {
        let explained = |f: usize| fit.feature_explained.as_ref().map(|shares| shares[f]);
        let noise = fit.feature_noise();
        let row = |(f, name): (usize, &String)| Self { name: name.clone(), noise: noise[f], explained: explained(f) };
        names.iter().enumerate().map(row).collect()
    }
}

/// Principal axes that the means of maps are restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PcaRow {
    /// How many.
    pub axes: usize,
    /// The share of the variance along them.
    pub share: f64,
}

/// What standard deviations of coordinates are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DeviationsRow {
    /// How they were found.
    pub kind: DeviationKind,
    /// Draws they were estimated from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<usize>,
    /// Standard error of a deviation, as a share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
}

impl From<Deviations> for DeviationsRow {
    fn from(deviations: Deviations) -> Self {
        let (draws, relative_error) = match deviations {
            Deviations::Sampled { draws, relative_error } => (Some(draws), Some(relative_error)),
            Deviations::Exact | Deviations::Conditional => (None, None),
        };
        Self { kind: deviations.kind(), draws, relative_error }
    }
}

impl Summary {
    /// The summary of a model, with its cautions in the words of a front end.
    pub fn new(model: &Model, warnings: Vec<String>) -> Self {
        let fit = &model.fit;
        let n = fit.n();
        let deviations = fit.standard_deviations();
        let coordinate = |a: usize| {
            let mut known = deviations.col_as_slice(a).to_vec();
            known.sort_unstable_by(f64::total_cmp);
            CoordinateRow {
                name: axis_name(a),
                spread: spread(fit.coordinates.col_as_slice(a)),
                deviation: known[n / 2],
            }
        };
        Self {
            glance: fit.glance(),
            quality: fit.quality,
            density: fit.density,
            n,
            n_rows: fit.n_rows,
            n_features: fit.observations.ncols(),
            n_components: fit.coordinates.ncols(),
            feature_names: model.feature_names.clone(),
            n_edges: fit.graph.edges().len(),
            bridges: fit.bridges.clone(),
            n_removed: fit.removed.len(),
            coordinates: (0..fit.coordinates.ncols()).map(coordinate).collect(),
            calibration: fit.calibration.as_ref().map(|c| CalibrationRow { parts: c.folds, spread: c.spread }),
            bound: fit.bound(),
            bound_per_point: fit.bound() / n as f64,
            bound_scaled: fit.bound_scaled(),
            bound_parts_scaled: fit.parts,
            neighbors: fit.neighbors.clone(),
            missing: fit.imputed.as_ref().map(|imputed| MissingRow::new(imputed, &model.feature_names)),
            noise: fit.noise_choice,
            structure: StructureView::new(fit),
            views: ViewRow::all(fit, &model.feature_names),
            feature_noise: fit.noise_scales.is_some().then(|| FeatureRow::of_all(fit, &model.feature_names)),
            scaling: fit.scaling_choice,
            dimension: fit.dimension.clone(),
            features: fit.features.clone(),
            lengths: LengthsRow::of(fit),
            n_used: fit.used_components(),
            hyperparameters: fit.hyper,
            n_iter: fit.trace.len(),
            stop: fit.stop,
            start: fit.start,
            start_seed: fit.start_seed,
            engine: fit.engine.clone(),
            deviations: fit.deviations.into(),
            recall: fit.recall,
            pca: fit.reduced.map(|(axes, share)| PcaRow { axes, share }),
            config: fit.config.clone(),
            warnings,
        }
    }

    /// Neighbours that a point has in the mean.
    pub fn mean_degree(&self) -> f64 {
        2.0 * self.n_edges as f64 / self.n as f64
    }
}

/// The distance of two points with its credible interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DistanceRow {
    /// The points as they were named.
    pub pair: String,
    /// Probability of the interval.
    pub level: f64,
    /// Distance of the means.
    pub of_means: f64,
    /// Lower end.
    pub lower: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub upper: f64,
}

impl DistanceRow {
    /// An interval of this level between two points.
    pub fn new(pair: &str, level: f64, found: DistanceInterval) -> Self {
        let DistanceInterval { of_means, lower, median, upper } = found;
        Self { pair: pair.to_owned(), level, of_means, lower, median, upper }
    }
}
