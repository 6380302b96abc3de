//! A figure of one coordinate: the points in a strip, and their density above it.

use crate::axes::{AxisRange, Scale, drawable};
use crate::canvas::Canvas;
use crate::colour::{GRID, Paint, QUIET, Rgb, SOFT};
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::header::FigureHeader;
use crate::key::Key;
use crate::panel::{AXIS_TITLE, Panel, TITLE};
use crate::scatter::{MOST_POINTS, left_out, point_radius, point_style, stride, thinned};
use crate::style::{Anchor, Rect, Style};
use tangency::view::{FIRST_AXES, REACH};

const KEY_GAP: f64 = 24.0;
/// The width on a screen, and the least on paper.
const WIDTH: f64 = 560.0;
const LEAST_WIDTH: f64 = 220.0;
/// Labels from 0 to 1 would be this wide; none are drawn.
const LABELS: f64 = 16.0;
const DENSITY: f64 = 150.0;
const STRIP: f64 = 110.0;
const DENSITY_STEPS: usize = 400;
const MOST_DENSITIES: usize = 8;
const MOST_BARS: usize = 600;
/// The fractional part of the golden ratio spreads neighbours evenly over the strip.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Draws points on a line: `deviation` gives a point's standard deviation where it is known.
pub(crate) fn strip(
    values: &[f64],
    deviation: impl Fn(usize) -> Option<f64>,
    bars: bool,
    paint: Paint,
    format: Format<'_>,
) -> Result<Figure, FigureError> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&point| drawable(values[point])).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let extent =
        AxisRange::of(values.iter().copied()).ok_or(FigureError::NothingToDraw("no point has a finite coordinate"))?;
    let range = extent.padded(0.08);
    let step = stride(order.len(), MOST_BARS);
    let mut notes = Vec::new();
    if bars {
        let thinning = if step > 1 { format!(", drawn for one point in {step}") } else { String::new() };
        notes.push(format!("bars: {REACH} standard deviations{thinning}"));
    }
    notes.extend(thinned(order.len()));
    notes.extend(left_out(values.len() - order.len()));

    let height = (DENSITY + STRIP).max(paint.key.least_height());
    let key_width = paint.key.width(height);
    let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
    let margin = format.margin();
    let width = format.room(WIDTH, Panel::LEFT + LABELS + beside, LEAST_WIDTH);
    let header = FigureHeader::new(format.title, TITLE, &notes, width + beside);
    let top = margin + header.height().max(4.0);
    let floor = AxisRange { lo: 0.0, hi: 1.0 };
    let panel = Panel::new(margin, top, (width, height), (range, floor), false);
    let frame = panel.frame;
    let base = frame.bottom() - STRIP;

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, frame.x, margin);
    canvas.rect(Rect { y: base, height: STRIP, ..frame }, Style::fill(GRID, 0.35));
    densities(&mut canvas, Rect { height: base - frame.y, ..frame }, panel.x, values, &order, &paint);
    canvas.line((frame.x, base), (frame.right(), base), Style::line(SOFT, 0.6));

    let radius = point_radius(order.len());
    let level = |rank: usize| base + STRIP * (0.1 + 0.8 * ((rank as f64 + 0.5) * GOLDEN).fract());
    canvas.clipped(frame, |canvas| {
        for (rank, &point) in order.iter().enumerate().step_by(step) {
            if let Some(reach) = deviation(point).map(|sd| REACH * sd) {
                let end = |value: f64| (panel.x.at(value).clamp(-1e5, 1e5), level(rank));
                let style = Style::default().outlined(paint.points[point].0, 1.0, 0.35);
                canvas.line(end(values[point] - reach), end(values[point] + reach), style);
            }
        }
        for (rank, &point) in order.iter().enumerate().step_by(stride(order.len(), MOST_POINTS)) {
            let (colour, shape) = paint.points[point];
            canvas.marker(shape, (panel.x.at(values[point]), level(rank)), radius, point_style(colour, radius));
        }
    });
    panel.x_axis(&mut canvas, FIRST_AXES[0]);
    let set = AXIS_TITLE.anchored(Anchor::Middle).upwards();
    canvas.text((frame.x - 12.0, (frame.y + base) / 2.0), "density", set);
    canvas.text((frame.x - 12.0, base + STRIP / 2.0), "points", set);
    paint.key.draw(&mut canvas, frame.right() + KEY_GAP, top, height);
    let size = (frame.right() + beside + margin, frame.bottom() + Panel::BELOW + 6.0);
    Ok(canvas.finish(size.0, size.1, format))
}

/// One density for all points, or one for each category where these are few, as parts of the whole.
fn densities(canvas: &mut Canvas, area: Rect, x: Scale, values: &[f64], order: &[usize], paint: &Paint) {
    let mut groups: Vec<(Rgb, Vec<f64>)> = Vec::new();
    let by_colour = matches!(&paint.key, Key::Legend { entries, .. } if entries.len() <= MOST_DENSITIES);
    for &point in order {
        let colour = if by_colour { paint.points[point].0 } else { QUIET };
        match groups.iter_mut().find(|group| group.0 == colour) {
            Some(group) => group.1.push(values[point]),
            None => groups.push((colour, vec![values[point]])),
        }
    }
    let at = |step: usize| x.range.lo + x.range.span() * step as f64 / DENSITY_STEPS as f64;
    let heights: Vec<Vec<f64>> = groups
        .iter()
        .map(|(_, group)| {
            let width = bandwidth(group, x.range.span());
            (0..=DENSITY_STEPS).map(|step| density(group, width, at(step))).collect()
        })
        .collect();
    let tallest = heights.iter().flatten().fold(0.0, |most: f64, &height| most.max(height));
    for ((colour, _), heights) in groups.iter().zip(&heights) {
        let place =
            |(step, height): (usize, &f64)| (x.at(at(step)), area.bottom() - 0.94 * area.height * height / tallest);
        let mut outline: Vec<(f64, f64)> = heights.iter().enumerate().map(place).collect();
        // A line at nothing would hide the base and the other groups' lines.
        let ground = area.bottom() - 0.4;
        let raised = outline.split(|place| place.1 > ground);
        canvas.path(raised, false, Style::line(*colour, 1.4));
        outline.extend([(area.right(), area.bottom()), (area.x, area.bottom())]);
        canvas.path([&outline[..]], true, Style::fill(*colour, 0.16));
    }
}

/// The sum of Gaussian bumps of this width over the sorted values, up to a constant.
fn density(sorted: &[f64], width: f64, at: f64) -> f64 {
    let reach = 5.0 * width;
    let from = sorted.partition_point(|&value| value < at - reach);
    let to = sorted.partition_point(|&value| value <= at + reach);
    let bump = |value: &f64| (-0.5 * ((value - at) / width).powi(2)).exp();
    sorted[from..to].iter().map(bump).sum::<f64>() / width
}

/// Silverman's rule, kept between a small and a large share of the plot.
fn bandwidth(sorted: &[f64], span: f64) -> f64 {
    let count = sorted.len() as f64;
    let mean = sorted.iter().map(|value| value / count).sum::<f64>();
    let deviation = sorted.iter().map(|value| ((value - mean) / span).powi(2) / count).sum::<f64>().sqrt();
    let quantile = |share: f64| sorted.get((share * (count - 1.0)) as usize).copied().unwrap_or(mean);
    let quartiles = (quantile(0.75) - quantile(0.25)) / span / 1.34;
    let spread = if quartiles > 0.0 { deviation.min(quartiles) } else { deviation };
    span * (0.9 * spread * count.powf(-0.2)).clamp(0.015, 0.2)
}
