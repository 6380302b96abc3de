//! Delimited text, row by row.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use ::csv::StringRecord;

use super::BlockSource;
use super::block::BlockBuilder;
use super::utf8::Utf8Text;
use crate::error::{Error, Result};
use crate::io::table::csv::header::{Cell, Tally, looks_like_header, names_in};
use crate::io::table::csv::prefers_tabs;
use crate::io::table::csv::records::{BYTE_ORDER_MARK, Records, delimiter, line_of, no_rows, ragged};

/// How many rows below the first tell whether it is a header, and how many bytes at most, beyond one row.
const LOOK_ROWS: usize = 1000;
const LOOK_BYTES: usize = 1 << 22;

/// How much of the text, at most, tells the delimiter.
const BEGINNING: u64 = 1 << 18;

/// A file with what was read of it already.
type Text = Chain<Cursor<Vec<u8>>, File>;

/// Holds a row in memory, and at first those that tell about the header.
pub(super) struct DelimitedStream {
    path: PathBuf,
    records: Records<Utf8Text<Text>>,
    /// Rows that were read to learn about the header.
    ahead: VecDeque<StringRecord>,
    record: StringRecord,
    width: usize,
    names: Option<Vec<String>>,
}

impl DelimitedStream {
    pub(super) fn open(path: &Path, header: Option<bool>) -> Result<Self> {
        let (text, delimiter) = open_text(path)?;
        let records = Records::new(path, Utf8Text::new(text), delimiter);
        let (ahead, record) = (VecDeque::new(), StringRecord::new());
        let mut file = Self { path: path.to_owned(), records, ahead, record, width: 0, names: None };
        file.look_ahead()?;

        let Some(first) = file.ahead.front() else {
            return Err(no_rows(path, 0));
        };
        file.width = first.len();
        if header.unwrap_or_else(|| looks_like_header(first, &tallies(first.len(), &file.ahead))) {
            if file.ahead.len() == 1 {
                return Err(no_rows(path, 1));
            }
            file.names = Some(names_in(path, first)?.0);
            file.ahead.pop_front();
        }
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

    /// The line of the present row, if the file can be read once more.
    fn line(&self) -> Option<usize> {
        if !self.path.is_file() {
            return None;
        }
        let (text, _) = open_text(&self.path).ok()?;
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

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        while block.rows() < most && self.advance()? {
            if self.record.len() != self.width {
                return Err(ragged(&self.path, block.next_row(), self.line(), self.record.len(), self.width));
            }
            for &(column, usage) in block.uses() {
                let cell = self.record.get(column).unwrap_or_default();
                block.put(usage, || Cell::of(cell).number(), || cell.trim().to_owned());
            }
            block.check()?;
        }
        Ok(())
    }
}

/// The text of a file without its byte order mark, and the delimiter that its first line suggests.
fn open_text(path: &Path) -> Result<(Text, u8)> {
    let failed = |error| Error::unreadable(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut beginning = Vec::new();
    file.by_ref().take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
    if beginning.starts_with(BYTE_ORDER_MARK) {
        beginning.drain(..BYTE_ORDER_MARK.len());
    }
    let delimiter = delimiter(&beginning, prefers_tabs(path));
    Ok((Cursor::new(beginning).chain(file), delimiter))
}

/// What stands below the first row, up to a row of another length.
fn tallies(width: usize, rows: &VecDeque<StringRecord>) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); width];
    for record in rows.iter().skip(1).take_while(|record| record.len() == width) {
        record.iter().zip(&mut tallies).for_each(|(cell, tally)| tally.add(Cell::of(cell)));
    }
    tallies
}
