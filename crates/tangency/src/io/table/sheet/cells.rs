//! The filled cells of a sheet, as text.

use std::fs::File;
use std::io::BufReader;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use calamine::{CellErrorType, Data, DataRef, ExcelDateTime, Ods, Range, Reader, SheetType, SheetVisible, Xlsx};

use super::column_name;
use super::sizes::check;
use crate::error::{Error, Result};
use crate::io::allowance::Excess;
use crate::io::table::value::CellValue;
use crate::io::table::{extension, refuse};

/// Places are absolute, from 0.
pub(super) struct Filled {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) text: String,
}

pub(super) struct Workbook {
    path: PathBuf,
    book: Book,
}

enum Book {
    Xlsx(Box<Xlsx<BufReader<File>>>),
    Ods(Ods<BufReader<File>>),
}

/// Why a sheet is not read.
enum Unread {
    Damaged(String),
    /// It would take too much memory.
    Large(Excess),
    /// The place of a formula whose value the file does not have.
    NoValue(u32, u32),
}

impl Workbook {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = BufReader::new(File::open(path).map_err(|error| Error::unreadable(path, &error))?);
        guarded(path, || {
            check(path).map_err(|error| match error.downcast::<Excess>() {
                Ok(excess) => Unread::Large(excess),
                Err(error) => damaged(error),
            })
        })?;
        let book = guarded(path, || match extension(path).as_str() {
            "ods" => Ods::new(file).map(Book::Ods).map_err(damaged),
            _ => Xlsx::new(file).map(|book| Book::Xlsx(Box::new(book))).map_err(damaged),
        })?;
        Ok(Self { path: path.to_owned(), book })
    }

    /// The sheets of cells, and whether they are in sight.
    pub(super) fn names(&self) -> Vec<(String, bool)> {
        let sheets = match &self.book {
            Book::Xlsx(book) => book.sheets_metadata(),
            Book::Ods(book) => book.sheets_metadata(),
        };
        let of_cells = sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
        of_cells.map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible)).collect()
    }

    pub(super) fn has_cells(&mut self, sheet: &str) -> Result<bool> {
        Ok(!self.filled(sheet, 1)?.is_empty())
    }

    pub(super) fn cells(&mut self, sheet: &str) -> Result<Vec<Filled>> {
        self.filled(sheet, usize::MAX)
    }

    /// The filled cells of a sheet, at most so many.
    fn filled(&mut self, sheet: &str, most: usize) -> Result<Vec<Filled>> {
        let (path, book) = (&self.path, &mut self.book);
        guarded(path, || match book {
            Book::Xlsx(book) => streamed(book, sheet, most),
            Book::Ods(book) => Ok(of_range(&book.worksheet_range(sheet).map_err(damaged)?, most)),
        })
    }
}

/// One cell after the other, so that one far away takes no memory for those between.
fn streamed(book: &mut Xlsx<BufReader<File>>, sheet: &str, most: usize) -> std::result::Result<Vec<Filled>, Unread> {
    let mut reader = book.worksheet_cells_reader(sheet).map_err(damaged)?;
    let mut filled = Vec::new();
    while filled.len() < most {
        let Some(cell) = reader.next_cell_with_formula_metadata().map_err(damaged)? else { break };
        let (row, column) = cell.pos;
        if cell.value == DataRef::Empty && cell.formula.is_some() {
            return Err(Unread::NoValue(row, column));
        }
        filled.extend(written(&cell.value.into()).map(|text| Filled { row, column, text }));
    }
    Ok(filled)
}

fn of_range(range: &Range<Data>, most: usize) -> Vec<Filled> {
    let (first_row, first_column) = range.start().unwrap_or((0, 0));
    let filled = range.used_cells().filter_map(|(row, column, cell)| {
        let (row, column) = (first_row + row as u32, first_column + column as u32);
        written(cell).map(|text| Filled { row, column, text })
    });
    filled.take(most).collect()
}

/// The text of a cell; nothing if it is empty, or says itself that it has no value.
fn written(cell: &Data) -> Option<String> {
    match cell {
        Data::Empty | Data::Error(CellErrorType::NA) => None,
        Data::Int(number) => Some(number.to_string()),
        Data::Float(number) => Some(CellValue::Double(*number).text()),
        Data::Bool(truth) => Some(truth.to_string()),
        Data::DateTime(instant) => Some(date_or_time(instant)),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
            (!text.trim().is_empty()).then(|| text.clone())
        }
        Data::Error(error) => Some(error.to_string()),
    }
}

/// A date, with its time if it has one; a time alone; a length of time as a number of days.
fn date_or_time(instant: &ExcelDateTime) -> String {
    if instant.is_duration() {
        return CellValue::Double(instant.as_f64()).text();
    }
    let (year, month, day, hour, minute, second, milli) = instant.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let mut time = format!("{hour:02}:{minute:02}:{second:02}");
    if milli > 0 {
        time.push_str(&format!(".{milli:03}"));
    }
    match instant.as_f64() {
        days if (0.0..1.0).contains(&days) => time,
        _ if time == "00:00:00" => date,
        _ => format!("{date}T{time}"),
    }
}

fn damaged(error: impl std::fmt::Display) -> Unread {
    Unread::Damaged(error.to_string())
}

/// Runs the reader of spreadsheets, which may panic on damaged files.
fn guarded<T>(path: &Path, read: impl FnOnce() -> std::result::Result<T, Unread>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(Unread::NoValue(row, column))) => {
            let problem =
                format!("cell {}{} is a formula whose value is not in the file", column_name(column), row + 1);
            return Err(refuse(
                path,
                problem,
                "open it in a spreadsheet program and save it, so that it is worked out",
            ));
        }
        Ok(Err(Unread::Large(excess))) => return Err(excess.of(path)),
        Ok(Err(Unread::Damaged(reason))) => reason.lines().next().unwrap_or_default().to_owned(),
        Err(_) => "its contents contradict each other".to_owned(),
    };
    let problem = format!("is not a spreadsheet that can be read ({reason})");
    Err(refuse(path, problem, "save it again, or save the sheet as .csv"))
}
