//! A figure of points in space beside their embedding in the plane, in the same colours.

use crate::axes::{AxisRange, drawable, equal_aspect};
use crate::canvas::Canvas;
use crate::colour::{Colour, Paint, Rgb, SOFT, WHITE};
use crate::figure::{Figure, FigureError};
use crate::header::FigureHeader;
use crate::panel::{HEADING, Panel, TITLE};
use crate::projection::{Projected, Projection};
use crate::scatter::{MOST_POINTS, Scatter, left_out, point_radius, point_style, stride};
use crate::style::{MarkerShape, Rect, Style};
use tangency::view::FIRST_AXES;

const MARGIN: f64 = 20.0;
const GAP: f64 = 28.0;
const KEY_GAP: f64 = 22.0;
/// The area of the box in space.
const SPACE: (f64, f64) = (370.0, 310.0);
/// The most and the least that the embedding's frame takes.
const MOST: (f64, f64) = (540.0, 310.0);
const LEAST: (f64, f64) = (300.0, 310.0);
const AZIMUTH: f64 = -72.0;
const ELEVATION: f64 = 14.0;
/// Edges and points alternate in this many layers from back to front.
const LAYERS: usize = 24;

/// The words of a figure of points in space beside their embedding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollCaptions<'a> {
    /// Above the whole figure; may be empty.
    pub title: &'a str,
    /// Above the points in space.
    pub space: &'a str,
    /// Above the embedding.
    pub embedding: &'a str,
    /// The names of the axes in space.
    pub space_axes: [&'a str; 3],
    /// The names of the embedding's axes.
    pub embedding_axes: [&'a str; 2],
}

impl Default for RollCaptions<'_> {
    fn default() -> Self {
        Self {
            title: "",
            space: "Points in space",
            embedding: "Embedding",
            space_axes: ["y₁", "y₂", "y₃"],
            embedding_axes: [FIRST_AXES[0], FIRST_AXES[1]],
        }
    }
}

/// Draws points in space beside their embedding with its uncertainty, both coloured by one value.
///
/// `covariances` may be empty where no uncertainty is known, and so may `edges`, which join neighbours in space.
pub fn roll_and_embedding(
    points: &[[f64; 3]],
    coordinates: &[[f64; 2]],
    covariances: &[[[f64; 2]; 2]],
    colour_by: &[f64],
    colour_title: &str,
    edges: &[(usize, usize)],
    captions: RollCaptions<'_>,
) -> Result<Figure, FigureError> {
    check(points.len(), coordinates.len(), covariances.len(), edges)?;
    let colour = Colour::Continuous { values: colour_by, title: colour_title };
    let paint = Paint::new(colour, points.len())?;
    let along = |axis: usize| AxisRange::of(points.iter().filter(|point| placed(point)).map(|point| point[axis]));
    let (Some(x), Some(y), Some(z)) = (along(0), along(1), along(2)) else {
        return Err(FigureError::NothingToDraw("no point in space has finite coordinates"));
    };
    let places: Vec<(f64, f64)> = coordinates.iter().map(|&[x, y]| (x, y)).collect();
    let scatter = Scatter::new(&places, &paint.points, |point| covariances.get(point).copied());
    let (u, v) = scatter.ranges().ok_or(FigureError::NothingToDraw("no embedded point has finite coordinates"))?;

    let fit = equal_aspect(u, v, MOST, LEAST);
    let key_width = paint.key.width(fit.height);
    let whole_width = SPACE.0 + GAP + fit.width + KEY_GAP + key_width;
    let title = FigureHeader::new(captions.title, TITLE, &[], whole_width);
    let unplaced = points.iter().filter(|point| !placed(point)).count();
    let remark: Vec<String> = left_out(unplaced).into_iter().collect();
    let left = FigureHeader::new(captions.space, HEADING, &remark, SPACE.0);
    let right = FigureHeader::new(captions.embedding, HEADING, &scatter.notes(), fit.width);
    let headings = MARGIN + title.height();
    let top = headings + left.height().max(right.height());
    let panel = Panel::new(MARGIN + SPACE.0 + GAP, top, (fit.width, fit.height), (fit.x, fit.y), false);

    let mut canvas = Canvas::new();
    title.draw(&mut canvas, MARGIN, MARGIN);
    left.draw(&mut canvas, MARGIN, headings);
    right.draw(&mut canvas, panel.frame.x, headings);
    let area = Rect { x: MARGIN + 14.0, y: top, width: SPACE.0 - 14.0, height: SPACE.1 };
    let view = Projection::new([x, y, z], AZIMUTH, ELEVATION, area);
    view.draw_box(&mut canvas, captions.space_axes);
    draw_space(&mut canvas, &view, points, edges, &paint.points);

    panel.grid(&mut canvas);
    scatter.draw(&mut canvas, &panel);
    panel.axes(&mut canvas, captions.embedding_axes[0], captions.embedding_axes[1]);
    paint.key.draw(&mut canvas, panel.frame.right() + KEY_GAP, panel.frame.y, fit.height);
    let width = panel.frame.right() + KEY_GAP + key_width + MARGIN;
    let height = (top + SPACE.1).max(panel.frame.bottom()) + Panel::BELOW + 6.0;
    let name = if captions.title.is_empty() { captions.embedding } else { captions.title };
    Ok(canvas.finish(width, height, name))
}

fn check(points: usize, embedded: usize, covariances: usize, edges: &[(usize, usize)]) -> Result<(), FigureError> {
    if points == 0 {
        return Err(FigureError::NothingToDraw("there are no points"));
    }
    if embedded != points {
        return Err(FigureError::Length { what: "embedded points", expected: points, found: embedded });
    }
    if covariances != points && covariances != 0 {
        return Err(FigureError::Length { what: "covariances", expected: points, found: covariances });
    }
    match edges.iter().find(|(from, to)| *from.max(to) >= points) {
        Some(&(from, to)) => Err(FigureError::Edge { from, to, points }),
        None => Ok(()),
    }
}

fn placed(point: &[f64; 3]) -> bool {
    point.iter().all(|&value| drawable(value))
}

/// Points and edges from back to front; what is farther away is smaller and paler.
fn draw_space(
    canvas: &mut Canvas,
    view: &Projection,
    points: &[[f64; 3]],
    edges: &[(usize, usize)],
    looks: &[(Rgb, MarkerShape)],
) {
    let seen: Vec<Option<Projected>> = points.iter().map(|point| placed(point).then(|| view.see(*point))).collect();
    let layer = |nearness: f64| ((nearness * LAYERS as f64) as usize).min(LAYERS - 1);
    let mut strokes: Vec<Vec<[(f64, f64); 2]>> = vec![Vec::new(); LAYERS];
    for &(from, to) in edges {
        if let (Some(from), Some(to)) = (seen[from], seen[to]) {
            strokes[layer((from.nearness + to.nearness) / 2.0)].push([from.at, to.at]);
        }
    }
    let mut order: Vec<(Projected, Rgb)> = seen
        .iter()
        .zip(looks)
        .step_by(stride(points.len(), MOST_POINTS))
        .filter_map(|(seen, look)| seen.map(|seen| (seen, look.0)))
        .collect();
    order.sort_by(|a, b| a.0.nearness.total_cmp(&b.0.nearness));
    let radius = point_radius(points.len());
    let mut rest = order.as_slice();
    for (index, strokes) in strokes.iter().enumerate() {
        let nearness = (index as f64 + 0.5) / LAYERS as f64;
        let style = Style::default().outlined(SOFT, 0.5, 0.2 + 0.35 * nearness);
        canvas.path(strokes.iter().map(|stroke| &stroke[..]), false, style);
        let (here, nearer) = rest.split_at(rest.partition_point(|(seen, _)| layer(seen.nearness) <= index));
        for (seen, colour) in here {
            let radius = radius * (0.8 + 0.4 * seen.nearness);
            let colour = colour.mixed(WHITE, 0.4 * (1.0 - seen.nearness));
            canvas.marker(MarkerShape::Circle, seen.at, radius, point_style(colour, radius));
        }
        rest = nearer;
    }
}
