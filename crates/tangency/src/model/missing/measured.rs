//! What missing entries leave of what is known of the coordinates (docs/derivation.md, eq. 37).
//!
//! Coordinates that take filled-in entries for measured ones look too sure. Of the features' precision 2γ F̄ᵀPF̄ the part
//! 2γ F̄ᵀB_m L_mm⁻¹ B_mᵀF̄ is not measured.

use super::Filling;
use super::filling::Part;
use crate::graph::Graph;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::collections::BTreeMap;

impl Filling {
    /// Rows that lack an entry, some of them several times.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().flat_map(|part| part.gap.rows.iter().copied())
    }

    /// The features that each row lacks, row by row.
    pub fn features_of_rows(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for part in &self.parts {
            part.gap.rows.iter().for_each(|&row| all.entry(row as usize).or_default().extend(&part.gap.features));
        }
        all
    }

    /// L_mm⁻¹ of what flows out of missing entries, and nothing of all others. Numbers of a point lie next to each other. `[n·d_y]`
    pub fn potentials(&self, flow: &[f64], d_y: usize) -> Vec<f64> {
        let of_part = |part: &Part| {
            let (rows, features) = (&part.gap.rows, &part.gap.features);
            let entry = |&row: &u32| features.iter().map(move |&f| flow[row as usize * d_y + f]);
            let right: Vec<f64> = rows.iter().flat_map(entry).collect();
            let mut found = vec![0.0; right.len()];
            part.pattern.solve(&part.factor, &right, &mut found);
            found
        };
        let found: Vec<Vec<f64>> = self.parts.par_iter().map(of_part).collect();
        let mut all = vec![0.0; flow.len()];
        for (part, found) in self.parts.iter().zip(found) {
            let features = &part.gap.features;
            for (&row, values) in part.gap.rows.iter().zip(found.chunks_exact(features.len())) {
                features.iter().zip(values).for_each(|(&f, &value)| all[row as usize * d_y + f] = value);
            }
        }
        all
    }

    /// Σ_f F̄_fᵀB_m L_mm⁻¹ B_mᵀF̄_f, in which component a of point i is entry a·n + i. Column i·d_x + a of the maps is column a of C_i. [n·d_x, n·d_x]
    pub fn unmeasured(&self, graph: &Graph, maps: &Matrix) -> Matrix {
        let n = graph.n();
        let size = maps.ncols();
        let mut all = Matrix::zeros(size, size);
        for part in &self.parts {
            for &f in &part.gap.features {
                let rows: Vec<Vec<(usize, f64)>> =
                    part.gap.rows.iter().map(|&row| slopes(graph, maps, f, row as usize, size / n)).collect();
                let mut right = vec![0.0; rows.len() * size];
                for (right, row) in right.chunks_exact_mut(size).zip(&rows) {
                    row.iter().for_each(|&(at, slope)| right[at] = slope);
                }
                let mut found = vec![0.0; right.len()];
                part.pattern.solve(&part.factor, &right, &mut found);
                all.as_mut().par_col_iter_mut().enumerate().for_each(|(column, mut slots)| {
                    for (row, found) in rows.iter().zip(found.chunks_exact(size)) {
                        row.iter().for_each(|&(at, slope)| slots[at] += slope * found[column]);
                    }
                });
            }
        }
        all
    }
}

/// How (Bᵀa)_i of a feature changes with the coordinates: ½ Σ_j (C_i + C_j) with those of i, −½ (C_i + C_j) with those of each
/// neighbour j.
fn slopes(graph: &Graph, maps: &Matrix, f: usize, i: usize, d_x: usize) -> Vec<(usize, f64)> {
    let n = graph.n();
    let mut all = Vec::with_capacity((1 + graph.neighbors(i).len()) * d_x);
    for a in 0..d_x {
        let half = |j: usize| 0.5 * (maps[(f, i * d_x + a)] + maps[(f, j * d_x + a)]);
        let neighbors = || graph.neighbors(i).iter().map(|&j| j as usize);
        all.push((a * n + i, neighbors().map(half).sum()));
        all.extend(neighbors().map(|j| (a * n + j, -half(j))));
    }
    all
}
