//! A figure of small images in a grid, all on one grey scale.

use crate::axes::{AxisRange, drawable, number};
use crate::canvas::Canvas;
use crate::colour::{GRID, INK, Rgb, categorical};
use crate::figure::{Figure, FigureError};
use crate::font;
use crate::header::FigureHeader;
use crate::key::{Entry, Key, KeySign};
use crate::panel::{AXIS_TITLE, TICK, TITLE};
use crate::style::{Anchor, MarkerShape, Rect, Style};

const MARGIN: f64 = 20.0;
const KEY_GAP: f64 = 22.0;
const GAP: f64 = 8.0;
const CAPTION: f64 = 17.0;
/// The room for the captions of rows, and what parts them from the images.
const WIDEST_ROW_CAPTION: f64 = 130.0;
const ROW_CAPTION_GAP: f64 = 12.0;
/// The width below which a title would be cut.
const LEAST_WIDTH: f64 = 260.0;
/// The longest side of an image, and of the whole grid where small images allow it.
const SIDE: f64 = 72.0;
const GRID_WIDTH: f64 = 860.0;
/// Images with more pixels along a side than this are drawn with pixels smaller than 1.
const LARGEST_SIDE: f64 = 160.0;
/// Enough that steps hardly show, and few enough that equal neighbours are many.
pub(crate) const GREYS: usize = 24;
/// The grey of the smallest value, told from the page.
const LIGHTEST: Rgb = Rgb(246, 247, 248);
/// Values outside these shares of all are drawn as if they lay on them.
const CLIPPED: (f64, f64) = (0.01, 0.99);

/// One small image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tile<'a> {
    /// The pixels row by row; one that is not finite stays blank.
    pub values: &'a [f64],
    /// Below the image; may be empty.
    pub caption: &'a str,
    /// What sets this image apart (“novel”): it gets a coloured frame, and the legend gives the meaning unless it is
    /// empty.
    pub mark: Option<&'a str>,
}

/// The pixels of every image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Pixels from top to bottom.
    pub rows: usize,
    /// Pixels from left to right.
    pub columns: usize,
}

/// Draws images in a grid of `columns` columns, row by row, dark where values are large.
///
/// All share one grey scale, from the 1st to the 99th percentile of all pixels, and the figure says which values these
/// are. `row_captions` stand to the left, one for each row of the grid, or none at all.
pub fn tiles(
    tiles: &[Tile<'_>],
    shape: TileShape,
    columns: usize,
    row_captions: &[&str],
    title: &str,
) -> Result<Figure, FigureError> {
    check(tiles, shape, columns, row_captions)?;
    let values: Vec<f64> = tiles.iter().flat_map(|tile| tile.values).copied().collect();
    let (greys, notes) = grey_scale(&values).ok_or(FigureError::NothingToDraw("no image has a finite value"))?;
    let marks = Marks::of(tiles);

    let grid = TilesLayout::new(tiles, shape, columns.min(tiles.len()), row_captions);
    let height = grid.height().max(marks.key.least_height());
    let key_width = marks.key.width(height);
    let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
    let width = (grid.right() + beside).max(LEAST_WIDTH);
    let header = FigureHeader::new(title, TITLE, &notes, width - MARGIN);
    let top = (MARGIN + header.height()).ceil();

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, MARGIN, MARGIN);
    for (row, caption) in row_captions.iter().enumerate() {
        grid.caption_row(&mut canvas, top, row, caption);
    }
    for (index, tile) in tiles.iter().enumerate() {
        let frame = grid.frame(top, index);
        let mut layers = vec![Vec::new(); GREYS];
        for (grey, cells) in merged(tile.values, shape, greys) {
            layers[grey].push(cells);
        }
        let layers = layers.iter().enumerate().map(|(grey, cells)| (shade(grey), &cells[..]));
        // Lines on half pixels fill whole ones.
        canvas.rect(around(frame, 0.5), Style::line(GRID, 1.0));
        canvas.mosaic((frame.x, frame.y), grid.cell, layers);
        if let Some(colour) = tile.mark.map(|mark| marks.colour(mark)) {
            canvas.rect(around(frame, 1.0), Style::line(colour, 2.0));
        }
        let at = (frame.x + frame.width / 2.0, frame.bottom() + 13.0);
        let caption = font::fitted(tile.caption, TICK.size, false, grid.pitch - 4.0);
        if !caption.is_empty() {
            canvas.text(at, &caption, TICK.anchored(Anchor::Middle));
        }
    }
    marks.key.draw(&mut canvas, grid.right() + KEY_GAP, top, height);
    Ok(canvas.finish(width + MARGIN, top + height + MARGIN, title))
}

fn check(tiles: &[Tile<'_>], shape: TileShape, columns: usize, row_captions: &[&str]) -> Result<(), FigureError> {
    let pixels = shape.rows.saturating_mul(shape.columns);
    if tiles.is_empty() {
        return Err(FigureError::NothingToDraw("there are no images"));
    }
    if pixels == 0 {
        return Err(FigureError::NothingToDraw("the images have no pixels"));
    }
    if columns == 0 {
        return Err(FigureError::NothingToDraw("the grid has no columns"));
    }
    if let Some(tile) = tiles.iter().find(|tile| tile.values.len() != pixels) {
        return Err(FigureError::Length { what: "pixels of an image", expected: pixels, found: tile.values.len() });
    }
    let rows = tiles.len().div_ceil(columns);
    if !row_captions.is_empty() && row_captions.len() != rows {
        return Err(FigureError::Length { what: "captions of rows", expected: rows, found: row_captions.len() });
    }
    Ok(())
}

/// The values of the lightest and the darkest grey, and what a reader has to know about them.
pub(crate) fn grey_scale(values: &[f64]) -> Option<(AxisRange, Vec<String>)> {
    let mut known: Vec<f64> = values.iter().copied().filter(|&value| drawable(value)).collect();
    known.sort_by(f64::total_cmp);
    let full = AxisRange { lo: *known.first()?, hi: *known.last()? };
    let at = |share: f64| known.get((share * (known.len() - 1) as f64).round() as usize).copied();
    let inner = AxisRange { lo: at(CLIPPED.0)?, hi: at(CLIPPED.1)? };
    // A few bright pixels on an even ground are the picture, not its outliers.
    let range = if inner.opened() == inner { inner } else { full };
    let clipped = if range == full { "" } else { ", the 1st and 99th percentiles" };
    let step = 10f64.powf(range.opened().span().log10().floor() - 2.0);
    let short = |value: f64| number((value / step).round() * step);
    let mut notes = vec![format!("light is {}, dark is {}{clipped}", short(range.lo), short(range.hi))];
    match values.len() - known.len() {
        0 => {}
        1 => notes.push("1 pixel without a finite value left blank".to_owned()),
        count => notes.push(format!("{count} pixels without a finite value left blank")),
    }
    Some((range.opened(), notes))
}

pub(crate) fn shade(grey: usize) -> Rgb {
    LIGHTEST.mixed(INK, grey as f64 / (GREYS - 1) as f64)
}

/// The finite pixels as `[column, row, width, height]` boxes of one grey: runs along a row, and equal runs below them.
pub(crate) fn merged(values: &[f64], shape: TileShape, greys: AxisRange) -> Vec<(usize, [usize; 4])> {
    let grey = |&value: &f64| {
        let share = ((value - greys.lo) / greys.span()).clamp(0.0, 1.0);
        drawable(value).then(|| (share * (GREYS - 1) as f64).round() as usize)
    };
    let mut done = Vec::new();
    let mut above: Vec<(usize, [usize; 4])> = Vec::new();
    for (row, line) in values.chunks(shape.columns).enumerate() {
        let line: Vec<Option<usize>> = line.iter().map(grey).collect();
        let mut here = Vec::new();
        let mut column = 0;
        for run in line.chunk_by(|a, b| a == b) {
            if let Some(Some(grey)) = run.first().copied() {
                let same = |&(other, [start, _, width, _]): &(usize, [usize; 4])| {
                    (other, start, width) == (grey, column, run.len())
                };
                here.push(match above.iter().position(same) {
                    Some(index) => {
                        let (grey, [start, top, width, height]) = above.swap_remove(index);
                        (grey, [start, top, width, height + 1])
                    }
                    None => (grey, [column, row, run.len(), 1]),
                });
            }
            column += run.len();
        }
        done.append(&mut above);
        above = here;
    }
    done.append(&mut above);
    done
}

fn around(rect: Rect, by: f64) -> Rect {
    Rect { x: rect.x - by, y: rect.y - by, width: rect.width + 2.0 * by, height: rect.height + 2.0 * by }
}

/// The meanings of marks in the order in which they first appear, and the legend that gives them.
struct Marks<'a> {
    meanings: Vec<&'a str>,
    key: Key,
}

impl<'a> Marks<'a> {
    fn of(tiles: &[Tile<'a>]) -> Self {
        let mut meanings: Vec<&str> = Vec::new();
        for meaning in tiles.iter().filter_map(|tile| tile.mark).filter(|meaning| !meaning.is_empty()) {
            if !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
        let entry = |(index, meaning): (usize, &&str)| Entry::new(meaning, frame_colour(index), FRAME_SIGN);
        let entries: Vec<Entry> = meanings.iter().enumerate().map(entry).collect();
        let key = if entries.is_empty() { Key::None } else { Key::Legend { title: String::new(), entries } };
        Self { meanings, key }
    }

    fn colour(&self, mark: &str) -> Rgb {
        frame_colour(self.meanings.iter().position(|&meaning| meaning == mark).unwrap_or(0))
    }
}

const FRAME_SIGN: KeySign = KeySign::Hollow(MarkerShape::Square);

/// The orange of the palette first, which stands out most among greys.
fn frame_colour(index: usize) -> Rgb {
    categorical(index + 1)
}

/// Where the images stand; all lengths are whole, so that pixels are even.
struct TilesLayout {
    columns: usize,
    left: f64,
    cell: f64,
    size: (f64, f64),
    /// From one image to the next along a row.
    pitch: f64,
    /// The tops of the rows, and the foot of the last.
    tops: Vec<f64>,
}

impl TilesLayout {
    fn new(tiles: &[Tile<'_>], shape: TileShape, columns: usize, row_captions: &[&str]) -> Self {
        let widest = |texts: &mut dyn Iterator<Item = (&str, f64)>| {
            texts.map(|(text, size)| font::width(text, size, false)).fold(0.0, f64::max)
        };
        let captions = widest(&mut row_captions.iter().map(|&text| (text, AXIS_TITLE.size))).min(WIDEST_ROW_CAPTION);
        let left = if captions > 0.0 { (MARGIN + captions + ROW_CAPTION_GAP).ceil() } else { MARGIN };
        let longest = shape.rows.max(shape.columns) as f64;
        let share = GRID_WIDTH / columns as f64 - GAP;
        let cell = (SIDE / longest).min(share / shape.columns as f64).floor().max(1.0).min(LARGEST_SIDE / longest);
        let size = ((cell * shape.columns as f64).ceil(), (cell * shape.rows as f64).ceil());
        // Captions may part the images a little, and are cut beyond that.
        let wanted = widest(&mut tiles.iter().map(|tile| (tile.caption, TICK.size))) + 5.0;
        let pitch = (size.0 + GAP).max(wanted.min(1.4 * size.0)).ceil();
        let mut tops = vec![0.0];
        for row in tiles.chunks(columns) {
            let below = if row.iter().any(|tile| !tile.caption.is_empty()) { CAPTION } else { 0.0 };
            let top = tops.last().copied().unwrap_or(0.0);
            tops.push(top + size.1 + below + GAP);
        }
        Self { columns, left, cell, size, pitch, tops }
    }

    /// The image with this number, in a grid that begins at `top`.
    fn frame(&self, top: f64, index: usize) -> Rect {
        let (row, column) = (index / self.columns, index % self.columns);
        let x = self.left + column as f64 * self.pitch + ((self.pitch - GAP - self.size.0) / 2.0).floor();
        Rect { x, y: top + self.tops[row], width: self.size.0, height: self.size.1 }
    }

    fn right(&self) -> f64 {
        self.left + self.columns as f64 * self.pitch - GAP
    }

    fn height(&self) -> f64 {
        self.tops.last().map_or(0.0, |foot| foot - GAP)
    }

    fn caption_row(&self, canvas: &mut Canvas, top: f64, row: usize, caption: &str) {
        let leading = 1.25 * AXIS_TITLE.size;
        let most = ((self.size.1 / leading) as usize).clamp(1, 3);
        let lines = font::wrapped(caption, AXIS_TITLE.size, false, WIDEST_ROW_CAPTION, most);
        let middle = top + self.tops[row] + self.size.1 / 2.0;
        let first = middle - (lines.len() as f64 - 1.0) * leading / 2.0 + 0.35 * AXIS_TITLE.size;
        for (index, line) in lines.iter().enumerate() {
            let at = (self.left - ROW_CAPTION_GAP, first + index as f64 * leading);
            canvas.text(at, line, AXIS_TITLE.anchored(Anchor::End));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_each_finite_pixel_once() {
        let shape = TileShape { rows: 7, columns: 9 };
        let value = |pixel: usize| if pixel % 11 == 3 { f64::NAN } else { (pixel * pixel / 7 % 5) as f64 };
        let values: Vec<f64> = (0..63).map(value).collect();
        let greys = AxisRange { lo: 0.0, hi: 4.0 };
        let mut seen: Vec<Option<usize>> = vec![None; 63];
        for (grey, [column, row, width, height]) in merged(&values, shape, greys) {
            for pixel in (row..row + height).flat_map(|y| (column..column + width).map(move |x| 9 * y + x)) {
                assert_eq!(seen[pixel].replace(grey), None);
            }
        }
        let expected = |value: &f64| drawable(*value).then(|| (value / 4.0 * 23.0).round() as usize);
        assert_eq!(seen, values.iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn an_even_image_is_one_box() {
        let shape = TileShape { rows: 16, columns: 16 };
        assert_eq!(merged(&[1.0; 256], shape, AxisRange { lo: 0.0, hi: 1.0 }), [(23, [0, 0, 16, 16])]);
    }

    #[test]
    fn greys_lie_between_percentiles_unless_these_are_equal() {
        let mut values: Vec<f64> = (0..=1000).map(f64::from).collect();
        values[500] = -1e9;
        let (range, _) = grey_scale(&values).unwrap();
        assert_eq!((range.lo, range.hi), (9.0, 990.0));
        let mut spot = vec![0.0; 1000];
        spot[7] = 1.0;
        let (range, notes) = grey_scale(&spot).unwrap();
        assert_eq!((range.lo, range.hi), (0.0, 1.0));
        assert_eq!(notes, ["light is 0, dark is 1"]);
    }
}
