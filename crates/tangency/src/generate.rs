//! Synthetic manifolds with known coordinates.

use crate::graph::{Symmetry, neighbor_graph};
use crate::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::f64::consts::PI;

crate::choice! {
    /// A manifold to draw from.
    pub enum Shape {
        /// The Swiss roll of the paper's authors; truth: arc length and height.
        SwissRoll = "swiss-roll",
        /// An S-shaped sheet; truth: arc length and width.
        SCurve = "s-curve",
        /// A sphere with a cap cut off, denser towards the hole; truth: stereographic coordinates.
        PuncturedSphere = "punctured-sphere",
        /// A square sheet with two hills and two valleys; truth: the square.
        TwinPeaks = "twin-peaks",
        /// Three turns of an open helix; truth: arc length.
        Helix = "helix",
    }
}

/// Points with the coordinates that made them.
pub struct Synthetic {
    /// Observed points. [n, 3]
    pub points: Matrix,
    /// True coordinates. [n, d_x]
    pub truth: Matrix,
}

/// Pairs of points.
pub type Edges = Vec<(u32, u32)>;

impl Synthetic {
    /// The edges of the `k` nearest neighbours: those on the sheet, and the short-circuits, whose ends are more than three
    /// times as far apart on the sheet as in space.
    pub fn neighbor_edges(&self, k: usize) -> (Edges, Edges) {
        let apart = |table: &Matrix, (i, j): (u32, u32)| {
            (0..table.ncols()).map(|c| (table[(i as usize, c)] - table[(j as usize, c)]).powi(2)).sum::<f64>().sqrt()
        };
        let graph = neighbor_graph(&self.points.transpose().to_owned(), k, Symmetry::Or);
        graph.edges().iter().partition(|&&edge| apart(&self.truth, edge) <= 3.0 * apart(&self.points, edge))
    }
}

/// Draws `n` points of a shape with Gaussian noise of this standard deviation on every observed coordinate.
pub fn generate(shape: Shape, n: usize, noise: f64, seed: u64) -> Synthetic {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut points = Matrix::zeros(n, 3);
    let mut truth = Matrix::zeros(n, if shape == Shape::Helix { 1 } else { 2 });
    for i in 0..n {
        let (u, v): (f64, f64) = (rng.random(), rng.random());
        let (point, coordinates) = match shape {
            Shape::SwissRoll => {
                let (t, h) = (1.25 * PI * (1.0 + 2.0 * u), 10.0 * v);
                let arc = 0.175 * (t * (1.0 + t * t).sqrt() + t.asinh());
                ([0.35 * t * t.cos(), h, 0.35 * t * t.sin()], [arc, h])
            }
            Shape::SCurve => {
                let (t, w) = (3.0 * PI * (u - 0.5), 2.0 * v);
                ([t.sin(), w, t.signum() * (t.cos() - 1.0)], [t, w])
            }
            Shape::PuncturedSphere => {
                let (r, angle) = (2.0 * u.sqrt(), 2.0 * PI * v);
                let (p, q) = (r * angle.cos(), r * angle.sin());
                let s = 1.0 + r * r;
                ([2.0 * p / s, 2.0 * q / s, (r * r - 1.0) / s], [p, q])
            }
            Shape::TwinPeaks => {
                let (p, q) = (2.0 * u - 1.0, 2.0 * v - 1.0);
                ([p, q, 0.5 * (PI * p).sin() * (PI * q).sin()], [p, q])
            }
            Shape::Helix => {
                // evenly spread with a little jitter: an independent draw leaves gaps that cut the curve
                let t = 6.0 * PI * (i as f64 + 0.8 * u) / n as f64;
                ([t.cos(), t.sin(), 0.3 * t], [1.09f64.sqrt() * t, 0.0])
            }
        };
        for (c, value) in point.into_iter().enumerate() {
            let error: f64 = rng.sample(StandardNormal);
            points[(i, c)] = value + noise * error;
        }
        for c in 0..truth.ncols() {
            truth[(i, c)] = coordinates[c];
        }
    }
    Synthetic { points, truth }
}
