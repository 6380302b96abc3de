//! What the cells of delimited text hold, and whether the first row names the columns.

use std::path::Path;

use ::csv::StringRecord;

use crate::error::Result;
use crate::io::table::{is_missing, numbered_names, refuse_duplicates};

#[derive(Clone, Copy, PartialEq)]
pub(in crate::io::table) enum Cell {
    Missing,
    Number(f64),
    Text,
}

impl Cell {
    pub(in crate::io::table) fn of(cell: &str) -> Self {
        match cell.trim().parse::<f64>() {
            Ok(number) if !number.is_nan() => Self::Number(number),
            _ if is_missing(cell) => Self::Missing,
            Ok(nan) => Self::Number(nan),
            Err(_) => Self::Text,
        }
    }

    /// The number, or NaN where there is none.
    pub(in crate::io::table) fn number(self) -> f64 {
        if let Self::Number(number) = self { number } else { f64::NAN }
    }
}

/// What a column holds below its first cell.
#[derive(Clone, Copy, Default)]
pub(in crate::io::table) struct Tally {
    numbers: usize,
    fractions: usize,
    texts: usize,
}

impl Tally {
    pub(in crate::io::table) fn add(&mut self, cell: Cell) {
        match cell {
            Cell::Missing => {}
            Cell::Number(number) => {
                self.numbers += 1;
                self.fractions += usize::from(number.fract() != 0.0);
            }
            Cell::Text => self.texts += 1,
        }
    }

    pub(in crate::io::table) fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.numbers >= self.texts
    }
}

/// Whether the first row is a header, given what the rows after it hold.
pub(in crate::io::table) fn looks_like_header(first: &StringRecord, rest: &[Tally]) -> bool {
    let is_text = |cell| Cell::of(cell) == Cell::Text;
    let above_numbers = first.iter().zip(rest).any(|(cell, tally)| is_text(cell) && tally.is_numeric());
    above_numbers || (!first.is_empty() && first.iter().all(is_text)) || counts_columns(first, rest)
}

/// Whether the first row counts from 0 above columns of fractions, as where pandas writes columns without names.
fn counts_columns(first: &StringRecord, rest: &[Tally]) -> bool {
    let unnamed = usize::from(first.get(0) == Some(""));
    let columns = first.iter().zip(rest).skip(unnamed).enumerate();
    let numeric: Vec<_> = columns.filter(|(_, (_, tally))| tally.is_numeric()).collect();
    let counts =
        |(j, (cell, tally)): &(usize, (&str, &Tally))| cell.parse() == Ok(*j) && 2 * tally.fractions > tally.numbers;
    // Fewer columns could well begin with a point at 0, 1.
    numeric.len() > 2 && numeric.iter().all(counts)
}

/// The names that a header gives to the columns, each with whether it stands there or is a number of ours.
pub(in crate::io::table) fn names_in(path: &Path, header: &StringRecord) -> Result<(Vec<String>, Vec<bool>)> {
    let mut names = numbered_names(header.len());
    let mut named = vec![false; header.len()];
    for (column, name) in header.iter().map(str::trim).enumerate() {
        // NumPy writes a header as a comment.
        let name = if column == 0 { name.strip_prefix("# ").unwrap_or(name) } else { name };
        named[column] = !name.is_empty();
        if named[column] {
            names[column] = name.to_owned();
        }
    }
    refuse_duplicates(path, &names)?;
    Ok((names, named))
}
