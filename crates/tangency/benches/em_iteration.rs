//! One EM iteration against its floor: two Cholesky factorisations and inverses of the same size by OpenBLAS (through
//! scipy), measured alternately in one run, because the machine's speed changes from minute to minute;
//! and an iteration of the factorised engine as a share of the exact one.
//!
//! `cargo bench -p tangency --bench em_iteration [-- 400 1000]`; PYTHON names an interpreter with scipy.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use std::ops::ControlFlow;
use std::process::Command;
use std::time::{Duration, Instant};
use tangency::inference::exact::Exact;
use tangency::inference::factorised::Factorised;
use tangency::inference::{Engine, Run, Start, make_start};
use tangency::linalg::Matrix;
use tangency::model::Problem;
use tangency::{Config, Init, Scaling, Shape, Symmetry, generate};

const D_X: usize = 2;
const EXACT: &str = "exact";
const FACTORISED: &str = "factorised";

const FLOOR: &str = "
import sys, time
import numpy as np
from scipy.linalg import lapack
size, rounds = int(sys.argv[1]), int(sys.argv[2])
factor = np.random.default_rng(0).standard_normal((size, 64))
matrix = np.asfortranarray(factor @ factor.T + size * np.eye(size))
best = float('inf')
for _ in range(rounds):
    first, second = matrix.copy(order='F'), matrix.copy(order='F')
    begin = time.perf_counter()
    for each in (first, second):
        chol, info = lapack.dpotrf(each, lower=1, overwrite_a=1)
        lapack.dpotri(chol, lower=1, overwrite_c=1)
    best = min(best, time.perf_counter() - begin)
print(best)
";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--bench")).collect();
    if arguments.first().is_some_and(|a| a == "--one") {
        let number = |i: usize| arguments[i].parse::<usize>().unwrap();
        return match arguments[4].as_str() {
            FACTORISED => measure::<Factorised>(number(1), number(2), number(3)),
            _ => measure::<Exact>(number(1), number(2), number(3)),
        };
    }
    let asked: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { vec![250, 400, 1000, 2000, 4000] } else { asked };
    println!("| n | d_y | iteration (s) | floor (s) | ratio | peak memory / (n·d_x)² | factorised / exact |");
    println!("|---|---|---|---|---|---|---|");
    for n in sizes {
        for d_y in [3, 256] {
            let rounds = if n <= 1000 { 4 } else { 1 };
            let iterations = if n <= 1000 { 8 } else { 3 };
            let (mut ours, mut floor, mut peak) = (f64::INFINITY, f64::INFINITY, 0.0f64);
            let mut factorised = f64::INFINITY;
            for _ in 0..rounds {
                let (seconds, bytes) = in_a_process_of_its_own(n, d_y, iterations, EXACT);
                ours = ours.min(seconds);
                peak = peak.max(bytes);
                factorised = factorised.min(in_a_process_of_its_own(n, d_y, iterations, FACTORISED).0);
                floor = floor.min(openblas(n * D_X, if n <= 2000 { 5 } else { 2 }));
            }
            let dense = (n * D_X).pow(2) as f64 * 8.0;
            let (ratio, memory, share) = (ours / floor, peak / dense, factorised / ours);
            println!("| {n} | {d_y} | {ours:.4} | {floor:.4} | {ratio:.2} | {memory:.2} | {share:.3} |");
        }
    }
}

/// Seconds of the quickest iteration, and peak memory beyond what the process had before the problem was set up.
fn in_a_process_of_its_own(n: usize, d_y: usize, iterations: usize, engine: &str) -> (f64, f64) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--one", &n.to_string(), &d_y.to_string(), &iterations.to_string(), engine])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (numbers[0], numbers[1])
}

fn measure<E: Engine>(n: usize, d_y: usize, iterations: usize) {
    let roll = generate(Shape::SwissRoll, n, 0.05, 0);
    // further features are smooth functions of the roll
    let values = Matrix::from_fn(n, d_y, |i, f| match f {
        0..3 => roll.points[(i, f)],
        _ => (roll.truth[(i, 0)] * (0.05 + 0.01 * (f % 17) as f64) + roll.truth[(i, 1)] * 0.02 * (f % 13) as f64).sin(),
    });
    let (_, scaled) = Scaling::learn(values.as_ref(), Default::default()).unwrap();
    let graph = tangency::graph::neighbor_graph(&scaled, 9, Symmetry::Or);
    let before = peak_memory();
    let config = Config { tol: 0.0, ..Config::default() };
    let problem = Problem::new(scaled, graph, D_X, config.epsilon).unwrap();
    let start = match n > 1000 {
        true => Start::Coordinates(roll.truth),
        false => make_start(&problem, Init::Isomap, &config, 0, &mut |_, _| ControlFlow::Continue(())).unwrap(),
    };
    let mut engine = E::new(&problem, &config).unwrap();
    let mut run = Run::new(&problem, &config, &engine, &start);
    let (mut last, mut times) = (Instant::now(), Vec::<Duration>::new());
    let mut climbed = 0;
    run.advance(&mut engine, None, &mut |_, stage| {
        if stage == tangency::Stage::Climbing {
            climbed += 1;
            times.push(last.elapsed());
        }
        last = Instant::now();
        if climbed >= iterations { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    println!("{} {}", times.iter().min().unwrap().as_secs_f64(), peak_memory() - before);
}

/// High-water mark of resident memory in bytes, where the system tells it.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    1024.0 * line.split_whitespace().next().unwrap().parse::<f64>().unwrap()
}

fn openblas(size: usize, rounds: usize) -> f64 {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python).args(["-c", FLOOR, &size.to_string(), &rounds.to_string()]).output();
    let seconds = output.ok().and_then(|out| String::from_utf8(out.stdout).ok()?.trim().parse().ok());
    seconds.unwrap_or_else(|| panic!("{python} has no scipy, so there is no floor: set PYTHON to one that has"))
}
