//! The exact engine: full Gaussian q(x) and matrix-normal q(C), two dense inverses an iteration.

mod aggregate;
mod marginals;
mod moments;
mod posterior;
mod snapshots;
#[cfg(test)]
mod tests;
mod update_coordinates;
mod update_maps;
mod update_on_graph;

pub use posterior::{Beliefs, Coordinates, Maps};
pub use update_coordinates::update_coordinates;
pub use update_maps::update_maps;

use super::engine::{Beginning, Updates};
use super::pairs::{PairField, packed};
use super::spectrum::{LogDeterminants, Spectrum};
use super::state::State;
use crate::config::Config;
use crate::error::Result;
use crate::graph::Laplacian;
use crate::linalg::{Matrix, SpdWork, columns_times};
use crate::model::{Hyperparameters, MapPrior, Problem};
use aggregate::Aggregator;
use moments::{coordinate_moments, map_moments};
use update_on_graph::{pair_field, update_on_graph};

/// The exact engine on one graph.
pub struct Exact {
    laplacian: Laplacian,
    spectrum: Spectrum,
    work: Option<Workspace>,
}

/// Buffers of the engine: the aggregation's tiles, the inversion's workspace and one spare matrix, which after an
/// update holds the covariance that the update replaced.
pub struct Workspace {
    aggregator: Aggregator,
    inversion: SpdWork,
    /// After an update: the covariance from before it.
    pub spare: Matrix,
    /// Under the graph's likelihood: the precision of the coordinates without the curvature of non-edges.
    fixed: Matrix,
}

impl Workspace {
    /// Buffers for a problem.
    pub fn new(problem: &Problem, laplacian: &Laplacian) -> Self {
        let size = problem.size();
        Self {
            aggregator: Aggregator::new(&problem.graph, laplacian),
            inversion: SpdWork::new(size),
            spare: Matrix::zeros(size, size),
            fixed: Matrix::new(),
        }
    }
}

impl Exact {
    fn on(laplacian: Laplacian) -> Self {
        let spectrum = Spectrum::exact(laplacian.eigenvalues[1..].to_vec());
        Self { laplacian, spectrum, work: None }
    }

    fn state(&self, problem: &Problem, hyper: Hyperparameters, beliefs: Beliefs) -> State<Beliefs> {
        let of_x = coordinate_moments(problem, &beliefs.coordinates);
        let of_c = map_moments(problem, &beliefs.maps, MapPrior::new(problem, &hyper).is_of_the_paper());
        State::new(beliefs, hyper, of_x, of_c)
    }

    /// Coordinates held at a mean with the same variance everywhere.
    fn held(&self, problem: &Problem, hyper: &Hyperparameters, mean: Matrix, spread: f64) -> Coordinates {
        let (n, d_x, size) = (problem.n(), problem.n_components, problem.size());
        Coordinates {
            mean,
            covariance: Matrix::from_fn(size, size, |p, q| if p == q { spread } else { 0.0 }),
            scale: 1.0,
            pin: 1.0 / spread,
            shift_precision: hyper.alpha,
            log_det: ((n - 1) * d_x) as f64 * spread.ln(),
        }
    }
}

fn workspace<'w>(work: &'w mut Option<Workspace>, problem: &Problem, laplacian: &Laplacian) -> &'w mut Workspace {
    work.get_or_insert_with(|| Workspace::new(problem, laplacian))
}

impl Updates for Exact {
    type Beliefs = Beliefs;

    fn new(problem: &Problem, _: &Config) -> Result<Self> {
        let laplacian = Laplacian::new(&problem.graph)?;
        problem.graph.keep_resistances(&laplacian);
        Ok(Self::on(laplacian))
    }

    fn changed(&self, before: &Problem, problem: &Problem, _: &Config) -> Result<Self> {
        Ok(Self::on(self.laplacian.changed(&before.graph, &problem.graph)?))
    }

    fn release_buffers(&mut self) {
        self.work = None;
    }

    fn begin(&self, problem: &Problem, hyper: Hyperparameters, beginning: Beginning) -> State<Beliefs> {
        let size = problem.size();
        let Beginning { mean, spread, maps } = beginning;
        let coordinates = self.held(problem, &hyper, mean, spread);
        let mean = maps.unwrap_or_else(|| Matrix::zeros(problem.observations.nrows(), size));
        let maps = Maps { mean, covariance: Matrix::identity(size, size), scale: 1.0, log_det: 0.0 };
        self.state(problem, hyper, Beliefs::of(coordinates, maps))
    }

    /// From the maps, with which the first update finds the coordinates.
    fn warm_start(&self, problem: &Problem, before: &State<Beliefs>) -> State<Beliefs> {
        let mean = Matrix::zeros(problem.n(), problem.n_components);
        let coordinates = self.held(problem, &before.hyper, mean, 1.0);
        self.state(problem, before.hyper, Beliefs::of(coordinates, before.beliefs.maps.clone()))
    }

    fn update_coordinates(&mut self, problem: &Problem, state: &mut State<Beliefs>, least: f64) -> Result<()> {
        let work = workspace(&mut self.work, problem, &self.laplacian);
        match state.graph {
            None => update_coordinates(problem, state, work),
            Some(_) => update_on_graph(problem, state, work, least),
        }
    }

    fn update_maps(&mut self, problem: &Problem, state: &mut State<Beliefs>, _: f64) -> Result<()> {
        update_maps(problem, state, workspace(&mut self.work, problem, &self.laplacian))
    }

    fn pair_field(&self, _: &Problem, beliefs: &Beliefs) -> PairField {
        pair_field(&beliefs.coordinates)
    }

    fn solve_laplacian(&self, problem: &Problem, right: &[f64]) -> Vec<f64> {
        let (n, d_x) = (problem.n(), right.len() / problem.n());
        let columns: Vec<Vec<f64>> = (0..d_x)
            .map(|a| {
                let column: Vec<f64> = (0..n).map(|i| right[i * d_x + a]).collect();
                columns_times(&self.laplacian.pseudo_inverse, &column)
            })
            .collect();
        (0..right.len()).map(|p| columns[p % d_x][p / d_x]).collect()
    }

    fn rescale(&self, beliefs: &mut Beliefs, t: f64) {
        beliefs.coordinates.rescale(t);
        beliefs.maps.rescale(1.0 / t);
    }

    fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    fn log_determinants(&mut self, _: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants> {
        let found = self.spectrum.log_determinants(hyper.alpha, hyper.nu / hyper.lambda);
        Ok(LogDeterminants { laplacian: self.laplacian.log_pseudo_det, ..found })
    }
}

/// Bytes that a fit of this size needs at its peak.
pub fn memory_needed(n: usize, n_components: usize, n_features: usize, of_graph_too: bool) -> u64 {
    let (n, d_x, d_y) = (n as u64, n_components as u64, n_features as u64);
    let size = n.saturating_mul(d_x);
    let (covariance, of_graph) = (size.saturating_mul(size), n.saturating_mul(n));
    // Σ_x, Σ_C, spare and a third of one for the inversion; Lp, its tiles and three tile buffers; maps, as they are, were,
    // and were before, and H
    let numbers = (covariance / 3)
        .saturating_mul(10)
        .saturating_add(of_graph.saturating_mul(5))
        .saturating_add(size.saturating_mul(d_y).saturating_mul(6));
    // the precision without non-edges and Σ_x for a step back, as it was and as it was before; spreads of all differences before
    // and after an update, and curvatures twice
    let planes = 4 * packed(n_components) as u64 + 2;
    let of_pairs = covariance.saturating_mul(3).saturating_add(of_graph.saturating_mul(planes));
    numbers.saturating_add(if of_graph_too { of_pairs } else { 0 }).saturating_mul(8)
}
