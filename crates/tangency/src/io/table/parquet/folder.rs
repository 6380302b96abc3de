//! A folder of Parquet files that are one table together, as Spark and Dask write them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::{Columnar, Lockstep};
use crate::error::{Error, Result};
use crate::io::table::stream::{BlockBuilder, BlockSource};
use crate::io::table::{Source, extension, refuse};
use crate::message::{file, listed};
use crate::{message, message::Message};

/// The Parquet files of a folder in the order of their names; nothing where it is no folder or holds none.
pub(in crate::io::table) fn parts(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_hidden = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']));
    let mut parts: Vec<PathBuf> = entries
        .filter(|path| ["parquet", "pq"].contains(&extension(path).as_str()) && !is_hidden(path) && path.is_file())
        .collect();
    parts.sort();
    parts
}

/// All parts in memory.
pub(in crate::io::table) struct ColumnarFolder {
    parts: Vec<Columnar>,
}

impl ColumnarFolder {
    pub(in crate::io::table) fn open(path: &Path) -> Result<Self> {
        let paths = parts(path);
        let parts: Vec<Columnar> = paths.iter().map(|path| Columnar::open(path)).collect::<Result<_>>()?;
        for (part, path) in parts.iter().zip(&paths) {
            check_names(path, part.names(), &paths[0], parts[0].names())?;
        }
        Ok(Self { parts })
    }
}

impl Source for ColumnarFolder {
    fn names(&self) -> &[String] {
        self.parts.first().map_or(&[], |part| part.names())
    }

    fn rows(&self) -> usize {
        self.parts.iter().map(Source::rows).sum()
    }

    fn is_feature(&self, column: usize) -> bool {
        self.parts.iter().any(|part| part.is_feature(column))
    }

    fn is_unnamed(&self, column: usize) -> bool {
        self.parts.iter().any(|part| part.is_unnamed(column))
    }

    fn numbers(&mut self, column: usize) -> Result<Vec<f64>> {
        let all: Result<Vec<Vec<f64>>> = self.parts.iter_mut().map(|part| part.numbers(column)).collect();
        Ok(all?.concat())
    }

    fn texts(&self, columns: &[usize]) -> Result<Vec<Vec<String>>> {
        let mut texts = vec![Vec::new(); columns.len()];
        for part in &self.parts {
            texts.iter_mut().zip(part.texts(columns)?).for_each(|(texts, more)| texts.extend(more));
        }
        Ok(texts)
    }
}

/// One part after the other.
pub(in crate::io::table) struct LockstepFolder {
    parts: VecDeque<Lockstep>,
    names: Vec<String>,
    rows: usize,
}

impl LockstepFolder {
    pub(in crate::io::table) fn open(path: &Path) -> Result<Self> {
        let paths = parts(path);
        let parts: VecDeque<Lockstep> = paths.iter().map(|path| Lockstep::open(path)).collect::<Result<_>>()?;
        let names: Vec<String> = parts.front().and_then(|part| part.names()).unwrap_or_default().to_vec();
        for (part, path) in parts.iter().zip(&paths) {
            check_names(path, part.names().unwrap_or_default(), &paths[0], &names)?;
        }
        let rows = parts.iter().filter_map(|part| part.rows()).sum();
        Ok(Self { parts, names, rows })
    }
}

impl BlockSource for LockstepFolder {
    fn names(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn width(&self) -> usize {
        self.names.len()
    }

    fn rows(&self) -> Option<usize> {
        Some(self.rows)
    }

    fn read(&mut self, most: usize, block: &mut BlockBuilder) -> Result<()> {
        while let Some(part) = self.parts.front_mut() {
            part.read(most, block)?;
            if block.rows() == most {
                break;
            }
            self.parts.pop_front();
        }
        Ok(())
    }
}

/// The parts must have the same columns in the same order.
fn check_names(path: &Path, names: &[String], first: &Path, expected: &[String]) -> Result<()> {
    if names == expected {
        return Ok(());
    }
    let problem: Message = message![
        format!("has the columns {}, but ", listed(names)),
        file(first),
        format!(" beside it has {}", listed(expected))
    ];
    Err::<(), Error>(refuse(path, problem, "give a folder whose files have the same columns in the same order"))
}
