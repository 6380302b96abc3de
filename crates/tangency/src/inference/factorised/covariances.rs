//! The covariances of single points, in closed form from their stars (eq. 22).

use super::stars::Arms;
use super::{Factorised, Sizes};
use crate::error::{Error, Result};
use crate::linalg::small::invert;
use crate::model::{GraphPrecision, Problem};
use rayon::prelude::*;

impl Factorised {
    /// (prior at i + ½γ[Σ_jl P_i[j,l] v̄_ijᵀv̄_il + copies(1ᵀP_i1)W_i + copies Σ_j R_ij W_j])⁻¹ for every point i, where v̄ are the
    /// means of the other side and W its covariances.
    #[allow(clippy::too_many_arguments, reason = "the two formulas have these parts and no more")]
    pub(super) fn improve_covariances(
        &self,
        problem: &Problem,
        prior: GraphPrecision,
        gamma: f64,
        means: &Means,
        copies: f64,
        others: &[f64],
        out: &mut [f64],
        name: &'static str,
    ) -> Result<()> {
        self.star_precisions(problem, gamma, means, copies, others, out);
        let d_x = problem.n_components;
        invert_blocks(out, d_x, name, |i, block| {
            (0..d_x).for_each(|a| block[a * d_x + a] += prior.at(problem.graph.degree(i) as f64));
        })
    }

    /// ½γ[Σ_jl P_i[j,l] v̄_ijᵀv̄_il + copies(1ᵀP_i1)W_i + copies Σ_j R_ij W_j] for every point i.
    pub(super) fn star_precisions(
        &self,
        problem: &Problem,
        gamma: f64,
        means: &Means,
        copies: f64,
        others: &[f64],
        out: &mut [f64],
    ) {
        let Sizes { d_x, .. } = Sizes::of(problem);
        let (graph, size) = (&problem.graph, d_x * d_x);
        out.par_chunks_mut(size).enumerate().with_min_len(64).for_each_init(
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
            },
        );
    }

    /// Σ_jl P_i[j,l] v_jᵀ v_l over the arms v of a star. `[d_x²]`
    pub(super) fn star_gram(
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
}

/// Inverts every block after `add` has added to it.
fn invert_blocks(
    blocks: &mut [f64],
    d_x: usize,
    name: &'static str,
    add: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<()> {
    let failed = blocks
        .par_chunks_mut(d_x * d_x)
        .enumerate()
        .with_min_len(64)
        .map(|(i, block)| {
            add(i, block);
            invert(block, d_x).is_none().then_some(i)
        })
        .find_first(Option::is_some)
        .flatten();
    match failed {
        Some(pivot) => Err(Error::NotPositiveDefinite { matrix: name, pivot }),
        None => Ok(()),
    }
}

/// Means of one side as the other side's stars see them.
pub(super) struct Means<'a> {
    pub values: &'a [f64],
    pub rows: usize,
    pub sign: Arms,
}
