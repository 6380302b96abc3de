//! What a spreadsheet takes once it is unpacked and its repeated cells are written out, found before it is.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, copy, sink};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use crate::io::allowance::Allowance;

/// What a byte of the unpacked file takes: a cell is about 20 bytes of it, and 150 with its place and its text in memory.
const BYTE: u64 = 8;
/// What a cell takes that one stands for: its value and its formula, twice, and its text.
const CELL: u64 = 224;
/// The most rows and columns of a sheet.
const MOST_ROWS: u64 = 1 << 20;
const MOST_COLUMNS: u64 = 1 << 14;

/// An error if a spreadsheet takes more than there is an allowance for.
pub(super) fn check(path: &Path) -> Result<()> {
    let mut allowance = Allowance::of(path);
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))?;
    for entry in 0..archive.len() {
        let limit = (allowance.room() / BYTE).saturating_add(1);
        let length = copy(&mut archive.by_index(entry)?.take(limit), &mut sink())?;
        allowance.take(length * BYTE).map_err(Error::other)?;
    }
    // only OpenDocument has cells that stand for others
    match archive.by_name("content.xml") {
        Ok(content) => Repeats::default().read(BufReader::new(content), &mut allowance),
        Err(_) => Ok(()),
    }
}

/// What the cells and rows of a sheet stand for.
#[derive(Default)]
struct Repeats {
    /// Rows up to the last that is filled, and empty ones after it.
    rows: u64,
    empty_rows: u64,
    /// Cells of the row up to the last that is filled, and empty ones after it.
    cells: u64,
    empty_cells: u64,
    /// How many rows the present one stands for.
    row: u64,
    widest: u64,
}

impl Repeats {
    fn read(mut self, content: impl BufRead, allowance: &mut Allowance) -> Result<()> {
        let damaged = |error: quick_xml::Error| Error::new(ErrorKind::InvalidData, error.to_string());
        let mut reader = Reader::from_reader(content);
        let mut buffer = Vec::new();
        loop {
            let taken = match reader.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Start(tag) => self.begin(&tag, true),
                Event::Empty(tag) => self.begin(&tag, false),
                Event::End(tag) => self.end(tag.name().0),
                Event::Eof => return Ok(()),
                _ => 0,
            };
            allowance.take(taken.saturating_mul(CELL)).map_err(Error::other)?;
            buffer.clear();
        }
    }

    /// The cells that come with a tag.
    fn begin(&mut self, tag: &BytesStart, has_content: bool) -> u64 {
        let number = |name: &str, most: u64| {
            let value =
                tag.try_get_attribute(name).ok().flatten().map(|attribute| attribute.value.trim().parse::<u64>());
            // what is no number, or beyond all of them, is said by the reader itself
            value.map_or(1, |value| value.unwrap_or(most)).min(most)
        };
        match tag.name().0 {
            "table:table" => *self = Self::default(),
            "table:table-row" => {
                (self.row, self.cells, self.empty_cells) = (number("table:number-rows-repeated", MOST_ROWS), 0, 0);
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let count = number("table:number-columns-repeated", MOST_COLUMNS);
                let says = |name: &str| name.starts_with("office:") || name == "table:formula";
                if has_content || tag.attributes().flatten().any(|attribute| says(attribute.key.0)) {
                    let before = self.cells;
                    self.cells = (self.cells + self.empty_cells + count).min(MOST_COLUMNS);
                    self.empty_cells = 0;
                    return self.cells - before;
                }
                self.empty_cells = (self.empty_cells + count).min(MOST_COLUMNS);
            }
            _ => {}
        }
        0
    }

    /// The cells that come with the end of a row or of a table.
    fn end(&mut self, tag: &str) -> u64 {
        match tag {
            "table:table-row" if self.cells > 0 => {
                self.rows = (self.rows + self.empty_rows + self.row).min(MOST_ROWS);
                self.empty_rows = 0;
                self.widest = self.widest.max(self.cells);
                0
            }
            "table:table-row" => {
                self.empty_rows += self.row;
                0
            }
            "table:table" => self.rows * self.widest,
            _ => 0,
        }
    }
}
