//! Delimited text, row by row.

use std::collections::VecDeque;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use ::csv::StringRecord;

use super::BlockSource;
use super::block::BlockBuilder;
use super::wanted::Use;
use crate::error::{Error, Result, at_line};
use crate::io::table::csv::header::{Cell, DecimalMark, Decimals, Tally, looks_like_header, names_in};
use crate::io::table::csv::prefers_tabs;
use crate::io::table::csv::records::{Records, delimiter, line_of, no_rows, ragged};
#[cfg(feature = "spreadsheets")]
use crate::io::table::sheet::{DELIMITER, SheetText};
use crate::io::table::text::{self, Text};
use crate::io::table::{TableNote, refuse};
use crate::message;
use crate::message::{Column, Piece, given};

/// How many rows below the first tell whether it is a header, and how many bytes at most, beyond one row.
const LOOK_ROWS: usize = 1000;
const LOOK_BYTES: usize = 1 << 22;

/// How much of the text, at most, tells the delimiter.
const BEGINNING: usize = 1 << 18;

/// Holds a row in memory, and at first those that tell about the header.
pub(super) struct DelimitedStream {
    path: PathBuf,
    /// As messages name it.
    named: PathBuf,
    records: Records<Text>,
    /// Rows that were read to learn about the header.
    ahead: VecDeque<StringRecord>,
    record: StringRecord,
    width: usize,
    names: Option<Vec<String>>,
    /// Whether some column has decimal commas for certain, so that others may have them too.
    with_commas: bool,
    marks: Vec<DecimalMark>,
    /// What to know about where the text comes from.
    notes: Vec<TableNote>,
    /// Then its lines are ours, and nobody sees them.
    is_sheet: bool,
}

impl DelimitedStream {
    pub(super) fn open(path: &Path, header: Option<bool>) -> Result<Self> {
        let mut text = text::open(path)?;
        let delimiter = delimiter(text.beginning(BEGINNING), prefers_tabs(path));
        Self::of_text(path, text, delimiter, vec![], header)
    }

    /// A sheet of a spreadsheet, which is in memory whole.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn of_sheet(path: &Path, sheet: SheetText, header: Option<bool>) -> Result<Self> {
        let text = Text::new(Box::new(std::io::Cursor::new(sheet.text)));
        Ok(Self { is_sheet: true, ..Self::of_text(path, text, DELIMITER, sheet.notes, header)? })
    }

    fn of_text(path: &Path, text: Text, delimiter: u8, notes: Vec<TableNote>, header: Option<bool>) -> Result<Self> {
        let named = text::named(path);
        let mut file = Self {
            path: path.to_owned(),
            records: Records::new(&named, text, delimiter),
            named,
            ahead: VecDeque::new(),
            record: StringRecord::new(),
            width: 0,
            names: None,
            with_commas: false,
            marks: Vec::new(),
            notes,
            is_sheet: false,
        };
        file.look_ahead()?;

        let Some(first) = file.ahead.front() else {
            return Err(no_rows(&file.named, 0));
        };
        file.width = first.len();
        let mut tallies = tallies(first.len(), file.ahead.iter().skip(1));
        let mut decimals = Decimals::find(delimiter, &mut tallies);
        if header.unwrap_or_else(|| looks_like_header(first, &tallies, decimals.is_certain)) {
            if file.ahead.len() == 1 {
                return Err(no_rows(&file.named, 1));
            }
            file.names = Some(names_in(&file.named, first)?.0);
            file.ahead.pop_front();
        } else {
            decimals = Decimals::find(delimiter, &mut self::tallies(first.len(), file.ahead.iter()));
        }
        file.with_commas = decimals.is_certain;
        file.marks = decimals.marks;
        Ok(file)
    }

    fn look_ahead(&mut self) -> Result<()> {
        let mut bytes = 0;
        while self.ahead.len() < 2 || (self.ahead.len() <= LOOK_ROWS && bytes < LOOK_BYTES) {
            let mut record = StringRecord::new();
            self.records.text().begin_row();
            if !self.records.read(&mut record)? {
                break;
            }
            bytes += record.as_slice().len();
            self.ahead.push_back(record);
        }
        Ok(())
    }

    /// Goes on to the next row; `false` where there is none.
    fn advance(&mut self) -> Result<bool> {
        if let Some(record) = self.ahead.pop_front() {
            self.record = record;
            return Ok(true);
        }
        self.records.text().begin_row();
        self.records.read(&mut self.record)
    }

    fn column(&self, column: usize) -> Column {
        self.names.as_ref().map_or(Column::Numbered(column), |names| Column::Named(names[column].clone()))
    }

    /// The line of the present row, if the file can be read once more.
    fn line(&self) -> Option<usize> {
        if self.is_sheet || text::is_standard_input(&self.path) || !self.path.is_file() {
            return None;
        }
        let text = text::open(&self.path).ok()?;
        Some(line_of(&self.record, BufReader::new(text).bytes().map_while(std::io::Result::ok)))
    }
}

impl BlockSource for DelimitedStream {
    fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn rows(&self) -> Option<usize> {
        None
    }

    fn notes(&mut self) -> Vec<TableNote> {
        let with_commas = (0..self.width).filter(|&column| self.marks[column] == DecimalMark::Comma);
        let names: Vec<String> = with_commas
            .map(|column| self.names.as_ref().map_or(format!("c{}", column + 1), |names| names[column].clone()))
            .collect();
        let mut notes = self.notes.clone();
        notes.extend(self.records.text().guessed().map(TableNote::Encoding));
        if !names.is_empty() {
            notes.push(TableNote::DecimalCommas(names));
        }
        notes
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        while block.rows() < most && self.advance()? {
            if self.record.len() != self.width {
                return Err(ragged(&self.named, block.next_row(), self.line(), self.record.len(), self.width));
            }
            for &(column, usage) in block.uses() {
                let cell = self.record.get(column).unwrap_or_default();
                let number = match usage {
                    Use::Feature(_) if self.with_commas => self.marks[column].number(cell),
                    _ => Some(Cell::of(cell).number()),
                };
                let Some(number) = number else {
                    return Err(two_marks(&self.named, (block.next_row(), self.line()), self.column(column), cell));
                };
                block.put(usage, || number, || cell.trim().to_owned());
            }
            block.check().map_err(|error| error.on_line(|| self.line()))?;
        }
        Ok(())
    }
}

/// A cell with a point where those before it have commas.
fn two_marks(path: &Path, (row, line): (usize, Option<usize>), column: Column, cell: &str) -> Error {
    refuse(
        path,
        message![
            Piece::Row(row),
            at_line(line),
            ", ",
            column,
            " holds ",
            given(cell.trim()),
            ", but decimals of this column were written with a comma before"
        ],
        "write all of them in one way",
    )
}

/// What stands in some rows, up to a row of another length.
fn tallies<'a>(width: usize, rows: impl Iterator<Item = &'a StringRecord>) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); width];
    for record in rows.take_while(|record| record.len() == width) {
        for (cell, tally) in record.iter().zip(&mut tallies) {
            tally.add(cell);
        }
    }
    tallies
}
