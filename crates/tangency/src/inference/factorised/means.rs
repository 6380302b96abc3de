//! The means: joint quadratic problems in x given C and in C given x, solved by conjugate gradients (eq. 24, 25).

use super::conjugate_gradients::{conjugate_gradients, sum};
use super::preconditioner::Preconditioner;
use super::stars::Sign;
use super::{Beliefs, Factorised, Sizes};
use crate::error::Result;
use crate::model::{Hyperparameters, Problem};
use rayon::prelude::*;

/// Most steps of one update: what is left waits for the next.
const MOST: usize = 60;

impl Factorised {
    /// Improves the means of x.
    pub(super) fn improve_coordinates(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        least: f64,
        beliefs: &mut Beliefs,
    ) -> Result<()> {
        let mut found = std::mem::take(&mut beliefs.x);
        let preconditioner = match self.for_coordinates.take().filter(Preconditioner::serves) {
            Some(kept) => kept,
            None => self.precondition_coordinates(problem, hyper, beliefs)?,
        };
        let right = linear_of_coordinates(problem, hyper, &beliefs.c);
        let steps = conjugate_gradients(
            |v| self.coordinate_precision(problem, hyper, beliefs, v),
            |v| preconditioner.apply(&self.laplace, &beliefs.s, v),
            &right,
            &mut found,
            least,
            MOST,
        );
        beliefs.x = found;
        self.for_coordinates = Some(preconditioner.after(steps));
        Ok(())
    }

    /// Improves the means of C.
    pub(super) fn improve_maps(
        &mut self,
        problem: &Problem,
        hyper: &Hyperparameters,
        least: f64,
        beliefs: &mut Beliefs,
    ) -> Result<()> {
        let mut found = std::mem::take(&mut beliefs.c);
        let preconditioner = match self.for_maps.take().filter(Preconditioner::serves) {
            Some(kept) => kept,
            None => self.precondition_maps(problem, hyper, beliefs)?,
        };
        let mut right = linear_of_maps(problem, &beliefs.x);
        right.par_iter_mut().for_each(|value| *value *= hyper.gamma);
        let steps = conjugate_gradients(
            |v| self.map_precision(problem, hyper, beliefs, v),
            |v| preconditioner.apply(&self.laplace, &beliefs.t, v),
            &right,
            &mut found,
            least,
            MOST,
        );
        beliefs.c = found;
        self.for_maps = Some(preconditioner.after(steps));
        Ok(())
    }

    /// [αI + 2L⊗I + ½γ d_y Σ_i star₋(P_i, T_i) + 2γ F̄ᵀPF̄] v.
    pub(super) fn coordinate_precision(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
        v: &[f64],
    ) -> Vec<f64> {
        let Sizes { d_x, d_y, .. } = Sizes::of(problem);
        let graph = &problem.graph;
        let potential = self.laplace.solve(problem, &flow(problem, &beliefs.c, v));
        let mut out = pull_on_coordinates(problem, &beliefs.c, &potential, hyper.gamma);
        out.par_chunks_mut(d_x).enumerate().with_min_len(64).for_each(|(i, out)| {
            for a in 0..d_x {
                let own = v[i * d_x + a];
                let steps: f64 = graph.neighbors(i).iter().map(|&j| own - v[j as usize * d_x + a]).sum();
                out[a] += hyper.alpha * own + 2.0 * steps;
            }
        });
        self.add_stars(problem, &beliefs.t, 1, Sign::Difference, 0.5 * hyper.gamma * d_y, v, &mut out);
        out
    }

    /// [(2λL + νI)⊗I + ½γ Σ_i star₊(P_i, S_i) + 2γ D̄ᵀPD̄] v; with the paper's prior ελ11ᵀ in place of νI.
    pub(super) fn map_precision(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &Beliefs,
        v: &[f64],
    ) -> Vec<f64> {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let (graph, width) = (&problem.graph, d_x * rows);
        let potential = self.laplace.solve(problem, &flow(problem, v, &beliefs.x));
        let common: Vec<f64> = match hyper.nu == 0.0 {
            true => (0..width).map(|p| problem.epsilon * hyper.lambda * sum(n, |i| v[i * width + p])).collect(),
            false => vec![0.0; width],
        };
        let mut out = pull_on_maps(problem, &beliefs.x, &potential, hyper.gamma);
        out.par_chunks_mut(width).enumerate().with_min_len(64).for_each(|(i, out)| {
            let own = &v[i * width..(i + 1) * width];
            let (list, degree) = (graph.neighbors(i), graph.degree(i) as f64);
            for p in 0..width {
                out[p] += (hyper.nu + 2.0 * hyper.lambda * degree) * own[p] + common[p];
            }
            for &j in list {
                let other = &v[j as usize * width..(j as usize + 1) * width];
                out.iter_mut().zip(other).for_each(|(slot, value)| *slot -= 2.0 * hyper.lambda * value);
            }
        });
        self.add_stars(problem, &beliefs.s, rows, Sign::Sum, 0.5 * hyper.gamma, v, &mut out);
        out
    }

    /// R = ⟨|BY − Pa|²⟩, the expected squared residual of the edges.
    pub(super) fn residual(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        self.residual_of_means(problem, beliefs) + self.uncertain_part(problem, beliefs)
    }

    /// |BY − Pā|².
    pub(super) fn residual_of_means(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let Beliefs { x, c, .. } = beliefs;
        let linear = linear_of_maps(problem, x);
        let fit = sum(n, |i| {
            let own = i * d_x * rows..(i + 1) * d_x * rows;
            linear[own.clone()].iter().zip(&c[own]).map(|(h, c)| h * c).sum()
        });
        // |Pā|² = āᵀB Lp Bᵀā
        let divergence = flow(problem, c, x);
        let potential = self.laplace.solve(problem, &divergence);
        let explained = sum(n, |i| (i * rows..(i + 1) * rows).map(|p| divergence[p] * potential[p]).sum());
        problem.edge_energy - fit + explained
    }
}

/// Bᵀā with ā_e = ½(C_i + C_j)(x_j − x_i): what flows out of each point. `[n·d_y]`
pub(super) fn flow(problem: &Problem, c: &[f64], x: &[f64]) -> Vec<f64> {
    let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
    let mut out = vec![0.0; n * rows];
    out.par_chunks_mut(rows).enumerate().with_min_len(64).for_each(|(i, out)| {
        for &j in problem.graph.neighbors(i) {
            let j = j as usize;
            for a in 0..d_x {
                let half_step = 0.5 * (x[i * d_x + a] - x[j * d_x + a]);
                let own = &c[(i * d_x + a) * rows..(i * d_x + a + 1) * rows];
                let other = &c[(j * d_x + a) * rows..(j * d_x + a + 1) * rows];
                for ((slot, own), other) in out.iter_mut().zip(own).zip(other) {
                    *slot += half_step * (own + other);
                }
            }
        }
    });
    out
}

/// 2γ F̄ᵀBu: Σ_j γ(C_i + C_j)ᵀ(u_i − u_j). `[n·d_x]`
pub(super) fn pull_on_coordinates(problem: &Problem, c: &[f64], u: &[f64], gamma: f64) -> Vec<f64> {
    let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
    let mut out = vec![0.0; n * d_x];
    out.par_chunks_mut(d_x).enumerate().with_min_len(64).for_each(|(i, out)| {
        for &j in problem.graph.neighbors(i) {
            let j = j as usize;
            for (a, slot) in out.iter_mut().enumerate() {
                let own = &c[(i * d_x + a) * rows..(i * d_x + a + 1) * rows];
                let other = &c[(j * d_x + a) * rows..(j * d_x + a + 1) * rows];
                let pull: f64 = (0..rows).map(|f| (own[f] + other[f]) * (u[i * rows + f] - u[j * rows + f])).sum();
                *slot += gamma * pull;
            }
        }
    });
    out
}

/// 2γ D̄ᵀBu: Σ_j γ(u_i − u_j)(x_i − x_j)ᵀ. `[n·d_x·d_y]`
fn pull_on_maps(problem: &Problem, x: &[f64], u: &[f64], gamma: f64) -> Vec<f64> {
    let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
    let mut out = vec![0.0; n * d_x * rows];
    out.par_chunks_mut(d_x * rows).enumerate().with_min_len(64).for_each(|(i, out)| {
        for &j in problem.graph.neighbors(i) {
            let j = j as usize;
            for a in 0..d_x {
                let step = gamma * (x[i * d_x + a] - x[j * d_x + a]);
                for f in 0..rows {
                    out[a * rows + f] += step * (u[i * rows + f] - u[j * rows + f]);
                }
            }
        }
    });
    out
}

/// b: Σ_j γ(C_i + C_j)ᵀ(y_i − y_j). `[n·d_x]`
fn linear_of_coordinates(problem: &Problem, hyper: &Hyperparameters, c: &[f64]) -> Vec<f64> {
    pull_on_coordinates(problem, c, &observations(problem), hyper.gamma)
}

/// H: Σ_j (y_i − y_j)(x_i − x_j)ᵀ. `[n·d_x·d_y]`
fn linear_of_maps(problem: &Problem, x: &[f64]) -> Vec<f64> {
    pull_on_maps(problem, x, &observations(problem), 1.0)
}

fn observations(problem: &Problem) -> Vec<f64> {
    (0..problem.n()).flat_map(|i| problem.observations.col_as_slice(i).iter().copied()).collect()
}
