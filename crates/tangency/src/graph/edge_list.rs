//! A user's edge list: pairs of row numbers from 0, or of ids.

use crate::error::{Error, Result};
use crate::message;
use crate::message::{Message, Piece, Remedy, given};
use std::collections::HashMap;

crate::choice! {
    /// What the cells of an edge list name.
    pub enum EdgeNames default Auto {
        /// Row numbers if every cell is a whole number, ids otherwise.
        Auto = "auto",
        /// Row numbers of the table, from 0.
        Index = "index",
        /// Values of the id column.
        Id = "id",
    }
}

/// Edges from the text of an edge list of two columns. A first row that is neither numbers nor ids is a header.
pub fn edges_from_cells(
    rows: &[Vec<String>],
    n: usize,
    ids: Option<&[String]>,
    names: EdgeNames,
) -> Result<Vec<(u32, u32)>> {
    let is_number = |cell: &str| cell.trim().parse::<u64>().is_ok();
    let numbers = |row: &Vec<String>| row.iter().take(2).all(|cell| is_number(cell));
    let by_id = match names {
        EdgeNames::Index => false,
        EdgeNames::Id => true,
        // a header or not, the second row tells; one row tells for itself
        EdgeNames::Auto => ids.is_some() && !rows.iter().skip(usize::from(rows.len() > 1)).all(numbers),
    };
    let known: HashMap<&str, u32> = match ids {
        Some(ids) if by_id => {
            let known: HashMap<&str, u32> = ids.iter().enumerate().map(|(i, id)| (id.as_str(), i as u32)).collect();
            if known.len() < ids.len() {
                return Err(Error::Setting {
                    name: "edges",
                    problem: message![
                        Piece::Setting("edges"),
                        " names ids, but some ids of the table stand for more than one row"
                    ],
                    remedies: vec![Remedy::act("give row numbers from 0 instead")],
                });
            }
            known
        }
        None if by_id => {
            return Err(Error::Setting {
                name: "edges",
                problem: message![Piece::Setting("edges"), " names ids, but the table has no column of ids"],
                remedies: ids_or_numbers(),
            });
        }
        _ => HashMap::new(),
    };
    let point = |cell: &str, row: usize| -> Result<u32> {
        let cell = cell.trim();
        if by_id {
            return known.get(cell).copied().ok_or_else(|| {
                let problem = message!["there is no point with id \"", given(cell), "\""];
                bad(row, problem, [Remedy::act("use ids of the table's id column")])
            });
        }
        match cell.parse::<i64>() {
            Ok(i) if i >= 0 && (i as usize) < n => Ok(i as u32),
            Ok(i) => Err(edge_outside(None, row, i, n)),
            Err(_) => Err(bad(row, message!["\"", given(cell), "\" is not a row number"], ids_or_numbers())),
        }
    };
    let header = rows.first().is_some_and(|first| {
        if by_id {
            !first.iter().take(2).any(|cell| known.contains_key(cell.trim()))
        } else {
            first.len() >= 2 && !first.iter().take(2).any(|cell| cell.trim().parse::<f64>().is_ok())
        }
    });
    let mut edges = Vec::with_capacity(rows.len());
    for (r, row) in rows.iter().skip(usize::from(header)).enumerate() {
        if row.len() < 2 {
            return Err(bad(r, "there are fewer than two columns", [Remedy::act("give two points per row")]));
        }
        edges.push((point(&row[0], r)?, point(&row[1], r)?));
    }
    if edges.is_empty() {
        return Err(Error::unfit("edges", "the edge list is empty", [Remedy::act("give two points per row")]));
    }
    Ok(edges)
}

/// An edge to a point that the table does not have.
pub(crate) fn edge_outside(list: Option<String>, row: usize, point: i64, n: usize) -> Error {
    let problem = format!("point {point} is outside 0 to {}", n.saturating_sub(1)).into();
    Error::BadEdge { list, row, problem, remedies: vec![Remedy::act("number the points from 0")] }
}

fn bad(row: usize, problem: impl Into<Message>, remedies: impl Into<Vec<Remedy>>) -> Error {
    Error::BadEdge { list: None, row, problem: problem.into(), remedies: remedies.into() }
}

fn ids_or_numbers() -> Vec<Remedy> {
    let ids = message!["use ", Piece::Setting("id_column"), " to show where the ids are"];
    vec![Remedy::act("give row numbers from 0"), Remedy::Do(ids)]
}
