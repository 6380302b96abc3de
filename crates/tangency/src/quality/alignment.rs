//! An embedding against known coordinates.

use super::same_rows;
use crate::error::Result;
use crate::linalg::{Matrix, product, singular, symmetric_eigen, symmetric_eigenvalues, transposed_product};

/// Share of the largest spread below which an axis is taken as flat.
const FLAT: f64 = 1e-13;

/// Share of the variance of `truth` [n, d] that an affine map of `embedding` [n, d_x] explains.
pub fn affine_r2(embedding: &Matrix, truth: &Matrix) -> Result<f64> {
    same_rows(embedding, truth)?;
    let (x, t) = (centered(embedding), centered(truth));
    let gram = transposed_product(&x, &x);
    let (spreads, axes) = symmetric_eigen(&gram, "scatter of the embedding")?;
    let along = transposed_product(&axes, &transposed_product(&x, &t)); // [d_x, d]
    // an axis along which all points are alike explains nothing
    let least = FLAT * spreads.last().copied().unwrap_or(0.0);
    let explained =
        (0..spreads.len()).filter(|&a| spreads[a] > least).map(|a| along.row(a).squared_norm_l2() / spreads[a]);
    Ok(explained.sum::<f64>() / t.squared_norm_l2())
}

/// Procrustes disparity: 1 − (Σ singular values of XᵀT)² / (|X|²|T|²) of the centred tables, after the best rotation,
/// reflection and one scale. 0 is a perfect match.
pub fn procrustes(embedding: &Matrix, truth: &Matrix) -> Result<f64> {
    same_rows(embedding, truth)?;
    let (x, t) = (centered(embedding), centered(truth));
    let cross = transposed_product(&x, &t);
    let squares = symmetric_eigenvalues(&transposed_product(&cross, &cross), "cross-covariance")?;
    let nuclear: f64 = squares.iter().map(|s| s.max(0.0).sqrt()).sum();
    Ok(1.0 - nuclear * nuclear / (x.squared_norm_l2() * t.squared_norm_l2()))
}

/// The embedding moved, rotated, reflected and scaled as a whole, to be as near to `onto` [n, d] as it can: the table
/// s X R + mean(T) that makes |sXR − T|² smallest. Tables of fewer columns count as having zeros for the others; the
/// result has the columns of `onto`, so what a wider embedding has beyond them is left out. [n, d]
pub fn align(embedding: &Matrix, onto: &Matrix) -> Result<Matrix> {
    same_rows(embedding, onto)?;
    let columns = embedding.ncols().max(onto.ncols());
    let (x, t) = (padded(&centered(embedding), columns), centered(onto));
    // XᵀT = UΣVᵀ; R = UVᵀ and s = ΣΣ / |X|²
    let (u, values, v) = singular(&transposed_product(&x, &padded(&t, columns)), "cross-covariance")?;
    let spread = x.squared_norm_l2();
    let scale = if spread > 0.0 { values.iter().sum::<f64>() / spread } else { 0.0 };
    let turned = product(&x, &product(&u, &v.transpose().to_owned())); // X R
    let means = means(onto);
    Ok(Matrix::from_fn(onto.nrows(), onto.ncols(), |i, c| scale * turned[(i, c)] + means[c]))
}

fn padded(table: &Matrix, columns: usize) -> Matrix {
    Matrix::from_fn(table.nrows(), columns, |i, c| if c < table.ncols() { table[(i, c)] } else { 0.0 })
}

fn means(table: &Matrix) -> Vec<f64> {
    (0..table.ncols()).map(|c| table.col_as_slice(c).iter().sum::<f64>() / table.nrows() as f64).collect()
}

fn centered(table: &Matrix) -> Matrix {
    let means = means(table);
    Matrix::from_fn(table.nrows(), table.ncols(), |i, c| table[(i, c)] - means[c])
}
