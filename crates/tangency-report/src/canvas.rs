//! A drawing surface that writes SVG: shapes, text and groups, with every text escaped.

use std::fmt::Write;

use crate::colour::{Rgb, WHITE};
use crate::figure::Figure;
use crate::font;
use crate::format::{Format, PER_MILLIMETRE};
use crate::style::{Anchor, MarkerShape, Number, Rect, Style, Type};

/// A figure under construction.
pub(crate) struct Canvas {
    body: String,
    semibold: bool,
}

impl Canvas {
    pub fn new() -> Self {
        Self { body: String::new(), semibold: false }
    }

    // Writing to a `String` cannot fail, so the result carries nothing.
    fn put(&mut self, markup: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(markup);
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: Style) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(Number);
        self.put(format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"{style}/>\n"));
    }

    pub fn rect(&mut self, rect: Rect, style: Style) {
        let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(Number);
        self.put(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{style}/>\n"));
    }

    /// An ellipse whose first radius points `degrees` clockwise from the x axis.
    pub fn ellipse(&mut self, centre: (f64, f64), radii: (f64, f64), degrees: f64, style: Style) {
        let [cx, cy, rx, ry, turn] = [centre.0, centre.1, radii.0, radii.1, degrees].map(Number);
        self.put(format_args!(
            "<ellipse rx=\"{rx}\" ry=\"{ry}\" transform=\"translate({cx} {cy}) rotate({turn})\"{style}/>\n"
        ));
    }

    /// Straight strokes through each run of points; a run is closed where `closed` says so.
    pub fn path<'a>(&mut self, runs: impl IntoIterator<Item = &'a [(f64, f64)]>, closed: bool, style: Style) {
        let mut data = String::new();
        for run in runs {
            for (index, &(x, y)) in run.iter().enumerate() {
                let step = if index == 0 { 'M' } else { 'L' };
                let _ = write!(data, "{step}{} {}", Number(x), Number(y));
            }
            if closed {
                data.push('Z');
            }
        }
        if !data.is_empty() {
            self.put(format_args!("<path d=\"{data}\" stroke-linejoin=\"round\"{style}/>\n"));
        }
    }

    /// Boxes on a grid of square cells with its corner at `at`, one path a colour, their edges not smoothed.
    ///
    /// A box is `[column, row, width, height]`, counted in cells.
    pub fn mosaic<'a>(&mut self, at: (f64, f64), cell: f64, layers: impl IntoIterator<Item = (Rgb, &'a [[usize; 4]])>) {
        self.boxes(at, cell, layers, " shape-rendering=\"crispEdges\"", |_| String::new());
    }

    /// The same for cells that do not fall on whole pixels: each box reaches a little over its neighbours, so that no page
    /// shows through between them.
    pub fn seamless_mosaic<'a>(
        &mut self,
        at: (f64, f64),
        cell: f64,
        layers: impl IntoIterator<Item = (Rgb, &'a [[usize; 4]])>,
    ) {
        self.boxes(at, cell, layers, " stroke-width=\"0.12\"", |colour| format!(" stroke=\"{colour}\""));
    }

    fn boxes<'a>(
        &mut self,
        at: (f64, f64),
        cell: f64,
        layers: impl IntoIterator<Item = (Rgb, &'a [[usize; 4]])>,
        all: &str,
        each: impl Fn(Rgb) -> String,
    ) {
        let [x, y] = [at.0, at.1].map(Number);
        let scale = if cell == 1.0 { String::new() } else { format!(" scale({cell})") };
        self.put(format_args!("<g transform=\"translate({x} {y}){scale}\"{all}>\n"));
        for (colour, boxes) in layers.into_iter().filter(|layer| !layer.1.is_empty()) {
            self.put(format_args!("<path fill=\"{colour}\"{} d=\"", each(colour)));
            for [column, row, width, height] in boxes {
                self.put(format_args!("M{column} {row}h{width}v{height}h-{width}z"));
            }
            self.body.push_str("\"/>\n");
        }
        self.body.push_str("</g>\n");
    }

    /// A marker that covers about the area of a circle of the given radius.
    pub fn marker(&mut self, shape: MarkerShape, at: (f64, f64), radius: f64, style: Style) {
        let (x, y) = at;
        let corners = |offsets: &[(f64, f64)]| {
            let place = |&(dx, dy): &(f64, f64)| (x + radius * dx, y + radius * dy);
            offsets.iter().map(place).collect::<Vec<_>>()
        };
        match shape {
            MarkerShape::Circle => {
                let [x, y, r] = [x, y, radius].map(Number);
                self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{style}/>\n"));
            }
            MarkerShape::Square => {
                let side = 1.772 * radius;
                let rect = Rect { x: x - side / 2.0, y: y - side / 2.0, width: side, height: side };
                self.rect(rect, style);
            }
            MarkerShape::Triangle => {
                let path = corners(&[(0.0, -1.45), (1.26, 0.73), (-1.26, 0.73)]);
                self.path([&path[..]], true, style);
            }
            MarkerShape::Diamond => {
                let path = corners(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]);
                self.path([&path[..]], true, style);
            }
        }
    }

    /// One line of text; superscript and subscript digits are set as raised and lowered figures.
    pub fn text(&mut self, at: (f64, f64), text: &str, set: Type) {
        self.semibold |= set.bold;
        let [x, y, size] = [at.0, at.1, set.size].map(Number);
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if set.bold { " font-weight=\"600\"" } else { "" };
        self.put(format_args!("<text font-size=\"{size}\" fill=\"{}\"{anchor}{weight}", set.colour));
        if set.upwards {
            self.put(format_args!(" transform=\"translate({x} {y}) rotate(-90)\">"));
        } else {
            self.put(format_args!(" x=\"{x}\" y=\"{y}\">"));
        }
        self.runs(text, set.size);
        self.body.push_str("</text>\n");
    }

    fn runs(&mut self, text: &str, size: f64) {
        let mut level = 0;
        for run in text.chars().map(levelled).collect::<Vec<_>>().chunk_by(|a, b| a.1 == b.1) {
            let next = run.first().map_or(0, |&(_, level)| level);
            let words: String = run.iter().map(|&(character, _)| character).collect();
            let words = escaped(&words);
            if next == level {
                self.put(format_args!("{words}"));
                continue;
            }
            let rise = Number(0.3 * size * f64::from(level - next));
            let set = Number(if next == 0 { size } else { 0.72 * size });
            self.put(format_args!("<tspan dy=\"{rise}\" font-size=\"{set}\">{words}</tspan>"));
            level = next;
        }
    }

    /// What `draw` draws, with everything outside `rect` cut away.
    pub fn clipped(&mut self, rect: Rect, draw: impl FnOnce(&mut Self)) {
        // A nested viewport clips without an id, so several figures can share one page.
        let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(Number);
        self.put(format_args!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"{x} {y} {width} {height}\">\n"
        ));
        draw(self);
        self.body.push_str("</svg>\n");
    }

    /// The finished document on white; its title is its accessible name.
    ///
    /// `width` and `height` are those of the layout; on paper all of it is brought to the width that was asked for.
    pub fn finish<'a>(self, width: f64, height: f64, format: impl Into<Format<'a>>) -> Figure {
        let format: Format<'_> = format.into();
        let title = format.title;
        let (width, height) = (width.ceil(), height.ceil());
        let (size, unit) = match format.width {
            Some(paper) => ((paper, paper * height / width), "mm"),
            None => ((width, height), ""),
        };
        let [across, down] = [size.0, size.1].map(Number);
        let name = if title.is_empty() { String::new() } else { format!("<title>{}</title>\n", escaped(title)) };
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}{unit}\" height=\"{down}{unit}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" \
             font-family=\"'{family}', 'Noto Sans', Helvetica, Arial, sans-serif\">\n\
             {name}<style>{css}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{WHITE}\"/>\n{body}</svg>\n",
            family = font::FAMILY,
            css = font::css(self.semibold),
            body = self.body,
        );
        let pixels = if format.width.is_some() { PER_MILLIMETRE } else { 1.0 };
        Figure::new(svg, title, (size.0 * pixels, size.1 * pixels), format.width.is_some())
    }
}

/// The plain form of a raised or lowered character, and its level.
fn levelled(character: char) -> (char, i8) {
    let digit = |first: u32| {
        let value = u32::from(character).wrapping_sub(first);
        char::from_digit(value, 10).unwrap_or(character)
    };
    match character {
        '¹' => ('1', 1),
        '²' => ('2', 1),
        '³' => ('3', 1),
        '⁻' => ('\u{2212}', 1),
        '⁰' | '⁴'..='⁹' => (digit(0x2070), 1),
        '₀'..='₉' => (digit(0x2080), -1),
        _ => (character, 0),
    }
}

/// `text` fit for XML: markup escaped, and what XML forbids or would break a line turned to a space.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => safe.push(' '),
            _ if character.is_control() => safe.push(' '),
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_controls_are_escaped() {
        assert_eq!(escaped("<a b='c'>&\u{0}\u{1b}\n\""), "&lt;a b=&#39;c&#39;&gt;&amp;   &quot;");
    }

    #[test]
    fn raised_figures_return_to_the_baseline() {
        let mut canvas = Canvas::new();
        canvas.runs("10⁻⁶ m", 10.0);
        let expected =
            "10<tspan dy=\"-3\" font-size=\"7.2\">\u{2212}6</tspan><tspan dy=\"3\" font-size=\"10\"> m</tspan>";
        assert_eq!(canvas.body, expected);
    }
}
