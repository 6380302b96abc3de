//! Tables in Parquet files, read column by column without Arrow.

mod kind;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::value::Value;
use super::{Source, refuse, refuse_duplicates, unreadable};
use crate::error::Result;
use kind::{Kind, Raw};

/// How many values to have in memory twice; small, since a damaged file may promise any number of them.
const BATCH: usize = 1 << 13;

type Parquet<T> = std::result::Result<T, ParquetError>;

pub(super) struct Columnar {
    path: PathBuf,
    reader: SerializedFileReader<File>,
    rows: usize,
    names: Vec<String>,
    kinds: Vec<Kind>,
    is_list: Vec<bool>,
    /// Empty for columns of text and of lists.
    numbers: Vec<Vec<f64>>,
}

impl Columnar {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let groups = reader.metadata().row_groups().iter();
        let rows = groups.map(|group| usize::try_from(group.num_rows()).unwrap_or(0)).fold(0, usize::saturating_add);
        if rows == 0 {
            return Err(refuse(path, "there is no row in it; a table needs at least one"));
        }
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let names: Vec<String> = columns.iter().map(|column| name(column)).collect();
        refuse_duplicates(path, &names)?;
        let kinds = columns.iter().map(|column| Kind::of(column)).collect();
        let is_list = columns.iter().map(|column| column.max_rep_level() > 0).collect();
        let numbers = vec![Vec::new(); names.len()];
        let mut table = Self { path: path.to_owned(), reader, rows, names, kinds, is_list, numbers };
        table.load_numbers()?;
        Ok(table)
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.kinds[column].is_numeric() && !self.is_list[column]
    }

    fn load_numbers(&mut self) -> Result<()> {
        let numeric: Vec<usize> = (0..self.names.len()).filter(|&column| self.is_numeric(column)).collect();
        let mut numbers = vec![Vec::new(); numeric.len()];
        self.scan(&numeric, &mut |position, _, raw| {
            let number = raw.and_then(|raw| self.kinds[numeric[position]].number(raw));
            numbers[position].push(number.unwrap_or(f64::NAN));
        })?;
        for (column, numbers) in numeric.into_iter().zip(numbers) {
            self.check_length(column, numbers.len())?;
            self.numbers[column] = numbers;
        }
        Ok(())
    }

    /// Calls `visit` with the position in `columns`, the place and the value of every cell.
    fn scan(&self, columns: &[usize], visit: &mut dyn FnMut(usize, Place, Option<Raw>)) -> Result<()> {
        guarded(&self.path, || {
            // Row groups are the outer loop, since to open one takes time in proportion to its columns.
            for group in 0..self.reader.num_row_groups() {
                let group = self.reader.get_row_group(group)?;
                for (position, &column) in columns.iter().enumerate() {
                    let descriptor = group.metadata().schema_descr().column(column);
                    scan_chunk(group.get_column_reader(column)?, &descriptor, &mut |place, raw| {
                        visit(position, place, raw);
                    })?;
                }
            }
            Ok(())
        })
    }

    fn check_length(&self, column: usize, found: usize) -> Result<()> {
        if found == self.rows {
            return Ok(());
        }
        let (name, rows) = (&self.names[column], self.rows);
        Err(refuse(&self.path, format!("damaged: column {name} has {found} rows and not {rows}; write the file again")))
    }
}

impl Source for Columnar {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn is_feature(&self, column: usize) -> bool {
        // This is what pandas calls row numbers.
        let is_index = self.names[column].starts_with("__index_level_");
        !is_index && self.numbers[column].iter().any(|number| !number.is_nan())
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        if self.is_numeric(column) {
            return Ok(std::mem::take(&mut self.numbers[column]));
        }
        let texts = self.texts(&[column])?;
        Ok(texts.iter().flatten().map(|text| text.trim().parse().unwrap_or(f64::NAN)).collect())
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); columns.len()];
        self.scan(columns, &mut |position, place, raw| {
            let column = &mut texts[position];
            let text = raw.map(|raw| self.kinds[columns[position]].text(raw));
            match (place, column.last_mut()) {
                (Place::NextInList, Some(list)) => {
                    list.pop();
                    list.push_str(&format!(", {}]", text.as_deref().unwrap_or("null")));
                }
                (Place::NextInList | Place::FirstInList, _) => {
                    column.push(format!("[{}]", text.as_deref().unwrap_or("null")));
                }
                (Place::EmptyList, _) => column.push("[]".into()),
                (Place::Row, _) => column.push(text.unwrap_or_default()),
            }
        })?;
        for (&column, texts) in columns.iter().zip(&texts) {
            self.check_length(column, texts.len())?;
        }
        Ok(texts)
    }
}

/// Runs the Parquet reader, which panics on some damaged files instead of returning its error.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Parquet<T>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its contents contradict each other".to_owned(),
    };
    Err(refuse(path, format!("not a Parquet file that can be read ({reason}); write it again, or convert it to .csv")))
}

/// A field within a record is a column of its own, named `record.field`.
fn name(column: &ColumnDescriptor) -> String {
    match column.path().parts() {
        // The inner names of a list say nothing, for the format prescribes them.
        [name, _, inner] if column.max_rep_level() == 1 && (inner == "element" || inner == "item") => name.clone(),
        parts => parts.join("."),
    }
}

#[derive(Clone, Copy)]
enum Place {
    Row,
    EmptyList,
    FirstInList,
    NextInList,
}

type Visit<'v> = &'v mut dyn FnMut(Place, Option<Raw>);

fn scan_chunk(reader: ColumnReader, column: &ColumnDescriptor, visit: Visit) -> Parquet<()> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => scan(reader, column, visit, |&x| Raw::Value(Value::Truth(x))),
        ColumnReader::Int32ColumnReader(reader) => scan(reader, column, visit, |&x| Raw::Integer(x.into())),
        ColumnReader::Int64ColumnReader(reader) => scan(reader, column, visit, |&x| Raw::Integer(x)),
        ColumnReader::Int96ColumnReader(reader) => scan(reader, column, visit, |x: &Int96| Raw::Integer(x.to_micros())),
        ColumnReader::FloatColumnReader(reader) => scan(reader, column, visit, |&x| Raw::Value(Value::Single(x))),
        ColumnReader::DoubleColumnReader(reader) => scan(reader, column, visit, |&x| Raw::Value(Value::Double(x))),
        ColumnReader::ByteArrayColumnReader(reader) => {
            scan(reader, column, visit, |x: &ByteArray| Raw::Bytes(x.data()))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            scan(reader, column, visit, |x: &FixedLenByteArray| Raw::Bytes(x.data()))
        }
    }
}

fn scan<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    visit: Visit,
    raw: impl Fn(&T::T) -> Raw<'_>,
) -> Parquet<()> {
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let in_list = column.repeated_ancestor_def_level();
    loop {
        definitions.clear();
        repetitions.clear();
        values.clear();
        let (_, _, levels) = reader.read_records(BATCH, Some(&mut definitions), Some(&mut repetitions), &mut values)?;
        if levels == 0 {
            return Ok(());
        }
        let mut values = values.iter();
        for level in 0..levels {
            // A column that needs no levels has none.
            let definition = definitions.get(level).copied().unwrap_or(0);
            let place = match repetitions.get(level) {
                Some(1..) => Place::NextInList,
                Some(0) if definition >= in_list => Place::FirstInList,
                Some(0) if definition + 1 == in_list => Place::EmptyList,
                _ => Place::Row,
            };
            let value = if definition == column.max_def_level() { values.next() } else { None };
            visit(place, value.map(&raw));
        }
    }
}
