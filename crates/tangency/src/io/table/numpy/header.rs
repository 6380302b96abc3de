//! What stands before the data of an `.npy` file.

use crate::io::table::value::{CellValue, half};
use crate::message::shown;

#[derive(Clone, Copy)]
pub(super) enum NpyKind {
    Truth,
    Signed,
    Unsigned,
    Float,
}

impl NpyKind {
    pub(super) fn value(self, bits: u64, size: usize) -> CellValue {
        match (self, size) {
            (Self::Truth, _) => CellValue::Truth(bits != 0),
            (Self::Signed, _) => {
                let shift = 64 - 8 * size;
                CellValue::Signed((bits << shift) as i64 >> shift)
            }
            (Self::Unsigned, _) => CellValue::Unsigned(bits),
            (Self::Float, 2) => CellValue::Single(half(bits as u16)),
            (Self::Float, 4) => CellValue::Single(f32::from_bits(bits as u32)),
            (Self::Float, _) => CellValue::Double(f64::from_bits(bits)),
        }
    }
}

/// What stands before the data. It is parsed here, since what a damaged header promises must not end the process.
pub(super) struct NpyHeader {
    pub(super) kind: NpyKind,
    pub(super) size: usize,
    pub(super) big_endian: bool,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
    pub(super) data_start: usize,
}

/// What is wrong with a header, and what to do.
pub(super) type Refusal = (String, &'static str);

const SAVE_AGAIN: &str = "save it again";

impl NpyHeader {
    pub(super) fn parse(bytes: &[u8]) -> std::result::Result<Self, Refusal> {
        let cut_short = || ("its header is cut short".to_owned(), SAVE_AGAIN);
        if !bytes.starts_with(b"\x93NUMPY") {
            return Err(("it does not begin as a NumPy array does".into(), "save it with numpy.save"));
        }
        let (text_start, length) = match *bytes.get(6..12).ok_or_else(cut_short)? {
            [1, _, a, b, _, _] => (10, usize::from(u16::from_le_bytes([a, b]))),
            [2 | 3, _, a, b, c, d] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
            _ => {
                return Err(("its version of the format is not known".into(), "save it with another version of NumPy"));
            }
        };
        let data_start = text_start + length;
        let text = String::from_utf8_lossy(bytes.get(text_start..data_start).ok_or_else(cut_short)?);
        let entry = |key| dict_entry(&text, key).ok_or((format!("its header has no entry {key}"), SAVE_AGAIN));

        let (kind, size, big_endian) = element(entry("descr")?)?;
        let fortran_order = match entry("fortran_order")? {
            "True" => true,
            "False" => false,
            other => {
                return Err((format!("its header gives {} as fortran_order", shown(other)), SAVE_AGAIN));
            }
        };
        let shape = entry("shape")?;
        let lengths = shape.trim_start_matches(['(', '[']).trim_end_matches([')', ']']).split(',').map(str::trim);
        let lengths = lengths.filter(|length| !length.is_empty()).map(str::parse);
        let lengths: std::result::Result<_, _> = lengths.collect();
        let shape = lengths.map_err(|_| (format!("its header gives {} as shape", shown(shape)), SAVE_AGAIN))?;
        Ok(Self { kind, size, big_endian, fortran_order, shape, data_start })
    }
}

/// The kind, size and byte order that a type description such as `'<f8'` stands for.
fn element(description: &str) -> std::result::Result<(NpyKind, usize, bool), Refusal> {
    let name = description.trim_matches(['\'', '"']);
    let big_endian = name.starts_with('>');
    let element = match name.trim_start_matches(['<', '>', '|']) {
        "b1" => (NpyKind::Truth, 1),
        "i1" => (NpyKind::Signed, 1),
        "i2" => (NpyKind::Signed, 2),
        "i4" => (NpyKind::Signed, 4),
        "i8" => (NpyKind::Signed, 8),
        "u1" => (NpyKind::Unsigned, 1),
        "u2" => (NpyKind::Unsigned, 2),
        "u4" => (NpyKind::Unsigned, 4),
        "u8" => (NpyKind::Unsigned, 8),
        "f2" => (NpyKind::Float, 2),
        "f4" => (NpyKind::Float, 4),
        "f8" => (NpyKind::Float, 8),
        other if other.starts_with('O') => {
            return Err(("it holds objects (a pickle), not numbers".into(), "convert it with astype(float)"));
        }
        other if other.starts_with('[') => {
            return Err(("it is a structured array".into(), "save its numeric fields as a plain matrix"));
        }
        _ => {
            return Err((format!("its type {} is not a real number", shown(name)), "convert it with astype(float)"));
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
