//! Marginal covariances of points by draws from the Gaussian of all coordinates: a right-hand side with the covariance of
//! the precision matrix, solved by the same conjugate gradients, is a draw (eq. 26).

use super::conjugate_gradients::{conjugate_gradients, dot};
use super::laplace::times_laplacian;
use super::measured::Measured;
use super::stars::Arms;
use super::{Beliefs, Factorised, Sizes};
use crate::config::Config;
use crate::error::Result;
use crate::inference::state::State;
use crate::linalg::small::lower_factor;
use crate::model::{CoordinatePrior, GraphPrecision, MapPrior, Problem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

/// A solve ends when a step gains less than this, in nats: every direction, however uncertain, is worth half a nat.
const LEAST: f64 = 0.02;
const MOST: usize = 200;
/// Freedom is estimated from random vectors with so many numbers in all, and the noise found anew with it so often or until
/// it moves by less than this share.
const PROBED: usize = 8000;
const PASSES: usize = 5;
const STILL: f64 = 0.02;
/// Draws at work at a time.
const AT_A_TIME: usize = 4;

/// Number of draws where the user gives none: many while they are cheap.
pub fn usual(n: usize) -> usize {
    match n {
        0..=20_000 => 100,
        20_001..=200_000 => 32,
        _ => 16,
    }
}

impl Factorised {
    /// Covariance of each point about the centroid of all. `[n·d_x²]`
    pub(super) fn sampled_covariances(
        &self,
        problem: &Problem,
        config: &Config,
        state: &State<Beliefs>,
        draws: usize,
    ) -> Result<Vec<f64>> {
        let measured = Measured::new(self, problem)?;
        let state = match state.graph {
            None => self.with_joint_noise(&measured, config, state)?,
            Some(_) => self.without_curvature(problem, state)?,
        };
        self.covariances_of_draws(&measured, config, &state, draws)
    }

    /// The same with this noise.
    ///
    /// Where x = A⁻¹ε is a draw, x_i − S_iε_i is its mean given all other points; its covariance and S_i together have
    /// less error than the covariance of x_i alone. Next to a missing entry S_i is not that of what is measured, and x_i alone
    /// is taken.
    pub(super) fn covariances_of_draws(
        &self,
        measured: &Measured,
        config: &Config,
        state: &State<Beliefs>,
        draws: usize,
    ) -> Result<Vec<f64>> {
        let problem = measured.problem;
        let Sizes { n, d_x, .. } = Sizes::of(problem);
        let beliefs = &state.beliefs;
        let alone = measured.next_to_gaps();
        let preconditioner = self.precondition_coordinates(problem, state)?;
        let mut total = vec![0.0; n * d_x * d_x];
        for first in (0..draws).step_by(AT_A_TIME) {
            let drawn: Vec<Vec<f64>> = (first..(first + AT_A_TIME).min(draws))
                .into_par_iter()
                .map(|draw| {
                    let mut rng = ChaCha8Rng::seed_from_u64(config.random_state);
                    rng.set_stream(1 + draw as u64);
                    let right = self.noise(measured, state, &mut rng);
                    let mut x = vec![0.0; n * d_x];
                    conjugate_gradients(
                        |v| measured.coordinate_precision(state, v),
                        |v| preconditioner.apply(&self.laplace, &beliefs.s, v),
                        &right,
                        &mut x,
                        LEAST,
                        MOST,
                    );
                    center(&mut x, d_x);
                    x.par_chunks_mut(d_x).enumerate().filter(|(i, _)| !alone[*i]).for_each(|(i, x)| {
                        for a in 0..d_x {
                            for b in 0..d_x {
                                x[a] -= beliefs.s[(i * d_x + a) * d_x + b] * right[i * d_x + b];
                            }
                        }
                    });
                    x
                })
                .collect();
            for x in &drawn {
                total.par_chunks_mut(d_x * d_x).zip(x.par_chunks(d_x)).for_each(|(total, x)| {
                    (0..d_x * d_x).for_each(|p| total[p] += x[p / d_x] * x[p % d_x]);
                });
            }
        }
        total.par_iter_mut().zip(&beliefs.s).enumerate().for_each(|(at, (total, s))| {
            let own = if alone[at / (d_x * d_x)] { 0.0 } else { *s };
            *total = *total / draws as f64 + own;
        });
        Ok(total)
    }

    /// The precision γ of the noise, and covariances with it, that go with uncertainty which points share.
    ///
    /// γ balances what the means leave unexplained and what uncertainty adds to it. Independent points add more than points
    /// that vary together, so that the γ of the bound is too small for the deviations of all coordinates together.
    fn with_joint_noise(&self, measured: &Measured, config: &Config, state: &State<Beliefs>) -> Result<State<Beliefs>> {
        let problem = measured.problem;
        let entries = problem.n_features() as f64 * (problem.n() - 1) as f64 - problem.missing().count;
        let unexplained = self.residual_of_means(problem, &state.beliefs);
        let mut state = state.clone();
        for _ in 0..PASSES {
            let mut rng = ChaCha8Rng::seed_from_u64(config.random_state);
            let left = entries - self.freedom(measured, &state, &mut rng)?;
            if !(left > 0.0 && unexplained > 0.0) {
                break;
            }
            // more noise, less freedom, and the other way round: a third of the way
            let before = state.hyper.gamma;
            state.hyper.gamma = before.powf(2.0 / 3.0) * (0.5 * left / unexplained).cbrt();
            self.improve_coordinate_covariances(problem, &mut state)?;
            self.improve_map_covariances(problem, &mut state)?;
            if (state.hyper.gamma / before).ln().abs() < STILL {
                break;
            }
        }
        Ok(state)
    }

    /// How many numbers the coordinates and the maps take from the data: their own number less what their priors hold,
    /// tr(I − KΣ), by random signs z with zᵀKΣz.
    fn freedom(&self, measured: &Measured, state: &State<Beliefs>, rng: &mut ChaCha8Rng) -> Result<f64> {
        let problem = measured.problem;
        let Sizes { d_x, rows, d_y, .. } = Sizes::of(problem);
        let State { beliefs, hyper, .. } = state;
        let (prior, of_maps) = (CoordinatePrior::new(hyper).precision(), MapPrior::new(problem, hyper).precision());
        let size = problem.size() as f64;
        let mut signs = |length: usize| -> Vec<f64> {
            (0..length).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect()
        };
        let for_x = self.precondition_coordinates(problem, state)?;
        let for_c = self.precondition_maps(problem, state)?;
        let (mut held_x, mut held_c) = (0.0, 0.0);
        let probes = PROBED.div_ceil(problem.size());
        // a ten-thousandth of the sum is enough here
        let least = LEAST.max(1e-4 * size);
        for _ in 0..probes {
            let z = signs(beliefs.x.len());
            let mut v = vec![0.0; z.len()];
            let (apply, precondition) = (
                |v: &[f64]| measured.coordinate_precision(state, v),
                |v: &[f64]| for_x.apply(&self.laplace, &beliefs.s, v),
            );
            conjugate_gradients(apply, precondition, &z, &mut v, least, MOST);
            let rough = times_laplacian(&problem.graph, d_x, &v);
            held_x += prior.own * dot(&z, &v) + prior.edge * dot(&z, &rough);
            // that maps are uncertain where coordinates are is in both sums
            let mut shared = vec![0.0; v.len()];
            self.add_stars(problem, &beliefs.t, 1, Arms::Difference, 0.5 * hyper.gamma * d_y, &v, &mut shared);
            held_x += dot(&z, &shared);

            // every row of the maps has the same covariance: one sign vector a row
            let z = signs(beliefs.c.len());
            let mut v = vec![0.0; z.len()];
            let (apply, precondition) = (
                |v: &[f64]| self.map_precision(problem, state, v),
                |v: &[f64]| for_c.apply(&self.laplace, &beliefs.t, v),
            );
            conjugate_gradients(apply, precondition, &z, &mut v, least, MOST);
            let rough = times_laplacian(&problem.graph, d_x * rows, &v);
            held_c += (of_maps.own * dot(&z, &v) + of_maps.edge * dot(&z, &rough)) / rows as f64;
        }
        let probes = probes as f64;
        Ok((size - held_x / probes) + d_y * (size - held_c / probes))
    }

    /// A vector whose covariance is the precision of the coordinates: one independent part for each of its terms.
    fn noise(&self, measured: &Measured, state: &State<Beliefs>, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let problem = measured.problem;
        let Sizes { n, d_x, rows, d_y } = Sizes::of(problem);
        let State { beliefs, hyper, .. } = state;
        let GraphPrecision { own, edge, .. } = CoordinatePrior::new(hyper).precision();
        let graph = &problem.graph;
        let mut normal = || -> f64 { rng.sample(StandardNormal) };

        // 2γ F̄ᵀ(P − P_m)F̄: of a projection the root is itself
        let mut flow = vec![0.0; n * rows];
        for &(i, j) in graph.edges() {
            for f in 0..rows {
                let value = normal();
                flow[i as usize * rows + f] -= value;
                flow[j as usize * rows + f] += value;
            }
        }
        let gamma = state.gamma_of_coordinates();
        let mut out = measured.pull(&beliefs.c, &flow, (0.5 * gamma).sqrt());

        // αI + 2L
        match &state.graph {
            None => out.iter_mut().for_each(|slot| *slot += own.sqrt() * normal()),
            Some(term) => {
                let factor = lower_factor(&term.precision, d_x);
                for (i, out) in out.chunks_exact_mut(d_x).enumerate() {
                    let factor = match &term.structure {
                        Some(structure) => &lower_factor(structure.block(i), d_x),
                        None => &factor,
                    };
                    let white: Vec<f64> = (0..d_x).map(|_| normal()).collect();
                    for a in 0..d_x {
                        out[a] += (0..=a).map(|b| factor[a * d_x + b] * white[b]).sum::<f64>();
                    }
                }
            }
        }
        for (e, &(i, j)) in graph.edges().iter().enumerate() {
            let edge = state.graph.as_ref().map_or(edge, |term| term.weights[e]);
            for a in 0..d_x {
                let value = edge.sqrt() * normal();
                out[i as usize * d_x + a] -= value;
                out[j as usize * d_x + a] += value;
            }
        }

        // ½γ d_y Σ_i star₋(P_i, T_i)
        let factor = (0.5 * gamma * d_y).sqrt();
        for i in 0..n {
            let list = graph.neighbors(i);
            let of_t = lower_factor(&beliefs.t[i * d_x * d_x..(i + 1) * d_x * d_x], d_x);
            for star in self.stars.of(i) {
                let of_p = lower_factor(star.matrix, star.size);
                let white: Vec<f64> = (0..star.size * d_x).map(|_| normal()).collect();
                for j in 0..star.size {
                    let point = list[star.first + j] as usize;
                    for a in 0..d_x {
                        let mut value = 0.0;
                        for l in 0..=j {
                            for b in 0..=a {
                                value += of_p[j * star.size + l] * of_t[a * d_x + b] * white[l * d_x + b];
                            }
                        }
                        out[point * d_x + a] += factor * value;
                        out[i * d_x + a] -= factor * value;
                    }
                }
            }
        }
        out
    }
}

/// Takes the centroid out.
fn center(x: &mut [f64], d_x: usize) {
    let n = x.len() / d_x;
    for a in 0..d_x {
        let marks: Vec<f64> = (0..x.len()).map(|p| f64::from(u8::from(p % d_x == a))).collect();
        let mean = dot(x, &marks) / n as f64;
        x.iter_mut().skip(a).step_by(d_x).for_each(|v| *v -= mean);
    }
}
