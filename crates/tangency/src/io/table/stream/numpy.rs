//! NumPy arrays, from a file piece by piece or, out of an archive, from memory.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::BlockSource;
use super::block::BlockBuilder;
use crate::error::{Error, Result};
use crate::io::table::numpy::{HEADER_BYTES, NpyArray, NpyLayout, read_npz};
use crate::io::table::{Source, refuse};

/// An `.npy` file. Rows of an array in Fortran's order are gathered from their columns.
pub(super) struct Npy {
    path: PathBuf,
    layout: NpyLayout,
    file: BufReader<File>,
    next: usize,
}

impl Npy {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |error| Error::unreadable(path, &error);
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut beginning = Vec::new();
        file.by_ref().take(HEADER_BYTES).read_to_end(&mut beginning).map_err(failed)?;
        let layout = NpyLayout::parse(path, "the array", 2, &beginning, length)?;
        file.seek(SeekFrom::Start(layout.start(0, 0))).map_err(failed)?;
        Ok(Self { path: path.to_owned(), layout, file: BufReader::with_capacity(1 << 16, file), next: 0 })
    }

    fn read_rows(&mut self, count: usize, block: &mut BlockBuilder) -> std::io::Result<()> {
        let size = self.layout.size();
        let mut row = vec![0; self.layout.width() * size];
        for _ in 0..count {
            self.file.read_exact(&mut row)?;
            for &(column, usage) in block.uses() {
                let value = self.layout.value(&row[column * size..(column + 1) * size]);
                block.put(usage, || value.number(), || value.text());
            }
        }
        Ok(())
    }

    fn read_columns(&mut self, count: usize, block: &mut BlockBuilder) -> std::io::Result<()> {
        let mut element = [0; 8];
        let element = &mut element[..self.layout.size()];
        for &(column, usage) in block.uses() {
            self.file.seek(SeekFrom::Start(self.layout.start(self.next, column)))?;
            for _ in 0..count {
                self.file.read_exact(element)?;
                let value = self.layout.value(element);
                block.put(usage, || value.number(), || value.text());
            }
        }
        Ok(())
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        if error.kind() == ErrorKind::UnexpectedEof {
            return refuse(&self.path, "the array was cut short while it was read", "save it again");
        }
        Error::unreadable(&self.path, error)
    }
}

impl BlockSource for Npy {
    fn names(&self) -> Option<&[String]> {
        None
    }

    fn width(&self) -> usize {
        self.layout.width()
    }

    fn rows(&self) -> Option<usize> {
        Some(self.layout.rows())
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        let count = most.min(self.layout.rows() - self.next);
        let read =
            if self.layout.fortran_order() { self.read_columns(count, block) } else { self.read_rows(count, block) };
        self.next += count;
        read.map_err(|error| self.failed(&error))
    }
}

/// An array of an `.npz` file, which is packed and therefore read into memory whole.
pub(super) struct Npz {
    array: NpyArray,
    next: usize,
}

impl Npz {
    pub(super) fn open(path: &Path, array: Option<&str>) -> Result<Self> {
        Ok(Self { array: read_npz(path, array)?, next: 0 })
    }
}

impl BlockSource for Npz {
    fn names(&self) -> Option<&[String]> {
        None
    }

    fn width(&self) -> usize {
        self.array.names().len()
    }

    fn rows(&self) -> Option<usize> {
        Some(self.array.rows())
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        let end = self.next + most.min(self.array.rows() - self.next);
        for row in self.next..end {
            for &(column, usage) in block.uses() {
                let value = self.array.value(row, column);
                block.put(usage, || value.number(), || value.text());
            }
        }
        self.next = end;
        Ok(())
    }
}
