//! Eigenvalues and a few leading eigenvectors of symmetric matrices; singular values.

use super::{Matrix, fixed_par};
use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::matrix_free::eigen::{PartialEigenParams, partial_self_adjoint_eigen, partial_self_adjoint_eigen_scratch};

/// All eigenvalues of a symmetric matrix (lower triangle read), smallest first.
pub fn symmetric_eigenvalues(matrix: &Matrix, name: &'static str) -> Result<Vec<f64>> {
    let mut values = vec![0.0; matrix.nrows()];
    decompose(matrix, &mut values, None, fixed_par(), name)?;
    Ok(values)
}

/// All eigenvalues, smallest first, and eigenvectors of a symmetric matrix (lower triangle read).
pub fn symmetric_eigen(matrix: &Matrix, name: &'static str) -> Result<(Vec<f64>, Matrix)> {
    let n = matrix.nrows();
    let (mut values, mut vectors) = (vec![0.0; n], Matrix::zeros(n, n));
    decompose(matrix, &mut values, Some(&mut vectors), fixed_par(), name)?;
    Ok((values, vectors))
}

fn decompose(
    matrix: &Matrix,
    values: &mut [f64],
    vectors: Option<&mut Matrix>,
    par: faer::Par,
    name: &'static str,
) -> Result<()> {
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let stack = self_adjoint_evd_scratch::<f64>(matrix.nrows(), wanted, par, Default::default());
    self_adjoint_evd(
        matrix.as_ref(),
        faer::diag::DiagMut::from_slice_mut(values),
        vectors.map(|vectors| vectors.as_mut()),
        par,
        MemStack::new(&mut MemBuffer::new(stack)),
        Default::default(),
    )
    .map_err(|_| Error::NoEigenvectors { matrix: name })
}

/// Left singular vectors, singular values, largest first, and right singular vectors of a square matrix.
pub fn singular(matrix: &Matrix, name: &'static str) -> Result<(Matrix, Vec<f64>, Matrix)> {
    let n = matrix.nrows();
    let (mut left, mut values, mut right) = (Matrix::zeros(n, n), vec![0.0; n], Matrix::zeros(n, n));
    let wanted = ComputeSvdVectors::Full;
    let stack = svd_scratch::<f64>(n, n, wanted, wanted, fixed_par(), Default::default());
    svd(
        matrix.as_ref(),
        faer::diag::DiagMut::from_slice_mut(&mut values),
        Some(left.as_mut()),
        Some(right.as_mut()),
        fixed_par(),
        MemStack::new(&mut MemBuffer::new(stack)),
        Default::default(),
    )
    .map_err(|_| Error::NoEigenvectors { matrix: name })?;
    Ok((left, values, right))
}

/// The `count` eigenvectors of a full symmetric matrix with the largest (most positive) eigenvalues, largest first.
pub fn leading_eigenvectors(matrix: &Matrix, count: usize, name: &'static str) -> Result<(Vec<f64>, Matrix)> {
    let n = matrix.nrows();
    // Below this size the dense solver is as quick; above it a Krylov method does, and the dense one is the way back.
    if n > 300
        && let Some(found) = krylov(matrix, count)
    {
        return Ok(found);
    }
    let (values, vectors) = symmetric_eigen(matrix, name)?;
    let picked: Vec<usize> = (0..count).map(|c| n - 1 - c).collect();
    Ok((picked.iter().map(|&p| values[p]).collect(), columns(&vectors, &picked)))
}

fn krylov(matrix: &Matrix, count: usize) -> Option<(Vec<f64>, Matrix)> {
    let n = matrix.nrows();
    // The method finds the largest magnitudes; a few spare ones make room for large negative eigenvalues.
    let wanted = count + 4;
    let params = PartialEigenParams { max_restarts: 200, max_dim: 40.max(3 * wanted), ..Default::default() };
    let stack = partial_self_adjoint_eigen_scratch::<f64>(matrix, wanted, fixed_par(), params);
    let mut vectors = Matrix::zeros(n, wanted);
    let mut values = vec![0.0f64; wanted];
    let start = structureless(n);
    let start = faer::Col::from_fn(n, |i| start[i]);
    let start = &start / start.norm_l2();
    let info = partial_self_adjoint_eigen(
        vectors.as_mut(),
        &mut values,
        matrix,
        start.as_ref(),
        1e-10,
        fixed_par(),
        MemStack::new(&mut MemBuffer::new(stack)),
        params,
    );
    if info.n_converged_eigen < wanted {
        return None;
    }
    let mut order: Vec<usize> = (0..wanted).collect();
    order.sort_by(|&p, &q| values[q].total_cmp(&values[p]));
    order.truncate(count);
    if order.iter().any(|&p| values[p] <= 0.0) {
        return None;
    }
    Some((order.iter().map(|&p| values[p]).collect(), columns(&vectors, &order)))
}

/// A fixed first vector without structure: a golden-ratio sequence.
pub(super) fn structureless(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + 1.0) * 0.618_033_988_749_895).fract() - 0.5).collect()
}

/// Eigenvalues, smallest first, and eigenvectors of a small symmetric matrix on this thread, for work that is itself one of
/// many.
pub fn sequential_eigen(matrix: &Matrix, name: &'static str) -> Result<(Vec<f64>, Matrix)> {
    let n = matrix.nrows();
    let (mut values, mut vectors) = (vec![0.0; n], Matrix::zeros(n, n));
    decompose(matrix, &mut values, Some(&mut vectors), faer::Par::Seq, name)?;
    Ok((values, vectors))
}

pub(super) fn columns(matrix: &Matrix, picked: &[usize]) -> Matrix {
    Matrix::from_fn(matrix.nrows(), picked.len(), |i, c| matrix[(i, picked[c])])
}
