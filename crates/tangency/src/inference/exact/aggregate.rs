//! agg±(S): how second moments of one side become the precision of the other (docs/derivation.md, eq. 4–6).
//!
//! For a block S of second moments between two latent components,
//!
//! ```text
//! agg±(S) = L E L − L(Lp∘SL) − (Lp∘LS)L + Lp∘(LSL)  +  L∘S  ±  (L diag S + diag S L − diag(LS + SL)),   E = Lp∘S
//! ```
//!
//! Every product is with the sparse L. Matrices live in tiles of eight rows, `tile[column] = eight rows`, so that a
//! product with L is a sum of whole cache lines, and one tile with its companion stays in the second-level cache.

use crate::graph::{Graph, Laplacian};
use crate::linalg::Matrix;
use rayon::prelude::*;

const TILE: usize = 8;
type Chunk = [f64; TILE];

/// Which moment is aggregated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// agg₊, of ⟨CᵀC⟩: sums C_i + C_j along edges.
    Plus,
    /// agg₋, of ⟨xxᵀ⟩: differences x_j − x_i along edges.
    Minus,
}

/// The graph's part of the aggregation, and buffers for it.
pub struct Aggregator {
    n: usize,
    padded: usize,
    offsets: Vec<usize>,
    neighbors: Vec<u32>,
    edges: Vec<(u32, u32)>,
    pseudo_inverse: Vec<Chunk>,
    first: Vec<Chunk>,
    second: Vec<Chunk>,
    result: Vec<Chunk>,
}

impl Aggregator {
    /// Prepares for a graph.
    pub fn new(graph: &Graph, laplacian: &Laplacian) -> Self {
        let n = graph.n();
        let padded = n.next_multiple_of(TILE);
        let mut offsets = vec![0];
        let mut neighbors = Vec::new();
        for i in 0..padded {
            if i < n {
                neighbors.extend_from_slice(graph.neighbors(i));
            }
            offsets.push(neighbors.len());
        }
        let mut pseudo_inverse = tiles(padded);
        let lp = &laplacian.pseudo_inverse;
        pseudo_inverse.par_chunks_mut(padded).enumerate().for_each(|(tile, chunks)| {
            for (q, chunk) in chunks.iter_mut().enumerate().take(n) {
                for (r, slot) in chunk.iter_mut().enumerate().take(n - (tile * TILE).min(n)) {
                    *slot = lp[(tile * TILE + r, q)];
                }
            }
        });
        Self {
            n,
            padded,
            offsets,
            neighbors,
            edges: graph.edges().to_vec(),
            pseudo_inverse,
            first: tiles(padded),
            second: tiles(padded),
            result: tiles(padded),
        }
    }

    /// Replaces the moments in the lower triangle of `moments` (components outer, points inner: row a·n + i) by
    /// `scale` times their aggregate.
    pub fn aggregate(&mut self, moments: &mut Matrix, sign: Sign, scale: f64) {
        let components = moments.nrows() / self.n;
        for b in 0..components {
            for a in b..components {
                self.block(moments, a, b, sign, scale);
            }
        }
    }

    fn block(&mut self, moments: &mut Matrix, a: usize, b: usize, sign: Sign, scale: f64) {
        let sparse = SparsePart::new(self, moments, a, b, sign);
        let symmetric = a == b;
        let mut first = std::mem::take(&mut self.first);
        let mut second = std::mem::take(&mut self.second);
        let mut result = std::mem::take(&mut self.result);
        // S = Sᵀ: the sum is Q + Qᵀ with Q = L(½EL − Lp∘SL) + ½Lp∘(LSL), so each side takes half.
        // Otherwise it is Q − Q'ᵀ with Q = L(EL − Lp∘SL) + Lp∘(LSL) and Q' = L(Lp∘SᵀL).
        let half = if symmetric { 0.5 } else { 1.0 };
        let block = TileBlock { moments, rows: a * self.n, columns: b * self.n, n: self.n };
        self.times_laplacian(&block, half, &mut first, &mut second);
        self.laplacian_times(&first, &second, half, &mut result);
        if !symmetric {
            self.transposed_times_laplacian(&block, &mut first);
            self.laplacian_times_one(&first, &mut second);
        }
        let (n, padded) = (self.n, self.padded);
        let (mine, other, other_sign) =
            (&result, if symmetric { &result } else { &second }, if symmetric { 1.0 } else { -1.0 });
        moments.as_mut().subcols_mut(b * n, n).par_col_iter_mut().enumerate().for_each(|(j, column)| {
            let column = column.subrows_mut(a * n, n);
            let Some(column) = column.try_as_col_major_mut() else { return };
            let column = column.as_slice_mut();
            let from = if symmetric { j } else { 0 };
            let straight = &mine[(j / TILE) * padded..][..padded];
            for (i, slot) in column.iter_mut().enumerate().skip(from) {
                let crossed = other[(i / TILE) * padded + j][i % TILE];
                *slot = scale * (straight[i][j % TILE] + other_sign * crossed);
            }
        });
        sparse.add_to(moments, a, b, scale);
        (self.first, self.second, self.result) = (first, second, result);
    }

    /// V = SL and W = half·EL − Lp∘V, in row tiles.
    fn times_laplacian(&self, block: &TileBlock, half: f64, v: &mut [Chunk], w: &mut [Chunk]) {
        let padded = self.padded;
        v.par_chunks_mut(padded).zip(w.par_chunks_mut(padded)).enumerate().for_each_init(
            || (column(padded), column(padded)),
            |(s, e), (tile, (v, w))| {
                block.pack(tile, s);
                let lp = self.pseudo_inverse_tile(tile);
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for j in 0..padded {
                            e[j] = times(&lp[j], &s[j]);
                        }
                        for j in 0..padded {
                            let (sl, el) = self.rows_of_laplacian(s, e, j);
                            v[j] = sl;
                            for r in 0..TILE {
                                w[j][r] = half * el[r] - lp[j][r] * sl[r];
                            }
                        }
                    },
                );
            },
        );
    }

    /// Q = L W + half·Lp∘(L V), in column tiles, from V and W in row tiles.
    fn laplacian_times(&self, v: &[Chunk], w: &[Chunk], half: f64, q: &mut [Chunk]) {
        let padded = self.padded;
        q.par_chunks_mut(padded).enumerate().for_each_init(
            || (column(padded), column(padded)),
            |(v_columns, w_columns), (tile, q)| {
                let lp = self.pseudo_inverse_tile(tile);
                turn(v, padded, tile, v_columns);
                turn(w, padded, tile, w_columns);
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for i in 0..padded {
                            let (lv, lw) = self.rows_of_laplacian(v_columns, w_columns, i);
                            for c in 0..TILE {
                                q[i][c] = lw[c] + half * lp[i][c] * lv[c];
                            }
                        }
                    },
                );
            },
        );
    }

    /// W' = Lp∘(SᵀL), in row tiles.
    fn transposed_times_laplacian(&self, block: &TileBlock, w: &mut [Chunk]) {
        let padded = self.padded;
        w.par_chunks_mut(padded).enumerate().for_each_init(
            || column(padded),
            |s, (tile, w)| {
                block.pack_transposed(tile, s);
                let lp = self.pseudo_inverse_tile(tile);
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for j in 0..padded {
                            w[j] = times(&lp[j], &self.row_of_laplacian(s, j));
                        }
                    },
                );
            },
        );
    }

    /// Q' = L W', in column tiles, from W' in row tiles.
    fn laplacian_times_one(&self, w: &[Chunk], q: &mut [Chunk]) {
        let padded = self.padded;
        q.par_chunks_mut(padded).enumerate().for_each_init(
            || column(padded),
            |w_columns, (tile, q)| {
                turn(w, padded, tile, w_columns);
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for i in 0..padded {
                            q[i] = self.row_of_laplacian(w_columns, i);
                        }
                    },
                );
            },
        );
    }

    fn pseudo_inverse_tile(&self, tile: usize) -> &[Chunk] {
        &self.pseudo_inverse[tile * self.padded..][..self.padded]
    }

    #[inline(always)]
    fn row_of_laplacian(&self, x: &[Chunk], i: usize) -> Chunk {
        let neighbors = &self.neighbors[self.offsets[i]..self.offsets[i + 1]];
        let mut sum = [0.0; TILE];
        for &p in neighbors {
            let x = &x[p as usize];
            for c in 0..TILE {
                sum[c] += x[c];
            }
        }
        let degree = neighbors.len() as f64;
        for c in 0..TILE {
            sum[c] = degree * x[i][c] - sum[c];
        }
        sum
    }

    #[inline(always)]
    fn rows_of_laplacian(&self, x: &[Chunk], y: &[Chunk], i: usize) -> (Chunk, Chunk) {
        let neighbors = &self.neighbors[self.offsets[i]..self.offsets[i + 1]];
        let (mut of_x, mut of_y) = ([0.0; TILE], [0.0; TILE]);
        for &p in neighbors {
            let (x, y) = (&x[p as usize], &y[p as usize]);
            for c in 0..TILE {
                of_x[c] += x[c];
                of_y[c] += y[c];
            }
        }
        let degree = neighbors.len() as f64;
        for c in 0..TILE {
            of_x[c] = degree * x[i][c] - of_x[c];
            of_y[c] = degree * y[i][c] - of_y[c];
        }
        (of_x, of_y)
    }
}

fn tiles(padded: usize) -> Vec<Chunk> {
    vec![[0.0; TILE]; padded * padded / TILE]
}

fn column(padded: usize) -> Vec<Chunk> {
    vec![[0.0; TILE]; padded]
}

#[inline(always)]
fn times(a: &Chunk, b: &Chunk) -> Chunk {
    let mut out = [0.0; TILE];
    for r in 0..TILE {
        out[r] = a[r] * b[r];
    }
    out
}

/// Reads eight columns of a matrix held in row tiles: 8 × 8 transposes.
fn turn(rows: &[Chunk], padded: usize, tile: usize, columns: &mut [Chunk]) {
    for (row_tile, out) in columns.chunks_exact_mut(TILE).enumerate() {
        let square = &rows[row_tile * padded + tile * TILE..][..TILE];
        for r in 0..TILE {
            for c in 0..TILE {
                out[r][c] = square[c][r];
            }
        }
    }
}

/// One block S_ab of the moments, of which a diagonal block has only its lower triangle.
struct TileBlock<'a> {
    moments: &'a Matrix,
    rows: usize,
    columns: usize,
    n: usize,
}

impl TileBlock<'_> {
    fn column(&self, j: usize) -> &[f64] {
        &self.moments.col_as_slice(self.columns + j)[self.rows..self.rows + self.n]
    }

    /// `out[q] = S[eight rows of the tile, q]`
    fn pack(&self, tile: usize, out: &mut [Chunk]) {
        let first = tile * TILE;
        let height = TILE.min(self.n - first);
        let below = if self.rows == self.columns { first } else { self.n };
        for (q, chunk) in out.iter_mut().enumerate().take(below) {
            chunk[..height].copy_from_slice(&self.column(q)[first..first + height]);
        }
        if below < self.n {
            for r in 0..height {
                let i = first + r;
                for q in first..i {
                    out[q][r] = self.column(q)[i];
                }
                for (q, &value) in self.column(i).iter().enumerate().skip(i) {
                    out[q][r] = value;
                }
            }
        }
    }

    /// `out[q] = S[q, eight columns of the tile]`, of a full block
    fn pack_transposed(&self, tile: usize, out: &mut [Chunk]) {
        let first = tile * TILE;
        for r in 0..TILE.min(self.n - first) {
            for (chunk, &value) in out.iter_mut().zip(self.column(first + r)) {
                chunk[r] = value;
            }
        }
    }
}

/// The part of the aggregate on the pattern of L, taken from S before it is overwritten.
struct SparsePart {
    diagonal: Vec<f64>,
    edges: Vec<(u32, u32, f64, f64)>,
}

impl SparsePart {
    fn new(of: &Aggregator, moments: &Matrix, a: usize, b: usize, sign: Sign) -> Self {
        let n = of.n;
        let s = |i: u32, j: u32| {
            let (row, column) = (a * n + i as usize, b * n + j as usize);
            moments[(row.max(column), row.min(column))]
        };
        let sign = if sign == Sign::Plus { 1.0 } else { -1.0 };
        let diagonal = (0..n as u32)
            .map(|i| {
                let neighbors = &of.neighbors[of.offsets[i as usize]..of.offsets[i as usize + 1]];
                let around: f64 = neighbors.iter().map(|&p| s(p, i) + s(i, p)).sum();
                neighbors.len() as f64 * s(i, i) + sign * around
            })
            .collect();
        let edges = of
            .edges
            .iter()
            .map(|&(i, j)| {
                let ends = sign * (s(i, i) + s(j, j));
                (i, j, -s(i, j) - ends, -s(j, i) - ends)
            })
            .collect();
        Self { diagonal, edges }
    }

    fn add_to(&self, moments: &mut Matrix, a: usize, b: usize, scale: f64) {
        let n = self.diagonal.len();
        for (i, value) in self.diagonal.iter().enumerate() {
            moments[(a * n + i, b * n + i)] += scale * value;
        }
        for &(i, j, forward, backward) in &self.edges {
            let (i, j) = (i as usize, j as usize);
            moments[(a * n + j, b * n + i)] += scale * backward;
            if a != b {
                moments[(a * n + i, b * n + j)] += scale * forward;
            }
        }
    }
}
