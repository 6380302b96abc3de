//! What the values of a Parquet column mean, beyond how they are stored.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::schema::types::ColumnDescriptor;

use crate::io::table::value::{CellValue, half};

/// A value by how it is stored.
#[derive(Clone, Copy)]
pub(super) enum Raw<'a> {
    CellValue(CellValue),
    Integer(i64),
    Bytes(&'a [u8]),
}

#[derive(Clone, Copy)]
pub(super) enum ParquetKind {
    Number,
    /// With the bits that count.
    Unsigned(u64),
    Half,
    /// With the number of digits after the point.
    Decimal(usize),
    Date,
    /// With the ticks per second.
    Instant(i64),
    Text,
    Opaque,
}

impl ParquetKind {
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        // The two meanings that only logical types can tell.
        match column.logical_type_ref() {
            Some(LogicalType::Float16) => return Self::Half,
            Some(LogicalType::Timestamp(instant)) if instant.unit == TimeUnit::NANOS => {
                return Self::Instant(1_000_000_000);
            }
            Some(LogicalType::Time(_)) => return Self::Opaque,
            _ => {}
        }
        match (column.converted_type(), column.physical_type()) {
            (_, Type::BOOLEAN | Type::FLOAT | Type::DOUBLE) => Self::Number,
            (_, Type::INT96) => Self::Instant(1_000_000),
            (ConvertedType::DECIMAL, _) => {
                // No decimal type has more digits; a damaged file may, and they would be written out.
                usize::try_from(column.type_scale())
                    .ok()
                    .filter(|&scale| scale <= 76)
                    .map_or(Self::Opaque, Self::Decimal)
            }
            (ConvertedType::NONE, Type::INT32 | Type::INT64) => Self::Number,
            (ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64, _) => {
                Self::Number
            }
            (ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32, _) => {
                Self::Unsigned(u32::MAX.into())
            }
            (ConvertedType::UINT_64, _) => Self::Unsigned(u64::MAX),
            (ConvertedType::DATE, _) => Self::Date,
            (ConvertedType::TIMESTAMP_MILLIS, _) => Self::Instant(1_000),
            (ConvertedType::TIMESTAMP_MICROS, _) => Self::Instant(1_000_000),
            (ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON, _) => Self::Text,
            // Old writers do not mark text as such.
            (ConvertedType::NONE, Type::BYTE_ARRAY) => Self::Text,
            _ => Self::Opaque,
        }
    }

    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Number | Self::Unsigned(_) | Self::Half | Self::Decimal(_))
    }

    fn value(self, raw: Raw) -> Option<CellValue> {
        match (self, raw) {
            (Self::Number, Raw::CellValue(value)) => Some(value),
            (Self::Number, Raw::Integer(x)) => Some(CellValue::Signed(x)),
            (Self::Unsigned(bits), Raw::Integer(x)) => Some(CellValue::Unsigned(x as u64 & bits)),
            (Self::Half, Raw::Bytes(&[low, high])) => Some(CellValue::Single(half(u16::from_le_bytes([low, high])))),
            _ => None,
        }
    }

    fn decimal(self, raw: Raw) -> Option<String> {
        match (self, raw) {
            (Self::Decimal(scale), Raw::Integer(x)) => Some(decimal(x.into(), scale)),
            (Self::Decimal(scale), Raw::Bytes(bytes)) => Some(decimal(big_endian(bytes)?, scale)),
            _ => None,
        }
    }

    fn number(self, raw: Raw) -> Option<f64> {
        // The text of a decimal is exact, so that parsing it rounds only once.
        self.value(raw).map(CellValue::number).or_else(|| self.decimal(raw)?.parse().ok())
    }

    pub(super) fn number_or_nan(self, raw: Option<Raw>) -> f64 {
        raw.and_then(|raw| self.number(raw)).unwrap_or(f64::NAN)
    }

    pub(super) fn text(self, raw: Raw) -> String {
        if let Some(text) = self.value(raw).map(CellValue::text).or_else(|| self.decimal(raw)) {
            return text;
        }
        match (self, raw) {
            (_, Raw::CellValue(value)) => value.text(),
            (Self::Date, Raw::Integer(days)) => date(days),
            (Self::Instant(per_second), Raw::Integer(ticks)) => instant(ticks, per_second),
            (_, Raw::Integer(x)) => x.to_string(),
            (Self::Text, Raw::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            (_, Raw::Bytes(bytes)) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

/// A signed number of any length, if it is not too large.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|&byte| byte >= 0x80);
    let (sign, mut number) = if negative { (0xff, -1i128) } else { (0, 0) };
    for &byte in bytes.iter().skip_while(|&&byte| byte == sign) {
        number = number.checked_mul(256)?.checked_add(i128::from(byte))?;
    }
    Some(number)
}

fn decimal(unscaled: i128, scale: usize) -> String {
    let mut text = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    if scale > 0 {
        text.insert(text.len() - scale, '.');
    }
    if unscaled < 0 {
        text.insert(0, '-');
    }
    text
}

/// The date so many days after the first of January 1970.
fn date(days: i64) -> String {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    let mut year = 1970 + 400 * days.div_euclid(DAYS_IN_400_YEARS);
    let mut rest = days.rem_euclid(DAYS_IN_400_YEARS);
    let leap_days = |year: i64| i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    while rest >= 365 + leap_days(year) {
        rest -= 365 + leap_days(year);
        year += 1;
    }
    let mut month = 1;
    for days_in_month in [31, 28 + leap_days(year), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if rest < days_in_month {
            break;
        }
        rest -= days_in_month;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

fn instant(ticks: i64, per_second: i64) -> String {
    let (seconds, fraction) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let mut text = format!("{}T{:02}:{:02}:{:02}", date(day), second / 3600, second / 60 % 60, second % 60);
    if fraction > 0 {
        let digits = per_second.ilog10() as usize;
        text.push_str(&format!(".{fraction:0digits$}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_instants_are_written_by_iso_8601() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(19_723), "2024-01-01");
        assert_eq!(date(20_088), "2024-12-31");
        assert_eq!(instant(-1, 1000), "1969-12-31T23:59:59.999");
        assert_eq!(instant(1_700_000_000_000_000, 1_000_000), "2023-11-14T22:13:20");
        assert_eq!(instant(1_700_000_000_000_000_001, 1_000_000_000), "2023-11-14T22:13:20.000000001");
        for extreme in [i64::MIN, i64::MAX] {
            assert!(instant(extreme, 1000).contains('T'));
        }
    }

    #[test]
    fn decimals_keep_their_digits() {
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(12_345, 2), "123.45");
        assert_eq!(decimal(7, 0), "7");
        assert_eq!(big_endian(&[0xff, 0xfe]), Some(-2));
        assert_eq!(big_endian(&[0x80]), Some(-128));
        assert_eq!(big_endian(&[0x01, 0x00]), Some(256));
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&i128::MIN.to_be_bytes()), Some(i128::MIN));
        assert_eq!(big_endian(&[&[0; 16][..], &[7]].concat()), Some(7));
        assert_eq!(big_endian(&[1; 17]), None);
        assert_eq!(decimal(i128::MIN, 76).len(), 79);
    }
}
