//! How good an embedding is: against known coordinates, against the points it was made from, and for telling classes
//! apart.

mod alignment;
mod classification;
mod geodesics;
mod neighborhoods;

pub use alignment::{affine_r2, align, procrustes};
pub use classification::{KnnError, knn_error};
pub use geodesics::geodesic_correlation;
pub(crate) use neighborhoods::{Places, TableRanks, quick_trustworthiness};
pub use neighborhoods::{continuity, trustworthiness};

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::message::Column;

/// Two tables of the same points, all numbers finite.
fn same_rows(embedding: &Matrix, other: &Matrix) -> Result<()> {
    same_points(embedding, other.nrows())?;
    all_finite(other)
}

/// An embedding of `n` points, all numbers finite.
fn same_points(embedding: &Matrix, n: usize) -> Result<()> {
    if embedding.nrows() != n {
        return Err(Error::ShapeMismatch {
            what: "the embedding".into(),
            expected: format!("{n} rows"),
            found: format!("{} rows", embedding.nrows()),
        });
    }
    all_finite(embedding)
}

fn all_finite(table: &Matrix) -> Result<()> {
    let cells = (0..table.ncols()).flat_map(|c| table.col_as_slice(c).iter().enumerate().map(move |(i, v)| (i, c, *v)));
    match cells.filter(|(_, _, value)| !value.is_finite()).min_by_key(|&(i, c, _)| (i, c)) {
        Some((i, c, value)) => {
            Err(Error::NonFinite { row: i, column: Column::Numbered(c), value: value.to_string(), line: None })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
