//! The text of a table, from a file or standard input: unpacked, and in UTF-8 whatever its encoding.

mod decoded;

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::csv::records::UnfitText;
use super::extension;
use crate::error::{Error, Result};
use crate::io::allowance::Allowance;
pub(super) use decoded::Decoded;

/// The text of a table on its way in.
pub(super) type Text = Decoded<Box<dyn Read + Send>>;

/// Extensions of text that is packed, beside that of the text.
pub(super) const PACKED: [&str; 3] = ["gz", "zst", "zstd"];

/// What a byte of packed text takes while a table is made of it: cells are two bytes or more, and each becomes a number in its
/// column and in the matrix.
pub(super) const UNPACKED_BYTE: u64 = 10;

/// Opens a text. Whether it is packed is told by its first bytes.
pub(super) fn open(path: &Path) -> Result<Text> {
    Ok(Decoded::new(unpacked(path)?.bytes))
}

/// Opens a text all of which goes into memory: no more of it than there is room for. Also how long it is where it is packed, once
/// it is read.
pub(super) fn open_whole(path: &Path) -> Result<(Text, Option<Came>)> {
    let Unpacking { bytes, is_packed, came } = unpacked(path)?;
    let byte = if is_packed { UNPACKED_BYTE } else { 1 };
    // what comes through standard input has no length before it has come
    let allowance = if is_standard_input(path) { Allowance::of_length(0) } else { Allowance::of(path) };
    let limited = Limited { bytes, came: came.clone(), allowance, byte };
    Ok((Decoded::new(Box::new(limited)), is_packed.then_some(came)))
}

/// How many bytes of a file have been read.
pub(super) type Came = Arc<AtomicU64>;

struct Unpacking {
    bytes: Box<dyn Read + Send>,
    is_packed: bool,
    came: Came,
}

fn unpacked(path: &Path) -> Result<Unpacking> {
    let failed = |error| Error::unreadable(&named(path), &error);
    let bytes: Box<dyn Read + Send> =
        if is_standard_input(path) { Box::new(std::io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
    let came = Came::default();
    let mut bytes = Counted { bytes, came: came.clone() };
    let mut first = Vec::new();
    bytes.by_ref().take(4).read_to_end(&mut first).map_err(failed)?;
    let is_gzip = first.starts_with(&[0x1f, 0x8b]);
    let is_zstd = first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let bytes = Cursor::new(first).chain(bytes);
    let bytes: Box<dyn Read + Send> = match (is_gzip, is_zstd) {
        (true, _) => Box::new(Unpacked(MultiGzDecoder::new(bytes))),
        (_, true) => Box::new(Unpacked(zstd::stream::read::Decoder::new(bytes).map_err(failed)?)),
        _ => Box::new(bytes),
    };
    Ok(Unpacking { bytes, is_packed: is_gzip || is_zstd, came })
}

/// Counts what comes.
struct Counted<R> {
    bytes: R,
    came: Came,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(out)?;
        self.came.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Ends with an error where there would be too much.
struct Limited {
    bytes: Box<dyn Read + Send>,
    came: Came,
    allowance: Allowance,
    byte: u64,
}

impl Read for Limited {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(out)?;
        self.allowance.lengthen_to(self.came.load(Ordering::Relaxed));
        self.allowance.take(count as u64 * self.byte).map_err(|excess| {
            let unfit = UnfitText { problem: excess.problem(), remedy: excess.remedy() };
            std::io::Error::new(ErrorKind::InvalidData, unfit)
        })?;
        Ok(count)
    }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What messages call standard input.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// A path as messages name it.
pub(super) fn named(path: &Path) -> PathBuf {
    if is_standard_input(path) { PathBuf::from(STANDARD_INPUT) } else { path.to_owned() }
}

/// The extension of the text itself, and whether it is packed.
pub(super) fn inner_extension(path: &Path) -> (String, bool) {
    let outer = extension(path);
    if PACKED.contains(&outer.as_str()) {
        (extension(Path::new(path.file_stem().unwrap_or_default())), true)
    } else {
        (outer, false)
    }
}

/// Says of an error that it is one of unpacking.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(out).map_err(|error| {
            if error.kind() == ErrorKind::Interrupted {
                return error;
            }
            let problem = format!("is damaged or cut short, and cannot be unpacked ({error})");
            std::io::Error::new(
                ErrorKind::InvalidData,
                UnfitText { problem, remedy: "pack it again, or give it unpacked" },
            )
        })
    }
}
