//! Where a run begins. All randomness of the library that is not asked for by name is here.

use crate::config::Init;
use crate::error::{Error, Result};
use crate::graph::geodesic_distances;
use crate::linalg::{Matrix, leading_eigenvectors, product, product_transposed, symmetric_eigen, transposed_product};
use crate::model::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

/// A start: one side of the posterior, from which the first update finds the other.
#[derive(Clone)]
pub enum Start {
    /// Means of the coordinates; the maps are fitted to them before they move. [n, d_x]
    Coordinates(Matrix),
    /// Means of the maps, covariance I; column a·n + i is column a of C_i. [d_y, n·d_x]
    Maps(Matrix),
}

/// Makes a start of a named kind; `seed` is used by the random one only.
pub fn make_start(problem: &Problem, init: Init, seed: u64) -> Result<Start> {
    match init {
        Init::Random | Init::Auto => Ok(random(problem, seed)),
        Init::Pca => pca(problem),
        Init::Spectral => spectral(problem),
        Init::Isomap => isomap(problem),
        Init::Coordinates | Init::Maps => Err(Error::InvalidConfig {
            field: "init",
            requirement: "auto, random, pca, spectral or isomap unless the start itself is given".into(),
        }),
    }
}

/// The seed of start number `start`, derived from the seed of the fit.
pub fn derived_seed(seed: u64, start: usize) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(start as u64);
    rng.random()
}

fn random(problem: &Problem, seed: u64) -> Start {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Start::Maps(Matrix::from_fn(problem.n_features(), problem.size(), |_, _| rng.sample(StandardNormal)))
}

fn pca(problem: &Problem) -> Result<Start> {
    let (y, d_x) = (&problem.observations, problem.n_components);
    if d_x > problem.n_features() {
        return Err(Error::InvalidConfig {
            field: "init",
            requirement: format!(
                "other than pca when there are fewer features ({}) than components ({d_x})",
                problem.n_features()
            ),
        });
    }
    if problem.n_features() > problem.n() {
        // the same from the smaller matrix of inner products
        let (values, axes) = leading_eigenvectors(&transposed_product(y, y), d_x, "inner products of the data")?;
        return Ok(Start::Coordinates(stretched(&axes, &values)));
    }
    let (_, axes) = leading_eigenvectors(&product_transposed(y, y), d_x, "covariance of the data")?;
    Ok(Start::Coordinates(transposed_product(y, &axes)))
}

fn spectral(problem: &Problem) -> Result<Start> {
    // the smallest non-zero eigenvalues of L are the largest of its pseudo-inverse
    let lp = &problem.laplacian.pseudo_inverse;
    let (_, axes) = leading_eigenvectors(lp, check_dimension(problem)?, "graph Laplacian")?;
    Ok(Start::Coordinates(isotropic_edges(problem, axes)?))
}

fn isomap(problem: &Problem) -> Result<Start> {
    let d_x = check_dimension(problem)?;
    let mut scaled = geodesic_distances(&problem.graph, &problem.observations);
    // −½ J D² J
    let n = problem.n();
    scaled.col_iter_mut().for_each(|column| column.iter_mut().for_each(|d| *d = -0.5 * d.powi(2)));
    let means: Vec<f64> = scaled.col_iter().map(|column| column.sum() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for j in 0..n {
        for (i, slot) in scaled.col_as_slice_mut(j).iter_mut().enumerate() {
            *slot += mean - means[i] - means[j];
        }
    }
    let (values, axes) = leading_eigenvectors(&scaled, d_x, "matrix of squared path lengths")?;
    Ok(Start::Coordinates(stretched(&axes, &values)))
}

/// Unit eigenvectors times the roots of their eigenvalues.
fn stretched(axes: &Matrix, values: &[f64]) -> Matrix {
    Matrix::from_fn(axes.nrows(), axes.ncols(), |i, a| axes[(i, a)] * values[a].max(0.0).sqrt())
}

fn check_dimension(problem: &Problem) -> Result<usize> {
    if problem.n_components < problem.n() {
        return Ok(problem.n_components);
    }
    Err(Error::InvalidConfig {
        field: "n_components",
        requirement: format!("smaller than the number of points, {}", problem.n()),
    })
}

/// Eigenvectors come with unit length each; x (Σ_e Δx Δxᵀ)^(−½) makes steps along edges alike in all directions, which
/// restores the aspect.
fn isotropic_edges(problem: &Problem, axes: Matrix) -> Result<Matrix> {
    let d_x = axes.ncols();
    let mut steps = Matrix::zeros(d_x, d_x);
    for &(i, j) in problem.graph.edges() {
        let step = |a: usize| axes[(j as usize, a)] - axes[(i as usize, a)];
        for b in 0..d_x {
            for a in 0..d_x {
                steps[(a, b)] += step(a) * step(b);
            }
        }
    }
    let (values, vectors) = symmetric_eigen(&steps, "scatter of the edges")?;
    let whitening = Matrix::from_fn(d_x, d_x, |a, b| vectors[(a, b)] / values[b].max(f64::MIN_POSITIVE).sqrt());
    Ok(product(&axes, &product_transposed(&whitening, &vectors)))
}
