//! Tables in Arrow's files, which are also Feather files, and streams. Only the heads of messages are read by other code.

mod array;
mod batch;
mod blocks;
mod field;
mod messages;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars_arrow_format::ipc::MessageHeaderRef;

use super::note::TableNote;
use super::{Source, is_row_index, number_in, refuse, refuse_duplicates};
use crate::error::{Error, Result};
use crate::io::allowance::Allowance;
use array::Array;
use batch::{BatchReader, Dictionaries};
pub(super) use blocks::ArrowBlocks;
use field::{Field, Kind};
use messages::{Arrow, Damage, Messages, contents};

/// A file or stream whose batches come one after the other.
struct Batches {
    path: PathBuf,
    messages: Messages,
    fields: Vec<Field>,
    names: Vec<String>,
    is_numeric: Vec<bool>,
    /// Columns that hold what is not read, and what that is.
    opaque: Vec<(String, &'static str)>,
    dictionaries: Dictionaries,
    allowance: Allowance,
}

/// What a number takes in its column and in the matrix, and what a cell of text takes beside its letters.
const NUMBER: u64 = 16;
const TEXT: u64 = 48;

/// The arrays of some rows, where they were wanted.
struct Batch {
    rows: usize,
    columns: Vec<Option<Array>>,
}

impl Batches {
    fn open(path: &Path) -> Result<Self> {
        let (messages, fields) = Messages::open(path).map_err(|damage| refusal(path, damage))?;
        let (mut names, mut is_numeric, mut opaque) = (Vec::new(), Vec::new(), Vec::new());
        for field in &fields {
            each_column(field, "", &mut |name, column| {
                opaque.extend(column.opaque().map(|what| (name.clone(), what)));
                is_numeric.push(column.kind.is_numeric());
                names.push(name);
            });
        }
        if names.is_empty() {
            return Err(refuse(path, "there is no column in it", "give a table of at least one column"));
        }
        refuse_duplicates(path, &names)?;
        let (path, allowance, dictionaries) = (path.to_owned(), Allowance::of(path), HashMap::new());
        Ok(Self { path, messages, fields, names, is_numeric, opaque, dictionaries, allowance })
    }

    /// The next batch, with the columns that are wanted; nothing after the last.
    fn next(&mut self, wanted: &dyn Fn(usize) -> bool) -> Result<Option<Batch>> {
        self.read(wanted).map_err(|damage| refusal(&self.path, damage))
    }

    fn read(&mut self, wanted: &dyn Fn(usize) -> bool) -> Arrow<Option<Batch>> {
        while let Some(message) = self.messages.next()? {
            match message.header()? {
                Some(MessageHeaderRef::DictionaryBatch(head)) => {
                    let id = head.id()?;
                    let Some(of) = self.fields.iter().find_map(|field| of_dictionary(field, id)) else {
                        return contents("a dictionary is of no column");
                    };
                    if of.children.iter().any(|child| of_dictionary(child, id).is_some()) {
                        return contents("a dictionary holds itself");
                    }
                    let Some(data) = head.data()? else { return contents("a dictionary has no values") };
                    let mut reader = BatchReader::new(data, &message, &self.dictionaries, self.allowance.clone())?;
                    let values = Arc::new(reader.dictionary(of)?);
                    let parts = self.dictionaries.entry(id).or_default();
                    if !head.is_delta()? {
                        parts.clear();
                    }
                    parts.push(values);
                }
                Some(MessageHeaderRef::RecordBatch(head)) => {
                    let mut reader = BatchReader::new(head, &message, &self.dictionaries, self.allowance.clone())?;
                    let (mut columns, mut above) = (Vec::new(), Vec::new());
                    for field in &self.fields {
                        reader.column(field, wanted, &mut above, &mut columns)?;
                    }
                    return Ok(Some(Batch { rows: reader.rows, columns }));
                }
                _ => return contents("a message is neither rows nor a dictionary"),
            }
        }
        Ok(None)
    }

    fn notes(&self) -> Vec<TableNote> {
        if self.opaque.is_empty() { vec![] } else { vec![TableNote::NotRead(self.opaque.clone())] }
    }
}

/// Calls `visit` with the name of each column and what it is; the parts of a record are columns, named `record.part`.
fn each_column(field: &Field, above: &str, visit: &mut dyn FnMut(String, &Field)) {
    let name = format!("{above}{}", field.name);
    if matches!((field.kind, &field.dictionary), (Kind::Record, None)) {
        field.children.iter().for_each(|child| each_column(child, &format!("{name}."), visit));
    } else {
        visit(name, field);
    }
}

/// The column, or the part of one, that has the values of a dictionary.
fn of_dictionary(field: &Field, id: i64) -> Option<&Field> {
    match field.dictionary {
        Some((own, _)) if own == id => Some(field),
        _ => field.children.iter().find_map(|child| of_dictionary(child, id)),
    }
}

fn refusal(path: &Path, damage: Damage) -> Error {
    match damage {
        Damage::Unreadable(error) => Error::unreadable(path, &error),
        Damage::Contents(reason) => {
            let problem = format!("is not an Arrow file that can be read ({reason})");
            refuse(path, problem, "write it again, or convert it to .csv")
        }
        Damage::Large(excess) => excess.of(path),
        Damage::Foreign(problem) => refuse(path, problem, "write it again as Feather of version 2, or as .parquet"),
    }
}

/// A table whose numbers are in memory; its texts are read when they are asked for.
pub(super) struct ArrowTable {
    path: PathBuf,
    names: Vec<String>,
    is_numeric: Vec<bool>,
    notes: Vec<TableNote>,
    rows: usize,
    /// Empty for columns that are not numbers.
    numbers: Vec<Vec<f64>>,
}

impl ArrowTable {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut batches = Batches::open(path)?;
        let is_numeric = batches.is_numeric.clone();
        let mut numbers = vec![Vec::new(); is_numeric.len()];
        let mut rows: usize = 0;
        let mut allowance = batches.allowance.clone();
        while let Some(batch) = batches.next(&|column| is_numeric[column])? {
            let cells: u64 = batch.columns.iter().flatten().map(|array| array.rows as u64).sum();
            allowance.take(cells.saturating_mul(NUMBER)).map_err(|excess| excess.of(path))?;
            for (numbers, array) in numbers.iter_mut().zip(&batch.columns) {
                numbers.extend(array.iter().flat_map(|array| (0..array.rows).map(|row| array.number(row))));
            }
            rows = rows.saturating_add(batch.rows);
        }
        if rows == 0 {
            return Err(refuse(path, "there is no row in it", "give a table of at least one row"));
        }
        let notes = batches.notes();
        Ok(Self { path: path.to_owned(), names: batches.names, is_numeric, notes, rows, numbers })
    }

    fn has_numbers(&self, column: usize) -> bool {
        self.numbers[column].iter().any(|number| !number.is_nan())
    }
}

impl Source for ArrowTable {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn is_feature(&self, column: usize) -> bool {
        !is_row_index(&self.names[column]) && self.has_numbers(column)
    }

    fn is_unnamed(&self, column: usize) -> bool {
        is_row_index(&self.names[column]) && self.has_numbers(column)
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        if self.is_numeric[column] {
            return Ok(std::mem::take(&mut self.numbers[column]));
        }
        let texts = self.texts(&[column])?;
        Ok(texts.iter().flatten().map(|text| number_in(text)).collect())
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); columns.len()];
        if columns.is_empty() {
            return Ok(texts);
        }
        let mut batches = Batches::open(&self.path)?;
        // a short file can say one long text any number of times
        let mut allowance = batches.allowance.clone();
        while let Some(batch) = batches.next(&|column| columns.contains(&column))? {
            for (texts, &column) in texts.iter_mut().zip(columns) {
                for (array, row) in
                    batch.columns[column].iter().flat_map(|array| (0..array.rows).map(move |row| (array, row)))
                {
                    let text = array.text(row).unwrap_or_default();
                    allowance.take(text.len() as u64 + TEXT).map_err(|excess| excess.of(&self.path))?;
                    texts.push(text);
                }
            }
        }
        Ok(texts)
    }

    fn notes(&self) -> Vec<TableNote> {
        self.notes.clone()
    }
}
