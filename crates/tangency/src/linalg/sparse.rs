//! Sparse symmetric matrices: their Cholesky factor, and the eigenvectors next to zero by shift-and-invert Lanczos.

use super::eigen::{columns, structureless};
use super::{Matrix, fixed_par, symmetric_eigen};
use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::matrix_free::LinOp;
use faer::matrix_free::eigen::{PartialEigenParams, partial_self_adjoint_eigen, partial_self_adjoint_eigen_scratch};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, MatRef, Par, Side};
use rayon::prelude::*;

/// Size up to which all eigenvectors by the dense method are as quick.
const DENSE: usize = 300;
/// Size up to which the dense method is the way back when Lanczos does not converge.
const DENSE_AT_MOST: usize = 2000;
/// First shift, relative to the mean of the diagonal: far below the eigenvalues that are asked for, far above rounding.
const SHIFT: f64 = 1e-12;

/// A sparse symmetric matrix of which the upper triangle is held.
pub struct SparseSymmetric {
    upper: SparseColMat<usize, f64>,
}

impl SparseSymmetric {
    /// The matrix of this size whose entries are sums of the given ones: (row, column, value), of each pair of mirrored
    /// entries only one. Every diagonal entry is stored, also those that are zero.
    pub fn from_entries(size: usize, entries: impl IntoIterator<Item = (u32, u32, f64)>) -> Self {
        let diagonal = (0..size).map(|i| Triplet::new(i, i, 0.0));
        let given = entries.into_iter().map(|(i, j, value)| Triplet::new(i.min(j) as usize, i.max(j) as usize, value));
        let all: Vec<Triplet<usize, usize, f64>> = diagonal.chain(given).collect();
        let upper = SparseColMat::try_new_from_triplets(size, size, &all);
        // indices are in range by construction, and a matrix that exceeds the address space cannot have been given
        Self { upper: upper.unwrap_or_else(|_| unreachable!("entries within the matrix")) }
    }

    /// Rows, and columns.
    pub fn size(&self) -> usize {
        self.upper.ncols()
    }

    fn mean_of_diagonal(&self) -> f64 {
        (0..self.size()).map(|j| self.upper[(j, j)]).sum::<f64>() / self.size() as f64
    }

    fn dense_lower(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.size(), self.size());
        for triplet in self.upper.triplet_iter() {
            dense[(triplet.col, triplet.row)] = *triplet.val;
        }
        dense
    }

    fn shifted(&self, shift: f64) -> SparseColMat<usize, f64> {
        let mut shifted = self.upper.clone();
        for j in 0..self.size() {
            shifted[(j, j)] += shift;
        }
        shifted
    }

    /// The `count` unit eigenvectors with the smallest eigenvalues, smallest first, of a positive semi-definite matrix, apart
    /// from `null`, a unit vector that it takes to zero. At most `room` bytes are spent on a factor.
    pub fn smallest_eigenvectors(
        &self,
        null: &[f64],
        count: usize,
        room: u64,
        name: &'static str,
    ) -> Result<(Vec<f64>, Matrix)> {
        if self.size() > DENSE {
            if let Some(found) = self.shift_and_invert(null, count, room, name)? {
                return Ok(found);
            }
            if self.size() > DENSE_AT_MOST {
                return Err(Error::NoEigenvectors { matrix: name });
            }
        }
        // the null vector moved to the far end of the spectrum
        let mut dense = self.dense_lower();
        let far = 1.0 + (0..self.size()).map(|j| dense[(j, j)]).sum::<f64>();
        for j in 0..self.size() {
            for (i, slot) in dense.col_as_slice_mut(j).iter_mut().enumerate().skip(j) {
                *slot += far * null[i] * null[j];
            }
        }
        let (values, vectors) = symmetric_eigen(&dense, name)?;
        let picked: Vec<usize> = (0..count).collect();
        Ok((values[..count].to_vec(), columns(&vectors, &picked)))
    }

    /// `None` if the iteration does not converge.
    fn shift_and_invert(
        &self,
        null: &[f64],
        count: usize,
        room: u64,
        name: &'static str,
    ) -> Result<Option<(Vec<f64>, Matrix)>> {
        let n = self.size();
        let failed = || Error::NoEigenvectors { matrix: name };
        let ordering = SymmetricOrdering::Amd;
        let symbolic = factorize_symbolic_cholesky(
            self.upper.symbolic(),
            Side::Upper,
            ordering,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| failed())?;
        let needed = symbolic.len_val() as u64 * 8;
        if needed > room {
            return Err(Error::FactorTooLarge { matrix: name, n, needed, available: room });
        }
        let mut factor = vec![0.0; symbolic.len_val()];
        let mut shift = SHIFT * self.mean_of_diagonal();
        let stack = symbolic.factorize_numeric_llt_scratch::<f64>(fixed_par(), Default::default());
        let mut memory = MemBuffer::new(stack);
        while symbolic
            .factorize_numeric_llt(
                &mut factor,
                self.shifted(shift).as_ref(),
                Side::Upper,
                Default::default(),
                fixed_par(),
                MemStack::new(&mut memory),
                Default::default(),
            )
            .is_err()
        {
            // rounding beat the shift
            shift *= 100.0;
            if shift > self.mean_of_diagonal() {
                return Err(failed());
            }
        }
        let inverse = ShiftedInverse { symbolic: &symbolic, factor: &factor, null };
        let params = PartialEigenParams { max_restarts: 300, max_dim: 24.max(4 * count), ..Default::default() };
        let stack = partial_self_adjoint_eigen_scratch::<f64>(&inverse, count, Par::Seq, params);
        let (mut vectors, mut values) = (Matrix::zeros(n, count), vec![0.0f64; count]);
        let mut start = structureless(n);
        without(null, &mut start);
        let start = faer::Col::from_fn(n, |i| start[i]);
        let start = &start / start.norm_l2();
        let info = partial_self_adjoint_eigen(
            vectors.as_mut(),
            &mut values,
            &inverse,
            start.as_ref(),
            1e-11,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(stack)),
            params,
        );
        if info.n_converged_eigen < count {
            return Ok(None);
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&p, &q| values[q].total_cmp(&values[p]));
        Ok(Some((order.iter().map(|&p| 1.0 / values[p] - shift).collect(), columns(&vectors, &order))))
    }
}

/// (matrix + shift)⁻¹ on the space at right angles to the null vector.
struct ShiftedInverse<'a> {
    symbolic: &'a SymbolicCholesky<usize>,
    factor: &'a [f64],
    null: &'a [f64],
}

impl std::fmt::Debug for ShiftedInverse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("ShiftedInverse").field("size", &self.null.len()).finish_non_exhaustive()
    }
}

impl LinOp<f64> for ShiftedInverse<'_> {
    fn apply_scratch(&self, columns: usize, _: Par) -> StackReq {
        self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq)
    }

    fn nrows(&self) -> usize {
        self.null.len()
    }

    fn ncols(&self) -> usize {
        self.null.len()
    }

    fn apply(&self, mut out: MatMut<f64>, right: MatRef<f64>, _: Par, stack: &mut MemStack) {
        out.copy_from(right);
        self.project(out.as_mut());
        let factor = LltRef::new(self.symbolic, self.factor);
        factor.solve_in_place_with_conj(Conj::No, out.as_mut(), Par::Seq, stack);
        self.project(out);
    }

    fn conj_apply(&self, out: MatMut<f64>, right: MatRef<f64>, par: Par, stack: &mut MemStack) {
        self.apply(out, right, par, stack);
    }
}

impl ShiftedInverse<'_> {
    fn project(&self, mut block: MatMut<f64>) {
        for c in 0..block.ncols() {
            let along: f64 = self.null.iter().enumerate().map(|(i, u)| u * block[(i, c)]).sum();
            self.null.iter().enumerate().for_each(|(i, u)| block[(i, c)] -= along * u);
        }
    }
}

fn without(null: &[f64], vector: &mut [f64]) {
    let along = super::dot(null, vector);
    vector.iter_mut().zip(null).for_each(|(slot, u)| *slot -= along * u);
}

/// Sums of weighted outer products, Σ_i r_i r_iᵀ, where `row(i)` lists the entries of r_i: the entries of the upper triangle.
pub fn gram_entries(
    count: usize,
    row: impl Fn(usize) -> Result<Vec<(u32, f64)>> + Sync,
) -> Result<Vec<(u32, u32, f64)>> {
    let blocks: Vec<Vec<(u32, u32, f64)>> = (0..count)
        .into_par_iter()
        .map(|i| {
            let entries = row(i)?;
            let pairs = entries
                .iter()
                .enumerate()
                .flat_map(|(p, &(a, u))| entries[p..].iter().map(move |&(b, v)| (a.min(b), a.max(b), u * v)));
            Ok(pairs.collect())
        })
        .collect::<Result<_>>()?;
    Ok(blocks.concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The Laplacian of a ladder, whose eigenvectors are well apart.
    fn ladder(n: usize) -> SparseSymmetric {
        let weights = |i: usize| 1.0 + (i as f64 * 0.37).sin() * 0.3;
        let steps = [1, 2].into_iter().flat_map(|step| (0..n - step).map(move |i| (i, i + step, weights(i))));
        SparseSymmetric::from_entries(
            n,
            steps.flat_map(|(i, j, w)| {
                let (i, j) = (i as u32, j as u32);
                [(i, i, w), (j, j, w), (i, j, -w)]
            }),
        )
    }

    #[test]
    fn lanczos_finds_what_the_dense_method_finds() {
        let n = 700;
        let null = vec![1.0 / (n as f64).sqrt(); n];
        let matrix = ladder(n);
        let (values, vectors) = matrix.shift_and_invert(&null, 4, u64::MAX, "test").unwrap().unwrap();
        let (dense, all) = symmetric_eigen(&matrix.dense_lower(), "test").unwrap();
        for c in 0..4 {
            assert!((values[c] - dense[c + 1]).abs() < 1e-9 * dense[c + 1].max(1e-6), "{} {}", values[c], dense[c + 1]);
            let cosine = super::super::dot(vectors.col_as_slice(c), all.col_as_slice(c + 1)).abs();
            assert!((cosine - 1.0).abs() < 1e-9, "{cosine}");
        }
    }

    #[test]
    fn a_factor_that_has_no_room_is_an_error() {
        let null = vec![1.0 / 700f64.sqrt(); 700];
        let error = ladder(700).smallest_eigenvectors(&null, 2, 1000, "test").unwrap_err();
        assert!(matches!(error, Error::FactorTooLarge { n: 700, .. }));
    }

    #[test]
    fn the_same_bits_on_one_thread_and_on_more() {
        let null = vec![1.0 / 900f64.sqrt(); 900];
        let found = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ladder(900).smallest_eigenvectors(&null, 3, u64::MAX, "test").unwrap())
        };
        assert!(found(1) == found(2));
    }
}
