//! Fits that are only tried, to find out how a table is to be fitted.

use super::{Fit, Fitter, Watching};
use crate::config::{Config, FeatureWeight, Rule};
use crate::error::Result;
use crate::inference::{EngineKind, Start, derived_seed};
use crate::linalg::Matrix;
use crate::model::Prepared;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Settings of a short fit of the quick engine, from one start and with one weight of the features.
pub(super) fn settings(config: &Config, feature_weight: f64, max_iter: usize) -> Config {
    Config {
        graph_likelihood: true,
        feature_weight: FeatureWeight::Fixed(feature_weight),
        engine: EngineKind::Factorised,
        n_init: 1,
        lambda: Rule::Learned,
        nu: Rule::Learned,
        full_covariance: false,
        draws: Some(0),
        max_iter,
        ..config.clone()
    }
}

/// Some of n rows by chance, in the order in which they came up, as many as there are if these are fewer.
pub(crate) fn sample(n: usize, most: usize, config: &Config) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(derived_seed(config.random_state, n)));
    order.truncate(most);
    order
}

/// Rows without one part of them, and that part, each in the order given.
pub(crate) fn split(order: &[usize], part: usize, parts: usize) -> (Vec<usize>, Vec<usize>) {
    let of = |held: bool| {
        let some = order.iter().enumerate().filter(|(place, _)| (place % parts == part) == held);
        some.map(|(_, &row)| row).collect()
    };
    (of(false), of(true))
}

/// The fit of a table; nobody asks how good its map is.
pub(super) fn fit(config: Config, values: &Matrix, observer: &mut Option<&mut Watching<'_>>) -> Result<Fit> {
    watched(config, observer).fit(values)
}

/// The same of a table that is ready.
pub(super) fn fit_prepared(
    config: Config,
    prepared: &Prepared,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<Fit> {
    watched(config, observer).fit_prepared(prepared)
}

/// The same from where another ended.
pub(super) fn again(
    config: Config,
    prepared: &Prepared,
    start: Start,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<Fit> {
    watched(config, observer).start(start).fit_prepared(prepared)
}

fn watched<'a>(config: Config, observer: &'a mut Option<&mut Watching<'_>>) -> Fitter<'a> {
    let fitter = Fitter::new(config).unmeasured().with_gaps_filled();
    match observer {
        Some(observer) => fitter.observer(&mut **observer),
        None => fitter,
    }
}
