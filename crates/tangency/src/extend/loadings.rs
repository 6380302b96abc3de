//! Which features move along each latent direction.

use crate::error::{Error, Result, finite};
use crate::fit::Fit;
use crate::inference::EngineKind;
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
    /// What these are.
    pub deviations: LoadingDeviations,
}

crate::choice! {
    /// What the standard deviations of loadings are.
    pub enum LoadingDeviations default Exact {
        /// Of one point, computed exactly.
        Exact = "exact",
        /// Of an average, from draws of all maps together.
        Sampled = "sampled",
        /// As if the maps of points were independent, as the factorised engine takes them: too small.
        Independent = "independent",
        /// The average of the points' own deviations, which that of an average cannot exceed: of models of early versions.
        Limit = "limit",
    }
}

/// The loadings at a point, or their average over several. Maps of neighbours vary together, so an average is known better than
/// one of them, but not as if they were independent.
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
    let own = |a: usize, i: usize| fit.map_covariances[(a * d_x + a, i)].max(0.0);
    let count = points.len() as f64;
    let (deviations, variance): (_, Box<dyn Fn(usize) -> f64>) = match &fit.map_draws {
        _ if fit.engine.kind == EngineKind::Factorised => {
            (LoadingDeviations::Independent, Box::new(|a| average(&|i| own(a, i)) / count))
        }
        _ if points.len() == 1 => (LoadingDeviations::Exact, Box::new(|a| own(a, points[0]))),
        Some(draws) => {
            let of_draw = |a: usize, draw: usize| average(&|i| draws[(i * d_x + a, draw)]).powi(2);
            let of_axis = move |a| (0..draws.ncols()).map(|draw| of_draw(a, draw)).sum::<f64>() / draws.ncols() as f64;
            (LoadingDeviations::Sampled, Box::new(of_axis))
        }
        None => (LoadingDeviations::Limit, Box::new(|a| average(&|i| own(a, i).sqrt()).powi(2))),
    };
    let deviation: Vec<f64> = (0..d_x).map(|a| variance(a).sqrt()).collect();
    let found = Loadings {
        mean: Matrix::from_fn(d_y, d_x, |f, a| scale[f] * average(&|i| fit.maps[(f, i * d_x + a)])),
        deviation: Matrix::from_fn(d_y, d_x, |f, a| scale[f] * deviation[a]),
        deviations,
    };
    let all = |matrix: &Matrix| (0..d_x).flat_map(|a| matrix.col_as_slice(a).to_vec()).collect::<Vec<f64>>();
    finite("loadings", all(&found.mean).into_iter().chain(all(&found.deviation)))?;
    Ok(found)
}
