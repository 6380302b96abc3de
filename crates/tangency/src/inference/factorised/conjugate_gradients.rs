//! Conjugate gradients with a warm start. Every step raises the bound by an amount that it knows, so that the caller says
//! how much a step must gain.

use rayon::prelude::*;

const BLOCK: usize = 2048;

/// Σ f(i) over 0..n: in parallel by blocks, added in order, so that the bits do not depend on the thread count.
pub fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let blocks: Vec<f64> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| (block * BLOCK..((block + 1) * BLOCK).min(n)).map(&f).sum())
        .collect();
    blocks.iter().sum()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let blocks: Vec<f64> =
        a.par_chunks(BLOCK).zip(b.par_chunks(BLOCK)).map(|(a, b)| a.iter().zip(b).map(|(p, q)| p * q).sum()).collect();
    blocks.iter().sum()
}

/// `target += factor * direction`.
pub fn add(target: &mut [f64], factor: f64, direction: &[f64]) {
    target.par_iter_mut().zip(direction).with_min_len(BLOCK).for_each(|(slot, value)| *slot += factor * value);
}

/// Lowers ½ vᵀAv − bᵀv from the v given, until a step lowers it by less than `least` or `most` steps are done; returns
/// the number of steps.
pub fn conjugate_gradients(
    apply: impl Fn(&[f64]) -> Vec<f64>,
    precondition: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    v: &mut [f64],
    least: f64,
    most: usize,
) -> usize {
    let mut residual = right.to_vec();
    if v.iter().any(|&value| value != 0.0) {
        add(&mut residual, -1.0, &apply(v));
    }
    let mut preconditioned = precondition(&residual);
    let mut direction = preconditioned.clone();
    let mut height = dot(&residual, &preconditioned);
    for step in 1..=most {
        let image = apply(&direction);
        let curvature = dot(&direction, &image);
        if !(height > 0.0 && curvature > 0.0) {
            return step - 1;
        }
        let length = height / curvature;
        add(v, length, &direction);
        if 0.5 * length * height < least {
            return step;
        }
        add(&mut residual, -length, &image);
        preconditioned = precondition(&residual);
        let next = dot(&residual, &preconditioned);
        let keep = next / height;
        direction
            .par_iter_mut()
            .zip(&preconditioned)
            .with_min_len(BLOCK)
            .for_each(|(slot, new)| *slot = new + keep * *slot);
        height = next;
    }
    most
}
