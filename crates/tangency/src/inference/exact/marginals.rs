//! What is read from the full covariances.

use super::{Beliefs, Exact};
use crate::config::{Config, Rule};
use crate::error::Result;
use crate::inference::engine::{Deviations, EngineKind, EngineNotes, Marginals, PointMarginals, Solver};
use crate::inference::state::State;
use crate::linalg::Matrix;
use crate::model::Problem;

impl Marginals for Exact {
    fn coordinates(&self, _: &Problem, beliefs: &Beliefs) -> Matrix {
        beliefs.coordinates.mean.clone()
    }

    fn map<'b>(&self, problem: &Problem, beliefs: &'b Beliefs, i: usize, a: usize) -> &'b [f64] {
        beliefs.maps.mean.col_as_slice(a * problem.n() + i)
    }

    fn resistances(&self, _: &Problem, pairs: &[(u32, u32)]) -> Vec<f64> {
        pairs.iter().map(|&(i, j)| self.laplacian.resistance(i as usize, j as usize)).collect()
    }

    fn marginals(&mut self, problem: &Problem, config: &Config, state: &State<Beliefs>) -> Result<PointMarginals> {
        let (n, d_x) = (problem.n(), problem.n_components);
        let Beliefs { coordinates, maps, .. } = &state.beliefs;
        let by_point = |covariance: &dyn Fn(usize, usize, usize) -> f64| {
            Matrix::from_fn(d_x * d_x, n, |p, i| covariance(p / d_x, p % d_x, i))
        };
        Ok(PointMarginals {
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
                Rule::Learned => state.hyper.alpha,
                Rule::Fixed(_) => coordinates.shift_precision,
            },
            deviations: Deviations::Exact,
        })
    }

    fn notes(&self, _: &Problem) -> EngineNotes {
        EngineNotes { kind: EngineKind::Exact, solver: Solver::Dense, ..EngineNotes::default() }
    }
}
