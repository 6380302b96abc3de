//! Tables in NumPy's `.npy` and `.npz` files.

mod header;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use npyz::npz::{NpzArchive, file_name_from_array_name};

use super::value::CellValue;
use super::{Source, numbered_names, refuse};
use crate::error::{Error, Result};
use crate::message;
use crate::message::{Piece, listed, shown};
use header::NpyHeader;

/// Enough of an array to hold its header, unless it is a structured one.
pub(super) const HEADER_BYTES: u64 = 1 << 17;

pub(super) fn read_npy(path: &Path, what: &str, max_axes: usize) -> Result<NpyArray> {
    let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    NpyArray::parse(path, what, max_axes, bytes)
}

pub(super) fn read_npz(path: &Path, wanted: Option<&str>) -> Result<NpyArray> {
    let file = File::open(path).map_err(|error| Error::unreadable(path, &error))?;
    let damaged = |error| refuse(path, format!("is not a sound .npz file ({error})"), "save it again");
    let mut archive = NpzArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut names: Vec<String> = archive.array_names().map(str::to_owned).collect();
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
    let bytes = entry(&mut archive, &name, u64::MAX).map_err(damaged)?;
    NpyArray::parse(path, &format!("the array {name}"), 2, bytes)
}

/// The only array, or the only one that is a numeric matrix, or the first with a usual name.
fn choose(archive: &mut NpzArchive<BufReader<File>>, names: &[String]) -> Option<String> {
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

fn entry(archive: &mut NpzArchive<BufReader<File>>, name: &str, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let entry = archive.zip_archive().by_name(&file_name_from_array_name(name))?;
    entry.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An array in memory as it is in its file.
pub(super) struct NpyArray {
    layout: NpyLayout,
    bytes: Vec<u8>,
    names: Vec<String>,
}

impl NpyArray {
    fn parse(path: &Path, what: &str, max_axes: usize, bytes: Vec<u8>) -> Result<Self> {
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
