//! Entries that a table lacks: what the others say of them (docs/derivation.md, *Missing entries*).
//!
//! Under the likelihood a feature is a Gaussian over the graph with precision 2γL around what the local maps say. Given the
//! rows that have it, the others are Gaussian too, with precision 2γL_mm.

mod filling;
mod measured;
mod rows;
#[cfg(test)]
mod tests;

pub use filling::{Filling, MissingTerm};
pub(crate) use rows::RowGaps;

use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::{Matrix, View};
use filling::Part;
use rayon::prelude::*;
use std::collections::BTreeMap;

crate::choice! {
    /// What is done with entries of a table that are missing.
    pub enum MissingRule default Model {
        /// They are part of the model: found with the coordinates, with their standard deviations.
        Model = "model",
        /// Rows that lack one are left out.
        Drop = "drop",
        /// They are an error.
        Error = "error",
    }
}

/// Which entries are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissingEntries {
    gaps: Vec<Gap>,
}

/// Features that the same rows lack.
#[derive(Clone, Debug, PartialEq)]
struct Gap {
    /// Ascending.
    rows: Vec<u32>,
    features: Vec<usize>,
}

impl MissingEntries {
    /// Those that are NaN in points, one per column; none if all are there.
    pub fn of(points: &Matrix) -> Option<Self> {
        let mut gaps: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for f in 0..points.nrows() {
            let rows: Vec<u32> = (0..points.ncols()).filter(|&i| points[(f, i)].is_nan()).map(|i| i as u32).collect();
            if !rows.is_empty() {
                gaps.entry(rows).or_default().push(f);
            }
        }
        let gaps: Vec<Gap> = gaps.into_iter().map(|(rows, features)| Gap { rows, features }).collect();
        (!gaps.is_empty()).then_some(Self { gaps })
    }

    /// Those of a list of rows and features.
    pub fn from_pairs(pairs: &[(u32, u32)]) -> Self {
        let mut by_feature: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for &(row, feature) in pairs {
            by_feature.entry(feature as usize).or_default().push(row);
        }
        let mut gaps: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (feature, mut rows) in by_feature {
            rows.sort_unstable();
            rows.dedup();
            gaps.entry(rows).or_default().push(feature);
        }
        Self { gaps: gaps.into_iter().map(|(rows, features)| Gap { rows, features }).collect() }
    }

    /// Rows and features that are NaN in a table, row by row.
    pub fn pairs_of(values: View) -> Vec<(u32, u32)> {
        let gaps =
            |i: usize| (0..values.ncols()).filter(move |&f| values[(i, f)].is_nan()).map(move |f| (i as u32, f as u32));
        (0..values.nrows()).flat_map(gaps).collect()
    }

    /// Rows and features, row by row.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let of_gap = |gap: &Gap| -> Vec<(u32, u32)> {
            gap.rows.iter().flat_map(|&row| gap.features.iter().map(move |&f| (row, f as u32))).collect()
        };
        let mut pairs: Vec<(u32, u32)> = self.gaps.iter().flat_map(of_gap).collect();
        pairs.sort_unstable();
        pairs
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.gaps.iter().map(|gap| gap.rows.len() * gap.features.len()).sum()
    }

    /// What is needed to fill them in on a graph in one piece.
    pub fn on(&self, graph: &Graph) -> Result<Filling> {
        let parts = self.gaps.par_iter().map(|gap| Part::new(gap, graph)).collect::<Result<_>>()?;
        Ok(Filling { parts })
    }
}

/// Bᵀā: Σ_j ½ (C_i + C_j)(x_i − x_j) over the neighbours j of each point i. Coordinates are n × d_x, and column i·d_x + a of the
/// maps is column a of C_i. [d_y, n]
pub fn flow(graph: &Graph, coordinates: &Matrix, maps: &Matrix) -> Matrix {
    let (n, d_x) = (graph.n(), coordinates.ncols());
    let mut flow = Matrix::zeros(maps.nrows(), n);
    for i in 0..n {
        let out = flow.col_as_slice_mut(i);
        for &j in graph.neighbors(i) {
            let j = j as usize;
            for a in 0..d_x {
                let half = 0.5 * (coordinates[(i, a)] - coordinates[(j, a)]);
                let (own, other) = (maps.col_as_slice(i * d_x + a), maps.col_as_slice(j * d_x + a));
                out.iter_mut().zip(own.iter().zip(other)).for_each(|(out, (own, other))| *out += half * (own + other));
            }
        }
    }
    flow
}
