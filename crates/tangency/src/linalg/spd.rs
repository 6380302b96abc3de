//! Symmetric positive definite matrices: log-determinant and inverse, in place.

use super::{Matrix, fixed_par, par};
use crate::error::{Error, Result};
use faer::Accum;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::prelude::Solve;

/// The one matrix of workspace that [`invert_spd`] needs, kept between calls.
pub struct SpdWork {
    inverse_factor: Matrix,
}

impl SpdWork {
    /// Workspace for matrices of this size.
    pub fn new(size: usize) -> Self {
        Self { inverse_factor: Matrix::zeros(size, size) }
    }
}

/// Replaces the lower triangle of `matrix` by that of its inverse and returns log|matrix|. Only the lower triangle is
/// read; the strictly upper one is left as it was.
pub fn invert_spd(matrix: &mut Matrix, work: &mut SpdWork, name: &'static str) -> Result<f64> {
    let n = matrix.nrows();
    if work.inverse_factor.nrows() != n {
        *work = SpdWork::new(n);
    }
    let mut stack = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par(), Default::default()));
    cholesky_in_place(matrix.as_mut(), Default::default(), par(), MemStack::new(&mut stack), Default::default())
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    let log_det = 2.0 * (0..n).map(|i| matrix[(i, i)].ln()).sum::<f64>();
    if !log_det.is_finite() {
        return Err(Error::NotPositiveDefinite { matrix: name, pivot: n });
    }
    // matrix⁻¹ = F⁻ᵀF⁻¹ for the Cholesky factor F; the factor is spent once F⁻¹ is known, so the product lands on it
    let inverse_factor = &mut work.inverse_factor;
    invert_lower_triangular(inverse_factor.as_mut(), matrix.as_ref(), par());
    matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        inverse_factor.as_ref().transpose(),
        BlockStructure::TriangularUpper,
        inverse_factor.as_ref(),
        BlockStructure::TriangularLower,
        1.0,
        par(),
    );
    Ok(log_det)
}

/// Adds the lower triangle of `factorᵀ factor` to the lower triangle of `matrix`.
pub fn gram_lower(matrix: &mut Matrix, factor: &Matrix) {
    matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        factor.as_ref().transpose(),
        BlockStructure::Rectangular,
        factor.as_ref(),
        BlockStructure::Rectangular,
        1.0,
        fixed_par(),
    );
}

/// The lower Cholesky factor F, matrix = FFᵀ.
pub fn lower_factor(matrix: &Matrix, name: &'static str) -> Result<Matrix> {
    let factor = matrix
        .llt(faer::Side::Lower)
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    Ok(factor.L().to_owned())
}

/// Solves a small symmetric positive definite system, for least-squares problems of a few unknowns.
pub fn solve_small(matrix: &Matrix, right: &Matrix, name: &'static str) -> Result<Matrix> {
    let factor = matrix
        .llt(faer::Side::Lower)
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    Ok(factor.solve(right))
}
