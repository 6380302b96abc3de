//! The structure within the manifold: what Python gives of it, and what it says of rows.

use crate::arrays::{Out, TableArray, array};
use numpy::Ix2;
use pyo3::prelude::*;
use tangency::Fit;
use tangency::io::{StructureRow, structure_of_point};
use tangency::model::{GroupRequest, KnownKind, KnownValues, Structure};

/// Whether the values are anchors, their names, values and deviations, NaN where unknown. [n, d_z]
pub type Known<'py> = (bool, Vec<String>, TableArray<'py>, TableArray<'py>);
/// Fewest and most groups, the names of classes, and the class of each row.
pub type Groups = (usize, usize, Vec<String>, Vec<Option<u32>>);

/// The structure as Python gives it.
pub fn structure(known: Option<Known<'_>>, groups: Option<Groups>) -> Structure {
    let all = |values: &TableArray<'_>| values.as_array().iter().copied().collect();
    Structure {
        known: known.map(|(anchors, names, values, deviations)| KnownValues {
            kind: if anchors { KnownKind::Anchors } else { KnownKind::Covariates },
            names,
            values: all(&values),
            deviations: all(&deviations),
        }),
        groups: groups.map(|(least, most, classes, labels)| GroupRequest { least, most, classes, labels }),
    }
}

/// Values in the units of the user with their deviations, and probabilities of groups. [n, 2·d_z], [n, K]
pub type StructureArrays<'py> = (Out<'py, Ix2>, Out<'py, Ix2>);

/// What a structure says of rows, as arrays.
pub fn rows<'py>(py: Python<'py>, rows: &[StructureRow]) -> PyResult<StructureArrays<'py>> {
    let of = |cells: fn(&StructureRow) -> &Vec<f64>| {
        let width = rows.first().map_or(0, |row| cells(row).len());
        array(py, rows.iter().flat_map(|row| cells(row).iter().copied()).collect(), (rows.len(), width))
    };
    Ok((of(|row| &row.known)?, of(|row| &row.probabilities)?))
}

/// The same of the points of a fit.
pub fn of_points<'py>(py: Python<'py>, fit: &Fit) -> PyResult<StructureArrays<'py>> {
    rows(py, &(0..fit.n()).map(|i| structure_of_point(fit, i)).collect::<Vec<_>>())
}
