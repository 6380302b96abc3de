//! The title and remarks above a plot.

use crate::canvas::Canvas;
use crate::font;
use crate::panel::NOTE;
use crate::style::Type;

/// Lines of text set one below the other.
pub(crate) struct FigureHeader {
    lines: Vec<(String, Type)>,
}

impl FigureHeader {
    /// A title with remarks below it, broken into lines of the given room.
    pub fn new(title: &str, set: Type, notes: &[String], room: f64) -> Self {
        let break_up = |text: &str, set: Type, most: usize| {
            let lines = font::wrapped(text, set.size, set.bold, room, most);
            lines.into_iter().map(move |line| (line, set)).collect::<Vec<_>>()
        };
        let mut lines = break_up(title, set, 3);
        lines.extend(break_up(&notes.join("; "), NOTE, 3));
        Self { lines }
    }

    /// The height down to where the plot may begin.
    pub fn height(&self) -> f64 {
        let lines: f64 = self.lines.iter().map(|(_, set)| leading(*set)).sum();
        if self.lines.is_empty() { 0.0 } else { lines + 12.0 }
    }

    /// Draws the lines with their upper left corner at the given place.
    pub fn draw(&self, canvas: &mut Canvas, x: f64, y: f64) {
        let mut top = y;
        for (line, set) in &self.lines {
            canvas.text((x, top + set.size), line, *set);
            top += leading(*set);
        }
    }
}

fn leading(set: Type) -> f64 {
    1.4 * set.size
}
