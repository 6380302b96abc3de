//! The cells of one column, from how the format packs them.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use ::parquet::schema::types::ColumnDescriptor;

use super::Parquet;
use super::kind::Raw;
use crate::io::table::value::CellValue;

/// Where in its row a value stands.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Row,
    EmptyList,
    FirstInList,
    NextInList,
}

type Visit<'v> = &'v mut dyn FnMut(Place, Option<Raw>) -> Parquet<()>;

/// Calls `visit` with the values of the next rows, at most `most` of them; `false` where there are no more.
pub(super) fn visit_rows(
    reader: &mut ColumnReader,
    column: &ColumnDescriptor,
    most: usize,
    visit: Visit,
) -> Parquet<bool> {
    use ColumnReader::*;
    match reader {
        BoolColumnReader(reader) => rows(reader, column, most, visit, |&x| Raw::CellValue(CellValue::Truth(x))),
        Int32ColumnReader(reader) => rows(reader, column, most, visit, |&x| Raw::Integer(x.into())),
        Int64ColumnReader(reader) => rows(reader, column, most, visit, |&x| Raw::Integer(x)),
        Int96ColumnReader(reader) => rows(reader, column, most, visit, |x: &Int96| Raw::Integer(x.to_micros())),
        FloatColumnReader(reader) => rows(reader, column, most, visit, |&x| Raw::CellValue(CellValue::Single(x))),
        DoubleColumnReader(reader) => rows(reader, column, most, visit, |&x| Raw::CellValue(CellValue::Double(x))),
        ByteArrayColumnReader(reader) => rows(reader, column, most, visit, |x: &ByteArray| Raw::Bytes(x.data())),
        FixedLenByteArrayColumnReader(reader) => {
            rows(reader, column, most, visit, |x: &FixedLenByteArray| Raw::Bytes(x.data()))
        }
    }
}

fn rows<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    most: usize,
    visit: Visit,
    raw: impl Fn(&T::T) -> Raw<'_>,
) -> Parquet<bool> {
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let in_list = column.repeated_ancestor_def_level();
    let (_, _, levels) = reader.read_records(most, Some(&mut definitions), Some(&mut repetitions), &mut values)?;
    let mut values = values.iter();
    for level in 0..levels {
        // A column that needs no levels has none.
        let definition = definitions.get(level).copied().unwrap_or(0);
        let place = match repetitions.get(level) {
            Some(1..) => Place::NextInList,
            Some(0) if definition >= in_list => Place::FirstInList,
            Some(0) if definition + 1 == in_list => Place::EmptyList,
            _ => Place::Row,
        };
        let value = if definition == column.max_def_level() { values.next() } else { None };
        visit(place, value.map(&raw))?;
    }
    Ok(levels > 0)
}

/// Adds the text of a value to a column of text; what stands in a list goes to the row of its first.
pub(super) fn add_text(column: &mut Vec<String>, place: Place, text: Option<String>) {
    match (place, column.last_mut()) {
        (Place::NextInList, Some(list)) => {
            list.pop();
            list.push_str(&format!(", {}]", text.as_deref().unwrap_or("null")));
        }
        (Place::NextInList | Place::FirstInList, _) => {
            column.push(format!("[{}]", text.as_deref().unwrap_or("null")));
        }
        (Place::EmptyList, _) => column.push("[]".into()),
        (Place::Row, _) => column.push(text.unwrap_or_default()),
    }
}
