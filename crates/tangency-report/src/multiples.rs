//! A figure of the same points as many embeddings place them, side by side and coloured alike.

use crate::axes::{AxisRange, EqualAspect, Scale, drawable, equal_aspect};
use crate::canvas::Canvas;
use crate::colour::{Colour, GRID, Paint, Rgb};
use crate::figure::{Figure, FigureError};
use crate::font;
use crate::format::Format;
use crate::header::FigureHeader;
use crate::panel::{HEADING, NOTE, TITLE};
use crate::scatter::{point_radius, point_style, stride};
use crate::style::{Anchor, MarkerShape, Rect, Style};

/// Between panels beside each other, and between a row and the next.
const GAP: f64 = 26.0;
const ROW_GAP: f64 = 30.0;
const KEY_GAP: f64 = 34.0;
/// Lines of a name and of a note at most, from one to the next, and what parts the last from the frame.
const MOST_LINES: usize = 2;
const NAME_LEADING: f64 = 17.0;
const NOTE_LEADING: f64 = 15.0;
const CAPTION_GAP: f64 = 14.0;
/// The width of all panels on a screen, and of the widest one.
const WIDTH: f64 = 900.0;
const WIDEST: f64 = 270.0;
/// The only one may be wider.
const ALONE: f64 = 420.0;
/// Below this width a panel on paper is not legible.
const NARROWEST: f64 = 90.0;
/// The height of frames as a share of their width.
const HEIGHTS: (f64, f64) = (0.62, 1.0);
/// The blank between the outermost points and the frame, as a share of their span.
const PADDING: f64 = 0.06;
/// More points than this in all panels make the file heavy.
const MOST_POINTS: usize = 36_000;
/// The height of a key that could be as high as all panels.
const KEY_HEIGHT: f64 = 260.0;

/// One embedding of the points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multiple {
    /// What made it.
    pub name: String,
    /// One line on it, such as its quality; or why there are no coordinates.
    pub note: String,
    /// Where the points are; empty if there is no such embedding.
    pub coordinates: Vec<[f64; 2]>,
}

/// Draws embeddings of the same points in a grid, each to its own scale, the same along both axes.
///
/// All have the same number of points, in the same order. One without coordinates keeps its place and shows its note.
/// Without `n_columns` the grid is as even as it can be.
pub fn multiples<'a>(
    panels: &[Multiple],
    colour: Colour<'_>,
    n_columns: Option<usize>,
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let format = format.into();
    let count = check(panels, n_columns)?;
    let paint = Paint::new(colour, count)?;
    let columns = n_columns.unwrap_or_else(|| tidy(panels.len())).min(panels.len());
    let every = stride(count.saturating_mul(panels.len()), MOST_POINTS);

    let margin = format.margin();
    let key_width = paint.key.width(KEY_HEIGHT);
    let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
    let grid = MultiplesLayout::new(panels, columns, &format, beside);
    let header = FigureHeader::new(format.title, TITLE, &notes(panels, every), grid.width() + beside);
    let top = (margin + header.height() + if header.height() > 0.0 { 8.0 } else { 0.0 }).ceil();

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, margin, margin);
    // points of one size in all panels: by how many there are in a frame, not by how many of them could be placed
    let radius = (grid.frame.0 * grid.frame.1 / ROOMY).sqrt().clamp(0.4, 1.0) * point_radius(count.div_ceil(every));
    for (index, panel) in panels.iter().enumerate() {
        grid.draw(&mut canvas, (margin, top), index, panel, |canvas, at| {
            let shown = panel.coordinates.iter().zip(&paint.points).step_by(every);
            for (&[x, y], &look) in shown.filter(|(place, _)| placed(place)) {
                mark(canvas, look, at((x, y)), radius);
            }
        });
    }
    let beginning = top + grid.caption();
    let key_height = KEY_HEIGHT.min(grid.height() - grid.caption()).max(paint.key.least_height());
    paint.key.draw(&mut canvas, margin + grid.width() + KEY_GAP, beginning, key_height);
    let key_ends = if key_width > 0.0 { beginning + key_height } else { 0.0 };
    let bottom = (top + grid.height()).max(key_ends);
    Ok(canvas.finish(margin + grid.width() + beside + margin, bottom + margin, format))
}

/// The area of a frame, in square pixels, in which points have their full size.
const ROOMY: f64 = 110_000.0;

fn mark(canvas: &mut Canvas, (colour, shape): (Rgb, MarkerShape), at: (f64, f64), radius: f64) {
    canvas.marker(shape, at, radius, point_style(colour, radius));
}

fn placed(place: &[f64; 2]) -> bool {
    place.iter().all(|&value| drawable(value))
}

/// The number of points, which all panels with coordinates share.
fn check(panels: &[Multiple], n_columns: Option<usize>) -> Result<usize, FigureError> {
    if panels.is_empty() {
        return Err(FigureError::NothingToDraw("there are no embeddings"));
    }
    if n_columns == Some(0) {
        return Err(FigureError::NothingToDraw("the grid has no columns"));
    }
    let drawn = panels.iter().filter(|panel| !panel.coordinates.is_empty());
    let count = drawn.clone().next().map_or(0, |panel| panel.coordinates.len());
    if let Some(panel) = drawn.clone().find(|panel| panel.coordinates.len() != count) {
        return Err(FigureError::Length {
            what: "points of an embedding",
            expected: count,
            found: panel.coordinates.len(),
        });
    }
    if !drawn.flat_map(|panel| &panel.coordinates).any(placed) {
        return Err(FigureError::NothingToDraw("no embedding has finite coordinates"));
    }
    Ok(count)
}

/// What a reader has to know about what is drawn and what is not.
fn notes(panels: &[Multiple], every: usize) -> Vec<String> {
    let mut notes: Vec<String> = (every > 1).then(|| format!("one point in {every} drawn")).into_iter().collect();
    for panel in panels {
        match panel.coordinates.iter().filter(|place| !placed(place)).count() {
            0 => {}
            1 => notes.push(format!("1 point of {} without finite coordinates left out", panel.name)),
            all if all == panel.coordinates.len() => {
                notes.push(format!("{} without finite coordinates left out", panel.name));
            }
            some => notes.push(format!("{some} points of {} without finite coordinates left out", panel.name)),
        }
    }
    notes
}

/// Columns that leave few places blank and few rows.
fn tidy(panels: usize) -> usize {
    let cost = |columns: usize| {
        let rows = panels.div_ceil(columns);
        (columns * rows - panels + rows, columns.abs_diff(rows))
    };
    if panels <= 4 { panels } else { (3..=5).min_by_key(|&columns| cost(columns)).unwrap_or(4) }
}

/// Where the panels stand, from the upper left corner of the first.
struct MultiplesLayout {
    columns: usize,
    /// Width and height of a frame.
    frame: (f64, f64),
    /// For each row, where it begins, and what names and notes take above its frames.
    rows: Vec<(f64, f64)>,
}

impl MultiplesLayout {
    fn new(panels: &[Multiple], columns: usize, format: &Format<'_>, beside: f64) -> Self {
        let gaps = (columns - 1) as f64 * GAP;
        let most = if panels.len() == 1 { ALONE } else { WIDEST };
        let least = NARROWEST * columns as f64;
        let on_screen = ((WIDTH - gaps) / columns as f64).clamp(NARROWEST, most) * columns as f64;
        let width = (format.room(on_screen, gaps + beside, least) / columns as f64).floor();
        // as high as the embedding in the middle needs, so that most of them fill their frames
        let mut shares: Vec<f64> = panels.iter().filter_map(ranges).map(|(x, y)| y.span() / x.span()).collect();
        shares.sort_by(f64::total_cmp);
        let share = shares.get(shares.len() / 2).map_or(HEIGHTS.1, |share| share.clamp(HEIGHTS.0, HEIGHTS.1));
        let frame = (width, (share * width).round());
        let mut rows = Vec::with_capacity(panels.len().div_ceil(columns));
        let mut top = 0.0;
        for row in panels.chunks(columns) {
            let names = row.iter().map(|panel| name_lines(panel, width).len()).max().unwrap_or(0);
            let noted = row.iter().filter(|panel| ranges(panel).is_some());
            let notes = noted.map(|panel| note_lines(panel, width).len()).max().unwrap_or(0);
            let caption = NAME_LEADING * names as f64 + NOTE_LEADING * notes as f64 + CAPTION_GAP;
            rows.push((top, caption));
            top += caption + frame.1 + ROW_GAP;
        }
        Self { columns, frame, rows }
    }

    fn width(&self) -> f64 {
        self.columns as f64 * (self.frame.0 + GAP) - GAP
    }

    fn height(&self) -> f64 {
        self.rows.last().map_or(0.0, |(top, caption)| top + caption + self.frame.1)
    }

    /// What names and notes take above the first frames, where the key begins.
    fn caption(&self) -> f64 {
        self.rows.first().map_or(0.0, |row| row.1)
    }

    /// Draws the panel with this number: name, note and frame, and what `points` draws, which learns where a place is.
    fn draw(
        &self,
        canvas: &mut Canvas,
        corner: (f64, f64),
        index: usize,
        panel: &Multiple,
        points: impl FnOnce(&mut Canvas, &dyn Fn((f64, f64)) -> (f64, f64)),
    ) {
        let ((top, caption), column) = (self.rows[index / self.columns], index % self.columns);
        let (width, height) = self.frame;
        let x = corner.0 + column as f64 * (width + GAP);
        let y = corner.1 + top;
        let frame = Rect { x, y: y + caption, width, height };
        let mut baseline = y + HEADING.size;
        for line in name_lines(panel, width) {
            canvas.text((x, baseline), &line, HEADING);
            baseline += NAME_LEADING;
        }
        // Lines on half pixels fill whole ones.
        canvas.rect(
            Rect { x: x + 0.5, y: frame.y + 0.5, width: width - 1.0, height: height - 1.0 },
            Style::line(GRID, 1.0),
        );
        let Some(ranges) = ranges(panel) else {
            return centred(canvas, frame, &panel.note);
        };
        for line in note_lines(panel, width) {
            canvas.text((x, baseline), &line, NOTE);
            baseline += NOTE_LEADING;
        }
        let EqualAspect { x, y, .. } = equal_aspect(ranges.0, ranges.1, self.frame, self.frame);
        let (x, y) = (Scale::new(x, frame.x, frame.right()), Scale::new(y, frame.bottom(), frame.y));
        points(canvas, &|place| (x.at(place.0), y.at(place.1)));
    }
}

fn name_lines(panel: &Multiple, room: f64) -> Vec<String> {
    font::wrapped(&panel.name, HEADING.size, HEADING.bold, room, MOST_LINES)
}

fn note_lines(panel: &Multiple, room: f64) -> Vec<String> {
    font::wrapped(&panel.note, NOTE.size, NOTE.bold, room, MOST_LINES)
}

/// The ranges of what can be placed, with blank around it.
fn ranges(panel: &Multiple) -> Option<(AxisRange, AxisRange)> {
    let along =
        |axis: usize| AxisRange::of(panel.coordinates.iter().filter(|place| placed(place)).map(|place| place[axis]));
    let (x, y) = (along(0)?, along(1)?);
    // a line has no height of its own
    let span = x.span().max(y.span());
    let open = |range: AxisRange| range.widened(0.02 * span).padded(PADDING);
    Some((open(x), open(y)))
}

/// Why a frame is empty, in its middle.
fn centred(canvas: &mut Canvas, frame: Rect, note: &str) {
    let leading = 1.4 * NOTE.size;
    let lines = font::wrapped(note, NOTE.size, false, frame.width - 24.0, 4);
    let first = frame.y + frame.height / 2.0 - (lines.len() as f64 - 1.0) * leading / 2.0 + 0.35 * NOTE.size;
    for (index, line) in lines.iter().enumerate() {
        let at = (frame.x + frame.width / 2.0, first + index as f64 * leading);
        canvas.text(at, line, NOTE.anchored(Anchor::Middle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_tidy() {
        let columns = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map(tidy);
        assert_eq!(columns, [1, 2, 3, 4, 5, 3, 4, 4, 3, 5, 4, 4, 5, 5, 5, 4]);
    }
}
