//! Figures as files.

use std::path::Path;
use tangency::io::Output;
use tangency::{Error, Result};
use tangency_report::{Figure, FigureError};

/// Pixels of a PNG to each CSS pixel: 288 an inch.
pub const SCALE: f64 = 3.0;

/// What a figure is written as.
#[derive(Clone, Copy, PartialEq)]
pub enum FileKind {
    Svg,
    Png,
    Pdf,
}

impl FileKind {
    /// By the end of the name; `field` is the flag that gave it.
    pub fn of(path: &Path, field: &'static str) -> Result<Self> {
        match path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            "pdf" => Ok(Self::Pdf),
            _ => Err(Error::InvalidConfig {
                field,
                requirement: format!("a file that ends in .svg, .png or .pdf, not {}", path.display()),
            }),
        }
    }

    /// The bytes of the file.
    pub fn bytes(self, figure: &Figure, scale: f64) -> std::result::Result<Vec<u8>, FigureError> {
        Ok(match self {
            Self::Svg => figure.svg().as_bytes().to_vec(),
            Self::Png => figure.png(scale)?,
            Self::Pdf => figure.pdf()?,
        })
    }

    /// Writes the file.
    pub fn write(self, out: &Output, figure: &Figure) -> Result<()> {
        let bytes = self.bytes(figure, SCALE).map_err(|error| cannot_be_drawn(out.path(), &error))?;
        out.write(|file| file.write_all(&bytes))
    }
}

/// What is said of a figure that has no picture.
pub fn cannot_be_drawn(path: &Path, error: &FigureError) -> Error {
    Error::File { path: path.to_owned(), reason: format!("cannot be drawn: {error}") }
}
