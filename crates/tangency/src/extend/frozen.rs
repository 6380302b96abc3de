//! The training points as new ones see them: held at their posterior means.

use super::on_graph::FrozenGraph;
use crate::linalg::Matrix;
use crate::model::Hyperparameters;

/// The training points at their posterior means, in scaled units.
pub(super) struct Frozen {
    /// [d_y, n]
    pub observations: Matrix,
    /// [d_x, n]
    pub coordinates: Matrix,
    /// Column i·d_x + a is column a of C_i. [d_y, n·d_x]
    pub maps: Matrix,
    pub hyper: Hyperparameters,
    pub epsilon: f64,
    /// Σ_i y_i. `[d_y]`
    pub observation_sum: Vec<f64>,
    /// Σ_i C_i. `[d_x·d_y]`
    pub map_sum: Vec<f64>,
    /// What the graph's likelihood has of them, where it is part of the model.
    pub graph: Option<FrozenGraph>,
}

impl Frozen {
    /// `observations` is d_y × n, `coordinates` d_x × n, `maps` d_y × n·d_x.
    pub fn new(observations: Matrix, coordinates: Matrix, maps: Matrix, hyper: Hyperparameters, epsilon: f64) -> Self {
        let (d_x, d_y) = (coordinates.nrows(), observations.nrows());
        let sum = |matrix: &Matrix, first: usize, step: usize, f: usize| -> f64 {
            (first..matrix.ncols()).step_by(step).map(|p| matrix[(f, p)]).sum()
        };
        let observation_sum = (0..d_y).map(|f| sum(&observations, 0, 1, f)).collect();
        let map_sum = (0..d_x * d_y).map(|p| sum(&maps, p / d_y, d_x, p % d_y)).collect();
        Self { observations, coordinates, maps, hyper, epsilon, observation_sum, map_sum, graph: None }
    }

    /// u = BY − a: what the maps leave of the step along each edge. [d_y, m]
    pub fn residuals(&self, edges: &[(u32, u32)]) -> Matrix {
        let d_x = self.d_x();
        Matrix::from_fn(self.d_y(), edges.len(), |f, e| {
            let (i, j) = (edges[e].0 as usize, edges[e].1 as usize);
            let along = |a: usize| {
                let maps = self.maps[(f, i * d_x + a)] + self.maps[(f, j * d_x + a)];
                0.5 * maps * (self.coordinates[(a, j)] - self.coordinates[(a, i)])
            };
            self.observations[(f, j)] - self.observations[(f, i)] - (0..d_x).map(along).sum::<f64>()
        })
    }

    pub fn d_x(&self) -> usize {
        self.coordinates.nrows()
    }

    pub fn d_y(&self) -> usize {
        self.observations.nrows()
    }

    /// The columns of C_i, one after the other.
    pub fn map(&self, i: usize) -> impl Iterator<Item = &[f64]> {
        let d_x = self.d_x();
        (0..d_x).map(move |a| self.maps.col_as_slice(i * d_x + a))
    }

    /// Precision of C* by its prior.
    pub fn map_precision(&self, k: usize) -> f64 {
        let Hyperparameters { lambda, nu, .. } = self.hyper;
        2.0 * lambda * k as f64 + nu + if nu == 0.0 { lambda * self.epsilon } else { 0.0 }
    }
}
