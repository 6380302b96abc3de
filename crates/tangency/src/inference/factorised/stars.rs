//! Quadratic forms of stars: Σ_jl P_i[j, l] (v_j ∓ v_i)ᵀ W_i (v_l ∓ v_i), and their application.

use super::{Factorised, Sizes};
use crate::model::Problem;
use rayon::prelude::*;

/// Whether neighbours enter by their difference from the centre (coordinates) or by their sum with it (maps).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arms {
    Difference,
    Sum,
}

impl Factorised {
    /// The arms v_j ∓ v_i of a star and what P_i makes of them, one after the other for each neighbour.
    pub(super) fn arms(
        &self,
        problem: &Problem,
        i: usize,
        values: &[f64],
        width: usize,
        sign: Arms,
        arms: &mut Vec<f64>,
        images: &mut Vec<f64>,
    ) {
        let list = problem.graph.neighbors(i);
        let own = &values[i * width..(i + 1) * width];
        arms.clear();
        for &j in list {
            let other = &values[j as usize * width..(j as usize + 1) * width];
            match sign {
                Arms::Difference => arms.extend(other.iter().zip(own).map(|(a, b)| a - b)),
                Arms::Sum => arms.extend(other.iter().zip(own).map(|(a, b)| a + b)),
            }
        }
        images.clear();
        images.resize(arms.len(), 0.0);
        for star in self.stars.of(i) {
            let inside = star.first * width..(star.first + star.size) * width;
            weigh(star.matrix, star.size, width, &arms[inside.clone()], &mut images[inside]);
        }
    }

    /// Adds `factor` Σ_i star∓(P_i, W_i) v to `out`; v has `rows` rows a component.
    pub(super) fn add_stars(
        &self,
        problem: &Problem,
        blocks: &[f64],
        rows: usize,
        sign: Arms,
        factor: f64,
        v: &[f64],
        out: &mut [f64],
    ) {
        let Sizes { d_x, .. } = Sizes::of(problem);
        let (graph, width) = (&problem.graph, d_x * rows);
        // what each star gives to each of its neighbours
        let mut given = self.buffer(2 * graph.edges().len() * width);
        let parts = split_by_points(problem, &mut given, width);
        parts.into_par_iter().enumerate().with_min_len(64).for_each_init(
            || (Vec::new(), Vec::new()),
            |(arms, images), (i, part)| {
                self.arms(problem, i, v, width, sign, arms, images);
                let block = &blocks[i * d_x * d_x..(i + 1) * d_x * d_x];
                for (image, given) in images.chunks_exact(width).zip(part.chunks_exact_mut(width)) {
                    for a in 0..d_x {
                        for f in 0..rows {
                            let value: f64 = (0..d_x).map(|b| block[a * d_x + b] * image[b * rows + f]).sum();
                            given[a * rows + f] = factor * value;
                        }
                    }
                }
            },
        );
        out.par_chunks_mut(width).enumerate().with_min_len(64).for_each(|(i, out)| {
            for place in graph.first(i)..graph.first(i) + graph.degree(i) {
                let own = &given[place * width..(place + 1) * width];
                let there = self.reverse[place] as usize;
                let others = &given[there * width..(there + 1) * width];
                for ((slot, own), other) in out.iter_mut().zip(own).zip(others) {
                    match sign {
                        Arms::Difference => *slot += other - own,
                        Arms::Sum => *slot += other + own,
                    }
                }
            }
        });
        self.give_back(given);
    }
}

/// The parts of a list over all points' neighbours that belong to each point.
fn split_by_points<'a>(problem: &Problem, mut rest: &'a mut [f64], width: usize) -> Vec<&'a mut [f64]> {
    (0..problem.n())
        .map(|i| {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(problem.graph.degree(i) * width);
            rest = after;
            part
        })
        .collect()
}

/// `images = matrix * arms`, both of `width` columns, row by row.
fn weigh(matrix: &[f64], size: usize, width: usize, arms: &[f64], images: &mut [f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || match width {
            1 => weigh_few::<1>(matrix, size, arms, images),
            2 => weigh_few::<2>(matrix, size, arms, images),
            3 => weigh_few::<3>(matrix, size, arms, images),
            4 => weigh_few::<4>(matrix, size, arms, images),
            6 => weigh_few::<6>(matrix, size, arms, images),
            9 => weigh_few::<9>(matrix, size, arms, images),
            _ => {
                for (row, image) in matrix.chunks_exact(size).zip(images.chunks_exact_mut(width)) {
                    for (&weight, arm) in row.iter().zip(arms.chunks_exact(width)) {
                        image.iter_mut().zip(arm).for_each(|(slot, value)| *slot += weight * value);
                    }
                }
            }
        },
    );
}

/// The same for a width that the compiler knows.
#[inline(always)]
fn weigh_few<const WIDTH: usize>(matrix: &[f64], size: usize, arms: &[f64], images: &mut [f64]) {
    let (arms, images) = (arms.as_chunks::<WIDTH>().0, images.as_chunks_mut::<WIDTH>().0);
    for (row, image) in matrix.chunks_exact(size).zip(images) {
        let mut sum = [0.0; WIDTH];
        for (&weight, arm) in row.iter().zip(arms) {
            for p in 0..WIDTH {
                sum[p] += weight * arm[p];
            }
        }
        *image = sum;
    }
}
