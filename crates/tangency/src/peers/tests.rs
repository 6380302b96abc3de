#![allow(clippy::unwrap_used)]
use super::*;
use crate::config::Choice;
use crate::config::Config;
use crate::generate::{Shape, generate};
use crate::quality::affine_r2;
use std::ops::ControlFlow;

fn by(method: Method, config: &Config, points: &Matrix) -> Result<Embedding> {
    let options = PeerOptions { max_iter: 20, n_inducing: 10, ..PeerOptions::default() };
    embed(points.as_ref(), method, config, &options, None, &mut |_, _| ControlFlow::Continue(()))
}

#[test]
fn graph_methods_unfold_an_s_curve() {
    for n in [200, 700] {
        let curve = generate(Shape::SCurve, n, 0.0, 1);
        for method in [Method::Isomap, Method::Lle, Method::Ltsa] {
            let found = by(method, &Config::default(), &curve.points).unwrap();
            let r2 = affine_r2(&found.coordinates, &curve.truth).unwrap();
            assert!(r2 > 0.9, "{method:?} {n}: {r2}");
        }
    }
}

#[test]
fn the_same_bits_on_one_thread_and_on_more() {
    for &method in Method::ALL {
        // enough points for the sparse solver
        let n = if method.uses_graph() { 600 } else { 150 };
        let curve = generate(Shape::SCurve, n, 0.01, 3);
        let found = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| by(method, &Config::default(), &curve.points).unwrap().coordinates)
        };
        assert!(found(1) == found(2), "{method:?}");
    }
}

#[test]
fn a_broken_graph_is_an_error_only_to_those_that_use_it() {
    let far = Matrix::from_fn(40, 3, |i, f| (i * 3 + f) as f64 % 7.0 + if i < 20 { 0.0 } else { 1e4 });
    let config = Config { n_neighbors: 3, ..Config::default() };
    for &method in Method::ALL {
        let found = by(method, &config, &far);
        assert_eq!(found.is_err(), method.uses_graph(), "{method:?}");
    }
}

#[test]
fn points_that_coincide_do_no_harm() {
    let doubled = Matrix::from_fn(60, 3, |i, f| ((i / 2 * 7 + f * 3) as f64).sin());
    for &method in Method::ALL {
        let found = by(method, &Config { n_neighbors: 8, connect: true, ..Config::default() }, &doubled).unwrap();
        assert!(found.coordinates.is_all_finite(), "{method:?}");
    }
}

#[test]
fn too_many_components_are_an_error() {
    let curve = generate(Shape::SCurve, 40, 0.0, 1);
    for &method in Method::ALL {
        let config = Config { n_components: 40, ..Config::default() };
        assert!(matches!(by(method, &config, &curve.points), Err(Error::Setting { .. })), "{method:?}");
    }
}
