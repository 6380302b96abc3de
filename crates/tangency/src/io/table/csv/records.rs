//! The rows of delimited text, one at a time.

use std::io::Read;
use std::path::{Path, PathBuf};

use ::csv::{ErrorKind, ReaderBuilder, StringRecord};

use super::header::comma_number;
use crate::error::{Error, Result, at_line};
use crate::io::table::refuse;
use crate::io::table::text::STANDARD_INPUT;
use crate::message;
use crate::message::Piece;

pub(in crate::io::table) struct Records<R> {
    path: PathBuf,
    reader: ::csv::Reader<R>,
    width: Option<usize>,
}

impl<R: Read> Records<R> {
    pub(in crate::io::table) fn new(path: &Path, text: R, delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
        Self { path: path.to_owned(), reader, width: None }
    }

    /// Where the text comes from.
    pub(in crate::io::table) fn text(&mut self) -> &mut R {
        self.reader.get_mut()
    }

    /// Reads the next row that is not blank; `false` where there is none.
    pub(in crate::io::table) fn read(&mut self, record: &mut StringRecord) -> Result<bool> {
        while self.reader.read_record(record).map_err(|error| malformed(&self.path, &error))? {
            let only_cell = if record.len() == 1 { record.get(0) } else { None };
            // In a file of one column, an empty cell between quotes is how a missing one is written.
            let quoted = self.width == Some(1) && only_cell == Some("");
            if only_cell.is_some_and(|cell| cell.trim().is_empty()) && !quoted {
                continue;
            }
            self.width = self.width.or(Some(record.len()));
            return Ok(true);
        }
        Ok(false)
    }
}

fn malformed(path: &Path, error: &::csv::Error) -> Error {
    match error.kind() {
        // What a reader of ours has to say about the text comes inside an error of the system.
        ErrorKind::Io(error) => unfit_or_unreadable(path, error),
        _ => refuse(path, format!("is not delimited text ({error})"), "save it as comma-separated text"),
    }
}

/// What an error is that came while text was read.
pub(in crate::io::table) fn unfit_or_unreadable(path: &Path, error: &std::io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<UnfitText>()) {
        Some(unfit) => unfit.of(path),
        None => Error::unreadable(path, error),
    }
}

/// The delimiter that the first line suggests.
pub(in crate::io::table) fn delimiter(text: &[u8], tab_before_comma: bool) -> u8 {
    let (mut commas, mut semicolons, mut tabs) = (0, 0, 0);
    let (mut quoted, mut cell_starts) = (false, true);
    for &byte in text.iter().skip_while(|byte| matches!(byte, b'\n' | b'\r' | b' ')) {
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
    // "1,5;2,5" are two numbers, not three cells
    let line = text.trim_ascii_start().split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let parts_commas = |mark: u8| {
        let cells = || line.split(move |&byte| byte == mark).filter_map(|cell| std::str::from_utf8(cell).ok());
        cells().nth(1).is_some() && cells().any(|cell| comma_number(cell).is_some())
    };
    if let Some(mark) = [b';', b'\t'].into_iter().find(|&mark| commas > 0 && parts_commas(mark)) {
        return mark;
    }
    match (commas, semicolons, tabs) {
        (_, _, 1..) if tab_before_comma => b'\t',
        (1.., _, _) => b',',
        (_, 1.., _) if semicolons >= tabs => b';',
        (_, _, 1..) => b'\t',
        _ => b',',
    }
}

/// The line on which a row begins, given the text from its start.
pub(in crate::io::table) fn line_of(record: &StringRecord, text: impl Iterator<Item = u8>) -> usize {
    let start = record.position().map_or(0, |position| position.byte());
    // A record's position is before any blank lines that it comes after.
    let before = (0..).zip(text).take_while(|&(at, byte)| at < start || matches!(byte, b'\n' | b'\r'));
    1 + before.filter(|&(_, byte)| byte == b'\n').count()
}

/// A row, counted from 0, with another number of cells than the first; `line` where it is known.
pub(in crate::io::table) fn ragged(
    path: &Path,
    row: usize,
    line: Option<usize>,
    cells: usize,
    expected: usize,
) -> Error {
    let place = at_line(line);
    let cells = if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") };
    refuse(
        path,
        message![Piece::Row(row), format!("{place} has {cells}, but {expected} are expected")],
        "check that line, and that cells which hold the delimiter are quoted",
    )
}

/// A table without a row, by how many rows there are with the header.
pub(in crate::io::table) fn no_rows(path: &Path, count: usize) -> Error {
    let found = match count {
        0 if path.as_os_str() == STANDARD_INPUT => "nothing came through it",
        0 => "the file is empty",
        _ => "there is a header but no data row",
    };
    refuse(path, found, "give a table of at least one row of numbers")
}

/// What is wrong with the text of a file, and what to do.
#[derive(Debug)]
pub(in crate::io::table) struct UnfitText {
    pub problem: String,
    pub remedy: &'static str,
}

impl UnfitText {
    pub(in crate::io::table) fn of(&self, path: &Path) -> Error {
        refuse(path, self.problem.clone(), self.remedy)
    }
}

impl std::fmt::Display for UnfitText {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for UnfitText {}

pub(in crate::io::table) fn not_utf8(line: usize) -> UnfitText {
    UnfitText { problem: format!("line {line} is not UTF-8 text"), remedy: "save the file in the encoding UTF-8" }
}
