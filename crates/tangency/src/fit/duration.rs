//! How long a fit takes, roughly, to be told before it begins.

use super::{Plan, dimension, neighbors};
use crate::config::{Config, Init};
use crate::inference::EngineKind;
use crate::model::FeatureNoise;

/// Processor seconds a point under the graph's likelihood and in the paper's model, with ten neighbours and two coordinates. These
/// and what follows are fitted to times of S-curves of 300 to 10 000 points on one core, which stand in the test.
const POINT: (f64, f64) = (3.0e-3, 1.2e-3);
/// What a feature adds for a point, and one beyond those that runs go along.
const FEATURE: (f64, f64) = (8e-5, 1.6e-5);
const ALONG: usize = 16;
/// The exact engine's part for a matrix of size 1000.
const EXACT: (f64, f64) = (0.43, 2.0);
/// How many times as long it takes where something is left to the data.
const NEIGHBORS_OPEN: f64 = 2.5;
const DIMENSION_OPEN: f64 = 2.0;
/// The same where entries are missing, and where features or views have a noise of their own: these are found in turns.
const IN_TURNS: f64 = 3.0;
/// Iterations, more or less, after which a run is at rest.
const AT_REST: f64 = 100.0;

/// Processor seconds, within a factor of about three, that a fit of so many points takes.
/// `found_in_turns` says whether entries are missing or features or views have a noise of their own.
pub fn expected_seconds(n: usize, n_features: usize, found_in_turns: bool, config: &Config) -> f64 {
    let which = |both: (f64, f64)| if config.graph_likelihood { both.0 } else { both.1 };
    let d_x = if dimension::is_open(config) { 2.0 } else { config.n_components as f64 };
    let is_number = !neighbors::is_open(config) && config.radius.is_none();
    let count = if is_number { config.n_neighbors as f64 } else { 10.0 };
    let along = n_features.min(ALONG) as f64;
    let features = FEATURE.0 * along + FEATURE.1 * (n_features as f64 - along);
    let mut seconds = n as f64 * (which(POINT) * count / 10.0 * d_x / 2.0 + features);
    let plan = Plan::new(n, n_features, &Config { n_components: d_x as usize, ..config.clone() });
    if plan.engine != EngineKind::Factorised {
        seconds += which(EXACT) * (n as f64 * d_x / 1000.0).powi(3);
    }
    if config.init == Init::Random || !config.graph_likelihood {
        seconds *= config.n_init as f64;
    }
    for (is_so, times) in [
        (neighbors::is_open(config), NEIGHBORS_OPEN),
        (dimension::is_open(config), DIMENSION_OPEN),
        (found_in_turns || config.feature_noise != FeatureNoise::Shared, IN_TURNS),
    ] {
        seconds *= if is_so { times } else { 1.0 };
    }
    seconds * (config.max_iter as f64 / AT_REST).min(1.0)
}

#[cfg(test)]
mod tests {
    //! Larger problems are expected to take longer, and what is measured lies within the factor that is promised.

    use super::*;

    #[test]
    fn times_grow_with_what_is_to_be_done_and_are_those_that_were_measured() {
        let plain = Config { time_budget: 60.0, ..Config::default() };
        let of = |n, d_y, config: &Config| expected_seconds(n, d_y, false, config);
        // S-curves, one thread of a server: what a fit took
        for (n, d_y, seconds) in [(300, 3, 0.7), (1000, 3, 6.4), (1000, 300, 11.5), (3000, 30, 15.1), (10_000, 3, 38.5)]
        {
            let ratio = of(n, d_y, &plain) / seconds;
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{n} x {d_y}: {ratio}");
        }
        // larger, though by the quicker engine
        assert!(of(4000, 3, &plain) > of(1000, 3, &plain) && of(1000, 40, &plain) > of(1000, 3, &plain));
        assert!(expected_seconds(1000, 3, true, &plain) > of(1000, 3, &plain));
        for open in [
            Config { n_neighbors: crate::config::AUTO, ..plain.clone() },
            Config { n_components: crate::config::AUTO, ..plain.clone() },
            Config { feature_noise: FeatureNoise::Own, ..plain.clone() },
        ] {
            assert!(of(1000, 3, &open) > of(1000, 3, &plain));
        }
        assert!(of(1000, 3, &Config { max_iter: 5, ..plain.clone() }) < 1.0);
    }
}
