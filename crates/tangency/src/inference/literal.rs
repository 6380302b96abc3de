//! The paper's appendix, sum by sum, in the slowest way: point-major, dense, nothing shared with the engine.
#![allow(clippy::unwrap_used)]

use crate::graph::Graph;
use crate::inference::exact::Maps;
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::f64::consts::PI;

pub struct Literal {
    n: usize,
    d_x: usize,
    d_y: usize,
    epsilon: f64,
    eta: Matrix,
    laplacian: Matrix,
    y: Matrix,
    /// q(x), point-major.
    pub x: Vec<f64>,
    pub x_covariance: Matrix,
    /// q(C): column i·d_x + a is column a of C_i.
    pub c: Matrix,
    pub c_covariance: Matrix,
}

impl Literal {
    pub fn new(problem: &Problem, maps: &Maps) -> Self {
        let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.n_features());
        let mut eta = Matrix::zeros(n, n);
        for &(i, j) in problem.graph.edges() {
            eta[(i as usize, j as usize)] = 1.0;
            eta[(j as usize, i as usize)] = 1.0;
        }
        let degree = |i: usize| (0..n).map(|j| eta[(i, j)]).sum::<f64>();
        let laplacian = Matrix::from_fn(n, n, |i, j| if i == j { degree(i) } else { -eta[(i, j)] });
        Self {
            n,
            d_x,
            d_y,
            epsilon: problem.epsilon,
            eta,
            laplacian,
            y: problem.observations.as_ref().clone(),
            x: vec![0.0; n * d_x],
            x_covariance: Matrix::identity(n * d_x, n * d_x),
            c: Matrix::from_fn(d_y, n * d_x, |f, p| maps.mean[(f, (p % d_x) * n + p / d_x)]),
            c_covariance: Matrix::from_fn(n * d_x, n * d_x, |p, q| {
                maps.covariance_of(n, p % d_x, p / d_x, q % d_x, q / d_x)
            }),
        }
    }

    /// L̃ = (ε11ᵀ + 2γL)⁻¹.
    fn tilde(&self, gamma: f64) -> Matrix {
        inverse(&Matrix::from_fn(self.n, self.n, |i, j| self.epsilon + 2.0 * gamma * self.laplacian[(i, j)])).0
    }

    /// ⟨C_iᵀC_j⟩ and ⟨x_i x_jᵀ⟩.
    fn cc(&self, p: usize, q: usize) -> f64 {
        let means: f64 = (0..self.d_y).map(|f| self.c[(f, p)] * self.c[(f, q)]).sum();
        self.d_y as f64 * self.c_covariance[(p, q)] + means
    }

    fn xx(&self, p: usize, q: usize) -> f64 {
        self.x_covariance[(p, q)] + self.x[p] * self.x[q]
    }

    /// γ² Σ_p Σ_q [L̃(p,q) − L̃(p,j) − L̃(i,q) + L̃(i,j)] η_pi η_qj ⟨(·_p ± ·_i)(·_q ± ·_j)⟩.
    fn double_sum(&self, gamma: f64, sign: f64, moment: impl Fn(usize, usize) -> f64) -> Matrix {
        let (n, d) = (self.n, self.d_x);
        let tilde = self.tilde(gamma);
        Matrix::from_fn(n * d, n * d, |row, column| {
            let (i, a, j, b) = (row / d, row % d, column / d, column % d);
            let mut sum = 0.0;
            for p in 0..n {
                for q in 0..n {
                    let weight = self.eta[(p, i)] * self.eta[(q, j)];
                    if weight == 0.0 {
                        continue;
                    }
                    let m = |k: usize, l: usize| moment(k * d + a, l * d + b);
                    sum += weight
                        * (tilde[(p, q)] - tilde[(p, j)] - tilde[(i, q)] + tilde[(i, j)])
                        * (m(p, q) + sign * m(p, j) + sign * m(i, q) + m(i, j));
                }
            }
            gamma * gamma * sum
        })
    }

    fn gamma_matrix(&self, gamma: f64) -> Matrix {
        self.double_sum(gamma, -1.0, |p, q| self.xx(p, q))
    }

    /// Π⁻¹ = αI + 2L⊗I.
    fn x_prior(&self, hyper: &Hyperparameters) -> Matrix {
        let d = self.d_x;
        Matrix::from_fn(self.n * d, self.n * d, |p, q| {
            let own = if p == q { hyper.alpha } else { 0.0 };
            own + if p % d == q % d { 2.0 * self.laplacian[(p / d, q / d)] } else { 0.0 }
        })
    }

    fn c_prior(&self, hyper: &Hyperparameters) -> Matrix {
        let d = self.d_x;
        let common = if hyper.nu == 0.0 { hyper.lambda * self.epsilon } else { 0.0 };
        Matrix::from_fn(self.n * d, self.n * d, |p, q| {
            let own = if p == q { hyper.nu } else { 0.0 };
            own + if p % d == q % d { 2.0 * hyper.lambda * self.laplacian[(p / d, q / d)] + common } else { 0.0 }
        })
    }

    pub fn update_coordinates(&mut self, hyper: &Hyperparameters) {
        let (n, d) = (self.n, self.d_x);
        let a = self.double_sum(hyper.gamma, 1.0, |p, q| self.cc(p, q));
        let b: Vec<f64> = (0..n * d)
            .map(|p| {
                let (i, k) = (p / d, p % d);
                let mut sum = 0.0;
                for j in 0..n {
                    for f in 0..self.d_y {
                        let step = self.y[(f, i)] - self.y[(f, j)];
                        sum += self.eta[(i, j)] * (self.c[(f, j * d + k)] + self.c[(f, i * d + k)]) * step;
                    }
                }
                hyper.gamma * sum
            })
            .collect();
        self.x_covariance = inverse(&(a + self.x_prior(hyper))).0;
        self.x = (0..n * d).map(|p| (0..n * d).map(|q| self.x_covariance[(p, q)] * b[q]).sum()).collect();
    }

    fn h(&self) -> Matrix {
        let d = self.d_x;
        Matrix::from_fn(self.d_y, self.n * d, |f, p| {
            let (i, a) = (p / d, p % d);
            (0..self.n)
                .map(|j| self.eta[(i, j)] * (self.y[(f, j)] - self.y[(f, i)]) * (self.x[j * d + a] - self.x[i * d + a]))
                .sum()
        })
    }

    pub fn update_maps(&mut self, hyper: &Hyperparameters) {
        self.c_covariance = inverse(&(self.gamma_matrix(hyper.gamma) + self.c_prior(hyper))).0;
        let (h, s) = (self.h(), &self.c_covariance);
        let size = self.n * self.d_x;
        self.c =
            Matrix::from_fn(self.d_y, size, |f, p| hyper.gamma * (0..size).map(|q| h[(f, q)] * s[(q, p)]).sum::<f64>());
    }

    fn edge_energy(&self) -> f64 {
        let n = self.n;
        (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| self.laplacian[(i, j)] * (0..self.d_y).map(|f| self.y[(f, i)] * self.y[(f, j)]).sum::<f64>())
            .sum()
    }

    /// Tr(Γ ⟨CᵀC⟩) and Tr(μ_Cᵀ H).
    fn quadratic_and_linear(&self, gamma: f64) -> (f64, f64) {
        let (matrix, h) = (self.gamma_matrix(gamma), self.h());
        let size = self.n * self.d_x;
        let quadratic =
            (0..size).flat_map(|p| (0..size).map(move |q| (p, q))).map(|(p, q)| matrix[(p, q)] * self.cc(q, p)).sum();
        let linear = (0..size).map(|p| (0..self.d_y).map(|f| self.c[(f, p)] * h[(f, p)]).sum::<f64>()).sum();
        (quadratic, linear)
    }

    pub fn best_gamma(&self) -> f64 {
        // Γ at γ = 1 is half of Q̂ L̃_L Q̂ᵀ
        let (quadratic, linear) = self.quadratic_and_linear(1.0);
        -(self.d_y as f64 * (self.n as f64 - 1.0) / 2.0) / (-0.5 * quadratic + linear - self.edge_energy())
    }

    pub fn bound(&self, hyper: &Hyperparameters) -> f64 {
        let (n, size, d_y) = (self.n, self.n * self.d_x, self.d_y as f64);
        let (quadratic, linear) = self.quadratic_and_linear(hyper.gamma);
        let sums: f64 = (0..self.d_y).map(|f| (0..n).map(|i| self.y[(f, i)]).sum::<f64>().powi(2)).sum();
        let precision = Matrix::from_fn(n, n, |i, j| self.epsilon + 2.0 * hyper.gamma * self.laplacian[(i, j)]);
        let likelihood = -0.5 * quadratic + hyper.gamma * linear
            - 0.5 * (self.epsilon * sums + 2.0 * hyper.gamma * self.edge_energy())
            - 0.5 * n as f64 * d_y * (2.0 * PI).ln()
            + 0.5 * d_y * inverse(&precision).1;
        let trace = |a: &Matrix, b: &dyn Fn(usize, usize) -> f64| -> f64 {
            (0..size).flat_map(|p| (0..size).map(move |q| (p, q))).map(|(p, q)| a[(p, q)] * b(q, p)).sum()
        };
        let (k, pi) = (self.c_prior(hyper), self.x_prior(hyper));
        let maps = 0.5 * d_y * (inverse(&self.c_covariance).1 + inverse(&k).1) - 0.5 * trace(&k, &|p, q| self.cc(p, q))
            + 0.5 * size as f64 * d_y;
        let coordinates = 0.5 * (inverse(&self.x_covariance).1 + inverse(&pi).1)
            - 0.5 * trace(&pi, &|p, q| self.xx(p, q))
            + 0.5 * size as f64;
        likelihood + maps + coordinates
    }
}

/// Inverse and log-determinant by Gauss and Jordan with pivots.
fn inverse(matrix: &Matrix) -> (Matrix, f64) {
    let n = matrix.nrows();
    let (mut left, mut right) = (matrix.clone(), Matrix::identity(n, n));
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&p, &q| left[(p, k)].abs().total_cmp(&left[(q, k)].abs())).unwrap();
        for j in 0..n {
            for side in [&mut left, &mut right] {
                let (a, b) = (side[(k, j)], side[(pivot, j)]);
                (side[(k, j)], side[(pivot, j)]) = (b, a);
            }
        }
        let value = left[(k, k)];
        log_det += value.abs().ln();
        for j in 0..n {
            left[(k, j)] /= value;
            right[(k, j)] /= value;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = left[(i, k)];
            for j in 0..n {
                left[(i, j)] -= factor * left[(k, j)];
                right[(i, j)] -= factor * right[(k, j)];
            }
        }
    }
    (right, log_det)
}

/// A connected random graph: a random tree and some more edges.
pub fn random_graph(n: usize, extra: usize, rng: &mut ChaCha8Rng) -> Graph {
    let mut edges: Vec<(u32, u32)> = (1..n as u32).map(|i| (rng.random_range(0..i), i)).collect();
    edges.extend((0..extra).map(|_| (rng.random_range(0..n as u32), rng.random_range(0..n as u32))));
    Graph::from_edges(n, edges)
}

pub fn normal(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Matrix {
    Matrix::from_fn(rows, columns, |_, _| rng.sample(StandardNormal))
}

/// Centred random observations on a random graph.
pub fn random_problem(n: usize, d_x: usize, d_y: usize, rng: &mut ChaCha8Rng) -> Problem {
    let graph = random_graph(n, 2 * n, rng);
    let mut observations = normal(d_y, n, rng);
    for f in 0..d_y {
        let mean = (0..n).map(|i| observations[(f, i)]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| observations[(f, i)] -= mean);
    }
    Problem::new(observations, graph, d_x, 1e-3).unwrap()
}
