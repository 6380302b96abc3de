//! Tables in NumPy's `.npy` and `.npz` files.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use npyz::npz::{NpzArchive, file_name_from_array_name};

use super::value::{Value, half};
use super::{Source, listing, numbered_names, refuse, unreadable};
use crate::error::Result;

/// Enough of an archived array to hold its header, unless it is a structured one.
const HEADER_BYTES: u64 = 1 << 16;

pub(super) fn read_npy(path: &Path, what: &str, max_axes: usize) -> Result<Array> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    Array::parse(path, what, max_axes, bytes)
}

pub(super) fn read_npz(path: &Path, wanted: Option<&str>) -> Result<Array> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let damaged = |error| refuse(path, format!("not a sound .npz file ({error}); save it again"));
    let mut archive = NpzArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut names: Vec<String> = archive.array_names().map(str::to_owned).collect();
    names.sort();
    let chosen = match wanted {
        Some(name) => names.iter().find(|other| *other == name).cloned(),
        None => choose(&mut archive, &names),
    };
    let Some(name) = chosen else {
        let problem = match wanted {
            Some(name) => format!("there is no array \"{name}\" in it"),
            None => "it is not clear which of its arrays is the table".to_owned(),
        };
        return Err(refuse(path, format!("{problem}; name one with --array: it has {}", listing(&names))));
    };
    let bytes = entry(&mut archive, &name, u64::MAX).map_err(damaged)?;
    Array::parse(path, &format!("the array {name}"), 2, bytes)
}

/// The only array, or the only one that is a numeric matrix, or the first with a usual name.
fn choose(archive: &mut NpzArchive<BufReader<File>>, names: &[String]) -> Option<String> {
    if let [only] = names {
        return Some(only.clone());
    }
    let mut is_matrix = |name: &&String| {
        let header = entry(archive, name, HEADER_BYTES).map(|bytes| Header::parse(&bytes));
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
pub(super) struct Array {
    header: Header,
    bytes: Vec<u8>,
    /// Lengths of the axes, with 1 for those that are not there.
    lengths: [usize; 3],
    names: Vec<String>,
}

impl Array {
    fn parse(path: &Path, what: &str, max_axes: usize, bytes: Vec<u8>) -> Result<Self> {
        let header =
            Header::parse(&bytes).map_err(|reason| refuse(path, format!("{what} cannot be read: {reason}")))?;
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
                    format!(
                        "{what} has {axes} dimensions ({lengths}) and must have 1 to {max_axes}; reshape it to a row per point"
                    ),
                ));
            }
        };
        // Before anything is allocated by what the header says, the data must be there.
        let needed = lengths.iter().try_fold(header.size, |product, &length| product.checked_mul(length));
        let found = bytes.len().saturating_sub(header.data_start);
        if needed.is_none_or(|needed| needed > found) {
            let needed = needed.map_or("more bytes than there can be".to_owned(), |needed| format!("{needed} bytes"));
            return Err(refuse(
                path,
                format!(
                    "{what} is cut short: its header promises {needed} of data and {found} are there; save it again"
                ),
            ));
        }
        if lengths.contains(&0) {
            return Err(refuse(path, format!("{what} is empty; a table needs at least one row and one column")));
        }
        Ok(Self { names: numbered_names(lengths[1] * lengths[2]), header, bytes, lengths })
    }

    fn value(&self, row: usize, column: usize) -> Value {
        let [n, a, b] = self.lengths;
        let (j, k) = (column / b, column % b);
        let index = if self.header.fortran_order { row + n * (j + a * k) } else { (row * a + j) * b + k };
        let size = self.header.size;
        let start = self.header.data_start + index * size;
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.bytes[start..start + size]);
        if self.header.big_endian {
            word[..size].reverse();
        }
        self.header.kind.value(u64::from_le_bytes(word), size)
    }
}

impl Source for Array {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn rows(&self) -> usize {
        self.lengths[0]
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

#[derive(Clone, Copy)]
enum Kind {
    Truth,
    Signed,
    Unsigned,
    Float,
}

impl Kind {
    fn value(self, bits: u64, size: usize) -> Value {
        match (self, size) {
            (Self::Truth, _) => Value::Truth(bits != 0),
            (Self::Signed, _) => {
                let shift = 64 - 8 * size;
                Value::Signed((bits << shift) as i64 >> shift)
            }
            (Self::Unsigned, _) => Value::Unsigned(bits),
            (Self::Float, 2) => Value::Single(half(bits as u16)),
            (Self::Float, 4) => Value::Single(f32::from_bits(bits as u32)),
            (Self::Float, _) => Value::Double(f64::from_bits(bits)),
        }
    }
}

/// What stands before the data. It is parsed here because `npyz` multiplies out shapes and recurses into brackets
/// without a bound, so that a damaged header could end the process.
struct Header {
    kind: Kind,
    size: usize,
    big_endian: bool,
    fortran_order: bool,
    shape: Vec<usize>,
    data_start: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        let cut_short = || "its header is cut short; save it again".to_owned();
        if !bytes.starts_with(b"\x93NUMPY") {
            return Err("it does not begin as a NumPy array does; save it with numpy.save".into());
        }
        let (text_start, length) = match *bytes.get(6..12).ok_or_else(cut_short)? {
            [1, _, a, b, _, _] => (10, usize::from(u16::from_le_bytes([a, b]))),
            [2 | 3, _, a, b, c, d] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
            _ => return Err("its version of the format is not known; save it with another version of NumPy".into()),
        };
        let data_start = text_start + length;
        let text = String::from_utf8_lossy(bytes.get(text_start..data_start).ok_or_else(cut_short)?);
        let entry = |key| dict_entry(&text, key).ok_or(format!("its header has no entry {key}; save it again"));

        let (kind, size, big_endian) = element(entry("descr")?)?;
        let fortran_order = match entry("fortran_order")? {
            "True" => true,
            "False" => false,
            other => {
                return Err(format!("its header gives {other} as fortran_order; save it again"));
            }
        };
        let shape = entry("shape")?;
        let lengths = shape.trim_start_matches(['(', '[']).trim_end_matches([')', ']']).split(',').map(str::trim);
        let lengths = lengths.filter(|length| !length.is_empty()).map(str::parse);
        let lengths: std::result::Result<_, _> = lengths.collect();
        let shape = lengths.map_err(|_| format!("its header gives {shape} as shape; save it again"))?;
        Ok(Self { kind, size, big_endian, fortran_order, shape, data_start })
    }
}

/// The kind, size and byte order that a type description such as `'<f8'` stands for.
fn element(description: &str) -> std::result::Result<(Kind, usize, bool), String> {
    let name = description.trim_matches(['\'', '"']);
    let big_endian = name.starts_with('>');
    let element = match name.trim_start_matches(['<', '>', '|']) {
        "b1" => (Kind::Truth, 1),
        "i1" => (Kind::Signed, 1),
        "i2" => (Kind::Signed, 2),
        "i4" => (Kind::Signed, 4),
        "i8" => (Kind::Signed, 8),
        "u1" => (Kind::Unsigned, 1),
        "u2" => (Kind::Unsigned, 2),
        "u4" => (Kind::Unsigned, 4),
        "u8" => (Kind::Unsigned, 8),
        "f2" => (Kind::Float, 2),
        "f4" => (Kind::Float, 4),
        "f8" => (Kind::Float, 8),
        other if other.starts_with('O') => {
            return Err("it holds Python objects (a pickle), not numbers; convert it with astype(float)".into());
        }
        other if other.starts_with('[') => {
            return Err("it is a structured array; save its numeric fields as a plain matrix".into());
        }
        _ => {
            return Err(format!("its type {name} is not a real number; convert it with astype(float)"));
        }
    };
    Ok((element.0, element.1, big_endian))
}

/// The value of a key in the text of a Python dictionary, not looking inside nested brackets.
fn dict_entry<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let body = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut quote, mut start, mut found) = (0usize, None, 0, None);
    for (at, c) in body.char_indices().chain([(body.len(), ',')]) {
        match c {
            '\'' | '"' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => quote = quote.filter(|&quote| quote != c),
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && body[start..at].trim().trim_matches(['\'', '"']) == key => {
                found = Some(at + 1);
            }
            ',' if depth == 0 => {
                if let Some(value) = found {
                    return Some(body[value..at].trim());
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}
