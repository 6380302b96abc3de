//! The engine against literal sums, against the exact engine, and the bound after every single update.
#![allow(clippy::unwrap_used)]

use super::moments::log_determinant;
use super::*;
use crate::config::Init;
use crate::inference::bound::bound;
use crate::inference::exact::{self, Coordinates, Exact, Maps};
use crate::inference::literal::{Literal, normal, random_problem};
use crate::inference::terms::coordinates::update_alpha;
use crate::inference::terms::likelihood::update_gamma;
use crate::inference::terms::maps::{update_lambda, update_lambda_nu};
use crate::inference::terms::rescaling::best_rescaling;
use crate::inference::{Engine, EngineKind, Marginals, Run, Start};
use crate::linalg::{Matrix, SpdWork, invert_spd};
use crate::model::{MissingEntries, losses};
use crate::{Fit, Fitter, Shape, generate};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A random problem with random beliefs that no update has made.
struct Case {
    problem: Problem,
    state: State<Beliefs>,
}

impl Case {
    fn new(seed: u64, n: usize, d_x: usize, d_y: usize, paper: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let problem = random_problem(n, d_x, d_y, &mut rng);
        let numbers = |matrix: Matrix| matrix.col_as_slice(0).to_vec();
        let mut blocks = || -> Vec<f64> {
            (0..n)
                .flat_map(|_| {
                    let half = normal(d_x, d_x + 2, &mut rng);
                    let block = &half * half.transpose();
                    (0..d_x * d_x).map(move |p| 0.3 * block[(p / d_x, p % d_x)]).collect::<Vec<_>>()
                })
                .collect()
        };
        let (s, t) = (blocks(), blocks());
        let x = numbers(normal(n * d_x, 1, &mut rng));
        let c = numbers(normal(n * d_x * d_y, 1, &mut rng));
        let mut positive = || rng.random_range(0.2..3.0);
        let hyper = Hyperparameters {
            alpha: positive(),
            gamma: positive(),
            lambda: positive(),
            nu: if paper { 0.0 } else { positive() },
            heaviness: 0.0,
        };
        let beliefs = Beliefs { x, s, c, t };
        let of_x = coordinate_moments(&problem, &beliefs);
        let of_c = map_moments(&problem, &beliefs, paper);
        Self { problem, state: State::new(beliefs, hyper, of_x, of_c) }
    }

    fn engine(&self) -> Factorised {
        Factorised::new(&self.problem, &Config { ball_radius: 0, ..Config::default() }).unwrap()
    }

    /// Maps as the exact engine holds them, with the covariances of these beliefs.
    fn maps(&self) -> Maps {
        let (n, d_x, rows) = (self.problem.n(), self.problem.n_components, self.problem.observations.nrows());
        Maps {
            mean: Matrix::from_fn(rows, n * d_x, |f, p| self.state.beliefs.c[((p % n) * d_x + p / n) * rows + f]),
            covariance: block_diagonal(&self.state.beliefs.t, n, d_x),
            scale: 1.0,
            log_det: log_determinant(&self.state.beliefs.t, d_x),
        }
    }
}

/// Components outer, points inner, as the exact engine has them.
fn block_diagonal(blocks: &[f64], n: usize, d_x: usize) -> Matrix {
    Matrix::from_fn(n * d_x, n * d_x, |p, q| match p % n == q % n {
        true => blocks[((p % n) * d_x + p / n) * d_x + q / n],
        false => 0.0,
    })
}

/// The bound of a state whose statistics may be behind its beliefs, and the state with its statistics.
fn whole_bound(engine: &mut Factorised, problem: &Problem, state: &State<Beliefs>) -> (f64, State<Beliefs>) {
    let mut state = engine.state(problem, state.hyper, state.beliefs.clone());
    state.statistics.residual = engine.residual(problem, &state.beliefs);
    let log_dets = engine.log_determinants(problem, &state.hyper).unwrap();
    (bound(problem, &state.statistics, &state.hyper, None, &log_dets).total(), state)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-8 * (1.0 + expected.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The bound of independent points with the whole graph for a ball is that of a full Gaussian whose covariance is
    /// zero between points.
    #[test]
    fn the_bound_is_the_dense_one(
        seed in any::<u64>(), n in 3usize..14, d_x in 1usize..4, d_y in 1usize..9, paper in any::<bool>()
    ) {
        let case = Case::new(seed, n, d_x, d_y, paper);
        let mut literal = Literal::new(&case.problem, &case.maps());
        literal.x.clone_from(&case.state.beliefs.x);
        let s = &case.state.beliefs.s;
        literal.x_covariance = Matrix::from_fn(n * d_x, n * d_x, |p, q| {
            if p / d_x == q / d_x { s[p * d_x + q % d_x] } else { 0.0 }
        });
        let (found, _) = whole_bound(&mut case.engine(), &case.problem, &case.state);
        let expected = literal.bound(&case.state.hyper);
        prop_assert!(close(found, expected), "{found} {expected}");
    }

    /// Scales of features are those with the largest bound, found on a fine grid, while coordinates and maps stay what they are in
    /// the units of the table.
    #[test]
    fn scales_of_features_have_the_largest_bound(
        seed in any::<u64>(), n in 4usize..14, d_x in 1usize..3, d_y in 1usize..5, paper in any::<bool>()
    ) {
        let case = Case::new(seed, n, d_x, d_y, paper);
        let Case { problem, state } = &case;
        let maps = Matrix::from_fn(d_y, n * d_x, |f, p| state.beliefs.c[p * d_y + f]);
        let residuals = case.engine().residuals_by_row(problem, &state.beliefs);
        let prior = MapPrior::new(problem, &state.hyper);
        let losses = losses(problem, &residuals, &maps, state.hyper.gamma, &prior);
        // the bound in the units of the table with feature f divided by a scale
        let bound_with = |f: usize, scale: f64| {
            let of = |other: usize| if other == f { scale } else { 1.0 };
            let y = &problem.observations;
            let scaled = Matrix::from_fn(d_y, n, |other, i| y[(other, i)] / of(other));
            let problem = Problem::new(scaled, problem.graph.clone(), d_x, problem.epsilon).unwrap();
            let mut state = state.clone();
            state.beliefs.c.iter_mut().enumerate().for_each(|(p, c)| *c /= of(p % d_y));
            whole_bound(&mut case.engine(), &problem, &state).0 - n as f64 * scale.ln()
        };
        for f in 0..d_y {
            let best = (losses[f] / n as f64).sqrt();
            let gain = -0.5 * losses[f] * (best.powi(-2) - 1.0) - n as f64 * best.ln();
            let (found, before) = (bound_with(f, best), bound_with(f, 1.0));
            prop_assert!(close(found, before + gain), "{found} {before} {gain}");
            for step in [0.5, 0.9, 0.99, 1.01, 1.1, 2.0] {
                prop_assert!(bound_with(f, step * best) < found);
            }
        }
    }

    /// Given the same covariances of the other side, the means are those of the exact engine.
    #[test]
    fn means_are_those_of_the_exact_engine(
        seed in any::<u64>(), n in 4usize..20, d_x in 1usize..4, d_y in 1usize..9, paper in any::<bool>()
    ) {
        let mut case = Case::new(seed, n, d_x, d_y, paper);
        let mut engine = case.engine();
        let mut exact = Exact::new(&case.problem, &Config::default()).unwrap();
        let beliefs = exact::Beliefs::of(
            Coordinates {
                mean: Matrix::from_fn(n, d_x, |i, a| case.state.beliefs.x[i * d_x + a]),
                covariance: block_diagonal(&case.state.beliefs.s, n, d_x),
                scale: 1.0,
                pin: 1e300,
                shift_precision: 1.0,
                log_det: 0.0,
            },
            case.maps(),
        );
        let mut full = State::new(
            beliefs,
            case.state.hyper,
            case.state.statistics.coordinates.clone(),
            case.state.statistics.maps.clone(),
        );
        exact.update_maps(&case.problem, &mut full, 0.0).unwrap();
        let mut found = case.state.clone();
        (0..8).for_each(|_| engine.improve_maps(&case.problem, &mut found, 0.0).unwrap());
        for p in 0..n * d_x {
            for f in 0..d_y {
                let expected = full.beliefs.maps.mean[(f, (p % d_x) * n + p / d_x)];
                prop_assert!((found.beliefs.c[p * d_y + f] - expected).abs() < 1e-6 * (1.0 + expected.abs()));
            }
        }
        full.beliefs.maps = case.maps();
        exact.update_coordinates(&case.problem, &mut full, 0.0).unwrap();
        (0..8).for_each(|_| engine.improve_coordinates(&case.problem, &mut case.state, 0.0).unwrap());
        for p in 0..n * d_x {
            let expected = full.beliefs.coordinates.mean[(p / d_x, p % d_x)];
            prop_assert!((case.state.beliefs.x[p] - expected).abs() < 1e-6 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn no_single_update_lowers_the_bound(
        seed in any::<u64>(), n in 3usize..40, d_x in 1usize..4, d_y in 1usize..9, paper in any::<bool>(),
        radius in 0usize..4, least in prop::sample::select(vec![0.0, 0.1, 10.0]),
    ) {
        let Case { problem, mut state } = Case::new(seed, n, d_x, d_y, paper);
        let mut engine = Factorised::new(&problem, &Config { ball_radius: radius, ..Config::default() }).unwrap();
        let mut last;
        (last, state) = whole_bound(&mut engine, &problem, &state);
        for round in 0..4 {
            for update in 0..7 {
                let State { beliefs, hyper, statistics, .. } = &mut state;
                match update {
                    0 => engine.improve_coordinate_covariances(&problem, &mut state).unwrap(),
                    1 => engine.improve_coordinates(&problem, &mut state, least).unwrap(),
                    2 => engine.improve_map_covariances(&problem, &mut state).unwrap(),
                    3 => engine.improve_maps(&problem, &mut state, least).unwrap(),
                    4 => hyper.gamma = update_gamma(&problem, statistics),
                    5 if paper => hyper.lambda = update_lambda(&problem, &statistics.maps),
                    5 => {
                        (hyper.lambda, hyper.nu) =
                            update_lambda_nu(&problem, engine.spectrum(), &statistics.maps, hyper, None);
                    }
                    _ => {
                        hyper.alpha = update_alpha(&problem, engine.spectrum(), &statistics.coordinates);
                        let t = best_rescaling(&problem, statistics, hyper, true);
                        engine.rescale(beliefs, t);
                        (hyper.lambda, hyper.nu) = (hyper.lambda * t * t, hyper.nu * t * t);
                    }
                }
                let next;
                (next, state) = whole_bound(&mut engine, &problem, &state);
                prop_assert!(next >= last - 1e-8 * (1.0 + last.abs()), "round {round} update {update}: {last} → {next}");
                last = next;
            }
        }
    }
}

/// What every engine must do: a run never lets the bound fall, and ends the same on any number of threads.
fn run_to_the_end<E: Engine>(problem: &Problem, config: &Config, start: &Start) -> f64 {
    let mut engine = E::new(problem, config).unwrap();
    let mut run = Run::new(problem, config, &engine, start);
    run.advance(&mut engine, None, &mut |_, _| ControlFlow::Continue(())).unwrap();
    for pair in run.trace.windows(2) {
        let (before, after) = (pair[0].bound_scaled, pair[1].bound_scaled);
        assert!(after >= before - 1e-9 * before.abs(), "{before} → {after} at {}", pair[1].iteration);
    }
    run.bound_scaled()
}

fn curve(n: usize, noise: f64) -> (Problem, Start) {
    let curve = generate(Shape::SCurve, n, noise, 3);
    let (_, scaled) = crate::Scaling::learn(curve.points.as_ref(), crate::ScalingRule::MaxAbs).unwrap();
    let graph = crate::graph::neighbor_graph(&scaled, 9, crate::Symmetry::Or);
    (Problem::new(scaled, graph, 2, 1e-3).unwrap(), Start::Coordinates(curve.truth))
}

#[test]
fn runs_climb_below_the_exact_bound_and_wider_balls_climb_higher() {
    for (noise, paper) in [(0.0, false), (0.05, false), (0.05, true)] {
        let (problem, start) = curve(250, noise);
        let config = |ball_radius: usize| {
            let base = if paper { Config::authors() } else { Config::default() };
            Config { ball_radius, tol: 1e-6, accelerate: true, max_iter: 3000, ..base }
        };
        let exact = run_to_the_end::<Exact>(&problem, &config(2), &start);
        let found: Vec<f64> =
            [1, 2, 3, 0].map(|radius| run_to_the_end::<Factorised>(&problem, &config(radius), &start)).to_vec();
        for pair in found.windows(2) {
            assert!(pair[0] <= pair[1] + 0.01, "{found:?}");
        }
        assert!(found[3] <= exact, "{found:?} {exact}");
        assert!(found[1] > found[3] - 0.1 * 250.0, "{found:?}");
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let roll = generate(Shape::SwissRoll, 3400, 0.0, 2);
    let config =
        Config { n_neighbors: 10, engine: EngineKind::Factorised, max_iter: 12, draws: Some(4), ..Config::default() };
    let fit = |threads: usize| -> Fit {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Fitter::new(config.clone()).fit(&roll.points).unwrap())
    };
    let (one, three) = (fit(1), fit(3));
    assert_eq!(one.start, Init::Coarse);
    assert!(one.coordinates == three.coordinates && one.maps == three.maps);
    assert!(one.coordinate_covariances == three.coordinate_covariances);
    assert_eq!(one.bound().to_bits(), three.bound().to_bits());
}

/// Where all covariances are known, draws must find them; next to missing entries too.
#[test]
fn draws_have_the_covariance_of_the_precision() {
    for lacking in [false, true] {
        let Case { problem, mut state } = Case::new(5, 24, 2, 3, false);
        let entries: Vec<(u32, u32)> = (0..24).filter(|i| i % 4 == 1).map(|i| (i, i % 3)).collect();
        let missing = lacking.then(|| Arc::new(MissingEntries::from_pairs(&entries)));
        let problem = &problem.lacking(missing).unwrap();
        let engine = Factorised::new(problem, &Config { ball_radius: 0, ..Config::default() }).unwrap();
        engine.improve_coordinate_covariances(problem, &mut state).unwrap();
        let measured = measured::Measured::new(&engine, problem).unwrap();
        let (size, n) = (problem.size(), problem.n());
        let mut covariance = Matrix::zeros(size, size);
        for p in 0..size {
            let mut unit = vec![0.0; size];
            unit[p] = 1.0;
            let column = measured.coordinate_precision(&state, &unit);
            let of_whole = engine.coordinate_precision(problem, &state, &unit);
            if let Some(filling) = problem.filling().unwrap() {
                let c = &state.beliefs.c;
                let off = filling.unmeasured(&problem.graph, &Matrix::from_fn(3, size, |f, p| c[p * 3 + f]));
                for q in 0..size {
                    let place = |p: usize| (p % 2) * n + p / 2;
                    let expected = of_whole[q] - 2.0 * state.hyper.gamma * off[(place(q), place(p))];
                    assert!(close(column[q], expected), "{p} {q}: {} {expected}", column[q]);
                }
            } else {
                assert_eq!(column, of_whole);
            }
            covariance.col_as_slice_mut(p).copy_from_slice(&column);
        }
        invert_spd(&mut covariance, &mut SpdWork::new(size), "test").unwrap();
        let entry = |p: usize, q: usize| covariance[(p.max(q), p.min(q))];
        // about the centroid of all points
        let centred = |p: usize| {
            let others = || (0..n).map(|i| i * 2 + p % 2);
            let cross: f64 = others().map(|q| entry(p, q)).sum::<f64>() / n as f64;
            let all: f64 = others().flat_map(|q| others().map(move |r| (q, r))).map(|(q, r)| entry(q, r)).sum();
            entry(p, p) - 2.0 * cross + all / (n * n) as f64
        };
        let found = engine.covariances_of_draws(&measured, &Config::default(), &state, 4000).unwrap();
        for p in 0..size {
            let (found, expected) = (found[p * 2 + p % 2], centred(p));
            // 4000 draws: 2.2 % standard error
            assert!((found / expected - 1.0).abs() < 0.12, "{lacking} {p}: {found} {expected}");
        }
    }
}

#[test]
fn an_iterative_solver_does_what_the_factor_does() {
    let (problem, start) = curve(600, 0.05);
    let config = Config { tol: 1e-3, ..Config::default() };
    let mut bounds = Vec::new();
    for without_factor in [false, true] {
        let mut engine = Factorised::new(&problem, &config).unwrap();
        if without_factor {
            engine.laplace = Laplace::iterative(&problem, &config).unwrap();
        }
        let mut run = Run::new(&problem, &config, &engine, &start);
        run.advance(&mut engine, None, &mut |_, _| ControlFlow::Continue(())).unwrap();
        bounds.push((run.bound_scaled(), engine.notes(&problem).bound_error));
    }
    let [(factored, none), (iterative, error)] = bounds[..] else { unreachable!() };
    assert_eq!(none, 0.0);
    assert!(error > 0.0 && (factored - iterative).abs() < 5.0 * error + 0.02 * 600.0, "{bounds:?}");
}
