//! What the page is given: plain values that become one JSON text. `page/` beside `src/` holds what reads it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};

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
pub struct Pairs(pub Vec<(u32, u32)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|&(i, j)| [i, j]).flat_map(u32::to_le_bytes).collect();
        array(serializer, "u32", &bytes, &[self.0.len(), 2])
    }
}

/// Numbers of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows(pub Vec<u32>);

impl Serialize for Rows {
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
    pub n_points: usize,
    pub n_new: usize,
    pub coordinates: Floats,
    pub covariances: Floats,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Vec<String>>,
    pub label_numbers: Option<Floats>,
    pub novelty: Option<Floats>,
    pub log_density: Option<Floats>,
    pub density: Option<Floats>,
    pub features: Features,
    pub image: Option<Image>,
    pub model: Option<Maps>,
    pub graph: Graph,
    pub bound: Bound,
    pub selection: Option<Selection>,
    pub comparisons: Option<Vec<Comparison>>,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct Features {
    pub names: Vec<String>,
    pub values: Option<Floats>,
    pub values_left_out: Option<String>,
    pub min: Vec<f64>,
    pub max: Vec<f64>,
    pub mean: Vec<f64>,
    pub std: Vec<f64>,
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
pub struct Maps {
    pub maps: Floats,
    pub map_variance: Floats,
    pub scale: Vec<f64>,
    pub gamma: f64,
    pub spread: f64,
    pub n_neighbors: usize,
    pub typical_step: f64,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct Graph {
    pub edges: Pairs,
    pub scores: Option<Floats>,
    pub residual: Option<Floats>,
    pub resistance: Option<Floats>,
    pub suspect: Vec<usize>,
    pub tests: Vec<Test>,
    pub bridges: Vec<(u32, u32)>,
    pub removed: Vec<(u32, u32)>,
    pub refit: String,
    /// Rows of the table that the points are, where they are not all.
    pub rows: Option<Rows>,
}

/// A change of the graph and what the bound says of it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Test {
    pub removed: Vec<(u32, u32)>,
    pub added: Vec<(u32, u32)>,
    pub change: f64,
    pub spread: f64,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct Bound {
    pub bound: Floats,
    pub parts: Option<Floats>,
    pub gamma: Floats,
    pub alpha: Floats,
    pub lambda: Floats,
    pub nu: Floats,
    #[serde(rename = "final")]
    pub last: f64,
    pub per_point: f64,
    pub scaled: f64,
    pub part_names: [&'static str; 4],
}

/// A comparison of graphs and dimensions by the bound.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Selection {
    /// Graph by graph, and for each graph dimension by dimension.
    pub candidates: Vec<Candidate>,
    /// The place of the best.
    pub best: Option<usize>,
}

impl Selection {
    /// What a selection found.
    pub fn of(selection: &tangency::evidence::Selection, cells: &[tangency::evidence::Cell]) -> Self {
        let ranking = selection.ranking(cells);
        let candidates = selection.candidates().iter().enumerate().map(|(number, candidate)| {
            let graph = selection.graph(candidate);
            let found = ranking.0.iter().find(|summary| summary.candidate == number);
            Candidate {
                graph: graph.to_string(),
                family: graph.family(),
                n_neighbors: graph.n_neighbors(),
                n_components: candidate.n_components,
                mean: found.and_then(|found| found.mean),
                std: found.and_then(|found| found.deviation),
                count: found.map_or(0, |found| found.count),
                raced: found.map_or(0, |found| found.raced),
                collapsed: found.map_or(0, |found| found.collapsed),
                failed: found.map_or(0, |found| found.failed),
                pieces: candidate.pieces,
            }
        });
        Self { candidates: candidates.collect(), best: ranking.best().map(|best| best.candidate) }
    }
}

/// One graph in one dimension.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Candidate {
    /// What it is called.
    pub graph: String,
    /// Its kind.
    pub family: String,
    /// Neighbours of a point, where that makes the graph.
    pub n_neighbors: Option<usize>,
    /// Dimension.
    pub n_components: usize,
    /// Mean bound over seeds, in nats.
    pub mean: Option<f64>,
    /// Its standard deviation.
    pub std: Option<f64>,
    /// Seeds whose bound counts.
    pub count: usize,
    /// Seeds that were not fitted.
    pub raced: usize,
    /// Fits that collapsed.
    pub collapsed: usize,
    /// Fits that ended in an error.
    pub failed: usize,
    /// Pieces of the graph.
    pub pieces: usize,
}

/// Another embedding of the same rows.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Comparison {
    pub name: String,
    pub coordinates: Floats,
    pub note: String,
}
