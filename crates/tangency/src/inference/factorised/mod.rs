//! The factorised engine: q(x) and q(C) are independent between points, their means are found jointly
//! (docs/derivation.md, eq. 20–26). Memory and time grow almost linearly with the number of points, and the bound stays a
//! lower bound of the evidence.

pub(super) mod conjugate_gradients;
mod covariances;
mod draws;
mod laplace;
mod marginals;
mod means;
mod measured;
mod moments;
mod posterior;
mod preconditioner;
mod quadrature;
pub(super) mod quasi_newton;
mod residual;
mod snapshots;
mod stars;
#[cfg(test)]
mod tests;
mod update_coordinates;
mod update_maps;
mod update_on_graph;

pub use posterior::Beliefs;

use super::engine::{Beginning, Updates};
use super::pairs::PairField;
use super::spectrum::{LogDeterminants, Spectrum};
use super::state::State;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::graph::Stars;
use crate::message::Remedy;
use crate::model::{Hyperparameters, MapPrior, Problem};
use laplace::Laplace;
use moments::{coordinate_moments, map_moments};
use preconditioner::Preconditioner;
use quasi_newton::Memory;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The whole graph as the ball of every point is for so many points at most.
const LARGEST_WHOLE: usize = 1000;

/// The factorised engine on one graph.
pub struct Factorised {
    stars: Stars,
    /// 1ᵀP_i1 of each point.
    star_sums: Vec<f64>,
    /// For each place in the list of all points' neighbours, the place of the same edge seen from its other end.
    reverse: Vec<u32>,
    /// The edge at each place.
    edges: Vec<u32>,
    /// Effective resistance of the edge at each place, the smaller of what its two ends see.
    resistances: Vec<f64>,
    /// Seed of samples of pairs.
    seed: u64,
    laplace: Laplace,
    for_coordinates: Option<Preconditioner>,
    for_maps: Option<Preconditioner>,
    /// Of the means under the graph's likelihood.
    steps_on_graph: Memory,
    /// Large buffers between uses: to ask for them anew each time costs more than to fill them.
    spare: Mutex<Vec<Vec<f64>>>,
}

/// Sizes that every routine here needs.
#[derive(Clone, Copy)]
struct Sizes {
    n: usize,
    d_x: usize,
    /// Rows of the observations, along which maps have means.
    rows: usize,
    /// Features, which all add to the maps' uncertainty.
    d_y: f64,
}

impl Sizes {
    fn of(problem: &Problem) -> Self {
        Self {
            n: problem.n(),
            d_x: problem.n_components,
            rows: problem.observations.nrows(),
            d_y: problem.n_features() as f64,
        }
    }
}

impl Factorised {
    /// A buffer of this length with anything in it; `give_back` ends its use.
    fn buffer(&self, length: usize) -> Vec<f64> {
        let mut buffer = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        buffer.resize(length, 0.0);
        buffer
    }

    fn give_back(&self, buffer: Vec<f64>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }

    fn state(&self, problem: &Problem, hyper: Hyperparameters, beliefs: Beliefs) -> State<Beliefs> {
        let of_x = coordinate_moments(problem, &beliefs);
        let of_c = map_moments(problem, &beliefs, MapPrior::new(problem, &hyper).is_of_the_paper());
        State::new(beliefs, hyper, of_x, of_c)
    }
}

impl Updates for Factorised {
    type Beliefs = Beliefs;

    fn new(problem: &Problem, config: &Config) -> Result<Self> {
        let graph = &problem.graph;
        if config.ball_radius == 0 && graph.n() > LARGEST_WHOLE {
            let but = format!("the whole graph is for at most {LARGEST_WHOLE} points, and there are {}", graph.n());
            return Err(Error::setting("ball_radius", 0, but, [Remedy::Raise("ball_radius")]));
        }
        let stars = Stars::new(graph, config.ball_radius);
        let star_sums = (0..graph.n()).map(|i| stars.of(i).map(|star| star.matrix.iter().sum::<f64>()).sum()).collect();
        let places = |i: usize| graph.neighbors(i).iter().enumerate().map(move |(place, &j)| (place, j as usize));
        let reverse: Vec<u32> = (0..graph.n())
            .into_par_iter()
            .flat_map_iter(|i| {
                places(i).map(move |(_, j)| {
                    (graph.first(j) + graph.neighbors(j).binary_search(&(i as u32)).unwrap_or(0)) as u32
                })
            })
            .collect();
        let seen: Vec<f64> = (0..graph.n())
            .into_par_iter()
            .flat_map_iter(|i| places(i).map(|(place, _)| stars.resistance(i, place)).collect::<Vec<_>>())
            .collect();
        let resistances = seen.iter().zip(&reverse).map(|(here, &there)| here.min(seen[there as usize])).collect();
        let mut edges = vec![0; 2 * graph.edges().len()];
        for (e, &(i, j)) in graph.edges().iter().enumerate() {
            let place = graph.first(i as usize) + graph.neighbors(i as usize).binary_search(&j).unwrap_or(0);
            (edges[place], edges[reverse[place] as usize]) = (e as u32, e as u32);
        }
        let laplace = Laplace::new(problem, config)?;
        Ok(Self {
            stars,
            star_sums,
            reverse,
            edges,
            resistances,
            seed: config.random_state,
            laplace,
            for_coordinates: None,
            for_maps: None,
            steps_on_graph: Memory::default(),
            spare: Mutex::default(),
        })
    }

    fn changed(&self, _: &Problem, problem: &Problem, config: &Config) -> Result<Self> {
        Self::new(problem, config)
    }

    fn reset(&mut self) {
        (self.for_coordinates, self.for_maps, self.steps_on_graph) = (None, None, Memory::default());
    }

    fn release_buffers(&mut self) {
        self.reset();
        self.spare = Mutex::default();
    }

    fn begin(&self, problem: &Problem, hyper: Hyperparameters, beginning: Beginning) -> State<Beliefs> {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let Beginning { mean, spread, maps } = beginning;
        let blocks = |value: f64| {
            let mut blocks = vec![0.0; n * d_x * d_x];
            (0..n * d_x).for_each(|p| blocks[p * d_x + p % d_x] = value);
            blocks
        };
        let mut c = vec![0.0; n * d_x * rows];
        if let Some(maps) = maps {
            c.chunks_exact_mut(rows)
                .enumerate()
                .for_each(|(p, row)| row.copy_from_slice(maps.col_as_slice((p % d_x) * n + p / d_x)));
        }
        let x = (0..n * d_x).map(|p| mean[(p / d_x, p % d_x)]).collect();
        self.state(problem, hyper, Beliefs { x, s: blocks(spread), c, t: blocks(1.0) })
    }

    fn warm_start(&self, problem: &Problem, before: &State<Beliefs>) -> State<Beliefs> {
        self.state(problem, before.hyper, before.beliefs.clone())
    }

    /// The residual is left to the update of the maps.
    fn update_coordinates(&mut self, problem: &Problem, state: &mut State<Beliefs>, least: f64) -> Result<()> {
        if state.graph.is_some() {
            return self.update_on_graph(problem, state, least);
        }
        self.improve_coordinate_covariances(problem, state)?;
        if !state.held {
            self.improve_coordinates(problem, state, least)?;
        }
        state.statistics.coordinates = coordinate_moments(problem, &state.beliefs);
        Ok(())
    }

    fn update_maps(&mut self, problem: &Problem, state: &mut State<Beliefs>, least: f64) -> Result<()> {
        self.improve_map_covariances(problem, state)?;
        self.improve_maps(problem, state, least)?;
        let with_total = MapPrior::new(problem, &state.hyper).is_of_the_paper();
        state.statistics.maps = map_moments(problem, &state.beliefs, with_total);
        state.statistics.residual = self.residual(problem, &state.beliefs);
        Ok(())
    }

    fn pair_field(&self, problem: &Problem, beliefs: &Beliefs) -> PairField {
        update_on_graph::pair_field(problem, beliefs, self.seed)
    }

    fn solve_laplacian(&self, problem: &Problem, right: &[f64]) -> Vec<f64> {
        self.laplace.solve(problem, right)
    }

    fn rescale(&self, beliefs: &mut Beliefs, t: f64) {
        let times = |values: &mut [f64], factor: f64| values.par_iter_mut().for_each(|v| *v *= factor);
        times(&mut beliefs.x, t);
        times(&mut beliefs.s, t * t);
        times(&mut beliefs.c, 1.0 / t);
        times(&mut beliefs.t, 1.0 / (t * t));
    }

    fn spectrum(&self) -> &Spectrum {
        &self.laplace.spectrum
    }

    fn log_determinants(&mut self, problem: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants> {
        self.laplace.log_determinants(problem, hyper)
    }
}

/// Bytes that a fit of this size needs at its peak, more or less: on graphs of low dimension it was found to be within a
/// third.
pub fn memory_needed(n: usize, n_components: usize, rows: usize, n_features: usize, n_neighbors: usize) -> u64 {
    let (d_x, d_y, k) = (n_components as u64, n_features as u64, n_neighbors as u64);
    let rows = rows as u64;
    // stars; factors of L, of two priors and of the preconditioners; what stars give to neighbours; maps as they are, were,
    // and in conjugate gradients; the table and its copies
    let numbers = 2 * k * k + 60 * (3 + 2 * d_x) + 3 * k * d_x * rows + 10 * d_x * rows + 6 * d_y;
    (n as u64).saturating_mul(numbers).saturating_mul(8)
}
