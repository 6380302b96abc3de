//! Points in the plane with their uncertainty ellipses, shared by the figures that show an embedding.

use crate::axes::{AxisRange, drawable};
use crate::canvas::Canvas;
use crate::colour::{Rgb, WHITE};
use crate::ellipse::ellipse;
use crate::panel::Panel;
use crate::style::{MarkerShape, Style};
use tangency::view::REACH;

/// More ellipses than this blur into one stain.
pub(crate) const MOST_ELLIPSES: usize = 1500;
/// More points than this make the file heavy and the picture no clearer.
pub(crate) const MOST_POINTS: usize = 20_000;
/// The area of a frame, in square pixels, in which points have their full size.
const ROOMY: f64 = 140_000.0;
/// How far ellipses may widen the plot beyond the points, as a share of the points' span.
const MOST_WIDENING: f64 = 0.2;

type Covariance = [[f64; 2]; 2];

/// Points to draw, in data units.
pub(crate) struct Scatter {
    points: Vec<Dot>,
    left_out: usize,
}

struct Dot {
    at: (f64, f64),
    look: (Rgb, MarkerShape),
    covariance: Option<Covariance>,
}

impl Scatter {
    /// Keeps the points that can be placed.
    pub fn new(
        places: &[(f64, f64)],
        looks: &[(Rgb, MarkerShape)],
        covariance: impl Fn(usize) -> Option<Covariance>,
    ) -> Self {
        let points: Vec<Dot> = places
            .iter()
            .zip(looks)
            .enumerate()
            .filter(|(_, (at, _))| drawable(at.0) && drawable(at.1))
            .map(|(index, (&at, &look))| {
                let known = covariance(index).filter(|matrix| ellipse(*matrix, (1.0, 1.0)).is_some());
                Dot { at, look, covariance: known }
            })
            .collect();
        let left_out = places.len() - points.len();
        Self { points, left_out }
    }

    /// The ranges of the plot along x and y, if there is a point.
    pub fn ranges(&self) -> Option<(AxisRange, AxisRange)> {
        let along = |axis: usize, value: fn(&Dot) -> f64| {
            let bare = AxisRange::of(self.points.iter().map(value))?;
            let reach = |dot: &Dot| {
                let variance = dot.covariance.map_or(0.0, |matrix| matrix[axis][axis]);
                REACH * variance.max(0.0).sqrt()
            };
            let ends = self.points.iter().flat_map(|dot| [value(dot) - reach(dot), value(dot) + reach(dot)]);
            let full = AxisRange::of(ends)?;
            if bare.opened() != bare {
                return Some(full.padded(0.1));
            }
            let most = MOST_WIDENING * bare.span();
            let widened = AxisRange { lo: full.lo.max(bare.lo - most), hi: full.hi.min(bare.hi + most) };
            Some(widened.padded(0.03))
        };
        Some((along(0, |dot| dot.at.0)?, along(1, |dot| dot.at.1)?))
    }

    /// What a reader has to know about what is drawn and what is not.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.points.iter().any(|dot| dot.covariance.is_some()) {
            let thinning = match stride(self.points.len(), MOST_ELLIPSES) {
                1 => String::new(),
                every => format!(", drawn for one point in {every}"),
            };
            notes.push(format!("ellipses: 2 standard deviations{thinning}"));
        }
        notes.extend(thinned(self.points.len()));
        notes.extend(left_out(self.left_out));
        notes
    }

    /// Draws the ellipses, then the points above them, inside the panel's frame.
    pub fn draw(&self, canvas: &mut Canvas, panel: &Panel) {
        let per_unit = (panel.x.per_unit(), panel.y.per_unit());
        // In a small frame points are as near to each other as if they were many.
        let share = (panel.frame.width * panel.frame.height / ROOMY).sqrt().clamp(0.5, 1.0);
        let radius = share * point_radius(self.points.len());
        // Ellipses pile up where points are many, so each then weighs less.
        let weight = (250.0 / self.points.len().max(1) as f64).sqrt().clamp(0.35, 1.0);
        canvas.clipped(panel.frame, |canvas| {
            for dot in self.points.iter().step_by(stride(self.points.len(), MOST_ELLIPSES)) {
                let Some(shape) = dot.covariance.and_then(|matrix| ellipse(matrix, per_unit)) else {
                    continue;
                };
                let style = Style::fill(dot.look.0, 0.14 * weight).outlined(dot.look.0, 0.6, 0.5 * weight);
                canvas.ellipse(panel.at(dot.at), shape.radii, shape.degrees, style);
            }
            for dot in self.points.iter().step_by(stride(self.points.len(), MOST_POINTS)) {
                canvas.marker(dot.look.1, panel.at(dot.at), radius, point_style(dot.look.0, radius));
            }
        });
    }
}

/// Says how many points could not be placed, if any.
pub(crate) fn left_out(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 point without finite coordinates left out".to_owned()),
        _ => Some(format!("{count} points without finite coordinates left out")),
    }
}

/// Says what share of the points is drawn, if not all are.
pub(crate) fn thinned(count: usize) -> Option<String> {
    let every = stride(count, MOST_POINTS);
    (every > 1).then(|| format!("one point in {every} drawn"))
}

/// A radius at which this many points stay apart.
pub(crate) fn point_radius(count: usize) -> f64 {
    (5.0 - 0.9 * (count.max(1) as f64).log10()).clamp(1.2, 4.0)
}

/// The style of a point: large ones get a white rim that parts them from their neighbours.
pub(crate) fn point_style(colour: Rgb, radius: f64) -> Style {
    let style = Style::fill(colour, 1.0);
    if radius > 1.8 { style.outlined(WHITE, 0.5, 0.9) } else { style }
}

/// The step that leaves at most `most` of `count` items.
pub(crate) fn stride(count: usize, most: usize) -> usize {
    count.div_ceil(most).max(1)
}
