//! How many neighbours data want: the number with which rows that were left out are likeliest.

use super::{Fitter, Watching};
use crate::config::{AUTO, Config, FeatureWeight, Init, Rule};
use crate::density::Density;
use crate::error::Result;
use crate::inference::{EngineKind, Stop, derived_seed};
use crate::linalg::{Matrix, View};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Numbers that are tried.
const LADDER: [usize; 6] = [5, 7, 10, 15, 20, 30];
/// Where edges or a radius make the graph, the number stands for little; this one does then.
const USUAL: usize = 9;
/// Rows from which the number is found; of more it is a sample.
const ENOUGH: usize = 500;
/// Parts of the rows, each held out in turn.
const PARTS: usize = 3;
/// Most iterations of a fit that is only tried.
const PROBE: usize = 12;
/// The weight of the features in such a fit.
const WEIGHT: f64 = 0.3;
/// A number that is worse than the best by so many standard errors after one part is not tried on the others.
const HOPELESS: f64 = 2.0;

/// How the number of neighbours was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NeighborsChoice {
    /// The number that was taken.
    pub taken: usize,
    /// Rows from which it was found.
    pub rows: usize,
    /// Those that were tried.
    pub tried: Vec<TriedNeighbors>,
}

/// A number of neighbours and how likely rows are with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedNeighbors {
    /// The number.
    pub n_neighbors: usize,
    /// Mean log-density of rows that were held out, in nats and in the units of the table.
    pub log_density: f64,
    /// How much less than with the number that was taken, on the same rows.
    pub behind: f64,
    /// Standard error of that difference.
    pub error: f64,
    /// Rows that were held out.
    pub rows: usize,
}

/// Whether the number of neighbours is left to the data.
pub(super) fn is_open(config: &Config) -> bool {
    config.n_neighbors == AUTO
}

/// Puts a number of neighbours in the place of `auto`, and says how it was found. Where the graph is not one of nearest
/// neighbours nothing is tried.
pub(crate) fn settle(
    values: View,
    config: &mut Config,
    given_graph: bool,
    observer: Option<&mut Watching<'_>>,
) -> Result<Option<NeighborsChoice>> {
    if !is_open(config) {
        return Ok(None);
    }
    let found = match given_graph || config.radius.is_some() {
        true => None,
        false => Some(find(values, config, observer)?),
    };
    config.n_neighbors = found.as_ref().map_or(USUAL, |found| found.taken).min(values.nrows().saturating_sub(1)).max(1);
    Ok(found)
}

/// The scores of held-out rows with one number of neighbours.
struct Candidate {
    n_neighbors: usize,
    scores: Vec<f64>,
    stands: bool,
}

fn find(values: View, config: &Config, mut observer: Option<&mut Watching<'_>>) -> Result<NeighborsChoice> {
    let n = values.nrows();
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(derived_seed(config.random_state, n)));
    order.truncate(ENOUGH);
    let rows = order.len();
    let kept = rows - rows.div_ceil(PARTS);
    let mut all: Vec<Candidate> = LADDER
        .iter()
        .filter(|&&k| 3 * k <= kept)
        .map(|&n_neighbors| Candidate { n_neighbors, scores: vec![], stands: true })
        .collect();
    if all.len() < 2 {
        return Ok(NeighborsChoice { taken: USUAL.min(n.saturating_sub(1)).max(1), rows, tried: vec![] });
    }
    for part in 0..PARTS {
        let split = |held: bool| -> Matrix {
            let some: Vec<usize> = (0..rows).filter(|r| (r % PARTS == part) == held).map(|r| order[r]).collect();
            Matrix::from_fn(some.len(), values.ncols(), |i, f| values[(some[i], f)])
        };
        let (kept, held) = (split(false), split(true));
        for candidate in all.iter_mut().filter(|candidate| candidate.stands) {
            let fitter = Fitter::new(settings(candidate.n_neighbors, values.ncols(), config));
            let fit = match &mut observer {
                Some(observer) => fitter.observer(&mut **observer),
                None => fitter,
            }
            .fit(&kept)?;
            candidate.scores.extend(Density::new(&fit)?.score(&held)?);
            // whoever ended it does not want to wait for the others
            if fit.stop == Stop::Interrupted {
                return Ok(choice(&all, rows));
            }
        }
        let found = choice(&all, rows);
        for (candidate, tried) in all.iter_mut().zip(&found.tried) {
            candidate.stands &= tried.behind <= HOPELESS * tried.error;
        }
    }
    Ok(choice(&all, rows))
}

/// The best of those that still stand, by the mean over the rows that all of these were tried on.
fn choice(all: &[Candidate], rows: usize) -> NeighborsChoice {
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    let most = all.iter().map(|candidate| candidate.scores.len()).max().unwrap_or(0);
    let whole = all.iter().filter(|candidate| candidate.scores.len() == most && most > 0);
    let best = whole.reduce(|best, other| if mean(&other.scores) > mean(&best.scores) { other } else { best });
    let Some(best) = best else { return NeighborsChoice { taken: USUAL, rows, tried: vec![] } };
    let tried = all.iter().filter(|candidate| !candidate.scores.is_empty()).map(|candidate| {
        let differences: Vec<f64> = best.scores.iter().zip(&candidate.scores).map(|(b, c)| b - c).collect();
        let behind = mean(&differences);
        let squares: f64 = differences.iter().map(|d| (d - behind).powi(2)).sum();
        let count = differences.len() as f64;
        TriedNeighbors {
            n_neighbors: candidate.n_neighbors,
            log_density: mean(&candidate.scores),
            behind,
            error: (squares / (count - 1.0).max(1.0) / count).sqrt(),
            rows: differences.len(),
        }
    });
    NeighborsChoice { taken: best.n_neighbors, rows, tried: tried.collect() }
}

/// The settings of the fits that find it: short ones of the quick engine.
fn settings(n_neighbors: usize, n_features: usize, config: &Config) -> Config {
    let n_components = if config.n_components == AUTO { 2.min(n_features) } else { config.n_components };
    Config {
        n_neighbors,
        n_components,
        connect: true,
        largest: false,
        graph_likelihood: true,
        feature_weight: FeatureWeight::Fixed(WEIGHT),
        engine: EngineKind::Factorised,
        init: Init::Isomap,
        n_init: 1,
        lambda: Rule::Learned,
        nu: Rule::Learned,
        full_covariance: false,
        draws: Some(0),
        max_iter: PROBE,
        ..config.clone()
    }
}
