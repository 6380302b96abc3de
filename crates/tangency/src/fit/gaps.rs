//! Tables with gaps: missing entries and the layout, each found given the other.

use super::{Fit, Fitter, FullPosterior, Imputed, Plan, Watching, probe};
use crate::config::{Config, FeatureWeight, KeepLengths};
use crate::error::Result;
use crate::graph::{DONORS, Nearby};
use crate::inference::{EngineKind, Layout, Start, Stop};
use crate::linalg::Matrix;
use crate::model::{Filling, MissingEntries, Prepared, flow};

/// Most times that entries are found anew.
const ROUNDS: usize = 8;
/// They are found when none moves by more than this, in scaled units.
const SETTLED: f64 = 2e-3;
/// An entry is open where those of points nearby deviate so many times more than neighbours usually do.
const OPEN: f64 = 4.0;
/// One of so many points nearby.
const SHARE: f64 = 1.0 / DONORS as f64;
/// Most iterations between.
const ITERATIONS: usize = 15;

/// First the layout of the table with entries that are smooth over the graph, by the quick engine. Then entries and layout in
/// turn, until these entries stay; then the fit that was asked for.
pub(super) fn fit(
    mut fitter: Fitter,
    prepared: &Prepared,
    entries: &MissingEntries,
    plan: &Plan,
) -> Result<(Fit, Option<FullPosterior>)> {
    let filling = entries.on(prepared.graph())?;
    let mut observer = fitter.observer.take();
    let mut observer = observer.as_deref_mut();
    let (settled, stopped) = settle(&fitter, prepared, &filling, &mut observer)?;
    let last = match observer {
        Some(observer) => fitter.observer(move |progress: &_| observer(progress)),
        None => fitter,
    };
    let (mut fit, posterior) = last.best_of_starts(&settled, plan)?;
    if stopped {
        fit.stop = Stop::Interrupted;
    }
    let nearby = prepared.nearby.as_deref().map_or(&[][..], Vec::as_slice);
    fit.imputed = Some(imputed(&fit, entries, nearby, &filling)?);
    Ok((fit, posterior))
}

/// The table with entries that stay where they are when the layout is found again.
fn settle(
    fitter: &Fitter,
    prepared: &Prepared,
    filling: &Filling,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<(Prepared, bool)> {
    let quick =
        Config { engine: EngineKind::Factorised, draws: Some(0), full_covariance: false, ..fitter.config.clone() };
    let quick = Config { keep_lengths: KeepLengths::Never, ..quick };
    let (n_rows, rows) = (prepared.n_rows, prepared.rows.clone());
    // a table of its points alone, so that layouts of them are starts
    let mut filled = Prepared { n_rows: prepared.n(), rows: (0..prepared.n()).collect(), ..prepared.clone() };
    let mut found = match &fitter.start {
        // where rows of the table are, whether they are points or not
        Some(start) => probe::again(quick.clone(), prepared, start.clone(), observer)?,
        None => probe::fit_prepared(quick.clone(), &filled, observer)?,
    };
    for _ in 0..ROUNDS {
        if found.stop == Stop::Interrupted {
            return Ok((Prepared { n_rows, rows, ..filled }, true));
        }
        let mut points = filled.points().clone();
        let expected = flow(&found.graph, &found.coordinates, &found.maps);
        let moved = filling.fill(prepared.graph(), &mut points, Some(&expected));
        filled = filled.filled(points);
        if moved < SETTLED {
            break;
        }
        let weight = found.features.as_ref().map(|choice| choice.weight());
        let config = match weight {
            // the paper's model had the last word
            Some(None) => Config { graph_likelihood: false, ..quick.clone() },
            Some(Some(weight)) => Config { feature_weight: FeatureWeight::Fixed(weight), ..quick.clone() },
            None => quick.clone(),
        };
        let config = Config { max_iter: ITERATIONS.min(config.max_iter), n_init: 1, ..config };
        let features = found.features.clone();
        found = probe::again(config, &filled, layout(&found), observer)?;
        found.features = features;
    }
    Ok((Prepared { n_rows, rows, ..filled }, found.stop == Stop::Interrupted))
}

/// Where a fit ended, as a start.
pub(super) fn layout(fit: &Fit) -> Start {
    let (n, d_x) = (fit.n(), fit.coordinates.ncols());
    let maps = Matrix::from_fn(fit.maps.nrows(), n * d_x, |f, p| fit.maps[(f, (p % n) * d_x + p / n)]);
    Start::Layout(Box::new(Layout {
        coordinates: fit.coordinates.clone(),
        maps: Some(maps),
        hyper: fit.hyper,
        in_units: true,
        held: false,
    }))
}

/// What a fit leaves of missing entries. Where points that are alike in the other entries differ in this one by far more than
/// neighbours do, nothing but these says which it is: their mean and deviation are taken.
fn imputed(fit: &Fit, entries: &MissingEntries, nearby: &[Nearby], filling: &Filling) -> Result<Imputed> {
    let entries = entries.pairs();
    let variances = filling.variances(&fit.graph)?;
    let (mut values, mut deviations) = (Vec::new(), Vec::new());
    for ((&(i, f), variance), near) in entries.iter().zip(variances).zip(nearby) {
        let (i, f) = (i as usize, f as usize);
        let (own, scale) = (variance / (2.0 * fit.hyper.gamma), fit.scaling.scale[f]);
        // what is expected is itself known no better than a mean of those nearby
        let (value, variance) = match near.variance > OPEN * OPEN * near.usual.max(own) {
            true => (fit.scaling.center[f] + scale * near.mean, (1.0 + SHARE) * near.variance),
            false => (fit.observations[(i, f)], own + (SHARE * near.variance).min(own)),
        };
        values.push(value);
        deviations.push(scale * variance.sqrt());
    }
    Ok(Imputed { entries, values, deviations })
}
