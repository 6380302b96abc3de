//! How much memory a fit needs, and the refusal of one that would not fit, before it starts.

use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::inference::{EngineKind, exact, factorised};

/// What decides how many bytes a fit needs beside its number of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub engine: EngineKind,
    pub n_components: usize,
    pub n_features: usize,
    /// Whether maps have means along some principal axes only.
    few_axes: bool,
    n_neighbors: usize,
    /// Whether a run waits while others are tried.
    parked: bool,
    full_covariance: bool,
    graph_likelihood: bool,
    /// Matrices of the size of a covariance that are held beside the fit.
    pub beside: u64,
}

impl Demand {
    pub fn new(engine: EngineKind, n_features: usize, config: &Config) -> Self {
        let n_components = config.n_components;
        Self {
            engine,
            n_components,
            n_features,
            few_axes: config.pca.is_some(),
            n_neighbors: config.n_neighbors,
            parked: config.init == Init::Auto,
            full_covariance: config.full_covariance,
            graph_likelihood: config.graph_likelihood,
            beside: 0,
        }
    }

    /// Bytes for so many points.
    pub fn bytes(&self, n: usize) -> u64 {
        let d_x = self.n_components;
        // axes along which maps have means: with some to be found, the fewest there can be
        let rows = if self.few_axes { d_x } else { self.n_features.min(n) };
        // of more features than points: the table, its axes, and maps in features beside those along the axes
        let of_table = (n as u64).saturating_mul(self.n_features as u64).saturating_mul(8 * (4 + 2 * d_x as u64));
        let turned = of_table * u64::from(self.n_features > n);
        if self.engine == EngineKind::Factorised {
            return factorised::memory_needed(n, d_x, rows, self.n_features, self.n_neighbors).saturating_add(turned);
        }
        let size = (n as u64).saturating_mul(d_x as u64);
        let matrix = size.saturating_mul(size).saturating_mul(8);
        // a run that is parked while others are tried keeps half a matrix; of full covariances there are two at a time
        // where several runs are compared
        exact::memory_needed(n, d_x, rows, self.graph_likelihood)
            .saturating_add(turned)
            .saturating_add(matrix.saturating_mul(2 * u64::from(self.full_covariance) + self.beside))
            .saturating_add(matrix / 2 * u64::from(self.parked))
    }

    /// An error with the number of points that would fit, unless `n` do.
    pub fn check(&self, n: usize, available: u64) -> Result<()> {
        if self.bytes(n) <= available {
            return Ok(());
        }
        let (mut low, mut high) = (0, n);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.bytes(middle) <= available { low = middle } else { high = middle }
        }
        let (n_components, needed) = (self.n_components, self.bytes(n));
        Err(Error::TooLarge { n, n_components, needed, available, fitting: low })
    }
}
