//! How many neighbours data want: the smallest number with which rows that were held out are as likely as with any.
//!
//! Isomap lays a graph out, a few iterations fit maps to it, and these score the rows. A graph with short-circuits folds its
//! layout, where smooth maps expect nothing that is there; maps by regression on neighbours alone would not notice.

use super::{Watching, probe};
use crate::config::{AUTO, Config};
use crate::density::{Density, Paired, mean};
use crate::error::Result;
use crate::inference::Stop;
use crate::linalg::{Matrix, View};
use crate::model::{Prepared, settled_scaling};
use serde::{Deserialize, Serialize};

/// Numbers that are tried.
const LADDER: [usize; 6] = [5, 7, 10, 15, 20, 30];
/// Where edges or a radius make the graph, the number stands for little; this one does then.
const USUAL: usize = 9;
/// Rows from which the number is found; of more it is a sample.
const ENOUGH: usize = 500;
/// So many rows without gaps are enough to look at these alone.
const WHOLE_ROWS: usize = 150;
/// Parts of the rows, each held out in turn.
const PARTS: usize = 3;
/// Iterations in which the coordinates move, after maps have been fitted to them.
const CLIMB: usize = 8;
/// The weight of the features meanwhile.
const WEIGHT: f64 = 0.3;
/// Above so many features maps are those along the principal axes of most of the variance.
const MANY: usize = 16;
const MOST_OF_VARIANCE: f64 = 0.9;
/// A number that is behind the likeliest by so many standard errors after one part is not tried on the others.
const HOPELESS: f64 = 2.0;
/// So many numbers one after the other that are clearly worse than a smaller one end the way up the ladder.
const FALLING: usize = 2;

/// How the number of neighbours was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NeighborsChoice {
    /// The number that was taken: the smallest within one standard error of the likeliest.
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
    /// How much less than with the likeliest number, on the same rows.
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
    let mut order = probe::sample(n, n, config);
    // rows that lack entries are scored by the others; whole ones say more, if there are some
    let is_whole = |&row: &usize| values.row(row).iter().all(|value| !value.is_nan());
    let has_gaps = order.iter().filter(|row| is_whole(row)).count() < WHOLE_ROWS && !order.iter().all(is_whole);
    if !has_gaps {
        order.retain(is_whole);
    }
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
    let n_components = if config.n_components == AUTO { 2.min(values.ncols()) } else { config.n_components };
    // as all rows want it, not those that are tried
    let scaling = settled_scaling(values, config.scaling).0;
    let pca =
        if values.ncols() > MANY && !has_gaps && config.pca.is_none() { Some(MOST_OF_VARIANCE) } else { config.pca };
    let short = probe::settings(config, WEIGHT, config.max_iter);
    let short = Config { n_components, scaling, pca, connect: true, largest: false, ..short };
    let mut found = NeighborsChoice::default();
    let most = PARTS * all.len();
    for part in 0..PARTS {
        let (kept, held) = probe::split(&order, part, PARTS);
        let of = |some: Vec<usize>| Matrix::from_fn(some.len(), values.ncols(), |i, f| values[(some[i], f)]);
        let (kept, held) = (of(kept), of(held));
        for tried in 0..all.len() {
            if !all[tried].stands {
                continue;
            }
            let config = Config { n_neighbors: all[tried].n_neighbors, ..short.clone() };
            let number = (part * all.len() + tried + 1, most);
            let glimpse = Prepared::new(kept.as_ref(), &config, None)
                .and_then(|prepared| probe::glimpse(&config, &prepared, CLIMB, number, &mut observer));
            let fit = match glimpse {
                // a part of a table with gaps may have a feature that nobody has
                Err(_) if has_gaps => return Ok(NeighborsChoice { taken: USUAL, rows, tried: vec![] }),
                fit => fit?,
            };
            all[tried].scores.extend(Density::new(&fit)?.score(&held)?);
            // whoever ended it does not want to wait for the others
            if fit.stop == Stop::Interrupted {
                return Ok(choose(&mut all, rows));
            }
            if part == 0 && is_falling(&all[..=tried]) {
                all[tried + 1..].iter_mut().for_each(|candidate| candidate.stands = false);
            }
        }
        found = choose(&mut all, rows);
    }
    Ok(found)
}

/// Whether the last of these are all clearly worse than the best before them.
fn is_falling(tried: &[Candidate]) -> bool {
    let Some(before) = tried.len().checked_sub(FALLING).filter(|&before| before > 0) else { return false };
    let best = (0..before).max_by(|&a, &b| mean(&tried[a].scores).total_cmp(&mean(&tried[b].scores)));
    best.is_some_and(|best| {
        tried[before..].iter().all(|last| Paired::new(&last.scores, &tried[best].scores).is_behind(HOPELESS))
    })
}

/// The smallest within one standard error of the likeliest of those that still stand, by the rows that all of these were tried
/// on; the usual number if one of them was not tried at all. Those that do so badly on these rows that others need not be tried stand no more.
fn choose(all: &mut [Candidate], rows: usize) -> NeighborsChoice {
    let standing = || all.iter().filter(|candidate| candidate.stands);
    let common = standing().map(|candidate| candidate.scores.len()).min().unwrap_or(0);
    let by_common = |candidate: &Candidate| mean(&candidate.scores[..common]);
    let best = standing().reduce(|best, other| if by_common(other) > by_common(best) { other } else { best });
    let Some(best) = best.filter(|_| common > 0) else {
        return NeighborsChoice { taken: USUAL, rows, tried: vec![] };
    };
    let paired: Vec<Paired> = all.iter().map(|candidate| Paired::new(&candidate.scores, &best.scores)).collect();
    let level = all.iter().zip(&paired).find(|(candidate, paired)| {
        candidate.stands && candidate.scores.len() == best.scores.len() && paired.is_level()
    });
    let taken = level.map_or(best.n_neighbors, |(candidate, _)| candidate.n_neighbors);
    let tried = all.iter().zip(&paired).filter(|(candidate, _)| !candidate.scores.is_empty());
    let tried = tried.map(|(candidate, paired)| TriedNeighbors {
        n_neighbors: candidate.n_neighbors,
        log_density: mean(&candidate.scores),
        behind: paired.behind,
        error: paired.error,
        rows: paired.rows,
    });
    let choice = NeighborsChoice { taken, rows, tried: tried.collect() };
    for (candidate, paired) in all.iter_mut().zip(&paired) {
        candidate.stands &= !paired.is_behind(HOPELESS);
    }
    choice
}
