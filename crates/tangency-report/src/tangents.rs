//! A figure of points in space with the plane, or the line, along which the data run at each.

use crate::colour::{Colour, INK, Paint, WHITE};
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::space::{Space, VIEW, placed};
use crate::style::{MarkerShape, Style};

/// How pale the farthest are; not much, since colours have a meaning.
const FOG: f64 = 0.2;

/// Points in space and the directions in which the data run at each.
#[derive(Clone, Copy, Debug)]
pub struct Tangents<'a> {
    /// The points.
    pub points: &'a [[f64; 3]],
    /// One or two directions at each point, of any length: the columns of its local map.
    pub directions: &'a [Vec<[f64; 3]>],
    /// The side of a plane, or the length of a line.
    pub side: f64,
    /// Of so many points one is drawn.
    pub every: usize,
    /// The names of the axes.
    pub axes: [&'a str; 3],
    /// Azimuth and elevation in degrees from which they are seen.
    pub view: (f64, f64),
}

impl Default for Tangents<'_> {
    fn default() -> Self {
        Self { points: &[], directions: &[], side: 1.0, every: 1, axes: ["y₁", "y₂", "y₃"], view: VIEW }
    }
}

/// Draws small squares, or short lines where there is one direction, from back to front.
pub fn tangents<'a>(
    tangents: &Tangents<'a>,
    colour: Colour<'_>,
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let Tangents { points, directions, side, every, axes, view } = *tangents;
    if directions.len() != points.len() {
        let (expected, found) = (points.len(), directions.len());
        return Err(FigureError::Length { what: "directions of points", expected, found });
    }
    let paint = Paint::new(colour, points.len())?;
    let every = every.max(1);
    let mut notes = Vec::new();
    if every > 1 {
        notes.push(format!("one point in {every} drawn"));
    }
    let half = 0.5 * side;
    let patches: Vec<Option<Patch>> = points
        .iter()
        .zip(directions)
        .enumerate()
        .map(|(index, (point, directions))| Patch::new(point, directions, half).filter(|_| index.is_multiple_of(every)))
        .collect();
    // The box has room for whole squares, not for their middles only.
    let corners: Vec<[f64; 3]> =
        points.iter().copied().chain(patches.iter().flatten().flat_map(|patch| patch.corners.clone())).collect();
    let space = Space::new(&corners, &paint.key, notes, view, format.into())?;
    let mut canvas = space.begin(axes);
    for (index, seen) in space.back_to_front(points) {
        let Some(patch) = &patches[index] else { continue };
        let colour = paint.points[index].0.mixed(WHITE, FOG * (1.0 - seen.nearness));
        let outline: Vec<(f64, f64)> = patch.corners.iter().map(|&corner| space.view.see(corner).at).collect();
        match patch.normal {
            Some(normal) => {
                // What is turned away from the viewer is darker, as under a lamp behind the viewer.
                let lit = colour.mixed(INK, 0.18 * (1.0 - space.view.facing(normal)));
                let style = Style::fill(lit, 0.92).outlined(lit.mixed(INK, 0.5), 0.45, 1.0);
                canvas.path([&outline[..]], true, style);
                canvas.marker(MarkerShape::Circle, seen.at, 0.8, Style::fill(lit.mixed(INK, 0.65), 1.0));
            }
            None => {
                canvas.path([&outline[..]], false, Style::line(colour, 1.6));
                canvas.marker(MarkerShape::Circle, seen.at, 1.2, Style::fill(colour.mixed(INK, 0.4), 1.0));
            }
        }
    }
    Ok(space.finish(canvas))
}

/// A square about a point, or a line through it.
struct Patch {
    corners: Vec<[f64; 3]>,
    normal: Option<[f64; 3]>,
}

impl Patch {
    /// None if the point cannot be placed or has no direction.
    fn new(point: &[f64; 3], directions: &[[f64; 3]], half: f64) -> Option<Self> {
        if !placed(point) {
            return None;
        }
        let at = |u: f64, first: [f64; 3], v: f64, second: [f64; 3]| {
            [0, 1, 2].map(|axis| point[axis] + half * (u * first[axis] + v * second[axis]))
        };
        let first = unit(*directions.first()?)?;
        let second = directions.get(1).and_then(|&second| {
            let share = dot(first, unit(second)?);
            let rest = unit(second)?;
            // Nearly the same direction twice is one direction.
            unit([0, 1, 2].map(|axis| rest[axis] - share * first[axis])).filter(|_| share.abs() < 1.0 - 1e-9)
        });
        Some(match second {
            Some(second) => Self {
                corners: [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                    .map(|(u, v)| at(u, first, v, second))
                    .to_vec(),
                normal: Some(cross(first, second)),
            },
            None => Self { corners: vec![at(-1.0, first, 0.0, first), at(1.0, first, 0.0, first)], normal: None },
        })
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The direction with length 1; none of a vector without one.
fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let largest = vector.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let scaled = vector.map(|value| value / largest);
    let length = dot(scaled, scaled).sqrt();
    (largest > 0.0 && length.is_finite()).then(|| scaled.map(|value| value / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_a_square_in_the_plane_of_its_directions() {
        let patch = Patch::new(&[1.0, 2.0, 3.0], &[[2.0, 0.0, 0.0], [5.0, 0.1, 0.0]], 0.5).unwrap();
        assert_eq!(patch.normal, Some([0.0, 0.0, 1.0]));
        let side = |a: usize, b: usize| {
            let step = [0, 1, 2].map(|axis| patch.corners[b][axis] - patch.corners[a][axis]);
            dot(step, step).sqrt()
        };
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            assert!((side(a, b) - 1.0).abs() < 1e-12);
        }
        assert!((side(0, 2) - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn directions_without_a_plane_are_a_line_or_nothing() {
        let line = Patch::new(&[0.0; 3], &[[0.0, 3.0, 0.0], [0.0, -1.0, 0.0]], 1.0).unwrap();
        assert_eq!((line.corners, line.normal), (vec![[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]], None));
        assert!(Patch::new(&[0.0; 3], &[[0.0; 3]], 1.0).is_none());
        assert!(Patch::new(&[0.0; 3], &[[f64::NAN, 1.0, 1.0]], 1.0).is_none());
        assert!(Patch::new(&[f64::INFINITY; 3], &[[1.0; 3]], 1.0).is_none());
        assert!(Patch::new(&[0.0; 3], &[], 1.0).is_none());
    }
}
