//! What the page is given: plain values that become one JSON text. `page/` beside `src/` holds what reads it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};
use tangency::evidence::Judge;
use tangency::extend::LoadingDeviations;
use tangency::fit::{DimensionChoice, FeatureChoice, NeighborsChoice};
use tangency::view::{BoundView, CandidateRow, EqualRule, EvidenceView, NamedSeries};

/// Numbers as the page reads them: bytes in base64, and a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floats {
    pub values: Vec<f32>,
    pub shape: Vec<usize>,
}

impl Floats {
    pub fn new(values: impl IntoIterator<Item = f64>, shape: &[usize]) -> Self {
        Self { values: values.into_iter().map(|value| value as f32).collect(), shape: shape.to_vec() }
    }

    pub fn list(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f32> = values.into_iter().map(|value| value as f32).collect();
        Self { shape: vec![values.len()], values }
    }
}

impl Serialize for Floats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        array(serializer, "f32", &bytes, &self.shape)
    }
}

/// Pairs of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PagePairs(pub Vec<(u32, u32)>);

impl Serialize for PagePairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|&(i, j)| [i, j]).flat_map(u32::to_le_bytes).collect();
        array(serializer, "u32", &bytes, &[self.0.len(), 2])
    }
}

/// Numbers of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowNumbers(pub Vec<u32>);

impl Serialize for RowNumbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().copied().flat_map(u32::to_le_bytes).collect();
        array(serializer, "u32", &bytes, &[self.0.len()])
    }
}

fn array<S: Serializer>(serializer: S, kind: &str, bytes: &[u8], shape: &[usize]) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry(kind, &STANDARD.encode(bytes))?;
    map.serialize_entry("shape", shape)?;
    map.end()
}

/// All that the page shows.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Data {
    pub version: &'static str,
    pub title: String,
    pub command: String,
    pub facts: Vec<(String, String)>,
    pub warnings: Vec<String>,
    pub stop: String,
    pub stop_words: String,
    pub n_components: usize,
    /// Names of the coordinates.
    pub axes: Vec<String>,
    /// Standard deviations that ellipses, error bars and bands reach.
    pub reach: f64,
    pub n_points: usize,
    pub n_new: usize,
    pub coordinates: Floats,
    pub covariances: Floats,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Vec<String>>,
    pub label_numbers: Option<Floats>,
    /// What the labels are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_name: Option<String>,
    /// Other columns of the table.
    pub carried: Vec<PageColumn>,
    pub novelty: Option<Floats>,
    pub log_density: Option<Floats>,
    pub density: Option<Floats>,
    pub features: Features,
    pub image: Option<Image>,
    pub model: Option<PageMaps>,
    pub graph: PageGraph,
    pub bound: History,
    /// What was left to the data, and how it was found.
    pub choices: PageChoices,
    /// The command that compares graphs and dimensions.
    pub compare: String,
    /// Whether what to run next is given as calls of Python.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub python: bool,
    pub selection: Option<ComparedCandidates>,
    pub comparisons: Option<Vec<PageComparison>>,
    /// What to know of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// What was left to the data, and how it was found.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageChoices {
    pub neighbors: Option<NeighborsChoice>,
    pub dimension: Option<DimensionChoice>,
    pub features: Option<FeatureChoice>,
}

/// A column that was not fitted, with a cell for each row.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageColumn {
    pub name: String,
    pub cells: Vec<String>,
    /// How likely each row is of what its cell says, where that is a group or class that the model found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<f64>>,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct Features {
    pub names: Vec<String>,
    /// Groups of features that belong together.
    pub views: Vec<PageView>,
    pub values: Option<Floats>,
    pub values_left_out: Option<String>,
    /// The widest directions, where there are more than three features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directions: Option<PageDirections>,
    pub min: Vec<f64>,
    pub max: Vec<f64>,
    pub mean: Vec<f64>,
    pub std: Vec<f64>,
}

/// Directions in which the table varies most.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageDirections {
    /// What each feature counts for along each. `[3, d_y]`
    pub weights: Floats,
    /// Shares of the variance.
    pub shares: Vec<f64>,
}

/// Features that belong together, by their numbers.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageView {
    pub name: String,
    pub features: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Image {
    pub width: usize,
    pub height: usize,
    pub low: f64,
    pub high: f64,
}

/// What reconstructions and loadings in the page are made from.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageMaps {
    pub maps: Floats,
    pub map_variance: Floats,
    /// Draws of all maps together about their means, from which the deviation of an average comes. `[n, d_x, draws]`
    pub map_draws: Option<Floats>,
    pub scale: Vec<f64>,
    pub gamma: f64,
    pub spread: f64,
    pub n_neighbors: usize,
    pub typical_step: f64,
    /// Within so many steps of a fitted point a place is known well, and badly.
    pub known_within: [f64; 2],
    /// Loadings over all fitted points, and what makes loadings comparable. `[d_y, d_x]` each
    pub loadings: AverageLoadings,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct AverageLoadings {
    pub deviations: LoadingDeviations,
    pub mean: Floats,
    pub deviation: Floats,
    pub standard: Floats,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct PageGraph {
    pub edges: PagePairs,
    pub scores: Option<Floats>,
    pub residual: Option<Floats>,
    pub resistance: Option<Floats>,
    pub expected_gain: Option<Floats>,
    /// Edges whose removal is expected to gain more than `least_gain`.
    pub suspect: Vec<usize>,
    /// What pruning asks for, in nats.
    pub least_gain: f64,
    pub tests: Vec<Test>,
    pub bridges: Vec<(u32, u32)>,
    pub removed: Vec<(u32, u32)>,
    pub refit: String,
    /// Rows of the table that the points are, where they are not all.
    pub rows: Option<RowNumbers>,
}

/// A change of the graph and what the bound says of it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Test {
    pub removed: Vec<(u32, u32)>,
    pub added: Vec<(u32, u32)>,
    pub change: f64,
    pub spread: f64,
}

/// The history of the bound.
#[derive(Clone, Debug, serde::Serialize)]
pub struct History {
    pub bound: Floats,
    pub parts: Vec<Line>,
    pub hyperparameters: Vec<Line>,
    #[serde(rename = "final")]
    pub last: f64,
    pub per_point: f64,
    pub scaled: f64,
}

/// A number that has a value after each iteration.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Line {
    pub name: &'static str,
    pub label: &'static str,
    pub about: &'static str,
    pub values: Floats,
}

impl From<BoundView> for History {
    fn from(view: BoundView) -> Self {
        let line = |NamedSeries { name, label, about, values, .. }: NamedSeries| Line {
            name,
            label,
            about,
            values: Floats::list(values),
        };
        Self {
            bound: Floats::list(view.bound),
            parts: view.parts.into_iter().map(line).collect(),
            hyperparameters: view.hyperparameters.into_iter().map(line).collect(),
            last: view.last,
            per_point: view.per_point,
            scaled: view.scaled,
        }
    }
}

/// Graphs and dimensions that were compared.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ComparedCandidates {
    /// Graph by graph, and for each graph dimension by dimension.
    pub candidates: Vec<CandidateRow>,
    /// What ranks them.
    pub by: Judge,
    /// The place of the best.
    pub best: Option<usize>,
    /// Which of the others are as good.
    pub equal: EqualRule,
}

impl From<&EvidenceView> for ComparedCandidates {
    fn from(view: &EvidenceView) -> Self {
        let mut candidates = view.candidates.clone();
        candidates.sort_by_key(|row| row.summary.candidate);
        let best = view.best.as_ref();
        Self { candidates, by: view.by, best: best.map(|best| best.summary.candidate), equal: view.equal }
    }
}

/// Another embedding of the same rows.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PageComparison {
    pub name: String,
    pub coordinates: Floats,
    pub note: String,
}
