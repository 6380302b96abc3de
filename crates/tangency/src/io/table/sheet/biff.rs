//! Whether the cells of an old Excel file are where cells can be, before it is read by those who make room for all up to the last.

/// Rows and columns that such a sheet has at most.
const ROWS: u32 = 65_536;
const COLUMNS: u16 = 256;
/// The record that promises how many it has.
const DIMENSIONS: u16 = 0x0200;

/// Records of cells, which begin with a row and a column: formulas, numbers, labels, truths.
const CELLS: [u16; 8] = [0x0006, 0x00d6, 0x00fd, 0x0201, 0x0203, 0x0204, 0x0205, 0x027e];
/// Records of cells side by side, which end with the last column.
const RUNS: [u16; 2] = [0x00bd, 0x00be];

/// Nothing if the file is damaged in a way that hides its cells.
pub(super) fn has_narrow_sheets(file: &[u8]) -> Option<bool> {
    let book = workbook(file)?;
    let mut at = 0;
    while let (Some(kind), Some(length)) = (word(&book, at), word(&book, at + 2)) {
        let (start, end) = (at + 4, at + 4 + usize::from(length));
        let column = if CELLS.contains(&kind) {
            word(&book, start + 2)
        } else if RUNS.contains(&kind) {
            word(&book, end.saturating_sub(2))
        } else {
            None
        };
        let promised = kind == DIMENSIONS && length >= 14;
        let is_tall = promised && long(&book, start + 4).is_some_and(|rows| rows > ROWS);
        let is_wide = promised && word(&book, start + 10).is_some_and(|columns| columns > COLUMNS);
        if is_tall || is_wide || column.is_some_and(|column| column >= COLUMNS) {
            return Some(false);
        }
        at = end;
    }
    Some(true)
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The stream of the workbook. The file is one of sectors, which a table chains to streams, and small streams are parts of one of
/// these (the compound file binary format).
fn workbook(file: &[u8]) -> Option<Vec<u8>> {
    let shift = word(file, 30).filter(|shift| (7..=16).contains(shift))?;
    let size = 1usize << shift;
    let sector = |number: u32| {
        let start = (number as usize + 1) << shift;
        // the last may be cut short
        file.get(start..file.len().min(start + size))
    };
    let sectors = file.len() / size + 1;
    let mut of_table: Vec<u32> = (0..109).map_while(|entry| long(file, 76 + 4 * entry)).collect();
    let mut more = long(file, 68)?;
    for _ in 0..sectors {
        let Some(listed) = sector(more) else { break };
        of_table.extend((0..size / 4 - 1).map_while(|entry| long(listed, 4 * entry)));
        more = long(listed, size - 4)?;
    }
    let words = |bytes: &[u8]| bytes.chunks_exact(4).map_while(|word| long(word, 0)).collect::<Vec<_>>();
    let next: Vec<u32> = of_table.into_iter().map_while(sector).flat_map(words).collect();
    let stream = |first: u32| {
        let mut bytes = Vec::new();
        let mut number = first;
        for _ in 0..sectors {
            let Some(more) = sector(number) else { break };
            bytes.extend_from_slice(more);
            let Some(&following) = next.get(number as usize) else { break };
            number = following;
        }
        bytes
    };
    let folder = stream(long(file, 48)?);
    let book = folder.chunks_exact(128).find(|entry| {
        let name: Vec<u16> = entry[..64].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let name = String::from_utf16_lossy(&name);
        matches!(name.trim_end_matches('\0'), "Workbook" | "Book")
    })?;
    let (first, length) = (long(book, 116)?, long(book, 120)?);
    if length >= long(file, 56)? {
        return Some(stream(first));
    }
    let (small, next) = (stream(long(&folder, 116)?), words(&stream(long(file, 60)?)));
    let mut bytes = Vec::new();
    let mut number = first;
    for _ in 0..=next.len() {
        let Some(more) = small.get(number as usize * 64..number as usize * 64 + 64) else { break };
        bytes.extend_from_slice(more);
        let Some(&following) = next.get(number as usize) else { break };
        number = following;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    //! A column that no sheet has is found wherever it is written.
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn far_columns_are_found() {
        let sound = include_bytes!("../../../../tests/fixtures/tables/old.xls");
        assert_eq!(has_narrow_sheets(sound), Some(true));
        let book = workbook(sound).unwrap();
        let number = [0x03, 0x02, 14, 0, 1, 0, 1, 0];
        let at = sound.windows(8).position(|bytes| bytes == number).unwrap();
        assert!(book.windows(8).any(|bytes| bytes == number));
        let mut far = sound.to_vec();
        far[at + 7] = 0xff;
        assert_eq!(has_narrow_sheets(&far), Some(false));
        assert_eq!(has_narrow_sheets(&sound[..600]), None);
        assert_eq!(has_narrow_sheets(b"PK"), None);
    }
}
