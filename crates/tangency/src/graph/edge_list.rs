//! A user's edge list: pairs of row numbers from 0, or of ids.

use crate::error::{Error, Result};
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
                return Err(Error::InvalidConfig {
                    field: "edges",
                    requirement: "row numbers from 0 here: some ids of the table stand for more than one row".into(),
                });
            }
            known
        }
        None if by_id => {
            return Err(Error::InvalidConfig {
                field: "edges",
                requirement: "row numbers from 0 unless --id-column says where the ids are".into(),
            });
        }
        _ => HashMap::new(),
    };
    let point = |cell: &str, row: usize| -> Result<u32> {
        let cell = cell.trim();
        if by_id {
            return known.get(cell).copied().ok_or_else(|| Error::BadEdge {
                row,
                reason: format!("there is no point with id \"{cell}\"; use ids of the table's id column"),
            });
        }
        match cell.parse::<i64>() {
            Ok(i) if i >= 0 && (i as usize) < n => Ok(i as u32),
            Ok(i) => Err(Error::BadEdge {
                row,
                reason: format!("point {i} is outside 0 to {}; points are numbered from 0", n.saturating_sub(1)),
            }),
            Err(_) => Err(Error::BadEdge {
                row,
                reason: format!(
                    "\"{cell}\" is not a row number; give numbers from 0, or ids together with --id-column"
                ),
            }),
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
            return Err(Error::BadEdge {
                row: r + 1,
                reason: "has fewer than two columns; give two points a row".into(),
            });
        }
        edges.push((point(&row[0], r + 1)?, point(&row[1], r + 1)?));
    }
    if edges.is_empty() {
        return Err(Error::BadEdge { row: 1, reason: "the list is empty; give two points a row".into() });
    }
    Ok(edges)
}
