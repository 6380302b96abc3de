//! The edges of a graph, and how suspect they are.

use crate::error::{Result, finite};
use crate::evidence::{EdgeScore, EdgeTest, PruneOptions, edge_scores, least_gain};
use crate::inference::BoundParts;
use crate::io::{Model, Output, write_rows};
use serde::Serialize;

/// All edges, the most suspect first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgesView {
    /// The edges.
    pub edges: Vec<EdgeRow>,
    /// How many of them stand out: those whose removal alone is expected to gain more than what pruning asks for.
    pub n_suspects: usize,
    /// What pruning asks for at least, in nats.
    pub least_gain: f64,
}

/// An edge, and how suspect it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeRow {
    /// The row of the table that its first point is.
    pub i: usize,
    /// That of its second.
    pub j: usize,
    /// Its points, as the model numbers them.
    pub points: (u32, u32),
    /// What its points are called.
    pub ids: [String; 2],
    /// Distance of its points in the scaled units of the data.
    pub length: f64,
    /// Effective resistance between its points.
    pub resistance: f64,
    /// How far the local maps miss the step along it, in the scaled units.
    pub residual: f64,
    /// Resistance times residual.
    pub score: f64,
    /// −log of its rate in the graph's likelihood; none for a removed one.
    pub surprise: Option<f64>,
    /// About what its removal alone would gain, in nats; none for a removed one, and for one that alone holds two parts together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_gain: Option<f64>,
    /// Whether it stands out by that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
    /// What its removal gained, of a removed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

impl EdgesView {
    /// The edges of a model.
    pub fn new(model: &Model) -> Result<Self> {
        let scores = edge_scores(&model.fit)?;
        let least_gain = least_gain(PruneOptions::default().min_gain, scores.len());
        let row = |score| {
            let row = EdgeRow::new(model, score);
            EdgeRow { suspect: row.expected_gain.is_some_and(|gain| gain > least_gain), ..row }
        };
        let edges: Vec<EdgeRow> = scores.iter().map(row).collect();
        finite("scores of edges", edges.iter().flat_map(EdgeRow::numbers))?;
        let n_suspects = edges.iter().filter(|edge| edge.suspect).count();
        Ok(Self { edges, n_suspects, least_gain })
    }

    /// Writes the edges as CSV: i, j, length, resistance, residual, score, surprise.
    pub fn write(&self, output: &Output) -> Result<()> {
        write_edges(output, &self.edges, &[])
    }
}

/// Edges as CSV, with these columns behind their numbers.
pub(super) fn write_edges(output: &Output, edges: &[EdgeRow], more: &[&str]) -> Result<()> {
    let header = ["i", "j"].iter().chain(&EdgeRow::NUMBERS).chain(more).map(|name| (*name).to_owned());
    let row = |edge: &EdgeRow| {
        let ends = [edge.i, edge.j].map(|row| row.to_string());
        ends.into_iter().chain(edge.numbers().into_iter().chain(edge.gain).map(cell)).collect()
    };
    write_rows(output, &header.collect::<Vec<_>>(), edges.iter().map(row))
}

/// A number in a table; what is not one is left out.
fn cell(number: f64) -> String {
    if number.is_nan() { String::new() } else { number.to_string() }
}

impl EdgeRow {
    /// The names of the numbers that an edge has.
    pub const NUMBERS: [&'static str; 5] = ["length", "resistance", "residual", "score", "surprise"];

    /// An edge of a model.
    pub fn new(model: &Model, score: &EdgeScore) -> Self {
        let EdgeScore { edge, length, resistance, residual, score, surprise, expected_gain } = *score;
        let [i, j] = rows(model, edge);
        let ids = [edge.0, edge.1].map(|point| model.id(point as usize));
        let expected_gain = expected_gain.filter(|gain| gain.is_finite());
        let (suspect, gain) = (false, None);
        Self { i, j, points: edge, ids, length, resistance, residual, score, surprise, expected_gain, suspect, gain }
    }

    /// Its numbers in the order of their names; not a number is one that there is none of.
    pub fn numbers(&self) -> [f64; Self::NUMBERS.len()] {
        [self.length, self.resistance, self.residual, self.score, self.surprise.unwrap_or(f64::NAN)]
    }
}

fn rows(model: &Model, (i, j): (u32, u32)) -> [usize; 2] {
    [i, j].map(|point| model.fit.rows[point as usize])
}

/// A change of the graph, and what the bound says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeTestRow {
    /// Edges that were taken out, by rows of the table.
    pub removed: Vec<[usize; 2]>,
    /// Pairs that were joined, by rows of the table.
    pub added: Vec<[usize; 2]>,
    /// The edges taken out, by points of the model.
    pub removed_points: Vec<(u32, u32)>,
    /// The pairs joined, by points of the model.
    pub added_points: Vec<(u32, u32)>,
    /// Seeds that were run.
    pub seeds: usize,
    /// Change of the bound in nats, mean over seeds.
    pub change: f64,
    /// Its standard deviation over seeds.
    pub spread: f64,
    /// The parts of the change.
    pub parts: BoundParts,
    /// Whether every run behind the numbers ended as it should.
    pub converged: bool,
}

impl EdgeTestRow {
    /// A test of edges of a model.
    pub fn new(model: &Model, test: &EdgeTest) -> Self {
        let listed = |edges: &[(u32, u32)]| edges.iter().map(|&edge| rows(model, edge)).collect();
        Self {
            removed: listed(&test.removed),
            added: listed(&test.added),
            removed_points: test.removed.clone(),
            added_points: test.added.clone(),
            seeds: test.seeds,
            change: test.change,
            spread: test.spread,
            parts: test.parts,
            converged: test.converged,
        }
    }
}
