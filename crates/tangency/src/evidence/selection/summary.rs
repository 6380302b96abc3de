//! What the cells say: each candidate's bound over its seeds, its density of rows held out, and how far it is behind the best.

use super::held_out::{HeldOut, judged, scores};
use super::racing::{deviation, mean};
use super::{Cell, CellStop, Selection};
use serde::Serialize;

/// A candidate's bound over its seeds. Collapsed fits are counted but not averaged: they are no evidence for a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateSummary {
    /// Which candidate.
    pub candidate: usize,
    /// Mean bound, in the units of the table; none if no fit has one that counts.
    pub mean: Option<f64>,
    /// Standard deviation of the bound over seeds; none for fewer than two.
    pub deviation: Option<f64>,
    /// Seeds whose bound counts.
    pub count: usize,
    /// Of these, fits that did not converge.
    pub not_converged: usize,
    /// Fits that collapsed.
    pub collapsed: usize,
    /// Fits that ended in an error.
    pub failed: usize,
    /// Seeds that were not fitted because the candidate was hopeless.
    pub raced: usize,
    /// How far the mean is behind that of the best bound; none for a candidate without a mean.
    pub behind: Option<Distance>,
    /// How likely rows are that were held out, where some were.
    pub held_out: Option<HeldOut>,
}

/// How far a candidate is behind the best one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Difference of the mean bounds, in nats.
    pub nats: f64,
    /// The same in standard deviations of that difference, by the spread over seeds that both share; none where the
    /// seeds of both agree exactly or there are too few.
    pub spreads: Option<f64>,
}

/// All candidates, the best first; those that cannot be ranked last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking(pub Vec<CandidateSummary>);

impl Ranking {
    /// The best candidate, if any has what they are ranked by.
    pub fn best(&self) -> Option<&CandidateSummary> {
        self.0.first().filter(|summary| summary.mean.is_some() || summary.held_out.is_some())
    }
}

impl Selection {
    /// Ranks the candidates: by rows held out, if some were, otherwise by their mean bounds.
    pub fn ranking(&self, cells: &[Cell]) -> Ranking {
        let mut of_candidate = vec![Vec::new(); self.candidates.len()];
        for cell in cells {
            of_candidate[cell.candidate].push(cell);
        }
        let by_bound =
            ranked(of_candidate.iter().enumerate().map(|(candidate, cells)| summarise(candidate, cells)).collect());
        if self.parts == 0 {
            return by_bound;
        }
        let scores: Vec<Vec<f64>> = of_candidate.iter().map(|cells| scores(cells)).collect();
        let dimensions: Vec<usize> = self.candidates.iter().map(|candidate| candidate.n_components).collect();
        let (held_out, taken) = judged(&scores, &dimensions);
        let mut summaries = by_bound.0;
        for summary in &mut summaries {
            summary.held_out = held_out[summary.candidate];
        }
        // those with more rows were not given up, and come first
        let key = |summary: &CandidateSummary| {
            let held = summary.held_out;
            (
                Some(summary.candidate) != taken,
                held.map_or(0, |held| held.rows),
                held.map_or(f64::INFINITY, |h| h.behind),
            )
        };
        summaries.sort_by(|a, b| {
            let ((a_taken, a_rows, a_behind), (b_taken, b_rows, b_behind)) = (key(a), key(b));
            a_taken.cmp(&b_taken).then(b_rows.cmp(&a_rows)).then(a_behind.total_cmp(&b_behind))
        });
        Ranking(summaries)
    }
}

pub(super) fn summarise(candidate: usize, cells: &[&Cell]) -> CandidateSummary {
    let bounds: Vec<f64> = cells.iter().filter_map(|cell| cell.evidence()).collect();
    let of_all_rows = || cells.iter().filter(|cell| cell.part.is_none());
    let stopped = |stop: CellStop| of_all_rows().filter(|cell| cell.stop == stop).count();
    CandidateSummary {
        candidate,
        mean: mean(&bounds),
        deviation: deviation(&bounds),
        count: bounds.len(),
        not_converged: stopped(CellStop::MaxIterations),
        collapsed: stopped(CellStop::Collapsed),
        failed: stopped(CellStop::Failed),
        raced: stopped(CellStop::Raced),
        behind: None,
        held_out: None,
    }
}

/// Sorts, and adds the distances to the first.
pub(super) fn ranked(mut summaries: Vec<CandidateSummary>) -> Ranking {
    let key = |summary: &CandidateSummary| summary.mean.unwrap_or(f64::NEG_INFINITY);
    // a stable sort: candidates of one bound stay in their order
    summaries.sort_by(|a, b| key(b).total_cmp(&key(a)));
    let best = summaries.first().cloned();
    for summary in &mut summaries {
        summary.behind = best.as_ref().and_then(|best| distance(best, summary));
    }
    Ranking(summaries)
}

/// The difference of two means, and what it is in units of its standard deviation √(s²/n₁ + s²/n₂) with the pooled
/// variance s², so that a candidate of one seed is measured by the spread of the other.
fn distance(best: &CandidateSummary, other: &CandidateSummary) -> Option<Distance> {
    let nats = best.mean? - other.mean?;
    let freedom = |summary: &CandidateSummary| summary.count.saturating_sub(1) as f64;
    let squares = |summary: &CandidateSummary| summary.deviation.unwrap_or(0.0).powi(2) * freedom(summary);
    let variance = (squares(best) + squares(other)) / (freedom(best) + freedom(other));
    let deviation = (variance * (1.0 / best.count as f64 + 1.0 / other.count as f64)).sqrt();
    let spreads = (best.candidate != other.candidate && deviation > 0.0).then(|| nats / deviation);
    Some(Distance { nats, spreads })
}
