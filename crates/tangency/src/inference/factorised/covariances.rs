//! The covariances of single points, in closed form from their stars (eq. 22), and what they add to the residual (eq. 21).

use super::conjugate_gradients::sum;
use super::stars::Sign;
use super::{Beliefs, Factorised, Sizes};
use crate::error::{Error, Result};
use crate::linalg::small::invert;
use crate::model::{Hyperparameters, Problem};
use rayon::prelude::*;

impl Factorised {
    /// S_i⁻¹ = (α + 2deg_i)I + ½γ[Σ_jl P_i[j,l] s̄_ijᵀs̄_il + d_y(1ᵀP_i1)T_i + d_y Σ_j R_ij T_j].
    pub(super) fn improve_coordinate_covariances(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &mut Beliefs,
    ) -> Result<()> {
        let Sizes { rows, d_y, .. } = Sizes::of(problem);
        let prior = |degree: f64| hyper.alpha + 2.0 * degree;
        let Beliefs { s, c, t, .. } = beliefs;
        let (gamma, means) = (hyper.gamma, Means { values: c, rows, sign: Sign::Sum });
        self.improve(problem, prior, gamma, &means, d_y, t, s, "precision of a point's coordinates")
    }

    /// T_i⁻¹ = (2λdeg_i + ν)I + ½γ[Σ_jl P_i[j,l] d̄_ij d̄_ilᵀ + (1ᵀP_i1)S_i + Σ_j R_ij S_j].
    pub(super) fn improve_map_covariances(
        &self,
        problem: &Problem,
        hyper: &Hyperparameters,
        beliefs: &mut Beliefs,
    ) -> Result<()> {
        let own = if hyper.nu == 0.0 { problem.epsilon * hyper.lambda } else { hyper.nu };
        let prior = |degree: f64| 2.0 * hyper.lambda * degree + own;
        let Beliefs { x, s, t, .. } = beliefs;
        let (gamma, means) = (hyper.gamma, Means { values: x, rows: 1, sign: Sign::Difference });
        self.improve(problem, prior, gamma, &means, 1.0, s, t, "precision of a point's map")
    }

    #[allow(clippy::too_many_arguments, reason = "the two formulas have these parts and no more")]
    fn improve(
        &self,
        problem: &Problem,
        prior: impl Fn(f64) -> f64 + Sync,
        gamma: f64,
        means: &Means,
        copies: f64,
        others: &[f64],
        out: &mut [f64],
        name: &'static str,
    ) -> Result<()> {
        let Sizes { d_x, .. } = Sizes::of(problem);
        let (graph, size) = (&problem.graph, d_x * d_x);
        let failed = out
            .par_chunks_mut(size)
            .enumerate()
            .with_min_len(64)
            .map_init(
                || (Vec::new(), Vec::new()),
                |(arms, images), (i, block)| {
                    self.star_gram(problem, i, means, arms, images, block);
                    let other = |j: usize| &others[j * size..(j + 1) * size];
                    let weigh = |block: &mut [f64], weight: f64, from: &[f64]| {
                        block.iter_mut().zip(from).for_each(|(slot, value)| *slot += weight * value);
                    };
                    weigh(block, copies * self.star_sums[i], other(i));
                    for (place, &j) in graph.neighbors(i).iter().enumerate() {
                        weigh(block, copies * self.resistances[graph.first(i) + place], other(j as usize));
                    }
                    block.iter_mut().for_each(|slot| *slot *= 0.5 * gamma);
                    for a in 0..d_x {
                        block[a * d_x + a] += prior(graph.degree(i) as f64);
                    }
                    invert(block, d_x).is_none().then_some(i)
                },
            )
            .find_first(Option::is_some)
            .flatten();
        match failed {
            Some(pivot) => Err(Error::NotPositiveDefinite { matrix: name, pivot }),
            None => Ok(()),
        }
    }

    /// Σ_jl P_i[j,l] v_jᵀ v_l over the arms v of a star. `[d_x²]`
    fn star_gram(
        &self,
        problem: &Problem,
        i: usize,
        means: &Means,
        arms: &mut Vec<f64>,
        images: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let Sizes { d_x, .. } = Sizes::of(problem);
        let rows = means.rows;
        self.arms(problem, i, means.values, d_x * rows, means.sign, arms, images);
        out.fill(0.0);
        for (arm, image) in arms.chunks_exact(d_x * rows).zip(images.chunks_exact(d_x * rows)) {
            for a in 0..d_x {
                for b in 0..d_x {
                    let (arm, image) = (&arm[a * rows..(a + 1) * rows], &image[b * rows..(b + 1) * rows]);
                    out[a * d_x + b] += arm.iter().zip(image).map(|(p, q)| p * q).sum::<f64>();
                }
            }
        }
    }

    /// ⟨|Pa|²⟩ − |Pā|²: what uncertainty adds to the residual.
    pub(super) fn uncertain_part(&self, problem: &Problem, beliefs: &Beliefs) -> f64 {
        let Sizes { n, d_x, rows, d_y } = Sizes::of(problem);
        let (graph, size) = (&problem.graph, d_x * d_x);
        let Beliefs { x, s, c, t } = beliefs;
        let trace = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(p, q)| p * q).sum::<f64>();
        let of_x = Means { values: x, rows: 1, sign: Sign::Difference };
        let of_c = Means { values: c, rows, sign: Sign::Sum };
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

/// Means of one side as the other side's stars see them.
struct Means<'a> {
    values: &'a [f64],
    rows: usize,
    sign: Sign,
}
