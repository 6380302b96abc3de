//! R, the expected squared residual of the edges: what the means leave, and what uncertainty adds to it (eq. 21).

use super::conjugate_gradients::sum;
use super::covariances::Means;
use super::means::flow;
use super::stars::Arms;
use super::update_maps::linear_term;
use super::{Beliefs, Factorised, Sizes};
use crate::model::Problem;
use rayon::prelude::*;

impl Factorised {
    /// R = ⟨|BY − Pa|²⟩, the expected squared residual of the edges.
    pub(super) fn residual(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        self.residual_of_means(problem, beliefs) + self.uncertain_part(problem, beliefs)
    }

    /// |BY − Pā|².
    pub(super) fn residual_of_means(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        let Sizes { n, d_x, rows, .. } = Sizes::of(problem);
        let Beliefs { x, c, .. } = beliefs;
        let linear = linear_term(problem, x);
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

    /// ⟨|Pa|²⟩ − |Pā|²: what uncertainty adds to the residual.
    pub(super) fn uncertain_part(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        let Sizes { n, d_x, rows, d_y } = Sizes::of(problem);
        let (graph, size) = (&problem.graph, d_x * d_x);
        let Beliefs { x, s, c, t } = beliefs;
        let trace = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        let of_x = Means { values: x, rows: 1, sign: Arms::Difference };
        let of_c = Means { values: c, rows, sign: Arms::Sum };
        let parts: Vec<f64> = (0..n)
            .into_par_iter()
            .with_min_len(64)
            .map_init(
                || (Vec::new(), Vec::new(), vec![0.0; size]),
                |(arms, images, gram), i| {
                    let (own_s, own_t) = (&s[i * size..(i + 1) * size], &t[i * size..(i + 1) * size]);
                    self.star_gram(problem, i, &of_x, arms, images, gram);
                    let mut total = d_y * trace(gram, own_t);
                    self.star_gram(problem, i, &of_c, arms, images, gram);
                    total += trace(gram, own_s);
                    total += d_y * self.star_sums[i] * trace(own_t, own_s);
                    for (place, &j) in graph.neighbors(i).iter().enumerate() {
                        let j = j as usize;
                        let resistance = self.resistances[graph.first(i) + place];
                        total += d_y * resistance * trace(&t[j * size..(j + 1) * size], own_s);
                    }
                    total
                },
            )
            .collect();
        0.25 * sum(n, |i| parts[i])
    }
}
