//! New rows that lack some entries: placed by those they have, and the others expected from where they are.

use super::frozen::Frozen;
use super::{Extension, Placement};
use crate::graph::Donors;
use crate::linalg::{Matrix, small};
use rayon::prelude::*;
use std::sync::Arc;

/// Most times that entries and place are found in turn: each time what is left shrinks by the share that is missing.
const ROUNDS: usize = 30;
/// They are found when no entry moves by more than this, in scaled units.
const STILL: f64 = 1e-4;

/// What a row lacks, and the point that it is, if it was fitted.
pub(super) struct RowFilled {
    pub gaps: Vec<usize>,
    pub point: Option<u32>,
}

impl Extension {
    /// Fills in entries of scaled rows, one per column, that are missing (NaN). Each row is filled in by itself. What is known of
    /// a row that was fitted is enough to find it again: the number of that point is returned.
    pub(super) fn fill_gaps(&self, rows: &mut Matrix) -> Vec<RowFilled> {
        let gaps_of = |i: usize| -> Vec<usize> { (0..rows.nrows()).filter(|&f| rows[(f, i)].is_nan()).collect() };
        let mut filled: Vec<RowFilled> =
            (0..rows.ncols()).map(|i| RowFilled { gaps: gaps_of(i), point: None }).collect();
        let with_gaps: Vec<usize> = (0..filled.len()).filter(|&i| !filled[i].gaps.is_empty()).collect();
        let found: Vec<(Vec<f64>, Option<u32>)> =
            with_gaps.par_iter().map(|&i| self.filled(rows.col_as_slice(i), &filled[i].gaps)).collect();
        for (&i, (row, point)) in with_gaps.iter().zip(found) {
            rows.col_as_slice_mut(i).copy_from_slice(&row);
            filled[i].point = point;
        }
        filled
    }

    fn donors(&self) -> &Donors<Arc<Matrix>> {
        self.donors.get_or_init(|| Donors::new(self.density.index().points().clone()))
    }

    fn filled(&self, row: &[f64], gaps: &[usize]) -> (Vec<f64>, Option<u32>) {
        if let Some(point) = self.density.gaps().find(&self.frozen.observations, row) {
            return (self.frozen.observations.col_as_slice(point as usize).to_vec(), Some(point));
        }
        let mut y = row.to_vec();
        self.donors().fill(&mut y, None);
        for _ in 0..ROUNDS {
            let query = Matrix::from_fn(y.len(), 1, |f, _| y[f]);
            // a row without a direction as it is filled in is refused where all rows are placed
            let in_units = self.scaling.back(&query);
            let Some(list) = self.neighbors_of(in_units.as_ref(), &query).ok().and_then(|mut lists| lists.pop()) else {
                break;
            };
            let Some(placed) = self.best(&y, &list, None) else { break };
            let mut moved = 0.0f64;
            for &f in gaps {
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
}

/// Widens the covariance of a row that was placed with some entries filled in: by what it lacks nothing was measured. Of the
/// precision (γ/2k) Σ_f (kC* + c)_f(kC* + c)_fᵀ is taken off, c being the sum of its k neighbours' maps (eq. 38).
pub(super) fn widen(frozen: &Frozen, placed: &mut Placement, gaps: &[usize]) {
    let (d_x, k) = (frozen.d_x(), placed.neighbors.len() as f64);
    let weight = frozen.graph.as_ref().map_or(1.0, |graph| graph.feature_weight);
    let mut precision: Vec<f64> = (0..d_x * d_x).map(|p| placed.covariance[(p / d_x, p % d_x)]).collect();
    if gaps.is_empty() || small::invert(&mut precision, d_x).is_none() {
        return;
    }
    for &f in gaps {
        let slope = |a: usize| {
            let of = |&j: &u32| frozen.maps[(f, j as usize * d_x + a)];
            k * placed.map[(f, a)] + placed.neighbors.iter().map(of).sum::<f64>()
        };
        let slopes: Vec<f64> = (0..d_x).map(slope).collect();
        let factor = 0.5 * weight * frozen.hyper.gamma / k;
        (0..d_x * d_x).for_each(|p| precision[p] -= factor * slopes[p / d_x] * slopes[p % d_x]);
    }
    if small::invert(&mut precision, d_x).is_some() {
        placed.covariance = Matrix::from_fn(d_x, d_x, |a, b| precision[a * d_x + b]);
    }
}
