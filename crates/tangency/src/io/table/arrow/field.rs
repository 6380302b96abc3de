//! The columns of an Arrow table: their names, and what they hold.

use polars_arrow_format::ipc::{
    DateUnit, Endianness, FieldRef, IntRef, Precision, SchemaRef, TimeUnit, TypeRef, UnionMode,
};

use super::messages::{Arrow, Damage, contents};

/// Columns in columns, at most.
const DEEPEST: usize = 32;
/// What columns are called that hold values of several types.
pub(super) const UNIONS: &str = "unions";
/// No decimal type has more digits.
const MOST_DIGITS: i32 = 76;

/// A column, or one that is part of another.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Where the values are those of a dictionary: which, and how its places are stored.
    pub(super) dictionary: Option<(i64, Kind)>,
    pub(super) children: Vec<Field>,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Null,
    Truth,
    /// With its bytes, as in all that follow.
    Signed(usize),
    Unsigned(usize),
    Half,
    Single,
    Double,
    Decimal {
        bytes: usize,
        scale: usize,
    },
    Days,
    Milliseconds,
    /// With the ticks per second.
    Instant(i64),
    TimeOfDay {
        bytes: usize,
        per_second: i64,
    },
    /// Text, or bytes without a meaning; offsets have 4 or 8 bytes.
    Variable {
        is_text: bool,
        offset: usize,
    },
    View {
        is_text: bool,
    },
    Bytes(usize),
    List {
        offset: usize,
    },
    FixedList(usize),
    Record,
    /// What is not read: what it is called, and how many buffers it has.
    Opaque(&'static str, usize),
}

impl Kind {
    /// Bytes of a value, where all have the same.
    pub(super) fn width(self) -> Option<usize> {
        match self {
            Self::Signed(bytes)
            | Self::Unsigned(bytes)
            | Self::Decimal { bytes, .. }
            | Self::TimeOfDay { bytes, .. }
            | Self::Bytes(bytes) => Some(bytes),
            Self::Half => Some(2),
            Self::Single | Self::Days => Some(4),
            Self::Double | Self::Milliseconds | Self::Instant(_) => Some(8),
            _ => None,
        }
    }

    pub(super) fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Truth
                | Self::Signed(_)
                | Self::Unsigned(_)
                | Self::Half
                | Self::Single
                | Self::Double
                | Self::Decimal { .. }
        )
    }
}

impl Field {
    /// What it holds that is not read, if so.
    pub(super) fn opaque(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Opaque(what, _) => Some(what),
            Kind::List { .. } | Kind::FixedList(_) => self.children.first().and_then(Field::opaque),
            // as a column of its own its parts are columns
            Kind::Record => Some("records in a list"),
            _ => None,
        }
    }

    fn read(field: FieldRef, depth: usize, left: &mut usize) -> Arrow<Self> {
        // parts may be shared in a damaged file, so that few bytes promise very many columns
        let Some(fewer) = left.checked_sub(1) else { return contents("it has more columns than it has room for") };
        *left = fewer;
        if depth > DEEPEST {
            return contents("its columns hold columns without end");
        }
        let name = field.name()?.unwrap_or_default().to_owned();
        let Some(type_) = field.type_()? else { return contents("a column has no type") };
        let kind = kind(type_)?;
        let dictionary = match field.dictionary()? {
            None => None,
            Some(dictionary) => {
                let place = dictionary.index_type()?.map_or(Ok(Kind::Signed(4)), |index| integer(&index))?;
                Some((dictionary.id()?, place))
            }
        };
        let mut children = Vec::new();
        for child in field.children()?.into_iter().flatten() {
            children.push(Self::read(child?, depth + 1, left)?);
        }
        let expected = match kind {
            Kind::List { .. } | Kind::FixedList(_) => Some(1),
            Kind::Record | Kind::Opaque(..) => None,
            _ => Some(0),
        };
        if expected.is_some_and(|expected| expected != children.len()) {
            return contents("a column does not have the parts of its type");
        }
        Ok(Self { name, kind, dictionary, children })
    }
}

/// The columns of a schema, which stands in so many bytes.
pub(super) fn fields(schema: SchemaRef, bytes: usize) -> Arrow<Vec<Field>> {
    if schema.endianness()? == Endianness::Big {
        return Err(Damage::Foreign("is written with the highest byte first, which is not read"));
    }
    let mut left = bytes / 8;
    schema.fields()?.into_iter().flatten().map(|field| Field::read(field?, 0, &mut left)).collect()
}

fn kind(of: TypeRef) -> Arrow<Kind> {
    Ok(match of {
        TypeRef::Null(_) => Kind::Null,
        TypeRef::Bool(_) => Kind::Truth,
        TypeRef::Int(int) => integer(&int)?,
        TypeRef::FloatingPoint(float) => match float.precision()? {
            Precision::Half => Kind::Half,
            Precision::Single => Kind::Single,
            Precision::Double => Kind::Double,
        },
        TypeRef::Decimal(decimal) => {
            let (bits, scale) = (decimal.bit_width()?, decimal.scale()?);
            match (bits, usize::try_from(scale)) {
                (32 | 64 | 128 | 256, Ok(scale_)) if scale <= MOST_DIGITS => {
                    Kind::Decimal { bytes: bits as usize / 8, scale: scale_ }
                }
                (32 | 64 | 128 | 256, _) => Kind::Bytes(bits as usize / 8),
                _ => return contents("a decimal has an unknown width"),
            }
        }
        TypeRef::Date(date) => match date.unit()? {
            DateUnit::Day => Kind::Days,
            DateUnit::Millisecond => Kind::Milliseconds,
        },
        TypeRef::Time(time) => match time.bit_width()? {
            32 => Kind::TimeOfDay { bytes: 4, per_second: per_second(time.unit()?) },
            64 => Kind::TimeOfDay { bytes: 8, per_second: per_second(time.unit()?) },
            _ => return contents("a time has an unknown width"),
        },
        TypeRef::Timestamp(instant) => Kind::Instant(per_second(instant.unit()?)),
        // a length of time is a number, in whatever unit
        TypeRef::Duration(_) => Kind::Signed(8),
        TypeRef::Utf8(_) => Kind::Variable { is_text: true, offset: 4 },
        TypeRef::LargeUtf8(_) => Kind::Variable { is_text: true, offset: 8 },
        TypeRef::Binary(_) => Kind::Variable { is_text: false, offset: 4 },
        TypeRef::LargeBinary(_) => Kind::Variable { is_text: false, offset: 8 },
        TypeRef::Utf8View(_) => Kind::View { is_text: true },
        TypeRef::BinaryView(_) => Kind::View { is_text: false },
        TypeRef::FixedSizeBinary(bytes) => Kind::Bytes(length(bytes.byte_width()?)?),
        TypeRef::List(_) => Kind::List { offset: 4 },
        TypeRef::LargeList(_) => Kind::List { offset: 8 },
        TypeRef::FixedSizeList(list) => Kind::FixedList(length(list.list_size()?)?),
        TypeRef::Struct(_) => Kind::Record,
        TypeRef::Interval(_) => Kind::Opaque("intervals", 2),
        TypeRef::Map(_) => Kind::Opaque("maps", 2),
        TypeRef::ListView(_) | TypeRef::LargeListView(_) => Kind::Opaque("views of lists", 3),
        TypeRef::RunEndEncoded(_) => Kind::Opaque("runs", 0),
        TypeRef::Union(union) => match union.mode()? {
            UnionMode::Sparse => Kind::Opaque(UNIONS, 1),
            UnionMode::Dense => Kind::Opaque(UNIONS, 2),
        },
    })
}

fn integer(int: &IntRef) -> Arrow<Kind> {
    let bytes = match int.bit_width()? {
        bits @ (8 | 16 | 32 | 64) => bits as usize / 8,
        _ => return contents("an integer has an unknown width"),
    };
    Ok(if int.is_signed()? { Kind::Signed(bytes) } else { Kind::Unsigned(bytes) })
}

fn length(length: i32) -> Arrow<usize> {
    usize::try_from(length).or_else(|_| contents("a length is negative"))
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
