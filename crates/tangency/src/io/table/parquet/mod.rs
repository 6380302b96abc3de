//! Tables in Parquet files, read column by column without Arrow.

mod decode;
mod folder;
mod kind;
mod lockstep;
mod sizes;
mod write;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::{Source, is_row_index, number_in, refuse, refuse_duplicates};
use crate::error::{Error, Result};
use crate::io::allowance::{Allowance, Excess};
use crate::message::shown;
use decode::{Place, add_text, visit_rows};
pub(super) use folder::{ColumnarFolder, LockstepFolder, parts};
use kind::{ParquetKind, Raw};
pub(super) use lockstep::Lockstep;
use sizes::check_pages;
pub(in crate::io) use write::ParquetRows;

/// How many values to have in memory twice; small, since a damaged file may promise any number of them.
const BATCH: usize = 1 << 13;

/// What a number takes in its column and in the matrix, and what a cell of text takes beside its letters.
const NUMBER: u64 = 16;
const TEXT: u64 = 48;

type Parquet<T> = std::result::Result<T, ParquetError>;
/// Takes the position of a column among those asked for, the place and the value of a cell.
type VisitColumn<'v> = &'v mut dyn FnMut(usize, Place, Option<Raw>) -> Parquet<()>;

/// A file that is open: what its columns are, and the way to their values.
pub(super) struct ParquetContents {
    path: PathBuf,
    file: Arc<File>,
    reader: SerializedFileReader<File>,
    allowance: Allowance,
    rows: usize,
    names: Vec<String>,
    kinds: Vec<ParquetKind>,
    is_list: Vec<bool>,
}

impl ParquetContents {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::unreadable(path, &error);
        let file = File::open(path).map_err(failed)?;
        let again = Arc::new(file.try_clone().map_err(failed)?);
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let groups = 0..reader.num_row_groups();
        let rows = groups.map(|group| rows_of_group(&reader, group)).fold(0, usize::saturating_add);
        if rows == 0 {
            return Err(refuse(path, "there is no row in it", "give a table of at least one row"));
        }
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let names: Vec<String> = columns.iter().map(|column| name(column)).collect();
        refuse_duplicates(path, &names)?;
        let kinds = columns.iter().map(|column| ParquetKind::of(column)).collect();
        let is_list = columns.iter().map(|column| column.max_rep_level() > 0).collect();
        let (path, allowance) = (path.to_owned(), Allowance::of(path));
        Ok(Self { path, file: again, reader, allowance, rows, names, kinds, is_list })
    }

    /// An error if the pages of a column in a row group are too large: each by itself, and with `together` all of them.
    fn check_pages(&self, group: usize, column: usize, together: bool) -> Parquet<()> {
        let chunk = self.reader.metadata().row_group(group).column(column);
        check_pages(&self.file, chunk, rows_of_group(&self.reader, group), &self.allowance, together)
    }

    fn is_numeric(&self, column: usize) -> bool {
        self.kinds[column].is_numeric() && !self.is_list[column]
    }
}

/// A file of which all that is asked for is read at once.
pub(super) struct Columnar {
    contents: ParquetContents,
    /// Empty for columns of text and of lists.
    numbers: Vec<Vec<f64>>,
}

impl Columnar {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let contents = ParquetContents::open(path)?;
        let numbers = vec![Vec::new(); contents.names.len()];
        let mut table = Self { contents, numbers };
        table.load_numbers()?;
        Ok(table)
    }

    fn load_numbers(&mut self) -> Result<()> {
        let contents = &self.contents;
        let numeric: Vec<usize> = (0..contents.names.len()).filter(|&column| contents.is_numeric(column)).collect();
        let all = (contents.rows as u64).saturating_mul(NUMBER).saturating_mul(numeric.len() as u64);
        contents.allowance.check(all).map_err(|excess| excess.of(&contents.path))?;
        let mut numbers = vec![Vec::new(); numeric.len()];
        self.scan(&numeric, &mut |position, _, raw| {
            let (column, most) = (&mut numbers[position], contents.rows);
            // of more rows than it says the file is damaged
            if column.len() > most {
                return Err(ParquetError::General("more rows than it promises".into()));
            }
            column.push(contents.kinds[numeric[position]].number_or_nan(raw));
            Ok(())
        })?;
        for (column, numbers) in numeric.into_iter().zip(numbers) {
            self.check_length(column, numbers.len())?;
            self.numbers[column] = numbers;
        }
        Ok(())
    }

    /// Calls `visit` with the position in `columns`, the place and the value of every cell.
    fn scan(&self, columns: &[usize], visit: VisitColumn) -> Result<()> {
        let reader = &self.contents.reader;
        guarded(&self.contents.path, || {
            // Row groups are the outer loop, since to open one takes time in proportion to its columns.
            for number in 0..reader.num_row_groups() {
                let group = reader.get_row_group(number)?;
                for (position, &column) in columns.iter().enumerate() {
                    self.contents.check_pages(number, column, true)?;
                    let descriptor = group.metadata().schema_descr().column(column);
                    let mut chunk = group.get_column_reader(column)?;
                    let mut visit = |place, raw: Option<Raw>| visit(position, place, raw);
                    while visit_rows(&mut chunk, &descriptor, BATCH, &mut visit)? {}
                }
            }
            Ok(())
        })
    }

    fn has_numbers(&self, column: usize) -> bool {
        self.numbers[column].iter().any(|number| !number.is_nan())
    }

    fn check_length(&self, column: usize, found: usize) -> Result<()> {
        let ParquetContents { path, rows, names, .. } = &self.contents;
        if found == *rows {
            return Ok(());
        }
        let name = &names[column];
        let problem = format!("is damaged: column {} has {found} rows and not {rows}", shown(name));
        Err(refuse(path, problem, "write the file again"))
    }
}

impl Source for Columnar {
    fn names(&self) -> &[String] {
        &self.contents.names
    }

    fn rows(&self) -> usize {
        self.contents.rows
    }

    fn is_feature(&self, column: usize) -> bool {
        !is_row_index(&self.contents.names[column]) && self.has_numbers(column)
    }

    fn is_unnamed(&self, column: usize) -> bool {
        is_row_index(&self.contents.names[column]) && self.has_numbers(column)
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        if self.contents.is_numeric(column) {
            return Ok(std::mem::take(&mut self.numbers[column]));
        }
        let texts = self.texts(&[column])?;
        Ok(texts.iter().flatten().map(|text| number_in(text)).collect())
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); columns.len()];
        // a short file can say one long text any number of times
        let mut allowance = self.contents.allowance.clone();
        self.scan(columns, &mut |position, place, raw| {
            let kind = self.contents.kinds[columns[position]];
            let length = if let Some(Raw::Bytes(bytes)) = raw { bytes.len() } else { 0 };
            allowance.take(length as u64 + TEXT).map_err(|excess| ParquetError::External(Box::new(excess)))?;
            add_text(&mut texts[position], place, raw.map(|raw| kind.text(raw)));
            Ok(())
        })?;
        for (&column, texts) in columns.iter().zip(&texts) {
            self.check_length(column, texts.len())?;
        }
        Ok(texts)
    }
}

fn rows_of_group(reader: &SerializedFileReader<File>, group: usize) -> usize {
    usize::try_from(reader.metadata().row_group(group).num_rows()).unwrap_or(0)
}

/// Runs the Parquet reader, which panics on some damaged files instead of returning its error.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Parquet<T>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(ParquetError::External(error))) => match error.downcast::<Excess>() {
            Ok(excess) => return Err(excess.of(path)),
            Err(error) => error.to_string(),
        },
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its contents contradict each other".to_owned(),
    };
    let problem = format!("is not a Parquet file that can be read ({reason})");
    Err(refuse(path, problem, "write it again, or convert it to .csv"))
}

/// A field within a record is a column of its own, named `record.field`.
fn name(column: &ColumnDescriptor) -> String {
    match column.path().parts() {
        // The inner names of a list say nothing, for the format prescribes them.
        [name, _, inner] if column.max_rep_level() == 1 && (inner == "element" || inner == "item") => name.clone(),
        parts => parts.join("."),
    }
}
