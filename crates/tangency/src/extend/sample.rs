//! New samples drawn from the fitted model.

use super::{Extension, Predicts};
use crate::error::{Result, finite};
use crate::linalg::Matrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Draws of coordinates and of what would be measured there.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The training point next to which each was drawn. `[m]`
    pub beside: Vec<u32>,
    /// Coordinates. `[m, d_x]`
    pub coordinates: Matrix,
    /// Observations in the units of the table. `[m, d_y]`
    pub values: Matrix,
}

impl Extension {
    /// Draws samples `first..first + count` of the stream that a seed stands for. Each is a new point beside a random
    /// training point: its coordinates from their prior given the neighbours, its observation from the predictive
    /// distribution there.
    pub fn sample(&self, first: usize, count: usize, seed: u64) -> Result<Samples> {
        let (n, d_x, d_y) = (self.frozen.coordinates.ncols(), self.frozen.d_x(), self.frozen.d_y());
        let Self { frozen, scaling, .. } = self;
        let factor = self.spread();
        let mut beside = Vec::with_capacity(count);
        let (mut coordinates, mut values) = (Matrix::zeros(count, d_x), Matrix::zeros(count, d_y));
        for s in 0..count {
            // a stream of its own for each sample, so that blocks do not matter
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream((first + s) as u64);
            let normal = |rng: &mut ChaCha8Rng| rng.sample::<f64, _>(StandardNormal);
            let i = rng.random_range(0..n);
            let at = |x: &[f64]| {
                let query = Matrix::from_fn(d_x, 1, |a, _| x[a]);
                self.latent_index.nearest(&query, self.n_neighbors).remove(0)
            };
            let around = at(frozen.coordinates.col_as_slice(i));
            let k = around.len() as f64;
            let precision = frozen.hyper.alpha + 2.0 * k;
            let x: Vec<f64> = (0..d_x)
                .map(|a| {
                    let sum: f64 = around.iter().map(|&j| frozen.coordinates[(a, j as usize)]).sum();
                    2.0 * sum / precision + normal(&mut rng) / precision.sqrt()
                })
                .collect();
            let expected = self.expect(&x, &at(&x), Predicts::Measurement);
            beside.push(i as u32);
            x.iter().enumerate().for_each(|(a, &value)| coordinates[(s, a)] = value);
            for f in 0..d_y {
                let scaled = expected.values[f] + factor * expected.variances[f].sqrt() * normal(&mut rng);
                values[(s, f)] = scaling.center[f] + scaling.scale[f] * scaled;
            }
        }
        let columns =
            |matrix: &Matrix| (0..matrix.ncols()).flat_map(|c| matrix.col_as_slice(c).to_vec()).collect::<Vec<_>>();
        finite("samples", columns(&coordinates).into_iter().chain(columns(&values)))?;
        Ok(Samples { beside, coordinates, values })
    }
}
