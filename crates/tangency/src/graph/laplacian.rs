//! The graph Laplacian L = D − G: its pseudo-inverse, its eigenvalues, and sums over its pattern.

use super::Graph;
use crate::error::Result;
use crate::linalg::{Matrix, SpdWork, invert_spd, symmetric_eigenvalues};

/// What the model needs of the Laplacian of a connected graph, made once per graph.
pub struct Laplacian {
    /// Pseudo-inverse Lp, full and symmetric. [n, n]
    pub pseudo_inverse: Matrix,
    /// Eigenvalues of L, ascending; the first is exactly zero. `[n]`
    pub eigenvalues: Vec<f64>,
    /// Logarithm of the product of the non-zero eigenvalues.
    pub log_pseudo_det: f64,
}

impl Laplacian {
    /// The Laplacian of a connected graph.
    pub fn new(graph: &Graph) -> Result<Self> {
        let n = graph.n();
        let dense = |shift: f64| {
            let mut matrix = Matrix::full(n, n, shift);
            for i in 0..n {
                matrix[(i, i)] += graph.degree(i) as f64;
            }
            for &(i, j) in graph.edges() {
                matrix[(j as usize, i as usize)] -= 1.0;
            }
            matrix
        };
        let mut eigenvalues = symmetric_eigenvalues(&dense(0.0), "graph Laplacian")?;
        eigenvalues[0] = 0.0;

        // (L + 11ᵀ/n)⁻¹ = Lp + 11ᵀ/n
        let mut pseudo_inverse = dense(1.0 / n as f64);
        let log_pseudo_det = invert_spd(&mut pseudo_inverse, &mut SpdWork::new(n), "graph Laplacian")?;
        for j in 0..n {
            for i in j..n {
                let value = pseudo_inverse[(i, j)] - 1.0 / n as f64;
                pseudo_inverse[(i, j)] = value;
                pseudo_inverse[(j, i)] = value;
            }
        }
        Ok(Self { pseudo_inverse, eigenvalues, log_pseudo_det })
    }
}
