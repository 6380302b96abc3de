//! q(C) given q(x): covariances of single points in closed form, joint means by conjugate gradients (eq. 22, 25).

use super::conjugate_gradients::sum;
use super::covariances::Means;
use super::means::{flow, observations, pull_on_maps, solve};
use super::preconditioner::Preconditioner;
use super::stars::Arms;
use super::{Beliefs, Factorised, Sizes};
use crate::error::Result;
use crate::inference::state::State;
use crate::model::{MapPrior, Problem};
use rayon::prelude::*;

impl Factorised {
    /// T_i⁻¹ = (2λdeg_i + ν)I + ½γ[Σ_jl P_i[j,l] d̄_ij d̄_ilᵀ + (1ᵀP_i1)S_i + Σ_j R_ij S_j].
    pub(super) fn improve_map_covariances(&self, problem: &Problem, state: &mut State<Beliefs>) -> Result<()> {
        let State { beliefs: Beliefs { x, s, t, .. }, hyper, .. } = state;
        let prior = MapPrior::new(problem, hyper).precision();
        let means = Means { values: x, rows: 1, sign: Arms::Difference };
        self.improve_covariances(problem, prior, hyper.gamma, &means, 1.0, s, t, "precision of a point's map")
    }

    /// Improves the means of C.
    pub(super) fn improve_maps(&mut self, problem: &Problem, state: &mut State<Beliefs>, least: f64) -> Result<()> {
        let mut found = std::mem::take(&mut state.beliefs.c);
        let preconditioner = match self.for_maps.take().filter(Preconditioner::serves) {
            Some(kept) => kept,
            None => self.precondition_maps(problem, state)?,
        };
        let mut right = linear_term(problem, &state.beliefs.x);
        right.par_iter_mut().for_each(|value| *value *= state.hyper.gamma);
        let apply = |v: &[f64]| self.map_precision(problem, state, v);
        let used = solve(apply, preconditioner, (&self.laplace, &state.beliefs.t), &right, &mut found, least);
        self.for_maps = Some(used);
        state.beliefs.c = found;
        Ok(())
    }

    /// [(2λL + νI)⊗I + ½γ Σ_i star₊(P_i, S_i) + 2γ D̄ᵀPD̄] v; with the paper's prior ελ11ᵀ in place of νI.
    pub(super) fn map_precision(&self, problem: &Problem, state: &State<Beliefs>, v: &[f64]) -> Vec<f64> {
        let State { beliefs, hyper, .. } = state;
        let prior = MapPrior::new(problem, hyper).precision();
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let (graph, width) = (&problem.graph, d_x * rows);
        let potential = self.laplace.solve(problem, &flow(problem, v, &beliefs.x));
        let common: Vec<f64> = match prior.common > 0.0 {
            true => (0..width).map(|p| prior.common * sum(n, |i| v[i * width + p])).collect(),
            false => vec![0.0; width],
        };
        let mut out = pull_on_maps(problem, &beliefs.x, &potential, hyper.gamma);
        out.par_chunks_mut(width).enumerate().with_min_len(64).for_each(|(i, out)| {
            let own = &v[i * width..(i + 1) * width];
            let (list, degree) = (graph.neighbors(i), graph.degree(i) as f64);
            for p in 0..width {
                out[p] += (prior.own + prior.edge * degree) * own[p] + common[p];
            }
            for &j in list {
                let other = &v[j as usize * width..(j as usize + 1) * width];
                out.iter_mut().zip(other).for_each(|(slot, value)| *slot -= prior.edge * value);
            }
        });
        self.add_stars(problem, &beliefs.s, rows, Arms::Sum, 0.5 * hyper.gamma, v, &mut out);
        out
    }

    /// νI + 2λL + ½γ Σ_e [d̄_ed̄_eᵀ + (mean of P_i) S_i + (mean of P_j) S_j]_aa |b_e||b_e|ᵀ for each component a.
    pub(super) fn precondition_maps(&self, problem: &Problem, state: &State<Beliefs>) -> Result<Preconditioner> {
        let State { beliefs, hyper, .. } = state;
        let prior = MapPrior::new(problem, hyper).precision();
        let Sizes { d_x, .. } = Sizes::of(problem);
        let spread = |i: usize, a: usize| {
            self.star_sums[i] / problem.graph.degree(i) as f64 * beliefs.s[(i * d_x + a) * d_x + a]
        };
        self.by_edges(
            problem,
            |_| prior.own + prior.common,
            |a, i, j, _| {
                let step = beliefs.x[j * d_x + a] - beliefs.x[i * d_x + a];
                let joint = 0.5 * hyper.gamma * (step * step + spread(i, a) + spread(j, a));
                (joint + prior.edge, joint - prior.edge)
            },
        )
    }
}

/// H: Σ_j (y_i − y_j)(x_i − x_j)ᵀ. `[n·d_x·d_y]`
pub(super) fn linear_term(problem: &Problem, x: &[f64]) -> Vec<f64> {
    pull_on_maps(problem, x, &observations(problem), 1.0)
}
