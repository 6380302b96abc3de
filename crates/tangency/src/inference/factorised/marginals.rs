//! What is read from independent points: their own covariances, or those that draws of all points together show.

use super::measured::Measured;
use super::{Beliefs, Factorised, Sizes, draws};
use crate::config::Config;
use crate::error::Result;
use crate::inference::engine::{Deviations, EngineKind, EngineNotes, Marginals, PointMarginals};
use crate::inference::state::State;
use crate::linalg::Matrix;
use crate::model::Problem;
use rayon::prelude::*;

impl Marginals for Factorised {
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

    fn marginals(&mut self, problem: &Problem, config: &Config, state: &State<Beliefs>) -> Result<PointMarginals> {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let by_point = |blocks: &[f64]| Matrix::from_fn(d_x * d_x, n, |p, i| blocks[i * d_x * d_x + p]);
        let draws = config.draws.unwrap_or_else(|| draws::usual(n));
        let (covariances, deviations) = match draws {
            0 => (Measured::new(self, problem)?.conditional(state), Deviations::Conditional),
            draws => {
                let relative_error = (0.5 / draws as f64).sqrt();
                let covariances = self.sampled_covariances(problem, config, state, draws)?;
                (covariances, Deviations::Sampled { draws, relative_error })
            }
        };
        Ok(PointMarginals {
            mean: self.coordinates(problem, &state.beliefs),
            covariances: by_point(&covariances),
            full: None,
            maps: Matrix::from_fn(rows, n * d_x, |f, p| state.beliefs.c[p * rows + f]),
            map_covariances: by_point(&state.beliefs.t),
            map_draws: None,
            shift_precision: state.hyper.alpha,
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
