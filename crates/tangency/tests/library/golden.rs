//! Runs of the paper authors' program, reproduced to the digits that it has.

use serde_json::Value;
use tangency::inference::Start;
use tangency::linalg::Matrix;
use tangency::{Config, Fitter};

#[test]
fn the_authors_runs_are_reproduced() {
    for name in ["curve_n50_k5_dx1", "swiss_n60_k6_dx2", "sheet_n70_k8_dx3"] {
        let path = format!("{}/tests/fixtures/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let run: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let numbers =
            |key: &str| -> Vec<f64> { run[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let whole = |key: &str| run[key].as_u64().unwrap() as usize;
        let (n, d_y, d_x) = (whole("n"), whole("d_y"), whole("d_x"));
        let y = numbers("Y_point_major");
        let points = Matrix::from_fn(n, d_y, |i, f| y[i * d_y + f]);
        let c0 = numbers("mean_C0_point_major");
        let maps = Matrix::from_fn(d_y, n * d_x, |f, p| c0[((p % n) * d_x + p / n) * d_y + f]);
        let edges = numbers("edges_i").into_iter().zip(numbers("edges_j")).map(|(i, j)| (i as u32, j as u32)).collect();
        let bounds = numbers("lower_bound");
        let config = Config {
            n_components: d_x,
            epsilon: run["epsilon"].as_f64().unwrap(),
            max_iter: bounds.len(),
            tol: 0.0,
            ..Config::authors()
        };
        let fit = Fitter::new(config).edges(edges).start(Start::Maps(maps)).fit(&points).unwrap();

        assert_eq!(fit.trace.len(), bounds.len());
        for ((point, bound), gamma) in fit.trace.iter().zip(&bounds).zip(numbers("gamma")) {
            assert!((point.bound_scaled - bound).abs() < 1e-4, "{name} bound {}", point.iteration);
            assert!((point.hyper.gamma / gamma - 1.0).abs() < 1e-6, "{name} gamma {}", point.iteration);
        }
        // lengths of coordinates and maps, and traces of covariances, do not depend on the gauge
        let (x, c) = (numbers("mean_x_point_major"), numbers("mean_C_point_major"));
        let (x_variances, c_variances) = (numbers("cov_x_diag"), numbers("cov_C_diag"));
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-6 * (1.0 + expected.abs());
        for i in 0..n {
            let theirs =
                |values: &[f64], width: usize| values[i * width..(i + 1) * width].iter().map(|v| v * v).sum::<f64>();
            let ours_x: f64 = (0..d_x).map(|a| fit.coordinates[(i, a)].powi(2)).sum();
            assert!(close(ours_x, theirs(&x, d_x)), "{name} x of {i}");
            let ours_c: f64 = (0..d_x * d_y).map(|q| fit.maps[(q % d_y, i * d_x + q / d_y)].powi(2)).sum();
            assert!(close(ours_c, theirs(&c, d_x * d_y)), "{name} C of {i}");
            let trace = |values: &Matrix| (0..d_x).map(|a| values[(a * d_x + a, i)]).sum::<f64>();
            let sum = |values: &[f64]| values[i * d_x..(i + 1) * d_x].iter().sum::<f64>();
            assert!(close(trace(&fit.coordinate_covariances), sum(&x_variances)), "{name} covariance of x {i}");
            assert!(close(trace(&fit.map_covariances), sum(&c_variances)), "{name} covariance of C {i}");
        }
    }
}
