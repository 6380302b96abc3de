//! A synthetic roll beside the fit of it.

use crate::figure::{Figure, FigureError};
use crate::roll::{RollCaptions, roll_and_embedding};
use tangency::Fit;
use tangency::generate::Synthetic;

/// Draws a roll and what was found of it, with ellipses of two standard deviations; `found` stands above the latter.
pub fn unrolled(fit: &Fit, roll: &Synthetic, found: &str) -> Result<Figure, FigureError> {
    let n = fit.n();
    let points: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|c| roll.points[(i, c)])).collect();
    let coordinates: Vec<[f64; 2]> = (0..n).map(|i| [0, 1].map(|a| fit.coordinates[(i, a)])).collect();
    let covariances: Vec<[[f64; 2]; 2]> =
        (0..n).map(|i| [0, 1].map(|a| [0, 1].map(|b| fit.coordinate_covariances[(a * 2 + b, i)]))).collect();
    let edges: Vec<(usize, usize)> = fit.graph.edges().iter().map(|&(i, j)| (i as usize, j as usize)).collect();
    let captions = RollCaptions {
        title: "A Swiss roll and its coordinates",
        space: "What was measured",
        embedding: found,
        space_axes: ["y₁", "y₂", "y₃"],
        embedding_axes: ["x₁", "x₂"],
    };
    roll_and_embedding(&points, &coordinates, &covariances, roll.truth.col_as_slice(0), "arc length", &edges, captions)
}
