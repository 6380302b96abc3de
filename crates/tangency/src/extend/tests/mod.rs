//! The quick path against the definition: E-steps on the graph with one more point, sum by sum.
#![allow(clippy::unwrap_used)]

mod literal;

use super::frozen::Frozen;
use super::place::place;
use super::surroundings::Terrain;
use crate::graph::{Graph, pieces};
use crate::linalg::Matrix;
use crate::model::Hyperparameters;
use literal::Enlarged;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Random training points on a random connected graph; no update has made any of it.
struct Case {
    graph: Graph,
    frozen: Frozen,
    rng: ChaCha8Rng,
}

impl Case {
    fn new(seed: u64, n: usize, d_x: usize, d_y: usize, paper_prior: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut edges: Vec<(u32, u32)> = (1..n as u32).map(|i| (rng.random_range(0..i), i)).collect();
        edges.extend((0..2 * n).map(|_| (rng.random_range(0..n as u32), rng.random_range(0..n as u32))));
        let graph = Graph::from_edges(n, edges);
        let mut normal = |rows, columns| Matrix::from_fn(rows, columns, |_, _| rng.sample::<f64, _>(StandardNormal));
        let (observations, coordinates, maps) = (normal(d_y, n), normal(d_x, n), normal(d_y, n * d_x));
        let mut positive = || 0.2 + 2.0 * rng.random::<f64>();
        let nu = if paper_prior { 0.0 } else { positive() };
        let hyper = Hyperparameters { alpha: positive(), gamma: positive(), lambda: positive(), nu, heaviness: 0.0 };
        let frozen = Frozen::new(observations, coordinates, maps, hyper, 0.03);
        Self { graph, frozen, rng }
    }

    fn terrain(&self) -> Terrain {
        Terrain::new(&self.graph, &self.frozen, true).unwrap()
    }
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}: {found} {expected}");
}

fn compare(frozen: &Frozen, graph: &Graph, points: &[u32], y: &[f64], found: &super::Placement) {
    let expected = Enlarged::new(frozen, graph, points, y).settle();
    let d_x = frozen.d_x();
    for a in 0..d_x {
        close(found.mean[a], expected.x[a], "mean");
        for b in 0..d_x {
            close(found.covariance[(a, b)], expected.x_covariance[(a, b)], "covariance");
            close(found.map_covariance[(a, b)], expected.c_covariance[(a, b)], "covariance of the map");
        }
        (0..y.len()).for_each(|f| close(found.map[(f, a)], expected.c[(f, a)], "map"));
    }
    close(found.bound_change, expected.bound_change, "change of the bound");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn placing_is_the_e_step_on_the_enlarged_graph(
        seed in any::<u64>(), n in 6usize..14, d_x in 1usize..4, d_y in 1usize..6, k in 1usize..6, paper in any::<bool>(),
    ) {
        let mut case = Case::new(seed, n, d_x, d_y, paper);
        let mut points: Vec<u32> = (0..n as u32).collect();
        (0..k).for_each(|p| { let q = case.rng.random_range(p..n); points.swap(p, q) });
        points.truncate(k);
        let y: Vec<f64> = (0..d_y).map(|_| case.rng.sample::<f64, _>(StandardNormal)).collect();
        let found = place(&case.frozen, &y, &case.terrain().around(&points)).unwrap();
        prop_assume!(found.settled);
        compare(&case.frozen, &case.graph, &points, &y, &found);
    }

    #[test]
    fn leaving_a_point_out_is_a_graph_without_it(
        seed in any::<u64>(), n in 8usize..14, d_x in 1usize..4, d_y in 1usize..6, k in 1usize..6, paper in any::<bool>(),
    ) {
        let mut case = Case::new(seed, n, d_x, d_y, paper);
        let out = case.rng.random_range(0..n);
        let kept: Vec<usize> = (0..n).filter(|&i| i != out).collect();
        let graph = case.graph.restricted_to(&kept);
        let mut points = kept.clone();
        (0..k).for_each(|p| { let q = case.rng.random_range(p..n - 1); points.swap(p, q) });
        points.truncate(k);
        let named: Vec<u32> = points.iter().map(|&i| i as u32).collect();
        let around = case.terrain().around_without(out, &named);
        prop_assert_eq!(around.is_some(), pieces(&graph).len() == 1);
        let Some(around) = around else { return Ok(()) };
        let y = case.frozen.observations.col_as_slice(out).to_vec();
        let found = place(&case.frozen, &y, &around).unwrap();
        prop_assume!(found.settled);
        let take = |matrix: &Matrix, step: usize| {
            Matrix::from_fn(matrix.nrows(), kept.len() * step, |r, p| matrix[(r, kept[p / step] * step + p % step)])
        };
        let Frozen { observations, coordinates, maps, hyper, epsilon, .. } = &case.frozen;
        let frozen = Frozen::new(take(observations, 1), take(coordinates, 1), take(maps, d_x), *hyper, *epsilon);
        let renumbered: Vec<u32> = points.iter().map(|&i| (i - usize::from(i > out)) as u32).collect();
        compare(&frozen, &graph, &renumbered, &y, &found);
    }
}

/// Where the whole graph is not seen, what is around a new point is enough.
#[test]
fn a_part_of_the_graph_places_as_the_whole_does() {
    let curve = crate::generate(crate::Shape::SCurve, 700, 0.02, 1);
    let fit = crate::Fitter::new(crate::Config {
        engine: crate::inference::EngineKind::Factorised,
        draws: Some(0),
        ..crate::Config::default()
    })
    .fit(&curve.points)
    .unwrap();
    let whole = crate::extend::Extension::new(&fit).unwrap();
    let mut part = crate::extend::Extension::new(&fit).unwrap();
    part.terrain = Terrain::new(&fit.graph, &part.frozen, false).unwrap();
    let new = crate::generate(crate::Shape::SCurve, 60, 0.02, 2);
    let (seen, guessed) = (whole.transform(&new.points).unwrap(), part.transform(&new.points).unwrap());
    for (seen, guessed) in seen.iter().zip(&guessed) {
        for a in 0..2 {
            let deviation = seen.covariance[(a, a)].sqrt();
            assert!((seen.mean[a] - guessed.mean[a]).abs() < 0.2 * deviation, "{:?} {:?}", seen.mean, guessed.mean);
            assert!((guessed.covariance[(a, a)].sqrt() / deviation - 1.0).abs() < 0.1);
        }
        assert!(
            (seen.bound_change - guessed.bound_change).abs() < 0.5,
            "{} {}",
            seen.bound_change,
            guessed.bound_change
        );
    }
    let (seen, guessed) = (whole.place_without(&[5, 90]), part.place_without(&[5, 90]));
    for (seen, guessed) in seen.iter().zip(&guessed) {
        assert!((seen.as_ref().unwrap().bound_change - guessed.as_ref().unwrap().bound_change).abs() < 0.5);
    }
}

/// By brute force: each entry that is filled in is moved, and x* found again with the same map.
#[test]
fn a_new_row_knows_no_more_than_what_it_has() {
    for seed in 0..6 {
        let mut case = Case::new(seed, 14, 2, 5, false);
        let y: Vec<f64> = (0..5).map(|_| case.rng.sample::<f64, _>(StandardNormal)).collect();
        let (terrain, frozen) = (case.terrain(), &case.frozen);
        let points = [1, 4, 6, 9];
        let around = terrain.seen_from(&points, None).unwrap();
        let placed = place(frozen, &y, &around).unwrap();
        let gaps = [0usize, 3];
        let at = |y: &[f64]| {
            let star = super::new_star::NewStar::new(frozen, y, &around).unwrap();
            let maps = star.update_maps(&star.update_coordinates(&star.first_maps()).unwrap()).unwrap();
            (star.update_coordinates(&maps).unwrap(), star.map(&maps))
        };
        let (x, map) = at(&y);
        let mut found = super::Placement {
            covariance: Matrix::from_fn(2, 2, |a, b| x.covariance[2 * a + b]),
            map: map.clone(),
            ..placed
        };
        super::gaps::widen(frozen, &mut found, &gaps);
        // the joint Gaussian of x* and the two entries with this map: −log p is γ times the squares of the new edges' residuals,
        // ½(C* + C_j)x* − y being what changes
        let (k, gamma) = (4.0, frozen.hyper.gamma);
        let slope = |f: usize, a: usize| -> f64 {
            points.iter().map(|&j| 0.5 * (map[(f, a)] + frozen.maps[(f, j as usize * 2 + a)])).sum()
        };
        let mut joint = Matrix::zeros(4, 4);
        for a in 0..2 {
            (0..2).for_each(|b| joint[(a, b)] = x.precision[2 * a + b]);
            for (e, &f) in gaps.iter().enumerate() {
                joint[(a, 2 + e)] = -2.0 * gamma * slope(f, a);
                joint[(2 + e, a)] = joint[(a, 2 + e)];
                joint[(2 + e, 2 + e)] = 2.0 * gamma * k;
            }
        }
        crate::linalg::invert_spd(&mut joint, &mut crate::linalg::SpdWork::new(4), "test").unwrap();
        for a in 0..2 {
            for b in 0..=a {
                close(found.covariance[(a, b)], joint[(a, b)], "covariance by what is measured");
            }
        }
    }
}
