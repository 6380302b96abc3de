//! A box in space with a header above it and a key beside it, and points in it.

use crate::axes::{AxisRange, drawable};
use crate::canvas::Canvas;
use crate::colour::{Rgb, WHITE};
use crate::ellipse::ellipse;
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::header::FigureHeader;
use crate::key::Key;
use crate::panel::TITLE;
use crate::projection::{Projected, Projection};
use crate::scatter::{MOST_ELLIPSES, MOST_POINTS, left_out, point_radius, point_style, stride, thinned};
use crate::style::{MarkerShape, Rect, Style};

/// Azimuth and elevation in degrees from which a box is seen unless others are given.
pub(crate) const VIEW: (f64, f64) = (-72.0, 14.0);

const KEY_GAP: f64 = 20.0;
/// The width of the box on a screen, the least on paper, and its most height as a share of its width.
const ON_SCREEN: f64 = 480.0;
const LEAST_ROOM: f64 = 180.0;
const HIGHEST: f64 = 0.95;
/// What labels and names of the axes take to the left and below.
const LEFT: f64 = 46.0;
const BELOW: f64 = 42.0;

/// Where everything stands.
pub(crate) struct Space<'a> {
    pub view: Projection,
    key: &'a Key,
    format: Format<'a>,
    header: FigureHeader,
    area: Rect,
    width: f64,
}

impl<'a> Space<'a> {
    /// A box about the points that can be placed.
    pub fn new(
        points: &[[f64; 3]],
        key: &'a Key,
        mut notes: Vec<String>,
        (azimuth, elevation): (f64, f64),
        format: Format<'a>,
    ) -> Result<Self, FigureError> {
        let along = |axis: usize| AxisRange::of(points.iter().filter(|point| placed(point)).map(|point| point[axis]));
        let (Some(x), Some(y), Some(z)) = (along(0), along(1), along(2)) else {
            return Err(FigureError::NothingToDraw("no point has finite coordinates"));
        };
        notes.extend(thinned(points.len()));
        notes.extend(left_out(points.iter().filter(|point| !placed(point)).count()));
        let (margin, least_height) = (format.margin(), key.least_height());
        let key_width = key.width(least_height.max(0.6 * ON_SCREEN));
        let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
        let room = format.room(ON_SCREEN, LEFT + beside, LEAST_ROOM);
        let see = |area: Rect| Projection::new([x, y, z], azimuth, elevation, area);
        let height = see(Rect { x: 0.0, y: 0.0, width: room, height: HIGHEST * room }).extent().1.max(least_height);
        let header = FigureHeader::new(format.title, TITLE, &notes, LEFT + room + beside);
        let area = Rect { x: margin + LEFT, y: margin + header.height().max(4.0), width: room, height };
        Ok(Self { view: see(area), key, format, header, area, width: area.right() + beside + margin })
    }

    /// A canvas with the header and the box on it.
    pub fn begin(&self, names: [&str; 3]) -> Canvas {
        let mut canvas = Canvas::new();
        let margin = self.format.margin();
        self.header.draw(&mut canvas, margin, margin);
        self.view.draw_scaled_box(&mut canvas, names);
        canvas
    }

    /// Points from back to front with their ellipses below all of them.
    pub fn draw_points(
        &self,
        canvas: &mut Canvas,
        points: &[[f64; 3]],
        looks: &[(Rgb, MarkerShape)],
        covariance: impl Fn(usize) -> Option<[[f64; 3]; 3]>,
    ) {
        let order = self.back_to_front(points);
        let weight = (250.0 / points.len().max(1) as f64).sqrt().clamp(0.35, 1.0);
        for &(point, seen) in order.iter().step_by(stride(order.len(), MOST_ELLIPSES)) {
            let flat = covariance(point).map(|covariance| self.view.see_covariance(covariance));
            if let Some(shape) = flat.and_then(|flat| ellipse(flat, (1.0, 1.0))) {
                let colour = looks[point].0;
                let style = Style::fill(colour, 0.14 * weight).outlined(colour, 0.6, 0.5 * weight);
                canvas.ellipse(seen.at, shape.radii, shape.degrees, style);
            }
        }
        let radius = point_radius(points.len());
        for &(point, seen) in order.iter().step_by(stride(order.len(), MOST_POINTS)) {
            let (colour, shape) = looks[point];
            let radius = radius * (0.8 + 0.4 * seen.nearness);
            canvas.marker(shape, seen.at, radius, point_style(faded(colour, seen), radius));
        }
    }

    /// The points that can be placed, the farthest first.
    pub fn back_to_front(&self, points: &[[f64; 3]]) -> Vec<(usize, Projected)> {
        let mut order: Vec<(usize, Projected)> = points
            .iter()
            .enumerate()
            .filter(|(_, point)| placed(point))
            .map(|(index, point)| (index, self.view.see(*point)))
            .collect();
        order.sort_by(|a, b| a.1.nearness.total_cmp(&b.1.nearness));
        order
    }

    /// The figure, with its key.
    pub fn finish(&self, mut canvas: Canvas) -> Figure {
        let area = self.area;
        self.key.draw(&mut canvas, area.right() + KEY_GAP, area.y, area.height);
        canvas.finish(self.width, area.bottom() + BELOW, self.format)
    }
}

/// Whether a point can be placed.
pub(crate) fn placed(point: &[f64; 3]) -> bool {
    point.iter().all(|&value| drawable(value))
}

/// What is farther away is paler.
fn faded(colour: Rgb, seen: Projected) -> Rgb {
    colour.mixed(WHITE, 0.4 * (1.0 - seen.nearness))
}
