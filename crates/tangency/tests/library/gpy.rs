//! GPy's GP-LVM and Bayesian GP-LVM have the same values and gradients (experiments/gpy/make_fixture.py).

use serde_json::Value;
use tangency::linalg::Matrix;
use tangency::peers::gplvm::{bayesian_bound, log_likelihood};

#[test]
fn likelihood_and_bound_are_those_of_gpy() {
    let path = format!("{}/tests/fixtures/gpy.json", env!("CARGO_MANIFEST_DIR"));
    let run: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let numbers =
        |key: &str| -> Vec<f64> { run[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let (number, whole) = (|key: &str| run[key].as_f64().unwrap(), |key: &str| run[key].as_u64().unwrap() as usize);
    let (n, d, d_y, m) = (whole("n"), whole("d"), whole("d_y"), whole("m"));
    let matrix = |key: &str, rows: usize, columns: usize| {
        let values = numbers(key);
        Matrix::from_fn(rows, columns, |i, j| values[j * rows + i])
    };
    let (y, x, s, z) = (matrix("y", d_y, n), matrix("x", n, d), matrix("s", n, d), matrix("z", m, d));
    let (w, signal, noise) = (numbers("w"), number("signal"), number("noise"));
    let close = |what: &str, found: f64| {
        let expected = number(what);
        assert!((found / expected - 1.0).abs() < 1e-6, "{what}: {found} against {expected}");
    };
    let all_close = |what: &str, found: &[f64]| {
        let expected = numbers(what);
        let size = expected.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(found.len() == expected.len());
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-6 * size), "{what}: {found:?}");
    };
    let flat = |matrix: &Matrix| (0..d).flat_map(|a| matrix.col_as_slice(a).to_vec()).collect::<Vec<f64>>();

    let exact = log_likelihood(&y, &x, &w, signal, noise).unwrap();
    close("log_likelihood", exact.value);
    all_close("log_likelihood_of_x", &flat(&exact.of_coordinates));
    all_close("log_likelihood_of_log_w", &exact.of_log_relevance);
    close("log_likelihood_of_log_signal", exact.of_log_signal);
    close("log_likelihood_of_log_noise", exact.of_log_noise);

    let bound = bayesian_bound(&y, &x, &s, &z, &w, signal, 1.0 / noise).unwrap();
    close("bound", bound.value);
    all_close("bound_of_mean", &flat(&bound.of_means));
    all_close("bound_of_log_variance", &flat(&bound.of_log_variances));
    all_close("bound_of_z", &flat(&bound.of_inducing));
    all_close("bound_of_log_w", &bound.of_log_relevance);
    close("bound_of_log_signal", bound.of_log_signal);
    close("bound_of_log_beta", bound.of_log_beta);
}
