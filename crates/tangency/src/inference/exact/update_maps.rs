//! The E-step of q(C): Σ_C⁻¹ = ⟨Γ⟩ + K⊗I, μ_C = γ H Σ_C (docs/derivation.md, eq. 8).

use super::aggregate::Sign;
use super::moments::map_moments;
use super::update_coordinates::{add_constant, add_laplacian, copy_lower};
use super::{Beliefs, Coordinates, Workspace};
use crate::error::Result;
use crate::inference::state::State;
use crate::inference::terms::maps::energy;
use crate::linalg::{Matrix, dot, invert_spd, product_with_symmetric};
use crate::model::{GraphPrecision, MapPrior, Problem};
use rayon::prelude::*;

/// Replaces q(C) by its optimum given q(x).
pub fn update_maps(problem: &Problem, state: &mut State<Beliefs>, work: &mut Workspace) -> Result<()> {
    let State { beliefs: Beliefs { coordinates, maps, .. }, hyper, statistics, .. } = state;
    let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.n_features());
    let prior = MapPrior::new(problem, hyper);
    let GraphPrecision { own, edge, common } = prior.precision();

    // ⟨xxᵀ⟩ = Σ_x + μ_xμ_xᵀ, turned in place into the precision; common shifts vanish in it
    let precision = &mut work.spare;
    let mean: Vec<f64> = (0..n * d_x).map(|p| coordinates.mean[(p % n, p / n)]).collect();
    copy_lower(precision, &coordinates.covariance, |value, p, q| coordinates.scale * value + mean[p] * mean[q]);
    work.aggregator.aggregate(precision, Sign::Minus, 0.5 * hyper.gamma);
    for a in 0..d_x {
        add_laplacian(problem, precision, a, edge, own);
        if common > 0.0 {
            add_constant(precision, a, n, common);
        }
    }
    let linear = linear_term(problem, coordinates); // H [d_y, n·d_x]

    maps.log_det = -invert_spd(precision, &mut work.inversion, "precision of the maps")?;
    std::mem::swap(&mut maps.covariance, precision);
    maps.scale = 1.0;
    maps.mean = product_with_symmetric(hyper.gamma, &linear, &mut maps.covariance);

    let moments = map_moments(problem, maps, prior.is_of_the_paper());
    // From Σ_C⁻¹Σ_C = I: the quadratic part of R without forming it again.
    let fit: f64 = (0..n * d_x).map(|p| dot(linear.col_as_slice(p), maps.mean.col_as_slice(p))).sum();
    let prior = energy(&moments, &prior);
    statistics.residual = problem.edge_energy - 0.5 * fit + ((n * d_x * d_y) as f64 - prior) / (2.0 * hyper.gamma);
    statistics.maps = moments;
    Ok(())
}

/// H_i = Σ_{j∈N(i)} (y_j − y_i)(x_j − x_i)ᵀ. [d_y, n·d_x]
fn linear_term(problem: &Problem, coordinates: &Coordinates) -> Matrix {
    let (n, d_x) = (problem.n(), problem.n_components);
    let (y, x) = (&problem.observations, &coordinates.mean);
    let mut linear = Matrix::zeros(y.nrows(), n * d_x);
    linear.as_mut().par_col_iter_mut().enumerate().for_each(|(p, column)| {
        let (a, i) = (p / n, p % n);
        let Some(column) = column.try_as_col_major_mut() else { return };
        let column = column.as_slice_mut();
        let y_i = y.col_as_slice(i);
        for &j in problem.graph.neighbors(i) {
            let j = j as usize;
            let step = x[(j, a)] - x[(i, a)];
            for (slot, (from, to)) in column.iter_mut().zip(y_i.iter().zip(y.col_as_slice(j))) {
                *slot += (to - from) * step;
            }
        }
    });
    linear
}
