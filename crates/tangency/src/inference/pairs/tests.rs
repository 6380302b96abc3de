//! Sums over pairs against the plainest double loop, of all kinds of pairs; the same on any number of threads.
#![allow(clippy::unwrap_used)]

use super::*;
use rand::RngExt;
use rand_distr::StandardNormal;

struct Cloud {
    graph: Graph,
    x: Vec<f64>,
    spreads: Spreads,
    rho: Vec<f64>,
}

fn cloud(n: usize, d: usize, seed: u64) -> Cloud {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let spread = (n as f64).powf(1.0 / d as f64);
    let x = (0..n * d).map(|_| 0.3 * spread * rng.sample::<f64, _>(StandardNormal)).collect();
    let mut blocks = vec![0.0; n * d * d];
    for i in 0..n {
        let v: Vec<f64> = (0..d).map(|_| 0.15 * rng.sample::<f64, _>(StandardNormal)).collect();
        for a in 0..d {
            for b in 0..d {
                blocks[(i * d + a) * d + b] = v[a] * v[b] + if a == b { 0.01 } else { 0.0 };
            }
        }
    }
    let rho = (0..n).map(|_| 0.5 + rng.random::<f64>()).collect();
    Cloud {
        graph: Graph::from_edges(n, (1..n as u32).map(|i| (i - 1, i))),
        x,
        spreads: Spreads::Independent(blocks),
        rho,
    }
}

fn field<'a>(cloud: &'a Cloud, affinity: &'a Affinity) -> Field<'a> {
    Field { graph: &cloud.graph, affinity, sociability: &cloud.rho, x: &cloud.x, spreads: &cloud.spreads }
}

fn blocks(cloud: &Cloud) -> &[f64] {
    match &cloud.spreads {
        Spreads::Independent(blocks) => blocks,
        Spreads::Joint(_) => &[],
    }
}

fn expected(cloud: &Cloud, affinity: &Affinity) -> f64 {
    field(cloud, affinity).sums(&Pairs::All, Depth::Value).expected
}

#[test]
fn sums_over_all_pairs_are_the_literal_ones() {
    for d in 1..=3 {
        let cloud = cloud(70, d, d as u64);
        let affinity = Affinity::new(0.5, 100.0);
        let mut total = 0.0;
        for i in 0..70 {
            for j in 0..i {
                let mut sum = 0.0;
                for &(s, weight) in &affinity.parts {
                    let mut grown: Vec<f64> = (0..d * d)
                        .map(|p| 2.0 * s * (blocks(&cloud)[i * d * d + p] + blocks(&cloud)[j * d * d + p]))
                        .collect();
                    (0..d).for_each(|a| grown[a * d + a] += 1.0);
                    let log_det = crate::linalg::small::invert(&mut grown, d).unwrap();
                    let mean: Vec<f64> = (0..d).map(|a| cloud.x[i * d + a] - cloud.x[j * d + a]).collect();
                    let energy = dot(&mean, &crate::linalg::small::times(&grown, &mean));
                    sum += weight * (-s * energy - 0.5 * log_det).exp();
                }
                total += cloud.rho[i] * cloud.rho[j] * sum;
            }
        }
        let found = expected(&cloud, &affinity);
        assert!((found - total).abs() < 1e-10 * total, "{d}: {found} {total}");
    }
}

#[test]
fn sums_by_rate_are_those_of_each_rate_alone() {
    for (n, d) in [(300, 1), (700, 2), (400, 3), (150, 4)] {
        let cloud = cloud(n, d, 17);
        let rates: Vec<f64> = (-6..=3).map(|power| f64::from(power).exp()).collect();
        let of = |pairs: Pairs| {
            let spreads = Spreads::Independent(blocks(&cloud).to_vec());
            PairField { pairs, x: cloud.x.clone(), spreads }
        };
        let fields = match d {
            4 => vec![of(Pairs::All)],
            _ => vec![of(Pairs::All), of(Pairs::Near(Cells::new(&cloud.x, blocks(&cloud), d)))],
        };
        for field in fields {
            let all = field.by_rate(&cloud.graph, &rates, &cloud.rho);
            for (&rate, found) in rates.iter().zip(all) {
                let alone = field.sums(&cloud.graph, &Affinity::single(rate), &cloud.rho, Depth::Value).expected;
                // a part that many cells see as one may be seen by itself in other cells
                let near = if matches!(field.pairs, Pairs::All) { 1e-12 } else { 1e-3 };
                assert!((found - alone).abs() <= near * alone, "{n} {d} {rate}: {found} {alone}");
            }
        }
    }
}

#[test]
fn planes_add_up_to_the_sums_and_are_symmetric() {
    let (n, d) = (200, 2);
    let cloud = cloud(n, d, 23);
    let affinity = Affinity::new(0.5, 1e3);
    let field = field(&cloud, &affinity);
    let sums = field.sums(&Pairs::All, Depth::Curvature);
    let (planes, expected) = field.curvature_planes();
    assert!((expected - sums.expected).abs() < 1e-10 * expected);
    for (p, plane) in planes.iter().enumerate() {
        for i in 0..n {
            let total: f64 = (0..n).map(|j| plane[(i, j)]).sum();
            assert!((total - sums.curvature[i * packed(d) + p]).abs() < 1e-9);
            assert!((0..n).all(|j| plane[(i, j)] == plane[(j, i)]));
        }
    }
    let point =
        PairField { pairs: Pairs::All, x: cloud.x.clone(), spreads: Spreads::Independent(blocks(&cloud).to_vec()) };
    let affinities = point.affinities(&cloud.graph, &affinity).unwrap();
    let total: f64 = (0..n * n).map(|p| cloud.rho[p / n] * cloud.rho[p % n] * affinities[(p / n, p % n)]).sum();
    assert!((0.5 * total - expected).abs() < 1e-10 * expected);
}

#[test]
fn pushes_and_curvatures_are_derivatives_of_the_sum() {
    let step = 1e-4;
    for d in [2, 9] {
        let mut cloud = cloud(40, d, 7);
        let affinity = Affinity::new(0.3, 100.0);
        let sums = field(&cloud, &affinity).sums(&Pairs::All, Depth::Curvature);
        for p in [0, 7, 33, 79] {
            let x = cloud.x[p];
            let mut at = |by: f64| {
                cloud.x[p] = x + by;
                expected(&cloud, &affinity)
            };
            let (up, down, here) = (at(step), at(-step), at(0.0));
            cloud.x[p] = x;
            assert!(((up - down) / (2.0 * step) + sums.push[p]).abs() < 1e-6);
            let bent = (up - 2.0 * here + down) / (step * step);
            let (i, a) = (p / d, p % d);
            assert!((bent - sums.curvature[i * packed(d) + place(a, a)]).abs() < 1e-4);
        }
    }
}

#[test]
fn cells_come_near_to_all_pairs() {
    for d in 1..=3 {
        let cloud = cloud(3000, d, 11);
        for heaviness in [0.0, 0.5, 1.0] {
            let affinity = Affinity::new(heaviness, 1e4);
            let field = field(&cloud, &affinity);
            let (all, near) = (
                field.sums(&Pairs::All, Depth::Curvature),
                field.sums(&Pairs::Near(Cells::new(&cloud.x, blocks(&cloud), d)), Depth::Curvature),
            );
            let size = dot(&all.push, &all.push).sqrt();
            let away: Vec<f64> = all.push.iter().zip(&near.push).map(|(p, q)| p - q).collect();
            let off = (near.expected / all.expected - 1.0).abs();
            let away = dot(&away, &away).sqrt() / size;
            assert!(off < 1e-3 && away < 5e-3, "{d} {heaviness}: {off} {away}");
        }
    }
}

#[test]
fn a_sample_says_how_far_it_may_be_off() {
    let cloud = cloud(4000, 5, 3);
    let affinity = Affinity::new(0.5, 1e3);
    let field = field(&cloud, &affinity);
    let all = field.sums(&Pairs::All, Depth::Value).expected;
    let sampled = field.sums(&Pairs::of_independent(&cloud.graph, &cloud.x, blocks(&cloud), 0), Depth::Value);
    assert!(sampled.error > 0.0 && (sampled.expected - all).abs() < 4.0 * sampled.error);
}

#[test]
fn threads_do_not_change_a_bit() {
    let cloud = cloud(2500, 2, 5);
    let affinity = Affinity::new(0.5, 1e3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let pairs = Pairs::of_independent(&cloud.graph, &cloud.x, blocks(&cloud), 0);
            [pairs, Pairs::All].map(|pairs| {
                let sums = field(&cloud, &affinity).sums(&pairs, Depth::Curvature);
                (sums.expected, sums.push, sums.curvature)
            })
        })
    };
    assert_eq!(on(1), on(3));
}
