//! Which entries the rows of a fit lacked, to be asked row by row.

use crate::linalg::Matrix;
use std::collections::HashMap;

/// Entries that the rows of a fit lacked, and the rows found by what they have.
#[derive(Clone, Debug, Default)]
pub struct RowGaps {
    /// Rows and features, sorted.
    entries: Vec<(u32, u32)>,
    /// Rows with gaps by what they have.
    rows: HashMap<u64, Vec<u32>>,
}

impl RowGaps {
    /// These entries, sorted, of points given one per column.
    pub fn new(entries: Vec<(u32, u32)>, points: &Matrix) -> Self {
        let mut made = Self { entries, rows: HashMap::new() };
        let mut with_gaps: Vec<u32> = made.entries.iter().map(|&(row, _)| row).collect();
        with_gaps.dedup();
        for row in with_gaps {
            let mut known = points.col_as_slice(row as usize).to_vec();
            made.of(row as usize).iter().for_each(|&(_, f)| known[f as usize] = f64::NAN);
            made.rows.entry(key(&known)).or_default().push(row);
        }
        made
    }

    /// Those of a row.
    pub fn of(&self, row: usize) -> &[(u32, u32)] {
        let first = self.entries.partition_point(|&(other, _)| (other as usize) < row);
        let count = self.entries[first..].partition_point(|&(other, _)| other as usize == row);
        &self.entries[first..first + count]
    }

    /// Whether a row lacks a feature.
    pub fn lacks(&self, row: usize, f: usize) -> bool {
        self.entries.binary_search(&(row as u32, f as u32)).is_ok()
    }

    /// Whether a row lacks none.
    pub fn is_whole(&self, row: usize) -> bool {
        self.of(row).is_empty()
    }

    /// Some of the points, one per column, with NaN where an entry is missing.
    pub fn measured(&self, points: &Matrix, rows: &[usize]) -> Matrix {
        let mut found = Matrix::from_fn(points.nrows(), rows.len(), |f, c| points[(f, rows[c])]);
        for (c, &row) in rows.iter().enumerate() {
            self.of(row).iter().for_each(|&(_, f)| found[(f as usize, c)] = f64::NAN);
        }
        found
    }

    /// The first of the points that lacked what is NaN in a row, and has what the row has.
    pub fn find(&self, points: &Matrix, row: &[f64]) -> Option<u32> {
        let same = |&i: &u32| {
            let known = points.col_as_slice(i as usize);
            let lacked = row.iter().filter(|value| value.is_nan()).count() == self.of(i as usize).len();
            let entry =
                |(f, (a, b)): (usize, (&f64, &f64))| if a.is_nan() { self.lacks(i as usize, f) } else { a == b };
            lacked && row.iter().zip(known).enumerate().all(entry)
        };
        self.rows.get(&key(row))?.iter().copied().find(same)
    }
}

/// A number for what a row has; equal rows have the same (Fowler–Noll–Vo).
fn key(row: &[f64]) -> u64 {
    let bits = |value: &f64| match value {
        gap if gap.is_nan() => u64::MAX,
        // both zeros are one
        number => (number + 0.0).to_bits(),
    };
    row.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, value| {
        (sum ^ bits(value)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}
