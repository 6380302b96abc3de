//! Tables of numbers, read from delimited text, NumPy, Parquet and Arrow files, and spreadsheets.

#[cfg(feature = "arrow")]
mod arrow;
mod csv;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod decimal;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod iso;
mod note;
mod numpy;
#[cfg(feature = "parquet")]
mod parquet;
mod select;
#[cfg(feature = "spreadsheets")]
mod sheet;
mod stream;
mod survey;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::collections::HashSet;
use std::path::Path;

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::message;
use crate::message::{Column, Message, Piece, Remedy, file, listed, shown};
use crate::model::TableView;
pub use note::{CellKind, TableNote, WhyLeftOut};
#[cfg(feature = "parquet")]
pub(super) use parquet::ParquetRows;
use select::{Columns, Roles};
use serde::{Deserialize, Serialize};
pub use stream::{Block, TableStream};
use text::{inner_extension, is_standard_input};

/// A table: numeric features, and whatever else stands beside them.
#[derive(Clone, Debug)]
pub struct Table {
    /// The features, one row per point; all finite, or NaN where a cell may be and is missing.
    pub values: Matrix,
    /// Names of the features; `c1`, `c2`, … where the file has none.
    pub feature_names: Vec<String>,
    /// The column asked for as identifiers.
    pub ids: Option<Vec<String>>,
    /// The column asked for as labels.
    pub labels: Option<Vec<String>>,
    /// What that column is called.
    pub label_name: Option<String>,
    /// All other columns, or those asked for, by name, as the text that stands in the file.
    pub carried: Vec<(String, Vec<String>)>,
    /// Groups of the features that were asked for.
    pub views: Vec<TableView>,
    /// What to know about how the table was understood.
    pub notes: Vec<TableNote>,
}

/// How to read a table. A column is given by its name, or by its number from 1 where no column has that name.
#[derive(Default, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableOptions {
    /// Whether the first row of delimited text names the columns; `None` to find out.
    pub header: Option<bool>,
    /// The column that identifies the rows.
    pub id_column: Option<String>,
    /// The column that labels the rows.
    pub label_column: Option<String>,
    /// The features, in this order: columns, or ranges such as `jan:dec` and `2:5`, both ends included.
    pub columns: Option<Vec<String>>,
    /// Columns or ranges that are never features; they are still carried.
    pub exclude: Vec<String>,
    /// Whether cells of features may be missing; such a one is NaN.
    pub gaps: bool,
    /// Which array of an `.npz` file to read.
    pub array: Option<String>,
    /// Which sheet of a spreadsheet to read; `None` for the first in sight that has cells.
    pub sheet: Option<String>,
    /// The columns or ranges to carry, features among them or not; `None` for all that are nothing else.
    pub show: Option<Vec<String>>,
    /// Groups of features: a name, and columns or ranges.
    pub views: Vec<(String, Vec<String>)>,
}

/// Reads a table from a file, whose extension says what it is; `-` is delimited text from standard input.
pub fn read_table(path: &Path, options: &TableOptions) -> Result<Table> {
    let mut source: Box<dyn Source> = match TableFormat::with(path, options)? {
        TableFormat::Delimited => Box::new(csv::DelimitedTable::read(path, options.header)?),
        TableFormat::Npy => Box::new(numpy::read_npy(path, "the array", 2)?),
        TableFormat::Npz => Box::new(numpy::read_npz(path, options.array.as_deref())?),
        TableFormat::Parquet => open_parquet(path)?,
        TableFormat::Arrow => open_arrow(path)?,
        TableFormat::Sheet => open_sheet(path, options)?,
    };
    let mut roles = Roles::assign(path, source.as_ref(), options)?;

    let mut columns = gather(source.as_mut(), &roles.features)?;
    let mut notes = source.notes();
    if options.columns.is_none() {
        notes.extend(survey::leave_out(source.as_ref(), &mut roles, &mut columns));
    }
    check_cells(source.as_ref(), &roles.features, &mut columns, options.gaps)?;

    // One request for all text, since a reader may have to pass over its file for each.
    let mut wanted = roles.carried.clone();
    wanted.extend(roles.id);
    wanted.extend(roles.label);
    let mut texts = source.texts(&wanted)?;
    let labels = roles.label.and_then(|_| texts.pop());
    let ids = roles.id.and_then(|_| texts.pop());

    let name = |&column: &usize| source.names()[column].clone();
    let feature_names: Vec<String> = roles.features.iter().map(name).collect();
    let label_name = roles.label.as_ref().map(name);
    let mut carried: Vec<_> = roles.carried.iter().map(name).zip(texts).collect();
    notes.extend(survey::notes(&feature_names, &columns, &carried, options.columns.is_some()));
    if let Some(shown) = &roles.shown {
        carried = shown.iter().map(name).zip(source.texts(shown)?).collect();
    }
    let views = Columns::new(path, source.names()).views(&options.views, &roles.features)?;
    let values = matrix(source.rows(), &columns);
    Ok(Table { values, feature_names, ids, labels, label_name, carried, views, notes })
}

/// Reads a plain matrix of finite numbers from an `.npy` or delimited text file; `what` names it in messages.
///
/// A one-dimensional array is a column, and the last two axes of a three-dimensional one become one.
pub fn read_matrix(path: &Path, what: &str) -> Result<Matrix> {
    let mut source: Box<dyn Source> = match TableFormat::of(path)? {
        TableFormat::Delimited => Box::new(csv::DelimitedTable::read(path, None)?),
        TableFormat::Npy => Box::new(numpy::read_npy(path, what, 3)?),
        TableFormat::Npz | TableFormat::Parquet | TableFormat::Arrow | TableFormat::Sheet => {
            let problem = format!("{what} is read from .npy or .csv files only");
            return Err(refuse(path, problem, "save it as one of these"));
        }
    };
    if source.notes().iter().any(|note| matches!(note, TableNote::DecimalCommas(_))) {
        let problem = format!("{what} has decimals that are written with a comma");
        return Err(refuse(path, problem, "write them with a point"));
    }
    let all: Vec<usize> = (0..source.names().len()).collect();
    let columns = gather(source.as_mut(), &all)?;
    if let Some((row, column)) = first_bad(&columns) {
        let text = cell_text(source.as_ref(), row, column)?;
        let found = if is_missing(&text) { "nothing".to_owned() } else { format!("\"{}\"", shown(&text)) };
        let column = Column::from(source.names()[column].as_str());
        let problem = message![Piece::Row(row), ", ", column, format!(" of {what} holds {found}, not a finite number")];
        return Err(refuse(path, problem, "correct it"));
    }
    Ok(matrix(source.rows(), &columns))
}

/// Reads every row of a delimited text file as trimmed text, without regard to headers or to how long rows are.
pub fn read_cells(path: &Path) -> Result<Vec<Vec<String>>> {
    csv::cells(path)
}

/// What the formats have in common: named columns of equal length, seen as numbers or as text.
trait Source {
    fn names(&self) -> &[String];
    fn rows(&self) -> usize;
    /// Whether the column is a feature where nothing else is said about it.
    fn is_feature(&self, column: usize) -> bool;
    /// Whether the column would be one if it had a name.
    fn is_unnamed(&self, _column: usize) -> bool {
        false
    }
    /// The column's numbers, with a non-finite one wherever there is none. Asked for once per column.
    fn numbers(&mut self, column: usize) -> Result<Vec<f64>>;
    /// The text of several columns, empty where missing.
    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>>;
    /// The line of a text file on which a row begins.
    fn line(&self, _row: usize) -> Option<usize> {
        None
    }
    /// What to know about how the file was understood.
    fn notes(&self) -> Vec<TableNote> {
        Vec::new()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum TableFormat {
    Delimited,
    Npy,
    Npz,
    Parquet,
    Arrow,
    Sheet,
}

impl TableFormat {
    fn of(path: &Path) -> Result<Self> {
        if is_standard_input(path) {
            return Ok(Self::Delimited);
        }
        if is_parquet_folder(path) {
            return Ok(Self::Parquet);
        }
        if let Some(refusal) = known_but_not_read(path) {
            return Err(refusal);
        }
        let (extension, is_packed) = inner_extension(path);
        match extension.as_str() {
            "csv" | "tsv" | "tab" | "txt" => Ok(Self::Delimited),
            "npy" | "npz" | "parquet" | "pq" | "arrow" | "arrows" | "feather" | "ipc" | "xlsx" | "xlsm" | "xls"
            | "ods"
                if is_packed =>
            {
                Err(refuse(path, "is packed, and only delimited text is read so", "unpack it"))
            }
            "npy" => Ok(Self::Npy),
            "npz" => Ok(Self::Npz),
            "parquet" | "pq" => Ok(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Ok(Self::Arrow),
            "xlsx" | "xlsm" | "ods" => Ok(Self::Sheet),
            _ => Err(refuse(
                path,
                "the extension does not show which format it has",
                "give a file that ends in .csv, .tsv, .tab, .txt, .npy, .npz, .parquet, .pq, .arrow, .feather, .ipc, .xlsx or .ods; text may be packed as .gz or .zst",
            )),
        }
    }

    /// The format, where the options agree with it.
    fn with(path: &Path, options: &TableOptions) -> Result<Self> {
        let format = Self::of(path)?;
        for (name, is_given, is_fit, what) in [
            ("array", options.array.is_some(), format == Self::Npz, "only .npz files hold named arrays"),
            ("sheet", options.sheet.is_some(), format == Self::Sheet, "only spreadsheets hold sheets"),
        ] {
            if is_given && !is_fit {
                let problem = message![Piece::Setting(name), format!(" was given, but {what}, not "), file(path)];
                return Err(Error::Setting { name, problem, remedies: vec![Remedy::Omit(name)] });
            }
        }
        Ok(format)
    }
}

pub(super) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path) -> Result<Box<dyn Source>> {
    if path.is_dir() {
        return Ok(Box::new(parquet::ColumnarFolder::open(path)?));
    }
    Ok(Box::new(parquet::Columnar::open(path)?))
}

#[cfg(feature = "parquet")]
fn is_parquet_folder(path: &Path) -> bool {
    !parquet::parts(path).is_empty()
}

#[cfg(not(feature = "parquet"))]
fn is_parquet_folder(_: &Path) -> bool {
    false
}

/// What to do with a file whose format is known, but not read here.
fn known_but_not_read(path: &Path) -> Option<Error> {
    let (what, remedy) = match extension(path).as_str() {
        "h5ad" => (
            "is AnnData, which the Python package takes",
            "read it in Python with anndata.read_h5ad, and after scanpy.pp.neighbors fit it with tangency.tl.lllvm",
        ),
        "xls" | "xlsb" | "numbers" => {
            ("is a spreadsheet of a kind that is not read", "save it as .xlsx, or the sheet as .csv")
        }
        "zip" | "bz2" | "xz" | "7z" | "rar" | "tar" | "tgz" => {
            ("is packed in a way that is not read", "unpack it, or pack it as .gz or .zst")
        }
        _ => return None,
    };
    Some(refuse(path, what, remedy))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path) -> Result<Box<dyn Source>> {
    Err(not_built(path, "Parquet files", "parquet"))
}

#[cfg(feature = "arrow")]
fn open_arrow(path: &Path) -> Result<Box<dyn Source>> {
    Ok(Box::new(arrow::ArrowTable::open(path)?))
}

#[cfg(not(feature = "arrow"))]
fn open_arrow(path: &Path) -> Result<Box<dyn Source>> {
    Err(not_built(path, "Arrow files", "arrow"))
}

#[cfg(feature = "spreadsheets")]
fn open_sheet(path: &Path, options: &TableOptions) -> Result<Box<dyn Source>> {
    let sheet = sheet::read(path, options.sheet.as_deref())?;
    Ok(Box::new(csv::DelimitedTable::of_sheet(path, sheet, options.header)?))
}

#[cfg(not(feature = "spreadsheets"))]
fn open_sheet(path: &Path, _: &TableOptions) -> Result<Box<dyn Source>> {
    Err(not_built(path, "spreadsheets", "spreadsheets"))
}

#[cfg(not(all(feature = "parquet", feature = "arrow", feature = "spreadsheets")))]
fn not_built(path: &Path, what: &str, feature: &str) -> Error {
    let remedy = format!("rebuild with the feature \"{feature}\", or convert the file to .csv or .npy");
    refuse(path, format!("this build cannot read {what}"), remedy)
}

fn gather(source: &mut dyn Source, columns: &[usize]) -> Result<Vec<Vec<f64>>> {
    columns.iter().map(|&column| source.numbers(column)).collect()
}

/// Row and column of the first cell, reading row by row, that is not a finite number.
fn first_bad(columns: &[Vec<f64>]) -> Option<(usize, usize)> {
    let row_of_first = |column: &Vec<f64>| column.iter().position(|x| !x.is_finite());
    columns.iter().enumerate().filter_map(|(j, column)| Some((row_of_first(column)?, j))).min()
}

/// An error unless every cell is a finite number, or missing where there may be gaps; these become NaN.
fn check_cells(source: &dyn Source, features: &[usize], columns: &mut [Vec<f64>], gaps: bool) -> Result<()> {
    if !gaps {
        let Some((row, position)) = first_bad(columns) else { return Ok(()) };
        let text = cell_text(source, row, features[position])?;
        return Err(bad_cell(row, &source.names()[features[position]], text).on_line(|| source.line(row)));
    }
    let with_gaps: Vec<usize> = (0..columns.len()).filter(|&c| columns[c].iter().any(|x| !x.is_finite())).collect();
    // one request for all, since a reader may have to pass over its file for each
    let texts = source.texts(&with_gaps.iter().map(|&c| features[c]).collect::<Vec<_>>())?;
    let mut bad: Option<(usize, usize, String)> = None;
    for (&c, texts) in with_gaps.iter().zip(texts) {
        for (row, text) in
            texts.into_iter().enumerate().filter(|&(row, _)| !columns[c][row].is_finite()).collect::<Vec<_>>()
        {
            if is_missing(&text) {
                columns[c][row] = f64::NAN;
            } else if bad.as_ref().is_none_or(|&(r, other, _)| (row, c) < (r, other)) {
                bad = Some((row, c, text));
            }
        }
    }
    match bad {
        Some((row, c, text)) => Err(bad_cell(row, &source.names()[features[c]], text).on_line(|| source.line(row))),
        None => Ok(()),
    }
}

fn cell_text(source: &dyn Source, row: usize, column: usize) -> Result<String> {
    let texts = source.texts(&[column])?;
    Ok(texts.into_iter().next().and_then(|column| column.into_iter().nth(row)).unwrap_or_default())
}

fn bad_cell(row: usize, column: &str, text: String) -> Error {
    if is_missing(&text) {
        Error::NonFinite { row, column: column.into(), value: "missing".into(), line: None }
    } else if text.trim().parse::<f64>().is_ok() {
        Error::NonFinite { row, column: column.into(), value: text, line: None }
    } else {
        Error::NotNumeric { row, column: column.to_owned(), value: text, line: None }
    }
}

fn matrix(rows: usize, columns: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows, columns.len(), |i, j| columns[j][i])
}

fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    ["", "NA", "N/A", "NaN", "null", "None", "?"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Whether a column is what pandas calls row numbers in a file.
#[cfg(any(feature = "arrow", feature = "parquet"))]
fn is_row_index(name: &str) -> bool {
    name.starts_with("__index_level_")
}

/// The number that a text is, or NaN.
#[cfg(any(feature = "arrow", feature = "parquet"))]
fn number_in(text: &str) -> f64 {
    text.trim().parse().unwrap_or(f64::NAN)
}

fn numbered_names(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("c{number}")).collect()
}

pub(super) fn refuse_duplicates(path: &Path, names: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    let mut twice: Vec<String> = Vec::new();
    for name in names {
        if !seen.insert(name) && !twice.contains(name) {
            twice.push(name.clone());
        }
    }
    if twice.is_empty() {
        return Ok(());
    }
    Err(refuse(path, format!("more than one column is named {}", listed(&twice)), "give each its own name"))
}

fn refuse(path: &Path, problem: impl Into<Message>, remedy: impl Into<Message>) -> Error {
    Error::file(path, problem, [Remedy::act(remedy)])
}
