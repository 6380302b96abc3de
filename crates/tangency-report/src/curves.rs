//! A figure of curves: one line per series, its spread as shading, and the best point marked.

use crate::axes::{AxisRange, drawable, number};
use crate::canvas::Canvas;
use crate::colour::{INK, Rgb, SOFT, WHITE, categorical, shape};
use crate::figure::{Figure, FigureError};
use crate::header::FigureHeader;
use crate::key::{Entry, Key, KeySign};
use crate::panel::{Panel, TITLE};
use crate::style::{MarkerShape, Style};

const MARGIN: f64 = 20.0;
const KEY_GAP: f64 = 22.0;
const FRAME: (f64, f64) = (520.0, 320.0);
const MARKER: f64 = 3.6;
/// Up to this many whole values along x each get their own tick, if they are written short.
const MOST_VALUES: usize = 12;
const LARGEST_WHOLE: f64 = 1e6;
/// The signs of marked points, in the order in which their meanings first appear.
const MARKED: [MarkerShape; 4] =
    [MarkerShape::Circle, MarkerShape::Square, MarkerShape::Diamond, MarkerShape::Triangle];

/// One value along a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where the value lies along the x axis.
    pub x: f64,
    /// The value; one that is not finite leaves a gap.
    pub mean: f64,
    /// How far the shading reaches to either side; none where it is not finite or not positive.
    pub spread: f64,
    /// What sets this point apart (“not converged”): it is drawn hollow, and the legend gives the meaning.
    pub marker: Option<String>,
}

impl Point {
    fn reach(&self) -> f64 {
        if drawable(self.spread) { self.spread.max(0.0) } else { 0.0 }
    }
}

/// A named curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name that the legend shows.
    pub name: String,
    /// The values in any order; they are joined along x.
    pub points: Vec<Point>,
}

/// Draws curves with their spread, the legend beside them, and a ring at `best` where it is given.
pub fn curves(
    series: &[Series],
    x_title: &str,
    y_title: &str,
    title: &str,
    best: Option<(f64, f64)>,
) -> Result<Figure, FigureError> {
    let best = best.filter(|at| drawable(at.0) && drawable(at.1));
    let sorted: Vec<Vec<&Point>> = series.iter().map(along_x).collect();
    let shown = || sorted.iter().flatten().filter(|point| drawable(point.mean));
    let nothing = FigureError::NothingToDraw("no series has a finite value");
    if shown().next().is_none() {
        return Err(nothing);
    }
    let ends = shown().flat_map(|point| [point.mean, point.mean - point.reach(), point.mean + point.reach()]);
    let (Some(x), Some(y)) = (
        AxisRange::of(shown().map(|point| point.x).chain(best.map(|at| at.0))),
        AxisRange::of(ends.chain(best.map(|at| at.1))),
    ) else {
        return Err(nothing);
    };
    let whole = shown().all(|point| point.x.fract() == 0.0 && point.x.abs() < LARGEST_WHOLE);

    let meanings = meanings(&sorted);
    let key = legend(series, &meanings, best);
    let size = (FRAME.0, FRAME.1.max(key.least_height()));
    let beside = KEY_GAP + key.width(size.1);
    let header = FigureHeader::new(title, TITLE, &[], size.0 + beside);
    let top = MARGIN + header.height().max(6.0) + 6.0;
    let x = if whole && x.span() == 0.0 { x.widened(2.0) } else { x };
    let mut panel = Panel::new(MARGIN, top, size, (x.padded(0.04), y.padded(0.06)), whole);
    if whole {
        let mut values: Vec<f64> = shown().map(|point| point.x).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if (2..=MOST_VALUES).contains(&values.len()) {
            panel.tick_at(&values);
        }
    }

    let mut canvas = Canvas::new();
    header.draw(&mut canvas, panel.frame.x, MARGIN);
    panel.grid(&mut canvas);
    canvas.clipped(panel.frame, |canvas| {
        for (index, points) in sorted.iter().enumerate() {
            shading(canvas, &panel, points, categorical(index));
        }
        for (index, points) in sorted.iter().enumerate() {
            line(canvas, &panel, points, index, &meanings);
        }
        if let Some(at) = best {
            let at = panel.at(at);
            canvas.marker(MarkerShape::Circle, at, 8.0, Style::line(WHITE, 3.5));
            canvas.marker(MarkerShape::Circle, at, 8.0, Style::line(INK, 1.6));
        }
    });
    panel.axes(&mut canvas, x_title, y_title);
    key.draw(&mut canvas, panel.frame.right() + KEY_GAP, top, size.1);
    let width = panel.frame.right() + beside + MARGIN;
    let height = panel.frame.bottom() + Panel::BELOW + 6.0;
    Ok(canvas.finish(width, height, title))
}

fn along_x(series: &Series) -> Vec<&Point> {
    let mut points: Vec<&Point> = series.points.iter().filter(|point| drawable(point.x)).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

fn meanings<'a>(sorted: &[Vec<&'a Point>]) -> Vec<&'a str> {
    let mut meanings: Vec<&str> = Vec::new();
    for meaning in sorted.iter().flatten().filter_map(|point| point.marker.as_deref()) {
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
    meanings
}

fn legend(series: &[Series], meanings: &[&str], best: Option<(f64, f64)>) -> Key {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, series) in series.iter().enumerate() {
        entries.push(Entry::new(&series.name, categorical(index), KeySign::Line(shape(index))));
    }
    for (index, meaning) in meanings.iter().enumerate() {
        entries.push(Entry::new(meaning, SOFT, KeySign::Hollow(MARKED[index % MARKED.len()])));
    }
    if let Some((x, y)) = best {
        let label = format!("best: {} at {}", number(y), number(x));
        entries.push(Entry::new(&label, INK, KeySign::Ring));
    }
    Key::Legend { title: String::new(), entries }
}

/// The stretches of a curve without a missing value.
fn runs<'a, 'b>(points: &'a [&'b Point]) -> impl Iterator<Item = &'a [&'b Point]> {
    points.split(|point| !drawable(point.mean)).filter(|run| !run.is_empty())
}

fn shading(canvas: &mut Canvas, panel: &Panel, points: &[&Point], colour: Rgb) {
    for run in runs(points) {
        let edge = |side: f64| move |point: &&Point| panel.at((point.x, point.mean + side * point.reach()));
        if let [point] = run {
            let style = Style::default().outlined(colour, 3.0, 0.3);
            canvas.line(edge(-1.0)(point), edge(1.0)(point), style);
            continue;
        }
        let mut outline: Vec<(f64, f64)> = run.iter().map(edge(1.0)).collect();
        outline.extend(run.iter().rev().map(edge(-1.0)));
        canvas.path([&outline[..]], true, Style::fill(colour, 0.16));
    }
}

fn line(canvas: &mut Canvas, panel: &Panel, points: &[&Point], index: usize, meanings: &[&str]) {
    let colour = categorical(index);
    for run in runs(points) {
        let places: Vec<(f64, f64)> = run.iter().map(|point| panel.at((point.x, point.mean))).collect();
        if places.len() > 1 {
            canvas.path([&places[..]], false, Style::line(colour, 1.8));
        }
        for (point, &at) in run.iter().zip(&places) {
            let meaning = point.marker.as_deref();
            match meaning.and_then(|meaning| meanings.iter().position(|&known| known == meaning)) {
                Some(kind) => {
                    let style = Style::fill(WHITE, 1.0).outlined(colour, 1.4, 1.0);
                    canvas.marker(MARKED[kind % MARKED.len()], at, MARKER, style);
                }
                None => {
                    let style = Style::fill(colour, 1.0).outlined(WHITE, 0.8, 1.0);
                    canvas.marker(shape(index), at, MARKER, style);
                }
            }
        }
    }
}
