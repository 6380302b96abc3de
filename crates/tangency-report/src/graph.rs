//! A figure of a neighbour graph over its embedding, with the edges that stand out.

use crate::axes::{AxisRange, drawable};
use crate::canvas::Canvas;
use crate::colour::{MISSING, QUIET, Rgb, SOFT, warm};
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::header::FigureHeader;
use crate::key::Key;
use crate::panel::{Panel, TITLE};
use crate::plane::Plane;
use crate::scatter::{left_out, point_radius};
use crate::space::{Space, VIEW};
use crate::style::{MarkerShape, Rect, Style};
use tangency::view::FIRST_AXES;

const KEY_GAP: f64 = 24.0;
/// The arcs of one coordinate: width on a screen, least width on paper, height as a share of the width.
const ON_SCREEN: f64 = 540.0;
const LEAST_ROOM: f64 = 180.0;
const HIGHEST: f64 = 0.5;
/// The least height of the arcs.
const LOWEST: f64 = 40.0;
const ARC_STEPS: usize = 40;
/// Edges that do not stand out.
const PLAIN: Style = Style::stroke(MISSING, 0.5, 0.55);
/// The width of the least and of the most striking edge.
const WIDTHS: (f64, f64) = (1.2, 2.4);

/// An edge of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Its points.
    pub ends: (usize, usize),
    /// How much it stands out; none if it does not.
    pub score: Option<f64>,
}

/// Draws points and edges: one coordinate as arcs above a line, two as a plane, three in space, and of more the plane of the
/// first two. Edges with a score are coloured by it.
pub fn graph<'a>(
    coordinates: &[Vec<f64>],
    edges: &[Edge],
    score_title: &str,
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let points = coordinates.len();
    let dimension = coordinates.first().map_or(0, Vec::len);
    if dimension == 0 {
        return Err(FigureError::NothingToDraw("there are no coordinates"));
    }
    if let Some(row) = coordinates.iter().find(|row| row.len() != dimension) {
        let (what, found) = ("coordinates of a point", row.len());
        return Err(FigureError::Length { what, expected: dimension, found });
    }
    if let Some(&Edge { ends: (from, to), .. }) = edges.iter().find(|edge| edge.ends.0.max(edge.ends.1) >= points) {
        return Err(FigureError::Edge { from, to, points });
    }
    let mut marked: Vec<&Edge> = edges.iter().filter(|edge| edge.score.is_some_and(drawable)).collect();
    marked.sort_by(|a, b| a.score.unwrap_or(0.0).total_cmp(&b.score.unwrap_or(0.0)));
    let scores: Vec<f64> = marked.iter().filter_map(|edge| edge.score).collect();
    let range = AxisRange::of(scores.iter().copied()).map(AxisRange::opened);
    let key =
        range.map_or(Key::None, |range| Key::Bar { range, title: score_title.to_owned(), missing: false, map: warm });
    let style = |score: f64| {
        let share = range.map_or(0.0, |range| (score - range.lo) / range.span());
        Style::line(warm(share), WIDTHS.0 + (WIDTHS.1 - WIDTHS.0) * share)
    };
    let drawing = Drawing {
        plain: edges.iter().filter(|edge| !edge.score.is_some_and(drawable)).map(|edge| edge.ends).collect(),
        marked: marked.iter().zip(&scores).map(|(edge, &score)| (edge.ends, style(score))).collect(),
        radius: (0.6 * point_radius(points)).max(1.0),
    };
    let format = format.into();
    match dimension {
        1 => drawing.arcs(coordinates, &key, format),
        3 => drawing.space(coordinates, &key, format),
        _ => drawing.plane(coordinates, &key, format),
    }
}

const POINT: Rgb = QUIET;

struct Drawing {
    plain: Vec<(usize, usize)>,
    /// The most striking last.
    marked: Vec<((usize, usize), Style)>,
    radius: f64,
}

impl Drawing {
    fn plane(&self, coordinates: &[Vec<f64>], key: &Key, format: Format<'_>) -> Result<Figure, FigureError> {
        let place = |row: &Vec<f64>| (row[0], row[1]);
        let placed = |row: &&Vec<f64>| drawable(row[0]) && drawable(row[1]);
        let along = |axis: usize| AxisRange::of(coordinates.iter().filter(placed).map(|row| row[axis]));
        let (Some(x), Some(y)) = (along(0), along(1)) else {
            return Err(FigureError::NothingToDraw("no point has finite coordinates"));
        };
        let mut notes: Vec<String> =
            left_out(coordinates.iter().filter(|row| !placed(row)).count()).into_iter().collect();
        let dimension = coordinates.first().map_or(0, Vec::len);
        if dimension > 2 {
            notes.push(format!("the first two of {dimension} coordinates"));
        }
        let plane = Plane::new((x.padded(0.04), y.padded(0.04)), key, &notes, format);
        let places: Vec<Option<(f64, f64)>> =
            coordinates.iter().map(|row| placed(&row).then(|| plane.panel.at(place(row)))).collect();
        let mut canvas = plane.begin();
        canvas.clipped(plane.panel.frame, |canvas| self.straight(canvas, &places));
        Ok(plane.finish(canvas, FIRST_AXES[0], FIRST_AXES[1]))
    }

    fn space(&self, coordinates: &[Vec<f64>], key: &Key, format: Format<'_>) -> Result<Figure, FigureError> {
        let points: Vec<[f64; 3]> = coordinates.iter().map(|row| [row[0], row[1], row[2]]).collect();
        let space = Space::new(&points, key, vec![], VIEW, format)?;
        let mut places = vec![None; points.len()];
        for (index, seen) in space.back_to_front(&points) {
            places[index] = Some(seen.at);
        }
        let mut canvas = space.begin(FIRST_AXES);
        self.straight(&mut canvas, &places);
        Ok(space.finish(canvas))
    }

    /// Plain edges, points and striking edges, in this order.
    fn straight(&self, canvas: &mut Canvas, places: &[Option<(f64, f64)>]) {
        let line = |ends: (usize, usize)| Some([places[ends.0]?, places[ends.1]?]);
        let plain: Vec<[(f64, f64); 2]> = self.plain.iter().filter_map(|&ends| line(ends)).collect();
        canvas.path(plain.iter().map(|line| &line[..]), false, PLAIN);
        for &at in places.iter().flatten() {
            canvas.marker(MarkerShape::Circle, at, self.radius, Style::fill(POINT, 1.0));
        }
        for &(ends, style) in &self.marked {
            if let Some([from, to]) = line(ends) {
                canvas.line(from, to, style);
                for at in [from, to] {
                    canvas.marker(MarkerShape::Circle, at, self.radius + 0.4, style.filled());
                }
            }
        }
    }

    fn arcs(&self, coordinates: &[Vec<f64>], key: &Key, format: Format<'_>) -> Result<Figure, FigureError> {
        let values: Vec<f64> = coordinates.iter().map(|row| row[0]).collect();
        let range =
            AxisRange::of(values.iter().copied()).ok_or(FigureError::NothingToDraw("no point has a coordinate"))?;
        let notes: Vec<String> =
            left_out(values.iter().filter(|&&value| !drawable(value)).count()).into_iter().collect();
        let lengths = self
            .plain
            .iter()
            .chain(self.marked.iter().map(|(ends, _)| ends))
            .map(|&(i, j)| (values[i] - values[j]).abs());
        let longest = lengths.filter(|&length| drawable(length)).fold(0.0, f64::max);
        let (margin, key_width) = (format.margin(), key.width(HIGHEST * ON_SCREEN));
        let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
        let width = format.room(ON_SCREEN, beside, LEAST_ROOM);
        let header = FigureHeader::new(format.title, TITLE, &notes, width + beside);
        let top = margin + header.height().max(4.0);
        let range = range.padded(0.04);
        let tallest = (width * longest / range.span()).clamp(LOWEST, HIGHEST * width);
        let height = (1.05 * tallest).max(key.least_height());
        let floor = AxisRange { lo: 0.0, hi: 1.0 };
        let panel = Panel::new(0.0, top, (width, height), (range, floor), false).moved_to(margin);
        let frame = Rect { height: height + self.radius, ..panel.frame };
        let base = panel.frame.bottom();
        let arc = |(i, j): (usize, usize)| {
            let (from, to) = (panel.x.at(values[i]), panel.x.at(values[j]));
            let rise = tallest * (values[i] - values[j]).abs() / longest;
            let step = |step: usize| {
                let angle = std::f64::consts::PI * step as f64 / ARC_STEPS as f64;
                (0.5 * (from + to) + 0.5 * (from - to) * angle.cos(), base - rise * angle.sin())
            };
            let known = drawable(values[i]) && drawable(values[j]) && longest > 0.0;
            known.then(|| (0..=ARC_STEPS).map(step).collect::<Vec<(f64, f64)>>())
        };
        let mut canvas = Canvas::new();
        header.draw(&mut canvas, margin, margin);
        canvas.clipped(frame, |canvas| {
            let plain: Vec<Vec<(f64, f64)>> = self.plain.iter().filter_map(|&ends| arc(ends)).collect();
            canvas.path(plain.iter().map(|arc| &arc[..]), false, PLAIN);
            for &(ends, style) in &self.marked {
                canvas.path(arc(ends).iter().map(|arc| &arc[..]), false, style);
            }
            for &value in values.iter().filter(|&&value| drawable(value)) {
                canvas.marker(MarkerShape::Circle, (panel.x.at(value), base), self.radius, Style::fill(SOFT, 1.0));
            }
        });
        panel.x_axis(&mut canvas, FIRST_AXES[0]);
        key.draw(&mut canvas, panel.frame.right() + KEY_GAP, top, height);
        Ok(canvas.finish(panel.frame.right() + beside + margin, base + Panel::BELOW + 6.0, format))
    }
}
