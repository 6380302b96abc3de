//! Symmetric positive definite matrices: log-determinant and inverse, in place.

use super::{Matrix, par};
use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul as multiply;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::prelude::Solve;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

/// Size below which a triangular factor is inverted without further halving.
const LEAF: usize = 256;

/// Workspace of [`invert_spd`], about a third of the matrix, kept between calls: one block for each halving.
pub struct SpdWork {
    size: usize,
    halves: Vec<Matrix>,
}

impl SpdWork {
    /// Workspace for matrices of this size.
    pub fn new(size: usize) -> Self {
        let mut halves = Vec::new();
        let mut part = size;
        while part > LEAF {
            let first = first_half(part);
            halves.push(Matrix::zeros(part - first, first));
            part = first;
        }
        Self { size, halves }
    }
}

fn first_half(size: usize) -> usize {
    (size / 2).next_multiple_of(8)
}

/// Replaces the lower triangle of `matrix` by that of its inverse and returns log|matrix|. Only the lower triangle is
/// read; what is above it is overwritten.
pub fn invert_spd(matrix: &mut Matrix, work: &mut SpdWork, name: &'static str) -> Result<f64> {
    let n = matrix.nrows();
    if work.size != n {
        *work = SpdWork::new(n);
    }
    let mut stack = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par(), Default::default()));
    cholesky_in_place(matrix.as_mut(), Default::default(), par(), MemStack::new(&mut stack), Default::default())
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    let log_det = 2.0 * (0..n).map(|i| matrix[(i, i)].ln()).sum::<f64>();
    if !log_det.is_finite() {
        return Err(Error::NotPositiveDefinite { matrix: name, pivot: n });
    }
    invert_from_factor(matrix.as_mut(), &mut work.halves);
    Ok(log_det)
}

/// From the Cholesky factor F in the lower triangle to the inverse of FFᵀ, by halves: with W = F₂₁F₁₁⁻¹ the blocks of the
/// inverse are B₂₂ = (F₂₂F₂₂ᵀ)⁻¹, B₂₁ = −B₂₂W and B₁₁ = (F₁₁F₁₁ᵀ)⁻¹ − B₂₁ᵀW. Nearly all of it is large matrix products,
/// which keep two threads busy where the usual F⁻ᵀF⁻¹ does not.
fn invert_from_factor(mut matrix: MatMut<f64>, work: &mut [Matrix]) {
    let n = matrix.nrows();
    let Some((block, deeper)) = work.split_first_mut().filter(|_| n > LEAF) else {
        let mut inverse = Matrix::zeros(n, n);
        invert_lower_triangular(inverse.as_mut(), matrix.rb(), par());
        let (upper, lower) = (BlockStructure::TriangularUpper, BlockStructure::TriangularLower);
        let factor = inverse.as_ref();
        return matmul(matrix, lower, Accum::Replace, factor.transpose(), upper, factor, lower, 1.0, par());
    };
    let first = first_half(n);
    let (mut b11, _, mut b21, mut b22) = matrix.rb_mut().split_at_mut(first, first);
    let mut w = block.as_mut().subrows_mut(0, n - first).subcols_mut(0, first);
    w.copy_from(b21.rb());
    solve_upper_triangular_in_place(b11.rb().transpose(), w.rb_mut().transpose_mut(), par());
    invert_from_factor(b22.rb_mut(), deeper);
    mirror(b22.rb_mut());
    multiply(b21.rb_mut(), Accum::Replace, b22.rb(), w.rb(), -1.0, par());
    invert_from_factor(b11.rb_mut(), deeper);
    let (lower, dense) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(b11, lower, Accum::Add, b21.rb().transpose(), dense, w.rb(), dense, -1.0, par());
}

/// Copies the lower triangle above the diagonal, by halves in parallel.
pub(super) fn mirror(mut matrix: MatMut<f64>) {
    let n = matrix.nrows();
    if n <= SQUARE {
        for j in 0..n {
            for i in j + 1..n {
                matrix[(j, i)] = matrix[(i, j)];
            }
        }
        return;
    }
    let (first, upper, lower, second) = matrix.split_at_mut(n / 2, n / 2);
    rayon::join(|| transpose_into(upper, lower.rb()), || rayon::join(|| mirror(first), || mirror(second)));
}

/// Squares of this size fit the first-level cache.
const SQUARE: usize = 48;

fn transpose_into(mut target: MatMut<f64>, source: MatRef<f64>) {
    let (rows, columns) = (target.nrows(), target.ncols());
    if rows.max(columns) <= SQUARE {
        for j in 0..columns {
            for i in 0..rows {
                target[(i, j)] = source[(j, i)];
            }
        }
    } else if rows >= columns {
        let (top, bottom) = target.split_at_row_mut(rows / 2);
        let (left, right) = source.split_at_col(rows / 2);
        rayon::join(|| transpose_into(top, left), || transpose_into(bottom, right));
    } else {
        let (left, right) = target.split_at_col_mut(columns / 2);
        let (top, bottom) = source.split_at_row(columns / 2);
        rayon::join(|| transpose_into(left, top), || transpose_into(right, bottom));
    }
}

/// Copies the lower triangle above the diagonal.
pub fn mirror_lower(matrix: &mut Matrix) {
    mirror(matrix.as_mut());
}

/// Adds the lower triangle of `factorᵀ factor` to the lower triangle of `matrix`.
pub fn gram_lower(matrix: &mut Matrix, factor: &Matrix) {
    gram_lower_weighted(matrix, factor, 1.0);
}

/// Adds the lower triangle of `weight * factorᵀ factor` to the lower triangle of `matrix`.
pub fn gram_lower_weighted(matrix: &mut Matrix, factor: &Matrix, weight: f64) {
    matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        factor.as_ref().transpose(),
        BlockStructure::Rectangular,
        factor.as_ref(),
        BlockStructure::Rectangular,
        weight,
        par(),
    );
}

/// The inverse F⁻¹ of the lower Cholesky factor, matrix = FFᵀ, and log|matrix|, on this thread.
pub fn inverse_factor(matrix: &Matrix, name: &'static str) -> Result<(Matrix, f64)> {
    let n = matrix.nrows();
    let mut factor = matrix.clone();
    let mut stack = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, MemStack::new(&mut stack), Default::default())
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    let log_det = 2.0 * (0..n).map(|i| factor[(i, i)].ln()).sum::<f64>();
    if !log_det.is_finite() {
        return Err(Error::NotPositiveDefinite { matrix: name, pivot: n });
    }
    let mut inverse = Matrix::zeros(n, n);
    invert_lower_triangular(inverse.as_mut(), factor.as_ref(), Par::Seq);
    Ok((inverse, log_det))
}

/// F·right for the lower Cholesky factor F of a matrix, of which only the lower triangle is read.
pub fn factor_times(mut matrix: Matrix, right: &Matrix, name: &'static str) -> Result<Matrix> {
    let n = matrix.nrows();
    let mut stack = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par(), Default::default()));
    cholesky_in_place(matrix.as_mut(), Default::default(), par(), MemStack::new(&mut stack), Default::default())
        .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite { matrix: name, pivot: index })?;
    let mut out = Matrix::zeros(n, right.ncols());
    matmul(
        out.as_mut(),
        BlockStructure::Rectangular,
        Accum::Replace,
        matrix.as_ref(),
        BlockStructure::TriangularLower,
        right.as_ref(),
        BlockStructure::Rectangular,
        1.0,
        par(),
    );
    Ok(out)
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
