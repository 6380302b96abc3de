//! The factorised engine: q(x) and q(C) are independent between points, their means are found jointly
//! (docs/derivation.md, eq. 20–26). Memory and time grow almost linearly with the number of points, and the bound stays a
//! lower bound of the evidence.
//!
//! Numbers of a point lie next to each other: entry i·d_x + a of coordinates, (i·d_x + a)·d_y + f of maps.

mod conjugate_gradients;
mod covariances;
mod draws;
mod laplace;
mod means;
mod preconditioner;
mod quadrature;
mod stars;
#[cfg(test)]
mod tests;

use super::engine::{Beginning, Deviations, Engine, EngineKind, EngineNotes, Marginals};
use super::moments::{CoordinateMoments, MapMoments};
use super::spectrum::{LogDeterminants, Spectrum};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::graph::Stars;
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};
use conjugate_gradients::sum;
use laplace::Laplace;
use preconditioner::Preconditioner;
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
    /// Effective resistance of the edge at each place, the smaller of what its two ends see.
    resistances: Vec<f64>,
    laplace: Laplace,
    for_coordinates: Option<Preconditioner>,
    for_maps: Option<Preconditioner>,
    /// Large buffers between uses: to ask for them anew each time costs more than to fill them.
    spare: Mutex<Vec<Vec<f64>>>,
}

/// q(x) and q(C), point by point.
#[derive(Clone)]
pub struct Beliefs {
    /// Means of the coordinates. `[n·d_x]`
    pub x: Vec<f64>,
    /// Conditional covariances S_i. `[n·d_x²]`
    pub s: Vec<f64>,
    /// Means of the maps, along the rows of the observations. `[n·d_x·rows]`
    pub c: Vec<f64>,
    /// Conditional column covariances T_i. `[n·d_x²]`
    pub t: Vec<f64>,
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

    /// Moments of q(x).
    fn coordinate_moments(&self, problem: &Problem, beliefs: &Beliefs) -> CoordinateMoments {
        let Sizes { n, d_x, .. } = Sizes::of(problem);
        let (square, rough) = graph_moments(problem, &beliefs.x, 1, &beliefs.s, 1.0);
        CoordinateMoments {
            square,
            rough,
            mean_square: sum(n, |i| beliefs.x[i * d_x..(i + 1) * d_x].iter().map(|v| v * v).sum()),
            log_det: log_determinant(&beliefs.s, d_x),
            shift_precision: None,
            directions: problem.size() as f64,
        }
    }

    /// Moments of q(C).
    fn map_moments(&self, problem: &Problem, hyper: &Hyperparameters, beliefs: &Beliefs) -> MapMoments {
        let Sizes { n, d_x, rows, d_y } = Sizes::of(problem);
        let (square, rough) = graph_moments(problem, &beliefs.c, rows, &beliefs.t, d_y);
        let total = (hyper.nu == 0.0).then(|| {
            let means: Vec<f64> = (0..d_x * rows).map(|p| sum(n, |i| beliefs.c[i * d_x * rows + p])).collect();
            Matrix::from_fn(d_x, d_x, |a, b| {
                let of_means: f64 = (0..rows).map(|f| means[a * rows + f] * means[b * rows + f]).sum();
                of_means + d_y * sum(n, |i| beliefs.t[(i * d_x + a) * d_x + b])
            })
        });
        MapMoments { square, rough, total, log_det: log_determinant(&beliefs.t, d_x), size: problem.size() as f64 }
    }
}

/// Σ_i ⟨v_iᵀv_i⟩ and Σ_ij (2L)_ij ⟨v_iᵀv_j⟩ for means of `rows` rows and block covariances that count `copies` times.
fn graph_moments(problem: &Problem, mean: &[f64], rows: usize, blocks: &[f64], copies: f64) -> (Matrix, Matrix) {
    let (n, d_x, graph) = (problem.n(), problem.n_components, &problem.graph);
    let at = |i: usize, a: usize| &mean[(i * d_x + a) * rows..(i * d_x + a + 1) * rows];
    let (mut square, mut rough) = (Matrix::zeros(d_x, d_x), Matrix::zeros(d_x, d_x));
    for a in 0..d_x {
        for b in 0..=a {
            let block = |i: usize| copies * blocks[(i * d_x + a) * d_x + b];
            let s = sum(n, |i| block(i) + at(i, a).iter().zip(at(i, b)).map(|(p, q)| p * q).sum::<f64>());
            // every edge is met twice, so that the sum over neighbours is that over 2L
            let r = sum(n, |i| {
                let steps: f64 = graph
                    .neighbors(i)
                    .iter()
                    .map(|&j| {
                        let (ja, jb) = (at(j as usize, a), at(j as usize, b));
                        let (ia, ib) = (at(i, a), at(i, b));
                        (0..rows).map(|f| (ja[f] - ia[f]) * (jb[f] - ib[f])).sum::<f64>()
                    })
                    .sum();
                steps + 2.0 * graph.degree(i) as f64 * block(i)
            });
            (square[(a, b)], square[(b, a)]) = (s, s);
            (rough[(a, b)], rough[(b, a)]) = (r, r);
        }
    }
    (square, rough)
}

/// Sum of the log-determinants of small blocks.
fn log_determinant(blocks: &[f64], d_x: usize) -> f64 {
    sum(blocks.len() / (d_x * d_x), |i| {
        let mut block = blocks[i * d_x * d_x..(i + 1) * d_x * d_x].to_vec();
        crate::linalg::small::invert(&mut block, d_x).unwrap_or(f64::NAN)
    })
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

impl Engine for Factorised {
    type Beliefs = Beliefs;
    type Kept = Beliefs;

    fn new(problem: &Problem, config: &Config) -> Result<Self> {
        let graph = &problem.graph;
        if config.ball_radius == 0 && graph.n() > LARGEST_WHOLE {
            let requirement =
                format!("at least 1 for more than {LARGEST_WHOLE} points: the whole graph is for small ones");
            return Err(Error::InvalidConfig { field: "ball_radius", requirement });
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
        let laplace = Laplace::new(problem, config)?;
        Ok(Self {
            stars,
            star_sums,
            reverse,
            resistances,
            laplace,
            for_coordinates: None,
            for_maps: None,
            spare: Mutex::default(),
        })
    }

    fn changed(&self, _: &Problem, problem: &Problem, config: &Config) -> Result<Self> {
        Self::new(problem, config)
    }

    fn forget(&mut self) {
        (self.for_coordinates, self.for_maps) = (None, None);
    }

    fn rest(&mut self) {
        (self.for_coordinates, self.for_maps) = (None, None);
        self.spare = Mutex::default();
    }

    fn begin(&self, problem: &Problem, _: &Hyperparameters, beginning: Beginning) -> Beliefs {
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
        Beliefs { x, s: blocks(spread), c, t: blocks(1.0) }
    }

    fn go_on(&self, _: &Problem, _: &Hyperparameters, before: &Beliefs) -> Beliefs {
        before.clone()
    }

    fn moments(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
    ) -> (CoordinateMoments, MapMoments) {
        (self.coordinate_moments(problem, beliefs), self.map_moments(problem, hyper, beliefs))
    }

    /// The residual is left to the update of the maps.
    fn update_coordinates(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        least: f64,
        beliefs: &mut Beliefs,
    ) -> Result<(CoordinateMoments, f64)> {
        self.improve_coordinate_covariances(problem, hyper, beliefs)?;
        self.improve_coordinates(problem, hyper, least, beliefs)?;
        Ok((self.coordinate_moments(problem, beliefs), f64::NAN))
    }

    fn update_maps(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        least: f64,
        beliefs: &mut Beliefs,
    ) -> Result<(MapMoments, f64)> {
        self.improve_map_covariances(problem, hyper, beliefs)?;
        self.improve_maps(problem, hyper, least, beliefs)?;
        Ok((self.map_moments(problem, hyper, beliefs), self.residual(problem, beliefs)))
    }

    fn rescale(&self, beliefs: &mut Beliefs, t: f64) {
        let times = |values: &mut [f64], factor: f64| values.par_iter_mut().for_each(|v| *v *= factor);
        times(&mut beliefs.x, t);
        times(&mut beliefs.s, t * t);
        times(&mut beliefs.c, 1.0 / t);
        times(&mut beliefs.t, 1.0 / (t * t));
    }

    fn keep(&self, beliefs: &Beliefs) -> Beliefs {
        beliefs.clone()
    }

    fn extrapolate(&self, beliefs: &mut Beliefs, kept: &Beliefs, share: f64) {
        beliefs.c.par_iter_mut().zip(&kept.c).for_each(|(now, then)| *now += share * (*now - then));
    }

    fn restore(&mut self, beliefs: &mut Beliefs, kept: Beliefs, _: f64) {
        *beliefs = kept;
    }

    fn park(&self, _: &mut Beliefs) {}

    fn resume(
        &mut self,
        _: &Problem,
        _: &Hyperparameters,
        _: bool,
        _: &mut Beliefs,
    ) -> Result<Option<(CoordinateMoments, f64)>> {
        Ok(None)
    }

    fn spectrum(&self) -> &Spectrum {
        &self.laplace.spectrum
    }

    fn log_determinants(&mut self, problem: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants> {
        self.laplace.log_determinants(problem, hyper)
    }

    fn coordinates(&self, problem: &Problem, beliefs: &Beliefs) -> Matrix {
        let d_x = problem.n_components;
        Matrix::from_fn(problem.n(), d_x, |i, a| beliefs.x[i * d_x + a])
    }

    fn map<'b>(&self, problem: &Problem, beliefs: &'b Beliefs, i: usize, a: usize) -> &'b [f64] {
        let Sizes { d_x, rows, .. } = Sizes::of(problem);
        &beliefs.c[(i * d_x + a) * rows..(i * d_x + a + 1) * rows]
    }

    /// Of edges as their surroundings have it, of other pairs by a solve each.
    fn resistances(&self, problem: &Problem, pairs: &[(u32, u32)]) -> Vec<f64> {
        let graph = &problem.graph;
        pairs
            .par_iter()
            .map(|&(i, j)| match graph.neighbors(i as usize).binary_search(&j) {
                Ok(place) => self.resistances[graph.first(i as usize) + place],
                Err(_) => {
                    let mut ends = vec![0.0; graph.n()];
                    (ends[i as usize], ends[j as usize]) = (1.0, -1.0);
                    let potential = self.laplace.solve(problem, &ends);
                    potential[i as usize] - potential[j as usize]
                }
            })
            .collect()
    }

    fn marginals(
        &mut self,
        problem: &Problem,
        config: &Config,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
    ) -> Result<Marginals> {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let by_point = |blocks: &[f64]| Matrix::from_fn(d_x * d_x, n, |p, i| blocks[i * d_x * d_x + p]);
        let draws = config.draws.unwrap_or_else(|| draws::usual(n));
        let (covariances, deviations) = match draws {
            0 => (beliefs.s.clone(), Deviations::Conditional),
            draws => {
                let relative_error = (0.5 / draws as f64).sqrt();
                let covariances = self.sampled_covariances(problem, config, hyper, beliefs, draws)?;
                (covariances, Deviations::Sampled { draws, relative_error })
            }
        };
        Ok(Marginals {
            mean: self.coordinates(problem, beliefs),
            covariances: by_point(&covariances),
            full: None,
            maps: Matrix::from_fn(rows, n * d_x, |f, p| beliefs.c[p * rows + f]),
            map_covariances: by_point(&beliefs.t),
            shift_precision: hyper.alpha,
            deviations,
        })
    }

    fn notes(&self, problem: &Problem) -> EngineNotes {
        EngineNotes {
            kind: EngineKind::Factorised,
            reason: None,
            solver: self.laplace.solver(),
            bound_error: self.laplace.bound_error(problem),
        }
    }
}
