//! Seconds of a GP-LVM and of a Bayesian GP-LVM on a table of numbers, beside experiments/gpy/speed.py.
//!
//! `cargo run --release -p tangency --example gplvm_speed -- TABLE.csv [MAX_ITER [OUT]]`; with OUT the coordinates are
//! written to OUT_<model>.csv. A table without variation or with words in it ends in a panic: this is a measurement.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::ops::ControlFlow;
use std::time::Instant;
use tangency::linalg::Matrix;
use tangency::peers::gplvm::{
    GplvmOptions, bayesian_bound, bayesian_gplvm, gplvm, gplvm_without_prior, log_likelihood,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows: Vec<Vec<f64>> = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_path(&arguments[0])
        .unwrap()
        .records()
        .filter_map(|row| row.unwrap().iter().map(|cell| cell.parse().ok()).collect())
        .collect();
    let (n, d_y, d) = (rows.len(), rows[0].len(), 2);
    let points = Matrix::from_fn(d_y, n, |f, i| rows[i][f]);
    let mut options = GplvmOptions::default();
    if let Some(max_iter) = arguments.get(1) {
        options.max_iter = max_iter.parse().unwrap();
    }
    println!("{n} points, {d_y} features, {} threads", rayon::current_num_threads());

    let x = Matrix::from_fn(n, d, |i, a| ((i * (3 + a)) as f64).sin());
    let s = Matrix::from_fn(n, d, |_, _| 0.1);
    let z = Matrix::from_fn(options.n_inducing.min(n), d, |j, a| x[(j * n / options.n_inducing.max(1), a)]);
    let w = vec![1.0; d];
    let exact = best_of(10, || log_likelihood(&points, &x, &w, 1.0, 0.1).unwrap().value);
    let bayes = best_of(20, || bayesian_bound(&points, &x, &s, &z, &w, 1.0, 10.0).unwrap().value);
    println!("one value with gradient and set-up: GP-LVM {:.2} ms, Bayesian {:.2} ms", 1e3 * exact, 1e3 * bayes);

    type FitFunction = fn(
        &Matrix,
        Option<&Matrix>,
        usize,
        &GplvmOptions,
        &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
    ) -> tangency::Result<tangency::peers::gplvm::GplvmFit>;
    let models: [(&str, FitFunction); 3] =
        [("gplvm", gplvm), ("gplvm_without_prior", gplvm_without_prior), ("bayesian_gplvm", bayesian_gplvm)];
    for (name, model) in models {
        let begin = Instant::now();
        let fit = model(&points, None, d, &options, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{name}: {seconds:.3} s, {} iterations, {:.3} ms an iteration, objective {:.3}, converged {}, w {:.3?}, s² {:.3}, noise {:.4}",
            fit.iterations,
            1e3 * seconds / fit.iterations as f64,
            fit.objective,
            fit.converged,
            fit.relevance,
            fit.signal,
            fit.noise,
        );
        if let Some(out) = arguments.get(2) {
            let lines: Vec<String> = (0..n)
                .map(|i| (0..d).map(|a| fit.coordinates[(i, a)].to_string()).collect::<Vec<_>>().join(","))
                .collect();
            std::fs::write(format!("{out}_{name}.csv"), format!("x1,x2\n{}\n", lines.join("\n"))).unwrap();
        }
    }
}

fn best_of(times: usize, mut work: impl FnMut() -> f64) -> f64 {
    (0..times)
        .map(|_| {
            let begin = Instant::now();
            std::hint::black_box(work());
            begin.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
