//! Features with a noise of their own: their scales and the layout, each found given the other.

use super::gaps::layout;
use super::{Fit, Fitter, Watching, probe};
use crate::config::{Config, FeatureWeight};
use crate::error::Result;
use crate::inference::factorised::{Beliefs, Factorised};
use crate::inference::{EngineKind, Start, Stop, Updates};
use crate::linalg::Matrix;
use crate::model::{FeatureNoise, Hyperparameters, MapPrior, NoiseScales, Prepared, Problem, TableView, check_views, flow, losses};

/// Most times that scales are found anew.
const TURNS: usize = 8;
/// They are found when none moves by more than this share.
const SETTLED: f64 = 0.03;
/// Most iterations between.
const ITERATIONS: usize = 15;

/// The table with the scales that the settings ask for, and whether somebody ended the search for them; none where there is
/// nothing to be found.
pub(super) fn table(fitter: &mut Fitter, prepared: &Prepared) -> Result<Option<(Prepared, bool)>> {
    if let Some(given) = fitter.noise.take() {
        return Ok(given.map(|scales| (prepared.with_noise(&scales), false)));
    }
    check_views(&fitter.views, prepared.n_features())?;
    let rule = fitter.config.feature_noise;
    let Some(group) = groups(rule, &fitter.views, prepared.n_features()).filter(|_| fitter.settles_gaps) else {
        return Ok(None);
    };
    let mut observer = fitter.observer.as_deref_mut().map(|observer| observer as &mut Watching<'_>);
    settle(&fitter.config, prepared, group, &mut observer).map(Some)
}

/// Which features share a scale; none where all do.
pub(super) fn groups(rule: FeatureNoise, views: &[TableView], d_y: usize) -> Option<Vec<usize>> {
    match rule {
        FeatureNoise::Own => Some((0..d_y).collect()),
        _ if views.is_empty() => None,
        _ => {
            let of = |f: usize| views.iter().position(|view| view.features.contains(&f)).unwrap_or(views.len());
            Some((0..d_y).map(of).collect())
        }
    }
}

/// The table with scales for the noise of features that stay where they are when the layout is found again, and whether
/// somebody ended the search.
pub(super) fn settle(
    config: &Config,
    prepared: &Prepared,
    group: Vec<usize>,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<(Prepared, bool)> {
    let turns = Turns::new(config, prepared, group)?;
    let (found, stopped) = turns.run(observer)?;
    Ok((Prepared { n_rows: prepared.n_rows, rows: prepared.rows.clone(), ..found }, stopped))
}

struct Turns {
    quick: Config,
    scales: NoiseScales,
    table: Prepared,
}

impl Turns {
    fn new(config: &Config, prepared: &Prepared, group: Vec<usize>) -> Result<Self> {
        let quick = Config { engine: EngineKind::Factorised, draws: Some(0), full_covariance: false, ..config.clone() };
        // a table of its points alone, so that layouts of them are starts
        let table = Prepared { n_rows: prepared.n(), rows: (0..prepared.n()).collect(), ..prepared.clone() };
        let mut measured = vec![prepared.n() as f64; prepared.n_features()];
        for (_, f) in prepared.missing.iter().flat_map(|entries| entries.pairs()) {
            measured[f as usize] -= 1.0;
        }
        let scales = NoiseScales::new(table.points(), measured, group);
        Ok(Self { quick, scales, table })
    }

    /// Turns of both, until scales stay or the bound no longer rises.
    fn run(self, observer: &mut Option<&mut Watching<'_>>) -> Result<(Prepared, bool)> {
        let Self { quick, mut scales, mut table } = self;
        let filling = table.missing.as_ref().map(|entries| entries.on(table.graph())).transpose()?;
        let mut found = probe::fit_prepared(quick.clone(), &table, observer)?;
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
            let start = rescaled(&found, &scales, &next, common);
            let again = probe::again(warm(&quick, &found), &scaled, start, observer)?;
            // each turn can only raise the bound; one that the run has lost on its way is not taken
            if objective(&again) < objective(&found) && filling.is_none() {
                break;
            }
            let features = found.features.clone();
            (scales, table, found) = (next, scaled, again);
            found.features = features;
            if moved < SETTLED {
                break;
            }
        }
        Ok((table, found.stop == Stop::Interrupted))
    }
}

/// The bound in the units of the table; under a weight of the features what is weighted is their density in these units.
fn objective(fit: &Fit) -> f64 {
    let weight = fit.graph_model.as_ref().map_or(1.0, |graph| graph.feature_weight);
    fit.bound_scaled() - weight * fit.log_jacobian()
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
    start.maps = Matrix::from_fn(start.maps.nrows(), start.maps.ncols(), |f, p| start.maps[(f, p)] * ratio(f));
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
    pub(crate) fn noise(mut self, scales: Option<std::sync::Arc<Vec<f64>>>) -> Self {
        self.noise = Some(scales);
        self
    }
}
