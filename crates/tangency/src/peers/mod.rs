//! The well-known methods, on the same points and the same graph, so that a user need not take our word for anything.
//! Each is also a start of a fit.

mod embed;
pub mod gplvm;
mod isomap;
mod landmark_isomap;
mod laplacian_eigenmaps;
mod lle;
mod ltsa;
mod mds;
mod pca;

pub(crate) use embed::with_methods;
pub use embed::{Embedding, Method, Optimum, PeerOptions, Watch, coordinates_by, embed, embed_prepared};
pub use isomap::isomap;
pub use landmark_isomap::landmark_isomap;
pub use laplacian_eigenmaps::laplacian_eigenmaps;
pub use lle::lle;
pub use ltsa::ltsa;
pub use mds::{classical_scaling, mds};
pub use pca::pca;

use crate::error::{Error, Result};
use crate::graph::{Graph, pieces};
use crate::linalg::{Matrix, SparseSymmetric};
use crate::memory::available_memory;
use crate::message::Remedy;

/// The number of points, if there are more of them than components.
fn check_dimension(points: &Matrix, n_components: usize) -> Result<usize> {
    dimension_below(points.ncols(), n_components)?;
    Ok(points.ncols())
}

fn dimension_below(n: usize, n_components: usize) -> Result<()> {
    if (1..n).contains(&n_components) {
        return Ok(());
    }
    Err(match n_components {
        0 => Error::too_small("n_components", n_components, 1),
        _ => Error::too_large("n_components", n_components, format!("the table has only {n} rows")),
    })
}

fn check_pieces(graph: &Graph) -> Result<()> {
    let sizes: Vec<usize> = pieces(graph).iter().map(Vec::len).collect();
    if sizes.len() > 1 {
        return Err(Error::Disconnected { sizes, wider: Remedy::Raise("n_neighbors") });
    }
    Ok(())
}

/// Bytes that the factor of a sparse matrix may take.
fn room() -> u64 {
    available_memory() / 2
}

/// Points about their mean.
fn centred(points: &Matrix) -> Matrix {
    let n = points.ncols();
    let means: Vec<f64> = (0..points.nrows()).map(|f| (0..n).map(|i| points[(f, i)]).sum::<f64>() / n as f64).collect();
    Matrix::from_fn(points.nrows(), n, |f, i| points[(f, i)] - means[f])
}

/// Unit eigenvectors times the roots of their eigenvalues.
fn stretched(axes: &Matrix, values: &[f64]) -> Matrix {
    Matrix::from_fn(axes.nrows(), axes.ncols(), |i, a| axes[(i, a)] * values[a].max(0.0).sqrt())
}

/// The eigenvectors above the constant one of a positive semi-definite matrix that takes constants to zero.
fn bottom_of_spectrum(matrix: SparseSymmetric, n_components: usize, name: &'static str) -> Result<Matrix> {
    let n = matrix.size();
    let null = vec![1.0 / (n as f64).sqrt(); n];
    Ok(matrix.smallest_eigenvectors(&null, n_components, room(), name)?.1)
}

#[cfg(test)]
mod tests;
