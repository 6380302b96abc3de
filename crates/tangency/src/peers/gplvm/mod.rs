//! Gaussian-process latent variable models: the GP-LVM (Lawrence, 2005), whose coordinates are found by maximising a
//! posterior, and the Bayesian GP-LVM (Titsias and Lawrence, 2010), which has a Gaussian for each point and a bound.
//!
//! Both use the kernel s² exp(−½ Σ_a w_a (x_a − x'_a)²), with a relevance w_a for each component, and Gaussian noise. The
//! fits centre the data and divide them by one number so that a feature has variance 1 on average; their objective,
//! signal and noise are in these units. [`log_likelihood`] and [`bayesian_bound`] take the data as they are.

mod bound;
mod lanes;
mod likelihood;
mod optimize;
mod psi;
mod start;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::message::Remedy;
use bound::{Bound, n_parameters};
use likelihood::Likelihood;
use optimize::{Limits, Objective, climb};
use std::ops::ControlFlow;

/// What is added to the diagonals of K and of Kuu; that of GPy, so that values can be compared.
pub const JITTER: f64 = 1e-8;

/// What a fit adds to the diagonal of Kuu as a part of s², since gradients are lost in rounding where inducing points are
/// close together. The bound stays a bound: the inducing variables are then noisy values of the functions.
const RELATIVE_JITTER: f64 = 1e-6;
/// Noise that a GP-LVM begins with, as a part of the variance of the data.
const START_NOISE: f64 = 0.01;
/// The same for the Bayesian model, and what its noise is held at. With less, the first climb ends in straight functions
/// with a huge signal; with much more, all data are explained as noise, from which there is no way back.
const HELD_NOISE: f64 = 0.1;
/// Variance of each coordinate that a Bayesian fit begins with.
const START_VARIANCE: f64 = 0.1;
/// Part of the iterations of a Bayesian fit during which the noise is held, at most.
const HELD: f64 = 0.1;
/// The first climb, with the noise held, need not be as exact as the second.
const ROUGHLY: f64 = 100.0;

/// Settings of both models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GplvmOptions {
    /// Inducing points of the Bayesian model; not more than points are used.
    pub n_inducing: usize,
    /// Most iterations of L-BFGS.
    pub max_iter: usize,
    /// A fit has converged when an iteration gains less than this part of the objective.
    pub tol: f64,
    /// Seed: of the choice of inducing points, and of axes that the data give no start for.
    pub random_state: u64,
}

impl Default for GplvmOptions {
    fn default() -> Self {
        Self { n_inducing: 30, max_iter: 1000, tol: 1e-6, random_state: 0 }
    }
}

/// A fitted GP-LVM, Bayesian or not. Signal, noise and objective are those of the scaled data.
#[derive(Clone, Debug)]
pub struct GplvmFit {
    /// The coordinates, or the means of their Gaussians. [n, d]
    pub coordinates: Matrix,
    /// Variances of the coordinates, of the Bayesian model. [n, d]
    pub variances: Option<Matrix>,
    /// w_a of each component: the inverse square of its length-scale.
    pub relevance: Vec<f64>,
    /// Variance of the functions, s².
    pub signal: f64,
    /// Variance of the noise.
    pub noise: f64,
    /// Log-posterior of the coordinates (log-likelihood without a prior), or the bound.
    pub objective: f64,
    /// Iterations of L-BFGS.
    pub iterations: usize,
    /// Whether the gain of an iteration fell below `tol`.
    pub converged: bool,
    /// Whether the observer stopped the fit.
    pub interrupted: bool,
}

/// A log-likelihood and its gradient.
#[derive(Clone, Debug)]
pub struct LikelihoodAt {
    /// The log-likelihood.
    pub value: f64,
    /// With respect to the coordinates. [n, d]
    pub of_coordinates: Matrix,
    /// With respect to log w.
    pub of_log_relevance: Vec<f64>,
    /// With respect to log s².
    pub of_log_signal: f64,
    /// With respect to the logarithm of the noise.
    pub of_log_noise: f64,
}

/// A collapsed bound and its gradient.
#[derive(Clone, Debug)]
pub struct BoundAt {
    /// The bound.
    pub value: f64,
    /// With respect to the means. [n, d]
    pub of_means: Matrix,
    /// With respect to the logarithms of the variances. [n, d]
    pub of_log_variances: Matrix,
    /// With respect to the inducing points. [m, d]
    pub of_inducing: Matrix,
    /// With respect to log w.
    pub of_log_relevance: Vec<f64>,
    /// With respect to log s².
    pub of_log_signal: f64,
    /// With respect to log β.
    pub of_log_beta: f64,
}

/// Fits a GP-LVM with a standard normal prior of the coordinates, from `start` [n, d] or from principal components. A
/// point is a column of `points` [d_y, n]. The observer hears each iteration's number and the objective after it, and can
/// stop the fit.
///
/// The relevances stay 1: were they free, the posterior would rise for ever as the coordinates shrink and the relevances
/// grow. The spread of a coordinate says what its relevance would.
pub fn gplvm(
    points: &Matrix,
    start: Option<&Matrix>,
    n_components: usize,
    options: &GplvmOptions,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<GplvmFit> {
    fit_points(points, start, n_components, options, observer, true)
}

/// As [`gplvm`], without a prior of the coordinates and with relevances that are learned, as in GPy.
pub fn gplvm_without_prior(
    points: &Matrix,
    start: Option<&Matrix>,
    n_components: usize,
    options: &GplvmOptions,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<GplvmFit> {
    fit_points(points, start, n_components, options, observer, false)
}

fn fit_points(
    points: &Matrix,
    start: Option<&Matrix>,
    d: usize,
    options: &GplvmOptions,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
    prior: bool,
) -> Result<GplvmFit> {
    let limits = check(options)?;
    let y = start::scaled(points)?;
    let (n, d_y) = (y.ncols(), y.nrows());
    let x = start::coordinates(&y, start, d, options.random_state)?;
    let mut parameters = flat(&x);
    parameters.extend(vec![0.0; d + 1]);
    parameters.push(START_NOISE.ln());
    let mut likelihood = Likelihood::new(start::compressed(&y)?, d_y, d, prior);
    let held = if prior { n * d..n * d + d } else { 0..0 };
    let summit = climb(&mut likelihood, parameters, held, limits, observer)?;
    let (x, rest) = summit.parameters.split_at(n * d);
    Ok(GplvmFit {
        coordinates: matrix(x, n, d),
        variances: None,
        relevance: rest[..d].iter().map(|log| log.exp()).collect(),
        signal: rest[d].exp(),
        noise: rest[d + 1].exp(),
        objective: summit.value,
        iterations: summit.iterations,
        converged: summit.converged,
        interrupted: summit.interrupted,
    })
}

/// Fits a Bayesian GP-LVM; the arguments are those of [`gplvm`]. The noise is held small at first, since its quickest
/// way up is often to explain everything as noise.
pub fn bayesian_gplvm(
    points: &Matrix,
    start: Option<&Matrix>,
    n_components: usize,
    options: &GplvmOptions,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<GplvmFit> {
    let (limits, d) = (check(options)?, n_components);
    let y = start::scaled(points)?;
    let (n, d_y) = (y.ncols(), y.nrows());
    let x = start::coordinates(&y, start, d, options.random_state)?;
    let m = options.n_inducing.min(n);
    let inducing = start::inducing_points(&x, m, options.random_state);
    let mut parameters = flat(&x);
    parameters.extend(vec![START_VARIANCE.ln(); n * d]);
    parameters.extend(flat(&inducing));
    parameters.extend(vec![0.0; d + 1]);
    parameters.push(-HELD_NOISE.ln());
    let mut bound = Bound::new(start::compressed(&y)?, d_y, d, m, RELATIVE_JITTER);

    let last = parameters.len() - 1;
    let held = (HELD * limits.max_iter as f64).ceil() as usize;
    let roughly = Limits { max_iter: held.min(limits.max_iter), tol: ROUGHLY * limits.tol };
    let first = climb(&mut bound, parameters, last..last + 1, roughly, observer)?;
    let (before, mut summit) = (first.iterations, first);
    if !summit.interrupted && before < limits.max_iter {
        let rest = Limits { max_iter: limits.max_iter - before, ..limits };
        let mut onward = |iteration: usize, value: f64| observer(before + iteration, value);
        summit = climb(&mut bound, summit.parameters, 0..0, rest, &mut onward)?;
        summit.iterations += before;
    } else {
        summit.converged = false;
    }
    let (mean, rest) = summit.parameters.split_at(n * d);
    let (log_variance, rest) = rest.split_at(n * d);
    let rest = &rest[m * d..];
    let exp = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<f64>>();
    Ok(GplvmFit {
        coordinates: matrix(mean, n, d),
        variances: Some(matrix(&exp(log_variance), n, d)),
        relevance: exp(&rest[..d]),
        signal: rest[d].exp(),
        noise: (-rest[d + 1]).exp(),
        objective: summit.value,
        iterations: summit.iterations,
        converged: summit.converged,
        interrupted: summit.interrupted,
    })
}

/// log p(Y|X) of a GP-LVM and its gradient, of the data as they are: neither centred nor scaled, no prior of X.
/// `points` is [d_y, n], `x` [n, d], `relevance` has d numbers.
pub fn log_likelihood(points: &Matrix, x: &Matrix, relevance: &[f64], signal: f64, noise: f64) -> Result<LikelihoodAt> {
    let (n, d) = (points.ncols(), relevance.len());
    check_shape("x", x, n, d)?;
    let parameters: Vec<f64> = [flat(x), logs(relevance)?, logs(&[signal, noise])?].concat();
    let mut gradient = vec![0.0; parameters.len()];
    let mut likelihood = Likelihood::new(start::compressed(points)?, points.nrows(), d, false);
    let value = likelihood.evaluate(&parameters, &mut gradient)?;
    Ok(LikelihoodAt {
        value,
        of_coordinates: matrix(&gradient[..n * d], n, d),
        of_log_relevance: gradient[n * d..][..d].to_vec(),
        of_log_signal: gradient[n * d + d],
        of_log_noise: gradient[n * d + d + 1],
    })
}

/// The collapsed bound of a Bayesian GP-LVM and its gradient, of the data as they are: neither centred nor scaled.
/// `points` is [d_y, n], `means` and `variances` are [n, d], `inducing` is [m, d], `relevance` has d numbers, and β is one
/// over the noise.
pub fn bayesian_bound(
    points: &Matrix,
    means: &Matrix,
    variances: &Matrix,
    inducing: &Matrix,
    relevance: &[f64],
    signal: f64,
    beta: f64,
) -> Result<BoundAt> {
    let (n, m, d) = (points.ncols(), inducing.nrows(), relevance.len());
    check_shape("means", means, n, d)?;
    check_shape("variances", variances, n, d)?;
    check_shape("inducing", inducing, m, d)?;
    let (variances, inducing) = (logs(&flat(variances))?, flat(inducing));
    let parameters = [flat(means), variances, inducing, logs(relevance)?, logs(&[signal, beta])?].concat();
    let mut gradient = vec![0.0; n_parameters(n, m, d)];
    let mut bound = Bound::new(start::compressed(points)?, points.nrows(), d, m, 0.0);
    let value = bound.evaluate(&parameters, &mut gradient)?;
    let (of_z, of_w) = (2 * n * d, (2 * n + m) * d);
    Ok(BoundAt {
        value,
        of_means: matrix(&gradient[..n * d], n, d),
        of_log_variances: matrix(&gradient[n * d..of_z], n, d),
        of_inducing: matrix(&gradient[of_z..of_w], m, d),
        of_log_relevance: gradient[of_w..of_w + d].to_vec(),
        of_log_signal: gradient[of_w + d],
        of_log_beta: gradient[of_w + d + 1],
    })
}

fn check(options: &GplvmOptions) -> Result<Limits> {
    if options.n_inducing == 0 {
        return Err(Error::too_small("n_inducing", 0, 1));
    }
    if !(options.tol >= 0.0 && options.tol.is_finite()) {
        return Err(Error::negative("tol", options.tol));
    }
    Ok(Limits { max_iter: options.max_iter, tol: options.tol })
}

fn check_shape(what: &str, found: &Matrix, rows: usize, columns: usize) -> Result<()> {
    if found.nrows() == rows && found.ncols() == columns && rows > 0 && columns > 0 {
        return Ok(());
    }
    let (expected, found) = (format!("{rows} × {columns} numbers"), format!("{} × {}", found.nrows(), found.ncols()));
    Err(Error::ShapeMismatch { what: what.into(), expected, found })
}

fn logs(values: &[f64]) -> Result<Vec<f64>> {
    if let Some(value) = values.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
        return Err(Error::Setting {
            name: "hyper",
            problem: format!("a hyper-parameter or variance is {value}, but only positive numbers make sense").into(),
            remedies: vec![Remedy::act("give positive numbers")],
        });
    }
    Ok(values.iter().map(|v| v.ln()).collect())
}

/// The entries column by column.
fn flat(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.ncols()).flat_map(|a| matrix.col_as_slice(a).iter().copied()).collect()
}

fn matrix(values: &[f64], rows: usize, columns: usize) -> Matrix {
    Matrix::from_fn(rows, columns, |i, a| values[a * rows + i])
}
