//! Classical multidimensional scaling: coordinates whose distances are nearest to given ones in inner products.

use super::{pca::pca, stretched};
use crate::error::Result;
use crate::linalg::{Matrix, leading_eigenvectors};
use rayon::prelude::*;

/// Coordinates from the straight distances between points; `points` is d_y × n, one a column. [n, d_x]
///
/// The doubly centred squared distances are then the inner products of the centred points, whose leading eigenvectors are
/// the principal scores (Gower 1966). So nothing of size n × n is formed.
pub fn mds(points: &Matrix, n_components: usize) -> Result<Matrix> {
    pca(points, n_components)
}

/// Coordinates from distances of any kind, which are overwritten; `distances` is n × n and symmetric. [n, d_x]
pub fn classical_scaling(mut distances: Matrix, n_components: usize, name: &'static str) -> Result<Matrix> {
    // −½ J D² J
    let n = distances.nrows();
    let means: Vec<f64> = distances
        .as_mut()
        .par_col_iter_mut()
        .map(|column| {
            let halved = column.iter_mut().map(|d| {
                *d = -0.5 * d.powi(2);
                *d
            });
            halved.sum::<f64>() / n as f64
        })
        .collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    distances.as_mut().par_col_iter_mut().enumerate().for_each(|(j, column)| {
        column.iter_mut().zip(&means).for_each(|(slot, row)| *slot += mean - row - means[j]);
    });
    let (values, axes) = leading_eigenvectors(&distances, n_components, name)?;
    Ok(stretched(&axes, &values))
}
