//! How shapes and texts look: rectangles, fills and strokes, type, markers, and short numbers.

use std::fmt::{Display, Formatter};

use crate::colour::Rgb;

/// An axis-aligned rectangle in pixels, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// How a shape is filled and outlined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Style {
    fill: Option<(Rgb, f64)>,
    stroke: Option<(Rgb, f64, f64)>,
}

impl Style {
    pub fn fill(colour: Rgb, opacity: f64) -> Self {
        Self { fill: Some((colour, opacity)), stroke: None }
    }

    pub fn line(colour: Rgb, width: f64) -> Self {
        Self::default().outlined(colour, width, 1.0)
    }

    /// An outline alone, less than opaque.
    pub const fn stroke(colour: Rgb, width: f64, opacity: f64) -> Self {
        Self { fill: None, stroke: Some((colour, width, opacity)) }
    }

    /// A shape filled with the colour of this outline.
    pub fn filled(self) -> Self {
        Self { fill: self.stroke.map(|(colour, _, opacity)| (colour, opacity)), stroke: None }
    }

    pub fn outlined(self, colour: Rgb, width: f64, opacity: f64) -> Self {
        Self { stroke: Some((colour, width, opacity)), ..self }
    }
}

impl Display for Style {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self.fill {
            None => write!(out, " fill=\"none\"")?,
            Some((colour, opacity)) => {
                write!(out, " fill=\"{colour}\"")?;
                if opacity < 1.0 {
                    write!(out, " fill-opacity=\"{}\"", Number(opacity))?;
                }
            }
        }
        if let Some((colour, width, opacity)) = self.stroke {
            write!(out, " stroke=\"{colour}\"")?;
            if width != 1.0 {
                write!(out, " stroke-width=\"{}\"", Number(width))?;
            }
            if opacity < 1.0 {
                write!(out, " stroke-opacity=\"{}\"", Number(opacity))?;
            }
        }
        Ok(())
    }
}

/// Which part of a text sits at its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    pub size: f64,
    pub colour: Rgb,
    pub bold: bool,
    pub anchor: Anchor,
    /// Set upwards, turned a quarter to the left about its position.
    pub upwards: bool,
}

impl Type {
    pub const fn new(size: f64, colour: Rgb) -> Self {
        Self { size, colour, bold: false, anchor: Anchor::Start, upwards: false }
    }

    pub const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub const fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub const fn upwards(self) -> Self {
        Self { upwards: true, ..self }
    }
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MarkerShape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// A coordinate written with at most two decimals, and none that say nothing.
pub(crate) struct Number(pub f64);

impl Display for Number {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        if !self.0.is_finite() {
            return out.write_str("0");
        }
        let text = format!("{:.2}", self.0);
        match text.trim_end_matches('0').trim_end_matches('.') {
            "" | "-0" => out.write_str("0"),
            short => out.write_str(short),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.001, 12.0, 1.5, 100.0, 2.71429, f64::NAN].map(|v| Number(v).to_string());
        assert_eq!(written, ["0", "0", "12", "1.5", "100", "2.71", "0"]);
    }
}
