//! What both problems of the means share: sums over the graph, and their solution by conjugate gradients (eq. 24, 25).

use super::Sizes;
use super::conjugate_gradients::conjugate_gradients;
use super::laplace::Laplace;
use super::preconditioner::Preconditioner;
use crate::model::Problem;
use rayon::prelude::*;

/// Most steps of one update: what is left waits for the next.
const MOST: usize = 60;

/// Solves for the means `found` of one side from where they are; returns the preconditioner as it is after the solve.
pub(super) fn solve(
    apply: impl Fn(&[f64]) -> Vec<f64>,
    preconditioner: Preconditioner,
    (laplace, blocks): (&Laplace, &[f64]),
    right: &[f64],
    found: &mut [f64],
    least: f64,
) -> Preconditioner {
    let precondition = |v: &[f64]| preconditioner.apply(laplace, blocks, v);
    let steps = conjugate_gradients(apply, precondition, right, found, least, MOST);
    preconditioner.after(steps)
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
pub(super) fn pull_on_maps(problem: &Problem, x: &[f64], u: &[f64], gamma: f64) -> Vec<f64> {
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

/// Observations, numbers of a point next to each other. `[n·d_y]`
pub(super) fn observations(problem: &Problem) -> Vec<f64> {
    (0..problem.n()).flat_map(|i| problem.observations.col_as_slice(i).iter().copied()).collect()
}
