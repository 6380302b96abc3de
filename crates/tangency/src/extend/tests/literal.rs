//! The definition: the graph with one more point, all its matrices, and E-steps of the one point only.

use crate::extend::frozen::Frozen;
use crate::graph::Graph;
use crate::linalg::{Matrix, lower_factor, solve_small};
use std::f64::consts::PI;

/// Training points and, as the last one, the new point.
pub struct Enlarged<'a> {
    frozen: &'a Frozen,
    old: Graph,
    graph: Graph,
    y: Matrix,
    state: State,
}

/// q(x*), q(C*).
#[derive(Clone)]
pub struct State {
    pub x: Vec<f64>,
    pub x_covariance: Matrix,
    pub c: Matrix,
    pub c_covariance: Matrix,
    pub bound_change: f64,
}

impl<'a> Enlarged<'a> {
    pub fn new(frozen: &'a Frozen, graph: &Graph, points: &[u32], y: &[f64]) -> Self {
        let (n, d_x, d_y) = (graph.n(), frozen.d_x(), frozen.d_y());
        let edges = graph.edges().iter().copied().chain(points.iter().map(|&j| (j, n as u32)));
        let mean =
            |row: &dyn Fn(usize) -> f64| points.iter().map(|&j| row(j as usize)).sum::<f64>() / points.len() as f64;
        let state = State {
            x: (0..d_x).map(|a| mean(&|j| frozen.coordinates[(a, j)])).collect(),
            x_covariance: Matrix::zeros(d_x, d_x),
            c: Matrix::from_fn(d_y, d_x, |f, a| mean(&|j| frozen.maps[(f, j * d_x + a)])),
            c_covariance: Matrix::zeros(d_x, d_x),
            bound_change: f64::NAN,
        };
        let observations = Matrix::from_fn(d_y, n + 1, |f, i| if i < n { frozen.observations[(f, i)] } else { y[f] });
        Self { frozen, old: graph.clone(), graph: Graph::from_edges(n + 1, edges), y: observations, state }
    }

    /// E-steps in turn until nothing moves.
    pub fn settle(mut self) -> State {
        self.update_x();
        for _ in 0..4000 {
            let before = self.state.x.clone();
            self.update_c();
            self.update_x();
            if before.iter().zip(&self.state.x).all(|(a, b)| (a - b).abs() < 1e-14 * (1.0 + b.abs())) {
                break;
            }
        }
        self.state.bound_change = self.bound(&self.graph) - self.bound(&self.old) + self.entropies();
        self.state
    }

    fn mean_x(&self, i: usize, a: usize) -> f64 {
        if i < self.old.n() { self.frozen.coordinates[(a, i)] } else { self.state.x[a] }
    }

    fn mean_c(&self, i: usize, f: usize, a: usize) -> f64 {
        if i < self.old.n() { self.frozen.maps[(f, i * self.frozen.d_x() + a)] } else { self.state.c[(f, a)] }
    }

    /// Only the new point has a covariance.
    fn xx(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        let own = if i.min(j) == self.old.n() { self.state.x_covariance[(a, b)] } else { 0.0 };
        own + self.mean_x(i, a) * self.mean_x(j, b)
    }

    fn cc(&self, i: usize, a: usize, j: usize, b: usize) -> f64 {
        let d_y = self.frozen.d_y();
        let own = if i.min(j) == self.old.n() { self.state.c_covariance[(a, b)] } else { 0.0 };
        d_y as f64 * own + (0..d_y).map(|f| self.mean_c(i, f, a) * self.mean_c(j, f, b)).sum::<f64>()
    }

    /// (γ/2) agg of docs/derivation.md, eq. 4, point-major.
    fn aggregate(&self, graph: &Graph, sign: f64, moment: impl Fn(usize, usize, usize, usize) -> f64) -> Matrix {
        let d = self.frozen.d_x();
        let lp = pseudo_inverse(graph);
        Matrix::from_fn(graph.n() * d, graph.n() * d, |row, column| {
            let (i, a, j, b) = (row / d, row % d, column / d, column % d);
            let mut sum = 0.0;
            for &p in graph.neighbors(i) {
                for &q in graph.neighbors(j) {
                    let (p, q) = (p as usize, q as usize);
                    let m = |k: usize, l: usize| moment(k, a, l, b);
                    sum += (lp[(p, q)] - lp[(p, j)] - lp[(i, q)] + lp[(i, j)])
                        * (m(p, q) + sign * m(p, j) + sign * m(i, q) + m(i, j));
                }
            }
            0.5 * self.frozen.hyper.gamma * sum
        })
    }

    /// αI + 2L and K, for each component.
    fn prior(&self, graph: &Graph, rough: f64, own: f64, common: f64) -> Matrix {
        let (d, l) = (self.frozen.d_x(), laplacian(graph));
        Matrix::from_fn(graph.n() * d, graph.n() * d, |p, q| {
            let diagonal = if p == q { own } else { 0.0 };
            diagonal + if p % d == q % d { rough * l[(p / d, q / d)] + common } else { 0.0 }
        })
    }

    fn x_prior(&self, graph: &Graph) -> Matrix {
        self.prior(graph, 2.0, self.frozen.hyper.alpha, 0.0)
    }

    fn c_prior(&self, graph: &Graph) -> Matrix {
        let hyper = &self.frozen.hyper;
        let common = if hyper.nu == 0.0 { hyper.lambda * self.frozen.epsilon } else { 0.0 };
        self.prior(graph, 2.0 * hyper.lambda, hyper.nu, common)
    }

    /// b of eq. 3.
    fn linear(&self, graph: &Graph) -> Vec<f64> {
        let d = self.frozen.d_x();
        (0..graph.n() * d)
            .map(|p| {
                let (i, a) = (p / d, p % d);
                let of = |j: usize, f: usize| {
                    (self.mean_c(i, f, a) + self.mean_c(j, f, a)) * (self.y[(f, i)] - self.y[(f, j)])
                };
                let sum = |j: &u32| (0..self.frozen.d_y()).map(|f| of(*j as usize, f)).sum::<f64>();
                self.frozen.hyper.gamma * graph.neighbors(i).iter().map(sum).sum::<f64>()
            })
            .collect()
    }

    fn update_x(&mut self) {
        let (n, d) = (self.old.n(), self.frozen.d_x());
        let precision = self.aggregate(&self.graph, 1.0, |i, a, j, b| self.cc(i, a, j, b)) + self.x_prior(&self.graph);
        let linear = self.linear(&self.graph);
        let own = Matrix::from_fn(d, d, |a, b| precision[(n * d + a, n * d + b)]);
        let right = Matrix::from_fn(d, 1, |a, _| {
            let others = |q: usize| precision[(n * d + a, q)] * self.mean_x(q / d, q % d);
            linear[n * d + a] - (0..n * d).map(others).sum::<f64>()
        });
        self.state.x_covariance = solve_small(&own, &Matrix::identity(d, d), "test").unwrap();
        let mean = solve_small(&own, &right, "test").unwrap();
        self.state.x = (0..d).map(|a| mean[(a, 0)]).collect();
    }

    fn update_c(&mut self) {
        let (n, d, d_y) = (self.old.n(), self.frozen.d_x(), self.frozen.d_y());
        let precision = self.aggregate(&self.graph, -1.0, |i, a, j, b| self.xx(i, a, j, b)) + self.c_prior(&self.graph);
        let own = Matrix::from_fn(d, d, |a, b| precision[(n * d + a, n * d + b)]);
        let right = Matrix::from_fn(d, d_y, |a, f| {
            let h: f64 = self
                .graph
                .neighbors(n)
                .iter()
                .map(|&j| (self.y[(f, j as usize)] - self.y[(f, n)]) * (self.mean_x(j as usize, a) - self.mean_x(n, a)))
                .sum();
            let others = |q: usize| precision[(n * d + a, q)] * self.mean_c(q / d, f, q % d);
            self.frozen.hyper.gamma * h - (0..n * d).map(others).sum::<f64>()
        });
        self.state.c_covariance = solve_small(&own, &Matrix::identity(d, d), "test").unwrap();
        self.state.c = solve_small(&own, &right, "test").unwrap().transpose().to_owned();
    }

    /// Mean of log p(y, C, x) under q, on either graph.
    fn bound(&self, graph: &Graph) -> f64 {
        let (n, d, d_y) = (graph.n(), self.frozen.d_x(), self.frozen.d_y());
        let (gamma, epsilon) = (self.frozen.hyper.gamma, self.frozen.epsilon);
        let size = n * d;
        let against = |matrix: &Matrix, moment: &dyn Fn(usize, usize, usize, usize) -> f64| -> f64 {
            (0..size * size)
                .map(|pq| (pq / size, pq % size))
                .map(|(p, q)| matrix[(p, q)] * moment(p / d, p % d, q / d, q % d))
                .sum()
        };
        let edge_energy: f64 = (0..d_y)
            .map(|f| {
                let step = |&(i, j): &(u32, u32)| (self.y[(f, j as usize)] - self.y[(f, i as usize)]).powi(2);
                graph.edges().iter().map(step).sum::<f64>()
            })
            .sum();
        let linear: f64 = self.linear(graph).iter().enumerate().map(|(p, b)| b * self.mean_x(p / d, p % d)).sum();
        let quadratic =
            against(&self.aggregate(graph, 1.0, |i, a, j, b| self.cc(i, a, j, b)), &|i, a, j, b| self.xx(i, a, j, b));
        let sums: f64 = (0..d_y).map(|f| (0..n).map(|i| self.y[(f, i)]).sum::<f64>().powi(2)).sum();
        let l = laplacian(graph);
        let precision = Matrix::from_fn(n, n, |i, j| epsilon + 2.0 * gamma * l[(i, j)]);
        let likelihood = -gamma * edge_energy + linear - 0.5 * quadratic - 0.5 * epsilon * sums
            + 0.5 * d_y as f64 * (log_det(&precision) - n as f64 * (2.0 * PI).ln());
        let (of_x, of_c) = (self.x_prior(graph), self.c_prior(graph));
        let x =
            0.5 * (log_det(&of_x) - against(&of_x, &|i, a, j, b| self.xx(i, a, j, b)) - size as f64 * (2.0 * PI).ln());
        let c = 0.5
            * (d_y as f64 * (log_det(&of_c) - size as f64 * (2.0 * PI).ln())
                - against(&of_c, &|i, a, j, b| self.cc(i, a, j, b)));
        likelihood + x + c
    }

    fn entropies(&self) -> f64 {
        let (d, d_y) = (self.frozen.d_x() as f64, self.frozen.d_y() as f64);
        let one = 1.0 + (2.0 * PI).ln();
        0.5 * (log_det(&self.state.x_covariance) + d * one) + 0.5 * d_y * (log_det(&self.state.c_covariance) + d * one)
    }
}

fn laplacian(graph: &Graph) -> Matrix {
    let (n, has) = (graph.n(), |i: usize, j: usize| graph.has((i.min(j) as u32, i.max(j) as u32)));
    Matrix::from_fn(n, n, |i, j| if i == j { graph.degree(i) as f64 } else { -f64::from(u8::from(has(i, j))) })
}

fn pseudo_inverse(graph: &Graph) -> Matrix {
    let n = graph.n();
    let shifted = laplacian(graph) + Matrix::full(n, n, 1.0);
    let inverse = solve_small(&shifted, &Matrix::identity(n, n), "test").unwrap();
    inverse - Matrix::full(n, n, 1.0 / (n * n) as f64)
}

fn log_det(matrix: &Matrix) -> f64 {
    let factor = lower_factor(matrix, "test").unwrap();
    (0..factor.nrows()).map(|i| 2.0 * factor[(i, i)].ln()).sum()
}
