//! The parts of the bound are the literal sums, groups that are there are found, and what has nothing to do with the coordinates
//! switches itself off.
#![allow(clippy::unwrap_used)]

use super::special::{digamma, log_gamma};
use super::*;
use crate::linalg::Matrix;
use crate::model::{GroupRequest, KnownKind, KnownValues};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

fn points(n: usize, d: usize, clusters: usize, seed: u64) -> (PointMoments, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { rng.sample(StandardNormal) };
    let centers: Vec<f64> = (0..clusters * d).map(|_| 8.0 * normal()).collect();
    let of: Vec<usize> = (0..n).map(|i| i % clusters).collect();
    let mean = (0..n * d).map(|p| centers[of[p / d] * d + p % d] + normal()).collect();
    let mut covariance = vec![0.0; n * d * d];
    for i in 0..n {
        for a in 0..d {
            covariance[(i * d + a) * d + a] = 0.05 + 0.01 * normal().abs();
        }
        if d > 1 {
            (covariance[i * d * d + 1], covariance[i * d * d + d]) = (0.01, 0.01);
        }
    }
    (PointMoments { mean, covariance, d_x: d }, of)
}

/// E log p and E log q of each factor by itself, as textbooks write them.
#[test]
fn the_part_of_groups_is_the_literal_sum() {
    for d in 1..4 {
        let (points, _) = points(60, d, 3, d as u64);
        let mut term = GroupTerm::new(&GroupRequest::between(1, 6), 60, d);
        (0..3).for_each(|_| term.learn(&points));
        let count = term.groups.len();
        let (beta0, scale0, freedom0) = term.prior();
        let size = d as f64;
        let log_two_pi = (2.0 * PI).ln();
        let total: f64 = term.groups.iter().map(|g| g.count).sum();
        let matrix = |entries: &[f64]| Matrix::from_fn(d, d, |a, b| entries[a * d + b]);
        let trace = |m: &Matrix| (0..d).map(|a| m[(a, a)]).sum::<f64>();
        let log_det = |m: &[f64]| small::invert(&mut m.to_vec(), d).unwrap();
        let inverse = |m: &[f64]| {
            let mut m = m.to_vec();
            small::invert(&mut m, d).unwrap();
            m
        };
        let log_b = |scale: &[f64], freedom: f64| {
            let gammas: f64 = (1..=d).map(|j| log_gamma(0.5 * (freedom + 1.0 - j as f64))).sum();
            -0.5 * freedom * log_det(scale)
                - (0.5 * freedom * size * 2f64.ln() + 0.25 * size * (size - 1.0) * PI.ln() + gammas)
        };
        let mut sum = 0.0;
        for (k, group) in term.groups.iter().enumerate() {
            let (beta, scale, freedom) = group.numbers();
            let log_pi = digamma(group.count) - digamma(total);
            let log_lambda: f64 = (1..=d).map(|j| digamma(0.5 * (freedom + 1.0 - j as f64))).sum::<f64>()
                + size * 2f64.ln()
                + log_det(scale);
            for i in 0..60 {
                let share = term.shares[i * count + k];
                let (x, s) = points.of(i);
                let away = Matrix::from_fn(d, 1, |a, _| x[a] - group.mean[a]);
                let square = &away * away.transpose() + matrix(s);
                let energy = freedom * trace(&(matrix(scale) * square)) + size / beta;
                sum += share * (log_pi + 0.5 * (log_lambda - size * log_two_pi - energy));
                sum -= if share > 0.0 { share * share.ln() } else { 0.0 };
            }
            // E log p(π): of each group its own summand; E log q(π) below
            sum += -(group.count - 1.0) * log_pi;
            let mean = Matrix::from_fn(d, 1, |a, _| group.mean[a]);
            let energy = beta0 * (size / beta + freedom * (mean.transpose() * matrix(scale) * &mean)[(0, 0)]);
            let of_mean = 0.5 * (size * (beta0 / (2.0 * PI)).ln() + log_lambda - energy);
            let of_precision = log_b(&scale0, freedom0) + 0.5 * (freedom0 - size - 1.0) * log_lambda
                - 0.5 * freedom * trace(&(matrix(&inverse(&scale0)) * matrix(scale)));
            let entropy = -log_b(scale, freedom) - 0.5 * (freedom - size - 1.0) * log_lambda + 0.5 * freedom * size;
            let q_mean = 0.5 * log_lambda + 0.5 * size * (beta / (2.0 * PI)).ln() - 0.5 * size;
            sum += of_mean + of_precision - q_mean + entropy;
        }
        sum += log_gamma(count as f64);
        sum -= log_gamma(total) - term.groups.iter().map(|g| log_gamma(g.count)).sum::<f64>();
        let found = term.part(&points);
        assert!((found - sum).abs() < 1e-9 * sum.abs(), "{d}: {found} {sum}");
    }
}

#[test]
fn as_many_groups_as_there_are() {
    for clusters in 1..6 {
        for d in 1..3 {
            let seed = 10 + clusters as u64;
            let (points, of) = points(200, d, clusters, seed);
            let mut term = GroupTerm::new(&GroupRequest::between(1, 8), 200, d);
            let mut last = f64::NEG_INFINITY;
            for round in 0..20 {
                term.learn(&points);
                let part = term.part(&points);
                assert!(part >= last - 1e-9 * part.abs(), "{round}: {last} {part}");
                last = part;
            }
            if d == 2 {
                assert_eq!(term.groups.len(), clusters);
                let count = term.groups.len();
                let likeliest = |i: usize| {
                    (0..count).max_by(|&p, &q| term.shares[i * count + p].total_cmp(&term.shares[i * count + q]))
                };
                let together = (0..200).filter(|&i| likeliest(i) == likeliest(of[i])).count();
                assert!(together >= 196, "{together}");
            }
        }
    }
}

/// The centre of one group of all points is the origin, which must not hold the centres of two there.
#[test]
fn two_groups_on_either_side_of_the_origin_are_two() {
    let (mut points, of) = points(200, 2, 2, 4);
    for a in 0..2 {
        let mean = points.mean.iter().skip(a).step_by(2).sum::<f64>() / 200.0;
        points.mean.iter_mut().skip(a).step_by(2).for_each(|x| *x -= mean);
    }
    let mut term = GroupTerm::new(&GroupRequest::between(1, 8), 200, 2);
    (0..40).for_each(|_| term.learn(&points));
    assert_eq!(term.groups.len(), 2);
    let side = |i: usize| term.shares[2 * i] > 0.5;
    assert!((0..200).all(|i| side(i) == side(of[i])));
}

#[test]
fn labels_name_the_groups_and_one_class_may_be_several() {
    let (points, of) = points(240, 2, 4, 3);
    // groups 0 and 1 are one class, and one row in twelve is known
    let cell = |i: usize| if i % 12 < 4 { ["a", "a", "b", "c"][of[i]].to_owned() } else { String::new() };
    let cells: Vec<String> = (0..240).map(cell).collect();
    let request = GroupRequest::of_labels(&cells, Some((3, 8)));
    request_is_sound(&request);
    let mut term = GroupTerm::new(&request, 240, 2);
    (0..20).for_each(|_| term.learn(&points));
    let count = term.groups.len();
    assert_eq!(count, 4);
    let mut right = 0;
    for i in 0..240 {
        let mut shares = [0.0; 3];
        (0..count).for_each(|k| shares[term.groups[k].class.unwrap() as usize] += term.shares[i * count + k]);
        let truth = [0, 0, 1, 2][of[i]];
        right += usize::from((0..3).all(|class| shares[class] <= shares[truth]));
    }
    assert!(right >= 236, "{right}");
}

fn request_is_sound(request: &GroupRequest) {
    assert_eq!(request.classes, ["a", "b", "c"]);
    assert_eq!(request.labels.iter().flatten().count(), 80);
}

/// log ∫ p(z | x, V, v, τ) … by draws of q, for the expectations that have a closed form.
#[test]
fn the_part_of_known_values_is_the_literal_sum() {
    for d in 1..4 {
        let (n, mut rng) = (30, ChaCha8Rng::seed_from_u64(7));
        let (points, _) = points(n, d, 1, 5);
        let noise = |rng: &mut ChaCha8Rng| -> f64 { rng.sample(StandardNormal) };
        let value = |i: usize, e: f64| 5.0 + 2.0 * points.mean[i * d] + 0.3 * e;
        let values: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { f64::NAN } else { value(i, noise(&mut rng)) }).collect();
        let mut known = KnownValues::new(KnownKind::Covariates, vec!["dose".into()], values);
        known.deviations[1] = 0.2;
        let mut term = KnownTerm::new(&known, d);
        (0..5).for_each(|_| term.learn(&points));
        let line = &term.lines[0];
        assert!(line.on);
        let size = d + 1;
        // ⟨ββᵀ⟩ and ⟨uuᵀ⟩ in full
        let second = |a: usize, b: usize| line.mean[a] * line.mean[b] + line.covariance[a * size + b];
        let (shape, rate, shrinkage, alone) = line.numbers();
        let log_tau = digamma(shape) - rate.ln();
        let mut sum = 0.0;
        for i in (0..n).filter(|i| i % 3 != 0) {
            let z = (known.values[i] - line.center) / line.scale;
            let (x, s) = points.of(i);
            let u = |a: usize| if a < d { x[a] } else { 1.0 };
            let mut square = z * z;
            for a in 0..size {
                square -= 2.0 * z * u(a) * line.mean[a];
                for b in 0..size {
                    square += second(a, b) * (u(a) * u(b) + if a < d && b < d { s[a * d + b] } else { 0.0 });
                }
            }
            let (log_precision, precision) = match i {
                1 => (2.0 * (line.scale / 0.2).ln(), (line.scale / 0.2).powi(2)),
                _ => (log_tau, shape / rate),
            };
            sum += 0.5 * (log_precision - (2.0 * PI).ln() - precision * square);
        }
        let log_det = small::invert(&mut line.covariance.clone(), size).unwrap();
        sum += 0.5 * log_det + 0.5 * size as f64 * (1.0 + (2.0 * PI).ln());
        for a in 0..size {
            let own: f64 = if a < d { shrinkage } else { 0.1 };
            sum += 0.5 * ((own / (2.0 * PI)).ln() - own * second(a, a));
        }
        // Gamma(1, 0.01)
        sum += 0.01f64.ln() - 0.01 * shape / rate;
        sum += shape - rate.ln() + log_gamma(shape) + (1.0 - shape) * digamma(shape);
        let found = term.part(&points) + alone;
        assert!((found - sum).abs() < 1e-9 * sum.abs().max(1.0), "{d}: {found} {sum}");
    }
}

#[test]
fn a_value_that_has_nothing_to_do_with_the_coordinates_switches_itself_off() {
    let (points, _) = points(400, 2, 1, 5);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let values: Vec<f64> =
        (0..800).map(|p| if p % 2 == 0 { rng.sample(StandardNormal) } else { points.mean[(p / 2) * 2] }).collect();
    let known = KnownValues::new(KnownKind::Covariates, vec!["noise".into(), "signal".into()], values);
    let mut term = KnownTerm::new(&known, 2);
    (0..200).for_each(|_| term.learn(&points));
    let one = |line: usize| {
        let mut alone = term.clone();
        alone.lines = vec![term.lines[line].clone()];
        alone.part(&points)
    };
    assert!(one(0).abs() < 3.0, "{}", one(0));
    assert!(one(1) > 300.0, "{}", one(1));
}
