//! The text of a table, from a file or standard input: unpacked, and in UTF-8 whatever its encoding.

mod decoded;

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::csv::records::UnfitText;
use super::extension;
use crate::error::{Error, Result};
pub(super) use decoded::Decoded;

/// The text of a table on its way in.
pub(super) type Text = Decoded<Box<dyn Read + Send>>;

/// Extensions of text that is packed, beside that of the text.
pub(super) const PACKED: [&str; 3] = ["gz", "zst", "zstd"];

/// Opens a text. Whether it is packed is told by its first bytes.
pub(super) fn open(path: &Path) -> Result<Text> {
    let failed = |error| Error::unreadable(&named(path), &error);
    let mut bytes: Box<dyn Read + Send> =
        if is_standard_input(path) { Box::new(std::io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
    let mut first = Vec::new();
    bytes.by_ref().take(4).read_to_end(&mut first).map_err(failed)?;
    let is_gzip = first.starts_with(&[0x1f, 0x8b]);
    let is_zstd = first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let bytes = Cursor::new(first).chain(bytes);
    Ok(Decoded::new(match (is_gzip, is_zstd) {
        (true, _) => Box::new(Unpacked(MultiGzDecoder::new(bytes))),
        (_, true) => Box::new(Unpacked(zstd::stream::read::Decoder::new(bytes).map_err(failed)?)),
        _ => Box::new(bytes),
    }))
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
