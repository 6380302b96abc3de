//! A figure of embedded points with their uncertainty.

use crate::axes::{drawable, equal_aspect};
use crate::canvas::Canvas;
use crate::colour::{Colour, Paint};
use crate::ellipse::Uncertainty;
use crate::figure::{Figure, FigureError};
use crate::header::Header;
use crate::panel::{Panel, TITLE};
use crate::scatter::Scatter;
use crate::strip;

const MARGIN: f64 = 20.0;
const KEY_GAP: f64 = 24.0;
/// The most and the least that the frame takes.
const MOST: (f64, f64) = (540.0, 430.0);
const LEAST: (f64, f64) = (340.0, 260.0);

/// Draws embedded points: two or more coordinates as a plane of the first two, one as a strip below its density.
///
/// Every row of `coordinates` is one point. Points without finite coordinates are left out, and the figure says so.
pub fn embedding(
    coordinates: &[Vec<f64>],
    uncertainty: Uncertainty<'_>,
    colour: Colour<'_>,
    title: &str,
) -> Result<Figure, FigureError> {
    let dimension = coordinates.first().map_or(0, Vec::len);
    if dimension == 0 {
        return Err(FigureError::NothingToDraw("there are no coordinates"));
    }
    if let Some(row) = coordinates.iter().find(|row| row.len() != dimension) {
        let what = "coordinates of a point";
        return Err(FigureError::Length { what, expected: dimension, found: row.len() });
    }
    uncertainty.check(coordinates.len(), dimension)?;
    let paint = Paint::new(colour, coordinates.len())?;
    if dimension == 1 {
        let values: Vec<f64> = coordinates.iter().flatten().copied().collect();
        let deviation = |point: usize| {
            let variance = uncertainty.plane(point, 1)?[0][0];
            Some(variance.sqrt()).filter(|&deviation| drawable(deviation))
        };
        return strip::strip(&values, deviation, uncertainty.is_known(), paint, title);
    }
    plane(coordinates, uncertainty, paint, title)
}

fn plane(
    coordinates: &[Vec<f64>],
    uncertainty: Uncertainty<'_>,
    paint: Paint,
    title: &str,
) -> Result<Figure, FigureError> {
    let dimension = coordinates.first().map_or(0, Vec::len);
    let places: Vec<(f64, f64)> = coordinates
        .iter()
        .map(|row| match row[..] {
            [x, y, ..] => (x, y),
            _ => (f64::NAN, f64::NAN),
        })
        .collect();
    let scatter = Scatter::new(&places, &paint.points, |point| uncertainty.plane(point, dimension));
    let (x, y) = scatter.ranges().ok_or(FigureError::NothingToDraw("no point has finite coordinates"))?;
    let mut notes = scatter.notes();
    if dimension > 2 {
        notes.push(format!("the first two of {dimension} coordinates"));
    }

    let least = (LEAST.0, LEAST.1.max(paint.key.least_height()));
    let fit = equal_aspect(x, y, (MOST.0, MOST.1.max(least.1)), least);
    let key_width = paint.key.width(fit.height);
    let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
    let header = Header::new(title, TITLE, &notes, fit.width + beside);
    let top = MARGIN + header.height().max(4.0);
    let panel = Panel::new(MARGIN, top, (fit.width, fit.height), (fit.x, fit.y), false);

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, panel.frame.x, MARGIN);
    panel.grid(&mut canvas);
    scatter.draw(&mut canvas, &panel);
    panel.axes(&mut canvas, "coordinate 1", "coordinate 2");
    paint.key.draw(&mut canvas, panel.frame.right() + KEY_GAP, top, fit.height);
    let width = panel.frame.right() + beside + MARGIN;
    let height = panel.frame.bottom() + Panel::BELOW + 6.0;
    Ok(canvas.finish(width, height, title))
}
