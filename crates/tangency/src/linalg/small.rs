//! Symmetric positive definite matrices of a few rows, where the set-up of the large routines would cost more than the
//! work. Row-major slices of length size².

/// Replaces the matrix by its inverse and returns its log-determinant; `None` if it is not positive definite.
pub fn invert(matrix: &mut [f64], size: usize) -> Option<f64> {
    let mut log_det = 0.0;
    for p in 0..size {
        let pivot = matrix[p * size + p];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        log_det += pivot.ln();
        for j in 0..size {
            matrix[p * size + j] /= pivot;
        }
        matrix[p * size + p] = 1.0 / pivot;
        for i in (0..size).filter(|&i| i != p) {
            let factor = std::mem::replace(&mut matrix[i * size + p], 0.0);
            for j in 0..size {
                matrix[i * size + j] -= factor * matrix[p * size + j];
            }
        }
    }
    Some(log_det)
}

/// The lower Cholesky factor; zeros from where the matrix is not positive definite.
pub fn lower_factor(matrix: &[f64], size: usize) -> Vec<f64> {
    let mut factor = vec![0.0; size * size];
    for j in 0..size {
        for i in j..size {
            let inner: f64 = (0..j).map(|l| factor[i * size + l] * factor[j * size + l]).sum();
            let left = matrix[i * size + j] - inner;
            factor[i * size + j] = if i == j {
                left.max(0.0).sqrt()
            } else if factor[j * size + j] > 0.0 {
                left / factor[j * size + j]
            } else {
                0.0
            };
        }
    }
    factor
}

/// `matrix * vector`.
pub fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// `rows * matrix`, the matrix symmetric of this size.
pub fn rows_times(rows: &[f64], matrix: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows.len()];
    for (row, out) in rows.chunks(size).zip(out.chunks_mut(size)) {
        for (&weight, column) in row.iter().zip(matrix.chunks(size)) {
            out.iter_mut().zip(column).for_each(|(slot, value)| *slot += weight * value);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::linalg::{Matrix, lower_factor};

    #[test]
    fn inverse_and_determinant() {
        for size in 1..12 {
            let half = Matrix::from_fn(size, size + 2, |i, j| ((i * 31 + j * 17) as f64).sin());
            let matrix = &half * half.transpose() + Matrix::identity(size, size);
            let mut inverse: Vec<f64> = (0..size * size).map(|p| matrix[(p / size, p % size)]).collect();
            let log_det = invert(&mut inverse, size).unwrap();
            let factor = lower_factor(&matrix, "test").unwrap();
            let expected: f64 = (0..size).map(|i| 2.0 * factor[(i, i)].ln()).sum();
            assert!((log_det - expected).abs() < 1e-10);
            for i in 0..size {
                let column: Vec<f64> = (0..size).map(|j| matrix[(j, i)]).collect();
                for (j, value) in times(&inverse, &column).into_iter().enumerate() {
                    assert!((value - f64::from(u8::from(i == j))).abs() < 1e-10);
                }
            }
        }
        assert!(invert(&mut [-1.0], 1).is_none());
    }
}
