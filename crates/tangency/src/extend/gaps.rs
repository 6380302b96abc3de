//! New rows that lack some entries: placed by those they have, and the others expected from where they are.

use super::{Extension, Placement};
use crate::graph::Donors;
use crate::linalg::Matrix;
use rayon::prelude::*;

/// Most times that entries and place are found in turn.
const ROUNDS: usize = 5;
/// They are found when no entry moves by more than this, in scaled units.
const STILL: f64 = 1e-4;

impl Extension {
    /// Fills in entries of scaled rows, one per column, that are missing (NaN). Each row is filled in by itself. What is known of
    /// a row that was fitted is enough to find it again: the number of that point is returned.
    pub(super) fn fill_gaps(&self, rows: &mut Matrix) -> Vec<Option<u32>> {
        let with_gaps: Vec<usize> =
            (0..rows.ncols()).filter(|&i| rows.col_as_slice(i).iter().any(|v| v.is_nan())).collect();
        let mut fitted = vec![None; rows.ncols()];
        if with_gaps.is_empty() {
            return fitted;
        }
        let donors = Donors::new(&self.frozen.observations);
        let filled: Vec<(Vec<f64>, Option<u32>)> =
            with_gaps.par_iter().map(|&i| self.filled(rows.col_as_slice(i), &donors)).collect();
        for (&i, (row, point)) in with_gaps.iter().zip(filled) {
            rows.col_as_slice_mut(i).copy_from_slice(&row);
            fitted[i] = point;
        }
        fitted
    }

    fn filled(&self, row: &[f64], donors: &Donors) -> (Vec<f64>, Option<u32>) {
        if let Some(point) = self.same_gaps(row) {
            return (self.frozen.observations.col_as_slice(point as usize).to_vec(), Some(point));
        }
        let gaps: Vec<usize> = (0..row.len()).filter(|&f| row[f].is_nan()).collect();
        let mut y = row.to_vec();
        donors.fill(&mut y, None);
        for _ in 0..ROUNDS {
            let query = Matrix::from_fn(y.len(), 1, |f, _| y[f]);
            let Some(list) = self.index.nearest(&self.seen_by_graph(&query), self.n_neighbors).pop() else { break };
            let Some(placed) = self.best(&y, &list, None) else { break };
            let mut moved = 0.0f64;
            for &f in &gaps {
                let expected = self.expected(&placed, f);
                moved = moved.max((expected - y[f]).abs());
                y[f] = expected;
            }
            if moved < STILL {
                break;
            }
        }
        (y, None)
    }

    /// The mean over the neighbours j of y_j + ½ (C_j + C*)(x* − x_j) in one feature: ŷ of the one row.
    fn expected(&self, placed: &Placement, f: usize) -> f64 {
        let d_x = self.frozen.d_x();
        let from = |&j: &u32| {
            let j = j as usize;
            let along = |a: usize| {
                let maps = self.frozen.maps[(f, j * d_x + a)] + placed.map[(f, a)];
                0.5 * maps * (placed.mean[a] - self.frozen.coordinates[(a, j)])
            };
            self.frozen.observations[(f, j)] + (0..d_x).map(along).sum::<f64>()
        };
        placed.neighbors.iter().map(from).sum::<f64>() / placed.neighbors.len() as f64
    }

    /// The point that has the same entries, and lacked the same.
    pub(super) fn same_gaps(&self, row: &[f64]) -> Option<u32> {
        let lacked = |i: u32, f: usize| self.lacked.binary_search(&(i, f as u32)).is_ok();
        let same = |i: u32| {
            let known = self.frozen.observations.col_as_slice(i as usize);
            row.iter().zip(known).enumerate().all(|(f, (a, b))| if a.is_nan() { lacked(i, f) } else { a == b })
        };
        let mut points: Vec<u32> = self.lacked.iter().map(|&(i, _)| i).collect();
        points.dedup();
        points.into_iter().find(|&i| same(i))
    }
}
