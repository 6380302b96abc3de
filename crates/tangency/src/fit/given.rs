//! A start that a user gives.

use crate::error::{Error, Result};
use crate::inference::{Layout, Start};
use crate::linalg::Matrix;
use crate::model::{Prepared, Problem};

/// Checks the shape of a given start and takes the kept rows of it.
pub(super) fn restricted(start: Start, prepared: &Prepared, problem: &Problem) -> Result<Start> {
    let (rows, n) = (prepared.rows(), prepared.n_rows);
    let (d_x, d_y, kept) = (problem.n_components, problem.n_features(), rows.len());
    let shape = |what: &str, rows: usize, columns: usize, given: &Matrix| {
        if (given.nrows(), given.ncols()) == (rows, columns) && given.is_all_finite() {
            return Ok(());
        }
        Err(Error::ShapeMismatch {
            what: what.into(),
            expected: format!("{rows} × {columns} finite numbers"),
            found: format!("{} × {} numbers", given.nrows(), given.ncols()),
        })
    };
    let points = |x: &Matrix| {
        shape("the array of start coordinates", n, d_x, x)?;
        Ok::<_, Error>(Matrix::from_fn(kept, d_x, |i, a| x[(rows[i], a)]))
    };
    let maps = |c: &Matrix| {
        shape("the array of start maps", d_y, n * d_x, c)?;
        let taken = Matrix::from_fn(d_y, kept * d_x, |f, p| c[(f, (p / kept) * n + rows[p % kept])]);
        Ok::<_, Error>(match problem.reduction() {
            Some(reduction) => reduction.along(&taken),
            None => taken,
        })
    };
    Ok(match start {
        Start::Coordinates(x) => Start::Coordinates(points(&x)?),
        Start::Maps(c) => Start::Maps(maps(&c)?),
        Start::Layout(layout) => Start::Layout(Box::new(Layout {
            coordinates: points(&layout.coordinates)?,
            maps: layout.maps.as_ref().map(maps).transpose()?,
            hyper: layout.hyper,
            in_units: layout.in_units,
            held: layout.held,
        })),
    })
}
