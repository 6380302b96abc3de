//! How points of a fit vary together: distances with intervals, and draws of all coordinates.

use super::Fit;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, lower_factor, product, symmetric_eigen};
use crate::message;
use crate::message::{Piece, Remedy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// A distance between two points with its credible interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceInterval {
    /// Distance of the means.
    pub of_means: f64,
    /// Lower end.
    pub lower: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub upper: f64,
}

impl Fit {
    /// The distance between two points and its credible interval of this level, from seeded draws of their difference.
    pub fn distance_interval(&self, i: usize, j: usize, level: f64) -> Result<DistanceInterval> {
        let d_x = self.coordinates.ncols();
        let covariance = self.need_full()?;
        if i.max(j) >= self.n() || !(level > 0.0 && level < 1.0) {
            return Err(if i.max(j) >= self.n() {
                let problem = format!("there is no point {} in the model", i.max(j)).into();
                let remedies = vec![Remedy::act(format!("give two points from 0 to {}", self.n() - 1))];
                Error::Setting { name: "distance", problem, remedies }
            } else {
                Error::not_allowed("level", level, "use a number between 0 and 1")
            });
        }
        let mean: Vec<f64> = (0..d_x).map(|a| self.coordinates[(j, a)] - self.coordinates[(i, a)]).collect();
        let of_means = mean.iter().map(|v| v * v).sum::<f64>().sqrt();
        let between = |p: usize, q: usize, a: usize, b: usize| covariance[(p * d_x + a, q * d_x + b)];
        let spread = Matrix::from_fn(d_x, d_x, |a, b| {
            between(i, i, a, b) + between(j, j, a, b) - between(i, j, a, b) - between(j, i, a, b)
        });
        let (values, vectors) = symmetric_eigen(&spread, "covariance of a difference")?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.config.random_state);
        let mut draws: Vec<f64> = (0..20_001)
            .map(|_| {
                let steps: Vec<f64> =
                    values.iter().map(|v| v.max(0.0).sqrt() * rng.sample::<f64, _>(StandardNormal)).collect();
                let along = |a: usize| mean[a] + (0..d_x).map(|c| vectors[(a, c)] * steps[c]).sum::<f64>();
                (0..d_x).map(|a| along(a).powi(2)).sum::<f64>().sqrt()
            })
            .collect();
        draws.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| draws[(share * (draws.len() - 1) as f64).round() as usize];
        let tail = 0.5 * (1.0 - level);
        Ok(DistanceInterval { of_means, lower: quantile(tail), median: quantile(0.5), upper: quantile(1.0 - tail) })
    }

    /// Draws of all coordinates from q(x), about their centroid. Each is n × d_x.
    pub fn sample_coordinates(&self, count: usize, seed: u64) -> Result<Vec<Matrix>> {
        let (n, d_x) = (self.n(), self.coordinates.ncols());
        let covariance = self.need_full()?;
        // A common shift of each component makes the singular covariance regular; the centroid takes it out again.
        let room = (0..n * d_x).map(|p| covariance[(p, p)]).sum::<f64>() / (n * d_x) as f64;
        let regular =
            Matrix::from_fn(n * d_x, n * d_x, |p, q| covariance[(p, q)] + if p % d_x == q % d_x { room } else { 0.0 });
        let factor = lower_factor(&regular, "covariance of the coordinates")?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Ok((0..count)
            .map(|_| {
                let white = Matrix::from_fn(n * d_x, 1, |_, _| rng.sample(StandardNormal));
                let drawn = product(&factor, &white);
                let shift: Vec<f64> =
                    (0..d_x).map(|a| (0..n).map(|i| drawn[(i * d_x + a, 0)]).sum::<f64>() / n as f64).collect();
                Matrix::from_fn(n, d_x, |i, a| self.coordinates[(i, a)] + drawn[(i * d_x + a, 0)] - shift[a])
            })
            .collect())
    }

    fn need_full(&self) -> Result<&Matrix> {
        self.full_covariance.as_ref().ok_or_else(|| Error::Setting {
            name: "full_covariance",
            problem: message![
                "distances and samples need how points vary together, but the model was fitted without ",
                Piece::Setting("full_covariance")
            ],
            remedies: vec![Remedy::Do(message![
                "fit the model again with ",
                Piece::Assignment("full_covariance", "true".into())
            ])],
        })
    }
}
