//! A figure of embedded points with their uncertainty.

use crate::axes::drawable;
use crate::colour::{Colour, Paint};
use crate::ellipse::PointUncertainty;
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::plane::Plane;
use crate::scatter::Scatter;
use crate::space::{Space, VIEW};
use crate::strip;
use tangency::view::{FIRST_AXES, REACH};

/// Draws embedded points: one coordinate as a strip below its density, two as a plane, three in space, and of more the
/// plane of the first two.
///
/// Every row of `coordinates` is one point. Points without finite coordinates are left out, and the figure says so.
pub fn embedding<'a>(
    coordinates: &[Vec<f64>],
    uncertainty: PointUncertainty<'_>,
    colour: Colour<'_>,
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let format = format.into();
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
        return strip::strip(&values, deviation, uncertainty.is_known(), paint, format);
    }
    if dimension == 3 {
        return space(coordinates, uncertainty, &paint, format);
    }
    plane(coordinates, uncertainty, paint, format)
}

fn plane(
    coordinates: &[Vec<f64>],
    uncertainty: PointUncertainty<'_>,
    paint: Paint,
    format: Format<'_>,
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

    let plane = Plane::new((x, y), &paint.key, &notes, format);
    let mut canvas = plane.begin();
    scatter.draw(&mut canvas, &plane.panel);
    Ok(plane.finish(canvas, FIRST_AXES[0], FIRST_AXES[1]))
}

fn space(
    coordinates: &[Vec<f64>],
    uncertainty: PointUncertainty<'_>,
    paint: &Paint,
    format: Format<'_>,
) -> Result<Figure, FigureError> {
    let point = |row: &Vec<f64>| match row[..] {
        [x, y, z] => [x, y, z],
        _ => [f64::NAN; 3],
    };
    let points: Vec<[f64; 3]> = coordinates.iter().map(point).collect();
    let mut notes = Vec::new();
    if uncertainty.is_known() {
        notes.push(format!("ellipses: {REACH} standard deviations"));
    }
    let space = Space::new(&points, &paint.key, notes, VIEW, format)?;
    let mut canvas = space.begin(FIRST_AXES);
    space.draw_points(&mut canvas, &points, &paint.points, |point| uncertainty.volume(point));
    Ok(space.finish(canvas))
}
