//! A finished figure: its SVG text, and the PNG rendered from that text.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use thiserror::Error;

use crate::font;

/// The longest side of a PNG, in pixels.
const LONGEST_SIDE: f64 = 16_384.0;

/// Why a figure could not be drawn or rendered.
#[derive(Debug, Error)]
pub enum FigureError {
    /// The data holds no finite value to place.
    #[error("there is nothing to draw: {0}")]
    NothingToDraw(&'static str),
    /// Two inputs that describe the same points differ in length.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// The input, and what was counted in it.
        what: &'static str,
        /// The count that the other inputs imply.
        expected: usize,
        /// The count found.
        found: usize,
    },
    /// An edge names a point that does not exist.
    #[error("the edge ({from}, {to}) leaves the {points} points")]
    Edge {
        /// The edge's first end.
        from: usize,
        /// The edge's second end.
        to: usize,
        /// The number of points.
        points: usize,
    },
    /// The scale of a PNG is not a positive number, or makes the picture too large.
    #[error("a PNG cannot be rendered at scale {0}")]
    Scale(f64),
    /// The renderer refused the figure.
    #[error("the figure could not be rendered: {0}")]
    Render(String),
}

/// A finished figure, self-contained: its SVG refers to nothing outside itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    svg: String,
    width: f64,
    height: f64,
}

impl Figure {
    pub(crate) fn new(svg: String, width: f64, height: f64) -> Self {
        Self { svg, width, height }
    }

    /// The figure as an SVG document with its fonts embedded.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The figure's width and height in CSS pixels, which a PNG at scale 1 has too.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// The figure as a PNG with `scale` pixels to each CSS pixel; 2 suits screens, 3 or more suits print.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        let width = (self.width * scale).round();
        let height = (self.height * scale).round();
        if !(width >= 1.0 && height >= 1.0 && width.max(height) <= LONGEST_SIDE) {
            return Err(FigureError::Scale(scale));
        }
        let options = Options { font_family: font::FAMILY.to_owned(), fontdb: fonts(), ..Options::default() };
        let tree = Tree::from_str(&self.svg, &options).map_err(|error| FigureError::Render(error.to_string()))?;
        let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(FigureError::Scale(scale))?;
        let zoom = Transform::from_scale((width / self.width) as f32, (height / self.height) as f32);
        resvg::render(&tree, zoom, &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| FigureError::Render(error.to_string()))
    }
}

fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut database = fontdb::Database::new();
        database.load_font_data(font::REGULAR.to_vec());
        database.load_font_data(font::SEMIBOLD.to_vec());
        database.set_sans_serif_family(font::FAMILY);
        Arc::new(database)
    };
    Arc::clone(FONTS.get_or_init(load))
}
