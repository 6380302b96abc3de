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

    /// The same where decimals may be written with a comma.
    pub(in crate::io::table) fn with_comma(cell: &str, commas: bool) -> Self {
        match Self::of(cell) {
            Self::Text if commas => comma_number(cell).map_or(Self::Text, |found| Self::Number(found.0)),
            other => other,
        }
    }

    /// The number, or NaN where there is none.
    pub(in crate::io::table) fn number(self) -> f64 {
        if let Self::Number(number) = self { number } else { f64::NAN }
    }
}

/// The number that a cell is if its comma stands before decimals, and whether it can stand for nothing else: in `1,234` it may
/// part thousands.
pub(super) fn comma_number(cell: &str) -> Option<(f64, bool)> {
    let (whole, decimals) = cell.trim().split_once(',')?;
    let is_plain = |text: &str| !text.contains(['.', ',']);
    if !decimals.starts_with(|c: char| c.is_ascii_digit()) || !is_plain(whole) || !is_plain(decimals) {
        return None;
    }
    let number = format!("{whole}.{decimals}").parse::<f64>().ok()?;
    let digits = whole.trim_start_matches(['+', '-']);
    let may_part_thousands = (1..=3).contains(&digits.len()) && !digits.starts_with('0') && decimals.len() == 3;
    Some((number, !may_part_thousands))
}

/// What a column holds below its first cell.
#[derive(Clone, Copy, Default)]
pub(in crate::io::table) struct Tally {
    numbers: usize,
    fractions: usize,
    texts: usize,
    /// Of the numbers, with a decimal point.
    points: usize,
    /// Of the texts, numbers if decimals are written with a comma; and those that can be nothing else.
    commas: usize,
    clear_commas: usize,
}

impl Tally {
    pub(in crate::io::table) fn add(&mut self, text: &str) -> Cell {
        let cell = Cell::of(text);
        match cell {
            Cell::Missing => {}
            Cell::Number(number) => {
                self.numbers += 1;
                self.fractions += usize::from(number.fract() != 0.0);
                self.points += usize::from(text.contains('.'));
            }
            Cell::Text => {
                self.texts += 1;
                if let Some((_, is_clear)) = comma_number(text) {
                    self.commas += 1;
                    self.clear_commas += usize::from(is_clear);
                }
            }
        }
        cell
    }

    pub(in crate::io::table) fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.numbers >= self.texts
    }

    /// Whether commas of this column can stand before decimals: it has some, and no points.
    fn may_have_commas(&self) -> bool {
        self.commas > 0 && self.points == 0 && self.numbers + 2 * self.commas >= self.texts
    }

    /// Counts what has a comma among the numbers.
    fn take_commas(&mut self) {
        self.numbers += self.commas;
        self.texts -= self.commas;
        self.fractions += self.clear_commas;
    }
}

/// How the decimals of a column are written, as far as it was read.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::io::table) enum DecimalMark {
    Unknown,
    Point,
    Comma,
}

/// How decimals are written in the columns of a table.
pub(in crate::io::table) struct Decimals {
    /// For each column.
    pub(in crate::io::table) marks: Vec<DecimalMark>,
    /// Columns with commas of which it is not clear what they mean, and which are therefore text.
    pub(in crate::io::table) unclear: Vec<usize>,
    /// Whether some column has decimal commas for certain.
    pub(in crate::io::table) is_certain: bool,
}

impl Decimals {
    /// Finds out where commas stand before decimals, and counts these cells among the numbers. That can be so only where commas
    /// do not part cells, and is so where some cell can be read in no other way.
    pub(in crate::io::table) fn find(delimiter: u8, tallies: &mut [Tally]) -> Self {
        let possible = delimiter != b',';
        let is_certain = possible && tallies.iter().any(|tally| tally.may_have_commas() && tally.clear_commas > 0);
        let is_unclear = |&column: &usize| possible && !is_certain && tallies[column].may_have_commas();
        let unclear = (0..tallies.len()).filter(is_unclear).collect();
        let mark = |tally: &mut Tally| {
            if is_certain && tally.may_have_commas() {
                tally.take_commas();
                DecimalMark::Comma
            } else if tally.points > 0 {
                DecimalMark::Point
            } else {
                DecimalMark::Unknown
            }
        };
        Self { marks: tallies.iter_mut().map(mark).collect(), unclear, is_certain }
    }

    pub(in crate::io::table) fn has_commas(&self, column: usize) -> bool {
        self.marks[column] == DecimalMark::Comma
    }
}

impl DecimalMark {
    /// The number in a cell of a table in which decimals may be written with commas, or NaN; `None` for a point after commas.
    pub(in crate::io::table) fn number(&mut self, cell: &str) -> Option<f64> {
        match Cell::of(cell) {
            Cell::Number(_) if cell.contains('.') && *self == Self::Comma => None,
            Cell::Number(number) => {
                if cell.contains('.') {
                    *self = Self::Point;
                }
                Some(number)
            }
            Cell::Text if *self != Self::Point => Some(comma_number(cell).map_or(f64::NAN, |(number, _)| {
                *self = Self::Comma;
                number
            })),
            Cell::Text | Cell::Missing => Some(f64::NAN),
        }
    }
}

/// Whether the first row is a header, given what the rows after it hold.
pub(in crate::io::table) fn looks_like_header(first: &StringRecord, rest: &[Tally], commas: bool) -> bool {
    let is_text = |cell| Cell::with_comma(cell, commas) == Cell::Text;
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
