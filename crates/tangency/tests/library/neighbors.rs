//! The number of neighbours, left to the data.

use std::ops::ControlFlow;
use tangency::config::AUTO;
use tangency::linalg::Matrix;
use tangency::quality::affine_r2;
use tangency::{Config, Fitter, Shape, Stop, generate};

fn open() -> Config {
    Config { n_neighbors: AUTO, connect: true, draws: Some(0), ..Config::default() }
}

#[test]
fn layers_that_are_near_want_few_and_noise_wants_many() {
    let roll = generate(Shape::SwissRoll, 240, 0.0, 3);
    let noisy = generate(Shape::SCurve, 240, 0.15, 3);
    let [few, many] = [&roll, &noisy].map(|data| {
        let fit = Fitter::new(Config { max_iter: 30, ..open() }).fit(&data.points).unwrap();
        let found = fit.neighbors.clone().unwrap();
        assert_eq!((found.taken, found.rows), (fit.config.n_neighbors, 240));
        // of those that all rows have judged, the smallest within one standard error of the likeliest
        let judged: Vec<_> = found.tried.iter().filter(|row| row.rows == 240).collect();
        let best = judged.iter().max_by(|a, b| a.log_density.total_cmp(&b.log_density)).unwrap();
        assert_eq!(best.behind, 0.0);
        let level = judged.iter().filter(|row| row.behind <= row.error).map(|row| row.n_neighbors).min();
        assert_eq!(level, Some(found.taken), "{found:?}");
        assert!(found.tried.iter().all(|row| row.log_density.is_finite() && row.error >= 0.0));
        // the fit is the one with this number
        let plain = Fitter::new(fit.config.clone()).fit(&data.points).unwrap();
        assert!(plain.coordinates == fit.coordinates && plain.neighbors.is_none());
        (found.taken, best.n_neighbors, affine_r2(&fit.coordinates, &data.truth).unwrap())
    });
    assert!(few.0 <= 7 && many.1 >= 10, "{few:?} {many:?}");
    assert!(few.2 > 0.98 && many.2 > 0.98, "{few:?} {many:?}");
}

#[test]
fn few_rows_and_given_graphs_take_the_usual_number() {
    let tiny = Matrix::from_fn(12, 3, |i, f| ((3 * i + f) as f64).sin());
    let fit = Fitter::new(Config { max_iter: 5, ..open() }).fit(&tiny).unwrap();
    assert_eq!(fit.neighbors.map(|found| (found.taken, found.tried.len())), Some((9, 0)));
    let curve = generate(Shape::SCurve, 60, 0.0, 1);
    let (edges, _) = curve.neighbor_edges(6);
    let fit = Fitter::new(Config { max_iter: 5, ..open() }).edges(edges.clone()).fit(&curve.points).unwrap();
    assert!(fit.neighbors.is_none() && fit.graph.edges() == edges && fit.config.n_neighbors == 9);
}

#[test]
fn who_ends_the_search_gets_what_there_is() {
    let curve = generate(Shape::SCurve, 90, 0.0, 1);
    let mut seen = 0;
    let fitter = Fitter::new(open()).observer(|_| {
        seen += 1;
        ControlFlow::Break(())
    });
    let fit = fitter.fit(&curve.points).unwrap();
    assert_eq!(fit.stop, Stop::Interrupted);
    assert!(seen < 8, "{seen}");
}
