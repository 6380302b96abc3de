//! A figure of bars with error bars: groups side by side, one bar a line.

use crate::axes::{AxisRange, Scale, Ticks, drawable, power_of_ten, ticks};
use crate::canvas::Canvas;
use crate::colour::{GRID, INK, Rgb, SOFT, categorical};
use crate::figure::{Figure, FigureError};
use crate::font;
use crate::format::Format;
use crate::header::FigureHeader;
use crate::panel::{AXIS_TITLE, HEADING, TICK, TITLE};
use crate::style::{Anchor, Rect, Style, Type};
use tangency::view::REACH;

const ROW: f64 = 16.0;
const BAR: f64 = 10.0;
const GAP: f64 = 22.0;
const NAME: Type = Type::new(11.0, INK);
const NAME_GAP: f64 = 7.0;
const WIDEST_NAME: f64 = 130.0;
/// A group on a screen, the least that it takes with its names, and the most groups side by side.
const ON_SCREEN: f64 = 330.0;
const LEAST_GROUP: f64 = 170.0;
const MOST_COLUMNS: usize = 3;
/// What stands above and below the bars of a group.
const ABOVE: f64 = 22.0;
const BELOW: f64 = 40.0;
const SPACING: f64 = 42.0;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar<'a> {
    /// What it is of.
    pub name: &'a str,
    /// How long it is, to the left below 0; one that is not finite is not drawn.
    pub value: f64,
    /// Its standard deviation: the error bar reaches two of them to either side.
    pub deviation: f64,
}

impl Bar<'_> {
    fn reach(&self) -> f64 {
        if drawable(self.deviation) { REACH * self.deviation.max(0.0) } else { 0.0 }
    }
}

/// Bars under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarGroup<'a> {
    /// Above the bars.
    pub heading: &'a str,
    /// From above to below.
    pub bars: Vec<Bar<'a>>,
}

/// Draws groups of horizontal bars, all on one scale.
pub fn bars<'a>(
    groups: &[BarGroup<'_>],
    value_title: &str,
    notes: &[String],
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let format = format.into();
    let all = || groups.iter().flat_map(|group| &group.bars);
    let ends = all().flat_map(|bar| [bar.value - bar.reach(), bar.value + bar.reach(), bar.value]);
    let found = AxisRange::of(ends).ok_or(FigureError::NothingToDraw("no bar has a finite value"))?;
    let range = AxisRange { lo: found.lo.min(0.0), hi: found.hi.max(0.0) }.padded(0.04);

    let margin = format.margin();
    let names = all().map(|bar| font::width(bar.name, NAME.size, false)).fold(0.0, f64::max).min(WIDEST_NAME);
    let taken = names + NAME_GAP;
    let whole = format.room(f64::INFINITY, 0.0, LEAST_GROUP);
    let columns = (((whole + GAP) / (LEAST_GROUP.max(taken + 90.0) + GAP)) as usize).clamp(1, MOST_COLUMNS);
    let columns = columns.min(groups.len()).max(1);
    let width = format.room(columns as f64 * ON_SCREEN, (columns - 1) as f64 * GAP, columns as f64 * LEAST_GROUP)
        / columns as f64;
    let right = margin + columns as f64 * (width + GAP) - GAP;
    let header = FigureHeader::new(format.title, TITLE, notes, right - margin);
    let mut canvas = Canvas::new();
    header.draw(&mut canvas, margin, margin);
    let mut top = margin + header.height();
    for row in groups.chunks(columns) {
        let most = row.iter().map(|group| group.bars.len()).max().unwrap_or(0);
        for (column, group) in row.iter().enumerate() {
            let left = margin + column as f64 * (width + GAP);
            let frame = Rect { x: left + taken, y: top + ABOVE, width: width - taken, height: most as f64 * ROW + 4.0 };
            draw(&mut canvas, group, frame, range, value_title);
        }
        top += ABOVE + most as f64 * ROW + 4.0 + BELOW;
    }
    Ok(canvas.finish(right + margin, top + 4.0, format))
}

fn draw(canvas: &mut Canvas, group: &BarGroup<'_>, frame: Rect, range: AxisRange, title: &str) {
    let scale = Scale::new(range, frame.x, frame.right());
    let marks: Ticks = ticks(scale, SPACING, false);
    let heading = font::fitted(group.heading, HEADING.size, true, frame.width);
    canvas.text((frame.x, frame.y - 8.0), &heading, HEADING);
    for &value in &marks.values {
        let x = scale.at(value);
        canvas.line((x, frame.y), (x, frame.bottom()), Style::line(GRID, 0.8));
    }
    let zero = scale.at(0.0);
    for (index, bar) in group.bars.iter().enumerate() {
        let middle = frame.y + 2.0 + (index as f64 + 0.5) * ROW;
        let name = font::fitted(bar.name, NAME.size, false, WIDEST_NAME);
        canvas.text((frame.x - NAME_GAP, middle + 0.36 * NAME.size), &name, NAME.anchored(Anchor::End));
        if !drawable(bar.value) {
            continue;
        }
        let end = scale.at(bar.value);
        let rect = Rect { x: zero.min(end), y: middle - BAR / 2.0, width: (end - zero).abs(), height: BAR };
        canvas.rect(rect, Style::fill(side(bar.value), 0.75));
        let ends = [bar.value - bar.reach(), bar.value + bar.reach()].map(|value| scale.at(value));
        let style = Style::line(INK, 1.0);
        canvas.line((ends[0], middle), (ends[1], middle), style);
        for x in ends {
            canvas.line((x, middle - 2.5), (x, middle + 2.5), style);
        }
    }
    let style = Style::line(SOFT, 0.9);
    canvas.line((zero, frame.y), (zero, frame.bottom()), style);
    canvas.line((frame.x, frame.bottom()), (frame.right(), frame.bottom()), style);
    for (&value, label) in marks.values.iter().zip(&marks.labels) {
        let x = scale.at(value);
        canvas.line((x, frame.bottom()), (x, frame.bottom() + 4.0), style);
        canvas.text((x, frame.bottom() + 16.0), label, TICK.anchored(Anchor::Middle));
    }
    let title = format!("{title} {}", power_of_ten(marks.exponent));
    let title = font::fitted(title.trim(), AXIS_TITLE.size, false, frame.width + WIDEST_NAME / 2.0);
    let centre = (frame.x + frame.width / 2.0, frame.bottom() + 33.0);
    canvas.text(centre, &title, AXIS_TITLE.anchored(Anchor::Middle));
}

/// Blue above 0, orange below.
fn side(value: f64) -> Rgb {
    categorical(usize::from(value < 0.0))
}
