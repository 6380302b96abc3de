//! How much memory a file may take. A packed file of a few megabytes can promise, and even hold, any number of zeros; what it
//! would take is reckoned before it is taken.

use std::path::Path;

use crate::error::Error;
use crate::memory::available_memory;
use crate::message::{Remedy, bytes_in_words};

/// What any file may take.
const LEAST: u64 = 1 << 30;
/// How many times its own size a larger one may take. A packed table of counts, nearly all zeros, takes up to 400 times its size.
const TIMES: u64 = 750;

/// What a file may still take while it is read.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    length: u64,
    /// What a file of this length may take.
    by_length: u64,
    available: u64,
    taken: u64,
}

/// What a file would take, which is too much.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Excess {
    /// Bytes that it would take at least, and its own length.
    OfLength { needed: u64, length: u64 },
    /// Bytes that it would take at least, and those that there are.
    OfMemory { needed: u64, available: u64 },
}

impl Allowance {
    /// That of a file of this length.
    pub(crate) fn of_length(length: u64) -> Self {
        Self::within(length, available_memory())
    }

    /// That of a file; of one that cannot be looked at, that of an empty one.
    pub(crate) fn of(path: &Path) -> Self {
        Self::of_length(std::fs::metadata(path).map_or(0, |file| file.len()))
    }

    fn within(length: u64, available: u64) -> Self {
        Self { length, by_length: LEAST.max(length.saturating_mul(TIMES)), available, taken: 0 }
    }

    /// So much of the file has come, whose length nobody may have said before.
    pub(crate) fn lengthen_to(&mut self, length: u64) {
        if length > self.length {
            *self = Self { taken: self.taken, ..Self::within(length, self.available) };
        }
    }

    /// How much more may be taken.
    pub(crate) fn room(&self) -> u64 {
        self.by_length.min(self.available).saturating_sub(self.taken)
    }

    /// Whether so many bytes could be taken beside those that have been.
    pub(crate) fn check(&self, bytes: u64) -> Result<(), Excess> {
        let (needed, length, available) = (self.taken.saturating_add(bytes), self.length, self.available);
        if needed > self.by_length {
            return Err(Excess::OfLength { needed, length });
        }
        if needed > available { Err(Excess::OfMemory { needed, available }) } else { Ok(()) }
    }

    /// Takes so many bytes.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Excess> {
        self.check(bytes)?;
        self.taken += bytes;
        Ok(())
    }
}

impl Excess {
    /// What is wrong with the file.
    pub(crate) fn problem(&self) -> String {
        match *self {
            Self::OfLength { needed, length } => format!(
                "would take {} of memory or more, though it has only {}",
                bytes_in_words(needed),
                bytes_in_words(length)
            ),
            Self::OfMemory { needed, available } => format!(
                "would take {} of memory or more, and {} is available",
                bytes_in_words(needed),
                bytes_in_words(available)
            ),
        }
    }

    /// What to do.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::OfLength { .. } => "save the table without packing if it is meant to be so large",
            Self::OfMemory { .. } => "give fewer rows or columns, or a machine with more memory",
        }
    }

    /// The error.
    pub(crate) fn of(&self, path: &Path) -> Error {
        Error::file(path, self.problem(), [Remedy::act(self.remedy())])
    }
}

impl std::fmt::Display for Excess {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.problem())
    }
}

impl std::error::Error for Excess {}

#[cfg(test)]
mod tests {
    //! A small file may take a gigabyte, a large one in proportion, none more than there is.
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn small_files_large_files_and_little_memory() {
        let mut small = Allowance::within(1000, u64::MAX);
        assert!(small.take(LEAST / 2).is_ok() && small.check(LEAST / 2).is_ok());
        assert_eq!(small.take(LEAST / 2 + 1), Err(Excess::OfLength { needed: LEAST + 1, length: 1000 }));
        assert!(small.take(LEAST / 2).is_ok(), "what was refused was not taken");
        small.lengthen_to(1 << 30);
        assert!(small.take(700 << 30).is_ok());
        let little = Allowance::within(1 << 30, 5000);
        assert_eq!(little.check(5001), Err(Excess::OfMemory { needed: 5001, available: 5000 }));
        assert!(Allowance::within(u64::MAX, u64::MAX).check(u64::MAX).is_ok());
        let said = little.check(5001).unwrap_err().of(Path::new("t.npz")).to_string();
        assert!(said.starts_with("t.npz: would take ") && said.contains("is available; give fewer rows"), "{said}");
    }
}
