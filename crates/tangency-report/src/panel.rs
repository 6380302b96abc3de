//! A framed plot: where it sits, its light grid, and its labelled axes.

use crate::axes::{AxisRange, Scale, Ticks, enough_ticks, power_of_ten, ticks, ticks_at};
use crate::canvas::Canvas;
use crate::colour::{GRID, INK, QUIET, SOFT};
use crate::font;
use crate::style::{Anchor, Rect, Style, Type};

/// The type of tick labels.
pub(crate) const TICK: Type = Type::new(11.0, SOFT);
/// The type of axis titles.
pub(crate) const AXIS_TITLE: Type = Type::new(12.0, INK);
/// The type of a panel's heading.
pub(crate) const HEADING: Type = Type::new(13.0, INK).bold();
/// The type of a figure's title.
pub(crate) const TITLE: Type = Type::new(15.0, INK).bold();
/// The type of remarks.
pub(crate) const NOTE: Type = Type::new(11.0, QUIET);

/// How far digits must drop to be centred on a line, as a share of their size.
const HALF_DIGIT: f64 = 0.357;

const TICK_LENGTH: f64 = 4.0;

/// The least distance between ticks along x, and along y where its scale is its own.
const SPACING: f64 = 60.0;
const UPRIGHT_SPACING: f64 = 46.0;
/// The least distance between ticks along y where a low frame would have hardly any.
const CLOSEST: f64 = 18.0;

/// A plot with an x axis below and a y axis to the left.
pub(crate) struct Panel {
    pub frame: Rect,
    pub x: Scale,
    pub y: Scale,
    x_ticks: Ticks,
    y_ticks: Ticks,
    y_labels: f64,
}

impl Panel {
    /// The height that tick labels and an axis title take below the frame.
    pub const BELOW: f64 = 44.0;
    /// The width that an axis title and the ticks take to the left of the frame, beside their labels.
    pub const LEFT: f64 = 22.0 + TICK_LENGTH + 3.0;

    /// A panel whose y title starts at `left`; the frame follows after the y labels.
    pub fn new(left: f64, top: f64, size: (f64, f64), ranges: (AxisRange, AxisRange), whole_x: bool) -> Self {
        let (width, height) = size;
        let y = Scale::new(ranges.1, top + height, top);
        // Equal scales get equal steps.
        let ratio = y.per_unit().abs() * ranges.0.opened().span() / width;
        let equal = (ratio - 1.0).abs() < 1e-6;
        let spacing = if equal { SPACING } else { UPRIGHT_SPACING };
        Self::with_ticks(left, top, size, ranges, whole_x, enough_ticks(y, spacing, CLOSEST))
    }

    /// A panel with ticks of its own along y.
    pub fn with_ticks(
        left: f64,
        top: f64,
        size: (f64, f64),
        ranges: (AxisRange, AxisRange),
        whole_x: bool,
        y_ticks: Ticks,
    ) -> Self {
        let (width, height) = size;
        let y = Scale::new(ranges.1, top + height, top);
        let widths = y_ticks.labels.iter().map(|label| font::width(label, TICK.size, false));
        let y_labels = widths.fold(0.0, f64::max);
        let frame = Rect { x: left + Self::LEFT + y_labels, y: top, width, height };
        let x = Scale::new(ranges.0, frame.x, frame.right());
        Self { frame, x, y, x_ticks: roomy_ticks(x, whole_x), y_ticks, y_labels }
    }

    /// Puts the x ticks at these whole values, if their labels have room.
    pub fn tick_at(&mut self, values: &[f64]) {
        let wanted = ticks_at(values);
        let reach = |label: &String| 0.5 * font::width(label, TICK.size, false) + 5.0;
        let apart = |pair: usize| {
            let gap = self.x.at(values[pair + 1]) - self.x.at(values[pair]);
            gap >= reach(&wanted.labels[pair]) + reach(&wanted.labels[pair + 1])
        };
        if (1..values.len()).all(|next| apart(next - 1)) {
            self.x_ticks = wanted;
        }
    }

    /// The same panel with its frame farther to the left or right.
    pub fn moved_to(mut self, left: f64) -> Self {
        self.frame.x = left;
        self.x = self.x.moved_to(left, self.frame.right());
        self
    }

    /// The same panel with its title as far to the left as if labels were this wide.
    pub fn titled_beside(mut self, labels: f64) -> Self {
        self.y_labels = labels;
        self
    }

    /// The width of the labels along y.
    pub fn labels(&self) -> f64 {
        self.y_labels
    }

    /// The pixel of a data point.
    pub fn at(&self, point: (f64, f64)) -> (f64, f64) {
        (self.x.at(point.0), self.y.at(point.1))
    }

    /// The grid, to be drawn below the data.
    pub fn grid(&self, canvas: &mut Canvas) {
        let style = Style::line(GRID, 0.8);
        for x in self.x_ticks.values.iter().map(|&value| self.x.at(value)) {
            canvas.line((x, self.frame.y), (x, self.frame.bottom()), style);
        }
        for y in self.y_ticks.values.iter().map(|&value| self.y.at(value)) {
            canvas.line((self.frame.x, y), (self.frame.right(), y), style);
        }
    }

    /// The axes with ticks, labels and titles, to be drawn above the data.
    pub fn axes(&self, canvas: &mut Canvas, x_title: &str, y_title: &str) {
        self.x_axis(canvas, x_title);
        self.y_axis(canvas, y_title);
    }

    /// The y axis alone.
    pub fn y_axis(&self, canvas: &mut Canvas, y_title: &str) {
        let frame = self.frame;
        let style = Style::line(SOFT, 0.9);
        canvas.line((frame.x, frame.y), (frame.x, frame.bottom()), style);
        for (&value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let y = self.y.at(value);
            canvas.line((frame.x - TICK_LENGTH, y), (frame.x, y), style);
            let at = (frame.x - TICK_LENGTH - 3.0, y + HALF_DIGIT * TICK.size);
            canvas.text(at, label, TICK.anchored(Anchor::End));
        }
        let power = power_of_ten(self.y_ticks.exponent);
        if !power.is_empty() {
            canvas.text((frame.x - 4.0, frame.y - 7.0), &power, TICK.anchored(Anchor::End));
        }
        let x = frame.x - TICK_LENGTH - 3.0 - self.y_labels - 10.0;
        let title = font::fitted(y_title, AXIS_TITLE.size, false, frame.height);
        let set = AXIS_TITLE.anchored(Anchor::Middle).upwards();
        canvas.text((x, frame.y + frame.height / 2.0), &title, set);
    }

    /// The line of the x axis with ticks, for a panel with another below it.
    pub fn x_line(&self, canvas: &mut Canvas) {
        let (frame, style) = (self.frame, Style::line(SOFT, 0.9));
        canvas.line((frame.x, frame.bottom()), (frame.right(), frame.bottom()), style);
        for x in self.x_ticks.values.iter().map(|&value| self.x.at(value)) {
            canvas.line((x, frame.bottom()), (x, frame.bottom() + TICK_LENGTH), style);
        }
    }

    /// The x axis alone.
    pub fn x_axis(&self, canvas: &mut Canvas, x_title: &str) {
        let frame = self.frame;
        let style = Style::line(SOFT, 0.9);
        canvas.line((frame.x, frame.bottom()), (frame.right(), frame.bottom()), style);
        for (&value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let x = self.x.at(value);
            canvas.line((x, frame.bottom()), (x, frame.bottom() + TICK_LENGTH), style);
            let at = (x, frame.bottom() + TICK_LENGTH + 12.0);
            canvas.text(at, label, TICK.anchored(Anchor::Middle));
        }
        let power = power_of_ten(self.x_ticks.exponent);
        let y = frame.bottom() + 36.0;
        if !power.is_empty() {
            canvas.text((frame.right(), y), &power, TICK.anchored(Anchor::End));
        }
        let title = font::fitted(x_title, AXIS_TITLE.size, false, frame.width);
        let centre = (frame.x + frame.width / 2.0, y);
        canvas.text(centre, &title, AXIS_TITLE.anchored(Anchor::Middle));
    }
}

/// Ticks along a horizontal axis, farther apart where their labels would touch.
fn roomy_ticks(scale: Scale, whole: bool) -> Ticks {
    let mut spacing = SPACING;
    let mut found = ticks(scale, spacing, whole);
    for _ in 0..3 {
        let widths = found.labels.iter().map(|label| font::width(label, TICK.size, false));
        let least = widths.fold(0.0, f64::max) + 8.0;
        let apart = found.values.windows(2).map(|pair| (pair[1] - pair[0]) * scale.per_unit().abs());
        if apart.fold(f64::INFINITY, f64::min) >= least {
            break;
        }
        spacing = least.max(1.5 * spacing);
        found = ticks(scale, spacing, whole);
    }
    found
}
