//! What the commands share that put a model to use: rows in, rows out, a block at a time.

use crate::args::{ReadingArgs, header};
use std::collections::HashSet;
use std::path::Path;
use tangency::extend::Extension;
use tangency::io::table::{Block, TableOptions, TableStream};
use tangency::io::{ColumnKind, Model};
use tangency::{Error, Result};

/// How many rows are in memory at a time: fewer where rows and their maps are long.
pub fn block_rows(model: &Model) -> usize {
    let fit = &model.fit;
    let cells = fit.observations.ncols() * (fit.coordinates.ncols() + 3);
    ((1 << 22) / cells).clamp(1, 4096)
}

/// The model prepared for new rows, with the number of neighbours that was asked for.
pub fn extension(model: &Model, n_neighbors: Option<usize>) -> Result<Extension> {
    let extension = Extension::new(&model.fit)?;
    match n_neighbors {
        Some(k) => extension.with_neighbors(k),
        None => Ok(extension),
    }
}

/// Some rows of a table that a model is applied to. What is wrong with a cell is told with the name of the file, and without
/// the way out of leaving a column out, which a model does not allow.
pub fn next_block(stream: &mut TableStream, path: &Path, model: &Model) -> Result<Option<Block>> {
    stream.next_block(block_rows(model)).map_err(|error| {
        let at = |row: usize, column: &str, what: String| Error::File {
            path: path.to_owned(),
            reason: format!("row {row}, column {column} {what}; correct it, or drop the row"),
        };
        match &error {
            Error::NonFinite { row, column, value } => at(*row, column, format!("is {value}, not a finite number")),
            Error::NotNumeric { row, column, value } => {
                let short: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).take(40).collect();
                at(*row, column, format!("holds \"{short}\", which is not a number"))
            }
            _ => error,
        }
    })
}

/// An error about a row of a block that begins at row `first` of the table.
pub fn of_table(error: Error, first: usize) -> Error {
    match error {
        Error::TooFar { row } => Error::TooFar { row: row + first },
        other => other,
    }
}

/// A number of things.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Columns of ours beside features, or columns named after them: where both have one name, ours gets an underscore.
pub fn beside_features(
    model: &Model,
    before: Vec<(String, ColumnKind)>,
    after: Vec<(String, ColumnKind)>,
) -> Vec<(String, ColumnKind)> {
    let features = &model.feature_names;
    let mut taken: HashSet<String> = features.iter().cloned().collect();
    let mut free = |(mut name, kind): (String, ColumnKind)| {
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        (name, kind)
    };
    let mut header: Vec<_> = before.into_iter().map(&mut free).collect();
    let after: Vec<_> = after.into_iter().map(free).collect();
    header.extend(features.iter().map(|name| (name.clone(), ColumnKind::Number)));
    header.extend(after);
    header
}

/// What `TableStream` is told.
pub fn options(args: &ReadingArgs) -> TableOptions {
    TableOptions {
        header: header(args.header, args.no_header),
        id_column: args.id_column.clone(),
        label_column: args.label_column.clone(),
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
        array: args.array.clone(),
        ..TableOptions::default()
    }
}

/// Names `x1`, `x2`, … with another letter.
pub fn numbered(letters: &str, count: usize) -> impl Iterator<Item = (String, ColumnKind)> {
    (1..=count).map(move |a| (format!("{letters}{a}"), ColumnKind::Number))
}

/// Ids of the rows of a block: those given, or row numbers from 0.
pub fn ids(block: &Block) -> Vec<String> {
    let rows = block.values.ncols();
    block.ids.clone().unwrap_or_else(|| (block.first..block.first + rows).map(|row| row.to_string()).collect())
}
