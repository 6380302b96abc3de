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

    /// Of all points from one, as far as they tell which is nearer.
    fn distances_from(&self, i: usize) -> Vec<f64> {
        let from = self.points.col_as_slice(i);
        (0..self.n()).map(|j| self.length.between(from, self.points.col_as_slice(j))).collect()
    }

    fn some(&self, chosen: &[usize]) -> Matrix {
        Matrix::from_fn(self.points.nrows(), chosen.len(), |f, c| self.points[(f, chosen[c])])
    }
}

/// Trustworthiness of a map towards points, as far as so few points have it: with fewer than `k` neighbours where there are few
/// points. Where there are many it is that of a sample by itself, evenly spaced: among all points the `k` nearest say nothing of
/// folds, and every layout has a trustworthiness next to 1.
pub(crate) fn quick_trustworthiness(reference: Places, map: Places, k: usize) -> f64 {
    if let Some(chosen) = sample_of(reference.n()) {
        let (some, placed) = (reference.some(&chosen), map.some(&chosen));
        return quick_trustworthiness(Places { points: &some, ..reference }, Places { points: &placed, ..map }, k);
    }
    let of_point = |i: usize, nearest: &[u32], beyond: &dyn Fn(u64) -> u64| -> u64 {
        let true_distances = reference.distances_from(i);
        // a point itself is the nearest of all
        let rank = |limit: f64| true_distances.iter().filter(|&&distance| distance < limit).count() as u64;
        nearest.iter().map(|&j| beyond(rank(true_distances[j as usize]).max(1))).sum()
    };
    trustworthiness_by(map, k, of_point)
}

/// Which neighbour every point is of every other, found once for the trustworthiness of many maps.
pub(crate) struct TableRanks {
    /// The sample that stands for all, where there are many.
    chosen: Option<Vec<usize>>,
    /// Row after row. `[n·n]`
    ranks: Vec<u16>,
}

impl TableRanks {
    /// Of points.
    pub fn of(reference: Places) -> Self {
        let chosen = sample_of(reference.n());
        let some = chosen.as_ref().map(|chosen| reference.some(chosen));
        let places = some.as_ref().map_or(reference, |points| Places { points, ..reference });
        let n = places.n();
        let mut ranks = vec![0; n * n];
        ranks.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, ranks)| {
            let distances = places.distances_from(i);
            let mut order: Vec<u32> = (0..n as u32).collect();
            let at = |j: u32| distances[j as usize];
            order.sort_unstable_by(|&p, &q| at(p).total_cmp(&at(q)));
            let mut rank = 0;
            for (place, &j) in order.iter().enumerate() {
                if place == 0 || at(order[place - 1]) < at(j) {
                    rank = place.max(1) as u16;
                }
                ranks[j as usize] = rank;
            }
        });
        Self { chosen, ranks }
    }

    /// What [`quick_trustworthiness`] gives.
    pub fn trustworthiness(&self, map: Places, k: usize) -> f64 {
        let some = self.chosen.as_ref().map(|chosen| map.some(chosen));
        let map = some.as_ref().map_or(map, |points| Places { points, ..map });
        let n = map.n();
        trustworthiness_by(map, k, |i, nearest, beyond| {
            nearest.iter().map(|&j| beyond(u64::from(self.ranks[i * n + j as usize]))).sum()
        })
    }
}

/// Points that stand for all, where there are too many to look at.
fn sample_of(n: usize) -> Option<Vec<usize>> {
    (n > ALL_UP_TO).then(|| (0..n).step_by(n / SAMPLED).collect())
}

/// Trustworthiness from what the ranks of each point's nearest on the map, as `of_point` has them, are beyond `k`.
fn trustworthiness_by(
    map: Places,
    k: usize,
    of_point: impl Fn(usize, &[u32], &dyn Fn(u64) -> u64) -> u64 + Sync,
) -> f64 {
    let n = map.n();
    let k = k.min((n - 1) / 3).max(1);
    if !map.points.is_all_finite() {
        return 0.0;
    }
    let beyond = |rank: u64| rank.saturating_sub(k as u64);
    let of = |i: usize| {
        let others = (0..n as u32).filter(|&j| j as usize != i);
        of_point(i, &nearest_by(map.length, map.points, map.points.col_as_slice(i), others, k), &beyond)
    };
    let total: u64 = (0..n).into_par_iter().map(of).collect::<Vec<u64>>().iter().sum();
    let (n, k) = (n as f64, k as f64);
    1.0 - total as f64 * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))
}
