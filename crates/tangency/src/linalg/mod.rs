//! Linear algebra; the only room that names the linear-algebra crate.

mod eigen;
mod pattern;
mod qr;
pub(crate) mod small;
mod sparse;
mod spd;

pub use eigen::{leading_eigenvectors, sequential_eigen, singular, symmetric_eigen, symmetric_eigenvalues};
pub(crate) use pattern::{GraphFactor, GraphPattern};
pub use qr::orthonormal;
pub(crate) use sparse::{SparseSymmetric, gram_entries};
pub use spd::{
    SpdWork, factor_times, gram_lower, gram_lower_weighted, inverse_factor, invert_spd, lower_factor, mirror_lower,
    solve_small,
};

/// A dense column-major matrix of `f64`.
pub type Matrix = faer::Mat<f64>;

/// A matrix that somebody else holds, in any layout.
pub type View<'a> = faer::MatRef<'a, f64>;

/// A row of such a matrix.
pub type RowView<'a> = faer::RowRef<'a, f64>;

/// The matrix whose rows follow each other in memory; `values` has as many numbers as it.
pub fn view_of_rows(values: &[f64], rows: usize, columns: usize) -> View<'_> {
    faer::MatRef::from_row_major_slice(values, rows, columns)
}

/// The matrix whose columns follow each other in memory; `values` has as many numbers as it.
pub fn view_of_columns(values: &[f64], rows: usize, columns: usize) -> View<'_> {
    faer::MatRef::from_column_major_slice(values, rows, columns)
}

/// How factorisations and products of large matrices are split: over all threads of the pool. Outputs are split there,
/// never sums, so that the bits of a result do not depend on it (a test below holds the crate to that).
fn par() -> faer::Par {
    faer::Par::rayon(0)
}

/// How everything else is split: into a constant number of parts whatever the thread count, because in eigensolvers and
/// in products with few outputs the split decides the order of additions.
fn fixed_par() -> faer::Par {
    faer::Par::rayon(4)
}

/// `left * right`.
pub fn product(left: &Matrix, right: &Matrix) -> Matrix {
    multiply(left.as_ref(), right.as_ref())
}

/// `leftᵀ * right`.
pub fn transposed_product(left: &Matrix, right: &Matrix) -> Matrix {
    multiply(left.as_ref().transpose(), right.as_ref())
}

/// `left * rightᵀ`.
pub fn product_transposed(left: &Matrix, right: &Matrix) -> Matrix {
    multiply(left.as_ref(), right.as_ref().transpose())
}

/// Multiplications below which the set-up of a product by the crate costs more than the work.
const FEW: usize = 2000;

/// `left * right` of small matrices on this thread, for work that is itself one of many.
pub fn sequential_product(left: &Matrix, right: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(left.nrows(), right.ncols());
    if left.nrows() * left.ncols() * right.ncols() < FEW {
        for c in 0..right.ncols() {
            let column = out.col_as_slice_mut(c);
            for (p, &weight) in right.col_as_slice(c).iter().enumerate() {
                column.iter_mut().zip(left.col_as_slice(p)).for_each(|(slot, value)| *slot += weight * value);
            }
        }
        return out;
    }
    let (accum, par) = (faer::Accum::Replace, faer::Par::Seq);
    faer::linalg::matmul::matmul(out.as_mut(), accum, left.as_ref(), right.as_ref(), 1.0, par);
    out
}

/// `matrixᵀ * matrix` of a small matrix on this thread.
pub fn sequential_gram(matrix: &Matrix) -> Matrix {
    let size = matrix.ncols();
    if matrix.nrows() * size * size < FEW {
        return Matrix::from_fn(size, size, |p, q| dot(matrix.col_as_slice(p), matrix.col_as_slice(q)));
    }
    let mut out = Matrix::zeros(size, size);
    let (accum, par) = (faer::Accum::Replace, faer::Par::Seq);
    faer::linalg::matmul::matmul(out.as_mut(), accum, matrix.as_ref().transpose(), matrix.as_ref(), 1.0, par);
    out
}

fn multiply(left: faer::MatRef<f64>, right: faer::MatRef<f64>) -> Matrix {
    let mut out = Matrix::zeros(left.nrows(), right.ncols());
    faer::linalg::matmul::matmul(out.as_mut(), faer::Accum::Replace, left, right, 1.0, fixed_par());
    out
}

/// `now += share * (now - before)`.
pub fn scaled_difference(now: &mut Matrix, before: &Matrix, share: f64) {
    faer::zip!(now, before).for_each(|faer::unzip!(now, before)| *now += share * (*now - *before));
}

/// Inner product, in eight running sums so that it need not wait for each addition.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// Sum of absolute differences, in eight running sums like the inner product.
#[inline(always)]
pub fn absolute_difference(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += (a[lane] - b[lane]).abs();
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b).abs()).sum();
    sums.iter().sum::<f64>() + rest
}

/// Squared distance, in eight running sums like the inner product.
#[inline(always)]
pub fn squared_difference(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f64>() + rest
}

/// Sum of the diagonal.
pub fn trace(matrix: &Matrix) -> f64 {
    (0..matrix.nrows()).map(|a| matrix[(a, a)]).sum()
}

/// The lower triangle, column by column.
pub fn pack_lower(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)[j..].iter().copied()).collect()
}

/// A matrix with this lower triangle, zero above it.
pub fn unpack_lower(packed: &[f64], size: usize) -> Matrix {
    let mut matrix = Matrix::zeros(size, size);
    let mut rest = packed;
    for j in 0..size {
        let (column, after) = rest.split_at(size - j);
        matrix.col_as_slice_mut(j)[j..].copy_from_slice(column);
        rest = after;
    }
    matrix
}

/// Multiplies every entry.
pub fn scale(matrix: &mut Matrix, factor: f64) {
    *matrix *= faer::Scale(factor);
}

/// `scale * left * symmetric`, of `symmetric` only the lower triangle is given; what is above it is overwritten.
pub fn product_with_symmetric(scale: f64, left: &Matrix, symmetric: &mut Matrix) -> Matrix {
    spd::mirror(symmetric.as_mut());
    let mut out = Matrix::zeros(left.nrows(), symmetric.ncols());
    // a single row is one sum an output, which a split by threads would reorder
    let par = if left.nrows() == 1 { fixed_par() } else { par() };
    faer::linalg::matmul::matmul(out.as_mut(), faer::Accum::Replace, left.as_ref(), symmetric.as_ref(), scale, par);
    out
}

/// Inner products of the columns of a matrix with a vector: `matrix * v` for a symmetric one given in full.
pub fn columns_times(matrix: &Matrix, v: &[f64]) -> Vec<f64> {
    use rayon::prelude::*;
    (0..matrix.ncols()).into_par_iter().with_min_len(16).map(|c| dot(matrix.col_as_slice(c), v)).collect()
}

/// tr(AB) of two symmetric matrices of which the lower triangles are given.
pub fn symmetric_dot(a: &Matrix, b: &Matrix) -> f64 {
    use rayon::prelude::*;
    let of_column = |c: usize| {
        let (a, b) = (&a.col_as_slice(c)[c..], &b.col_as_slice(c)[c..]);
        2.0 * dot(a, b) - a[0] * b[0]
    };
    let columns: Vec<f64> = (0..a.ncols()).into_par_iter().with_min_len(16).map(of_column).collect();
    columns.iter().sum()
}

/// Inner products of the columns of two matrices, `leftᵀ * right`, for many columns of each.
pub fn cross_products(left: &Matrix, right: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(left.ncols(), right.ncols());
    let accum = faer::Accum::Replace;
    faer::linalg::matmul::matmul(out.as_mut(), accum, left.as_ref().transpose(), right.as_ref(), 1.0, par());
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn wave(rows: usize, columns: usize, shift: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |i, j| ((i * 31 + j * 17 + shift) as f64).sin())
    }

    fn spd(n: usize, shift: usize) -> Matrix {
        let factor = wave(n, n, shift);
        &factor * factor.transpose() + Matrix::identity(n, n)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn lower_triangles_stand_for_whole_matrices(n in 1usize..260, rows in 1usize..40, shift in 0usize..100) {
            let matrix = spd(n, shift);
            let lower = Matrix::from_fn(n, n, |i, j| if i >= j { matrix[(i, j)] } else { f64::NAN });
            let left = wave(rows, n, shift + 1);
            let error = (product_with_symmetric(2.0, &left, &mut lower.clone()) - product(&left, &matrix) * faer::Scale(2.0)).norm_max();
            prop_assert!(error < 1e-9 * matrix.norm_max() * n as f64, "product {error}");

            let mut inverse = lower.clone();
            let log_det = invert_spd(&mut inverse, &mut SpdWork::new(n), "test").unwrap();
            let full = Matrix::from_fn(n, n, |i, j| inverse[(i.max(j), i.min(j))]);
            let error = (&full * &matrix - Matrix::identity(n, n)).norm_max();
            prop_assert!(error < 1e-8, "inverse {error}");
            let eigenvalues = symmetric_eigenvalues(&matrix, "test").unwrap();
            prop_assert!((log_det - eigenvalues.iter().map(|v| v.ln()).sum::<f64>()).abs() < 1e-7);

            let mut gram = Matrix::zeros(n, n);
            gram_lower(&mut gram, &left);
            let expected = left.transpose() * &left;
            for j in 0..n {
                for i in j..n {
                    prop_assert!((gram[(i, j)] - expected[(i, j)]).abs() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn leading_eigenvectors_are_the_dense_ones() {
        let matrix = spd(500, 3);
        let (dense, _) = symmetric_eigen(&matrix, "test").unwrap();
        let (values, vectors) = leading_eigenvectors(&matrix, 3, "test").unwrap();
        for c in 0..3 {
            assert!((values[c] - dense[499 - c]).abs() < 1e-8 * dense[499]);
            let v = vectors.as_ref().subcols(c, 1);
            assert!((&matrix * v - v * faer::Scale(values[c])).norm_max() < 1e-6 * values[c]);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_an_error() {
        let mut matrix = Matrix::from_fn(3, 3, |i, j| if i == j { -1.0 } else { 0.0 });
        assert!(invert_spd(&mut matrix, &mut SpdWork::new(3), "test").is_err());
    }

    #[test]
    fn the_same_bits_on_one_thread_and_on_more() {
        let inverse = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut matrix = spd(800, 5);
                let (left, row, three) = (wave(40, 800, 9), wave(1, 800, 2), wave(3, 800, 7));
                let values = symmetric_eigenvalues(&matrix, "test").unwrap();
                let leading = leading_eigenvectors(&matrix, 2, "test").unwrap();
                let log_det = invert_spd(&mut matrix, &mut SpdWork::new(800), "test").unwrap();
                let products = (
                    product_with_symmetric(1.0, &left, &mut matrix),
                    product_with_symmetric(1.0, &row, &mut matrix),
                    product_with_symmetric(1.0, &three, &mut matrix),
                );
                gram_lower(&mut matrix, &left);
                gram_lower(&mut matrix, &three);
                (log_det, values, leading, products, matrix)
            })
        };
        let (one, two, four) = (inverse(1), inverse(2), inverse(4));
        assert!(one == two && one == four);
    }
}
