//! Positive definite matrices with the pattern of a graph: analysed once, factored as often as their values change.

use super::Matrix;
use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::solvers::LltError;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use rayon::prelude::*;

/// Into so many parts the right-hand sides of a solve are split, whatever the thread count.
const PARTS: usize = 4;

/// The pattern of a graph, an entry for every point and every edge, and the pattern of its Cholesky factor.
pub struct GraphPattern {
    upper: SymbolicSparseColMat<usize>,
    /// Where the entry of each edge is stored.
    of_edge: Vec<usize>,
    factor: SymbolicCholesky<usize>,
}

/// A Cholesky factor on a pattern.
pub struct GraphFactor {
    values: Vec<f64>,
    /// Log-determinant of the matrix.
    pub log_det: f64,
}

impl GraphPattern {
    /// The pattern of a graph with these edges, each once as (smaller, larger), sorted.
    pub fn new(n: usize, edges: &[(u32, u32)]) -> Result<Self> {
        let mut starts = vec![0usize; n + 1];
        for &(_, j) in edges {
            starts[j as usize + 1] += 1;
        }
        for j in 0..n {
            starts[j + 1] += starts[j] + 1; // and the diagonal, last in its column
        }
        let mut next = starts.clone();
        let mut rows = vec![0usize; edges.len() + n];
        let of_edge = edges
            .iter()
            .map(|&(i, j)| {
                let at = next[j as usize];
                rows[at] = i as usize;
                next[j as usize] += 1;
                at
            })
            .collect();
        for j in 0..n {
            rows[starts[j + 1] - 1] = j;
        }
        let upper = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let factor = factorize_symbolic_cholesky(
            upper.as_ref(),
            Side::Upper,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| Error::NotPositiveDefinite { matrix: "pattern of the graph", pivot: 0 })?;
        Ok(Self { upper, of_edge, factor })
    }

    /// Rows, and columns.
    pub fn size(&self) -> usize {
        self.upper.ncols()
    }

    /// Numbers in a factor.
    pub fn fill(&self) -> usize {
        self.factor.len_val()
    }

    /// The factor of the matrix with this diagonal and these entries at the edges.
    pub fn factor(&self, diagonal: &[f64], edges: &[f64], name: &'static str) -> Result<GraphFactor> {
        let mut entries = vec![0.0; self.upper.compute_nnz()];
        for (&at, &value) in self.of_edge.iter().zip(edges) {
            entries[at] = value;
        }
        for (&end, &value) in self.upper.col_ptr()[1..].iter().zip(diagonal) {
            entries[end - 1] = value;
        }
        let mut values = vec![0.0; self.fill()];
        let scratch = self.factor.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        self.factor
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(self.upper.as_ref(), &entries),
                Side::Upper,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
                Default::default(),
            )
            .map_err(|LltError::NonPositivePivot { index }| Error::NotPositiveDefinite {
                matrix: name,
                pivot: index,
            })?;
        let log_det = 2.0 * self.pivots(&values).map(f64::ln).sum::<f64>();
        if log_det.is_finite() {
            Ok(GraphFactor { values, log_det })
        } else {
            Err(Error::NotPositiveDefinite { matrix: name, pivot: 0 })
        }
    }

    fn pivots<'a>(&'a self, values: &'a [f64]) -> Box<dyn Iterator<Item = f64> + 'a> {
        match self.factor.raw() {
            SymbolicCholeskyRaw::Simplicial(factor) => {
                Box::new(factor.col_ptr()[..self.size()].iter().map(move |&at| values[at]))
            }
            SymbolicCholeskyRaw::Supernodal(factor) => {
                let blocks = SupernodalLltRef::new(factor, values);
                Box::new((0..factor.n_supernodes()).flat_map(move |s| {
                    let block = blocks.supernode(s).val();
                    (0..block.ncols()).map(move |j| block[(j, j)])
                }))
            }
        }
    }

    /// Solves for several right-hand sides at once, given and returned with the numbers of a point next to each other.
    pub fn solve(&self, factor: &GraphFactor, right: &[f64], out: &mut [f64]) {
        let n = self.size();
        let count = right.len() / n;
        let mut columns = Matrix::zeros(n, count);
        let width = count.div_ceil(PARTS).max(1);
        let parts: Vec<(usize, MatMut<f64>)> = {
            let mut parts = Vec::new();
            let mut rest = columns.as_mut();
            let mut first = 0;
            while rest.ncols() > 0 {
                let (part, after) = rest.split_at_col_mut(width.min(count - first));
                parts.push((first, part));
                first += width;
                rest = after;
            }
            parts
        };
        parts.into_par_iter().for_each(|(first, mut part)| {
            for c in 0..part.ncols() {
                for i in 0..n {
                    part[(i, c)] = right[i * count + first + c];
                }
            }
            let scratch = self.factor.solve_in_place_scratch::<f64>(part.ncols(), Par::Seq);
            let memory = &mut MemBuffer::new(scratch);
            LltRef::new(&self.factor, &factor.values).solve_in_place_with_conj(
                Conj::No,
                part,
                Par::Seq,
                MemStack::new(memory),
            );
        });
        out.par_chunks_mut(count * 4096).enumerate().for_each(|(block, out)| {
            for (i, row) in out.chunks_exact_mut(count).enumerate() {
                row.iter_mut().enumerate().for_each(|(c, slot)| *slot = columns[(block * 4096 + i, c)]);
            }
        });
    }
}
