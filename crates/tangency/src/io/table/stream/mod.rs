//! Tables that are read a few rows at a time, in memory that does not grow with them.

mod block;
mod delimited;
mod numpy;
mod wanted;

use std::fmt;
use std::path::{Path, PathBuf};

use super::{TableFormat, TableNote, TableOptions, refuse};
use crate::error::Result;
pub use block::Block;
pub(super) use block::BlockBuilder;
#[cfg(feature = "parquet")]
pub(super) use wanted::Use;
use wanted::Wanted;

/// A table that is read block by block, for a model that knows which features it needs.
///
/// Memory does not grow with the number of rows, except that an array of an `.npz` file, which is packed, is read
/// whole, and so are a batch of an Arrow file and a spreadsheet. In delimited text the first thousand rows tell whether there is a header.
pub struct TableStream {
    path: PathBuf,
    options: TableOptions,
    source: Box<dyn BlockSource>,
    wanted: Option<Wanted>,
    /// The row that comes next.
    next: usize,
    progress: StreamProgress,
}

#[derive(Clone, Copy, PartialEq)]
enum StreamProgress {
    Opened,
    Reading,
    Failed,
}

/// What the formats have in common: columns, with names or without, whose cells come row after row.
pub(super) trait BlockSource: Send {
    fn names(&self) -> Option<&[String]>;
    /// Columns.
    fn width(&self) -> usize;
    /// Rows, where the file says so.
    fn rows(&self) -> Option<usize>;
    /// What to know about the rows that were read.
    fn notes(&mut self) -> Vec<TableNote> {
        Vec::new()
    }
    /// Adds the next rows to a block: `most` of them, at least 1, or fewer where the table ends.
    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()>;
}

impl TableStream {
    /// Opens a table, whose extension says what it is. The options mean what they mean to
    /// [`read_table`](super::read_table).
    pub fn open(path: &Path, options: &TableOptions) -> Result<Self> {
        let source: Box<dyn BlockSource> = match TableFormat::with(path, options)? {
            TableFormat::Delimited => Box::new(delimited::DelimitedStream::open(path, options.header)?),
            TableFormat::Npy => Box::new(numpy::Npy::open(path)?),
            TableFormat::Npz => Box::new(numpy::Npz::open(path, options.array.as_deref())?),
            TableFormat::Parquet => open_parquet(path)?,
            TableFormat::Arrow => open_arrow(path)?,
            TableFormat::Sheet => open_sheet(path, options)?,
        };
        let (path, options) = (path.to_owned(), options.clone());
        Ok(Self { path, options, source, wanted: None, next: 0, progress: StreamProgress::Opened })
    }

    /// The columns' names; `None` where the file has none, as arrays and text without a header.
    pub fn names(&self) -> Option<&[String]> {
        self.source.names()
    }

    /// The number of rows, where the file says so: in arrays and Parquet files.
    pub fn rows(&self) -> Option<usize> {
        self.source.rows()
    }

    /// Names the column that identifies the rows, once the names of the columns are known; before columns are chosen.
    pub fn identify_by(&mut self, column: Option<String>) {
        self.options.id_column = column;
    }

    /// What to know about how the table was understood, as far as it was read.
    pub fn notes(&mut self) -> Vec<TableNote> {
        self.source.notes()
    }

    /// Says which columns are wanted: the features of a model, in its order.
    ///
    /// They are the columns that the options list, in that order; otherwise those with the features' names, wherever
    /// they stand; or, in a table without names, all columns but ids, labels and excluded ones, in their order.
    pub fn choose(&mut self, features: &[String]) -> Result<()> {
        if self.progress != StreamProgress::Opened {
            return Err(refuse(&self.path, "its columns were to be chosen before its rows were read", "open it again"));
        }
        let (names, width) = (self.source.names(), self.source.width());
        self.wanted = Some(Wanted::choose(&self.path, names, width, &self.options, features)?);
        Ok(())
    }

    /// The next rows, at most `most` (at least 1) and fewer only at the end; `None` after the last.
    pub fn next_block(&mut self, most: usize) -> Result<Option<Block>> {
        let Some(wanted) = &self.wanted else {
            return Err(refuse(&self.path, "its columns have not been chosen", "choose them before rows are read"));
        };
        if self.progress == StreamProgress::Failed {
            return Err(refuse(
                &self.path,
                "cannot be read on after an error",
                "correct what was wrong and open it again",
            ));
        }
        // Until the block is whole, since an error leaves the source in the middle of a row.
        self.progress = StreamProgress::Failed;
        let mut block = BlockBuilder::new(wanted, self.next);
        self.source.read(most.max(1), &mut block)?;
        self.next = block.next_row();
        let block = block.finish()?;
        self.progress = StreamProgress::Reading;
        Ok(block)
    }
}

impl fmt::Debug for TableStream {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (path, names, next) = (&self.path, self.names(), self.next);
        f.debug_struct("TableStream")
            .field("path", path)
            .field("names", &names)
            .field("next", &next)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path) -> Result<Box<dyn BlockSource>> {
    if path.is_dir() {
        return Ok(Box::new(super::parquet::LockstepFolder::open(path)?));
    }
    Ok(Box::new(super::parquet::Lockstep::open(path)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path) -> Result<Box<dyn BlockSource>> {
    Err(super::not_built(path, "Parquet files", "parquet"))
}

#[cfg(feature = "arrow")]
fn open_arrow(path: &Path) -> Result<Box<dyn BlockSource>> {
    Ok(Box::new(super::arrow::ArrowBlocks::open(path)?))
}

#[cfg(not(feature = "arrow"))]
fn open_arrow(path: &Path) -> Result<Box<dyn BlockSource>> {
    Err(super::not_built(path, "Arrow files", "arrow"))
}

#[cfg(feature = "spreadsheets")]
fn open_sheet(path: &Path, options: &TableOptions) -> Result<Box<dyn BlockSource>> {
    let sheet = super::sheet::read(path, options.sheet.as_deref())?;
    Ok(Box::new(delimited::DelimitedStream::of_sheet(path, sheet, options.header)?))
}

#[cfg(not(feature = "spreadsheets"))]
fn open_sheet(path: &Path, _: &TableOptions) -> Result<Box<dyn BlockSource>> {
    Err(super::not_built(path, "spreadsheets", "spreadsheets"))
}
