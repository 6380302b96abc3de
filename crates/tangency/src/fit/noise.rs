//! Features with a noise of their own: their scales and the layout, each found given the other.

use super::gaps::layout;
use super::quality::trust_towards;
use super::{Fit, Fitter, Watching, probe};
use crate::config::{Config, FeatureWeight, Init, KeepLengths};
use crate::density::{Density, Paired};
use crate::error::Result;
use crate::inference::factorised::{Beliefs, Factorised};
use crate::inference::{EngineKind, Start, Stop, Updates};
use crate::linalg::Matrix;
use crate::model::{
    FeatureNoise, Hyperparameters, MapPrior, NoiseScales, Prepared, Problem, TableView, check_views, flow, losses,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most times that scales are found anew.
const TURNS: usize = 8;
/// They are found when none moves by more than this share.
const SETTLED: f64 = 0.03;
/// Most iterations between.
const ITERATIONS: usize = 15;
/// Most iterations where these have not been enough.
const LONGER: usize = 60;
/// Rows from which it is found whether features have a noise of their own; of more it is a sample.
const ENOUGH: usize = 500;
/// Fewest rows that a fit is tried with.
const FEWEST: usize = 40;
/// Parts of the rows, each held out in turn.
const PARTS: usize = 3;
/// Most iterations of a fit that is only tried.
const PROBE: usize = 12;
/// The weight of the features in such a fit.
const WEIGHT: f64 = 0.3;
/// Rows are clearly likelier by so many standard errors.
const CLEAR: f64 = 2.0;

/// The table with the scales that the settings ask for, and whether somebody ended the search for them; none where there is
/// nothing to be found.
pub(super) fn table(fitter: &mut Fitter, prepared: &Prepared) -> Result<Option<(Prepared, bool)>> {
    if let Some(given) = fitter.noise.take() {
        return Ok(given.map(|scales| (prepared.with_noise(&scales), false)));
    }
    if !fitter.settles_gaps {
        return Ok(None);
    }
    check_views(&fitter.views, prepared.n_features())?;
    let mut observer = fitter.observer.as_deref_mut().map(|observer| observer as &mut Watching<'_>);
    let mut rule = fitter.config.feature_noise;
    if rule == FeatureNoise::Auto {
        let choice = choose(&fitter.config, prepared, &fitter.views, &mut observer)?;
        rule = choice.taken;
        fitter.noise_choice = Some(choice);
    }
    let Some(group) = groups(rule, &fitter.views, prepared.n_features()) else { return Ok(None) };
    let Settled { table, stopped, .. } = settle(&fitter.config, prepared, group, &mut observer)?;
    Ok(Some((table, stopped)))
}

/// Which features share a scale; none where all do.
fn groups(rule: FeatureNoise, views: &[TableView], d_y: usize) -> Option<Vec<usize>> {
    match rule {
        FeatureNoise::Own => Some((0..d_y).collect()),
        _ if views.is_empty() => None,
        _ => {
            let of = |f: usize| views.iter().position(|view| view.features.contains(&f)).unwrap_or(views.len());
            let of_all: Vec<usize> = (0..d_y).map(of).collect();
            // numbered without a gap, where all features of a view are in others
            let mut used = of_all.clone();
            used.sort_unstable();
            used.dedup();
            Some(of_all.iter().map(|view| used.binary_search(view).unwrap_or(0)).collect())
        }
    }
}

/// How it was decided whether features have a noise of their own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseChoice {
    /// What was taken.
    pub taken: FeatureNoise,
    /// How much likelier rows that were held out are with a noise for each feature, in nats per row.
    pub gain: f64,
    /// Standard error of that.
    pub error: f64,
    /// Trustworthiness towards the table with one noise.
    pub shared: f64,
    /// Trustworthiness towards the table with a noise for each feature.
    pub own: f64,
    /// Rows that were held out.
    pub rows: usize,
}

/// Finds out whether features are to have a noise of their own: if rows that are held out are clearly likelier with it, and
/// neighbourhoods of the table are no worse on the map. The density alone likes a width for every feature, whatever it does to
/// the map (docs/decisions/0016-rows-are-judged-by-a-density.md).
fn choose(
    config: &Config,
    prepared: &Prepared,
    views: &[TableView],
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<NoiseChoice> {
    let values = prepared.values();
    let mut choice = NoiseChoice { taken: FeatureNoise::Shared, gain: 0.0, error: 0.0, shared: 0.0, own: 0.0, rows: 0 };
    let lacking: BTreeSet<u32> = prepared.missing.iter().flat_map(|all| all.pairs()).map(|(row, _)| row).collect();
    let mut order = probe::sample(prepared.n(), prepared.n(), config);
    // rows are scored by all of their entries
    order.retain(|&row| !lacking.contains(&(row as u32)));
    order.truncate(ENOUGH);
    let kept = order.len() - order.len().div_ceil(PARTS);
    if kept < 3 * config.n_neighbors.max(config.n_components) || kept < FEWEST {
        return Ok(choice);
    }
    let short = probe::settings(config, WEIGHT, PROBE);
    let scaling = prepared.table.rule;
    let short = Config { scaling, radius: None, connect: true, largest: false, init: Init::Isomap, ..short };
    let rules = [FeatureNoise::Shared, FeatureNoise::Own];
    let mut scores = [vec![], vec![]];
    let mut trust = [0.0, 0.0];
    for part in 0..PARTS {
        let (kept, held) = probe::split(&order, part, PARTS);
        let of = |some: &[usize]| Matrix::from_fn(some.len(), values.ncols(), |i, f| values[(some[i], f)]);
        let (kept, held) = (of(&kept), of(&held));
        let table = Prepared::new(kept.as_ref(), &short, None)?;
        for (side, rule) in rules.into_iter().enumerate() {
            let table = match groups(rule, views, values.ncols()) {
                Some(group) => settle(&short, &table, group, observer)?.table,
                None => table.clone(),
            };
            let fit = probe::fit_prepared(short.clone(), &table, observer)?;
            if fit.stop == Stop::Interrupted {
                return Ok(choice);
            }
            scores[side].extend(Density::new(&fit)?.score(&held)?);
            trust[side] += trust_towards(&fit.graph_observations(), &fit.coordinates) / PARTS as f64;
        }
    }
    let paired = Paired::new(&scores[0], &scores[1]);
    (choice.gain, choice.error, choice.rows) = (paired.behind, paired.error, paired.rows);
    [choice.shared, choice.own] = trust;
    if paired.is_behind(CLEAR) && choice.own >= choice.shared {
        choice.taken = FeatureNoise::Own;
    }
    Ok(choice)
}

/// A table with scales that were found.
struct Settled {
    table: Prepared,
    /// Whether somebody ended the search.
    stopped: bool,
    /// The bound after each turn.
    #[cfg_attr(not(test), allow(dead_code))]
    bounds: Vec<f64>,
}

/// Finds scales for the noise of features that stay where they are when the layout is found again.
fn settle(
    config: &Config,
    prepared: &Prepared,
    group: Vec<usize>,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<Settled> {
    let quick = Config { engine: EngineKind::Factorised, draws: Some(0), full_covariance: false, ..config.clone() };
    let quick = Config { keep_lengths: KeepLengths::Never, ..quick };
    // a table of its points alone, so that layouts of them are starts
    let mut table = Prepared { n_rows: prepared.n(), rows: (0..prepared.n()).collect(), ..prepared.clone() };
    let mut measured = vec![prepared.n() as f64; prepared.n_features()];
    for (_, f) in prepared.missing.iter().flat_map(|entries| entries.pairs()) {
        measured[f as usize] -= 1.0;
    }
    let mut scales = NoiseScales::new(table.points(), measured, group);
    table = table.with_noise(&scales.scales);
    let filling = table.missing.as_ref().map(|entries| entries.on(table.graph())).transpose()?;
    let mut found = probe::fit_prepared(quick.clone(), &table, observer)?;
    let mut bounds = vec![objective(&found, &scales)];
    for _ in 0..TURNS {
        if found.stop == Stop::Interrupted || found.stop == Stop::Collapsed {
            break;
        }
        if let Some(filling) = &filling {
            let mut points = table.points().clone();
            filling.fill(table.graph(), &mut points, Some(&flow(&found.graph, &found.coordinates, &found.maps)));
            table = table.filled(points);
        }
        let (next, common) = scales.improved(&losses_of(&quick, &table, &found)?);
        let moved = next.moved(&scales);
        let scaled = table.with_noise(&next.scales);
        let (before, warm) = (objective(&found, &scales), warm(&quick, &found));
        let start = rescaled(&found, &scales, &next, common);
        let mut again = probe::again(warm.clone(), &scaled, start, observer)?;
        let mut bound = objective(&again, &next);
        if bound < before && again.stop == Stop::MaxIterations {
            // covariances of maps are not handed on, and a run may need longer to find them again
            let longer = Config { max_iter: quick.max_iter.min(LONGER), ..warm };
            again = probe::again(longer, &scaled, layout(&again), observer)?;
            bound = objective(&again, &next);
        }
        bounds.push(bound);
        // each turn can only raise the bound; one that the run has lost on its way is not taken
        if bound < before {
            break;
        }
        let features = found.features.clone();
        (scales, table, found) = (next, scaled, again);
        found.features = features;
        if moved < SETTLED {
            break;
        }
    }
    let stopped = found.stop == Stop::Interrupted;
    Ok(Settled { table: Prepared { n_rows: prepared.n_rows, rows: prepared.rows.clone(), ..table }, stopped, bounds })
}

/// The bound with the units of the scales taken out, copies of features counting once; under a weight of the features what is
/// weighted is their density in these units.
fn objective(fit: &Fit, scales: &NoiseScales) -> f64 {
    let weight = fit.graph_model.as_ref().map_or(1.0, |graph| graph.feature_weight);
    fit.bound_scaled() - weight * scales.log_jacobian()
}

/// Settings of a run that goes on from a fit.
fn warm(quick: &Config, found: &Fit) -> Config {
    let config = match found.features.as_ref().map(|choice| choice.weight()) {
        // the paper's model had the last word
        Some(None) => Config { graph_likelihood: false, ..quick.clone() },
        Some(Some(weight)) => Config { feature_weight: FeatureWeight::Fixed(weight), ..quick.clone() },
        None => quick.clone(),
    };
    Config { max_iter: ITERATIONS.min(config.max_iter), n_init: 1, ..config }
}

/// What the bound loses to each feature.
fn losses_of(config: &Config, table: &Prepared, found: &Fit) -> Result<Vec<f64>> {
    let (n, d_x) = (found.n(), found.coordinates.ncols());
    // in all features, whatever axes the run went along
    let problem = Problem::of(table, &Config { n_components: d_x, pca: None, ..config.clone() })?;
    let engine = Factorised::new(&problem, config)?;
    let blocks = |of: &Matrix| (0..n).flat_map(|i| of.col_as_slice(i).to_vec()).collect();
    let beliefs = Beliefs {
        x: (0..n * d_x).map(|p| found.coordinates[(p / d_x, p % d_x)]).collect(),
        s: blocks(&found.coordinate_covariances),
        c: (0..n * d_x).flat_map(|p| found.maps.col_as_slice(p).to_vec()).collect(),
        t: blocks(&found.map_covariances),
    };
    let residuals = engine.residuals_by_row(&problem, &beliefs);
    Ok(losses(&problem, &residuals, &found.maps, found.hyper.gamma, &MapPrior::new(&problem, &found.hyper)))
}

/// Where a fit ended, in the units of new scales.
fn rescaled(found: &Fit, before: &NoiseScales, after: &NoiseScales, common: f64) -> Start {
    let Start::Layout(mut start) = layout(found) else { return layout(found) };
    let ratio = |f: usize| before.scales[f] / after.scales[f];
    let of_maps = |maps: Matrix| Matrix::from_fn(maps.nrows(), maps.ncols(), |f, p| maps[(f, p)] * ratio(f));
    start.maps = start.maps.map(of_maps);
    let square = common * common;
    let Hyperparameters { gamma, lambda, nu, .. } = start.hyper;
    start.hyper = Hyperparameters { gamma: gamma / square, lambda: lambda / square, nu: nu / square, ..start.hyper };
    Start::Layout(start)
}

impl<'a> Fitter<'a> {
    /// Groups of features that have a noise of their own each.
    pub fn views(mut self, views: Vec<TableView>) -> Self {
        self.views = views;
        self
    }

    /// Takes these scales for the noise of features.
    pub(crate) fn noise(mut self, scales: Option<Arc<Vec<f64>>>) -> Self {
        self.noise = Some(scales);
        self
    }
}

#[cfg(test)]
mod tests {
    //! No turn lowers the bound, in either model, with entries missing and with views.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{Shape, generate};

    /// An S-curve in six features of different noise.
    fn sheet(gaps: bool) -> Matrix {
        let curve = generate(Shape::SCurve, 90, 0.0, 5);
        let noise = |i: usize, f: usize| ((i * 7919 + f * 104_729) % 1009) as f64 / 504.0 - 1.0;
        Matrix::from_fn(90, 6, |i, f| match gaps && (i * 5 + f * 3) % 17 == 0 {
            true => f64::NAN,
            false => curve.points[(i, f % 3)] + 0.03 * (1 + 4 * (f / 3)) as f64 * noise(i, f),
        })
    }

    #[test]
    fn no_turn_lowers_the_bound() {
        for (graph_likelihood, gaps, tied) in
            [(true, false, false), (false, false, false), (true, true, false), (true, false, true)]
        {
            let config = Config { graph_likelihood, connect: true, ..Config::default() };
            let prepared = Prepared::new(sheet(gaps).as_ref(), &config, None).unwrap();
            let group = if tied { vec![0, 0, 0, 1, 1, 1] } else { (0..6).collect() };
            let found = settle(&config, &prepared, group, &mut None).unwrap();
            assert!(found.bounds.len() > 2, "{:?}", found.bounds);
            assert!(found.bounds.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6), "{:?}", found.bounds);
            let scales = found.table.table.noise.unwrap();
            assert!((0..3).all(|f| scales[f + 3] > scales[f]), "{scales:?}");
            if tied {
                assert_eq!(scales[0], scales[2]);
            }
        }
    }
}
