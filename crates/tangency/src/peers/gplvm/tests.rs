//! The gradients are those of the values, the expectations those of the Gaussians, the bound is one, and a fit neither
//! loses its start nor depends on threads.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::optimize::Objective;
use super::psi::{Bumps, Gaussians};
use super::*;
use crate::generate::{Shape, generate};

fn wave(rows: usize, columns: usize, shift: f64) -> Matrix {
    Matrix::from_fn(rows, columns, |i, j| ((i * 31 + j * 17) as f64 * 0.7 + shift).sin() * 1.3)
}

/// Central differences of all parameters against the gradient.
fn check_gradient(objective: &mut dyn Objective, parameters: &[f64]) {
    let mut gradient = vec![0.0; parameters.len()];
    objective.evaluate(parameters, &mut gradient).unwrap();
    let size = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    let mut scratch = gradient.clone();
    for p in 0..parameters.len() {
        let mut value_at = |step: f64| {
            let mut moved = parameters.to_vec();
            moved[p] += step;
            objective.evaluate(&moved, &mut scratch).unwrap()
        };
        // fourth order
        let h = 2e-3;
        let slope = (8.0 * (value_at(h) - value_at(-h)) - (value_at(2.0 * h) - value_at(-2.0 * h))) / (12.0 * h);
        let error = (slope - gradient[p]).abs();
        assert!(error < 1e-6 * gradient[p].abs() + 1e-8 * size, "{p}: {slope} against {}", gradient[p]);
    }
}

fn bound_parameters(n: usize, m: usize, d: usize) -> Vec<f64> {
    let mut parameters = flat(&wave(n, d, 0.1));
    parameters.extend(flat(&wave(n, d, 0.2)).iter().map(|v| v - 1.5));
    parameters.extend(flat(&wave(m, d, 0.3)));
    parameters.extend((0..d).map(|a| 0.3 * a as f64 - 0.2));
    parameters.extend([0.3, 1.2]);
    assert_eq!(parameters.len(), n_parameters(n, m, d));
    parameters
}

#[test]
fn the_gradient_of_the_likelihood() {
    for (n, d, d_y, prior) in [(21, 2, 5, false), (12, 3, 1, true), (9, 1, 14, true)] {
        let y = wave(d_y, n, 0.5);
        let mut parameters = flat(&wave(n, d, 0.0));
        parameters.extend((0..d).map(|a| 0.4 * a as f64 - 0.1));
        parameters.extend([0.2, -1.5]);
        let mut likelihood = Likelihood::new(start::compressed(&y).unwrap(), d_y, d, prior);
        check_gradient(&mut likelihood, &parameters);
    }
}

#[test]
fn the_gradient_of_the_bound() {
    for (n, m, d, d_y) in [(40, 7, 2, 5), (11, 9, 3, 1), (8, 3, 1, 20)] {
        let mut bound = Bound::new(start::compressed(&wave(d_y, n, 0.5)).unwrap(), d_y, d, m, 1e-2);
        check_gradient(&mut bound, &bound_parameters(n, m, d));
    }
}

/// Fewer rows with the same inner products are as good as the data.
#[test]
fn many_features_are_compressed() {
    let (n, d, d_y) = (9, 2, 30);
    let y = wave(d_y, n, 0.5);
    let mut parameters = flat(&wave(n, d, 0.0));
    parameters.extend([0.1, -0.3, 0.2, -1.5]);
    let value = |y: Matrix| {
        let mut gradient = vec![0.0; parameters.len()];
        (Likelihood::new(y, d_y, d, false).evaluate(&parameters, &mut gradient).unwrap(), gradient)
    };
    let (whole, small) = (value(y.clone()), value(start::compressed(&y).unwrap()));
    assert!((whole.0 - small.0).abs() < 1e-9 * whole.0.abs());
    assert!(whole.1.iter().zip(&small.1).all(|(a, b)| (a - b).abs() < 1e-8 * (1.0 + a.abs())));
}

/// The definition by quadrature, a component at a time since the kernel is a product of them.
#[test]
fn the_expectations_are_those_of_the_gaussians() {
    let (n, m, d) = (5, 4, 2);
    let (mean, z) = (flat(&wave(n, d, 0.1)), wave(m, d, 0.4));
    let variance: Vec<f64> = flat(&wave(n, d, 0.2)).iter().map(|v| 0.3 * v.exp()).collect();
    let w = [0.7, 1.6];
    // trapezoids over ±9 standard deviations are exact to rounding for such functions
    let expectation = |i: usize, a: usize, function: &dyn Fn(f64) -> f64| {
        let (mu, sd) = (mean[a * n + i], variance[a * n + i].sqrt());
        let step = 9.0 / 400.0;
        (-400..=400)
            .map(|k| {
                let t = f64::from(k) * step;
                step * (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt() * function(mu + sd * t)
            })
            .sum::<f64>()
    };
    let kernel = |a: usize, x: f64, j: usize| (-0.5 * w[a] * (x - z[(j, a)]).powi(2)).exp();
    let q = Gaussians { mean: &mean, variance: &variance, n, d };
    let mut first = Bumps::new(1.0, m, n);
    first.fill(&w, q, &flat(&z), None);
    let pairs: Vec<(usize, usize)> = (0..m).flat_map(|j| (0..=j).map(move |k| (j, k))).collect();
    let middles = Matrix::from_fn(pairs.len(), d, |p, a| 0.5 * (z[(pairs[p].0, a)] + z[(pairs[p].1, a)]));
    let mut second = Bumps::new(2.0, pairs.len(), n);
    let mut totals = vec![0.0; pairs.len()];
    second.fill(&w, q, &flat(&middles), Some(&mut totals));
    for j in 0..m {
        for i in 0..n {
            let expected: f64 = (0..d).map(|a| expectation(i, a, &|x| kernel(a, x, j))).product();
            let found = first.values.as_flattened()[i * m.div_ceil(8) * 8 + j];
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
    for (p, &(j, k)) in pairs.iter().enumerate() {
        let expected: f64 = (0..n)
            .map(|i| (0..d).map(|a| expectation(i, a, &|x| kernel(a, x, j) * kernel(a, x, k))).product::<f64>())
            .sum();
        let apart: f64 = (0..d).map(|a| w[a] * (z[(j, a)] - z[(k, a)]).powi(2)).sum();
        assert!((totals[p] * (-0.25 * apart).exp() - expected).abs() < 1e-12);
    }
}

/// Without uncertainty and with an inducing point at each point the bound is the likelihood; with fewer it is below.
#[test]
fn the_bound_is_below_the_likelihood() {
    let (n, d_y) = (25, 4);
    let (y, x) = (wave(d_y, n, 0.5), wave(n, 2, 0.0));
    let exact = log_likelihood(&y, &x, &[0.8, 1.2], 1.1, 0.2).unwrap().value;
    let tiny = 1e-12;
    let kl = 0.5
        * (0..n)
            .flat_map(|i| (0..2).map(move |a| (i, a)))
            .map(|at| x[at].powi(2) + tiny - tiny.ln() - 1.0)
            .sum::<f64>();
    let s = Matrix::from_fn(n, 2, |_, _| tiny);
    let same = bayesian_bound(&y, &x, &s, &x, &[0.8, 1.2], 1.1, 5.0).unwrap().value;
    assert!((same + kl - exact).abs() < 1e-5 * exact.abs(), "{} {exact}", same + kl);
    for m in [1, 3, 8] {
        let z = Matrix::from_fn(m, 2, |j, a| x[(3 * j, a)]);
        let less = bayesian_bound(&y, &x, &s, &z, &[0.8, 1.2], 1.1, 5.0).unwrap().value;
        assert!(less + kl < exact);
    }
}

fn quick(max_iter: usize) -> GplvmOptions {
    GplvmOptions { n_inducing: 12, max_iter, ..GplvmOptions::default() }
}

fn columns(shape: Shape, n: usize) -> Matrix {
    generate(shape, n, 0.05, 3).points.transpose().to_owned()
}

#[test]
fn a_fit_climbs_and_can_be_stopped() {
    let points = columns(Shape::SCurve, 60);
    for fit in [gplvm, gplvm_without_prior, bayesian_gplvm] {
        let start = fit(&points, None, 2, &quick(0), &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert!(start.iterations == 0 && !start.converged && start.objective.is_finite());
        let mut trace = vec![start.objective];
        let end = fit(&points, None, 2, &quick(150), &mut |iteration, value| {
            assert_eq!(iteration, trace.len());
            trace.push(value);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(trace.windows(2).all(|pair| pair[1] >= pair[0]), "{trace:?}");
        assert!(end.objective >= trace[trace.len() - 1] && end.objective > start.objective + 50.0);
        assert_eq!(end.iterations, trace.len() - 1);
        let stopped = fit(&points, None, 2, &quick(150), &mut |iteration, _| {
            if iteration == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert!(stopped.interrupted && stopped.iterations == 7 && stopped.objective >= trace[7]);
        // from where it ended, up to the common scale that a start is brought to
        let again = fit(&points, Some(&end.coordinates), 2, &quick(5), &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert!(again.objective.is_finite());
    }
}

#[test]
fn the_same_bits_on_one_thread_and_on_more() {
    let points = columns(Shape::SwissRoll, 330);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let ends: Vec<GplvmFit> = [gplvm, bayesian_gplvm]
                .iter()
                .map(|fit| fit(&points, None, 2, &quick(12), &mut |_, _| ControlFlow::Continue(())).unwrap())
                .collect();
            ends.into_iter()
                .map(|end| (end.coordinates, end.variances, end.objective, end.relevance))
                .collect::<Vec<_>>()
        })
    };
    let (one, two, three) = (run(1), run(2), run(3));
    assert!(one == two && one == three);
}

#[test]
fn odd_input_is_an_error_or_a_finite_fit() {
    let finite = |fit: &GplvmFit| {
        let all = |matrix: &Matrix| flat(matrix).iter().all(|v| v.is_finite());
        fit.objective.is_finite() && all(&fit.coordinates) && fit.variances.as_ref().is_none_or(all)
    };
    let curve = columns(Shape::SCurve, 30);
    let doubled = Matrix::from_fn(3, 40, |f, i| curve[(f, i % 10)]);
    let one_feature = Matrix::from_fn(1, 30, |_, i| curve[(0, i)]);
    let constant = Matrix::from_fn(4, 30, |f, i| if f < 3 { curve[(f, i)] } else { 7.0 });
    let wide = Matrix::from_fn(50, 6, |f, i| ((f * i) as f64).cos());
    let huge = Matrix::from_fn(3, 30, |f, i| 1e200 * curve[(f, i)]);
    let line = Matrix::from_fn(3, 30, |f, i| (f + 1) as f64 * i as f64);
    for fit in [gplvm, bayesian_gplvm] {
        let mut quiet = |_: usize, _: f64| ControlFlow::Continue(());
        for points in [&doubled, &one_feature, &constant, &wide, &huge, &line] {
            for d in [1, 2, 4] {
                assert!(finite(&fit(points, None, d, &quick(60), &mut quiet).unwrap()));
            }
        }
        assert!(fit(&curve, None, 0, &quick(5), &mut quiet).is_err());
        assert!(fit(&curve, None, 30, &quick(5), &mut quiet).is_err());
        assert!(finite(&fit(&curve, None, 29, &quick(5), &mut quiet).unwrap()));
        assert!(fit(&Matrix::zeros(3, 30), None, 2, &quick(5), &mut quiet).is_err());
        assert!(fit(&Matrix::zeros(3, 0), None, 2, &quick(5), &mut quiet).is_err());
        assert!(fit(&Matrix::from_fn(2, 9, |_, _| f64::NAN), None, 1, &quick(5), &mut quiet).is_err());
        assert!(fit(&curve, Some(&Matrix::zeros(30, 2)), 2, &quick(5), &mut quiet).is_err());
        assert!(fit(&curve, Some(&Matrix::zeros(29, 2)), 2, &quick(5), &mut quiet).is_err());
        assert!(fit(&curve, None, 2, &GplvmOptions { tol: f64::NAN, ..quick(5) }, &mut quiet).is_err());
        assert!(fit(&curve, None, 2, &GplvmOptions { n_inducing: 0, ..quick(5) }, &mut quiet).is_err());
    }
    let x = wave(30, 2, 0.0);
    assert!(log_likelihood(&curve, &x, &[1.0], 1.0, 0.1).is_err());
    assert!(log_likelihood(&curve, &x, &[1.0, -1.0], 1.0, 0.1).is_err());
    assert!(bayesian_bound(&curve, &x, &x, &x, &[1.0, 1.0], 1.0, 0.1).is_err());
}
