//! The rows of an Arrow table a batch at a time.

use std::path::Path;

use super::{Batch, Batches};
use crate::error::Result;
use crate::io::table::number_in;
use crate::io::table::stream::{BlockBuilder, BlockSource};

/// Holds one batch of the wanted columns in memory.
pub(in crate::io::table) struct ArrowBlocks {
    batches: Batches,
    batch: Option<Batch>,
    /// The row of the batch that comes next.
    next: usize,
}

impl ArrowBlocks {
    pub(in crate::io::table) fn open(path: &Path) -> Result<Self> {
        Ok(Self { batches: Batches::open(path)?, batch: None, next: 0 })
    }
}

impl BlockSource for ArrowBlocks {
    fn names(&self) -> Option<&[String]> {
        Some(&self.batches.names)
    }

    fn width(&self) -> usize {
        self.batches.names.len()
    }

    fn rows(&self) -> Option<usize> {
        None
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        let uses = block.uses();
        while block.rows() < most {
            if self.batch.as_ref().is_none_or(|batch| self.next == batch.rows) {
                self.next = 0;
                self.batch = self.batches.next(&|column| uses.iter().any(|&(used, _)| used == column))?;
            }
            let Some(batch) = &self.batch else { break };
            let end = batch.rows.min(self.next + (most - block.rows()));
            for &(column, usage) in uses {
                let Some(array) = &batch.columns[column] else { continue };
                for row in self.next..end {
                    let text = || array.text(row).unwrap_or_default();
                    let number =
                        || if self.batches.is_numeric[column] { array.number(row) } else { number_in(&text()) };
                    block.put(usage, number, text);
                }
            }
            block.check()?;
            self.next = end;
        }
        Ok(())
    }
}
