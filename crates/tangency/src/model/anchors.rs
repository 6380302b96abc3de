//! Known values as they stand in files: anchors, and columns of a table.

use super::structure::{KnownKind, KnownValues};
use crate::error::{Error, Result};
use crate::message;
use crate::message::{Message, Piece, Remedy, given, shown};
use std::collections::HashMap;

fn refused(kind: KnownKind, problem: Message, remedy: &'static str) -> Error {
    Error::unfit(kind.setting(), problem, [Remedy::act(remedy)])
}

fn number(cell: &str) -> Option<f64> {
    match cell.trim() {
        "" => Some(f64::NAN),
        text => text.parse().ok(),
    }
}

impl KnownValues {
    /// Columns of a table, blank where nothing is known.
    pub fn of_columns<'c>(columns: impl IntoIterator<Item = (&'c str, &'c [String])>) -> Result<Self> {
        let kind = KnownKind::Covariates;
        let (mut names, mut read) = (vec![], vec![]);
        for (name, cells) in columns {
            let mut values = Vec::with_capacity(cells.len());
            for (row, cell) in cells.iter().enumerate() {
                let wrong = || {
                    let what = message![Piece::Row(row), " of ", given(name), format!(" holds \"{}\"", shown(cell))];
                    refused(kind, what, "give numbers, and leave cells blank where nothing is known")
                };
                values.push(number(cell).ok_or_else(wrong)?);
            }
            names.push(name.to_owned());
            read.push(values);
        }
        let rows = read.first().map_or(0, Vec::len);
        let values = (0..rows).flat_map(|i| read.iter().map(move |values| values[i])).collect();
        Ok(Self::new(kind, names, values))
    }

    /// Anchors as a file has them: a column of ids, or of row numbers from 0 where the table has no ids, then one for each value.
    /// The deviations of all values are in a column `sd`, those of one in `sd1`, `sd2`, …, or `sd_` and its name.
    pub fn of_cells(rows: &[Vec<String>], n: usize, ids: Option<&[String]>) -> Result<Self> {
        let kind = KnownKind::Anchors;
        let width = rows.first().map_or(0, Vec::len);
        if width < 2 {
            let problem = message![Piece::Setting("anchors"), " has no column of values"];
            return Err(refused(kind, problem, "give the id or row of each anchor, and its coordinates"));
        }
        let has_header = rows[0][1..].iter().any(|cell| number(cell).is_none());
        let header: Vec<String> = match has_header {
            true => rows[0].iter().map(|cell| cell.trim().to_owned()).collect(),
            false => (0..width).map(|c| format!("x{c}")).collect(),
        };
        let is_deviation = |name: &str| {
            name.strip_prefix("sd")
                .is_some_and(|of| of.is_empty() || of.starts_with('_') || of.parse::<usize>().is_ok())
        };
        let of_values: Vec<usize> = (1..width).filter(|&c| !is_deviation(&header[c])).collect();
        let names: Vec<String> = of_values.iter().map(|&c| header[c].clone()).collect();
        let deviation_of = |f: usize| {
            let wanted = ["sd".to_owned(), format!("sd{}", f + 1), format!("sd_{}", names[f])];
            (1..width).rfind(|&c| is_deviation(&header[c]) && wanted.contains(&header[c]))
        };
        let places: HashMap<&str, usize> =
            ids.into_iter().flatten().enumerate().map(|(i, id)| (id.as_str(), i)).collect();
        let mut known = Self::new(kind, names.clone(), vec![f64::NAN; n * names.len()]);
        let mut seen = vec![false; n];
        for (line, row) in rows.iter().enumerate().skip(usize::from(has_header)) {
            if row.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let name = row[0].trim();
            let place = match ids {
                Some(_) => places.get(name).copied(),
                None => name.parse().ok().filter(|&i: &usize| i < n),
            };
            let place = place.ok_or_else(|| {
                let problem =
                    message![Piece::Setting("anchors"), " names \"", given(name), "\", which is no row of the table"];
                refused(kind, problem, "give ids where the table has an id column, and row numbers from 0 otherwise")
            })?;
            if std::mem::replace(&mut seen[place], true) {
                let problem = message![Piece::Setting("anchors"), " names \"", given(name), "\" twice"];
                return Err(refused(kind, problem, "name each row once"));
            }
            let cell = |c: usize| {
                let text = row.get(c).map_or("", String::as_str);
                number(text).ok_or_else(|| {
                    let what = format!(" of line {} holds \"{}\"", line + 1, shown(text));
                    refused(kind, message![given(&header[c]), what], "give a number, or leave it blank")
                })
            };
            for (f, &c) in of_values.iter().enumerate() {
                known.values[place * names.len() + f] = cell(c)?;
                if let Some(c) = deviation_of(f) {
                    known.deviations[place * names.len() + f] = cell(c)?;
                }
            }
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    //! Anchors are read with and without a header, by row and by id, and what is wrong is said.
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn rows_ids_and_deviations() {
        let found = KnownValues::of_cells(&cells("0,1.5,2\n2,,4"), 3, None).unwrap();
        assert_eq!(found.names, ["x1", "x2"]);
        assert_eq!((found.values[0], found.values[1], found.values[5]), (1.5, 2.0, 4.0));
        assert!(found.values[4].is_nan() && found.deviations.iter().all(|d| d.is_nan()));
        let ids = ["a", "b"].map(str::to_owned);
        let text = "id,east,north,sd,sd_north\nb,1,2,0.1,0.3";
        let found = KnownValues::of_cells(&cells(text), 2, Some(&ids)).unwrap();
        assert_eq!(
            (found.names.join(" ").as_str(), found.deviations[2], found.deviations[3]),
            ("east north", 0.1, 0.3)
        );
    }

    #[test]
    fn what_is_wrong() {
        for text in ["0", "id,x\n7,1", "id,x\n0,1\n0,2", "id,x,y\n0,1,2\n1,b,2"] {
            assert!(KnownValues::of_cells(&cells(text), 3, None).is_err(), "{text}");
        }
        let column = ["1".to_owned(), "late".to_owned()];
        assert!(KnownValues::of_columns([("dose", &column[..])]).is_err());
        let column = ["1".to_owned(), String::new()];
        assert!(KnownValues::of_columns([("dose", &column[..])]).unwrap().values[1].is_nan());
    }
}
