//! Orthonormal columns and a triangle: A = QR.

use super::{Matrix, fixed_par};
use faer::Conj;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};

/// Q, with orthonormal columns [m, n], and R, upper triangular [n, n], of a matrix with no more columns than rows. By
/// reflections, so that the columns of Q are orthonormal to rounding whatever the rank.
pub fn orthonormal(mut matrix: Matrix) -> (Matrix, Matrix) {
    let (m, n) = (matrix.nrows(), matrix.ncols());
    let block = recommended_block_size::<f64>(m, n);
    let mut factor = Matrix::zeros(block, m.min(n));
    let stack = qr_in_place_scratch::<f64>(m, n, block, fixed_par(), Default::default());
    let mut buffer = MemBuffer::new(stack);
    qr_in_place(matrix.as_mut(), factor.as_mut(), fixed_par(), MemStack::new(&mut buffer), Default::default());
    let triangle = Matrix::from_fn(n, n, |i, j| if i <= j { matrix[(i, j)] } else { 0.0 });
    let mut axes = Matrix::from_fn(m, n, |i, j| f64::from(u8::from(i == j)));
    let stack = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(m, block, n);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        matrix.as_ref(),
        factor.as_ref(),
        Conj::No,
        axes.as_mut(),
        fixed_par(),
        MemStack::new(&mut MemBuffer::new(stack)),
    );
    (axes, triangle)
}

#[cfg(test)]
mod tests {
    //! Q is orthonormal and QR is the matrix, for full and for low rank, with the same bits on any number of threads.
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::linalg::{product, transposed_product};

    #[test]
    fn columns_are_orthonormal_and_give_the_matrix_back() {
        for (m, n, rank) in [(5, 3, 3), (40, 40, 40), (900, 350, 350), (700, 60, 7)] {
            let wave = |i: usize, r: usize| ((i * (2 * r + 3) + r) as f64 * 0.37).sin();
            let matrix = Matrix::from_fn(m, n, |i, j| (0..rank).map(|r| wave(i, r) * wave(j + 1, r)).sum());
            let threads = |count| rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            let (axes, triangle) = threads(1).install(|| orthonormal(matrix.clone()));
            assert_eq!(threads(2).install(|| orthonormal(matrix.clone())), (axes.clone(), triangle.clone()));
            let gram = transposed_product(&axes, &axes) - Matrix::identity(n, n);
            assert!(gram.norm_max() < 1e-13, "{m} × {n}: {}", gram.norm_max());
            let error = (product(&axes, &triangle) - &matrix).norm_max();
            assert!(error < 1e-13 * matrix.norm_l2(), "{m} × {n}: {error}");
        }
    }
}
