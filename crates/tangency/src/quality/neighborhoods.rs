//! Which neighbours an embedding keeps.

use super::same_rows;
use crate::error::{Error, Result};
use crate::graph::{Length, nearest_by, nearest_neighbors, neighbor_ranks};
use crate::linalg::Matrix;
use rayon::prelude::*;

/// Trustworthiness (Venna and Kaski, 2001): whether points that are neighbours in `embedding` [n, d] are so in
/// `reference` [n, p]. With r(i, j) the rank of j among all points by its distance from i in the reference,
///
/// T = 1 − 2 / (n k (2n − 3k − 1)) Σᵢ Σⱼ max(0, r(i, j) − k), j over the k nearest of i in the embedding.
///
/// 1 is perfect, and what scikit-learn's function of the name gives, but for ties, which here go to the smaller number.
pub fn trustworthiness(reference: &Matrix, embedding: &Matrix, k: usize) -> Result<f64> {
    same_rows(embedding, reference)?;
    let n = embedding.nrows();
    if k == 0 || 2 * k >= n {
        return Err(match k {
            0 => Error::too_small("n_neighbors", k, 1),
            _ => Error::too_large("n_neighbors", k, format!("less than half of the {n} points can be compared")),
        });
    }
    let lists = nearest_neighbors(&embedding.transpose().to_owned(), k);
    let ranks = neighbor_ranks(&reference.transpose().to_owned(), &lists);
    let beyond: u64 = ranks.iter().flatten().map(|&rank| u64::from(rank).saturating_sub(k as u64)).sum();
    let (n, k) = (n as f64, k as f64);
    Ok(1.0 - beyond as f64 * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0)))
}

/// Continuity: whether points that are neighbours in `reference` [n, p] are so in `embedding` [n, d]; trustworthiness
/// with the roles exchanged.
pub fn continuity(reference: &Matrix, embedding: &Matrix, k: usize) -> Result<f64> {
    same_rows(embedding, reference)?;
    trustworthiness(embedding, reference, k)
}

/// Points of a sample that stands for more, or a few more than these.
const SAMPLED: usize = 1500;
/// Up to so many points all are looked at.
const ALL_UP_TO: usize = 3000;

/// Points as columns, and how far apart two of them are.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// One per column. `[d, n]`
    pub points: &'a Matrix,
    /// Between two of them.
    pub length: Length,
}

impl<'a> Places<'a> {
    /// In straight lines.
    pub fn straight(points: &'a Matrix) -> Self {
        Self { points, length: Length::Squared }
    }

    fn n(&self) -> usize {
        self.points.ncols()
    }

    fn some(&self, chosen: &[usize]) -> Matrix {
        Matrix::from_fn(self.points.nrows(), chosen.len(), |f, c| self.points[(f, chosen[c])])
    }
}

/// Trustworthiness of a map towards points, as far as so few points have it: with fewer than `k` neighbours where there are few
/// points. Where there are many it is that of a sample by itself, evenly spaced: among all points the `k` nearest say nothing of
/// folds, and every layout has a trustworthiness next to 1.
pub(crate) fn quick_trustworthiness(reference: Places, map: Places, k: usize) -> f64 {
    let n = map.n();
    let k = k.min((n - 1) / 3).max(1);
    if !map.points.is_all_finite() {
        return 0.0;
    }
    if n > ALL_UP_TO {
        let chosen: Vec<usize> = (0..n).step_by(n / SAMPLED).collect();
        let (some, placed) = (reference.some(&chosen), map.some(&chosen));
        return quick_trustworthiness(Places { points: &some, ..reference }, Places { points: &placed, ..map }, k);
    }
    let beyond = |i: usize| -> u64 {
        let from = reference.points.col_as_slice(i);
        let true_distances: Vec<f64> =
            (0..n).map(|j| reference.length.between(from, reference.points.col_as_slice(j))).collect();
        let others = (0..n as u32).filter(|&j| j as usize != i);
        let nearest = nearest_by(map.length, map.points, map.points.col_as_slice(i), others, k);
        // a point itself is the nearest of all
        let rank = |limit: f64| true_distances.iter().filter(|&&distance| distance < limit).count() as u64;
        nearest.iter().map(|&j| rank(true_distances[j as usize]).max(1).saturating_sub(k as u64)).sum()
    };
    let total: u64 = (0..n).into_par_iter().map(beyond).collect::<Vec<u64>>().iter().sum();
    let (n, k) = (n as f64, k as f64);
    1.0 - total as f64 * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))
}
