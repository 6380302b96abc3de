//! What several experiments share: grids of fits, methods with settings of their own, cells of tables.

use crate::PEAK;
use std::ops::ControlFlow;
use tangency::compare::{Comparison, Entrant, Meter, Trial};
use tangency::config::FeatureWeight;
use tangency::evidence::{Cell, GraphChoice, Judge, Selection};
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Result, Stop, Symmetry};
use tangency_report::{Figure, FigureError, Multiple, Point, Series, curves};

/// A number with so many digits.
pub fn digits(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.places$}"))
}

/// Words as a row of a table.
pub fn row<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// The models that are fitted side by side: their names, and whether the graph has a likelihood of its own.
pub const MODELS: [(&str, bool); 2] = [("the paper's model", false), ("default model", true)];

/// The plain model with the graph's likelihood. Only at one weight of the features do its bounds compare, and only on one graph.
pub fn weight_one(config: &Config) -> Config {
    Config { graph_likelihood: true, feature_weight: FeatureWeight::Fixed(1.0), ..config.clone() }
}

/// The weight of the features that a fit took, in words; empty for the paper's model alone.
pub fn weight_taken(fit: &Fit) -> String {
    let words = fit.features.as_ref().map(|choice| match choice.weight() {
        Some(weight) => weight.to_string(),
        None => "polished by the paper's model".to_owned(),
    });
    words.unwrap_or_default()
}

/// The bound against k: its mean and spread over seeds.
pub struct Ladder {
    /// k, mean, standard deviation, fits that count, and those of them that had not converged.
    pub steps: Vec<(usize, f64, f64, usize, usize)>,
}

impl Ladder {
    /// Fits every k with every seed.
    pub fn climb(
        points: &Matrix,
        config: &Config,
        neighbors: std::ops::RangeInclusive<usize>,
        seeds: usize,
    ) -> Result<Self> {
        let graphs =
            neighbors.clone().map(|n_neighbors| GraphChoice::Neighbors { n_neighbors, symmetry: Symmetry::Or });
        let selection = Selection::new(points, config.clone(), graphs.collect(), vec![config.n_components])?
            .by(Judge::Bound)?
            .seeds(seeds)?
            .all();
        let mut done: Vec<Cell> = Vec::new();
        let selected = selection.run(&[], &|| false, |cell| {
            done.push(cell.clone());
            eprint!("\r{} of {} fits", done.len(), selection.n_fits());
            ControlFlow::Continue(())
        })?;
        eprintln!();
        let steps = selection.ranking(&selected.cells).0.into_iter().filter_map(|summary| {
            let k = selection.graph(&selection.candidates()[summary.candidate]).n_neighbors()?;
            Some((k, summary.mean?, summary.deviation.unwrap_or(0.0), summary.count, summary.not_converged))
        });
        let mut steps: Vec<_> = steps.collect();
        steps.sort_by_key(|step| step.0);
        Ok(Self { steps })
    }

    /// Fits every k once under the graph's likelihood, with weight 1 of the features. Grids of the library do not do this: to
    /// its own likelihood the graph is data.
    pub fn climb_on_graphs(
        points: &Matrix,
        config: &Config,
        neighbors: std::ops::RangeInclusive<usize>,
    ) -> Result<Self> {
        let steps = neighbors.map(|n_neighbors| {
            eprintln!("graph's likelihood, k = {n_neighbors}");
            let config = Config { n_neighbors, connect: true, draws: Some(0), ..weight_one(config) };
            let fit = Fitter::new(config).fit(points)?;
            Ok((n_neighbors, fit.bound(), 0.0, 1, usize::from(fit.stop != Stop::Converged)))
        });
        Ok(Self { steps: steps.collect::<Result<_>>()? })
    }

    /// The k with the highest mean.
    pub fn best(&self) -> Option<(usize, f64)> {
        self.steps.iter().map(|step| (step.0, step.1)).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// As a table.
    pub fn table(&self) -> Vec<Vec<String>> {
        let head = row(["k", "bound (nats)", "spread over seeds", "fits", "of them not converged"]);
        let rows = self.steps.iter().map(|(k, mean, spread, count, open)| {
            vec![k.to_string(), format!("{mean:.1}"), format!("{spread:.1}"), count.to_string(), open.to_string()]
        });
        std::iter::once(head).chain(rows).collect()
    }

    /// As a series of a figure.
    pub fn series(&self, name: &str) -> Series {
        let point = |&(k, mean, spread, _, open): &(usize, f64, f64, usize, usize)| Point {
            x: k as f64,
            mean,
            spread,
            marker: (open > 0).then(|| "not all converged".to_owned()),
        };
        Series { name: name.to_owned(), points: self.steps.iter().map(point).collect() }
    }

    /// As a figure.
    pub fn figure(&self, title: &str) -> std::result::Result<Figure, FigureError> {
        let best = self.best().map(|(k, bound)| (k as f64, bound));
        curves(&[self.series("mean over seeds")], "neighbours k", "bound (nats)", title, best)
    }
}

/// Runs entrants on a table, each with its own k.
pub fn run_each(
    points: &Matrix,
    truth: Option<&Matrix>,
    labels: Option<&[String]>,
    entrants: &[(Entrant, Config)],
) -> Result<(Option<Comparison>, Vec<Trial>)> {
    let mut trials = Vec::new();
    let mut first = None;
    let mut shared: Vec<(Config, Comparison)> = Vec::new();
    for (entrant, config) in entrants {
        eprintln!("{entrant}, k = {}", config.n_neighbors);
        let place = match shared.iter().position(|(known, _)| known == config) {
            Some(place) => place,
            None => {
                let labels = labels.map(<[String]>::to_vec);
                let mut made = Comparison::new(points.as_ref(), config.clone(), None, truth.cloned(), labels)?;
                made.meter = Some(Meter {
                    reset: || PEAK.reset_peak_usage(),
                    now: || PEAK.current_usage() as u64,
                    peak: || PEAK.peak_usage() as u64,
                });
                shared.push((config.clone(), made));
                shared.len() - 1
            }
        };
        let mut trial = shared[place].1.run(*entrant, &mut |_, _| ControlFlow::Continue(()));
        if !matches!(entrant, Entrant::Peer(_)) {
            let model = MODELS.iter().find(|model| model.1 == config.graph_likelihood).map_or("", |model| model.0);
            trial.settings = format!("{model}, {}", trial.settings);
        }
        trials.push(trial);
        first.get_or_insert(place);
    }
    Ok((first.map(|place| shared.swap_remove(place).1), trials))
}

/// Panels of trials, with the settings in their names; what stands before them stays as it is.
pub fn with_settings(mut panels: Vec<Multiple>, trials: &[Trial]) -> Vec<Multiple> {
    for (panel, trial) in panels.iter_mut().rev().zip(trials.iter().rev()) {
        panel.name = format!("{} {}", trial.entrant, trial.settings).trim().to_owned();
    }
    panels
}
