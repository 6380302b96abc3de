//! What is read from the full covariances.

use super::{Beliefs, Coordinates, Exact, Maps};
use crate::config::{Config, Rule};
use crate::error::Result;
use crate::inference::engine::{Deviations, EngineKind, EngineNotes, Marginals, PointMarginals, Solver, Updates};
use crate::inference::state::State;
use crate::linalg::{Matrix, SpdWork, factor_times, invert_spd};
use crate::model::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::borrow::Cow;

/// Draws of all maps together.
const DRAWS: usize = 64;

/// Shares of the part that is not measured which may be taken off. At rest it is all; a run that was ended early may have moved on
/// since the covariance was found.
const SHARES: [f64; 4] = [1.0, 0.95, 0.8, 0.5];

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
        // what follows needs room of its own
        self.release_buffers();
        let maps = &state.beliefs.maps;
        let means = Matrix::from_fn(maps.mean.nrows(), n * d_x, |f, p| maps.mean[(f, (p % d_x) * n + p / d_x)]);
        let coordinates = &measured_alone(problem, state, &means)?;
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
            maps: means,
            map_covariances: by_point(&|a, b, i| maps.covariance_of(n, a, i, b, i)),
            map_draws: (config.draws != Some(0)).then(|| map_draws(maps, n, config.random_state)).flatten(),
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

/// Draws of the columns of all maps about their means, point by point; none where rounding has left no covariance to draw from.
/// [n·d_x, DRAWS]
fn map_draws(maps: &Maps, n: usize, seed: u64) -> Option<Matrix> {
    let size = maps.covariance.nrows();
    let d_x = size / n;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let white = Matrix::from_fn(size, DRAWS, |_, _| rng.sample(StandardNormal));
    let drawn = factor_times(maps.covariance.clone(), &white, "covariance of the maps").ok()?;
    let scale = maps.scale.sqrt();
    Some(Matrix::from_fn(size, DRAWS, |p, draw| scale * drawn[((p % d_x) * n + p / d_x, draw)]))
}

/// q(x) by what is measured alone: missing entries are averaged out together with it (eq. 37).
fn measured_alone<'s>(problem: &Problem, state: &'s State<Beliefs>, maps: &Matrix) -> Result<Cow<'s, Coordinates>> {
    let coordinates = &state.beliefs.coordinates;
    let Some(filling) = problem.filling()? else { return Ok(Cow::Borrowed(coordinates)) };
    let unmeasured = filling.unmeasured(&problem.graph, &problem.in_features(maps.clone()));
    let size = problem.size();
    let (name, mut work) = ("precision of the coordinates", SpdWork::new(size));
    let mut precision = coordinates.covariance.clone();
    invert_spd(&mut precision, &mut work, name)?;
    // of the stored covariance, which is Σ_x / scale
    let factor = 2.0 * state.gamma_of_coordinates() * coordinates.scale;
    for share in SHARES {
        let mut covariance =
            Matrix::from_fn(size, size, |p, q| precision[(p, q)] - share * factor * unmeasured[(p, q)]);
        if invert_spd(&mut covariance, &mut work, name).is_ok() {
            return Ok(Cow::Owned(Coordinates { covariance, ..coordinates.clone() }));
        }
    }
    Ok(Cow::Borrowed(coordinates))
}
