//! The wanted columns of a Parquet file side by side, a batch of rows at a time.

use std::path::Path;
use std::sync::Arc;

use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::FileReader;
use ::parquet::schema::types::ColumnDescriptor;

use super::decode::{add_text, visit_rows};
use super::kind::Raw;
use super::{BATCH, ParquetContents, guarded, rows_of_group};
use crate::error::Result;
use crate::io::table::stream::{BlockBuilder, BlockSource, Use};
use crate::io::table::{number_in, refuse};
use crate::message::shown;

/// Holds one page of each wanted column in memory.
pub(in crate::io::table) struct Lockstep {
    contents: ParquetContents,
    /// The row group that comes next.
    group: usize,
    /// Rows of the present row group that are still to be read.
    left: usize,
    /// Of the present row group, in the order of the block's uses.
    chunks: Vec<ColumnReader>,
}

impl Lockstep {
    pub(in crate::io::table) fn open(path: &Path) -> Result<Self> {
        Ok(Self { contents: ParquetContents::open(path)?, group: 0, left: 0, chunks: Vec::new() })
    }

    /// Goes on to the next row group that has rows; `false` where there is none.
    fn open_group(&mut self, uses: &[(usize, Use)]) -> Result<bool> {
        let reader = &self.contents.reader;
        while self.left == 0 {
            if self.group == reader.num_row_groups() {
                return Ok(false);
            }
            self.left = rows_of_group(reader, self.group);
            self.group += 1;
        }
        self.chunks = guarded(&self.contents.path, || {
            for &(column, _) in uses {
                self.contents.check_pages(self.group - 1, column, false)?;
            }
            let group = reader.get_row_group(self.group - 1)?;
            uses.iter().map(|&(column, _)| group.get_column_reader(column)).collect()
        })?;
        Ok(true)
    }

    /// Adds the next `count` cells of a column to the block.
    fn read_cells(
        &mut self,
        chunk: usize,
        column: usize,
        usage: Use,
        count: usize,
        block: &mut BlockBuilder,
    ) -> Result<()> {
        let (kind, is_numeric) = (self.contents.kinds[column], self.contents.is_numeric(column));
        let descriptor = self.descriptor(column);
        let reader = &mut self.chunks[chunk];
        let (mut found, mut texts) = (0, Vec::new());
        let mut allowance = self.contents.allowance.clone();
        guarded(&self.contents.path, || {
            while found < count {
                let more = visit_rows(reader, &descriptor, count - found, &mut |place, raw| {
                    let text = || raw.map(|raw| kind.text(raw));
                    if is_numeric {
                        block.put(usage, || kind.number_or_nan(raw), || text().unwrap_or_default());
                        found += 1;
                    } else {
                        let length = if let Some(Raw::Bytes(bytes)) = raw { bytes.len() } else { 0 };
                        allowance.take(length as u64).map_err(|excess| ParquetError::External(Box::new(excess)))?;
                        add_text(&mut texts, place, text());
                        found = texts.len();
                    }
                    Ok(())
                })?;
                if !more {
                    break;
                }
            }
            Ok(())
        })?;
        for text in texts {
            block.put(usage, || number_in(&text), || text.clone());
        }
        if found == count { Ok(()) } else { self.uneven(column) }
    }

    /// Makes sure that no column has more rows than the row group says.
    fn close_group(&mut self, uses: &[(usize, Use)]) -> Result<()> {
        for (chunk, &(column, _)) in uses.iter().enumerate() {
            let descriptor = self.descriptor(column);
            let reader = &mut self.chunks[chunk];
            if guarded(&self.contents.path, || visit_rows(reader, &descriptor, 1, &mut |_, _| Ok(())))? {
                return self.uneven(column);
            }
        }
        self.chunks.clear();
        Ok(())
    }

    fn descriptor(&self, column: usize) -> Arc<ColumnDescriptor> {
        self.contents.reader.metadata().file_metadata().schema_descr().column(column)
    }

    fn uneven(&self, column: usize) -> Result<()> {
        let ParquetContents { path, names, .. } = &self.contents;
        let name = &names[column];
        Err(refuse(
            path,
            format!("is damaged: column {} does not have the rows that the file promises", shown(name)),
            "write the file again",
        ))
    }
}

impl BlockSource for Lockstep {
    fn names(&self) -> Option<&[String]> {
        Some(&self.contents.names)
    }

    fn width(&self) -> usize {
        self.contents.names.len()
    }

    fn rows(&self) -> Option<usize> {
        Some(self.contents.rows)
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        let uses = block.uses();
        while block.rows() < most {
            if self.left == 0 && !self.open_group(uses)? {
                break;
            }
            let count = BATCH.min(most - block.rows()).min(self.left);
            for (chunk, &(column, usage)) in uses.iter().enumerate() {
                self.read_cells(chunk, column, usage, count, block)?;
            }
            block.check()?;
            self.left -= count;
            if self.left == 0 {
                self.close_group(uses)?;
            }
        }
        Ok(())
    }
}
