//! A figure of what is expected over a plane: a small image, or a small profile, at each place of a grid.

use crate::axes::{AxisRange, Scale, drawable, number, ticks};
use crate::canvas::Canvas;
use crate::colour::{GRID, Rgb, WHITE, categorical};
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::header::FigureHeader;
use crate::panel::{Panel, TITLE};
use crate::style::{Rect, Style};
use crate::tiles::{GREYS, TileShape, grey_scale, merged, shade};
use tangency::view::{FIRST_AXES, Known, REACH};

/// The width of the grid on a screen, the least on paper, and the most height as a share of the width.
const ON_SCREEN: f64 = 640.0;
const LEAST_ROOM: f64 = 160.0;
const HIGHEST: f64 = 1.1;
/// What parts the cells, as a share of a cell.
const GAP: f64 = 0.1;
/// Height of a cell with a profile, its width being 1, and in a single row of cells.
const PROFILE: f64 = 0.8;
const LONE_PROFILE: f64 = 1.5;
/// How pale a cell is that lies far from all that is known.
const PALE: f64 = 0.72;

/// What is expected at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeCell {
    /// The values; one that is not finite stays blank.
    pub values: Vec<f64>,
    /// Their standard deviations, for profiles; may be empty.
    pub deviations: Vec<f64>,
    /// How well the place is known.
    pub known: Known,
}

/// How the values of a cell are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellShape {
    /// As the pixels of an image.
    Image(TileShape),
    /// As a line from the first to the last, with a band of two standard deviations.
    Profile,
}

/// A grid over a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice<'a> {
    /// The places along the first coordinate.
    pub x: &'a [f64],
    /// The places along the second coordinate; a single one is a grid along a line.
    pub y: &'a [f64],
    /// The cells, the first coordinate running fastest.
    pub cells: &'a [LatticeCell],
    /// How they are drawn.
    pub shape: CellShape,
}

/// Draws a grid of cells over the plane of two coordinates.
pub fn lattice<'a>(
    lattice: &Lattice<'_>,
    notes: &[String],
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let format = format.into();
    let &Lattice { x, y, cells, shape } = lattice;
    check(lattice)?;
    let shown = || cells.iter().filter(|cell| cell.known != Known::Not);
    let nothing = FigureError::NothingToDraw("no cell has a finite value");
    let mut notes = notes.to_vec();
    let (ink, ratio) = match shape {
        CellShape::Image(TileShape { rows, columns }) => {
            let values: Vec<f64> = shown().flat_map(|cell| &cell.values).copied().collect();
            let (greys, note) = grey_scale(&values).ok_or(nothing)?;
            notes.extend(note);
            (Ink::Greys(greys), rows as f64 / columns as f64)
        }
        CellShape::Profile => {
            // What is badly known may be anything, and would flatten the rest.
            let well = shown().filter(|cell| cell.known == Known::Well).flat_map(LatticeCell::ends);
            let range =
                AxisRange::of(well).or_else(|| AxisRange::of(shown().flat_map(LatticeCell::ends))).ok_or(nothing)?;
            notes.push(format!("each profile from {} to {}", short(range.lo, range), short(range.hi, range)));
            (Ink::Lines(range.padded(0.02)), if y.len() == 1 { LONE_PROFILE } else { PROFILE })
        }
    };

    let margin = format.margin();
    let labels = |height: f64| {
        let y_scale = Scale::new(reach(y), height, 0.0);
        let marks = ticks(y_scale, 40.0, false);
        marks.labels.iter().map(|label| crate::font::width(label, 11.0, false)).fold(0.0, f64::max)
    };
    let line = y.len() == 1;
    let left = if line { 0.0 } else { Panel::LEFT + labels(ON_SCREEN) };
    let room = format.room(ON_SCREEN, left, LEAST_ROOM);
    let pitch = (room / x.len() as f64).min(HIGHEST * room / (ratio * y.len() as f64));
    let size = (pitch * x.len() as f64, ratio * pitch * y.len() as f64);
    let header = FigureHeader::new(format.title, TITLE, &notes, left + room);
    let top = margin + header.height().max(4.0);
    let panel = Panel::new(margin, top, size, (reach(x), reach(y)), false);
    // What is narrower than its page stands in the middle of it.
    let panel = panel.moved_to(margin + left + (room - size.0) / 2.0);

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, margin, margin);
    for (index, cell) in cells.iter().enumerate() {
        let (column, row) = (index % x.len(), index / x.len());
        let (width, height) = ((1.0 - GAP) * pitch, (1.0 - GAP) * ratio * pitch);
        let corner = (panel.frame.x + column as f64 * pitch, panel.frame.bottom() - (row + 1) as f64 * ratio * pitch);
        let air = (0.5 * GAP * pitch, 0.5 * GAP * ratio * pitch);
        let frame = Rect { x: corner.0 + air.0, y: corner.1 + air.1, width, height };
        if cell.known != Known::Not {
            ink.draw(&mut canvas, frame, cell, shape);
        }
    }
    if line {
        panel.x_axis(&mut canvas, FIRST_AXES[0]);
    } else {
        panel.axes(&mut canvas, FIRST_AXES[0], FIRST_AXES[1]);
    }
    Ok(canvas.finish(margin + left + room + margin, panel.frame.bottom() + Panel::BELOW + 6.0, format))
}

fn check(lattice: &Lattice<'_>) -> Result<(), FigureError> {
    let Lattice { x, y, cells, shape } = lattice;
    let expected = x.len() * y.len();
    if cells.len() != expected {
        return Err(FigureError::Length { what: "cells of the grid", expected, found: cells.len() });
    }
    if expected == 0 {
        return Err(FigureError::NothingToDraw("the grid has no cells"));
    }
    let values = cells.first().map_or(0, |cell| cell.values.len());
    let expected = match shape {
        CellShape::Image(TileShape { rows, columns }) => rows.saturating_mul(*columns),
        CellShape::Profile => values,
    };
    if expected == 0 {
        return Err(FigureError::NothingToDraw("the cells have no values"));
    }
    match cells.iter().find(|cell| cell.values.len() != expected) {
        Some(cell) => Err(FigureError::Length { what: "values of a cell", expected, found: cell.values.len() }),
        None => Ok(()),
    }
}

/// The range of an axis on which the places are the middles of cells.
fn reach(places: &[f64]) -> AxisRange {
    let range = AxisRange::of(places.iter().copied()).unwrap_or(AxisRange { lo: 0.0, hi: 1.0 }).opened();
    let half = if places.len() > 1 { 0.5 * range.span() / (places.len() - 1) as f64 } else { 0.0 };
    AxisRange { lo: range.lo - half, hi: range.hi + half }
}

/// A value to the digits that its range deserves.
fn short(value: f64, range: AxisRange) -> String {
    let step = 10f64.powf(range.opened().span().log10().floor() - 2.0);
    number((value / step).round() * step)
}

impl LatticeCell {
    fn band(&self, index: usize) -> f64 {
        self.deviations.get(index).map_or(0.0, |deviation| REACH * deviation)
    }

    fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().enumerate().flat_map(|(index, value)| [value - self.band(index), value + self.band(index)])
    }
}

enum Ink {
    Greys(AxisRange),
    Lines(AxisRange),
}

impl Ink {
    fn draw(&self, canvas: &mut Canvas, frame: Rect, cell: &LatticeCell, shape: CellShape) {
        let pale = |colour: Rgb| if cell.known == Known::Badly { colour.mixed(WHITE, PALE) } else { colour };
        match (self, shape) {
            (Self::Greys(greys), CellShape::Image(shape)) => {
                let mut layers = vec![Vec::new(); GREYS];
                for (grey, boxes) in merged(&cell.values, shape, *greys) {
                    layers[grey].push(boxes);
                }
                let layers = layers.iter().enumerate().map(|(grey, boxes)| (pale(shade(grey)), &boxes[..]));
                canvas.rect(frame, Style::line(GRID, 0.5));
                canvas.seamless_mosaic((frame.x, frame.y), frame.width / shape.columns as f64, layers);
            }
            (Self::Lines(range) | Self::Greys(range), _) => {
                canvas.rect(frame, Style::fill(GRID, 0.35));
                let count = cell.values.len();
                let x = |index: usize| match count {
                    1 => frame.x + frame.width / 2.0,
                    _ => frame.x + frame.width * (0.04 + 0.92 * index as f64 / (count - 1) as f64),
                };
                let scale = Scale::new(*range, frame.bottom(), frame.y);
                let y = |value: f64| scale.at(value).clamp(frame.y, frame.bottom());
                let colour = pale(categorical(0));
                let indices: Vec<usize> = (0..count).collect();
                for run in indices.split(|&index| !drawable(cell.values[index])).filter(|run| !run.is_empty()) {
                    let edge =
                        |side: f64| move |&index: &usize| (x(index), y(cell.values[index] + side * cell.band(index)));
                    let mut outline: Vec<(f64, f64)> = run.iter().map(edge(1.0)).collect();
                    outline.extend(run.iter().rev().map(edge(-1.0)));
                    if !cell.deviations.is_empty() {
                        canvas.path([&outline[..]], true, Style::fill(colour, 0.25));
                    }
                    let line: Vec<(f64, f64)> = run.iter().map(edge(0.0)).collect();
                    canvas.path([&line[..]], false, Style::line(colour, 1.0));
                }
            }
        }
    }
}
