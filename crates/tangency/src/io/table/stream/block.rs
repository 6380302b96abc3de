//! A few rows of a table, and how they are put together.

use super::wanted::{Use, Wanted};
use crate::error::Result;
use crate::io::table::{bad_cell, is_missing};
use crate::linalg::Matrix;

/// Some rows of a table that follow on each other.
#[derive(Clone, Debug)]
pub struct Block {
    /// The number of the first row in the table, from 0.
    pub first: usize,
    /// The chosen columns, all finite: a feature a row, a row of the table a column. // [features, rows]
    pub values: Matrix,
    /// The column asked for as identifiers.
    pub ids: Option<Vec<String>>,
    /// The column asked for as labels.
    pub labels: Option<Vec<String>>,
}

/// A block while cells are added to it, row by row or column by column.
pub(in crate::io::table) struct BlockBuilder<'a> {
    wanted: &'a Wanted,
    first: usize,
    numbers: Vec<Vec<f64>>,
    ids: Vec<String>,
    labels: Vec<String>,
    /// Row, feature and text of the first cell, reading row by row, that is not a finite number.
    bad: Option<(usize, usize, String)>,
}

impl<'a> BlockBuilder<'a> {
    pub(super) fn new(wanted: &'a Wanted, first: usize) -> Self {
        let numbers = vec![Vec::new(); wanted.names.len()];
        Self { wanted, first, numbers, ids: Vec::new(), labels: Vec::new(), bad: None }
    }

    /// The columns that are to be read, and what for.
    pub(in crate::io::table) fn uses(&self) -> &'a [(usize, Use)] {
        &self.wanted.uses
    }

    /// Rows that are whole, between two rounds of adding a cell to each column.
    pub(in crate::io::table) fn rows(&self) -> usize {
        self.numbers.first().map_or(0, Vec::len)
    }

    /// The row of the table that comes after these, from 0.
    pub(in crate::io::table) fn next_row(&self) -> usize {
        self.first + self.rows()
    }

    /// Adds a cell to what its column is used for.
    pub(in crate::io::table) fn put(
        &mut self,
        usage: Use,
        number: impl FnOnce() -> f64,
        text: impl FnOnce() -> String,
    ) {
        match usage {
            Use::Feature(feature) => {
                let number = number();
                let row = self.numbers[feature].len();
                let is_first = self.bad.as_ref().is_none_or(|&(r, f, _)| (row, feature) < (r, f));
                let mut number = number;
                if !number.is_finite() && (is_first || self.wanted.gaps) {
                    let text = text();
                    if self.wanted.gaps && is_missing(&text) {
                        number = f64::NAN;
                    } else if is_first {
                        self.bad = Some((row, feature, text));
                    }
                }
                self.numbers[feature].push(number);
            }
            Use::Id => self.ids.push(text()),
            Use::Label => self.labels.push(text()),
        }
    }

    /// An error if a feature is not a finite number.
    pub(in crate::io::table) fn check(&self) -> Result<()> {
        match &self.bad {
            None => Ok(()),
            Some((row, feature, text)) => Err(bad_cell(self.first + row, &self.wanted.names[*feature], text.clone())),
        }
    }

    /// The block, if there is a row in it.
    pub(super) fn finish(self) -> Result<Option<Block>> {
        self.check()?;
        let (rows, numbers) = (self.rows(), self.numbers);
        if rows == 0 {
            return Ok(None);
        }
        let uses = |usage: Use| self.wanted.uses.iter().any(|&(_, other)| other == usage);
        Ok(Some(Block {
            first: self.first,
            values: Matrix::from_fn(numbers.len(), rows, |feature, row| numbers[feature][row]),
            ids: uses(Use::Id).then_some(self.ids),
            labels: uses(Use::Label).then_some(self.labels),
        }))
    }
}
