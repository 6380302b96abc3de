//! Where a GP-LVM begins: scaled data, coordinates, inducing points.

use crate::error::{Error, Result};
use crate::linalg::{Matrix, leading_eigenvectors, product_transposed, symmetric_eigen, transposed_product};
use crate::message::{Column, Remedy};
use crate::peers::dimension_below;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// Spread of axes that the data give no start for.
const FAINT: f64 = 0.1;
/// A principal axis with a smaller part of the variance than this is rounding.
const NOTHING: f64 = 1e-12;
/// Rounds of k-means that place the inducing points.
const ROUNDS: usize = 10;

/// The data centred, and divided by one number so that a feature has variance 1 on average. [d_y, n]
pub(super) fn scaled(points: &Matrix) -> Result<Matrix> {
    let (d_y, n) = (points.nrows(), points.ncols());
    if n < 3 || d_y == 0 {
        return Err(Error::TooFew { rows: n, features: d_y });
    }
    for i in 0..n {
        if let Some(f) = points.col_as_slice(i).iter().position(|value| !value.is_finite()) {
            let value = points[(f, i)].to_string();
            return Err(Error::NonFinite { row: i, column: Column::Numbered(f), value, line: None });
        }
    }
    // about the first point, so that the centre of a constant feature is exactly its value
    let center: Vec<f64> = (0..d_y)
        .map(|f| points[(f, 0)] + (0..n).map(|i| points[(f, i)] - points[(f, 0)]).sum::<f64>() / n as f64)
        .collect();
    let mut centered = Matrix::from_fn(d_y, n, |f, i| points[(f, i)] - center[f]);
    let largest = (0..n).flat_map(|i| centered.col_as_slice(i)).fold(0.0, |most: f64, v| most.max(v.abs()));
    if largest == 0.0 {
        return Err(Error::NoVariation { n });
    }
    if !largest.is_finite() {
        return Err(Error::Overflow);
    }
    // in units of the largest, so that squares neither overflow nor vanish
    let squares: f64 = (0..n).flat_map(|i| centered.col_as_slice(i)).map(|v| (v / largest).powi(2)).sum();
    let unit = largest * (squares / (n * d_y) as f64).sqrt();
    for i in 0..n {
        centered.col_as_slice_mut(i).iter_mut().for_each(|v| *v /= unit);
    }
    Ok(centered)
}

/// A matrix with the same inner products of its columns and at most as many rows as columns: all that a GP with one
/// kernel for all features sees of the data.
pub(super) fn compressed(y: &Matrix) -> Result<Matrix> {
    let n = y.ncols();
    if y.nrows() <= n {
        return Ok(y.clone());
    }
    let (values, vectors) = symmetric_eigen(&transposed_product(y, y), "inner products of the data")?;
    let floor = values.last().map_or(0.0, |most| most * f64::EPSILON);
    let kept: Vec<usize> = (0..n).filter(|&p| values[p] > floor).collect();
    Ok(Matrix::from_fn(kept.len(), n, |r, i| vectors[(i, kept[r])] * values[kept[r]].sqrt()))
}

/// The start: that of the caller, centred and with variance 1 an axis on average, or principal components with variance
/// 1 each. Axes that the data do not have are faint noise.
pub(super) fn coordinates(y: &Matrix, given: Option<&Matrix>, d: usize, seed: u64) -> Result<Matrix> {
    let n = y.ncols();
    dimension_below(n, d)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let Some(given) = given else {
        let wanted = d.min(y.nrows());
        let mut axes = if y.nrows() > n {
            leading_eigenvectors(&transposed_product(y, y), wanted, "inner products of the data")?.1
        } else {
            let (_, axes) = leading_eigenvectors(&product_transposed(y, y), wanted, "covariance of the data")?;
            transposed_product(y, &axes)
        };
        let lengths: Vec<f64> = (0..wanted).map(|a| axes.col_as_slice(a).iter().map(|v| v * v).sum()).collect();
        let floor = NOTHING * lengths.iter().fold(0.0, |most: f64, &length| most.max(length));
        for a in 0..wanted {
            let unit = (lengths[a] / n as f64).sqrt();
            for value in axes.col_as_slice_mut(a) {
                *value = if lengths[a] > floor { *value / unit } else { f64::NAN };
            }
        }
        return Ok(Matrix::from_fn(n, d, |i, a| {
            let known = if a < wanted { axes[(i, a)] } else { f64::NAN };
            if known.is_finite() { known } else { FAINT * rng.sample::<f64, _>(StandardNormal) }
        }));
    };
    if given.nrows() != n || given.ncols() != d {
        return Err(Error::ShapeMismatch {
            what: "the start".into(),
            expected: format!("{n} × {d} numbers"),
            found: format!("{} × {}", given.nrows(), given.ncols()),
        });
    }
    let mut start = given.clone();
    for a in 0..d {
        let mean = start.col_as_slice(a).iter().sum::<f64>() / n as f64;
        start.col_as_slice_mut(a).iter_mut().for_each(|x| *x -= mean);
    }
    let variance = (0..d).flat_map(|a| start.col_as_slice(a)).map(|x| x * x).sum::<f64>() / (n * d) as f64;
    if !(variance > 0.0 && variance.is_finite()) {
        return Err(Error::Setting {
            name: "start",
            problem: "the coordinates of the start are not finite or all the same".into(),
            remedies: vec![Remedy::act("give another start, or none")],
        });
    }
    crate::linalg::scale(&mut start, 1.0 / variance.sqrt());
    Ok(start)
}

/// Inducing points spread over the start: centres of k-means from a seeded, spread-out choice. [m, d]
pub(super) fn inducing_points(x: &Matrix, m: usize, seed: u64) -> Matrix {
    let (n, d) = (x.nrows(), x.ncols());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    let apart = |i: usize, center: &[f64]| (0..d).map(|a| (x[(i, a)] - center[a]).powi(2)).sum::<f64>();
    let row = |i: usize| (0..d).map(|a| x[(i, a)]).collect::<Vec<f64>>();
    // each next one with a probability that grows with the square of its distance to those there are
    let mut centers = vec![row(rng.random_range(0..n))];
    let mut nearest: Vec<f64> = (0..n).map(|i| apart(i, &centers[0])).collect();
    while centers.len() < m {
        let mut left = rng.random::<f64>() * nearest.iter().sum::<f64>();
        let drawn = nearest.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let center = row(drawn.unwrap_or_else(|| rng.random_range(0..n)));
        nearest.iter_mut().enumerate().for_each(|(i, share)| *share = share.min(apart(i, &center)));
        centers.push(center);
    }
    for _ in 0..ROUNDS {
        let mut sums = vec![vec![0.0; d + 1]; m];
        for i in 0..n {
            let mine = (0..m).min_by(|&p, &q| apart(i, &centers[p]).total_cmp(&apart(i, &centers[q]))).unwrap_or(0);
            (0..d).for_each(|a| sums[mine][a] += x[(i, a)]);
            sums[mine][d] += 1.0;
        }
        for (center, sum) in centers.iter_mut().zip(&sums).filter(|(_, sum)| sum[d] > 0.0) {
            (0..d).for_each(|a| center[a] = sum[a] / sum[d]);
        }
    }
    Matrix::from_fn(m, d, |j, a| centers[j][a])
}
