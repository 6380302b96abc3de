//! Refusing a fit that would not fit in memory, before it starts.

use super::choice::choose_engine;
use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::inference::{EngineKind, exact, factorised};

/// An error if a fit of `n` points with these settings needs more than is available.
pub fn check_memory(n: usize, config: &Config, n_features: usize, available: u64) -> Result<()> {
    match choose_engine(n, config).kind {
        EngineKind::Factorised => {
            let d_x = config.n_components;
            // with axes to be found, the fewest there can be
            let rows = if config.pca.is_some() { d_x } else { n_features };
            let needed = |n: usize| factorised::memory_needed(n, d_x, rows, n_features, config.n_neighbors);
            fits(n, d_x, available, needed)
        }
        EngineKind::Auto | EngineKind::Exact => check_memory_beside(n, config, n_features, available, 0),
    }
}

/// The same for the exact engine where so many matrices of the size of a covariance are held beside the fit.
pub(crate) fn check_memory_beside(
    n: usize,
    config: &Config,
    n_features: usize,
    available: u64,
    beside: u64,
) -> Result<()> {
    let d_x = config.n_components;
    // a run that is parked while others are tried keeps half a matrix; of full covariances there are two at a time where
    // several runs are compared
    let parked = u64::from(config.init == Init::Auto);
    let full = u64::from(config.full_covariance);
    let needed = |n: usize| {
        let size = (n as u64).saturating_mul(d_x as u64);
        let matrix = size.saturating_mul(size).saturating_mul(8);
        exact::memory_needed(n, d_x, n_features)
            .saturating_add(matrix.saturating_mul(2 * full + beside))
            .saturating_add(matrix / 2 * parked)
    };
    fits(n, d_x, available, needed)
}

/// An error with the number of points that would fit, unless `n` do.
fn fits(n: usize, n_components: usize, available: u64, needed: impl Fn(usize) -> u64) -> Result<()> {
    if needed(n) <= available {
        return Ok(());
    }
    let (mut low, mut high) = (0, n);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if needed(middle) <= available { low = middle } else { high = middle }
    }
    Err(Error::TooLarge { n, n_components, needed: needed(n), available, fitting: low })
}
