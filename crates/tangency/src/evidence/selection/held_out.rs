//! Candidates by the density of rows that were held out: a judge who has not seen the rows, and to whom graphs are no data.

use super::candidates::among;
use super::{Candidate, Cell, CellFit, CellStop, GraphChoice, Selection};
use crate::config::{Config, FeatureWeight, Init};
use crate::density::{Density, Paired, mean};
use crate::error::{Error, Result};
use crate::fit::{Fit, Fitter, sample_rows, split_rows};
use crate::inference::{EngineKind, Stop};
use crate::linalg::View;
use crate::message::Remedy;
use crate::model::{MissingRule, kept_rows};
use serde::Serialize;

crate::choice! {
    /// What candidates are ranked by.
    pub enum Judge default Auto {
        /// By rows held out where several graphs are compared and there are rows enough, by the bound otherwise.
        Auto = "auto",
        /// By the density of rows that were held out.
        HeldOut = "held-out",
        /// By the bound on the evidence.
        Bound = "bound",
    }
}

/// Parts of the rows, each held out in turn.
pub(super) const PARTS: usize = 3;
/// Most iterations of a fit that rows are scored by.
const ITERATIONS: usize = 40;
/// A candidate that is behind the likeliest by so many standard errors gets no further part.
const HOPELESS: f64 = 3.0;
/// The weight of the features there, if none is asked for.
const WEIGHT: f64 = 0.3;
/// So many rows a part are asked for, and so many times the largest number of neighbours must be left.
const LEAST_ROWS: usize = 10;

/// How likely rows are by fits that have not seen them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// Mean log-density of a row, in nats and in the units of the table.
    pub mean: f64,
    /// Rows that were scored.
    pub rows: usize,
    /// How far it is behind the best on the rows that both scored.
    pub behind: f64,
    /// Standard error of that difference.
    pub error: f64,
    /// Whether it is within one standard error of the best.
    pub level: bool,
}

impl Selection {
    /// Ranks candidates by this.
    pub fn by(mut self, judge: Judge) -> Result<Self> {
        self.parts = match judge {
            Judge::Bound => 0,
            Judge::HeldOut => {
                self.check_parts()?;
                PARTS
            }
            Judge::Auto if self.choices.len() > 1 && self.check_parts().is_ok() => PARTS,
            Judge::Auto => 0,
        };
        Ok(self)
    }

    /// What the candidates are ranked by.
    pub fn judge(&self) -> Judge {
        if self.parts > 0 { Judge::HeldOut } else { Judge::Bound }
    }

    /// Whether there are rows enough to hold some out.
    fn check_parts(&self) -> Result<()> {
        let n = self.n();
        let kept = n - n.div_ceil(PARTS);
        let neighbors = self.choices.iter().filter_map(GraphChoice::n_neighbors).max().unwrap_or(1);
        let dimension = self.candidates.iter().map(|candidate| candidate.n_components).max().unwrap_or(1);
        if n / PARTS >= LEAST_ROWS && neighbors < kept && dimension < kept {
            return Ok(());
        }
        let but = format!("{kept} of the {n} rows would be left for fits with {neighbors} neighbours");
        Err(Error::setting("by", Judge::HeldOut, but, [Remedy::act("compare by the bound, or give more rows")]))
    }

    /// The fit of all rows but one part, with settings that find a layout quickly.
    pub(super) fn fit_without(&self, candidate: &Candidate, number: usize, part: usize) -> CellFit {
        let graph = self.graph(candidate);
        let asked = graph.config(&self.asked);
        let config = Config {
            n_components: candidate.n_components,
            engine: if asked.engine == EngineKind::Auto { EngineKind::Factorised } else { asked.engine },
            init: if asked.init == Init::Auto { Init::Isomap } else { asked.init },
            feature_weight: match asked.feature_weight {
                FeatureWeight::Auto | FeatureWeight::Polish => FeatureWeight::Fixed(WEIGHT),
                fixed => fixed,
            },
            n_init: 1,
            max_iter: asked.max_iter.min(ITERATIONS),
            full_covariance: false,
            // with fewer rows it may fall apart where the whole does not
            connect: true,
            ..asked
        };
        let edges = match graph {
            GraphChoice::Edges { edges, .. } => Some(edges.clone()),
            GraphChoice::Neighbors { .. } | GraphChoice::Radius(_) => None,
        };
        CellFit { candidate: number, config, edges, part: Some(part), views: self.views.clone() }
    }
}

/// Scores of the rows of a part, by a fit of all others.
pub(super) fn score_part(
    values: View,
    config: &Config,
    edges: Option<&[(u32, u32)]>,
    part: usize,
    fitter: Fitter,
) -> Result<(Fit, Vec<f64>)> {
    let mut order = sample_rows(values.nrows(), values.nrows(), config);
    if config.missing == MissingRule::Drop {
        order.retain(|&row| values.row(row).iter().all(|value| !value.is_nan()));
    }
    let (mut kept, mut held) = split_rows(&order, part, PARTS);
    kept.sort_unstable();
    held.sort_unstable();
    let fitter = match edges {
        Some(edges) => fitter.edges(among(edges, &kept)),
        None => fitter,
    };
    let fit = fitter.unmeasured().fit(&kept_rows(values, &kept))?;
    let scores =
        if fit.stop == Stop::Interrupted { vec![] } else { Density::new(&fit)?.score(&kept_rows(values, &held))? };
    Ok((fit, scores))
}

/// The scores of each candidate: of its parts in their order, up to the first that has none.
pub(super) fn scores(cells: &[&Cell]) -> Vec<f64> {
    let of_part = |part: usize| cells.iter().find(|cell| cell.part == Some(part));
    let scored = (0..PARTS)
        .map_while(|part| of_part(part).filter(|cell| cell.stop != CellStop::Raced && !cell.scores.is_empty()));
    scored.flat_map(|cell| cell.scores.iter().copied()).collect()
}

/// Which candidates are not worth another part: those clearly behind the best on the rows that both have scored, and those
/// without scores where others have some.
pub(super) fn hopeless(scores: &[Vec<f64>], parts_done: &[usize]) -> Vec<bool> {
    let Some(best) = best(scores) else { return vec![false; scores.len()] };
    let given_up = |c: usize| scores[c].is_empty() && parts_done[c] > 0;
    (0..scores.len()).map(|c| given_up(c) || Paired::new(&scores[c], &scores[best]).is_behind(HOPELESS)).collect()
}

/// The candidate whose mean is highest on the rows that it has in common with each other one: of those with the most rows.
fn best(scores: &[Vec<f64>]) -> Option<usize> {
    let most = scores.iter().map(Vec::len).max().filter(|&most| most > 0)?;
    let whole = (0..scores.len()).filter(|&c| scores[c].len() == most);
    whole.reduce(|best, other| if mean(&scores[other]) > mean(&scores[best]) { other } else { best })
}

/// What the scores say of each candidate, and which is taken: of those within one standard error of the best the one with the
/// fewest dimensions, of several such the likeliest.
pub(super) fn judged(scores: &[Vec<f64>], dimensions: &[usize]) -> (Vec<Option<HeldOut>>, Option<usize>) {
    let Some(best) = best(scores) else { return (vec![None; scores.len()], None) };
    let of = |c: usize| {
        let paired = Paired::new(&scores[c], &scores[best]);
        let level = scores[c].len() == scores[best].len() && paired.is_level();
        let (behind, error) = (paired.behind, paired.error);
        (!scores[c].is_empty()).then(|| HeldOut { mean: mean(&scores[c]), rows: scores[c].len(), behind, error, level })
    };
    let all: Vec<Option<HeldOut>> = (0..scores.len()).map(of).collect();
    let level = (0..all.len()).filter_map(|c| all[c].filter(|held| held.level).map(|held| (c, held.mean)));
    let taken = level.reduce(|taken, other| {
        let simpler = dimensions[other.0].cmp(&dimensions[taken.0]).then(taken.1.total_cmp(&other.1));
        if simpler.is_lt() { other } else { taken }
    });
    (all, taken.map(|(c, _)| c))
}
