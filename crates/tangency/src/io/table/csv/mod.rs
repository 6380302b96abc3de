//! Tables in delimited text: one pass finds the numbers, and another the text of the columns that need it.

pub(super) mod header;
pub(super) mod records;

use std::path::{Path, PathBuf};

use ::csv::StringRecord;

use super::{Source, extension, numbered_names};
use crate::error::{Error, Result};
use header::{Cell, Tally, looks_like_header, names_in};
use records::{BYTE_ORDER_MARK, Records, delimiter, line_of, no_rows, not_utf8, ragged};

pub(super) struct DelimitedTable {
    text: DelimitedText,
    header: bool,
    rows: usize,
    names: Vec<String>,
    is_feature: Vec<bool>,
    numbers: Vec<Vec<f64>>,
}

impl DelimitedTable {
    pub(super) fn read(path: &Path, header: Option<bool>) -> Result<Self> {
        let text = DelimitedText::read(path)?;
        let mut first = StringRecord::new();
        let mut numbers: Vec<Vec<f64>> = Vec::new();
        let mut tallies: Vec<Tally> = Vec::new();
        let mut odd_one = None;
        let mut count = 0;
        text.each_row(|record| {
            if count == 0 {
                first = record.clone();
                numbers = vec![Vec::new(); record.len()];
                tallies = vec![Tally::default(); record.len()];
            } else if record.len() != first.len() {
                odd_one = Some((line_of(record, text.text.bytes()), record.len()));
                return false;
            }
            for ((cell, numbers), tally) in record.iter().zip(&mut numbers).zip(&mut tallies) {
                let cell = Cell::of(cell);
                if count > 0 {
                    tally.add(cell);
                }
                numbers.push(cell.number());
            }
            count += 1;
            true
        })?;

        let header = header.unwrap_or_else(|| looks_like_header(&first, &tallies));
        let rows = count - usize::from(header && count > 0);
        if let Some((line, cells)) = odd_one {
            return Err(ragged(path, rows, Some(line), cells, first.len()));
        }
        if rows == 0 {
            return Err(no_rows(path, count));
        }
        let (names, named) = if header {
            for column in &mut numbers {
                column.remove(0);
            }
            names_in(path, &first)?
        } else {
            first.iter().zip(&mut tallies).for_each(|(cell, tally)| tally.add(Cell::of(cell)));
            (numbered_names(first.len()), vec![true; first.len()])
        };
        // Under a header, a column without a name is how pandas and R write row numbers.
        let is_feature = tallies.iter().zip(named).map(|(tally, named)| tally.is_numeric() && named).collect();
        Ok(Self { text, header, rows, names, is_feature, numbers })
    }
}

impl Source for DelimitedTable {
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
        let mut bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
            not_utf8(line).of(path)
        })?;
        let delimiter = delimiter(text.as_bytes(), prefers_tabs(path));
        Ok(Self { path: path.to_owned(), text, delimiter })
    }

    /// Calls `visit` with each row that is not blank until it returns `false`.
    fn each_row(&self, mut visit: impl FnMut(&StringRecord) -> bool) -> Result<()> {
        let mut records = Records::new(&self.path, self.text.as_bytes(), self.delimiter);
        let mut record = StringRecord::new();
        while records.read(&mut record)? && visit(&record) {}
        Ok(())
    }
}

/// Whether a tab on the first line is the delimiter, whatever else stands there.
pub(super) fn prefers_tabs(path: &Path) -> bool {
    extension(path) != "csv"
}
