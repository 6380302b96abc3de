//! The exact engine: full Gaussian q(x) and matrix-normal q(C), two dense inverses an iteration.

mod aggregate;
#[cfg(test)]
mod tests;
mod update_coordinates;
mod update_maps;

pub use update_coordinates::update_coordinates;
pub use update_maps::update_maps;

use super::engine::{Beginning, Deviations, Engine, EngineKind, EngineNotes, Marginals, Solver};
use super::moments::{CoordinateMoments, MapMoments};
use super::spectrum::{LogDeterminants, Spectrum};
use crate::config::{Config, Rule};
use crate::error::Result;
use crate::graph::Laplacian;
use crate::linalg::{Matrix, SpdWork, pack_lower, scale, scaled_difference, unpack_lower};
use crate::model::{Coordinates, Hyperparameters, Maps, Problem};
use aggregate::Aggregator;

/// The exact engine on one graph.
pub struct Exact {
    laplacian: Laplacian,
    spectrum: Spectrum,
    work: Option<Workspace>,
}

/// q(x) and q(C) in full.
#[derive(Clone)]
pub struct Beliefs {
    /// q(x).
    pub coordinates: Coordinates,
    /// q(C).
    pub maps: Maps,
    parked: Vec<f64>,
}

/// The maps before an update; their covariance is then the workspace's spare matrix.
pub struct Kept {
    mean: Matrix,
    scale: f64,
    log_det: f64,
}

/// Buffers of the engine: the aggregation's tiles, the inversion's workspace and one spare matrix, which after an
/// update holds the covariance that the update replaced.
pub struct Workspace {
    aggregator: Aggregator,
    inversion: SpdWork,
    /// After an update: the covariance from before it.
    pub spare: Matrix,
}

impl Workspace {
    /// Buffers for a problem.
    pub fn new(problem: &Problem, laplacian: &Laplacian) -> Self {
        let size = problem.size();
        Self {
            aggregator: Aggregator::new(&problem.graph, laplacian),
            inversion: SpdWork::new(size),
            spare: Matrix::zeros(size, size),
        }
    }
}

impl Beliefs {
    /// These.
    pub fn of(coordinates: Coordinates, maps: Maps) -> Self {
        Self { coordinates, maps, parked: Vec::new() }
    }
}

impl Exact {
    fn on(laplacian: Laplacian) -> Self {
        let spectrum = Spectrum::exact(laplacian.eigenvalues[1..].to_vec());
        Self { laplacian, spectrum, work: None }
    }
}

fn workspace<'w>(work: &'w mut Option<Workspace>, problem: &Problem, laplacian: &Laplacian) -> &'w mut Workspace {
    work.get_or_insert_with(|| Workspace::new(problem, laplacian))
}

impl Engine for Exact {
    type Beliefs = Beliefs;
    type Kept = Kept;

    fn new(problem: &Problem, _: &Config) -> Result<Self> {
        Ok(Self::on(Laplacian::new(&problem.graph)?))
    }

    fn changed(&self, before: &Problem, problem: &Problem, _: &Config) -> Result<Self> {
        Ok(Self::on(self.laplacian.changed(&before.graph, &problem.graph)?))
    }

    fn rest(&mut self) {
        self.work = None;
    }

    fn begin(&self, problem: &Problem, hyper: &Hyperparameters, beginning: Beginning) -> Beliefs {
        let (n, d_x, size) = (problem.n(), problem.n_components, problem.size());
        let Beginning { mean, spread, maps } = beginning;
        let coordinates = Coordinates {
            mean,
            covariance: Matrix::from_fn(size, size, |p, q| if p == q { spread } else { 0.0 }),
            scale: 1.0,
            pin: 1.0 / spread,
            shift_precision: hyper.alpha,
            log_det: ((n - 1) * d_x) as f64 * spread.ln(),
        };
        let mean = maps.unwrap_or_else(|| Matrix::zeros(problem.observations.nrows(), size));
        let maps = Maps { mean, covariance: Matrix::identity(size, size), scale: 1.0, log_det: 0.0 };
        Beliefs::of(coordinates, maps)
    }

    fn go_on(&self, problem: &Problem, hyper: &Hyperparameters, before: &Beliefs) -> Beliefs {
        let beginning = Beginning { mean: Matrix::zeros(problem.n(), problem.n_components), spread: 1.0, maps: None };
        Beliefs { maps: before.maps.clone(), ..self.begin(problem, hyper, beginning) }
    }

    fn moments(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
    ) -> (CoordinateMoments, MapMoments) {
        let Beliefs { coordinates, maps, .. } = beliefs;
        (CoordinateMoments::new(problem, coordinates), MapMoments::new(problem, maps, hyper.nu == 0.0))
    }

    fn update_coordinates(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        _: f64,
        beliefs: &mut Beliefs,
    ) -> Result<(CoordinateMoments, f64)> {
        let work = workspace(&mut self.work, problem, &self.laplacian);
        update_coordinates(problem, &beliefs.maps, hyper, &mut beliefs.coordinates, work)
    }

    fn update_maps(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        _: f64,
        beliefs: &mut Beliefs,
    ) -> Result<(MapMoments, f64)> {
        let work = workspace(&mut self.work, problem, &self.laplacian);
        update_maps(problem, &beliefs.coordinates, hyper, &mut beliefs.maps, work)
    }

    fn rescale(&self, beliefs: &mut Beliefs, t: f64) {
        beliefs.coordinates.rescale(t);
        beliefs.maps.rescale(1.0 / t);
    }

    fn keep(&self, beliefs: &Beliefs) -> Kept {
        let Maps { mean, scale, log_det, .. } = &beliefs.maps;
        Kept { mean: mean.clone(), scale: *scale, log_det: *log_det }
    }

    fn extrapolate(&self, beliefs: &mut Beliefs, kept: &Kept, share: f64) {
        scaled_difference(&mut beliefs.maps.mean, &kept.mean, share);
    }

    /// Of the coordinates only the units: the next update finds them anew.
    fn restore(&mut self, beliefs: &mut Beliefs, kept: Kept, rescaled: f64) {
        beliefs.coordinates.rescale(1.0 / rescaled);
        // the covariance that the update replaced is still in the workspace
        if let Some(work) = &mut self.work {
            std::mem::swap(&mut beliefs.maps.covariance, &mut work.spare);
        }
        (beliefs.maps.mean, beliefs.maps.scale, beliefs.maps.log_det) = (kept.mean, kept.scale, kept.log_det);
    }

    /// Gives up the covariances for half a matrix.
    fn park(&self, beliefs: &mut Beliefs) {
        beliefs.coordinates.covariance = Matrix::new();
        beliefs.parked = pack_lower(&beliefs.maps.covariance);
        beliefs.maps.covariance = Matrix::new();
    }

    /// Coordinates that may move are updated anew, which can only raise the bound.
    fn resume(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        frozen: bool,
        beliefs: &mut Beliefs,
    ) -> Result<Option<(CoordinateMoments, f64)>> {
        let size = problem.size();
        beliefs.maps.covariance = unpack_lower(&std::mem::take(&mut beliefs.parked), size);
        // as a start holds them: variance 1/pin in every direction
        beliefs.coordinates.covariance = Matrix::identity(size, size);
        scale(&mut beliefs.coordinates.covariance, 1.0 / beliefs.coordinates.pin);
        if frozen { Ok(None) } else { self.update_coordinates(problem, hyper, 0.0, beliefs).map(Some) }
    }

    fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    fn log_determinants(&mut self, _: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants> {
        let found = self.spectrum.log_determinants(hyper.alpha, hyper.nu / hyper.lambda);
        Ok(LogDeterminants { laplacian: self.laplacian.log_pseudo_det, ..found })
    }

    fn coordinates(&self, _: &Problem, beliefs: &Beliefs) -> Matrix {
        beliefs.coordinates.mean.clone()
    }

    fn map<'b>(&self, problem: &Problem, beliefs: &'b Beliefs, i: usize, a: usize) -> &'b [f64] {
        beliefs.maps.mean.col_as_slice(a * problem.n() + i)
    }

    fn resistances(&self, _: &Problem, pairs: &[(u32, u32)]) -> Vec<f64> {
        pairs.iter().map(|&(i, j)| self.laplacian.resistance(i as usize, j as usize)).collect()
    }

    fn marginals(
        &mut self,
        problem: &Problem,
        config: &Config,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
    ) -> Result<Marginals> {
        let (n, d_x) = (problem.n(), problem.n_components);
        let Beliefs { coordinates, maps, .. } = beliefs;
        let by_point = |covariance: &dyn Fn(usize, usize, usize) -> f64| {
            Matrix::from_fn(d_x * d_x, n, |p, i| covariance(p / d_x, p % d_x, i))
        };
        Ok(Marginals {
            mean: coordinates.mean.clone(),
            covariances: by_point(&|a, b, i| coordinates.centered_covariance(a, i, b, i)),
            full: config.full_covariance.then(|| {
                Matrix::from_fn(n * d_x, n * d_x, |p, q| {
                    coordinates.centered_covariance(p % d_x, p / d_x, q % d_x, q / d_x)
                })
            }),
            maps: Matrix::from_fn(maps.mean.nrows(), n * d_x, |f, p| maps.mean[(f, (p % d_x) * n + p / d_x)]),
            map_covariances: by_point(&|a, b, i| maps.covariance_of(n, a, i, b, i)),
            // a learned α takes common shifts along
            shift_precision: match config.alpha {
                Rule::Learned => hyper.alpha,
                Rule::Fixed(_) => coordinates.shift_precision,
            },
            deviations: Deviations::Exact,
        })
    }

    fn notes(&self, _: &Problem) -> EngineNotes {
        EngineNotes { kind: EngineKind::Exact, solver: Solver::Dense, ..EngineNotes::default() }
    }
}

/// Bytes that a fit of this size needs at its peak.
pub fn memory_needed(n: usize, n_components: usize, n_features: usize) -> u64 {
    let (n, d_y) = (n as u64, n_features as u64);
    let size = n.saturating_mul(n_components as u64);
    let (covariance, of_graph) = (size.saturating_mul(size), n.saturating_mul(n));
    // Σ_x, Σ_C, spare and a third of one for the inversion; Lp, its tiles and three tile buffers; maps, as they are, were,
    // and were before, and H
    let numbers = (covariance / 3)
        .saturating_mul(10)
        .saturating_add(of_graph.saturating_mul(5))
        .saturating_add(size.saturating_mul(d_y).saturating_mul(6));
    numbers.saturating_mul(8)
}
