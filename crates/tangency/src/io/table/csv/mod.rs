//! Tables in delimited text: one pass finds the numbers, and another the text of the columns that need it.

pub(super) mod header;
pub(super) mod records;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use ::csv::StringRecord;

#[cfg(feature = "spreadsheets")]
use super::sheet::{DELIMITER, SheetText};
use super::text::{self, UNPACKED_BYTE, inner_extension};
use super::{Source, TableNote, numbered_names};
use crate::error::Result;
use crate::io::allowance::Allowance;
use header::{Cell, Decimals, Tally, looks_like_header, names_in};
use records::{Records, delimiter, line_of, no_rows, ragged, unfit_or_unreadable};

pub(super) struct DelimitedTable {
    text: DelimitedText,
    header: bool,
    rows: usize,
    names: Vec<String>,
    named: Vec<bool>,
    is_numeric: Vec<bool>,
    decimals: Decimals,
    numbers: Vec<Vec<f64>>,
}

impl DelimitedTable {
    pub(super) fn read(path: &Path, header: Option<bool>) -> Result<Self> {
        Self::of_text(DelimitedText::read(path)?, header)
    }

    /// A sheet of a spreadsheet.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn of_sheet(path: &Path, sheet: SheetText, header: Option<bool>) -> Result<Self> {
        let text = String::from_utf8_lossy(&sheet.text).into_owned();
        let text = DelimitedText {
            path: path.to_owned(),
            text,
            packed: None,
            notes: sheet.notes,
            delimiter: DELIMITER,
            is_sheet: true,
        };
        Self::of_text(text, header)
    }

    fn of_text(text: DelimitedText, header: Option<bool>) -> Result<Self> {
        let mut first = StringRecord::new();
        let mut numbers: Vec<Vec<f64>> = Vec::new();
        let mut tallies: Vec<Tally> = Vec::new();
        let mut odd_one = None;
        let mut count = 0;
        let rows = 1 + text.text.bytes().filter(|&byte| byte == b'\n').count();
        text.each_row(|record| {
            if count == 0 {
                first = record.clone();
                // each row has a byte or more for each of its cells
                let most = rows.min(text.text.len() / record.len().max(1) + 1);
                numbers = (0..record.len()).map(|_| Vec::with_capacity(most)).collect();
                tallies = vec![Tally::default(); record.len()];
            } else if record.len() != first.len() {
                odd_one = Some((line_of(record, text.text.bytes()), record.len()));
                return false;
            }
            for ((cell, numbers), tally) in record.iter().zip(&mut numbers).zip(&mut tallies) {
                let cell = if count > 0 { tally.add(cell) } else { Cell::of(cell) };
                numbers.push(cell.number());
            }
            count += 1;
            true
        })?;

        let path = &text.path;
        let mut settled = tallies.clone();
        let mut decimals = Decimals::find(text.delimiter, &mut settled);
        let header = header.unwrap_or_else(|| looks_like_header(&first, &settled, decimals.is_certain));
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
            for (cell, tally) in first.iter().zip(&mut tallies) {
                tally.add(cell);
            }
            decimals = Decimals::find(text.delimiter, &mut tallies);
            settled = tallies;
            (numbered_names(first.len()), vec![true; first.len()])
        };
        let is_numeric = settled.iter().map(Tally::is_numeric).collect();
        let mut table = Self { text, header, rows, names, named, is_numeric, decimals, numbers };
        table.read_commas()?;
        Ok(table)
    }

    /// Reads once more the columns whose decimals are written with a comma.
    fn read_commas(&mut self) -> Result<()> {
        let columns: Vec<usize> = (0..self.names.len()).filter(|&column| self.decimals.has_commas(column)).collect();
        for (&column, texts) in columns.iter().zip(self.texts(&columns)?) {
            self.numbers[column] = texts.iter().map(|text| Cell::with_comma(text, true).number()).collect();
        }
        Ok(())
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
        // Under a header, a column without a name is how pandas and R write row numbers.
        self.is_numeric[column] && self.named[column]
    }

    fn is_unnamed(&self, column: usize) -> bool {
        self.is_numeric[column] && !self.named[column]
    }

    fn notes(&self) -> Vec<TableNote> {
        let named = |columns: Vec<usize>| columns.into_iter().map(|column| self.names[column].clone()).collect();
        let with_commas: Vec<usize> = (0..self.names.len())
            .filter(|&column| self.decimals.has_commas(column) && self.is_numeric[column])
            .collect();
        let mut notes = self.text.notes.clone();
        if !with_commas.is_empty() {
            notes.push(TableNote::DecimalCommas(named(with_commas)));
        }
        if !self.decimals.unclear.is_empty() {
            notes.push(TableNote::UnclearCommas(named(self.decimals.unclear.clone())));
        }
        notes
    }

    fn line(&self, row: usize) -> Option<usize> {
        let (mut left, mut line) = (row + usize::from(self.header), None);
        let read = self.text.each_row(|record| {
            if left == 0 {
                line = Some(line_of(record, self.text.text.bytes()));
                return false;
            }
            left -= 1;
            true
        });
        read.ok().and(line).filter(|_| !self.text.is_sheet)
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        Ok(std::mem::take(&mut self.numbers[column]))
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts = vec![Vec::new(); columns.len()];
        if columns.is_empty() {
            return Ok(texts);
        }
        if let Some(packed) = self.text.packed {
            let cells = (self.rows as u64).saturating_mul(columns.len() as u64).saturating_mul(TEXT);
            let all = cells.saturating_add(self.text.text.len() as u64 * UNPACKED_BYTE);
            Allowance::of_length(packed).check(all).map_err(|excess| excess.of(&self.text.path))?;
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

/// What a cell of text takes beside its letters.
const TEXT: u64 = 48;

struct DelimitedText {
    /// As messages name it.
    path: PathBuf,
    text: String,
    /// The length of its file, if that is packed.
    packed: Option<u64>,
    /// What to know about where it comes from.
    notes: Vec<TableNote>,
    delimiter: u8,
    /// Then its lines are ours, and nobody sees them.
    is_sheet: bool,
}

impl DelimitedText {
    fn read(path: &Path) -> Result<Self> {
        let named = text::named(path);
        let (mut source, came) = text::open_whole(path)?;
        let text = source.read_whole().map_err(|error| unfit_or_unreadable(&named, &error))?;
        let packed = came.map(|came| came.load(Ordering::Relaxed));
        let delimiter = delimiter(text.as_bytes(), prefers_tabs(path));
        // an encoding that was only guessed
        let notes = source.guessed().map(TableNote::Encoding).into_iter().collect();
        Ok(Self { path: named, text, packed, notes, delimiter, is_sheet: false })
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
    inner_extension(path).0 != "csv"
}
