//! Where the points are, and how sure that is.

use super::axis_names;
use crate::fit::Fit;
use serde::Serialize;

/// The points of a fit in its coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapView {
    /// Names of the coordinates.
    pub axes: Vec<String>,
    /// Mean coordinates. `[n][d_x]`
    pub coordinates: Vec<Vec<f64>>,
    /// Covariance of each point's coordinates, row by row. `[n][d_x·d_x]`
    pub covariances: Vec<Vec<f64>>,
    /// Standard deviations of the coordinates. `[n][d_x]`
    pub deviations: Vec<Vec<f64>>,
    /// One number per point: root mean square of its deviations. `[n]`
    pub uncertainty: Vec<f64>,
}

/// The ellipse of one standard deviation. Figures draw it [`REACH`](super::REACH) times as large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EllipseView {
    /// The longer half axis.
    pub major: f64,
    /// The shorter one.
    pub minor: f64,
    /// Direction of the longer one, in degrees from the first axis towards the second.
    pub degrees: f64,
}

impl MapView {
    /// The map of a fit.
    pub fn new(fit: &Fit) -> Self {
        let (n, d_x) = (fit.n(), fit.coordinates.ncols());
        let deviations = fit.standard_deviations();
        let uncertainty = |i: usize| {
            let total: f64 = (0..d_x).map(|a| fit.coordinate_covariances[(a * d_x + a, i)]).sum();
            (total.max(0.0) / d_x as f64).sqrt()
        };
        Self {
            axes: axis_names(d_x),
            coordinates: (0..n).map(|i| (0..d_x).map(|a| fit.coordinates[(i, a)]).collect()).collect(),
            covariances: (0..n).map(|i| fit.coordinate_covariances.col_as_slice(i).to_vec()).collect(),
            deviations: (0..n).map(|i| (0..d_x).map(|a| deviations[(i, a)]).collect()).collect(),
            uncertainty: (0..n).map(uncertainty).collect(),
        }
    }

    /// The ellipse of each point in the plane of two coordinates; none where the covariance is not one.
    pub fn ellipses(&self, a: usize, b: usize) -> Vec<Option<EllipseView>> {
        let d_x = self.axes.len();
        let of = |c: &Vec<f64>| EllipseView::of([[c[a * d_x + a], c[a * d_x + b]], [c[b * d_x + a], c[b * d_x + b]]]);
        self.covariances.iter().map(of).collect()
    }
}

impl EllipseView {
    /// The ellipse of a covariance, if that is finite and not indefinite.
    pub fn of(covariance: [[f64; 2]; 2]) -> Option<Self> {
        let [[across, upper], [lower, along]] = covariance;
        let both = 0.5 * (upper + lower);
        let mean = 0.5 * (across + along);
        let apart = (0.5 * (across - along)).hypot(both);
        let (most, least) = (mean + apart, mean - apart);
        // written so that NaN fails too; rounding may leave the smaller variance a little below zero
        if !(most.is_finite() && most > 0.0 && least >= -1e-6 * most) {
            return None;
        }
        let degrees = 0.5 * (2.0 * both).atan2(across - along).to_degrees();
        Some(Self { major: most.max(0.0).sqrt(), minor: least.max(0.0).sqrt(), degrees })
    }
}
