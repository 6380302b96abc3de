//! Which features move along each latent direction.

use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::linalg::Matrix;
use crate::message;
use crate::message::{Piece, Remedy};

/// Change of each feature per unit of each coordinate, in the units of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Loadings {
    /// Means. `[d_y, d_x]`
    pub mean: Matrix,
    /// Standard deviations. `[d_y, d_x]`
    pub deviation: Matrix,
}

/// The loadings at a point, or their average over several. How the maps of different points vary together is not kept,
/// so the deviation of an average is the average of the deviations, which it cannot exceed.
pub fn loadings(fit: &Fit, points: &[usize]) -> Result<Loadings> {
    let (d_x, d_y) = (fit.coordinates.ncols(), fit.observations.ncols());
    if points.is_empty() || points.iter().any(|&i| i >= fit.n()) {
        let problem = match points.iter().find(|&&i| i >= fit.n()) {
            Some(i) => message![format!("there is no point {i} in the model")],
            None => message![Piece::Setting("points"), " is empty"],
        };
        let remedy = Remedy::act(format!("give one or more points from 0 to {}", fit.n() - 1));
        return Err(Error::Setting { name: "points", problem, remedies: vec![remedy] });
    }
    let average = |entry: &dyn Fn(usize) -> f64| points.iter().map(|&i| entry(i)).sum::<f64>() / points.len() as f64;
    let scale = &fit.scaling.scale;
    let deviation: Vec<f64> =
        (0..d_x).map(|a| average(&|i| fit.map_covariances[(a * d_x + a, i)].max(0.0).sqrt())).collect();
    Ok(Loadings {
        mean: Matrix::from_fn(d_y, d_x, |f, a| scale[f] * average(&|i| fit.maps[(f, i * d_x + a)])),
        deviation: Matrix::from_fn(d_y, d_x, |f, a| scale[f] * deviation[a]),
    })
}
