//! A table in, a table out: new rows placed in a fitted model, a block at a time.

use super::Model;
use super::output::Output;
use super::structure_columns::{StructureColumn, StructureRow, structure_columns, structure_row};
use super::table::{Block, TableNote, TableStream};
use super::table_writer::{Cells, ColumnKind, TableWriter};
use crate::error::{Error, Result};
use crate::extend::{Extension, Placement};
use crate::linalg::Matrix;
use crate::message::{Piece, Remedy, Sentence};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows more surprising than this share of the training points are counted.
pub const RARE: f64 = 0.99;

/// What was placed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transformed {
    /// Rows placed.
    pub rows: usize,
    /// Of these, more surprising than the share [`RARE`] of the training points.
    pub rare: usize,
    /// Of these, without some entries: their density is of those that they have, and compares with no other.
    pub with_gaps: usize,
    /// Of these, not come to rest.
    pub unsettled: usize,
    /// Time of the placements alone.
    pub time: Duration,
    /// Whether the observer ended it.
    pub interrupted: bool,
    /// What to know about how the table was understood.
    pub notes: Vec<TableNote>,
}

/// A table of new rows, opened and its first rows read, so that what is wrong with it is said before there is work.
pub struct NewRows<'a> {
    path: &'a Path,
    stream: TableStream,
    /// The features that the table has.
    features: Vec<usize>,
    next: Option<Block>,
}

impl<'a> NewRows<'a> {
    /// Takes the features of a model from a table, which may lack views of it.
    pub fn new(path: &'a Path, mut stream: TableStream, model: &Model) -> Result<Self> {
        let features = of_views(&stream, model);
        stream.choose(&features.iter().map(|&f| model.feature_names[f].clone()).collect::<Vec<_>>())?;
        let next = next_block(&mut stream, path, model)?.map(|block| widened(block, &features, model));
        Ok(Self { path, stream, features, next })
    }

    /// The features of the model that the table has.
    pub fn features(&self) -> &[usize] {
        &self.features
    }

    /// The next rows, with NaN in the features that the table lacks.
    pub fn next_rows(&mut self, model: &Model) -> Result<Option<Block>> {
        let now = self.next.take();
        if now.is_some() {
            let next = next_block(&mut self.stream, self.path, model)?;
            self.next = next.map(|block| widened(block, &self.features, model));
        }
        Ok(now)
    }

    /// What to know about how the table was understood.
    pub fn notes(&mut self) -> Vec<TableNote> {
        self.stream.notes()
    }

    /// The number of rows, where the table has it.
    pub fn rows(&self) -> Option<usize> {
        self.stream.rows()
    }

    /// Places all rows and writes them to a table. `observe` sees how many rows are done, and may end it there.
    pub fn transform(
        mut self,
        model: &Model,
        extension: &Extension,
        out: &Output,
        details: bool,
        mut observe: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Transformed> {
        let with_labels = self.next.as_ref().is_some_and(|block| block.labels.is_some());
        let mut writer = TableWriter::create(out, &header(model, with_labels, details))?;
        let mut seen = Transformed::default();
        while let Some(block) = self.next {
            let begin = Instant::now();
            let placed =
                extension.transform_columns(block.values.as_ref()).map_err(|error| of_table(error, block.first))?;
            let densities =
                extension.score_columns(block.values.as_ref()).map_err(|error| of_table(error, block.first))?;
            seen.time += begin.elapsed();
            seen.rows += placed.len();
            let columns = block.values.as_ref();
            let has_gap = |i: &usize| columns.col(*i).iter().any(|value| value.is_nan());
            seen.with_gaps += (0..placed.len()).filter(has_gap).count();
            seen.unsettled += placed.iter().filter(|placement| !placement.settled).count();
            let novelty = extension.novelties(columns, &densities);
            seen.rare += novelty.iter().filter(|&&share| share > RARE).count();
            writer.write(&cells(model, extension, block, &placed, [densities, novelty], details))?;
            if observe(seen.rows).is_break() {
                seen.interrupted = true;
                break;
            }
            let next = next_block(&mut self.stream, self.path, model)?;
            self.next = next.map(|block| widened(block, &self.features, model));
        }
        writer.finish()?;
        seen.notes = self.stream.notes();
        Ok(seen)
    }
}

/// The features of a model that a table has, where those that it lacks are whole views; otherwise all.
fn of_views(stream: &TableStream, model: &Model) -> Vec<usize> {
    let all: Vec<usize> = (0..model.feature_names.len()).collect();
    let Some(names) = stream.names() else { return all };
    let there: Vec<usize> = all.iter().copied().filter(|&f| names.contains(&model.feature_names[f])).collect();
    let lacks = |f: &usize| !there.contains(f);
    let whole =
        |f: &usize| model.fit.views.iter().any(|view| view.features.contains(f) && view.features.iter().all(lacks));
    match !there.is_empty() && all.iter().filter(|f| lacks(f)).all(whole) {
        true => there,
        false => all,
    }
}

/// A block of some features as one of all, NaN in the others.
fn widened(block: Block, features: &[usize], model: &Model) -> Block {
    let d_y = model.feature_names.len();
    if features.len() == d_y {
        return block;
    }
    let mut values = Matrix::from_fn(d_y, block.values.ncols(), |_, _| f64::NAN);
    for (place, &f) in features.iter().enumerate() {
        (0..values.ncols()).for_each(|i| values[(f, i)] = block.values[(place, i)]);
    }
    Block { values, ..block }
}

/// How many rows are in memory at a time: fewer where rows and their maps are long.
pub fn block_rows(model: &Model) -> usize {
    let fit = &model.fit;
    let cells = fit.observations.ncols() * (fit.coordinates.ncols() + 3);
    ((1 << 22) / cells).clamp(1, 4096)
}

/// Some rows of a table that a model is applied to. What is wrong with a cell is said with the name of the file, and without
/// the way out of leaving a column out, which a model does not allow.
pub fn next_block(stream: &mut TableStream, path: &Path, model: &Model) -> Result<Option<Block>> {
    stream.next_block(block_rows(model)).map_err(|error| match error {
        Error::NonFinite { .. } | Error::NotNumeric { .. } => {
            Error::file(path, error.message(), [Remedy::act("correct it"), Remedy::act("drop the row")])
        }
        other => other,
    })
}

/// An error about a row of a block that begins at row `first` of the table.
pub fn of_table(error: Error, first: usize) -> Error {
    match error {
        Error::TooFar { row } => Error::TooFar { row: row + first },
        Error::NoDirection { row, metric } => Error::NoDirection { row: row + first, metric },
        Error::NoValue { place: Piece::Row(row) } => Error::NoValue { place: Piece::Row(row + first) },
        Error::NonFinite { row, column, value, line } => Error::NonFinite { row: row + first, column, value, line },
        other => other,
    }
}

/// Names `x1`, `x2`, … with another letter.
pub fn numbered(letters: &str, count: usize) -> impl Iterator<Item = (String, ColumnKind)> {
    (1..=count).map(move |a| (format!("{letters}{a}"), ColumnKind::Number))
}

/// Ids of the rows of a block: those given, or row numbers from 0.
pub fn ids(block: &Block) -> Vec<String> {
    let rows = block.values.ncols();
    block.ids.clone().unwrap_or_else(|| (block.first..block.first + rows).map(|row| row.to_string()).collect())
}

fn header(model: &Model, with_labels: bool, details: bool) -> Vec<(String, ColumnKind)> {
    let d_x = model.fit.coordinates.ncols();
    let text = |name: &str| (name.to_owned(), ColumnKind::Text);
    let mut header = vec![text("id")];
    header.extend(with_labels.then(|| text("label")));
    header.extend(numbered("x", d_x).chain(numbered("sd", d_x)));
    header.extend(["log_density", "novelty"].map(|name| (name.to_owned(), ColumnKind::Number)));
    for column in structure_columns(&model.fit) {
        let (mut name, kind) = match column {
            StructureColumn::Number(name) => (name, ColumnKind::Number),
            StructureColumn::Name(name) => (name, ColumnKind::Text),
        };
        while header.iter().any(|(other, _)| *other == name) {
            name.push('_');
        }
        header.push((name, kind));
    }
    if details {
        header.push(text("neighbors"));
        header.extend(pairs(d_x).map(|(a, b)| (format!("cov{}_{}", a + 1, b + 1), ColumnKind::Number)));
        for a in 0..d_x {
            header.extend(model.feature_names.iter().map(|name| (format!("d{}_{name}", a + 1), ColumnKind::Number)));
        }
    }
    header
}

fn pairs(d_x: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..d_x).flat_map(move |a| (a..d_x).map(move |b| (a, b)))
}

fn cells(
    model: &Model,
    extension: &Extension,
    block: Block,
    placed: &[Placement],
    scores: [Vec<f64>; 2],
    details: bool,
) -> Vec<Cells> {
    let d_x = model.fit.coordinates.ncols();
    let numbers = |of: &dyn Fn(&Placement) -> f64| Cells::Numbers(placed.iter().map(of).collect());
    let totals: Vec<_> = placed.iter().map(|placement| extension.total_covariance(placement)).collect();
    let mut cells = vec![Cells::Text(ids(&block))];
    cells.extend(block.labels.map(Cells::Text));
    cells.extend((0..d_x).map(|a| numbers(&|placement| extension.coordinates(placement)[a])));
    cells.extend((0..d_x).map(|a| Cells::Numbers(totals.iter().map(|total| total[(a, a)].sqrt()).collect())));
    cells.extend(scores.map(Cells::Numbers));
    let of_row = |(placement, total): (&Placement, &Matrix)| {
        let point = placement.point.map(|i| i as usize);
        structure_row(&model.fit, extension.coordinates(placement), |a, b| total[(a, b)], point)
    };
    let rows: Vec<StructureRow> = placed.iter().zip(&totals).map(of_row).collect();
    let (mut known, mut probability) = (0, 0);
    for column in structure_columns(&model.fit) {
        cells.push(match column {
            StructureColumn::Name(_) => {
                Cells::Text(rows.iter().map(|row| row.group.clone().unwrap_or_default()).collect())
            }
            StructureColumn::Number(_) if rows.first().is_some_and(|row| known < row.known.len()) => {
                known += 1;
                Cells::Numbers(rows.iter().map(|row| row.known[known - 1]).collect())
            }
            StructureColumn::Number(_) => {
                probability += 1;
                Cells::Numbers(rows.iter().map(|row| row.probabilities[probability - 1]).collect())
            }
        });
    }
    if details {
        let names = |placement: &Placement| {
            placement.neighbors.iter().map(|&j| model.id(j as usize)).collect::<Vec<_>>().join(" ")
        };
        cells.push(Cells::Text(placed.iter().map(names).collect()));
        cells.extend(pairs(d_x).map(|(a, b)| numbers(&|placement| placement.covariance[(a, b)])));
        for a in 0..d_x {
            for (f, scale) in model.fit.scaling.scale.iter().enumerate() {
                cells.push(numbers(&|placement| placement.map[(f, a)] * scale));
            }
        }
    }
    cells
}
