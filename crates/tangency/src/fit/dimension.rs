//! How many coordinates data need: those that live in a fit with several of them.

use super::{Watching, probe};
use crate::config::{AUTO, Config, Init};
use crate::error::Result;
use crate::graph::Graph;
use crate::inference::{COARSE_ABOVE, Progress};
use crate::linalg::{Matrix, symmetric_eigen, transposed_product};
use crate::model::{Prepared, Problem};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A coordinate is not used when its spread is below this share of a step along an edge.
const UNUSED: f64 = 0.1;
/// Coordinates of the fit that finds out how many are used.
const SEVERAL: usize = 5;
/// Points from which the number is found; of more it is a sample.
const ENOUGH: usize = 2000;
/// Most iterations of the fits that find it.
const PROBE: usize = 60;

/// How the number of coordinates was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DimensionChoice {
    /// The number that was taken: of coordinates that are used where there are several.
    pub taken: usize,
    /// Spread of each coordinate there, as a share of a step along an edge, longest first.
    pub spreads: Vec<f64>,
    /// Points from which it was found.
    pub points: usize,
    /// The bound with one coordinate less, as many, and one more.
    pub bounds: Vec<DimensionBound>,
}

/// The bound with so many coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DimensionBound {
    /// How many.
    pub n_components: usize,
    /// The bound in the units of the table, of the factorised engine with weight 1 of the features.
    pub bound: f64,
}

impl DimensionChoice {
    /// The number of coordinates whose bound is best.
    pub fn by_bound(&self) -> Option<usize> {
        let best = self.bounds.iter().max_by(|a, b| a.bound.total_cmp(&b.bound));
        best.map(|best| best.n_components)
    }
}

/// The spread of principal axes as a share of a step along an edge, longest first.
pub(super) fn spreads(graph: &Graph, coordinates: &Matrix) -> Vec<f64> {
    let (n, d_x) = (coordinates.nrows() as f64, coordinates.ncols());
    let step = |&(i, j): &(u32, u32)| {
        (0..d_x).map(|a| (coordinates[(i as usize, a)] - coordinates[(j as usize, a)]).powi(2)).sum::<f64>()
    };
    let square = graph.edges().iter().map(step).sum::<f64>() / graph.edges().len().max(1) as f64;
    let mean = |a: usize| coordinates.col_as_slice(a).iter().sum::<f64>() / n;
    let centered = Matrix::from_fn(coordinates.nrows(), d_x, |i, a| coordinates[(i, a)] - mean(a));
    let scatter = transposed_product(&centered, &centered);
    match symmetric_eigen(&scatter, "scatter of the coordinates") {
        Ok((values, _)) if square > 0.0 => values.iter().rev().map(|v| (v.max(0.0) / n / square).sqrt()).collect(),
        _ => vec![1.0; d_x],
    }
}

/// How many axes of these spreads are used.
pub(super) fn used(spreads: &[f64]) -> usize {
    spreads.iter().filter(|&&spread| spread > UNUSED).count()
}

/// How many axes of a layout are used.
pub(super) fn used_axes(problem: &Problem, coordinates: &Matrix) -> usize {
    used(&spreads(&problem.graph, coordinates))
}

/// The number of coordinates that points need.
pub(super) fn find(
    prepared: &Prepared,
    config: &Config,
    mut observer: Option<&mut Watching<'_>>,
) -> Result<DimensionChoice> {
    let sampled = sample(prepared, config)?;
    let prepared = sampled.as_ref().unwrap_or(prepared);
    let most = SEVERAL.min(prepared.n_features()).min(prepared.n().saturating_sub(1)).max(1);
    let init = if prepared.n() > COARSE_ABOVE { Init::Auto } else { Init::Isomap };
    // the plain model with the graph's likelihood switches coordinates off
    let plain = Config { init, ..probe::settings(config, 1.0, PROBE) };
    let mut fit = |n_components| probe::fit_prepared(Config { n_components, ..plain.clone() }, prepared, &mut observer);
    let several = fit(most)?;
    let spreads = several.axis_spreads();
    let taken = used(&spreads).max(1);
    let around = taken.saturating_sub(1).max(1)..=(taken + 1).min(most);
    let bounds = around
        .map(|d| {
            let bound = if d == most { several.bound() } else { fit(d)?.bound() };
            Ok(DimensionBound { n_components: d, bound })
        })
        .collect::<Result<_>>()?;
    Ok(DimensionChoice { taken, spreads, points: prepared.n(), bounds })
}

/// A sample of many points on a graph of its own; none where there are few, or where the graph is the user's.
fn sample(prepared: &Prepared, config: &Config) -> Result<Option<Prepared>> {
    let n = prepared.n();
    if n <= ENOUGH || prepared.own_edges || config.radius.is_some() {
        return Ok(None);
    }
    let mut rows = probe::sample(n, ENOUGH, config);
    rows.sort_unstable();
    let values = prepared.values();
    let values = Matrix::from_fn(ENOUGH, values.ncols(), |i, f| values[(rows[i], f)]);
    let scaling = prepared.table.rule;
    let config = Config { connect: true, largest: false, n_components: 1, scaling, ..config.clone() };
    Prepared::new(values.as_ref(), &config, None).map(Some)
}

/// Puts a number of coordinates in the place of `auto`.
pub(crate) fn settle(
    prepared: &Prepared,
    config: &mut Config,
    observer: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<()> {
    if is_open(config) {
        config.n_components = find(prepared, config, Some(observer))?.taken;
    }
    Ok(())
}

/// Whether the number of coordinates is left to the data.
pub(super) fn is_open(config: &Config) -> bool {
    config.n_components == AUTO
}
