//! What the pages of a column take once they are unpacked, found before they are: by reading through them in a small buffer.

use std::fs::File;
use std::io::{Read, copy, sink};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::column::page::{Page, PageReader};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::serialized_reader::SerializedPageReader;
use flate2::read::MultiGzDecoder;

use super::Parquet;
use crate::io::allowance::Allowance;

/// What a value takes while it is read, with its levels.
const VALUE: u64 = 24;

/// An error if the pages of a column hold more values, or more bytes, than there is an allowance for: each page by itself, and
/// with `together` all of them.
pub(super) fn check_pages(
    file: &Arc<File>,
    column: &ColumnChunkMetaData,
    rows: usize,
    allowance: &Allowance,
    together: bool,
) -> Parquet<()> {
    // pages as they stand in the file
    let packed = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let mut pages = SerializedPageReader::new(file.clone(), &packed, rows, None)?;
    let mut all = allowance.clone();
    while let Some(page) = pages.get_next_page()? {
        let needed = u64::from(page.num_values()) * VALUE + unpacked(&page, column.compression(), allowance)?;
        let taken = if together { all.take(needed) } else { allowance.check(needed) };
        taken.map_err(|excess| ParquetError::External(Box::new(excess)))?;
    }
    Ok(())
}

/// Bytes of a page once it is unpacked; of those that are packed in a way that makes them shorter by little at most, their own.
fn unpacked(page: &Page, compression: Compression, allowance: &Allowance) -> Parquet<u64> {
    let (bytes, levels) = match page {
        Page::DataPageV2 { is_compressed: false, .. } => return Ok(page.buffer().len() as u64),
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
        }
        page => (page.buffer(), 0),
    };
    let packed = bytes.get(levels..).unwrap_or_default();
    if packed.is_empty() {
        return Ok(levels as u64);
    }
    // what is beyond is too much already
    let most = allowance.room().saturating_add(1);
    let through =
        |mut read: Box<dyn Read + '_>| -> Parquet<u64> { Ok(copy(&mut read.by_ref().take(most), &mut sink())?) };
    match compression {
        Compression::ZSTD(_) => through(Box::new(zstd::stream::read::Decoder::new(packed)?)),
        Compression::GZIP(_) => through(Box::new(MultiGzDecoder::new(packed))),
        _ => Ok(bytes.len() as u64),
    }
}
