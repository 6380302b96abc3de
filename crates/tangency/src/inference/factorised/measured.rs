//! What is measured of the coordinates' precision: missing entries are averaged out together with them (eq. 37).

use super::means::{flow, pull_on_coordinates};
use super::{Beliefs, Factorised, Sizes};
use crate::error::Result;
use crate::inference::state::State;
use crate::linalg::Matrix;
use crate::linalg::small::invert;
use crate::model::{Filling, Problem};

/// The precision of the coordinates with P − P_m in the place of P, where entries are missing.
pub(super) struct Measured<'a> {
    engine: &'a Factorised,
    pub problem: &'a Problem,
    filling: Option<Filling>,
}

impl<'a> Measured<'a> {
    pub fn new(engine: &'a Factorised, problem: &'a Problem) -> Result<Self> {
        Ok(Self { engine, problem, filling: problem.filling()? })
    }

    /// Points that lack an entry or have a neighbour that does.
    pub fn next_to_gaps(&self) -> Vec<bool> {
        let graph = &self.problem.graph;
        let mut all = vec![false; graph.n()];
        for row in self.filling.iter().flat_map(Filling::rows) {
            all[row as usize] = true;
            graph.neighbors(row as usize).iter().for_each(|&j| all[j as usize] = true);
        }
        all
    }

    /// 2γ F̄ᵀ(P − P_m)F̄ and all else that the precision has, times v.
    pub fn coordinate_precision(&self, state: &State<Beliefs>, v: &[f64]) -> Vec<f64> {
        let (problem, c) = (self.problem, &state.beliefs.c);
        let mut out = self.engine.coordinate_precision(problem, state, v);
        if let Some(missing) = self.potentials_of_missing(&flow(problem, c, v)) {
            let off = pull_on_coordinates(problem, c, &missing, state.gamma_of_coordinates());
            out.iter_mut().zip(off).for_each(|(slot, off)| *slot -= off);
        }
        out
    }

    /// 2γ F̄ᵀB(Lp − L_mm⁻¹) times what flows out of points.
    pub fn pull(&self, c: &[f64], flow: &[f64], gamma: f64) -> Vec<f64> {
        let mut potential = self.engine.laplace.solve(self.problem, flow);
        if let Some(missing) = self.potentials_of_missing(flow) {
            potential.iter_mut().zip(missing).for_each(|(slot, missing)| *slot -= missing);
        }
        pull_on_coordinates(self.problem, c, &potential, gamma)
    }

    fn potentials_of_missing(&self, flow: &[f64]) -> Option<Vec<f64>> {
        let filling = self.filling.as_ref()?;
        let Sizes { n, rows, .. } = Sizes::of(self.problem);
        Some(match self.problem.reduction() {
            None => filling.potentials(flow, rows),
            Some(reduction) => {
                let d_y = self.problem.n_features();
                let in_features = reduction.back(&Matrix::from_fn(rows, n, |r, i| flow[i * rows + r]));
                let of_columns =
                    |matrix: &Matrix| -> Vec<f64> { (0..n).flat_map(|i| matrix.col_as_slice(i).to_vec()).collect() };
                let found = filling.potentials(&of_columns(&in_features), d_y);
                of_columns(&reduction.along(&Matrix::from_fn(d_y, n, |f, i| found[i * d_y + f])))
            }
        })
    }

    /// Covariances of points, all others being held, by what is measured of each: (γ/2k) Σ_f (Σ_j C_i + C_j)_f(…)_fᵀ over the k
    /// neighbours j is taken off the precision for the features f that a point lacks.
    pub fn conditional(&self, state: &State<Beliefs>) -> Vec<f64> {
        let (mut s, d_x) = (state.beliefs.s.clone(), self.problem.n_components);
        let Some(filling) = &self.filling else { return s };
        let Sizes { n, rows, .. } = Sizes::of(self.problem);
        let c = &state.beliefs.c;
        let maps = self.problem.in_features(Matrix::from_fn(rows, n * d_x, |f, p| c[p * rows + f]));
        let graph = &self.problem.graph;
        for (row, features) in filling.features_of_rows() {
            let k = graph.neighbors(row).len() as f64;
            let slope = |f: usize, a: usize| {
                let others = graph.neighbors(row).iter().map(|&j| maps[(f, j as usize * d_x + a)]).sum::<f64>();
                k * maps[(f, row * d_x + a)] + others
            };
            let block = &mut s[row * d_x * d_x..(row + 1) * d_x * d_x];
            let before = block.to_vec();
            let mut precision = before.clone();
            if invert(&mut precision, d_x).is_none() {
                continue;
            }
            for f in features {
                for p in 0..d_x * d_x {
                    precision[p] -= 0.5 * state.gamma_of_coordinates() / k * slope(f, p / d_x) * slope(f, p % d_x);
                }
            }
            let wider = invert(&mut precision, d_x).is_some();
            block.copy_from_slice(if wider { &precision } else { &before });
        }
        s
    }
}
