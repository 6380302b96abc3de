//! Tables in delimited text: one pass finds the numbers, and another the text of the columns that need it.

use std::path::{Path, PathBuf};

use ::csv::{ReaderBuilder, StringRecord};

use super::{Source, extension, is_missing, numbered_names, refuse, refuse_duplicates, unreadable};
use crate::error::Result;

pub(super) struct Delimited {
    text: DelimitedText,
    header: bool,
    rows: usize,
    names: Vec<String>,
    is_feature: Vec<bool>,
    numbers: Vec<Vec<f64>>,
}

impl Delimited {
    pub(super) fn read(path: &Path, header: Option<bool>) -> Result<Self> {
        let text = DelimitedText::read(path)?;
        let mut first = StringRecord::new();
        let mut numbers: Vec<Vec<f64>> = Vec::new();
        let mut tallies: Vec<Tally> = Vec::new();
        let mut ragged = None;
        let mut count = 0;
        text.each_row(|record| {
            if count == 0 {
                first = record.clone();
                numbers = vec![Vec::new(); record.len()];
                tallies = vec![Tally::default(); record.len()];
            } else if record.len() != first.len() {
                ragged = Some((text.line_of(record), record.len()));
                return false;
            }
            for ((cell, numbers), tally) in record.iter().zip(&mut numbers).zip(&mut tallies) {
                let cell = Cell::of(cell);
                if count > 0 {
                    tally.add(cell);
                }
                numbers.push(if let Cell::Number(number) = cell { number } else { f64::NAN });
            }
            count += 1;
            true
        })?;

        let header = header.unwrap_or_else(|| looks_like_header(&first, &tallies));
        let rows = count - usize::from(header && count > 0);
        if let Some((line, cells)) = ragged {
            return Err(refuse(
                path,
                format!(
                    "row {} (line {line}) has {cells} {} where {} are expected; check that line, and that cells which hold the delimiter are quoted",
                    rows + 1,
                    if cells == 1 { "cell" } else { "cells" },
                    first.len()
                ),
            ));
        }
        if rows == 0 {
            let found = if count == 0 { "the file is empty" } else { "there is a header but no data row" };
            return Err(refuse(path, format!("{found}; a table needs at least one row of numbers")));
        }

        let mut names = numbered_names(first.len());
        let mut unnamed = vec![false; first.len()];
        if header {
            for (column, name) in first.iter().map(str::trim).enumerate() {
                // NumPy writes a header as a comment.
                let name = if column == 0 { name.strip_prefix("# ").unwrap_or(name) } else { name };
                numbers[column].remove(0);
                unnamed[column] = name.is_empty();
                if !name.is_empty() {
                    names[column] = name.to_owned();
                }
            }
            refuse_duplicates(path, &names)?;
        } else {
            first.iter().zip(&mut tallies).for_each(|(cell, tally)| tally.add(Cell::of(cell)));
        }
        // Under a header, a column without a name is how pandas and R write row numbers.
        let is_feature = tallies.iter().zip(unnamed).map(|(tally, unnamed)| tally.is_numeric() && !unnamed).collect();
        Ok(Self { text, header, rows, names, is_feature, numbers })
    }
}

impl Source for Delimited {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn is_feature(&self, column: usize) -> bool {
        self.is_feature[column]
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        Ok(std::mem::take(&mut self.numbers[column]))
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts = vec![Vec::new(); columns.len()];
        if columns.is_empty() {
            return Ok(texts);
        }
        let mut skip = self.header;
        self.text.each_row(|record| {
            if !std::mem::take(&mut skip) {
                for (text, &column) in texts.iter_mut().zip(columns) {
                    text.push(record.get(column).unwrap_or_default().trim().to_owned());
                }
            }
            true
        })?;
        Ok(texts)
    }
}

pub(super) fn cells(path: &Path) -> Result<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    DelimitedText::read(path)?.each_row(|record| {
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect());
        true
    })?;
    Ok(rows)
}

struct DelimitedText {
    path: PathBuf,
    text: String,
    delimiter: u8,
}

impl DelimitedText {
    fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
            refuse(path, format!("line {line} is not UTF-8 text; save the file in the encoding UTF-8"))
        })?;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        let delimiter = delimiter(&text, extension(path) != "csv");
        Ok(Self { path: path.to_owned(), text, delimiter })
    }

    fn line_of(&self, record: &StringRecord) -> usize {
        let start = record.position().map_or(0, |position| position.byte() as usize);
        // A record's position is before any blank lines that it comes after.
        let blank = self.text.bytes().skip(start).take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        1 + self.text.bytes().take(start + blank).filter(|&byte| byte == b'\n').count()
    }

    /// Calls `visit` with each row that is not blank until it returns `false`.
    fn each_row(&self, mut visit: impl FnMut(&StringRecord) -> bool) -> Result<()> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .from_reader(self.text.as_bytes());
        let mut record = StringRecord::new();
        let mut width = None;
        let malformed = |error| refuse(&self.path, format!("not delimited text: {error}"));
        while reader.read_record(&mut record).map_err(malformed)? {
            let only_cell = if record.len() == 1 { record.get(0) } else { None };
            // In a file of one column, an empty cell between quotes is how a missing one is written.
            let quoted = width == Some(1) && only_cell == Some("");
            if only_cell.is_some_and(|cell| cell.trim().is_empty()) && !quoted {
                continue;
            }
            width = width.or(Some(record.len()));
            if !visit(&record) {
                break;
            }
        }
        Ok(())
    }
}

/// The delimiter that the first line suggests.
fn delimiter(text: &str, tab_before_comma: bool) -> u8 {
    let (mut commas, mut semicolons, mut tabs) = (0, 0, 0);
    let (mut quoted, mut cell_starts) = (false, true);
    for byte in text.trim_start_matches(['\n', '\r', ' ']).bytes() {
        match byte {
            b'"' if quoted || cell_starts => quoted = !quoted,
            _ if quoted => {}
            b'\n' | b'\r' => break,
            b',' => commas += 1,
            b';' => semicolons += 1,
            b'\t' => tabs += 1,
            _ => {}
        }
        cell_starts = matches!(byte, b',' | b';' | b'\t');
    }
    match (commas, semicolons, tabs) {
        (_, _, 1..) if tab_before_comma => b'\t',
        (1.., _, _) => b',',
        (_, 1.., _) if semicolons >= tabs => b';',
        (_, _, 1..) => b'\t',
        _ => b',',
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Missing,
    Number(f64),
    Text,
}

impl Cell {
    fn of(cell: &str) -> Self {
        match cell.trim().parse::<f64>() {
            Ok(number) if !number.is_nan() => Self::Number(number),
            _ if is_missing(cell) => Self::Missing,
            Ok(nan) => Self::Number(nan),
            Err(_) => Self::Text,
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    numbers: usize,
    fractions: usize,
    texts: usize,
}

impl Tally {
    fn add(&mut self, cell: Cell) {
        match cell {
            Cell::Missing => {}
            Cell::Number(number) => {
                self.numbers += 1;
                self.fractions += usize::from(number.fract() != 0.0);
            }
            Cell::Text => self.texts += 1,
        }
    }

    fn is_numeric(&self) -> bool {
        self.numbers > 0 && self.numbers >= self.texts
    }
}

/// Whether the first row is a header, given what the rows after it hold.
fn looks_like_header(first: &StringRecord, rest: &[Tally]) -> bool {
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
