//! Which engine a fit gets.

use super::check_memory_beside;
use crate::config::Config;
use crate::inference::EngineKind;
use crate::memory::available_memory;

/// Above this many seconds of the exact engine, by the estimate below, the factorised one is taken.
const PATIENCE: f64 = 120.0;
/// Iterations that a fit takes, more or less.
const ITERATIONS: f64 = 150.0;
/// Seconds of one exact iteration for a matrix of size 1000, two cores of a laptop.
const SECONDS: f64 = 0.036;

/// An engine, and why it and not the other.
pub(crate) struct Choice {
    pub kind: EngineKind,
    pub reason: Option<String>,
}

/// The engine that the settings name, or the one that suits `n` points. The estimate of time goes by size alone, so that
/// the choice is the same on every machine that has the memory.
pub(crate) fn choose_engine(n: usize, config: &Config) -> Choice {
    if config.engine != EngineKind::Auto {
        return Choice { kind: config.engine, reason: None };
    }
    let size = n as f64 * config.n_components as f64;
    let seconds = ITERATIONS.min(config.max_iter as f64) * SECONDS * (size / 1000.0).powi(3);
    let choice = |kind, reason: String| Choice { kind, reason: Some(reason) };
    if config.full_covariance {
        return choice(EngineKind::Exact, "only it has the full covariance".into());
    }
    if check_memory_beside(n, config, 1, available_memory(), 0).is_err() {
        return choice(EngineKind::Factorised, format!("exact inference of {n} points does not fit in memory"));
    }
    if seconds > PATIENCE {
        let reason = format!("exact inference of {n} points would take about {} minutes", (seconds / 60.0).ceil());
        return choice(EngineKind::Factorised, reason);
    }
    choice(EngineKind::Exact, format!("{n} points are few enough"))
}
