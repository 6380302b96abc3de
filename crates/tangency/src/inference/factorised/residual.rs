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

    /// ⟨|BY − Pa|²⟩ of each row of the observations while maps are at their means. `[rows]`
    pub(crate) fn residuals_by_row(&self, problem: &Problem, beliefs: &Beliefs) -> Vec<f64> {
        let Sizes { d_x, rows, n, .. } = Sizes::of(problem);
        let (y, Beliefs { x, s, c, .. }) = (&problem.observations, beliefs);
        let linear = linear_term(problem, x);
        let divergence = flow(problem, c, x);
        let potential = self.laplace.solve(problem, &divergence);
        let (width, size) = (d_x * rows, d_x * d_x);
        // of one point: −tr(HᵀC) + (Bᵀā)ᵀLp Bᵀā + ¼ Σ_jl P_i[j,l] s̄_ij S_i s̄_ilᵀ, row by row
        let of_point = |i: usize| -> Vec<f64> {
            let mut found: Vec<f64> = (i * rows..(i + 1) * rows).map(|p| divergence[p] * potential[p]).collect();
            for p in i * width..(i + 1) * width {
                found[p % rows] -= linear[p] * c[p];
            }
            let (mut arms, mut images) = (Vec::new(), Vec::new());
            self.arms(problem, i, c, width, Arms::Sum, &mut arms, &mut images);
            for (arm, image) in arms.chunks_exact(width).zip(images.chunks_exact(width)) {
                for p in 0..size {
                    let (a, b, weight) = (p / d_x, p % d_x, 0.25 * s[i * size + p]);
                    let (arm, image) = (&arm[a * rows..(a + 1) * rows], &image[b * rows..(b + 1) * rows]);
                    found
                        .iter_mut()
                        .zip(arm.iter().zip(image))
                        .for_each(|(sum, (arm, image))| *sum += weight * arm * image);
                }
            }
            found
        };
        let mut total = vec![0.0; rows];
        for &(i, j) in problem.graph.edges() {
            let (from, to) = (y.col_as_slice(i as usize), y.col_as_slice(j as usize));
            total.iter_mut().zip(from.iter().zip(to)).for_each(|(sum, (from, to))| *sum += (to - from).powi(2));
        }
        let parts: Vec<Vec<f64>> = (0..n).into_par_iter().with_min_len(64).map(of_point).collect();
        parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(sum, part)| *sum += part));
        total
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
