//! What the values of a Parquet column mean, beyond how they are stored.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::schema::types::ColumnDescriptor;

use crate::io::table::decimal::{big_endian, decimal};
use crate::io::table::iso::{date, instant};
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
