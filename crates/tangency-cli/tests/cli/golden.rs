//! Runs of the paper authors' program, reproduced by the command alone.

use crate::command::run;
use crate::files::{Columns, folder, model_arrays, npy, workspace};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Golden {
    n: usize,
    d_y: usize,
    d_x: usize,
    epsilon: f64,
    Y_point_major: Vec<f64>,
    edges_i: Vec<usize>,
    edges_j: Vec<usize>,
    mean_C0_point_major: Vec<f64>,
    lower_bound: Vec<f64>,
    gamma: Vec<f64>,
    mean_x_point_major: Vec<f64>,
    mean_C_point_major: Vec<f64>,
    cov_x_diag: Vec<f64>,
    cov_C_diag: Vec<f64>,
}

#[test]
fn curve_in_one_dimension() {
    reproduce("curve_n50_k5_dx1");
}

#[test]
fn swiss_roll_in_two_dimensions() {
    reproduce("swiss_n60_k6_dx2");
}

#[test]
fn sheet_in_three_dimensions() {
    reproduce("sheet_n70_k8_dx3");
}

fn reproduce(name: &str) {
    let path = workspace().join("crates/tangency/tests/fixtures/golden").join(format!("{name}.json"));
    let golden: Golden = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let folder = folder();
    golden.write_inputs(folder.path());
    let arguments = format!(
        "fit Y.csv --edges E.csv --n-components {} --preset authors --init-maps C0.npy --max-iter {} --tol 0 \
         --trace t.csv --embedding x.csv --out m.safetensors --epsilon {}",
        golden.d_x,
        golden.lower_bound.len(),
        golden.epsilon
    );
    run(folder.path(), &arguments);
    golden.check_trace(&Columns::read(&folder.path().join("t.csv")));
    golden.check_model(&folder.path().join("m.safetensors"));
    golden.check_embedding(&Columns::read(&folder.path().join("x.csv")), &folder.path().join("m.safetensors"));
}

impl Golden {
    fn write_inputs(&self, folder: &Path) {
        let header: Vec<String> = (1..=self.d_y).map(|f| format!("y{f}")).collect();
        let mut table = header.join(",") + "\n";
        for point in self.Y_point_major.chunks_exact(self.d_y) {
            let cells: Vec<String> = point.iter().map(f64::to_string).collect();
            table += &(cells.join(",") + "\n");
        }
        std::fs::write(folder.join("Y.csv"), table).unwrap();

        let pairs = self.edges_i.iter().zip(&self.edges_j);
        let edges: String = pairs.map(|(i, j)| format!("{i},{j}\n")).collect();
        std::fs::write(folder.join("E.csv"), edges).unwrap();

        let columns = self.n * self.d_x;
        let rows = (0..self.d_y)
            .flat_map(|f| (0..columns).map(move |p| p * self.d_y + f))
            .map(|position| self.mean_C0_point_major[position]);
        std::fs::write(folder.join("C0.npy"), npy(&[self.d_y as u64, columns as u64], rows)).unwrap();
    }

    fn check_trace(&self, trace: &Columns) {
        compare("lower bound", &trace.numbers("bound_scaled"), &self.lower_bound, |_| 1e-4);
        compare("gamma", &trace.numbers("gamma"), &self.gamma, absolute_or_relative);
    }

    /// Means up to the rotation that turns our coordinates onto their principal axes, and traces of covariances, which no
    /// rotation changes.
    fn check_model(&self, path: &Path) {
        let arrays = model_arrays(path);
        let (n, d_x, d_y) = (self.n, self.d_x, self.d_y);
        assert_eq!(arrays["coordinates"].0, [n, d_x]);
        assert_eq!(arrays["maps"].0, [n, d_x, d_y]);
        let ours = &arrays["coordinates"].1;
        let turn = closest_rotation(&self.mean_x_point_major, ours, d_x);

        let turned_x: Vec<f64> = self.mean_x_point_major.chunks_exact(d_x).flat_map(|x| row_times(x, &turn)).collect();
        compare("mean of x", ours, &turned_x, absolute_or_relative);

        let turned_maps = self.mean_C_point_major.chunks_exact(d_x * d_y).flat_map(|map| {
            let turn = &turn;
            (0..d_x)
                .flat_map(move |a| (0..d_y).map(move |f| (0..d_x).map(|b| map[b * d_y + f] * turn[b * d_x + a]).sum()))
        });
        compare("mean of C", &arrays["maps"].1, &turned_maps.collect::<Vec<f64>>(), absolute_or_relative);

        for (name, theirs) in [("coordinate_covariances", &self.cov_x_diag), ("map_covariances", &self.cov_C_diag)] {
            assert_eq!(arrays[name].0, [n, d_x, d_x]);
            let traces: Vec<f64> = arrays[name]
                .1
                .chunks_exact(d_x * d_x)
                .map(|block| (0..d_x).map(|a| block[a * d_x + a]).sum())
                .collect();
            let expected: Vec<f64> = theirs.chunks_exact(d_x).map(|point| point.iter().sum()).collect();
            compare(name, &traces, &expected, absolute_or_relative);
        }
    }

    fn check_embedding(&self, embedding: &Columns, model: &Path) {
        let arrays = model_arrays(model);
        for a in 0..self.d_x {
            let of_component = |values: &[f64]| values.iter().skip(a).step_by(self.d_x).copied().collect::<Vec<_>>();
            let means = embedding.numbers(&format!("x{}", a + 1));
            compare("x of the embedding", &means, &of_component(&arrays["coordinates"].1), |_| 0.0);
        }
        if self.d_x == 1 {
            let variances: Vec<f64> = embedding.numbers("sd1").iter().map(|sd| sd * sd).collect();
            compare("variance of x", &variances, &self.cov_x_diag, absolute_or_relative);
        }
    }
}

fn absolute_or_relative(expected: f64) -> f64 {
    1e-6 * expected.abs().max(1.0)
}

fn compare(what: &str, found: &[f64], expected: &[f64], room: impl Fn(f64) -> f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (position, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let apart = (found - expected).abs();
        assert!(apart <= room(expected), "{what}, entry {position}: {found} where {expected} is expected");
    }
}

/// The orthogonal R that brings `from` R closest to `to`, both n × d row-major: the polar factor of fromᵀ to.
fn closest_rotation(from: &[f64], to: &[f64], d: usize) -> Vec<f64> {
    let mut turn = vec![0.0; d * d];
    for (p, q) in from.chunks_exact(d).zip(to.chunks_exact(d)) {
        for a in 0..d {
            for b in 0..d {
                turn[a * d + b] += p[a] * q[b];
            }
        }
    }
    let norm = turn.iter().map(|v| v * v).sum::<f64>().sqrt();
    turn.iter_mut().for_each(|v| *v /= norm);
    // Newton–Schulz: R ← R (3 − RᵀR)/2 drives every singular value in (0, √3) to 1
    for _ in 0..200 {
        let square = |a: usize, b: usize| (0..d).map(|c| turn[c * d + a] * turn[c * d + b]).sum::<f64>();
        let factor: Vec<f64> =
            (0..d * d).map(|p| (f64::from(u8::from(p / d == p % d)) * 3.0 - square(p / d, p % d)) / 2.0).collect();
        turn = turn.chunks_exact(d).flat_map(|row| row_times(row, &factor)).collect();
    }
    turn
}

fn row_times(row: &[f64], matrix: &[f64]) -> Vec<f64> {
    let d = row.len();
    (0..d).map(|b| (0..d).map(|a| row[a] * matrix[a * d + b]).sum()).collect()
}
