//! Which neighbours an embedding keeps.

use super::same_rows;
use crate::error::{Error, Result};
use crate::graph::{nearest_neighbors, neighbor_ranks};
use crate::linalg::Matrix;

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
