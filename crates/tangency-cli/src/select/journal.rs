//! What is done, on disk at once: a line for what is fitted, then a line for each finished fit.
//!
//! A line that a kill cut short is cut off. The lock keeps a second run of the same command away and ends with the
//! process, however it ends.

use serde_json::{Value, json};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tangency::evidence::{Cell, Selection};
use tangency::message::Remedy;
use tangency::{Error, Result};

/// Format of the file.
const FORMAT: u64 = 1;

/// An open journal, at its end.
pub struct Journal {
    path: PathBuf,
    file: File,
    rows: usize,
}

impl Journal {
    /// Where the journal of an output is: beside it.
    pub fn place(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    }

    /// Opens the journal, or begins one, and gives the cells in it. One that belongs to something else is an error, or
    /// begun anew with `force`.
    pub fn open(path: PathBuf, selection: &Selection, force: bool) -> Result<(Self, Vec<Cell>)> {
        let failed = |error: std::io::Error| Error::unwritable(&path, &error);
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let remedies = [Remedy::act("wait until that ends"), Remedy::Change("out")];
                return Err(Error::file(&path, "another run is writing to it", remedies));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let header = json!({"tangency_select": FORMAT, "fingerprint": selection.fingerprint()});
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Error::unreadable(&path, &error))?;
        let (cells, whole) = match read(&bytes, &header) {
            JournalContents::Cells(cells, whole) => (cells, whole),
            JournalContents::Empty => (vec![], 0),
            JournalContents::Foreign if force => (vec![], 0),
            JournalContents::Foreign => return Err(foreign(&path)),
        };
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut journal = Self { path, file, rows: cells.len() };
        if whole == 0 {
            journal.append(&header)?;
        }
        Ok((journal, cells))
    }

    /// Adds a finished fit; it is on disk when this returns.
    pub fn add(&mut self, cell: &Cell) -> Result<()> {
        self.append(&json!(cell))?;
        self.rows += 1;
        Ok(())
    }

    /// How many fits are in it.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Ends the journal of a selection that is done.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).map_err(|error| {
            let problem = format!("all is done, but it cannot be removed ({error})");
            Error::file(&self.path, problem, [Remedy::act("delete it")])
        })
    }

    fn append(&mut self, line: &Value) -> Result<()> {
        let failed = |error: std::io::Error| {
            let problem = format!("cannot be written ({error})");
            Error::file(&self.path, problem, [Remedy::act("make room and run the same command again")])
        };
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(failed)?;
        self.file.sync_data().map_err(failed)
    }
}

enum JournalContents {
    /// Cells, and how many bytes are whole lines.
    Cells(Vec<Cell>, usize),
    /// Not even a whole first line.
    Empty,
    /// Of another selection, or no journal.
    Foreign,
}

fn read(bytes: &[u8], header: &Value) -> JournalContents {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
    let Some(first) = lines.next() else {
        // a header that was cut short is ours, any other beginning is not
        return if header.to_string().as_bytes().starts_with(bytes) {
            JournalContents::Empty
        } else {
            JournalContents::Foreign
        };
    };
    if serde_json::from_slice::<Value>(first).ok().as_ref() != Some(header) {
        return JournalContents::Foreign;
    }
    match lines.map(serde_json::from_slice).collect::<std::result::Result<Vec<Cell>, _>>() {
        Ok(cells) => JournalContents::Cells(cells, whole),
        Err(_) => JournalContents::Foreign,
    }
}

fn foreign(path: &Path) -> Error {
    let remedies =
        [Remedy::act("delete it"), Remedy::Change("out"), Remedy::TurnOn("overwrite").to("start from the beginning")];
    Error::file(path, "was left by another table, grid, setting or version", remedies)
}
