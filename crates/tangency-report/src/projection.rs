//! A three-dimensional box seen from an oblique direction, drawn flat.

use crate::axes::{AxisRange, Scale, enough_ticks, power_of_ten};
use crate::canvas::Canvas;
use crate::colour::{MISSING, Rgb, SOFT};
use crate::font;
use crate::panel::{AXIS_TITLE, TICK};
use crate::style::{Anchor, Rect, Style};

/// The far faces of the box.
const FACE: Rgb = Rgb(247, 248, 249);

/// The least distance between ticks along an edge, and where there would be hardly any.
const TICK_SPACING: f64 = 44.0;
const CLOSEST: f64 = 24.0;

/// A point on the page with its nearness, 0 at the back of the box and 1 at the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
    pub at: (f64, f64),
    pub nearness: f64,
}

/// A box of data viewed in parallel projection, all axes at one scale.
pub(crate) struct Projection {
    ranges: [AxisRange; 3],
    right: [f64; 3],
    up: [f64; 3],
    toward: [f64; 3],
    per_unit: f64,
    centre: (f64, f64),
    depth: f64,
}

impl Projection {
    /// Fits the box with a little air around the data into an area, seen from `azimuth` and `elevation` in degrees, the third axis upright.
    pub fn new(ranges: [AxisRange; 3], azimuth: f64, elevation: f64, area: Rect) -> Self {
        let ranges = flat_sides_opened(ranges).map(|range| range.widened(1.06 * range.span()));
        let (sin_a, cos_a) = azimuth.to_radians().sin_cos();
        let (sin_e, cos_e) = elevation.to_radians().sin_cos();
        let mut view = Self {
            ranges,
            right: [-sin_a, cos_a, 0.0],
            up: [-sin_e * cos_a, -sin_e * sin_a, cos_e],
            toward: [cos_e * cos_a, cos_e * sin_a, sin_e],
            per_unit: 1.0,
            centre: (area.x + area.width / 2.0, area.y + area.height / 2.0),
            depth: 1.0,
        };
        let extent = |direction: [f64; 3]| (0..3).map(|axis| direction[axis].abs() * ranges[axis].span()).sum::<f64>();
        view.per_unit = (area.width / extent(view.right)).min(area.height / extent(view.up));
        view.depth = extent(view.toward);
        view
    }

    /// Where a data point is seen.
    pub fn see(&self, point: [f64; 3]) -> Projected {
        let along = |direction: [f64; 3]| {
            (0..3).map(|axis| direction[axis] * (point[axis] - self.ranges[axis].centre())).sum::<f64>()
        };
        let at = (self.centre.0 + self.per_unit * along(self.right), self.centre.1 - self.per_unit * along(self.up));
        Projected { at, nearness: (0.5 + along(self.toward) / self.depth).clamp(0.0, 1.0) }
    }

    fn near(&self, axis: usize) -> f64 {
        if self.toward[axis] > 0.0 { self.ranges[axis].hi } else { self.ranges[axis].lo }
    }

    fn far(&self, axis: usize) -> f64 {
        if self.toward[axis] > 0.0 { self.ranges[axis].lo } else { self.ranges[axis].hi }
    }

    /// Width and height of the box on the page.
    pub fn extent(&self) -> (f64, f64) {
        let along = |direction: [f64; 3]| {
            self.per_unit * (0..3).map(|axis| direction[axis].abs() * self.ranges[axis].span()).sum::<f64>()
        };
        (along(self.right), along(self.up))
    }

    /// A covariance in data units as it is seen on the page, in pixels, y downwards.
    pub fn see_covariance(&self, covariance: [[f64; 3]; 3]) -> [[f64; 2]; 2] {
        let rows = [self.right.map(|v| self.per_unit * v), self.up.map(|v| -self.per_unit * v)];
        let form = |p: [f64; 3], q: [f64; 3]| {
            (0..3).flat_map(|i| (0..3).map(move |j| p[i] * covariance[i][j] * q[j])).sum::<f64>()
        };
        [[form(rows[0], rows[0]), form(rows[0], rows[1])], [form(rows[1], rows[0]), form(rows[1], rows[1])]]
    }

    /// How squarely a direction points at the viewer, from 0 to 1; the direction has length 1.
    pub fn facing(&self, direction: [f64; 3]) -> f64 {
        (0..3).map(|axis| direction[axis] * self.toward[axis]).sum::<f64>().abs()
    }

    fn draw_faces(&self, canvas: &mut Canvas) {
        for axis in 0..3 {
            let [b, c] = others(axis);
            let corner = |from: f64, to: f64| {
                let mut point = [self.far(axis); 3];
                (point[b], point[c]) = (from, to);
                self.see(point).at
            };
            let (rb, rc) = (self.ranges[b], self.ranges[c]);
            let face = [corner(rb.lo, rc.lo), corner(rb.hi, rc.lo), corner(rb.hi, rc.hi), corner(rb.lo, rc.hi)];
            canvas.path([&face[..]], true, Style::fill(FACE, 1.0).outlined(MISSING, 0.7, 0.75));
        }
    }

    /// Draws what of the box lies behind the data, and its axes with ticks, labels and names.
    pub fn draw_scaled_box(&self, canvas: &mut Canvas, names: [&str; 3]) {
        self.draw_faces(canvas);
        for axis in 0..3 {
            let (from, to) = self.labelled_edge(axis);
            canvas.line(from, to, Style::line(SOFT, 0.9));
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            if length < 1.0 {
                continue; // seen end on
            }
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            let side = (-dy / length, dx / length);
            let outwards = side.0 * (middle.0 - self.centre.0) + side.1 * (middle.1 - self.centre.1);
            let away = if outwards < 0.0 { (-side.0, -side.1) } else { side };
            let off = |at: (f64, f64), by: f64| (at.0 + by * away.0, at.1 + by * away.1);
            let scale = Scale::new(self.ranges[axis], 0.0, length);
            let marks = enough_ticks(scale, TICK_SPACING, CLOSEST);
            let mut deepest: f64 = 0.0;
            for (&value, label) in marks.values.iter().zip(&marks.labels) {
                let share = scale.at(value) / length;
                let at = (from.0 + share * dx, from.1 + share * dy);
                canvas.line(at, off(at, 4.0), Style::line(SOFT, 0.9));
                let (width, height) = (font::width(label, TICK.size, false), 0.72 * TICK.size);
                // The label's box touches a line that runs beside the edge.
                let half = (width * away.0.abs() + height * away.1.abs()) / 2.0;
                let centre = off(at, 7.5 + half);
                canvas.text((centre.0, centre.1 + height / 2.0), label, TICK.anchored(Anchor::Middle));
                deepest = deepest.max(7.5 + 2.0 * half);
            }
            let name = format!("{} {}", names[axis], power_of_ten(marks.exponent));
            let name = font::fitted(name.trim(), AXIS_TITLE.size, false, 1.6 * length.max(60.0));
            if axis == 2 {
                let at = off(middle, deepest + 6.0);
                canvas.text(at, &name, AXIS_TITLE.anchored(Anchor::Middle).upwards());
            } else {
                let (width, height) = (font::width(&name, AXIS_TITLE.size, false), 0.72 * AXIS_TITLE.size);
                let half = (width * away.0.abs() + height * away.1.abs()) / 2.0;
                let centre = off(middle, deepest + 5.0 + half);
                canvas.text((centre.0, centre.1 + height / 2.0), &name, AXIS_TITLE.anchored(Anchor::Middle));
            }
        }
    }

    /// Draws what of the box lies behind the data, and the names of its axes.
    pub fn draw_box(&self, canvas: &mut Canvas, names: [&str; 3]) {
        let line = Style::line(MISSING, 0.7);
        self.draw_faces(canvas);
        for axis in 0..3 {
            let (from, to) = self.labelled_edge(axis);
            canvas.line(from, to, line);
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            if axis == 2 {
                let at = (middle.0 - 9.0, middle.1);
                canvas.text(at, names[axis], AXIS_TITLE.anchored(Anchor::Middle).upwards());
            } else {
                // The label steps off its edge at a right angle, downwards.
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let length = dx.hypot(dy).max(1e-9);
                let away = if dx < 0.0 { -1.0 } else { 1.0 };
                let at = (middle.0 - away * 15.0 * dy / length, middle.1 + away * 15.0 * dx / length + 4.0);
                let anchor = if at.0 > middle.0 { Anchor::Start } else { Anchor::Middle };
                canvas.text(at, names[axis], AXIS_TITLE.anchored(anchor));
            }
        }
    }

    /// The edge along an axis that bounds the picture: below for the level axes, left for the upright one.
    fn labelled_edge(&self, axis: usize) -> ((f64, f64), (f64, f64)) {
        let along = |mut point: [f64; 3]| {
            point[axis] = self.ranges[axis].lo;
            let from = self.see(point).at;
            point[axis] = self.ranges[axis].hi;
            (from, self.see(point).at)
        };
        let floor = self.ranges[2].lo;
        match axis {
            0 => along([0.0, self.near(1), floor]),
            1 => along([self.near(0), 0.0, floor]),
            _ => {
                let one = along([self.near(0), self.far(1), 0.0]);
                let other = along([self.far(0), self.near(1), 0.0]);
                if one.0.0 < other.0.0 { one } else { other }
            }
        }
    }
}

fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// Gives a side without extent a little, so that flat and single points still have a box.
fn flat_sides_opened(ranges: [AxisRange; 3]) -> [AxisRange; 3] {
    let longest = ranges.iter().map(AxisRange::span).fold(0.0, f64::max);
    let least = if ranges.iter().any(|range| range.opened() == *range) {
        0.02 * longest
    } else {
        ranges.iter().map(|range| range.opened().span()).fold(0.0, f64::max)
    };
    ranges.map(|range| range.widened(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { x: 10.0, y: 20.0, width: 300.0, height: 200.0 };

    #[test]
    fn the_box_fits_its_area() {
        let ranges = [(-4.0, 4.0), (0.0, 10.0), (-3.0, 3.0)].map(|(lo, hi)| AxisRange { lo, hi });
        let view = Projection::new(ranges, -65.0, 20.0, AREA);
        for corner in 0..8 {
            let point = [0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { ranges[axis].hi } else { ranges[axis].lo });
            let (x, y) = view.see(point).at;
            assert!(x >= AREA.x - 1e-9 && x <= AREA.right() + 1e-9);
            assert!(y >= AREA.y - 1e-9 && y <= AREA.bottom() + 1e-9);
        }
    }

    #[test]
    fn a_point_towards_the_viewer_is_nearer() {
        let ranges = [AxisRange { lo: -1.0, hi: 1.0 }; 3];
        let view = Projection::new(ranges, -90.0, 0.0, AREA);
        assert!(view.see([0.0, -1.0, 0.0]).nearness > view.see([0.0, 1.0, 0.0]).nearness);
        assert!(view.see([1.0, 0.0, 0.0]).at.0 > view.see([-1.0, 0.0, 0.0]).at.0);
        assert!(view.see([0.0, 0.0, 1.0]).at.1 < view.see([0.0, 0.0, -1.0]).at.1);
    }
}
