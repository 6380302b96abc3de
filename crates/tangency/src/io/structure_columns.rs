//! What the structure within the manifold says of each row, as columns of the tables that we write.

use crate::fit::{Fit, FittedStructure, likeliest};

/// A column that a structure adds for each row.
#[derive(Clone, Debug, PartialEq)]
pub enum StructureColumn {
    /// A value in the units of the user, or its deviation, or a probability.
    Number(String),
    /// The likeliest group or class.
    Name(String),
}

/// What a structure says of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructureRow {
    /// Values in the units of the user, then their deviations.
    pub known: Vec<f64>,
    /// The likeliest group or class.
    pub group: Option<String>,
    /// How likely each of these is.
    pub probabilities: Vec<f64>,
}

/// The columns that the structure of a fit adds for each row.
pub fn structure_columns(fit: &Fit) -> Vec<StructureColumn> {
    let Some(FittedStructure { known, groups }) = &fit.structure else { return vec![] };
    let mut columns = vec![];
    if let Some(known) = known {
        columns.extend(known.names.iter().map(|name| StructureColumn::Number(name.clone())));
        columns.extend(known.names.iter().map(|name| StructureColumn::Number(format!("sd_{name}"))));
    }
    if let Some(groups) = groups {
        let what = if groups.classes.is_empty() { "group" } else { "class" };
        columns.push(StructureColumn::Name(what.to_owned()));
        columns.extend(groups.names().iter().map(|name| StructureColumn::Number(format!("p_{name}"))));
    }
    columns
}

/// What the structure of a fit says of something at these coordinates; `point` is the point of the model that it is, if it is one.
pub fn structure_row(
    fit: &Fit,
    x: &[f64],
    covariance: impl Fn(usize, usize) -> f64,
    point: Option<usize>,
) -> StructureRow {
    let Some(FittedStructure { known, groups }) = &fit.structure else { return StructureRow::default() };
    let values = known.as_ref().map(|known| known.at(x, &covariance)).unwrap_or_default();
    let probabilities = groups.as_ref().map(|groups| match point {
        Some(i) => groups.of_point(i),
        None => groups.named_shares(&groups.shares(x, &covariance)),
    });
    StructureRow {
        known: values.iter().map(|value| value.0).chain(values.iter().map(|value| value.1)).collect(),
        group: groups.as_ref().zip(probabilities.as_ref()).map(|(groups, p)| groups.names()[likeliest(p)].clone()),
        probabilities: probabilities.unwrap_or_default(),
    }
}

/// The same of a point of the model.
pub fn structure_of_point(fit: &Fit, i: usize) -> StructureRow {
    let d = fit.coordinates.ncols();
    let x: Vec<f64> = (0..d).map(|a| fit.coordinates[(i, a)]).collect();
    structure_row(fit, &x, |a, b| fit.coordinate_covariances[(a * d + b, i)], Some(i))
}
