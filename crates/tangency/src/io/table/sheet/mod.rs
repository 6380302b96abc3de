//! Sheets of Excel and OpenDocument, as the delimited text that they would be if they were saved so.

mod cells;
mod sizes;

use std::collections::BTreeMap;
use std::path::Path;

use super::note::TableNote;
use super::refuse;
use crate::error::{Error, Result};
use crate::message;
use crate::message::{Message, Piece, listed, shown};
use cells::{Filled, Workbook};

/// What cells are parted with in the text.
pub(super) const DELIMITER: u8 = b',';

/// Empty cells that a sheet may have for each that is filled, and beyond that: a few cells far away would else make a table that
/// no memory holds.
const EMPTY_PER_FILLED: usize = 50;
const EMPTY_AT_LEAST: usize = 1 << 20;

/// A sheet as text, and what to know about it.
pub(super) struct SheetText {
    pub(super) text: Vec<u8>,
    pub(super) notes: Vec<TableNote>,
}

/// Reads the sheet that is asked for, or the first in sight that has cells.
pub(super) fn read(path: &Path, wanted: Option<&str>) -> Result<SheetText> {
    let mut workbook = Workbook::open(path)?;
    let names = workbook.names();
    let listed_names: Vec<String> = names.iter().map(|(name, _)| name.clone()).collect();
    if let Some(wanted) = wanted {
        if !listed_names.iter().any(|name| name == wanted) {
            let problem = format!("there is no sheet \"{}\" in it, but {}", shown(wanted), listed(&listed_names));
            return Err(refuse(path, problem, message!["name one of them with ", Piece::Setting("sheet")]));
        }
        let cells = workbook.cells(wanted)?;
        if cells.is_empty() {
            return Err(empty(path, format!("the sheet \"{}\" is empty", shown(wanted))));
        }
        return Ok(SheetText { text: text(path, wanted, &cells)?, notes: vec![] });
    }
    let mut read: Option<(String, Vec<Filled>)> = None;
    let mut others = Vec::new();
    for (name, _) in names.into_iter().filter(|(_, is_visible)| *is_visible) {
        if read.is_some() {
            // what is wrong with a sheet that is not read does not matter
            others.extend(workbook.has_cells(&name).unwrap_or(true).then_some(name));
        } else {
            let cells = workbook.cells(&name)?;
            if !cells.is_empty() {
                read = Some((name, cells));
            }
        }
    }
    let Some((name, cells)) = read else { return Err(empty(path, "it has no filled cell in sight")) };
    let text = text(path, &name, &cells)?;
    let notes = if others.is_empty() { vec![] } else { vec![TableNote::Sheet { read: name, others }] };
    Ok(SheetText { text, notes })
}

fn empty(path: &Path, problem: impl Into<Message>) -> Error {
    refuse(
        path,
        problem,
        message!["give a sheet with a row of names and rows of numbers, with ", Piece::Setting("sheet")],
    )
}

/// The rows that have cells, from the first column that has one to the last.
fn text(path: &Path, sheet: &str, cells: &[Filled]) -> Result<Vec<u8>> {
    let mut rows: BTreeMap<u32, BTreeMap<u32, &str>> = BTreeMap::new();
    for cell in cells {
        rows.entry(cell.row).or_default().insert(cell.column, &cell.text);
    }
    let first = cells.iter().map(|cell| cell.column).min().unwrap_or(0);
    let last = cells.iter().map(|cell| cell.column).max().unwrap_or(0);
    let all = rows.len().saturating_mul((last - first) as usize + 1);
    if all > cells.len().saturating_mul(EMPTY_PER_FILLED).saturating_add(EMPTY_AT_LEAST) {
        let problem = format!(
            "the filled cells of the sheet \"{}\" are far apart: {} rows up to column {}, but only {} cells",
            shown(sheet),
            rows.len(),
            column_name(last),
            cells.len()
        );
        return Err(refuse(path, problem, "delete the cells that are not of the table"));
    }
    let mut writer = ::csv::WriterBuilder::new().delimiter(DELIMITER).from_writer(Vec::new());
    let written = rows.values().try_for_each(|row| {
        writer.write_record((first..=last).map(|column| row.get(&column).copied().unwrap_or_default()))
    });
    let failed =
        |problem: String| refuse(path, format!("cannot be read as text ({problem})"), "save the sheet as .csv");
    written.map_err(|error| failed(error.to_string()))?;
    writer.into_inner().map_err(|error| failed(error.to_string()))
}

/// What a sheet calls its columns: A to Z, AA, AB ….
pub(super) fn column_name(column: u32) -> String {
    let letter = |number: u32| char::from(b'A' + (number % 26) as u8);
    let (mut name, mut left) = (String::new(), column);
    loop {
        name.insert(0, letter(left));
        if left < 26 {
            return name;
        }
        left = left / 26 - 1;
    }
}
