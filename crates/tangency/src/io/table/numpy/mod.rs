//! Tables in NumPy's `.npy` and `.npz` files.

mod header;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;

use super::value::CellValue;
use super::{Source, numbered_names, refuse};
use crate::error::{Error, Result};
use crate::io::allowance::{Allowance, Excess};
use crate::message;
use crate::message::{Piece, listed, shown};
use header::NpyHeader;

/// Enough of an array to hold its header, unless it is a structured one.
pub(super) const HEADER_BYTES: u64 = 1 << 17;

/// What an element takes while a table is made of it, beside its own bytes: a number in its column and in the matrix.
const NUMBERS: u64 = 16;

pub(super) fn read_npy(path: &Path, what: &str, max_axes: usize) -> Result<NpyArray> {
    let failed = |error| Error::unreadable(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    // what is no file, as a pipe, has no length
    let length = file.metadata().map_err(failed).map(|it| if it.is_file() { it.len() } else { u64::MAX })?;
    let mut bytes = Vec::new();
    file.by_ref().take(HEADER_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    let layout = NpyLayout::parse(path, what, max_axes, &bytes, length)?;
    layout.check(&Allowance::of_length(length)).map_err(|excess| excess.of(path))?;
    file.take(layout.end().saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).map_err(failed)?;
    NpyArray::new(path, what, max_axes, bytes)
}

pub(super) fn read_npz(path: &Path, wanted: Option<&str>) -> Result<NpyArray> {
    let file = File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    let damaged = |error: std::io::Error| refuse(path, format!("is not a sound .npz file ({error})"), "save it again");
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.into()))?;
    let mut names: Vec<String> =
        archive.file_names().flatten().filter_map(|name| Some(name.strip_suffix(EXTENSION)?.to_owned())).collect();
    names.sort();
    let chosen = match wanted {
        Some(name) => names.iter().find(|other| *other == name).cloned(),
        None => choose(&mut archive, &names),
    };
    let Some(name) = chosen else {
        let problem = match wanted {
            Some(name) => format!("there is no array \"{}\" in it, but {}", shown(name), listed(&names)),
            None => format!("it is not clear which of its arrays ({}) is the table", listed(&names)),
        };
        return Err(refuse(path, problem, message!["name one of them with ", Piece::Setting("array")]));
    };
    // what the header promises is checked before it is unpacked, and no more is unpacked than that
    let what = format!("the array {name}");
    let beginning = entry(&mut archive, &name, HEADER_BYTES).map_err(damaged)?;
    let layout = NpyLayout::parse(path, &what, 2, &beginning, u64::MAX)?;
    layout.check(&Allowance::of(path)).map_err(|excess| excess.of(path))?;
    let bytes = entry(&mut archive, &name, layout.end()).map_err(damaged)?;
    NpyArray::new(path, &what, 2, bytes)
}

/// What the files of an archive have behind the names of their arrays.
const EXTENSION: &str = ".npy";

type Archive = ZipArchive<BufReader<File>>;

/// The only array, or the only one that is a numeric matrix, or the first with a usual name.
fn choose(archive: &mut Archive, names: &[String]) -> Option<String> {
    if let [only] = names {
        return Some(only.clone());
    }
    let mut is_matrix = |name: &&String| {
        let header = entry(archive, name, HEADER_BYTES).map(|bytes| NpyHeader::parse(&bytes));
        header.is_ok_and(|header| header.is_ok_and(|header| header.shape.len() == 2))
    };
    let mut matrices = names.iter().filter(|name| is_matrix(name));
    if let (Some(only), None) = (matrices.next(), matrices.next()) {
        return Some(only.clone());
    }
    let usual = ["X", "x", "Y", "y", "data", "arr_0"];
    usual.iter().find_map(|&name| names.iter().find(|other| *other == name).cloned())
}

/// The first bytes of an array, at most so many; what is behind them stays packed.
fn entry(archive: &mut Archive, name: &str, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}{EXTENSION}"))?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An array in memory as it is in its file.
pub(super) struct NpyArray {
    layout: NpyLayout,
    bytes: Vec<u8>,
    names: Vec<String>,
}

impl NpyArray {
    fn new(path: &Path, what: &str, max_axes: usize, bytes: Vec<u8>) -> Result<Self> {
        let layout = NpyLayout::parse(path, what, max_axes, &bytes, bytes.len() as u64)?;
        Ok(Self { names: numbered_names(layout.width()), layout, bytes })
    }

    pub(super) fn value(&self, row: usize, column: usize) -> CellValue {
        let start = self.layout.start(row, column) as usize;
        self.layout.value(&self.bytes[start..start + self.layout.size()])
    }
}

/// What is where in the file of an array.
pub(super) struct NpyLayout {
    header: NpyHeader,
    /// Lengths of the axes, with 1 for those that are not there.
    lengths: [usize; 3],
}

impl NpyLayout {
    /// The layout of a file by its beginning and its length.
    pub(super) fn parse(path: &Path, what: &str, max_axes: usize, beginning: &[u8], length: u64) -> Result<Self> {
        let header = NpyHeader::parse(beginning)
            .map_err(|(problem, remedy)| refuse(path, format!("{what} cannot be read: {problem}"), remedy))?;
        let lengths = match *header.shape {
            [n] => [n, 1, 1],
            [n, a] => [n, a, 1],
            [n, a, b] if max_axes == 3 => [n, a, b],
            _ => {
                let axes = header.shape.len();
                let lengths: Vec<String> = header.shape.iter().map(usize::to_string).collect();
                let lengths = lengths.join(" × ");
                return Err(refuse(
                    path,
                    format!("{what} has {axes} dimensions ({lengths}), but 1 to {max_axes} can be read"),
                    "reshape it to a row per point",
                ));
            }
        };
        // Before anything is allocated by what the header says, the data must be there.
        let needed = lengths.iter().try_fold(header.size, |product, &length| product.checked_mul(length));
        let found = length.saturating_sub(header.data_start as u64);
        if needed.is_none_or(|needed| needed as u64 > found) {
            let needed = needed.map_or("more bytes than there can be".to_owned(), |needed| format!("{needed} bytes"));
            return Err(refuse(
                path,
                format!("{what} is cut short: its header promises {needed} of data and {found} are there"),
                "save it again",
            ));
        }
        if lengths.contains(&0) {
            return Err(refuse(path, format!("{what} is empty"), "give at least one row and one column"));
        }
        Ok(Self { header, lengths })
    }

    pub(super) fn rows(&self) -> usize {
        self.lengths[0]
    }

    pub(super) fn width(&self) -> usize {
        self.lengths[1] * self.lengths[2]
    }

    /// Where its last element ends in the file.
    fn end(&self) -> u64 {
        self.header.data_start as u64 + self.count().saturating_mul(self.header.size as u64)
    }

    fn count(&self) -> u64 {
        self.lengths.iter().fold(1, |product, &length| product.saturating_mul(length as u64))
    }

    /// Whether there is room for the array and the table that is made of it.
    fn check(&self, allowance: &Allowance) -> std::result::Result<(), Excess> {
        allowance.check(self.count().saturating_mul(self.header.size as u64 + NUMBERS))
    }

    /// Bytes of an element.
    pub(super) fn size(&self) -> usize {
        self.header.size
    }

    /// Whether columns, not rows, are in one piece.
    pub(super) fn fortran_order(&self) -> bool {
        self.header.fortran_order
    }

    /// Where in the file an element begins.
    pub(super) fn start(&self, row: usize, column: usize) -> u64 {
        let [n, a, b] = self.lengths;
        let (j, k) = (column / b, column % b);
        let index = if self.header.fortran_order { row + n * (j + a * k) } else { (row * a + j) * b + k };
        self.header.data_start as u64 + (index * self.header.size) as u64
    }

    /// The value of an element's bytes.
    pub(super) fn value(&self, bytes: &[u8]) -> CellValue {
        let size = self.header.size;
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes);
        if self.header.big_endian {
            word[..size].reverse();
        }
        self.header.kind.value(u64::from_le_bytes(word), size)
    }
}

impl Source for NpyArray {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.layout.rows()
    }

    fn is_feature(&self, _: usize) -> bool {
        true
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        Ok((0..self.rows()).map(|row| self.value(row, column).number()).collect())
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let column_text = |&column| (0..self.rows()).map(|row| self.value(row, column).text()).collect();
        Ok(columns.iter().map(column_text).collect())
    }
}
