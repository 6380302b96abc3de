//! What pruning found.

use super::edges::{EdgeRow, write_edges};
use crate::error::Result;
use crate::evidence::{Baseline, Bridge, Pruned, Round};
use crate::io::{Model, Output};
use serde::Serialize;

/// The edges that pruning removed, and what the bound says of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PruningView {
    /// The edges removed, the most suspect first.
    pub removed: Vec<EdgeRow>,
    /// Other ways to join the pieces of a graph that had to be joined.
    pub bridges: Vec<Bridge>,
    /// Whether it was ended early: then nothing was removed.
    pub interrupted: bool,
    /// The bound before, in scaled units.
    pub bound_scaled_before: f64,
    /// The bound after, in scaled units.
    pub bound_scaled_after: f64,
    /// What the bound gained, in nats.
    pub gain: f64,
    /// What random good edges gain.
    pub baseline: Baseline,
    /// The rounds that raised the bound.
    pub rounds: Vec<Round>,
    /// EM iterations spent.
    pub n_iter: usize,
}

impl PruningView {
    /// What was found for a model; its points are named as there.
    pub fn new(model: &Model, pruned: &Pruned) -> Self {
        let removed = pruned.removed.iter().map(|removed| {
            let row = EdgeRow::new(model, &removed.score);
            EdgeRow { gain: Some(removed.gain), ..row }
        });
        let after = pruned.bound_after;
        Self {
            removed: removed.collect(),
            bridges: pruned.bridges.clone(),
            interrupted: pruned.interrupted,
            bound_scaled_before: pruned.bound_before,
            bound_scaled_after: after,
            gain: after - pruned.bound_before,
            baseline: pruned.baseline,
            rounds: pruned.rounds.clone(),
            n_iter: pruned.iterations,
        }
    }

    /// Writes the removed edges as CSV: as all edges are, and what the removal of each gained.
    pub fn write_removed(&self, output: &Output) -> Result<()> {
        write_edges(output, &self.removed, &["gain"])
    }
}
