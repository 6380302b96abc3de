//! The cells of one column in a batch, checked when they are put together, so that none stands outside of its buffer.

use std::sync::Arc;

use super::field::Kind;
use super::messages::{Arrow, contents};
use crate::io::table::decimal::{big_endian, decimal};
use crate::io::table::iso::{date, instant, time_of_day};
use crate::io::table::value::{CellValue, half};

const MILLISECONDS_A_DAY: i64 = 86_400_000;

/// Which rows have a value, a bit each; empty where all have.
pub(super) type Validity = Arc<Vec<u8>>;

pub(super) struct Array {
    pub(super) rows: usize,
    /// Its own and those of the columns that it is part of: a row needs a bit in each.
    validity: Vec<Validity>,
    values: Values,
}

pub(super) enum Values {
    Absent,
    Truths(Vec<u8>),
    Fixed { kind: Kind, width: usize, bytes: Vec<u8> },
    Variable { is_text: bool, ends: Vec<usize>, bytes: Vec<u8> },
    Views { is_text: bool, views: Vec<u8>, buffers: Vec<Vec<u8>> },
    List { ends: Vec<usize>, items: Box<Array> },
    Places { kind: Kind, width: usize, bytes: Vec<u8>, dictionary: Vec<Arc<Array>> },
}

impl Array {
    pub(super) fn new(rows: usize, validity: Vec<Validity>, values: Values) -> Arrow<Self> {
        let has = |bytes: &[u8], count: usize, width: usize| {
            count.checked_mul(width).is_some_and(|needed| needed <= bytes.len())
        };
        let bits = rows.div_ceil(8);
        let array = Self { rows, validity, values };
        let is_whole = array.validity.iter().all(|bytes| bytes.is_empty() || bytes.len() >= bits)
            && match &array.values {
                Values::Absent => true,
                Values::Truths(bytes) => bytes.len() >= bits,
                Values::Fixed { width, bytes, .. } | Values::Places { width, bytes, .. } => has(bytes, rows, *width),
                Values::Variable { ends, bytes, .. } => are_ends(ends, rows, bytes.len()),
                Values::List { ends, items } => are_ends(ends, rows, items.rows),
                Values::Views { views, .. } => has(views, rows, 16),
            };
        if !is_whole {
            return contents("a column is shorter than its rows");
        }
        let is_inside = |row: usize| match &array.values {
            Values::Views { views, buffers, .. } => view(views, buffers, row).is_some(),
            Values::Places { .. } => array.in_dictionary(row).is_some(),
            _ => true,
        };
        let is_checked = matches!(&array.values, Values::Views { .. } | Values::Places { .. });
        if is_checked && !(0..rows).all(|row| !array.is_valid(row) || is_inside(row)) {
            return contents("a cell stands outside of its column");
        }
        Ok(array)
    }

    fn is_valid(&self, row: usize) -> bool {
        self.validity.iter().all(|bits| bits.is_empty() || bit(bits, row))
    }

    fn in_dictionary(&self, row: usize) -> Option<(&Array, usize)> {
        let Values::Places { kind, width, bytes, dictionary } = &self.values else { return None };
        let place = match fixed(*kind, &bytes[row * width..(row + 1) * width])? {
            CellValue::Signed(place) => usize::try_from(place).ok()?,
            CellValue::Unsigned(place) => usize::try_from(place).ok()?,
            _ => return None,
        };
        let mut left = place;
        for part in dictionary {
            if left < part.rows {
                return Some((part, left));
            }
            left -= part.rows;
        }
        None
    }

    /// The number in a row, or NaN.
    pub(super) fn number(&self, row: usize) -> f64 {
        if !self.is_valid(row) {
            return f64::NAN;
        }
        match &self.values {
            Values::Truths(bytes) => CellValue::Truth(bit(bytes, row)).number(),
            Values::Fixed { kind, width, bytes } => {
                let bytes = &bytes[row * width..(row + 1) * width];
                // the text of a decimal is exact, so that parsing it rounds only once
                let exact = || decimal_text(*kind, bytes)?.parse().ok();
                fixed(*kind, bytes).map(CellValue::number).or_else(exact).unwrap_or(f64::NAN)
            }
            Values::Places { .. } => self.in_dictionary(row).map_or(f64::NAN, |(part, place)| part.number(place)),
            _ => f64::NAN,
        }
    }

    /// The text of a row; none where it has no value.
    pub(super) fn text(&self, row: usize) -> Option<String> {
        if !self.is_valid(row) {
            return None;
        }
        let variable = |is_text: bool, bytes: &[u8]| {
            Some(if is_text { String::from_utf8_lossy(bytes).into_owned() } else { hexadecimal(bytes) })
        };
        match &self.values {
            Values::Absent => None,
            Values::Truths(bytes) => Some(CellValue::Truth(bit(bytes, row)).text()),
            Values::Fixed { kind, width, bytes } => Some(fixed_text(*kind, &bytes[row * width..(row + 1) * width])),
            Values::Variable { is_text, ends, bytes } => variable(*is_text, &bytes[ends[row]..ends[row + 1]]),
            Values::Views { is_text, views, buffers } => variable(*is_text, view(views, buffers, row)?),
            Values::List { ends, items } => {
                let cells = (ends[row]..ends[row + 1]).map(|item| items.text(item).unwrap_or_else(|| "null".into()));
                Some(format!("[{}]", cells.collect::<Vec<_>>().join(", ")))
            }
            Values::Places { .. } => self.in_dictionary(row).and_then(|(part, place)| part.text(place)),
        }
    }
}

fn bit(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

/// Whether these are the ends of so many rows, in what has this length.
fn are_ends(ends: &[usize], rows: usize, length: usize) -> bool {
    ends.len() == rows + 1 && ends.is_sorted() && ends[rows] <= length
}

/// The bytes that a view shows: up to twelve of its own, or some of a buffer.
fn view<'a>(views: &'a [u8], buffers: &'a [Vec<u8>], row: usize) -> Option<&'a [u8]> {
    let view = &views[row * 16..(row + 1) * 16];
    let word =
        |at: usize| usize::try_from(i32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]])).ok();
    match word(0)? {
        length @ 0..=12 => Some(&view[4..4 + length]),
        length => {
            let (buffer, start) = (buffers.get(word(8)?)?, word(12)?);
            buffer.get(start..start.checked_add(length)?)
        }
    }
}

fn signed(bytes: &[u8]) -> i64 {
    let fill = if bytes.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
    let mut all = [fill; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}

fn unsigned(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

fn fixed(kind: Kind, bytes: &[u8]) -> Option<CellValue> {
    Some(match kind {
        Kind::Signed(_) => CellValue::Signed(signed(bytes)),
        Kind::Unsigned(_) => CellValue::Unsigned(unsigned(bytes)),
        Kind::Half => CellValue::Single(half(unsigned(bytes) as u16)),
        Kind::Single => CellValue::Single(f32::from_bits(unsigned(bytes) as u32)),
        Kind::Double => CellValue::Double(f64::from_bits(unsigned(bytes))),
        _ => return None,
    })
}

fn decimal_text(kind: Kind, bytes: &[u8]) -> Option<String> {
    let Kind::Decimal { scale, .. } = kind else { return None };
    let highest_first: Vec<u8> = bytes.iter().rev().copied().collect();
    Some(decimal(big_endian(&highest_first)?, scale))
}

fn fixed_text(kind: Kind, bytes: &[u8]) -> String {
    if let Some(text) = fixed(kind, bytes).map(CellValue::text).or_else(|| decimal_text(kind, bytes)) {
        return text;
    }
    match kind {
        Kind::Days => date(signed(bytes)),
        Kind::Milliseconds => date(signed(bytes).div_euclid(MILLISECONDS_A_DAY)),
        Kind::Instant(per_second) => instant(signed(bytes), per_second),
        Kind::TimeOfDay { per_second, .. } => time_of_day(signed(bytes), per_second),
        _ => hexadecimal(bytes),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
