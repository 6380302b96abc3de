//! The key beside a plot: a colour bar, a square of colours, or a legend.

use crate::axes::{AxisRange, Scale, Ticks, enough_ticks, number, power_of_ten};
use crate::canvas::Canvas;
use crate::colour::{INK, MISSING, Rgb, SOFT, WHITE, place};
use crate::font;
use crate::panel::{AXIS_TITLE, TICK};
use crate::style::{Anchor, MarkerShape, Rect, Style, Type};

const ROW: f64 = 19.0;
const BAR_WIDTH: f64 = 13.0;
const BAR_SPACING: f64 = 46.0;
const BAR_STEPS: usize = 120;
const WIDEST_LABEL: f64 = 190.0;
/// The side of the square of colours, its steps, and what its labels and titles take below it.
const SQUARE: f64 = 104.0;
const SQUARE_STEPS: usize = 26;
const BELOW_SQUARE: f64 = 36.0;
const LABEL: Type = Type::new(11.5, INK);
const LEGEND_TITLE: Type = Type::new(12.0, INK).bold();

/// The sign that stands before a legend's label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum KeySign {
    /// A point.
    Dot(MarkerShape),
    /// A line with its marker.
    Line(MarkerShape),
    /// A line alone.
    Stroke,
    /// A point drawn as an outline.
    Hollow(MarkerShape),
    /// The ring about a chosen point.
    Ring,
}

/// One line of a legend.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub label: String,
    colour: Rgb,
    sign: KeySign,
}

impl Entry {
    pub fn new(label: &str, colour: Rgb, sign: KeySign) -> Self {
        Self { label: label.to_owned(), colour, sign }
    }
}

/// What explains a plot's colours.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// Nothing to explain.
    None,
    /// A bar of a map of colours over a range.
    Bar { range: AxisRange, title: String, missing: bool, map: fn(f64) -> Rgb },
    /// The map of colours over two ranges.
    Square { ranges: [AxisRange; 2], titles: [String; 2], missing: bool },
    /// Signs with labels.
    Legend { title: String, entries: Vec<Entry> },
}

impl Key {
    /// The height the key needs, whatever the plot's.
    pub fn least_height(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Bar { .. } => 120.0,
            Self::Square { missing, .. } => SQUARE + BELOW_SQUARE + if *missing { ROW } else { 0.0 },
            Self::Legend { title, entries } => {
                let lines = entries.len() + usize::from(!title.is_empty());
                lines as f64 * ROW
            }
        }
    }

    /// The width the key takes beside a plot of this height.
    pub fn width(&self, height: f64) -> f64 {
        let widest = |labels: &mut dyn Iterator<Item = f64>| labels.fold(0.0, f64::max);
        match self {
            Self::None => 0.0,
            Self::Bar { range, title, missing, .. } => {
                let marks = bar_ticks(Scale::new(*range, height, 0.0));
                let mut labels = marks.labels.iter().map(|label| font::width(label, TICK.size, false));
                let least = if *missing { font::width("missing", TICK.size, false) } else { 0.0 };
                let titled = if title.is_empty() { 0.0 } else { 22.0 };
                BAR_WIDTH + 8.0 + widest(&mut labels).max(least) + titled
            }
            Self::Square { ranges, titles, .. } => {
                let mut labels = ends(ranges[1]).into_iter().map(|label| font::width(&label, TICK.size, false));
                let titled = if titles[1].is_empty() { 0.0 } else { 18.0 };
                SQUARE + 7.0 + widest(&mut labels).max(titled)
            }
            Self::Legend { title, entries } => {
                let mut labels = entries
                    .iter()
                    .map(|entry| font::width(&entry.label, LABEL.size, false).min(WIDEST_LABEL) + indent(entry.sign));
                let title = font::width(title, LEGEND_TITLE.size, true).min(WIDEST_LABEL);
                widest(&mut labels).max(title)
            }
        }
    }

    /// Draws the key with its upper left corner at the given place.
    pub fn draw(&self, canvas: &mut Canvas, x: f64, y: f64, height: f64) {
        match self {
            Self::None => {}
            Self::Bar { range, title, missing, map } => {
                let foot = if *missing { ROW } else { 0.0 };
                bar(canvas, Rect { x, y, width: BAR_WIDTH, height: height - foot }, *range, title, *map);
                if *missing {
                    no_value(canvas, x, y + height);
                }
            }
            Self::Square { ranges, titles, missing } => {
                square(canvas, Rect { x, y, width: SQUARE, height: SQUARE }, *ranges, titles);
                if *missing {
                    no_value(canvas, x, y + SQUARE + BELOW_SQUARE + ROW);
                }
            }
            Self::Legend { title, entries } => legend(canvas, x, y, title, entries),
        }
    }
}

/// The entry of points without a value, with its foot at the given place.
fn no_value(canvas: &mut Canvas, x: f64, foot: f64) {
    let box_ = Rect { x, y: foot - 10.0, width: BAR_WIDTH, height: 10.0 };
    canvas.rect(box_, Style::fill(MISSING, 1.0));
    canvas.text((x + BAR_WIDTH + 8.0, foot - 1.0), "missing", TICK);
}

/// The ends of a range to three digits of its span.
fn ends(range: AxisRange) -> [String; 2] {
    let step = 10f64.powf(range.opened().span().log10().floor() - 2.0);
    [range.lo, range.hi].map(|value| number((value / step).round() * step))
}

fn square(canvas: &mut Canvas, frame: Rect, ranges: [AxisRange; 2], titles: &[String; 2]) {
    let share = |step: usize| (step as f64 + 0.5) / SQUARE_STEPS as f64;
    let cell = SQUARE / SQUARE_STEPS as f64;
    let boxes: Vec<[[usize; 4]; 1]> =
        (0..SQUARE_STEPS * SQUARE_STEPS).map(|step| [[step % SQUARE_STEPS, step / SQUARE_STEPS, 1, 1]]).collect();
    let colour = |[[column, row, ..]]: &[[usize; 4]; 1]| place(share(*column), 1.0 - share(*row));
    canvas.mosaic((frame.x, frame.y), cell, boxes.iter().map(|cells| (colour(cells), &cells[..])));

    let middle = frame.x + frame.width / 2.0;
    let ([left, right], [low, high]) = (ends(ranges[0]), ends(ranges[1]));
    let below = frame.bottom() + 14.0;
    canvas.text((frame.x, below), &left, TICK);
    canvas.text((frame.right(), below), &right, TICK.anchored(Anchor::End));
    let title = font::fitted(&titles[0], AXIS_TITLE.size, false, frame.width);
    if !title.is_empty() {
        canvas.text((middle, below + 17.0), &title, AXIS_TITLE.anchored(Anchor::Middle));
    }
    let beside = frame.right() + 7.0;
    canvas.text((beside, frame.y + 9.0), &high, TICK);
    canvas.text((beside, frame.bottom()), &low, TICK);
    // between the two labels, which are set level
    let title = font::fitted(&titles[1], AXIS_TITLE.size, false, frame.height - 36.0);
    if !title.is_empty() {
        let at = (beside + 12.0, frame.y + frame.height / 2.0);
        canvas.text(at, &title, AXIS_TITLE.anchored(Anchor::Middle).upwards());
    }
}

fn bar_ticks(scale: Scale) -> Ticks {
    enough_ticks(scale, BAR_SPACING, 0.6 * BAR_SPACING)
}

fn bar(canvas: &mut Canvas, frame: Rect, range: AxisRange, title: &str, map: fn(f64) -> Rgb) {
    // Each step runs on to the bar's foot, so that no seam shows between neighbours.
    for step in 0..BAR_STEPS {
        let share = step as f64 / BAR_STEPS as f64;
        let colour = map(1.0 - (step as f64 + 0.5) / BAR_STEPS as f64);
        let y = frame.y + share * frame.height;
        let rect = Rect { y, height: frame.bottom() - y, ..frame };
        canvas.rect(rect, Style::fill(colour, 1.0));
    }
    let scale = Scale::new(range, frame.bottom(), frame.y);
    let marks = bar_ticks(scale);
    let mut widest: f64 = 0.0;
    for (&value, label) in marks.values.iter().zip(&marks.labels) {
        let y = scale.at(value);
        canvas.line((frame.right(), y), (frame.right() + 3.5, y), Style::line(SOFT, 0.9));
        canvas.text((frame.right() + 7.0, y + 0.357 * TICK.size), label, TICK);
        widest = widest.max(font::width(label, TICK.size, false));
    }
    let power = power_of_ten(marks.exponent);
    if !power.is_empty() {
        canvas.text((frame.x, frame.y - 7.0), &power, TICK);
    }
    let title = font::fitted(title, AXIS_TITLE.size, false, frame.height);
    if !title.is_empty() {
        let at = (frame.right() + 8.0 + widest + 17.0, frame.y + frame.height / 2.0);
        canvas.text(at, &title, AXIS_TITLE.anchored(Anchor::Middle).upwards());
    }
}

fn indent(sign: KeySign) -> f64 {
    if matches!(sign, KeySign::Dot(_)) { 15.0 } else { 30.0 }
}

fn legend(canvas: &mut Canvas, x: f64, y: f64, title: &str, entries: &[Entry]) {
    let mut baseline = y + 10.0;
    if !title.is_empty() {
        let title = font::fitted(title, LEGEND_TITLE.size, true, WIDEST_LABEL);
        canvas.text((x, baseline), &title, LEGEND_TITLE);
        baseline += ROW;
    }
    for entry in entries {
        let middle = baseline - 4.0;
        let (colour, centre) = (entry.colour, x + 11.0);
        match entry.sign {
            KeySign::Dot(shape) => {
                canvas.marker(shape, (x + 4.5, middle), 4.0, Style::fill(colour, 1.0));
            }
            KeySign::Line(shape) => {
                canvas.line((x, middle), (x + 22.0, middle), Style::line(colour, 1.8));
                let style = Style::fill(colour, 1.0).outlined(WHITE, 0.8, 1.0);
                canvas.marker(shape, (centre, middle), 3.6, style);
            }
            KeySign::Stroke => canvas.line((x, middle), (x + 22.0, middle), Style::line(colour, 1.8)),
            KeySign::Hollow(shape) => {
                let style = Style::fill(WHITE, 1.0).outlined(colour, 1.4, 1.0);
                canvas.marker(shape, (centre, middle), 3.4, style);
            }
            KeySign::Ring => {
                canvas.marker(MarkerShape::Circle, (centre, middle), 6.0, Style::line(colour, 1.5));
            }
        }
        let label = font::fitted(&entry.label, LABEL.size, false, WIDEST_LABEL);
        canvas.text((x + indent(entry.sign), baseline), &label, LABEL);
        baseline += ROW;
    }
}
