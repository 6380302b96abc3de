//! New points on rolls with noise: held-out affine R², coverage of predictive intervals, and whether novelty is uniform.
//!
//! `cargo run --release -p tangency --example new_points -- [seeds] [folds]`

#![allow(clippy::print_stdout)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use tangency::evidence::{PruneOptions, prune};
use tangency::extend::{Extension, Predicts, calibrate};
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Result, Shape, generate};

const TRAIN: usize = 400;
const HELD_OUT: usize = 170;

fn main() -> Result<()> {
    let number =
        |at: usize, default: usize| std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seeds, folds) = (number(1, 3), number(2, 5));
    println!(
        "| noise | seed | R² train | R² held out | back within 2 sd | coverage, placed rows | coverage, known place | novelty mean | 10 % | 90 % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for noise in [0.0, 0.05, 0.1, 0.15] {
        for seed in 0..seeds as u64 {
            one(noise, seed, folds)?;
        }
    }
    Ok(())
}

fn one(noise: f64, seed: u64, folds: usize) -> Result<()> {
    let clean = generate(Shape::SwissRoll, TRAIN + HELD_OUT, 0.0, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000);
    let points = Matrix::from_fn(TRAIN + HELD_OUT, 3, |i, f| {
        clean.points[(i, f)] + noise * rng.sample::<f64, _>(StandardNormal)
    });
    let rows = |matrix: &Matrix, first: usize, count: usize| {
        Matrix::from_fn(count, matrix.ncols(), |i, f| matrix[(first + i, f)])
    };
    let fit = Fitter::new(Config::default()).fit(&rows(&points, 0, TRAIN))?;
    let mut fit = prune(&fit, &PruneOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))?.fit;
    let new = rows(&points, TRAIN, HELD_OUT);
    let truth = |first, count| rows(&clean.truth, first, count);
    let deviations = fit.standard_deviations();

    for calibrated in [false, true] {
        if calibrated {
            fit.calibration = Some(calibrate(&fit, folds, |_, _| std::ops::ControlFlow::Continue(()))?);
        }
        let extension = Extension::new(&fit)?;
        let placed = extension.transform(&new)?;
        let x = Matrix::from_fn(HELD_OUT, 2, |i, a| placed[i].mean[a]);
        let back = extension.transform(&rows(&points, 0, TRAIN))?;
        let near = |i: usize, a: usize| (back[i].mean[a] - fit.coordinates[(i, a)]).abs() < 2.0 * deviations[(i, a)];
        let within = (0..TRAIN).filter(|&i| near(i, 0) && near(i, 1)).count() as f64 / TRAIN as f64;
        let known = extension.transform(&rows(&clean.points, TRAIN, HELD_OUT))?;
        let known = Matrix::from_fn(HELD_OUT, 2, |i, a| known[i].mean[a]);
        let coverage = |x: &Matrix, predicts: Predicts| -> Result<f64> {
            let expected = extension.reconstruct(x, predicts)?;
            let inside = |p: usize| {
                let (i, f) = (p / 3, p % 3);
                (points[(TRAIN + i, f)] - expected.values[(i, f)]).abs() < 1.6449 * expected.deviations[(i, f)]
            };
            Ok((0..3 * HELD_OUT).filter(|&p| inside(p)).count() as f64 / (3 * HELD_OUT) as f64)
        };
        let mut novelty: Vec<f64> = extension.score(&new)?.into_iter().map(|score| extension.novelty(score)).collect();
        novelty.sort_by(f64::total_cmp);
        let joint = tangency::quality::affine_r2(&fit.coordinates, &truth(0, TRAIN))?;
        println!(
            "| {noise} | {seed}{} | {joint:.4} | {:.4} | {within:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} |",
            if calibrated { " calibrated" } else { "" },
            held_out_r2(&fit.coordinates, &truth(0, TRAIN), &x, &truth(TRAIN, HELD_OUT)),
            coverage(&x, Predicts::PlacedRow)?,
            coverage(&known, Predicts::Measurement)?,
            novelty.iter().sum::<f64>() / HELD_OUT as f64,
            novelty[HELD_OUT / 10],
            novelty[HELD_OUT * 9 / 10],
        );
    }
    Ok(())
}

/// R² of the affine map from x to the truth, fitted on the training points and applied to the others.
fn held_out_r2(x: &Matrix, truth: &Matrix, new: &Matrix, new_truth: &Matrix) -> f64 {
    let design =
        |x: &Matrix| Matrix::from_fn(x.nrows(), x.ncols() + 1, |i, a| if a < x.ncols() { x[(i, a)] } else { 1.0 });
    let (d, e) = (design(x), design(new));
    let Ok(weights) = tangency::linalg::solve_small(&(d.transpose() * &d), &(d.transpose() * truth), "affine map")
    else {
        return f64::NAN;
    };
    let rest = new_truth - e * weights;
    let mean = |t: usize| (0..new_truth.nrows()).map(|i| new_truth[(i, t)]).sum::<f64>() / new_truth.nrows() as f64;
    let total: f64 = (0..new_truth.ncols())
        .map(|t| (0..new_truth.nrows()).map(|i| (new_truth[(i, t)] - mean(t)).powi(2)).sum::<f64>())
        .sum();
    1.0 - rest.squared_norm_l2() / total
}
