//! How the model does on rows that it has not seen: fits without a part of the rows, which are then placed.

use super::{Extension, Predicts, usual_neighbors};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::fit::{Calibration, Fit, Fitter};
use crate::graph::{Graph, Length, bridges};
use crate::inference::{Progress, Start, Stop};
use crate::linalg::Matrix;
use crate::message::Remedy;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An error if `n` points cannot be divided so that enough are left for a fit.
pub fn check_parts(n: usize, n_components: usize, parts: usize) -> Result<()> {
    if parts >= 2 && parts <= n && n - n.div_ceil(parts) > n_components.max(3) {
        return Ok(());
    }
    if parts < 2 {
        return Err(Error::too_small("calibrate", parts, 2));
    }
    let remedy = if parts > n { Remedy::Lower("calibrate") } else { Remedy::Raise("calibrate") };
    let but = format!("that does not divide {n} rows so that enough of them are left for a fit");
    Err(Error::setting("calibrate", parts, but, [remedy]))
}

/// Fits the model `folds` times without one part of the rows in turn, each on a graph like that of all rows, from
/// the coordinates found. `observe` sees the number of the fold from 0 and its progress, and may end the work.
pub fn calibrate(
    fit: &Fit,
    folds: usize,
    mut observe: impl FnMut(usize, &Progress) -> ControlFlow<()>,
) -> Result<Calibration> {
    let (n, d_x) = (fit.n(), fit.coordinates.ncols());
    check_parts(n, d_x, folds)?;
    let neighbors = usual_neighbors(fit);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(fit.config.random_state));
    let mut log_densities = vec![f64::NAN; n];
    let (mut squares, mut entries) = (0.0, 0usize);
    for fold in 0..folds {
        let mut held: Vec<usize> = order.iter().copied().skip(fold).step_by(folds).collect();
        held.sort_unstable();
        let kept: Vec<usize> = (0..n).filter(|i| held.binary_search(i).is_err()).collect();
        let part = fit_without(fit, &kept, |progress| observe(fold, progress))?;
        match part.stop {
            Stop::Interrupted => return Err(Error::Interrupted { what: "the calibration" }),
            Stop::Collapsed => {
                let but = format!("without part {} of these the fit collapses", fold + 1);
                let remedies = [Remedy::Change("calibrate"), Remedy::Omit("calibrate")];
                return Err(Error::setting("calibrate", folds, but, remedies));
            }
            Stop::Converged | Stop::MaxIterations => {}
        }
        let extension = Extension::new(&part)?.with_neighbors(neighbors.min(kept.len() - 1))?;
        let values = measured(fit, &held);
        let placed = extension.transform(&values)?;
        let coordinates = Matrix::from_fn(held.len(), d_x, |i, a| placed[i].mean[a]);
        let expected = extension.reconstruct_plainly(&coordinates, Predicts::PlacedRow)?;
        let scores = extension.score(&values)?;
        for (i, &row) in held.iter().enumerate() {
            log_densities[row] = scores[i];
            for f in (0..values.ncols()).filter(|&f| !values[(i, f)].is_nan()) {
                entries += 1;
                squares += ((values[(i, f)] - expected.values[(i, f)]) / expected.deviations[(i, f)]).powi(2);
            }
        }
    }
    let spread = (squares / entries as f64).sqrt();
    Ok(Calibration { folds, log_densities, spread })
}

/// Some rows as they were measured, with NaN where an entry was missing.
fn measured(fit: &Fit, rows: &[usize]) -> Matrix {
    let lacked = fit.imputed.as_ref().map_or(&[][..], |imputed| &imputed.entries);
    Matrix::from_fn(rows.len(), fit.observations.ncols(), |i, f| {
        match lacked.binary_search(&(rows[i] as u32, f as u32)) {
            Ok(_) => f64::NAN,
            Err(_) => fit.observations[(rows[i], f)],
        }
    })
}

/// The fit of the rows `kept` on a graph like that of all.
fn fit_without(fit: &Fit, kept: &[usize], observe: impl FnMut(&Progress) -> ControlFlow<()>) -> Result<Fit> {
    let d_x = fit.coordinates.ncols();
    let seen = Arc::new(fit.graph_observations());
    let places = fit.config.metric.places(fit.observations.as_ref().as_ref(), &seen)?;
    let edges = thinned(&fit.graph, &places, fit.config.metric.length(), kept).edges().to_vec();
    let refits = if fit.graph_model.is_some() { fit.config_of_refits() } else { fit.config_of_hypotheses() };
    let config = Config { n_init: 1, largest: false, connect: false, draws: Some(0), ..refits };
    let start = Matrix::from_fn(kept.len(), d_x, |i, a| fit.coordinates[(kept[i], a)]);
    let values = measured(fit, kept);
    Fitter::new(config)
        .noise(fit.noise_scales.clone())
        .edges(edges)
        .start(Start::Coordinates(start))
        .observer(observe)
        .fit(&values)
}

/// A graph on a part of the points with as many neighbours a point as the whole has, so that densities compare: each
/// point is joined to the nearest of those that were its neighbours, or neighbours of these. So no edge crosses where
/// the whole graph has none. Pieces, if there are any, are joined.
fn thinned(graph: &Graph, points: &Matrix, length: Length, kept: &[usize]) -> Graph {
    let mut number = vec![None; graph.n()];
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = Some(new as u32));
    let mean = (2 * graph.edges().len()).div_ceil(graph.n());
    let lists: Vec<Vec<u32>> = kept
        .par_iter()
        .map(|&i| {
            let around = graph
                .neighbors(i)
                .iter()
                .flat_map(|&j| graph.neighbors(j as usize).iter().chain([j].iter()).copied().collect::<Vec<_>>());
            let mut near: Vec<usize> = around.map(|j| j as usize).filter(|&j| j != i && number[j].is_some()).collect();
            near.sort_unstable();
            near.dedup();
            let distance = |j: usize| length.between(points.col_as_slice(i), points.col_as_slice(j));
            near.sort_by(|&p, &q| distance(p).total_cmp(&distance(q)));
            // no more than could be wanted
            near.into_iter().filter_map(|j| number[j]).take(2 * graph.degree(i) + 2 * mean).collect()
        })
        .collect();
    let of_size = |k: usize| {
        let edges = lists.iter().enumerate().flat_map(|(i, list)| list.iter().take(k).map(move |&j| (i as u32, j)));
        Graph::from_edges(kept.len(), edges)
    };
    let wanted = graph.edges().len() as f64 / graph.n() as f64;
    let found = |graph: &Graph| graph.edges().len() as f64 / kept.len() as f64;
    // the smallest number of neighbours with enough edges, by halving
    let (mut below, mut enough) = (0, lists.iter().map(Vec::len).max().unwrap_or(1));
    while enough - below > 1 {
        let middle = (below + enough) / 2;
        if found(&of_size(middle)) >= wanted { enough = middle } else { below = middle }
    }
    let (fewer, more) = (of_size(below.max(1)), of_size(enough));
    let thinned = if wanted - found(&fewer) < found(&more) - wanted { fewer } else { more };
    let part = Matrix::from_fn(points.nrows(), kept.len(), |f, i| points[(f, kept[i])]);
    let joining = bridges(&thinned, &part);
    thinned.with_changes(&[], &joining)
}
