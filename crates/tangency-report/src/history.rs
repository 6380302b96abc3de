//! A figure of what happened over time: panels above each other that share the axis of time.

use crate::axes::{AxisRange, Ticks, decade_ticks, drawable};
use crate::canvas::Canvas;
use crate::colour::{INK, Rgb, categorical};
use crate::figure::{Figure, FigureError};
use crate::format::Format;
use crate::header::FigureHeader;
use crate::key::{Entry, Key, KeySign};
use crate::panel::{Panel, TITLE};
use crate::style::Style;

const KEY_GAP: f64 = 16.0;
const GAP: f64 = 20.0;
/// The width of a panel on a screen, and the least on paper.
const ON_SCREEN: f64 = 480.0;
const LEAST_ROOM: f64 = 160.0;
/// The height of a panel as a share of its width, and its limits.
const HEIGHT: f64 = 0.4;
const HEIGHTS: (f64, f64) = (110.0, 190.0);
/// A beginning that lies so many times as far from the rest as the rest is wide is cut off,
const FAR: f64 = 5.0;
/// if it is no more than this share of all.
const BEGINNING: f64 = 0.2;

/// One panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track<'a> {
    /// What the values are.
    pub title: &'a str,
    /// The lines, each with its name and a value for each time. One that is not finite leaves a gap.
    pub lines: Vec<(&'a str, Vec<f64>)>,
    /// Drawn on a logarithmic scale, on which only values above 0 have a place.
    pub logarithmic: bool,
}

/// Draws the tracks above each other against time, which counts in whole numbers.
///
/// Tracks and lines without any value that can be drawn are left out. If the beginning lies far below or above the rest, it
/// is cut off and the figure says so.
pub fn history<'a>(
    times: &[f64],
    tracks: &[Track<'_>],
    time_title: &str,
    notes: &[String],
    format: impl Into<Format<'a>>,
) -> Result<Figure, FigureError> {
    let format = format.into();
    for (_, values) in tracks.iter().flat_map(|track| &track.lines) {
        if values.len() != times.len() {
            let (expected, found) = (times.len(), values.len());
            return Err(FigureError::Length { what: "values of a line", expected, found });
        }
    }
    let drawn: Vec<DrawnLine> = tracks.iter().filter_map(DrawnLine::new).collect();
    let nothing = FigureError::NothingToDraw("no line has a value");
    let (Some(along), false) = (AxisRange::of(times.iter().copied()), drawn.is_empty()) else { return Err(nothing) };
    let along = if along.span() == 0.0 { along.widened(2.0) } else { along.padded(0.02) };
    let mut notes = notes.to_vec();
    if drawn.iter().any(|track| track.cut > 0) {
        notes.push("the beginning, far from the rest, is cut off".to_owned());
    }

    let margin = format.margin();
    let beside = drawn.iter().map(|track| track.key.width(HEIGHTS.1)).fold(0.0, f64::max);
    let beside = if beside > 0.0 { KEY_GAP + beside } else { 0.0 };
    let make = |left: f64, top: f64, width: f64, track: &DrawnLine| {
        let height = (HEIGHT * width).clamp(HEIGHTS.0, HEIGHTS.1).max(track.key.least_height());
        match &track.decades {
            Some(ticks) => Panel::with_ticks(left, top, (width, height), (along, track.range), true, ticks.clone()),
            None => Panel::new(left, top, (width, height), (along, track.range), true),
        }
    };
    let labels = drawn.iter().map(|track| make(0.0, 0.0, ON_SCREEN, track).labels()).fold(0.0, f64::max);
    let width = format.room(ON_SCREEN, Panel::LEFT + labels + beside, LEAST_ROOM);
    let header = FigureHeader::new(format.title, TITLE, &notes, Panel::LEFT + labels + width + beside);
    let mut top = margin + header.height().max(6.0);
    let mut canvas = Canvas::new();
    header.draw(&mut canvas, margin, margin);
    let mut foot = top;
    for (index, track) in drawn.iter().enumerate() {
        // Frames stand above each other, whatever their labels.
        let own = make(0.0, 0.0, width, track).labels();
        let panel = make(margin + labels - own, top, width, track).titled_beside(labels);
        panel.grid(&mut canvas);
        canvas.clipped(panel.frame, |canvas| track.draw(canvas, &panel, times));
        panel.y_axis(&mut canvas, track.title);
        if index + 1 == drawn.len() {
            panel.x_axis(&mut canvas, time_title);
        } else {
            panel.x_line(&mut canvas);
        }
        track.key.draw(&mut canvas, panel.frame.right() + KEY_GAP, top, panel.frame.height);
        foot = panel.frame.bottom();
        top = foot + GAP;
    }
    Ok(canvas.finish(margin + Panel::LEFT + labels + width + beside + margin, foot + Panel::BELOW + 6.0, format))
}

/// A track with the range of its axis.
struct DrawnLine<'a> {
    title: &'a str,
    lines: Vec<(Rgb, Vec<f64>)>,
    range: AxisRange,
    decades: Option<Ticks>,
    key: Key,
    /// So many values at the beginning lie outside.
    cut: usize,
}

impl<'a> DrawnLine<'a> {
    fn new(track: &'a Track<'a>) -> Option<Self> {
        let height = |value: f64| if track.logarithmic { value.log10() } else { value };
        let mut lines = Vec::new();
        let mut entries = Vec::new();
        let alone = track.lines.len() == 1;
        for (index, (name, values)) in track.lines.iter().enumerate() {
            let heights: Vec<f64> = values.iter().map(|&value| height(value)).collect();
            if heights.iter().any(|&value| drawable(value)) {
                let colour = if alone { INK } else { categorical(index) };
                entries.push(Entry::new(name, colour, KeySign::Stroke));
                lines.push((colour, heights));
            }
        }
        let (range, cut) = settled(&lines)?;
        let key = if alone { Key::None } else { Key::Legend { title: String::new(), entries } };
        if !track.logarithmic {
            return Some(Self { title: track.title, lines, range: range.padded(0.06), decades: None, key, cut });
        }
        let (range, decades) = decade_ticks(range);
        Some(Self { title: track.title, lines, range, decades: Some(decades), key, cut })
    }

    fn draw(&self, canvas: &mut Canvas, panel: &Panel, times: &[f64]) {
        for (colour, values) in &self.lines {
            let places: Vec<Option<(f64, f64)>> = times
                .iter()
                .zip(values)
                .map(|(&time, &value)| (drawable(time) && drawable(value)).then(|| panel.at((time, value))))
                .map(|place| place.map(|(x, y)| (x, y.clamp(-1e5, 1e5))))
                .collect();
            for run in places.split(Option::is_none) {
                let run: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
                match run[..] {
                    [] => {}
                    [(x, y)] => canvas.line((x - 2.0, y), (x + 2.0, y), Style::line(*colour, 1.6)),
                    _ => canvas.path([&run[..]], false, Style::line(*colour, 1.6)),
                }
            }
        }
    }
}

/// The range of the lines without a beginning that would flatten all the rest, and how many values that is.
fn settled(lines: &[(Rgb, Vec<f64>)]) -> Option<(AxisRange, usize)> {
    let from = |start: usize| AxisRange::of(lines.iter().flat_map(|(_, values)| values.iter().skip(start).copied()));
    let count = lines.iter().map(|(_, values)| values.len()).max()?;
    let (mut kept, mut range) = (0, from(0)?);
    for cut in 1..=(BEGINNING * count as f64) as usize {
        let Some(rest) = from(cut) else { break };
        let outside = (rest.lo - range.lo).max(range.hi - rest.hi);
        if rest.span() > 0.0 && outside > FAR * rest.span() {
            (kept, range) = (cut, rest);
        }
    }
    Some((range, kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_beginning_is_cut_off() {
        let line = |values: &[f64]| vec![(INK, values.to_vec())];
        let slow: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(settled(&line(&slow)), Some((AxisRange { lo: 0.0, hi: 9.0 }, 0)));
        let mut fast = slow.clone();
        (fast[0], fast[1]) = (-1000.0, -100.0);
        assert_eq!(settled(&line(&fast)), Some((AxisRange { lo: 2.0, hi: 9.0 }, 2)));
        assert_eq!(settled(&line(&[f64::NAN])), None);
        assert_eq!(settled(&[]), None);
    }
}
