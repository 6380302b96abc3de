//! Fits that are only tried, to find out how a table is to be fitted.

use super::{Fit, FittedData, Fitter, Plan, Watching};
use crate::config::{Config, FeatureWeight, Init, Rule};
use crate::error::Result;
use crate::inference::factorised::Factorised;
use crate::inference::{EngineKind, Progress, Run, Stage, Start, Stop, TracePoint, Updates, derived_seed};
use crate::model::{Prepared, Problem};
use crate::peers::isomap;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

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

/// The fit of a table that is ready; nobody asks how good its map is.
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

/// What one start shows after so many iterations of its climb; `number` is which of how many tries this is.
pub(super) fn glimpse(
    config: &Config,
    prepared: &Prepared,
    climb: usize,
    number: (usize, usize),
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<Fit> {
    let problem = Problem::of(prepared, config)?;
    let mut engine = Factorised::new(&problem, config)?;
    let start = Start::Coordinates(isomap(&problem.observations, &problem.graph, problem.n_components)?);
    let mut run = Run::new(&problem, config, &engine, &start);
    let (start, starts) = number;
    let mut watch = |point: &TracePoint, stage: Stage| match observer {
        Some(observer) => {
            observer(&Progress { start, starts, trial: true, stage, max_iter: config.max_iter, point: *point })
        }
        None => ControlFlow::Continue(()),
    };
    let stop = run.advance(&mut engine, Some(climb), &mut watch)?.unwrap_or(Stop::MaxIterations);
    let data = FittedData::new(prepared, &Plan::new(problem.n(), problem.n_features(), config));
    let start = (Init::Isomap, config.random_state);
    Ok(Fit::new(&problem, config, &data, &mut engine, &run.into_posterior(), stop, start)?.0)
}

fn watched<'a>(config: Config, observer: &'a mut Option<&mut Watching<'_>>) -> Fitter<'a> {
    let fitter = Fitter::new(config).unmeasured().with_gaps_filled();
    match observer {
        Some(observer) => fitter.observer(&mut **observer),
        None => fitter,
    }
}
