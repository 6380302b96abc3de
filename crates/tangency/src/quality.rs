//! How well an embedding matches known coordinates.

use crate::error::Result;
use crate::linalg::{Matrix, product, solve_small, symmetric_eigenvalues, transposed_product};

/// Share of the variance of `truth` [n, d] that an affine map of `embedding` [n, d_x] explains.
pub fn affine_r2(embedding: &Matrix, truth: &Matrix) -> Result<f64> {
    let (x, t) = (centered(embedding), centered(truth));
    let gram = transposed_product(&x, &x);
    let cross = transposed_product(&x, &t);
    let coefficients = solve_small(&gram, &cross, "scatter of the embedding")?;
    let residual = &t - product(&x, &coefficients);
    Ok(1.0 - residual.squared_norm_l2() / t.squared_norm_l2())
}

/// Procrustes disparity: 1 − (Σ singular values of XᵀT)² / (|X|²|T|²) of the centred tables, after the best rotation,
/// reflection and one scale. 0 is a perfect match.
pub fn procrustes(embedding: &Matrix, truth: &Matrix) -> Result<f64> {
    let (x, t) = (centered(embedding), centered(truth));
    let cross = transposed_product(&x, &t);
    let squares = symmetric_eigenvalues(&transposed_product(&cross, &cross), "cross-covariance")?;
    let nuclear: f64 = squares.iter().map(|s| s.max(0.0).sqrt()).sum();
    Ok(1.0 - nuclear * nuclear / (x.squared_norm_l2() * t.squared_norm_l2()))
}

fn centered(table: &Matrix) -> Matrix {
    let n = table.nrows();
    let means: Vec<f64> = (0..table.ncols()).map(|c| table.col_as_slice(c).iter().sum::<f64>() / n as f64).collect();
    Matrix::from_fn(n, table.ncols(), |i, c| table[(i, c)] - means[c])
}
