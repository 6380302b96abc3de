//! Missing entries in both engines: what is known of coordinates is what was measured, and no update lowers the bound.
#![allow(clippy::unwrap_used)]

use super::bound::bound;
use super::engine::{Beginning, Engine};
use super::exact::Exact;
use super::factorised::Factorised;
use super::literal::{normal, random_problem};
use super::terms::likelihood::{part, update_gamma};
use super::terms::maps::update_lambda_nu;
use super::*;
use crate::config::Config;
use crate::linalg::{Matrix, SpdWork, invert_spd, mirror_lower, product};
use crate::model::{Hyperparameters, MissingEntries, Problem, flow};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A random problem that lacks entries, with maps and hyper-parameters that no update has made.
struct Case {
    problem: Problem,
    entries: Vec<(u32, u32)>,
    maps: Matrix,
    hyper: Hyperparameters,
}

impl Case {
    fn new(seed: u64, n: usize, d_x: usize, d_y: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let problem = random_problem(n, d_x, d_y, &mut rng);
        let all = (0..n as u32).flat_map(|i| (0..d_y as u32).map(move |f| (i, f)));
        // each feature is known somewhere
        let mut entries: Vec<(u32, u32)> =
            all.filter(|&(i, f)| i != f % n as u32 && rng.random::<f64>() < 0.3).collect();
        entries.push(((d_y as u32) % n as u32, 0));
        entries.retain(|&(i, f)| i != f % n as u32);
        entries.sort_unstable();
        entries.dedup();
        let mut positive = || rng.random_range(0.2..3.0);
        let hyper = Hyperparameters {
            alpha: positive(),
            gamma: positive(),
            lambda: positive(),
            nu: positive(),
            heaviness: 0.0,
        };
        let maps = normal(d_y, n * d_x, &mut rng);
        Self { problem, entries, maps, hyper }
    }

    /// The same with other values in place of missing entries.
    fn with(&self, observations: Matrix, lacking: bool) -> Problem {
        let Problem { graph, n_components, epsilon, .. } = &self.problem;
        let made = Problem::new(observations, graph.clone(), *n_components, *epsilon).unwrap();
        made.lacking(lacking.then(|| Arc::new(MissingEntries::from_pairs(&self.entries)))).unwrap()
    }

    fn begin<E: Engine>(&self, problem: &Problem, engine: &E) -> State<E::Beliefs> {
        let mean = Matrix::from_fn(problem.n(), problem.n_components, |i, a| ((3 * i + a) as f64).sin());
        engine.begin(problem, self.hyper, Beginning { mean, spread: 0.3, maps: Some(self.maps.clone()) })
    }

    /// Maps point by point.
    fn maps_by_point(&self) -> Matrix {
        let (n, d_x) = (self.problem.n(), self.problem.n_components);
        Matrix::from_fn(self.maps.nrows(), n * d_x, |f, p| self.maps[(f, (p % d_x) * n + p / d_x)])
    }
}

fn inverse(mut matrix: Matrix) -> Matrix {
    let size = matrix.nrows();
    invert_spd(&mut matrix, &mut SpdWork::new(size), "test").unwrap();
    mirror_lower(&mut matrix);
    matrix
}

/// Where the coordinates are given q(C), point by point.
fn placed<E: Engine>(case: &Case, problem: &Problem, config: &Config) -> (Matrix, Matrix) {
    let mut engine = E::new(problem, config).unwrap();
    let mut state = case.begin(problem, &engine);
    engine.update_coordinates(problem, &mut state, 1e-12).unwrap();
    let found = engine.marginals(problem, config, &state).unwrap();
    let (n, d_x) = (problem.n(), problem.n_components);
    (Matrix::from_fn(n * d_x, 1, |p, _| found.mean[(p / d_x, p % d_x)]), found.full.unwrap_or(found.covariances))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// By brute force: every missing entry is moved in turn and the coordinates are found again, which shows how these follow;
    /// with the covariance of the entries when coordinates follow them, that adds to what is known of the coordinates.
    #[test]
    fn coordinates_follow_missing_entries(seed in any::<u64>(), n in 5usize..14, d_x in 1usize..3, d_y in 2usize..6) {
        let case = Case::new(seed, n, d_x, d_y);
        let config = Config { full_covariance: true, ..Config::default() };
        let y = case.problem.observations.as_ref().clone();
        let (whole, lacking) = (case.with(y.clone(), false), case.with(y.clone(), true));
        let (mean, covariance) = placed::<Exact>(&case, &whole, &config);
        let (same, found) = placed::<Exact>(&case, &lacking, &config);
        prop_assert!((&mean - &same).norm_l2() < 1e-12);
        // J: how coordinates follow each entry
        let count = case.entries.len();
        let mut follow = Matrix::zeros(n * d_x, count);
        for (e, &(i, f)) in case.entries.iter().enumerate() {
            let mut moved = y.clone();
            moved[(f as usize, i as usize)] += 1.0;
            let (there, _) = placed::<Exact>(&case, &case.with(moved, false), &config);
            (0..n * d_x).for_each(|p| follow[(p, e)] = there[(p, 0)] - mean[(p, 0)]);
        }
        // 2γL_mm − GᵀJ: the precision of the entries when coordinates follow; Gᵀ is 2γ times what flows into them
        let (graph, gamma, maps) = (&case.problem.graph, case.hyper.gamma, case.maps_by_point());
        let mut follows = Matrix::zeros(count, count);
        for e in 0..count {
            let coordinates = Matrix::from_fn(n, d_x, |i, a| follow[(i * d_x + a, e)]);
            let flowing = flow(graph, &coordinates, &maps);
            for (r, &(i, f)) in case.entries.iter().enumerate() {
                follows[(r, e)] = 2.0 * gamma * flowing[(f as usize, i as usize)];
            }
        }
        let precision = Matrix::from_fn(count, count, |r, e| {
            let ((i, f), (j, g)) = (case.entries[r], case.entries[e]);
            let laplacian = match i == j {
                true => graph.degree(i as usize) as f64,
                false if graph.neighbors(i as usize).contains(&j) => -1.0,
                false => 0.0,
            };
            (if f == g { 2.0 * gamma * laplacian } else { 0.0 }) - follows[(r, e)]
        });
        let of_entries = inverse(precision);
        let added = product(&product(&follow, &of_entries), &follow.transpose().to_owned());
        let expected = &covariance + &added;
        prop_assert!((&found - &expected).norm_l2() < 1e-7 * (1.0 + expected.norm_l2()), "{}", (&found - &expected).norm_l2());
        prop_assert!(added.norm_l2() > 0.0);
    }

    /// The layout and the entries in turn, each update by itself.
    #[test]
    fn no_update_lowers_the_bound(seed in any::<u64>(), n in 5usize..20, d_x in 1usize..3, d_y in 2usize..6) {
        let case = Case::new(seed, n, d_x, d_y);
        climbs::<Exact>(&case)?;
        climbs::<Factorised>(&case)?;
    }

    #[test]
    fn gamma_is_the_best(seed in any::<u64>(), n in 5usize..20, d_y in 1usize..6, epsilon in 1e-6f64..10.0) {
        let case = Case::new(seed, n, 1, d_y);
        let mut problem = case.with(case.problem.observations.as_ref().clone(), true);
        problem.epsilon = epsilon;
        let engine = Exact::new(&problem, &Config::default()).unwrap();
        let mut state = case.begin(&problem, &engine);
        state.statistics.residual = 0.4 * problem.edge_energy;
        let best = update_gamma(&problem, &state.statistics);
        let at = |gamma: f64| part(&problem, &state.statistics, &Hyperparameters { gamma, ..case.hyper });
        for factor in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
            prop_assert!(at(best) >= at(factor * best), "{factor}: {} {}", at(best), at(factor * best));
        }
        // and there is no slope
        let slope = (at(best * 1.0001) - at(best / 1.0001)) / 2e-4;
        prop_assert!(slope.abs() < 1e-4 * (n * d_y) as f64, "{slope}");
    }
}

fn climbs<E: Engine>(case: &Case) -> std::result::Result<(), TestCaseError> {
    let config = Config { ball_radius: 0, ..Config::default() };
    let mut problem = case.with(case.problem.observations.as_ref().clone(), true);
    let mut engine = E::new(&problem, &config).unwrap();
    let mut state = case.begin(&problem, &engine);
    let mut last = f64::NEG_INFINITY;
    for round in 0..5 {
        // entries; the residual is known after the coordinates and maps
        let filling = problem.filling().unwrap().unwrap();
        let n = problem.n();
        let maps = Matrix::from_fn(problem.n_features(), n * problem.n_components, |f, p| {
            engine.map(&problem, &state.beliefs, p / problem.n_components, p % problem.n_components)[f]
        });
        let along = flow(&problem.graph, &engine.coordinates(&problem, &state.beliefs), &maps);
        let mut y = problem.observations.as_ref().clone();
        filling.fill(&problem.graph, &mut y, Some(&along));
        problem = case.with(y, true);
        for step in ["coordinates", "maps", "gamma", "lambda and nu"] {
            match step {
                "coordinates" => engine.update_coordinates(&problem, &mut state, 1e-9).unwrap(),
                "maps" => engine.update_maps(&problem, &mut state, 1e-9).unwrap(),
                "gamma" => state.hyper.gamma = update_gamma(&problem, &state.statistics),
                _ => {
                    let of_c = &state.statistics.maps;
                    let found = update_lambda_nu(&problem, engine.spectrum(), of_c, &state.hyper, None);
                    (state.hyper.lambda, state.hyper.nu) = found;
                }
            }
            if step == "coordinates" {
                continue;
            }
            let log_dets = engine.log_determinants(&problem, &state.hyper).unwrap();
            let next = bound(&problem, &state.statistics, &state.hyper, None, &log_dets).total();
            prop_assert!(
                next >= last - 1e-8 * (1.0 + last.abs()) || last.is_infinite(),
                "{step} {round}: {last} → {next}"
            );
            last = next;
        }
    }
    Ok(())
}
