//! Figures of manifold-learning results, drawn from plain numbers as SVG and rendered to PNG without system fonts.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod axes;
mod canvas;
mod colour;
mod curves;
mod ellipse;
mod embedding;
mod figure;
mod font;
mod header;
mod key;
mod panel;
mod projection;
mod roll;
mod scatter;
mod strip;
mod style;
mod tiles;

pub use colour::Colour;
pub use curves::{Point, Series, curves};
pub use ellipse::Uncertainty;
pub use embedding::embedding;
pub use figure::{Figure, FigureError};
pub use roll::{RollCaptions, roll_and_embedding};
pub use tiles::{Tile, TileShape, tiles};

#[cfg(test)]
mod tests;
