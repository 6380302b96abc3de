//! Figures as files.

use std::path::Path;
use tangency::io::Output;
use tangency::message::{Piece, Remedy, file};
use tangency::{Error, Result, message};
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
            _ => {
                let problem =
                    message![Piece::Setting(field), " is ", file(path), ", whose ending is not that of a figure"];
                Err(Error::unfit(field, problem, [Remedy::act("give a name that ends in .svg, .png or .pdf")]))
            }
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
    let remedies = match error {
        FigureError::Scale(_) => vec![Remedy::Lower("scale"), Remedy::Lower("width")],
        _ => vec![],
    };
    Error::file(path, format!("cannot be drawn: {error}"), remedies)
}
