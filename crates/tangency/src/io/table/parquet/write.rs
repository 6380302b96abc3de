//! Rows of a table out to a Parquet file, a row group at a time.

use std::io::{Error, Result, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Storage};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{ColumnPath, Type};

use super::Parquet;
use crate::io::{Cells, ColumnKind};

/// Rows and cells of a row group at most: all of them are in memory until it is written.
const GROUP_ROWS: usize = 1 << 16;
const GROUP_CELLS: usize = 1 << 24;

/// Its bytes do not depend on how the rows are cut into blocks.
#[derive(Debug)]
pub(in crate::io) struct ParquetRows<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    group_rows: usize,
    /// Rows of the present row group.
    rows: usize,
    columns: Vec<Cells>,
}

impl<W: Write + Send> ParquetRows<W> {
    pub(in crate::io) fn new(file: W, columns: &[(String, ColumnKind)]) -> Result<Self> {
        let schema = schema(columns).map_err(Error::other)?;
        let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        for (name, _) in columns.iter().filter(|(_, kind)| *kind != ColumnKind::Text) {
            // Numbers seldom repeat, and a dictionary of them all is only larger.
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(vec![name.clone()]), false);
        }
        let writer =
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build())).map_err(Error::other)?;
        let group_rows = (GROUP_CELLS / columns.len().max(1)).clamp(1, GROUP_ROWS);
        let columns = columns.iter().map(|&(_, kind)| none_of(kind)).collect();
        Ok(Self { writer, group_rows, rows: 0, columns })
    }

    /// Adds rows; the block has the columns' kinds and one length.
    pub(in crate::io) fn write(&mut self, block: &[Cells]) -> Result<()> {
        let count = block.first().map_or(0, Cells::len);
        let mut start = 0;
        while start < count {
            let end = count.min(start + self.group_rows - self.rows);
            for (column, cells) in self.columns.iter_mut().zip(block) {
                append(column, cells, start..end);
            }
            self.rows += end - start;
            start = end;
            if self.rows == self.group_rows {
                self.write_group().map_err(Error::other)?;
            }
        }
        Ok(())
    }

    /// Writes what is left and the end of the file, and gives it back.
    pub(in crate::io) fn finish(mut self) -> Result<W> {
        if self.rows > 0 {
            self.write_group().map_err(Error::other)?;
        }
        self.writer.into_inner().map_err(Error::other)
    }

    fn write_group(&mut self) -> Parquet<()> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            match std::mem::replace(column, none_of(column.kind())) {
                Cells::Text(texts) => {
                    let texts: Vec<ByteArray> = texts.into_iter().map(|text| text.into_bytes().into()).collect();
                    write_column::<_, ByteArrayType>(&mut group, &texts, None)?;
                }
                Cells::Numbers(mut numbers) => {
                    let definitions: Vec<i16> = numbers.iter().map(|number| i16::from(!number.is_nan())).collect();
                    numbers.retain(|number| !number.is_nan());
                    write_column::<_, DoubleType>(&mut group, &numbers, Some(&definitions))?;
                }
                Cells::Whole(numbers) => write_column::<_, Int64Type>(&mut group, &numbers, None)?,
            }
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

fn write_column<W: Write + Send, T: DataType>(
    group: &mut SerializedRowGroupWriter<W>,
    values: &[T::T],
    definitions: Option<&[i16]>,
) -> Parquet<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, definitions, None)?;
        column.close()?;
    }
    Ok(())
}

fn schema(columns: &[(String, ColumnKind)]) -> Parquet<Type> {
    let fields = columns.iter().map(|(name, kind)| {
        let (storage, meaning, repetition) = match kind {
            ColumnKind::Text => (Storage::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
            ColumnKind::Number => (Storage::DOUBLE, None, Repetition::OPTIONAL),
            ColumnKind::Whole => (Storage::INT64, None, Repetition::REQUIRED),
        };
        let field = Type::primitive_type_builder(name, storage).with_logical_type(meaning).with_repetition(repetition);
        field.build().map(Arc::new)
    });
    Type::group_type_builder("table").with_fields(fields.collect::<Parquet<_>>()?).build()
}

fn none_of(kind: ColumnKind) -> Cells {
    match kind {
        ColumnKind::Text => Cells::Text(Vec::new()),
        ColumnKind::Number => Cells::Numbers(Vec::new()),
        ColumnKind::Whole => Cells::Whole(Vec::new()),
    }
}

fn append(column: &mut Cells, more: &Cells, rows: std::ops::Range<usize>) {
    match (column, more) {
        (Cells::Text(column), Cells::Text(more)) => column.extend_from_slice(&more[rows]),
        (Cells::Numbers(column), Cells::Numbers(more)) => column.extend_from_slice(&more[rows]),
        (Cells::Whole(column), Cells::Whole(more)) => column.extend_from_slice(&more[rows]),
        // The writer has compared the kinds.
        _ => {}
    }
}
