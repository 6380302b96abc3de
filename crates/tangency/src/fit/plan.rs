//! What a fit will do: with which engine and why, from which starts, and in how much memory.

use super::Fit;
use super::memory::Demand;
use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::inference::{COARSE_ABOVE, EngineKind, NumberedStart, derived_seed};
use crate::memory::available_memory;
use crate::message;
use crate::message::{Piece, Remedy};

/// Iterations that the exact engine makes, more or less, and seconds of one for a matrix of size 1000, two cores of a laptop.
/// Under the graph's likelihood it only has the last word.
const ALL_THE_WAY: (f64, f64) = (150.0, 0.036);
const LAST_WORD: (f64, f64) = (20.0, 0.06);

/// Up to so many points a Bayesian GP-LVM is one of the starts: its time grows with more than the number of points.
const GPLVM_UP_TO: usize = 2000;

/// What a fit of so many points will do. It is decided once, before the work.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The engine; never `auto`.
    pub engine: EngineKind,
    /// Why this one, where the settings leave it open.
    pub reason: Option<String>,
    /// The starts, in the order in which they are tried.
    pub starts: Vec<NumberedStart>,
    /// Whether the starts are only tried, and the best of them goes on; otherwise each runs to its end.
    pub trials: bool,
    /// Bytes that are available.
    pub available: u64,
    n: usize,
    demand: Demand,
}

impl Plan {
    /// The plan of a fit of `n` points with so many features on this machine.
    pub fn new(n: usize, n_features: usize, config: &Config) -> Self {
        Self::with_memory(n, n_features, config, available_memory())
    }

    /// The same with so many bytes available.
    pub fn with_memory(n: usize, n_features: usize, config: &Config, available: u64) -> Self {
        let (engine, reason) = choose_engine(n, config, available);
        Self {
            engine,
            reason,
            starts: starts(n, engine, config),
            trials: config.init == Init::Auto,
            available,
            n,
            demand: Demand::new(engine, n_features, config),
        }
    }

    /// The plan of a run that goes on from a fit.
    pub(crate) fn of_refits(fit: &Fit) -> Self {
        let config = Config { engine: fit.engine.kind, ..fit.config.clone() };
        Self::new(fit.n(), fit.observations.ncols(), &config)
    }

    /// The same while so many matrices of the size of a covariance of the exact engine are held beside the fit.
    pub(crate) fn beside(mut self, matrices: u64) -> Self {
        self.demand.beside = matrices;
        self
    }

    /// The same with only one of its starts, or an error if it has no such start.
    pub fn only(mut self, number: usize) -> Result<Self> {
        self.starts.retain(|start| start.number == number);
        if self.starts.is_empty() { Err(no_start()) } else { Ok(self) }
    }

    /// Bytes that the fit needs.
    pub fn needed(&self) -> u64 {
        self.demand.bytes(self.n)
    }

    /// An error unless there are fewer components than points and features, and the memory that it takes.
    pub fn check(&self) -> Result<()> {
        let Demand { n_components, n_features, .. } = self.demand;
        if n_components >= self.n {
            return Err(too_many_for_rows(n_components, self.n));
        }
        self.check_memory()?;
        if n_components > n_features {
            return Err(too_many_components(n_components, n_features));
        }
        Ok(())
    }

    /// An error unless there is the memory that it takes.
    pub fn check_memory(&self) -> Result<()> {
        self.demand.check(self.n, self.available)
    }
}

/// The engine that the settings name, or the one that suits `n` points, and then why. The estimate of time goes by size
/// alone, so that the choice is the same on every machine that has the memory.
fn choose_engine(n: usize, config: &Config, available: u64) -> (EngineKind, Option<String>) {
    if config.engine != EngineKind::Auto {
        return (config.engine, None);
    }
    if config.full_covariance {
        return (EngineKind::Exact, Some("only it has the full covariance".into()));
    }
    if Demand::new(EngineKind::Exact, 1, config).bytes(n) > available {
        return (EngineKind::Factorised, Some(format!("exact inference of {n} points does not fit in memory")));
    }
    let size = n as f64 * config.n_components as f64;
    let (iterations, each) = if config.graph_likelihood { LAST_WORD } else { ALL_THE_WAY };
    let seconds = iterations.min(config.max_iter as f64) * each * (size / 1000.0).powi(3);
    let about = match seconds {
        s if s < 1.0 => "less than a second".to_owned(),
        s if s < 90.0 => format!("about {} s", s.ceil()),
        s => format!("about {} minutes", (s / 60.0).ceil()),
    };
    if seconds > config.time_budget {
        let reason = format!("exact inference of {n} points would take {about}");
        return (EngineKind::Factorised, Some(reason));
    }
    (EngineKind::Exact, Some(format!("exact inference of {n} points takes {about}")))
}

/// The starts that the settings ask for.
fn starts(n: usize, engine: EngineKind, config: &Config) -> Vec<NumberedStart> {
    let seed = config.random_state;
    // the graph's likelihood holds a layout that is there; a random one is tried only if several are asked for
    let random = match (config.init, config.graph_likelihood, config.n_init) {
        (Init::Auto, true, 1) => 0..0,
        (_, _, count) => 0..count,
    };
    let random = random.map(|r| (Init::Random, derived_seed(seed, r)));
    let coarse = n > COARSE_ABOVE && engine == EngineKind::Factorised;
    let all: Vec<(Init, u64)> = match config.init {
        Init::Auto if coarse => vec![(Init::Coarse, seed)],
        Init::Auto => {
            let peer = (config.graph_likelihood && n <= GPLVM_UP_TO).then_some((Init::BayesianGplvm, seed));
            [(Init::Spectral, seed), (Init::Isomap, seed)].into_iter().chain(peer).chain(random).collect()
        }
        Init::Random => random.collect(),
        named => vec![(named, seed)],
    };
    all.into_iter().enumerate().map(|(number, (init, seed))| NumberedStart { number, init, seed }).collect()
}

pub(super) fn no_start() -> Error {
    Error::Setting {
        name: "start",
        problem: message![
            "there is no start of this number among those that ",
            Piece::Setting("init"),
            " and ",
            Piece::Setting("n_init"),
            " ask for"
        ],
        remedies: vec![Remedy::act("give the number of one of them, from 0")],
    }
}

pub(crate) fn too_many_components(n_components: usize, n_features: usize) -> Error {
    Error::too_large("n_components", n_components, format!("the table has only {n_features} feature(s)"))
}

pub(crate) fn too_many_for_rows(n_components: usize, n: usize) -> Error {
    Error::too_large("n_components", n_components, format!("the table has only {n} rows"))
}
