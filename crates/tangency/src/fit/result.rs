//! The fitted model, in a canonical gauge and in the order that users expect: point by point.

use super::{
    DimensionChoice, FeatureChoice, FittedData, FittedStructure, LengthsChoice, MapQuality, NeighborsChoice,
    NoiseChoice, dimension,
};
use crate::config::{Config, FeatureWeight, Init, KeepLengths, Uncertainty};
use crate::density::DensityNotes;
use crate::error::Result;
use crate::graph::{Graph, MetricPlaces};
use crate::inference::{BoundParts, Deviations, Engine, EngineNotes, Posterior, State, Stop, TracePoint};
use crate::linalg::{Matrix, product, small, symmetric_eigen, transposed_product};
use crate::model::{Hyperparameters, MissingEntries, Problem, ScaledTable, Scaling, ScalingChoice, TableView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fitted model.
#[derive(Clone)]
pub struct Fit {
    /// Settings of the fit.
    pub config: Config,
    /// The kind of start whose run was kept.
    pub start: Init,
    /// Seed of that start.
    pub start_seed: u64,
    /// The engine and how it worked.
    pub engine: EngineNotes,
    /// What the covariances of the coordinates are.
    pub deviations: Deviations,
    /// Share of true nearest neighbours that an approximate search found, measured on a sample.
    pub recall: Option<f64>,
    /// Principal axes that the means of maps were restricted to, and the share of the variance along them.
    pub reduced: Option<(usize, f64)>,
    /// How the run ended.
    pub stop: Stop,
    /// Observations in the units given. [n, d_y]
    pub observations: Arc<Matrix>,
    /// How they were centred and scaled.
    pub scaling: Scaling,
    /// The part of each feature's scale that stands for its noise, where features or views have their own: the graph was made
    /// from features that were not divided by it. `[d_y]`
    pub noise_scales: Option<Arc<Vec<f64>>>,
    /// How it was decided whether features have a noise of their own, if that was left to the data.
    pub noise_choice: Option<NoiseChoice>,
    /// Groups of features that were named.
    pub views: Vec<TableView>,
    /// Share of the variance of each feature that is explained of rows that are left out; none in models of early versions.
    /// `[d_y]`
    pub feature_explained: Option<Vec<f64>>,
    /// Number of rows of the table.
    pub n_rows: usize,
    /// Rows of the table that are the points of the model.
    pub rows: Vec<usize>,
    /// The neighbour graph.
    pub graph: Graph,
    /// Whether it was given, and not made from the table.
    pub own_edges: bool,
    /// Edges among them that were added to join pieces.
    pub bridges: Vec<(u32, u32)>,
    /// Edges that pruning removed from it.
    pub removed: Vec<(u32, u32)>,
    /// Mean coordinates, on their principal axes. [n, d_x]
    pub coordinates: Matrix,
    /// Covariance of each point's coordinates, a point a column. [d_x·d_x, n]
    pub coordinate_covariances: Matrix,
    /// Covariance of all coordinates about their centroid, point by point, if the settings ask for it. [n·d_x, n·d_x]
    pub full_covariance: Option<Matrix>,
    /// Mean maps in scaled units; column i·d_x + a is column a of C_i. [d_y, n·d_x]
    pub maps: Matrix,
    /// Column covariance of each point's map, a point a column. [d_x·d_x, n]
    pub map_covariances: Matrix,
    /// Draws of the columns of all maps together about their means, in scaled units: from them comes how sure an average over
    /// points is. Row i·d_x + a is column a of C_i, the same for every feature. None from the factorised engine, and in models
    /// of early versions. [n·d_x, draws]
    pub map_draws: Option<Matrix>,
    /// What the graph's likelihood found; none where the paper's model had the last word.
    pub graph_model: Option<GraphModel>,
    /// The structure within the manifold, if one was asked for.
    pub structure: Option<FittedStructure>,
    /// How the number of neighbours was found, if it was left to the data.
    pub neighbors: Option<NeighborsChoice>,
    /// Entries that the table lacked, which the model has filled in; none if it was whole.
    pub imputed: Option<Imputed>,
    /// How the scaling was found, if it was left to the data.
    pub scaling_choice: Option<ScalingChoice>,
    /// How the number of coordinates was found, if it was left to the data.
    pub dimension: Option<DimensionChoice>,
    /// Which weight of the features was taken, and why; none without the graph's likelihood.
    pub features: Option<FeatureChoice>,
    /// Whether the map was stretched until edges had the lengths of the table; none where that was not looked at.
    pub lengths: Option<LengthsChoice>,
    /// How good the map is, next to principal components; none in models of early versions.
    pub quality: Option<MapQuality>,
    /// How likely it finds rows; none in models of early versions.
    pub density: Option<DensityNotes>,
    /// Hyper-parameters.
    pub hyper: Hyperparameters,
    /// Parts of the bound in scaled units.
    pub parts: BoundParts,
    /// One point an iteration of the run that was kept.
    pub trace: Vec<TracePoint>,
    /// How it does on rows that it has not seen, if that was found out.
    pub calibration: Option<Calibration>,
    /// How edges were searched that the bound speaks against, if they were.
    pub pruning: Option<Pruning>,
}

/// Entries that a table lacked. The model's observations have what the layout goes with in their place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imputed {
    /// Points and features, point by point.
    pub entries: Vec<(u32, u32)>,
    /// What is expected of them, in the units of the table.
    pub values: Vec<f64>,
    /// Standard deviations of that.
    pub deviations: Vec<f64>,
}

impl Imputed {
    /// How many entries of each feature were missing, those with the most first, and in how many rows.
    pub fn by_feature(&self) -> (Vec<(usize, usize)>, usize) {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        self.entries.iter().for_each(|&(_, f)| *counts.entry(f as usize).or_default() += 1);
        let mut counts: Vec<(usize, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let mut rows: Vec<u32> = self.entries.iter().map(|&(row, _)| row).collect();
        rows.dedup();
        (counts, rows.len())
    }
}

/// What the graph's likelihood found: rates ρ_iρ_j h(|x_i − x_j|²) of edges, and x_i ~ N(0, A⁻¹).
#[derive(Clone, Debug, PartialEq)]
pub struct GraphModel {
    /// ρ: how readily each point has neighbours. `[n]`
    pub sociability: Vec<f64>,
    /// A, the precision of the coordinates along the axes of the fit. `[d_x²]`
    pub precision: Vec<f64>,
    /// The weight of the features against the graph.
    pub feature_weight: f64,
    /// Standard error of the bound from pairs that were sampled.
    pub error: f64,
}

/// What was asked of a search for short-circuits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pruning {
    /// Most edges to remove; without it a tenth of all.
    pub max_removed: Option<usize>,
    /// Least gain of the bound for which an edge stays out, in nats.
    pub min_gain: f64,
    /// Whether the search was ended before it was over, so that nothing was removed.
    #[serde(default)]
    pub interrupted: bool,
}

/// What every training point looks like to a fit without it.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Number of parts.
    pub folds: usize,
    /// Log-density of each point by the fit without its part. `[n]`
    pub log_densities: Vec<f64>,
    /// Root mean square of (observed − expected) / predictive standard deviation over all points and features.
    pub spread: f64,
}

impl Fit {
    /// What a run found, turned into the canonical gauge; and the maps along the axes of the problem, where these are a
    /// rotation of the features.
    pub(crate) fn new<E: Engine>(
        problem: &Problem,
        config: &Config,
        data: &FittedData,
        engine: &mut E,
        posterior: &Posterior<E::Beliefs>,
        stop: Stop,
        (start, start_seed): (Init, u64),
    ) -> Result<(Self, Option<Matrix>)> {
        let Posterior { state, parts, trace, .. } = posterior;
        let (n, d_x) = (problem.n(), problem.n_components);
        // whoever ended the run does not want to wait for draws
        let hurried = Config { draws: Some(0), ..config.clone() };
        let asked = if stop == Stop::Interrupted { &hurried } else { config };
        let found = engine.marginals(problem, asked, state)?;
        let gauge = canonical_gauge(&found.mean);
        let shift = match config.uncertainty {
            Uncertainty::Relative => 0.0,
            Uncertainty::Absolute => 1.0 / (n as f64 * found.shift_precision),
        };
        let by_point = |covariances: &Matrix, shift: f64| {
            let mut out = Matrix::zeros(d_x * d_x, n);
            for i in 0..n {
                let block = turned(&gauge, |a, b| covariances[(a * d_x + b, i)]);
                for a in 0..d_x {
                    for b in 0..d_x {
                        out[(a * d_x + b, i)] = block[(a, b)] + if a == b { shift } else { 0.0 };
                    }
                }
            }
            out
        };
        let full_covariance = found.full.map(|full| {
            let mut out = Matrix::zeros(n * d_x, n * d_x);
            for j in 0..n {
                for i in 0..n {
                    let block = turned(&gauge, |a, b| full[(i * d_x + a, j * d_x + b)]);
                    for a in 0..d_x {
                        for b in 0..d_x {
                            out[(i * d_x + a, j * d_x + b)] = block[(a, b)];
                        }
                    }
                }
            }
            out
        });
        let turned_maps = Matrix::from_fn(found.maps.nrows(), n * d_x, |f, p| {
            let (i, a) = (p / d_x, p % d_x);
            (0..d_x).map(|b| found.maps[(f, i * d_x + b)] * gauge[(b, a)]).sum()
        });
        let map_draws = found.map_draws.map(|drawn| {
            Matrix::from_fn(n * d_x, drawn.ncols(), |p, draw| {
                (0..d_x).map(|b| drawn[((p / d_x) * d_x + b, draw)] * gauge[(b, p % d_x)]).sum()
            })
        });
        let (turned_maps, rotated) = match problem.reduction() {
            Some(reduction) => (reduction.back(&turned_maps), reduction.is_whole.then_some(turned_maps)),
            None => (turned_maps, None),
        };
        let mean = product(&found.mean, &gauge);
        let (coordinate_covariances, map_covariances) =
            (by_point(&found.covariances, shift), by_point(&found.map_covariances, 0.0));
        let fit = Fit {
            config: config.clone(),
            start,
            start_seed,
            engine: EngineNotes { reason: data.reason.clone(), ..engine.notes(problem) },
            deviations: found.deviations,
            recall: data.recall,
            reduced: problem
                .reduction()
                .filter(|reduction| !reduction.is_whole)
                .map(|reduction| (reduction.axes.ncols(), reduction.share)),
            stop,
            observations: data.observations.clone(),
            scaling: data.scaling.clone(),
            noise_scales: data.noise.clone(),
            noise_choice: None,
            views: data.views.clone(),
            feature_explained: None,
            scaling_choice: data.scaling_choice,
            n_rows: data.n_rows,
            rows: data.rows.clone(),
            graph: problem.graph.clone(),
            own_edges: data.own_edges,
            bridges: data.bridges.clone(),
            removed: vec![],
            coordinates: mean,
            coordinate_covariances,
            full_covariance,
            maps: turned_maps,
            map_covariances,
            map_draws,
            graph_model: state.graph.as_ref().map(|term| GraphModel {
                sociability: term.sociability.clone(),
                precision: by_rows(&turned(&gauge, |a, b| term.own(a, b))),
                feature_weight: term.feature_weight,
                error: term.error,
            }),
            structure: {
                let term = state.graph.as_ref().and_then(|term| term.structure.as_deref());
                problem
                    .structure
                    .as_ref()
                    .zip(term)
                    .map(|(asked, term)| FittedStructure::new(asked, term, &state.statistics.coordinates, &gauge))
            },
            neighbors: data.neighbors.clone(),
            dimension: data.dimension.clone(),
            imputed: None,
            features: None,
            lengths: None,
            quality: None,
            density: None,
            hyper: reported(state),
            parts: *parts,
            trace: trace.clone(),
            calibration: None,
            pruning: None,
        };
        Ok((fit, rotated))
    }

    /// Settings for runs that go on from this fit: they end as its own run did, and with the same engine.
    pub(crate) fn config_of_refits(&self) -> Config {
        let tol = match self.start {
            Init::Coarse => self.config.tol.max(self.config.coarse_tol),
            _ => self.config.tol,
        };
        let feature_weight = match &self.features {
            Some(choice) => choice.weight().map_or(FeatureWeight::Polish, FeatureWeight::Fixed),
            None => self.config.feature_weight,
        };
        let keep_lengths = match self.lengths {
            Some(lengths) if lengths.taken => KeepLengths::Always,
            _ => KeepLengths::Never,
        };
        let engine = self.engine.kind;
        Config { tol, feature_weight, keep_lengths, engine, full_covariance: false, ..self.config.clone() }
    }

    /// The same for runs of the paper's model, whose bound compares graphs.
    pub(crate) fn config_of_hypotheses(&self) -> Config {
        Config { graph_likelihood: false, ..self.config_of_refits() }
    }

    /// What it keeps of the table and the plan.
    pub(crate) fn data(&self) -> FittedData {
        FittedData {
            scaling: self.scaling.clone(),
            noise: self.noise_scales.clone(),
            views: self.views.clone(),
            scaling_choice: self.scaling_choice,
            observations: self.observations.clone(),
            n_rows: self.n_rows,
            recall: self.recall,
            rows: self.rows.clone(),
            bridges: self.bridges.clone(),
            own_edges: self.own_edges,
            neighbors: self.neighbors.clone(),
            dimension: self.dimension.clone(),
            reason: self.engine.reason.clone(),
        }
    }

    /// The problem that this fit answers.
    pub(crate) fn problem(&self) -> Result<Problem> {
        let d_x = self.coordinates.ncols();
        let problem = Problem::new(self.scaled_observations(), self.graph.clone(), d_x, self.config.epsilon)?;
        let places = MetricPlaces::new(
            self.config.metric,
            self.observations.as_ref().as_ref(),
            &Arc::new(self.graph_observations()),
        )?;
        problem.along_axes(&self.config)?.in_metric(places).lacking(self.missing().map(Arc::new))
    }

    /// Which entries the table lacked.
    pub(crate) fn missing(&self) -> Option<MissingEntries> {
        self.imputed.as_ref().map(|imputed| MissingEntries::from_pairs(&imputed.entries))
    }

    /// What the change of units costs in log-density over all entries that were measured.
    pub fn log_jacobian(&self) -> f64 {
        let of = |&(_, f): &(u32, u32)| self.scaling.scale[f as usize].ln();
        let missing: f64 = self.imputed.iter().flat_map(|imputed| &imputed.entries).map(of).sum();
        self.scaling.log_jacobian(self.n()) - missing
    }

    /// The table of this fit, to be put on other graphs.
    pub(crate) fn scaled_table(&self) -> ScaledTable {
        let points = Arc::new(self.scaled_observations());
        ScaledTable {
            values: self.observations.clone(),
            scaling: self.scaling.clone(),
            rule: self.config.scaling,
            choice: self.scaling_choice,
            points,
            noise: self.noise_scales.clone(),
        }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.coordinates.nrows()
    }

    /// The observations as the engine sees them, centred and scaled, a point a column. [d_y, n]
    pub fn scaled_observations(&self) -> Matrix {
        let Scaling { center, scale } = &self.scaling;
        Matrix::from_fn(center.len(), self.n(), |f, i| (self.observations[(i, f)] - center[f]) / scale[f])
    }

    /// The same as the graph was made from: without what stands for the noise of features. [d_y, n]
    pub(crate) fn graph_observations(&self) -> Matrix {
        let mut points = self.scaled_observations();
        if let Some(noise) = &self.noise_scales {
            (0..points.ncols()).for_each(|i| as_the_graph_sees(noise, points.col_as_slice_mut(i)));
        }
        points
    }

    /// The standard deviation of each feature's noise, in the units of the table: how far a point is from what its neighbours
    /// expect, of which it has as many as points have on average. `[d_y]`
    pub fn feature_noise(&self) -> Vec<f64> {
        let degree = 2.0 * self.graph.edges().len() as f64 / self.n() as f64;
        let deviation = (2.0 * self.hyper.gamma * degree).sqrt().recip();
        self.scaling.scale.iter().map(|scale| scale * deviation).collect()
    }

    /// The bound in the scaled units, as the paper's authors print it.
    pub fn bound_scaled(&self) -> f64 {
        self.parts.total()
    }

    /// The highest bound of the same evidence that was found, in scaled units: that before the map was stretched, where it was.
    pub fn highest_bound_scaled(&self) -> f64 {
        let before = self.lengths.filter(|lengths| lengths.taken).map(|lengths| lengths.bound_before);
        before.map_or(self.bound_scaled(), |before| before.max(self.bound_scaled()))
    }

    /// The bound in the units of the data given: it compares across scalings.
    pub fn bound(&self) -> f64 {
        self.bound_scaled() - self.log_jacobian()
    }

    /// How many of the coordinates are used: those with a spread that is not lost next to a step along an edge.
    pub fn used_components(&self) -> usize {
        dimension::used(&self.axis_spreads())
    }

    /// The spread of each coordinate as a share of a step along an edge, longest first.
    pub fn axis_spreads(&self) -> Vec<f64> {
        dimension::spreads(&self.graph, &self.coordinates)
    }

    /// Standard deviation of each coordinate. [n, d_x]
    pub fn standard_deviations(&self) -> Matrix {
        let d_x = self.coordinates.ncols();
        Matrix::from_fn(self.n(), d_x, |i, a| self.coordinate_covariances[(a * d_x + a, i)].max(0.0).sqrt())
    }
}

/// Takes a scaled row to the units of the graph.
pub(crate) fn as_the_graph_sees(noise: &[f64], row: &mut [f64]) {
    row.iter_mut().zip(noise).for_each(|(value, scale)| *value *= scale);
}

/// The rotation x → xR onto the principal axes, longest first; the entry largest in absolute value is positive on each.
fn canonical_gauge(mean: &Matrix) -> Matrix {
    let d_x = mean.ncols();
    let Ok((_, vectors)) = symmetric_eigen(&transposed_product(mean, mean), "scatter of the coordinates") else {
        return Matrix::identity(d_x, d_x);
    };
    let axes = Matrix::from_fn(d_x, d_x, |a, b| vectors[(a, d_x - 1 - b)]);
    let turned = product(mean, &axes);
    Matrix::from_fn(d_x, d_x, |a, b| {
        let largest =
            turned.col_as_slice(b).iter().fold(0.0, |most: f64, &v| if v.abs() > most.abs() { v } else { most });
        if largest < 0.0 { -axes[(a, b)] } else { axes[(a, b)] }
    })
}

/// The hyper-parameters as users see them: under the graph's likelihood α is the geometric mean of the axes of A.
fn reported<B>(state: &State<B>) -> Hyperparameters {
    let Some(term) = &state.graph else { return Hyperparameters { heaviness: 0.0, ..state.hyper } };
    let d_x = term.precision.len().isqrt();
    let log_det = small::invert(&mut term.precision.clone(), d_x).unwrap_or(0.0);
    Hyperparameters { alpha: (log_det / d_x as f64).exp(), ..state.hyper }
}

fn by_rows(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.nrows()).flat_map(|a| (0..matrix.ncols()).map(move |b| matrix[(a, b)])).collect()
}

/// RᵀSR of a small matrix given by its entries.
fn turned(gauge: &Matrix, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    let d_x = gauge.nrows();
    transposed_product(gauge, &product(&Matrix::from_fn(d_x, d_x, entry), gauge))
}
