//! Locally linear embedding (Roweis and Saul 2000): each point is the same mixture of its neighbours on the map as in the
//! data.

use super::{bottom_of_spectrum, check_dimension, check_pieces};
use crate::error::{Error, Result};
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, SparseSymmetric, dot, gram_entries, small};

/// Coordinates with unit variance on each axis up to a common factor; `points` is d_y × n, one a column. [n, d_x]
///
/// `regularization` is the share of the trace of a local Gram matrix that is added to its diagonal, 1e-3 in scikit-learn.
pub fn lle(points: &Matrix, neighborhoods: &Neighborhoods, n_components: usize, regularization: f64) -> Result<Matrix> {
    let n = check_dimension(points, n_components)?;
    check_pieces(neighborhoods.graph())?;
    // M = (I − W)ᵀ(I − W)
    let entries = gram_entries(n, |i| {
        let around = neighborhoods.around(i);
        let weights = mixture(points, i, around, regularization)?;
        let others = around.iter().zip(weights).map(|(&j, w)| (j, -w));
        Ok(std::iter::once((i as u32, 1.0)).chain(others).collect())
    })?;
    bottom_of_spectrum(SparseSymmetric::from_entries(n, entries), n_components, "matrix of local mixtures")
}

/// The weights, of sum one, with which the neighbours of a point come nearest to it.
fn mixture(points: &Matrix, i: usize, around: &[u32], regularization: f64) -> Result<Vec<f64>> {
    let k = around.len();
    let from = points.col_as_slice(i);
    let steps: Vec<Vec<f64>> = around
        .iter()
        .map(|&j| points.col_as_slice(j as usize).iter().zip(from).map(|(a, b)| a - b).collect())
        .collect();
    let mut gram = vec![0.0; k * k];
    for p in 0..k {
        for q in 0..=p {
            let product = dot(&steps[p], &steps[q]);
            gram[p * k + q] = product;
            gram[q * k + p] = product;
        }
    }
    let trace: f64 = (0..k).map(|p| gram[p * k + p]).sum();
    let ridge = if trace > 0.0 { regularization * trace } else { regularization };
    (0..k).for_each(|p| gram[p * k + p] += ridge);
    small::invert(&mut gram, k).ok_or(Error::NotPositiveDefinite { matrix: "local Gram matrix", pivot: i })?;
    let mut weights = small::times(&gram, &vec![1.0; k]);
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    Ok(weights)
}
