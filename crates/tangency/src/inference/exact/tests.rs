//! The engine against literal sums, and the bound after every single update.
#![allow(clippy::unwrap_used)]

use super::aggregate::{Aggregator, Sign};
use super::*;
use crate::graph::Graph;
use crate::inference::bound;
use crate::inference::literal::{Literal, normal, random_graph, random_problem};
use crate::inference::state::Statistics;
use crate::inference::terms::coordinates::update_alpha;
use crate::inference::terms::likelihood::update_gamma;
use crate::inference::terms::maps::{update_lambda, update_lambda_nu};
use crate::inference::terms::rescaling::best_rescaling;
use crate::linalg::invert_spd;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn random_spd(size: usize, rng: &mut ChaCha8Rng) -> Matrix {
    let factor = normal(size, size + 3, rng);
    &factor * factor.transpose()
}

/// The four-fold sum of the definition.
fn literal(graph: &Graph, lp: &Matrix, s: &Matrix, sign: f64, a: usize, b: usize) -> Matrix {
    let n = graph.n();
    let s = |i: usize, j: usize| s[(a * n + i, b * n + j)];
    Matrix::from_fn(n, n, |i, j| {
        let mut sum = 0.0;
        for &p in graph.neighbors(i) {
            for &q in graph.neighbors(j) {
                let (p, q) = (p as usize, q as usize);
                sum += (lp[(p, q)] - lp[(p, j)] - lp[(i, q)] + lp[(i, j)])
                    * (s(p, q) + sign * s(p, j) + sign * s(i, q) + s(i, j));
            }
        }
        sum
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn aggregate_is_the_four_fold_sum(seed in any::<u64>(), n in 2usize..40, d_x in 1usize..4, plus in any::<bool>()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(n, 2 * n, &mut rng);
        let laplacian = Laplacian::new(&graph).unwrap();
        let moments = random_spd(n * d_x, &mut rng);
        let mut found = moments.clone();
        let sign = if plus { Sign::Plus } else { Sign::Minus };
        Aggregator::new(&graph, &laplacian).aggregate(&mut found, sign, 1.0);
        for b in 0..d_x {
            for a in b..d_x {
                let expected = literal(&graph, &laplacian.pseudo_inverse, &moments, if plus { 1.0 } else { -1.0 }, a, b);
                for j in 0..n {
                    for i in if a == b { j } else { 0 }..n {
                        let (e, f) = (expected[(i, j)], found[(a * n + i, b * n + j)]);
                        prop_assert!((e - f).abs() < 1e-9 * (1.0 + e.abs()), "{a}{b} {i} {j}: {e} {f}");
                    }
                }
            }
        }
    }
}

/// A random problem with a random posterior that no update has made.
struct Case {
    problem: Problem,
    state: State<Beliefs>,
}

impl Case {
    fn new(seed: u64, n: usize, d_x: usize, d_y: usize, paper: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let problem = random_problem(n, d_x, d_y, &mut rng);
        let mut precision = |room: f64| {
            let mut matrix = random_spd(n * d_x, &mut rng);
            (0..n * d_x).for_each(|p| matrix[(p, p)] += room);
            matrix
        };
        let mut covariance = precision(1.0);
        let log_det = -invert_spd(&mut covariance, &mut SpdWork::new(n * d_x), "test").unwrap();
        let maps = Maps { mean: normal(d_y, n * d_x, &mut rng), covariance, scale: 1.0, log_det };
        let coordinates = Coordinates {
            mean: Matrix::zeros(n, d_x),
            covariance: Matrix::identity(n * d_x, n * d_x),
            scale: 1.0,
            pin: 1.0,
            shift_precision: 1.0,
            log_det: 0.0,
        };
        let mut positive = || rng.random_range(0.2..3.0);
        let hyper = Hyperparameters {
            alpha: positive(),
            gamma: positive(),
            lambda: positive(),
            nu: if paper { 0.0 } else { positive() },
            heaviness: 0.0,
        };
        let engine = Exact::new(&problem, &Config::default()).unwrap();
        let state = engine.state(&problem, hyper, Beliefs::of(coordinates, maps));
        Self { problem, state }
    }
}

/// The bound by the spectrum of the Laplacian.
fn bound(problem: &Problem, state: &State<Beliefs>) -> f64 {
    let State { hyper, statistics, .. } = state;
    let log_dets = Exact::new(problem, &Config::default()).unwrap().log_determinants(problem, hyper).unwrap();
    bound::bound(problem, statistics, hyper, None, &log_dets).total()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + expected.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn two_iterations_equal_the_sums_of_the_appendix(
        seed in any::<u64>(), n in 3usize..14, d_x in 1usize..4, d_y in 1usize..13, paper in any::<bool>()
    ) {
        let Case { problem, mut state } = Case::new(seed, n, d_x, d_y, paper);
        let mut work = Workspace::new(&problem, &Laplacian::new(&problem.graph).unwrap());
        let mut literal = Literal::new(&problem, &state.beliefs.maps);
        for _ in 0..2 {
            update_coordinates(&problem, &mut state, &mut work).unwrap();
            literal.update_coordinates(&state.hyper);
            let (found, expected) = (bound(&problem, &state), literal.bound(&state.hyper));
            prop_assert!(close(found, expected), "bound after q(x): {found} {expected}");

            update_maps(&problem, &mut state, &mut work).unwrap();
            literal.update_maps(&state.hyper);
            let Beliefs { coordinates, maps, .. } = &state.beliefs;
            for i in 0..n {
                for a in 0..d_x {
                    prop_assert!(close(coordinates.mean[(i, a)], literal.x[i * d_x + a]));
                    for f in 0..d_y {
                        prop_assert!(close(maps.mean[(f, a * n + i)], literal.c[(f, i * d_x + a)]));
                    }
                    for j in 0..n {
                        for b in 0..d_x {
                            let shift = if a == b { 1.0 / (n as f64 * coordinates.shift_precision) } else { 0.0 };
                            let x = coordinates.centered_covariance(a, i, b, j) + shift;
                            prop_assert!(close(x, literal.x_covariance[(i * d_x + a, j * d_x + b)]));
                            let c = maps.covariance_of(n, a, i, b, j);
                            prop_assert!(close(c, literal.c_covariance[(i * d_x + a, j * d_x + b)]));
                        }
                    }
                }
            }
            let (found, expected) = (bound(&problem, &state), literal.bound(&state.hyper));
            prop_assert!(close(found, expected), "bound after q(C): {found} {expected}");
            state.hyper.gamma = update_gamma(&problem, &state.statistics);
            prop_assert!(close(state.hyper.gamma, literal.best_gamma()), "gamma");
        }
    }

    #[test]
    fn means_that_are_held_have_the_bound_of_the_literal_sums(
        seed in any::<u64>(), n in 3usize..12, d_x in 1usize..4, d_y in 1usize..8, paper in any::<bool>()
    ) {
        let Case { problem, mut state } = Case::new(seed, n, d_x, d_y, paper);
        let mut work = Workspace::new(&problem, &Laplacian::new(&problem.graph).unwrap());
        let mut literal = Literal::new(&problem, &state.beliefs.maps);
        let mut mean = normal(n, d_x, &mut ChaCha8Rng::seed_from_u64(seed));
        for a in 0..d_x {
            let centre = mean.col_as_slice(a).iter().sum::<f64>() / n as f64;
            mean.col_as_slice_mut(a).iter_mut().for_each(|value| *value -= centre);
        }
        state.beliefs.coordinates.mean = mean.clone();
        state.held = true;
        update_coordinates(&problem, &mut state, &mut work).unwrap();
        literal.update_coordinates(&state.hyper);
        (0..n * d_x).for_each(|p| literal.x[p] = mean[(p / d_x, p % d_x)]);
        let (found, expected) = (bound(&problem, &state), literal.bound(&state.hyper));
        prop_assert!(close(found, expected), "bound after q(x): {found} {expected}");
        prop_assert!(state.beliefs.coordinates.mean == mean);
    }

    #[test]
    fn no_single_update_lowers_the_bound(
        seed in any::<u64>(), n in 3usize..30, d_x in 1usize..4, d_y in 1usize..13, paper in any::<bool>(), learn in any::<bool>()
    ) {
        let Case { problem, mut state } = Case::new(seed, n, d_x, d_y, paper);
        let mut work = Workspace::new(&problem, &Laplacian::new(&problem.graph).unwrap());
        let engine = Exact::new(&problem, &Config::default()).unwrap();
        update_coordinates(&problem, &mut state, &mut work).unwrap();
        let mut last = bound(&problem, &state);
        let mut check = |name: &str, state: &State<Beliefs>| -> std::result::Result<(), TestCaseError> {
            let next = bound(&problem, state);
            prop_assert!(next >= last - 1e-9 * (1.0 + last.abs()), "{name}: {last} → {next}");
            last = next;
            Ok(())
        };
        for _ in 0..6 {
            update_maps(&problem, &mut state, &mut work).unwrap();
            check("maps", &state)?;
            state.hyper.gamma = update_gamma(&problem, &state.statistics);
            check("gamma", &state)?;
            let State { beliefs, hyper, statistics: Statistics { coordinates: of_x, maps: of_c, .. }, .. } = &mut state;
            if learn && paper {
                hyper.lambda = update_lambda(&problem, of_c);
            } else if learn {
                (hyper.lambda, hyper.nu) = update_lambda_nu(&problem, engine.spectrum(), of_c, hyper, None);
            }
            if learn {
                hyper.alpha = update_alpha(&problem, engine.spectrum(), of_x);
                beliefs.coordinates.shift_precision = hyper.alpha;
                of_x.shift_precision = Some(hyper.alpha);
            }
            check("lambda, nu and alpha", &state)?;
            let t = best_rescaling(&problem, &state.statistics, &state.hyper, learn);
            engine.rescale(&mut state.beliefs, t);
            state.statistics.coordinates.rescale(t);
            state.statistics.maps.rescale(1.0 / t);
            if learn {
                (state.hyper.lambda, state.hyper.nu) = (state.hyper.lambda * t * t, state.hyper.nu * t * t);
            }
            check("rescaling", &state)?;
            update_coordinates(&problem, &mut state, &mut work).unwrap();
            check("coordinates", &state)?;
        }
    }
}
