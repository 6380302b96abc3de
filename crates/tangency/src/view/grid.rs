//! What is expected on a grid over the coordinates.
//!
//! The grid goes from the least to the greatest value of each coordinate, both ends included; a coordinate with one step is
//! held at the middle of its range. A place is known well within a typical edge of a training point, badly within two.

use super::axis_names;
use crate::error::Result;
use crate::extend::{Extension, Predicts, Reconstruction};
use crate::linalg::Matrix;
use serde::Serialize;
use std::ops::Range;

/// How well a place between the points is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// A training point is within a typical edge.
    Well,
    /// One is within two.
    Badly,
    /// None is.
    Not,
}

impl Known {
    /// Within so many typical edges of a training point a place is known well, and badly.
    pub const WITHIN: [f64; 2] = [1.0, 2.0];

    /// How well a place at this distance from the nearest training point is known.
    pub fn at(distance: f64, typical_step: f64) -> Self {
        let [well, badly] = Self::WITHIN;
        match distance / typical_step {
            steps if steps <= well => Self::Well,
            steps if steps <= badly => Self::Badly,
            _ => Self::Not,
        }
    }
}

/// The places of a grid; what is expected there is read a part at a time.
pub struct GridPlaces<'e> {
    extension: &'e Extension,
    /// Names of the coordinates.
    pub axes: Vec<String>,
    /// Steps along each coordinate.
    pub sizes: Vec<usize>,
    /// The places, the first coordinate running fastest. `[m, d_x]`
    pub places: Matrix,
    /// The mean length of an edge in the coordinates.
    pub typical_step: f64,
}

/// A part of a grid: what is expected there, and how well that is known.
pub struct GridView {
    /// The places. `[m, d_x]`
    pub places: Matrix,
    /// What is expected there. `[m, d_y]`
    pub expected: Reconstruction,
    /// Distance to the nearest training point. `[m]`
    pub nearest: Vec<f64>,
    /// What that means. `[m]`
    pub known: Vec<Known>,
}

impl<'e> GridPlaces<'e> {
    /// A grid of these many steps along each coordinate.
    pub fn new(extension: &'e Extension, sizes: &[usize]) -> Result<Self> {
        Ok(Self {
            extension,
            axes: axis_names(sizes.len()),
            sizes: sizes.to_vec(),
            places: extension.grid(sizes)?,
            typical_step: extension.typical_step(),
        })
    }

    /// Number of places.
    pub fn count(&self) -> usize {
        self.places.nrows()
    }

    /// The values of coordinate `a` along the grid.
    pub fn ticks(&self, a: usize) -> Vec<f64> {
        let before: usize = self.sizes[..a].iter().product();
        (0..self.sizes[a]).map(|step| self.places[(step * before, a)]).collect()
    }

    /// What is expected at some of the places.
    pub fn read(&self, part: Range<usize>, predicts: Predicts) -> Result<GridView> {
        let places = Matrix::from_fn(part.len(), self.sizes.len(), |i, a| self.places[(part.start + i, a)]);
        let nearest = self.extension.distance_to_nearest(&places);
        Ok(GridView {
            expected: self.extension.reconstruct(&places, predicts)?,
            known: nearest.iter().map(|&distance| Known::at(distance, self.typical_step)).collect(),
            nearest,
            places,
        })
    }

    /// What is expected at all of them.
    pub fn read_all(&self, predicts: Predicts) -> Result<GridView> {
        self.read(0..self.count(), predicts)
    }
}
