//! Figures of manifold-learning results, drawn from plain numbers as SVG and rendered to PNG without system fonts; and the
//! report, one HTML page of a whole model.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod axes;
mod bars;
mod canvas;
mod colour;
pub mod command;
pub mod comparison;
mod curves;
mod ellipse;
mod embedding;
mod figure;
mod font;
mod format;
mod graph;
mod header;
mod history;
mod key;
mod lattice;
mod multiples;
pub mod page;
mod panel;
mod plane;
mod projection;
mod roll;
mod scatter;
mod space;
mod strip;
mod style;
mod tangents;
mod tiles;
mod unrolled;

pub use bars::{Bar, BarGroup, bars};
pub use colour::Colour;
pub use curves::{Point, Series, curves};
pub use ellipse::PointUncertainty;
pub use embedding::embedding;
pub use figure::{Figure, FigureError};
pub use format::Format;
pub use graph::{Edge, graph};
pub use history::{Track, history};
pub use lattice::{CellShape, Lattice, LatticeCell, lattice};
pub use multiples::{Multiple, multiples};
pub use roll::{RollCaptions, roll_and_embedding};
pub use tangents::{Tangents, tangents};
pub use tiles::{Tile, TileShape, tiles};
pub use unrolled::unrolled;

#[cfg(test)]
mod tests;
