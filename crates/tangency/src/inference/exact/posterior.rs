//! q(x) and q(C) in full. Components are outer and points inner: entry a·n + i belongs to component a of point i.

use crate::linalg::{Matrix, scale};

/// q(x): Gaussian coordinates.
///
/// A common shift of all points is seen by no data: there q(x) is the prior, variance 1/α per component and 1/(nα) in
/// each entry. That direction is kept out of the stored covariance (there it has the fixed precision `pin`), which keeps
/// the matrix well-conditioned for any α.
#[derive(Clone)]
pub struct Coordinates {
    /// Mean μ_x, a component a column. [n, d_x]
    pub mean: Matrix,
    /// Lower triangle of Σ_x / `scale`, with precision `pin` for common shifts. [n·d_x, n·d_x]
    pub covariance: Matrix,
    /// Factor of `covariance`: a rescaling of x changes this number instead of the matrix.
    pub scale: f64,
    /// Precision of a common shift in `covariance`.
    pub pin: f64,
    /// Precision of a common shift in q(x): α at the last update.
    pub shift_precision: f64,
    /// log|Σ_x| without common shifts.
    pub log_det: f64,
}

impl Coordinates {
    /// Number of points.
    pub fn n(&self) -> usize {
        self.mean.nrows()
    }

    /// x → t·x, common shifts apart.
    pub fn rescale(&mut self, t: f64) {
        scale(&mut self.mean, t);
        self.scale *= t * t;
        self.log_det += 2.0 * ((self.n() - 1) * self.mean.ncols()) as f64 * t.ln();
    }

    /// Covariance of the coordinates about their centroid, between component a of point i and component b of point j.
    pub fn centered_covariance(&self, a: usize, i: usize, b: usize, j: usize) -> f64 {
        let n = self.n();
        let (row, column) = (a * n + i, b * n + j);
        let shift = if a == b { 1.0 / (n as f64 * self.pin) } else { 0.0 };
        self.scale * (self.covariance[(row.max(column), row.min(column))] - shift)
    }
}

/// q(C): matrix-normal local maps with independent rows.
#[derive(Clone)]
pub struct Maps {
    /// Mean μ_C; column a·n + i is column a of C_i. [d_y, n·d_x]
    pub mean: Matrix,
    /// Lower triangle of the column covariance Σ_C / `scale`. [n·d_x, n·d_x]
    pub covariance: Matrix,
    /// Factor of `covariance`: a rescaling of C changes this number instead of the matrix.
    pub scale: f64,
    /// log|Σ_C|.
    pub log_det: f64,
}

impl Maps {
    /// C → t·C.
    pub fn rescale(&mut self, t: f64) {
        scale(&mut self.mean, t);
        self.scale *= t * t;
        self.log_det += 2.0 * self.covariance.nrows() as f64 * t.ln();
    }

    /// Column covariance between component a of point i and component b of point j.
    pub fn covariance_of(&self, n: usize, a: usize, i: usize, b: usize, j: usize) -> f64 {
        let (row, column) = (a * n + i, b * n + j);
        self.scale * self.covariance[(row.max(column), row.min(column))]
    }
}

/// q(x) and q(C).
#[derive(Clone)]
pub struct Beliefs {
    /// q(x).
    pub coordinates: Coordinates,
    /// q(C).
    pub maps: Maps,
    /// The lower triangle of the maps' covariance while the beliefs are parked.
    pub(super) parked: Vec<f64>,
}

impl Beliefs {
    /// These.
    pub fn of(coordinates: Coordinates, maps: Maps) -> Self {
        Self { coordinates, maps, parked: Vec::new() }
    }
}
