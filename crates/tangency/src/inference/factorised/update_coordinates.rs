//! q(x) given q(C): covariances of single points in closed form, joint means by conjugate gradients (eq. 22, 24).

use super::covariances::Means;
use super::means::{flow, observations, pull_on_coordinates, solve};
use super::preconditioner::Preconditioner;
use super::stars::Arms;
use super::update_on_graph::held_by;
use super::{Beliefs, Factorised, Sizes};
use crate::error::Result;
use crate::inference::state::State;
use crate::model::{CoordinatePrior, GraphPrecision, Problem};
use rayon::prelude::*;

impl Factorised {
    /// S_i⁻¹ = (α + 2deg_i)I + ½γ[Σ_jl P_i[j,l] s̄_ijᵀs̄_il + d_y(1ᵀP_i1)T_i + d_y Σ_j R_ij T_j].
    pub(super) fn improve_coordinate_covariances(&self, problem: &Problem, state: &mut State<Beliefs>) -> Result<()> {
        let Sizes { rows, d_y, .. } = Sizes::of(problem);
        let State { beliefs: Beliefs { s, c, t, .. }, hyper, .. } = state;
        let prior = CoordinatePrior::new(hyper).precision();
        let means = Means { values: c, rows, sign: Arms::Sum };
        self.improve_covariances(problem, prior, hyper.gamma, &means, d_y, t, s, "precision of a point's coordinates")
    }

    /// Improves the means of x.
    pub(super) fn improve_coordinates(
        &mut self,
        problem: &Problem,
        state: &mut State<Beliefs>,
        least: f64,
    ) -> Result<()> {
        let mut found = std::mem::take(&mut state.beliefs.x);
        let preconditioner = match self.for_coordinates.take().filter(Preconditioner::serves) {
            Some(kept) => kept,
            None => self.precondition_coordinates(problem, state)?,
        };
        // b: Σ_j γ(C_i + C_j)ᵀ(y_i − y_j). [n·d_x]
        let right = pull_on_coordinates(problem, &state.beliefs.c, &observations(problem), state.hyper.gamma);
        let apply = |v: &[f64]| self.coordinate_precision(problem, state, v);
        let used = solve(apply, preconditioner, (&self.laplace, &state.beliefs.s), &right, &mut found, least);
        self.for_coordinates = Some(used);
        state.beliefs.x = found;
        Ok(())
    }

    /// [αI + 2L⊗I + ½γ d_y Σ_i star₋(P_i, T_i) + 2γ F̄ᵀPF̄] v.
    pub(super) fn coordinate_precision(&self, problem: &Problem, state: &State<Beliefs>, v: &[f64]) -> Vec<f64> {
        let State { beliefs, hyper, .. } = state;
        let GraphPrecision { own: alpha, edge, .. } = CoordinatePrior::new(hyper).precision();
        let Sizes { d_x, d_y, .. } = Sizes::of(problem);
        let (graph, gamma) = (&problem.graph, state.gamma_of_coordinates());
        let mut out = match gamma > 0.0 {
            true => {
                let potential = self.laplace.solve(problem, &flow(problem, &beliefs.c, v));
                pull_on_coordinates(problem, &beliefs.c, &potential, gamma)
            }
            false => vec![0.0; v.len()],
        };
        out.par_chunks_mut(d_x).enumerate().with_min_len(64).for_each(|(i, out)| match &state.graph {
            None => {
                for a in 0..d_x {
                    let own = v[i * d_x + a];
                    let steps: f64 = graph.neighbors(i).iter().map(|&j| own - v[j as usize * d_x + a]).sum();
                    out[a] += alpha * own + edge * steps;
                }
            }
            Some(term) => {
                let block = term.block(i);
                let edges = &self.edges[graph.first(i)..graph.first(i) + graph.degree(i)];
                for a in 0..d_x {
                    let own = v[i * d_x + a];
                    let step = |(&j, &e): (&u32, &u32)| term.weights[e as usize] * (own - v[j as usize * d_x + a]);
                    let steps: f64 = graph.neighbors(i).iter().zip(edges).map(step).sum();
                    out[a] += (0..d_x).map(|b| block[a * d_x + b] * v[i * d_x + b]).sum::<f64>() + steps;
                }
            }
        });
        if gamma > 0.0 {
            self.add_stars(problem, &beliefs.t, 1, Arms::Difference, 0.5 * gamma * d_y, v, &mut out);
        }
        out
    }

    /// αI + 2L + ½γ Σ_e [s̄_eᵀs̄_e + d_y R_e(T_i + T_j)]_aa b_eb_eᵀ for each component a.
    pub(super) fn precondition_coordinates(&self, problem: &Problem, state: &State<Beliefs>) -> Result<Preconditioner> {
        let State { beliefs, hyper, .. } = state;
        let GraphPrecision { own: alpha, edge, .. } = CoordinatePrior::new(hyper).precision();
        let Sizes { d_x, rows, d_y, .. } = Sizes::of(problem);
        let gamma = state.gamma_of_coordinates();
        let weight = |a: usize, i: usize, j: usize, place: usize| {
            let edge = state.graph.as_ref().map_or(edge, |term| term.weights[self.edges[place] as usize]);
            if gamma == 0.0 {
                return edge;
            }
            let resistance = self.resistances[place];
            let (own, other) = ((i * d_x + a) * rows, (j * d_x + a) * rows);
            let sum: f64 = (0..rows).map(|f| (beliefs.c[own + f] + beliefs.c[other + f]).powi(2)).sum();
            let spread = beliefs.t[(i * d_x + a) * d_x + a] + beliefs.t[(j * d_x + a) * d_x + a];
            edge + 0.5 * gamma * (sum + d_y * resistance * spread)
        };
        let own =
            |a: usize| state.graph.as_ref().map_or(alpha, |term| term.mean_own(a) + held_by(term, &problem.graph));
        self.by_edges(problem, own, |a, i, j, place| {
            let weight = weight(a, i, j, place);
            (weight, -weight)
        })
    }
}
