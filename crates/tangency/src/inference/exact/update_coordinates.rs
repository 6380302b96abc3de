//! The E-step of q(x): Σ_x⁻¹ = ⟨A⟩ + (αI + 2L)⊗I, μ_x = Σ_x b (docs/derivation.md, eq. 7).

use super::aggregate::Sign;
use super::moments::coordinate_moments;
use super::{Beliefs, Maps, Workspace};
use crate::error::Result;
use crate::inference::state::State;
use crate::inference::terms::coordinates::energy;
use crate::linalg::{Matrix, gram_lower, invert_spd, product_with_symmetric};
use crate::model::{CoordinatePrior, GraphPrecision, Problem};
use rayon::prelude::*;

/// Replaces q(x) by its optimum given q(C); where the means are held, its covariance.
pub fn update_coordinates(problem: &Problem, state: &mut State<Beliefs>, work: &mut Workspace) -> Result<()> {
    let State { beliefs: Beliefs { coordinates, maps, .. }, hyper, statistics, held, .. } = state;
    let prior = CoordinatePrior::new(hyper);
    let GraphPrecision { own, edge, .. } = prior.precision();
    let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.n_features());

    // ⟨CᵀC⟩ = d_yΣ_C + μ_Cᵀμ_C, turned in place into the precision
    let precision = &mut work.spare;
    let factor = d_y as f64 * maps.scale;
    copy_lower(precision, &maps.covariance, |value, _, _| factor * value);
    gram_lower(precision, &maps.mean);
    work.aggregator.aggregate(precision, Sign::Plus, 0.5 * hyper.gamma);
    // of the order of the prior's other eigenvalues
    let pin = 4.0 * problem.graph.edges().len() as f64 / n as f64;
    for a in 0..d_x {
        add_laplacian(problem, precision, a, edge, own);
        // common shifts have the prior's own precision; `pin` in its place
        add_constant(precision, a, n, (pin - own) / n as f64);
    }
    let linear = linear_term(problem, maps, hyper.gamma); // [d_x, n]

    // Σ_x⁻¹μ_x of means that are held
    let held_at = held.then(|| Matrix::from_fn(1, n * d_x, |_, p| coordinates.mean[(p % n, p / n)]));
    let image = held_at.as_ref().map(|mean| product_with_symmetric(1.0, mean, precision));
    let log_det = invert_spd(precision, &mut work.inversion, "precision of the coordinates")?;
    std::mem::swap(&mut coordinates.covariance, precision);
    coordinates.log_det = d_x as f64 * pin.ln() - log_det;
    (coordinates.pin, coordinates.shift_precision, coordinates.scale) = (pin, hyper.alpha, 1.0);
    let right = Matrix::from_fn(1, n * d_x, |_, p| linear[(p / n, p % n)]);
    let mean = match held_at {
        Some(mean) => mean,
        None => product_with_symmetric(1.0, &right, &mut coordinates.covariance),
    };
    coordinates.mean = Matrix::from_fn(n, d_x, |i, a| mean[(0, a * n + i)]);

    let moments = coordinate_moments(problem, coordinates);
    // From Σ_x⁻¹Σ_x = I: the quadratic part of R without forming it again. One of the n·d_x directions per component,
    // the common shift, is outside the moments.
    // Means at their optimum have Σ_x⁻¹μ_x = b.
    let image = image.as_ref().unwrap_or(&right);
    let fit: f64 = (0..n * d_x).map(|p| (2.0 * right[(0, p)] - image[(0, p)]) * mean[(0, p)]).sum();
    let prior = energy(&moments, &prior);
    statistics.residual = problem.edge_energy + ((n - 1) as f64 * d_x as f64 - prior - fit) / (2.0 * hyper.gamma);
    statistics.coordinates = moments;
    Ok(())
}

/// b_i = γ Σ_{j∈N(i)} (C_i + C_j)ᵀ(y_i − y_j). [d_x, n]
pub(super) fn linear_term(problem: &Problem, maps: &Maps, gamma: f64) -> Matrix {
    let (n, d_x) = (problem.n(), problem.n_components);
    let (y, c) = (&problem.observations, &maps.mean);
    let mut linear = Matrix::zeros(d_x, n);
    linear.as_mut().par_col_iter_mut().enumerate().for_each(|(i, mut column)| {
        let y_i = y.col_as_slice(i);
        for &j in problem.graph.neighbors(i) {
            let j = j as usize;
            let y_j = y.col_as_slice(j);
            for a in 0..d_x {
                let (c_i, c_j) = (c.col_as_slice(a * n + i), c.col_as_slice(a * n + j));
                let sum: f64 = c_i
                    .iter()
                    .zip(c_j)
                    .zip(y_i.iter().zip(y_j))
                    .map(|((ci, cj), (yi, yj))| (ci + cj) * (yi - yj))
                    .sum();
                column[a] += gamma * sum;
            }
        }
    });
    linear
}

/// Copies the lower triangle through a function of (value, row, column).
pub(super) fn copy_lower(target: &mut Matrix, source: &Matrix, map: impl Fn(f64, usize, usize) -> f64 + Sync) {
    target.as_mut().par_col_iter_mut().enumerate().for_each(|(j, column)| {
        let from = source.col_as_slice(j);
        for (i, slot) in column.iter_mut().enumerate().skip(j) {
            *slot = map(from[i], i, j);
        }
    });
}

/// Adds `rough`·L + `diagonal`·I to the lower triangle of diagonal block `a`.
pub(super) fn add_laplacian(problem: &Problem, precision: &mut Matrix, a: usize, rough: f64, diagonal: f64) {
    let first = a * problem.n();
    for i in 0..problem.n() {
        precision[(first + i, first + i)] += rough * problem.graph.degree(i) as f64 + diagonal;
    }
    for &(i, j) in problem.graph.edges() {
        precision[(first + j as usize, first + i as usize)] -= rough;
    }
}

/// Adds one value to every entry of the lower triangle of diagonal block `a`.
pub(super) fn add_constant(precision: &mut Matrix, a: usize, n: usize, value: f64) {
    for j in a * n..(a + 1) * n {
        for slot in &mut precision.col_as_slice_mut(j)[j..(a + 1) * n] {
            *slot += value;
        }
    }
}
