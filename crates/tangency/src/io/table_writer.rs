//! Tables out, block by block, in memory that does not grow with them.

use std::path::Path;

use super::output::{Output, Pending, plain_text};
#[cfg(feature = "parquet")]
use super::table::ParquetRows;
use super::table::{extension, refuse_duplicates};
use crate::error::{Error, Result};
use crate::message::Remedy;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Numbers; one that is NaN is missing.
    Number,
    /// Whole numbers.
    Whole,
}

/// Some cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Text.
    Text(Vec<String>),
    /// Numbers; one that is NaN is missing.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
}

impl Cells {
    /// What they are.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Self::Text(_) => ColumnKind::Text,
            Self::Numbers(_) => ColumnKind::Number,
            Self::Whole(_) => ColumnKind::Whole,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(cells) => cells.len(),
            Self::Numbers(cells) => cells.len(),
            Self::Whole(cells) => cells.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a cell, empty where it is missing.
    fn text(&self, row: usize) -> String {
        match self {
            Self::Text(cells) => cells[row].clone(),
            Self::Numbers(cells) if cells[row].is_nan() => String::new(),
            Self::Numbers(cells) => cells[row].to_string(),
            Self::Whole(cells) => cells[row].to_string(),
        }
    }
}

/// A table that is written block by block; nothing is at its place until it is finished.
#[derive(Debug)]
pub struct TableWriter {
    output: Output,
    kinds: Vec<ColumnKind>,
    rows: RowWriter,
}

#[derive(Debug)]
enum RowWriter {
    Delimited(Box<csv::Writer<Pending>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows<Pending>>),
}

impl TableWriter {
    /// Refuses a path whose extension is not that of a table this build can write.
    pub fn check(path: &Path) -> Result<()> {
        match extension(path).as_str() {
            "csv" | "tsv" | "tab" => Ok(()),
            "parquet" | "pq" if cfg!(feature = "parquet") => Ok(()),
            "parquet" | "pq" => Err(Error::file(
                path,
                "this build cannot write Parquet files",
                [Remedy::act("rebuild with the feature \"parquet\""), Remedy::act("give a name that ends in .csv")],
            )),
            _ => Err(Error::file(
                path,
                "the extension does not show in which format to write the table",
                [Remedy::act("give a name that ends in .csv, .tsv, .tab, .parquet or .pq")],
            )),
        }
    }

    /// Begins a table with the given columns, no two of one name.
    pub fn create(output: &Output, columns: &[(String, ColumnKind)]) -> Result<Self> {
        let path = output.path();
        Self::check(path)?;
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        refuse_duplicates(path, &names)?;
        let rows = match extension(path).as_str() {
            #[cfg(feature = "parquet")]
            "parquet" | "pq" => {
                let rows = ParquetRows::new(output.begin()?, columns);
                RowWriter::Parquet(Box::new(rows.map_err(|error| Error::unwritable(path, &error))?))
            }
            other => {
                let delimiter = if other == "csv" { b',' } else { b'\t' };
                let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(output.begin()?);
                let plain = |name: &String| if output.plain_texts() { plain_text(name.clone()) } else { name.clone() };
                writer.write_record(names.iter().map(plain)).map_err(|error| Error::unwritable(path, &error.into()))?;
                RowWriter::Delimited(Box::new(writer))
            }
        };
        let kinds = columns.iter().map(|&(_, kind)| kind).collect();
        Ok(Self { output: output.clone(), kinds, rows })
    }

    /// Adds rows: some cells for each column, as many for one as for another.
    pub fn write(&mut self, block: &[Cells]) -> Result<()> {
        self.check_block(block)?;
        // what is not a number is missing; nothing else may be without a value
        let numbers =
            block.iter().filter_map(|cells| if let Cells::Numbers(numbers) = cells { Some(numbers) } else { None });
        if numbers.flatten().any(|number| number.is_infinite()) {
            return Err(Error::NoNumbers { what: "numbers of the table" });
        }
        let rows = block.first().map_or(0, Cells::len);
        let plain_texts = self.output.plain_texts();
        let written = match &mut self.rows {
            RowWriter::Delimited(writer) => (0..rows).try_for_each(|row| {
                let texts = block.iter().map(|cells| match (plain_texts, cells) {
                    (true, Cells::Text(_)) => plain_text(cells.text(row)),
                    _ => cells.text(row),
                });
                writer.write_record(texts).map_err(std::io::Error::from)
            }),
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(writer) => writer.write(block),
        };
        written.map_err(|error| Error::unwritable(self.output.path(), &error))
    }

    /// Moves the table, now whole, to its place.
    pub fn finish(self) -> Result<()> {
        let pending = match self.rows {
            RowWriter::Delimited(writer) => writer.into_inner().map_err(|error| error.into_error()),
            #[cfg(feature = "parquet")]
            RowWriter::Parquet(writer) => writer.finish(),
        };
        pending.map_err(|error| Error::unwritable(self.output.path(), &error))?.commit()
    }

    fn check_block(&self, block: &[Cells]) -> Result<()> {
        let (columns, rows) = (self.kinds.len(), block.first().map_or(0, Cells::len));
        let odd = |(cells, kind): &(&Cells, &ColumnKind)| cells.kind() != **kind || cells.len() != rows;
        let found = match block.iter().zip(&self.kinds).position(|pair| odd(&pair)) {
            _ if block.len() != columns => format!("{} columns", block.len()),
            None => return Ok(()),
            Some(at) => format!("{:?} with {} rows in column {}", block[at].kind(), block[at].len(), at + 1),
        };
        Err(Error::ShapeMismatch {
            what: format!("a block of rows for {}", self.output.path().display()),
            expected: format!("{columns} columns of the kinds that were announced, each with {rows} rows"),
            found,
        })
    }
}
