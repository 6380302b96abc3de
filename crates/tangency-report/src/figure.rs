//! A finished figure: its SVG text, and the PNG and the PDF made of that text.

use std::sync::{Arc, OnceLock};

use krilla::geom::Size;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use krilla::{Document, SerializeSettings};
use krilla_svg::{SurfaceExt, SvgSettings};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use thiserror::Error;

use crate::font;
use crate::format::PER_MILLIMETRE;

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
    title: String,
    width: f64,
    height: f64,
    /// Its width on paper is meant, and not only one that suits a screen.
    printed: bool,
}

impl Figure {
    /// A figure of this size in CSS pixels.
    pub(crate) fn new(svg: String, title: &str, (width, height): (f64, f64), printed: bool) -> Self {
        Self { svg, title: title.to_owned(), width, height, printed }
    }

    /// The figure as an SVG document with its fonts embedded.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The figure's width and height in CSS pixels, which a PNG at scale 1 has too, rounded.
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
        let tree = self.tree()?;
        let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(FigureError::Scale(scale))?;
        let zoom = Transform::from_scale(width as f32 / tree.size().width(), height as f32 / tree.size().height());
        resvg::render(&tree, zoom, &mut pixels.as_mut());
        let mut png = pixels.encode_png().map_err(|error| FigureError::Render(error.to_string()))?;
        if self.printed {
            let per_metre = (scale * 1000.0 * PER_MILLIMETRE).round() as u32;
            png.splice(HEADER_ENDS..HEADER_ENDS, density_chunk(per_metre));
        }
        Ok(png)
    }

    /// The figure as a PDF of one page, with text as text and the letters that it needs of the typeface.
    pub fn pdf(&self) -> Result<Vec<u8>, FigureError> {
        let failed = |reason: String| FigureError::Render(reason);
        let (width, height) = (POINTS * self.width, POINTS * self.height);
        let page = PageSettings::from_wh(width as f32, height as f32);
        let size = Size::from_wh(width as f32, height as f32);
        let (Some(page), Some(size)) = (page, size) else {
            return Err(failed(format!("a page cannot be {width} by {height} points")));
        };
        let tree = self.tree()?;
        // No date and no identifier by chance: the same figure has the same bytes.
        let mut document =
            Document::new_with(SerializeSettings { xmp_metadata: false, ..SerializeSettings::default() });
        let mut about = Metadata::new().creator("tangency".to_owned());
        if !self.title.is_empty() {
            about = about.title(self.title.clone());
        }
        document.set_metadata(about);
        let mut page = document.start_page_with(page);
        let mut surface = page.surface();
        let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
        surface.finish();
        page.finish();
        drawn.ok_or_else(|| failed("its page stayed empty".to_owned()))?;
        document.finish().map_err(|error| failed(format!("{error:?}")))
    }

    fn tree(&self) -> Result<Tree, FigureError> {
        let options = Options { font_family: font::FAMILY.to_owned(), fontdb: fonts(), ..Options::default() };
        Tree::from_str(&self.svg, &options).map_err(|error| FigureError::Render(error.to_string()))
    }
}

/// Points to a CSS pixel.
const POINTS: f64 = 0.75;
/// Where the first chunk of a PNG ends, which every PNG begins with.
const HEADER_ENDS: usize = 33;

/// The chunk of a PNG with how large its pixels are.
fn density_chunk(per_metre: u32) -> Vec<u8> {
    let mut chunk = vec![0, 0, 0, 9];
    chunk.extend(b"pHYs");
    chunk.extend(per_metre.to_be_bytes());
    chunk.extend(per_metre.to_be_bytes());
    chunk.push(1); // per metre
    let check = crc(&chunk[4..]);
    chunk.extend(check.to_be_bytes());
    chunk
}

/// The check sum of a chunk.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { 0xEDB8_8320 ^ (sum >> 1) } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_sums_are_those_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc(b"IEND"), 0xAE42_6082);
    }
}
