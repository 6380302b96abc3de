//! What a selection says, in words, as a table and as JSON.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use tangency::evidence::{CandidateSummary, Cell, CellStop, GraphChoice, Ranking, Selection};

/// Rows of the ranking that are said; the table has all.
const SHOWN: usize = 10;
/// Closer than this to the best, in nats and in spreads, is no clear difference.
const NATS: f64 = 1.0;
const SPREADS: f64 = 2.0;

/// The cells of a selection and their ranking.
pub struct Verdict<'a> {
    selection: &'a Selection,
    cells: &'a [Cell],
    ranking: Ranking,
}

/// A candidate in few words: `knn 6, d = 2`.
pub fn name(selection: &Selection, candidate: usize) -> String {
    let candidate = &selection.candidates()[candidate];
    format!("{}, d = {}", selection.graph(candidate), candidate.n_components)
}

/// How many fits there will be.
pub fn at_most(selection: &Selection, all: bool) -> String {
    if all { selection.n_fits().to_string() } else { format!("at most {}", selection.n_fits()) }
}

/// Header and rows of the table, one row a fit.
pub fn table(selection: &Selection, cells: &[Cell]) -> (Vec<String>, Vec<Vec<String>>) {
    let header =
        ["n_neighbors", "n_components", "seed", "pieces", "bound", "bound_per_point", "n_iter", "stop", "graph"];
    let text = |value: Option<String>| value.unwrap_or_default();
    let row = |cell: &Cell| {
        let candidate = &selection.candidates()[cell.candidate];
        let graph = selection.graph(candidate);
        vec![
            text(graph.n_neighbors().map(|k| k.to_string())),
            candidate.n_components.to_string(),
            text(cell.seed.map(|seed| seed.to_string())),
            candidate.pieces.to_string(),
            text(cell.bound.map(|bound| bound.to_string())),
            text(cell.bound.map(|bound| (bound / selection.n() as f64).to_string())),
            text(cell.n_iter.map(|count| count.to_string())),
            cell.stop.to_string(),
            graph.family(),
        ]
    };
    (header.map(str::to_owned).to_vec(), cells.iter().map(row).collect())
}

impl<'a> Verdict<'a> {
    pub fn new(selection: &'a Selection, cells: &'a [Cell]) -> Self {
        Self { selection, cells, ranking: selection.ranking(cells) }
    }

    /// The best candidate.
    pub fn best(&self) -> Option<&CandidateSummary> {
        self.ranking.best()
    }

    /// The summary of a candidate.
    pub fn of(&self, candidate: usize) -> Option<&CandidateSummary> {
        self.ranking.0.iter().find(|summary| summary.candidate == candidate)
    }

    fn count(&self, stop: CellStop) -> usize {
        self.cells.iter().filter(|cell| cell.stop == stop).count()
    }

    fn per_point(&self, bound: f64) -> f64 {
        bound / self.selection.n() as f64
    }

    /// What a person wants to know.
    pub fn lines(&self, all: bool) -> Vec<String> {
        let selection = self.selection;
        let fits = self.cells.iter().filter(|cell| cell.n_iter.is_some() || cell.stop == CellStop::Failed).count();
        let mut lines = vec![format!(
            "{} points, {} candidates, {fits} fits{}",
            selection.n(),
            selection.candidates().len(),
            if all { "" } else { " (hopeless ones stop early; --all fits every seed)" }
        )];
        if let Some(best) = self.best() {
            let mean = best.mean.unwrap_or(f64::NAN);
            lines.push(format!(
                "best: {}: bound {mean:.3} nats{}, {:.4} a point",
                name(selection, best.candidate),
                over_seeds(best),
                self.per_point(mean)
            ));
            lines.extend(self.ranking_lines());
            lines.extend(self.close(best));
        }
        lines.extend(self.in_pieces());
        lines.extend(self.stopped_early());
        lines
    }

    fn ranking_lines(&self) -> Vec<String> {
        let shown: Vec<&CandidateSummary> =
            self.ranking.0.iter().filter(|summary| summary.mean.is_some()).take(SHOWN).collect();
        let graph = |summary: &CandidateSummary| {
            self.selection.graph(&self.selection.candidates()[summary.candidate]).to_string()
        };
        let width = shown.iter().map(|summary| graph(summary).chars().count()).max().unwrap_or(0).max(5);
        let mut lines = vec![format!(
            "  {:width$}  {:>2}  {:>12}  {:>9}  {:>9}  {:>11}  {:>8}  {:>5}",
            "graph", "d", "bound", "±", "a point", "behind", "spreads", "seeds"
        )];
        for summary in shown {
            let mean = summary.mean.unwrap_or(f64::NAN);
            let behind = summary.behind.as_ref();
            let first = behind.is_none_or(|behind| behind.nats == 0.0);
            lines.push(format!(
                "  {:width$}  {:>2}  {mean:>12.3}  {:>9}  {:>9.4}  {:>11}  {:>8}  {:>5}",
                graph(summary),
                self.selection.candidates()[summary.candidate].n_components,
                summary.deviation.map_or("–".to_owned(), |deviation| format!("{deviation:.3}")),
                self.per_point(mean),
                if first { String::new() } else { behind.map_or(String::new(), |b| format!("{:.3}", b.nats)) },
                match behind.and_then(|behind| behind.spreads) {
                    Some(spreads) if spreads >= 1e4 => ">9999".to_owned(),
                    Some(spreads) => format!("{spreads:.1}"),
                    None if first => String::new(),
                    None => "–".to_owned(),
                },
                summary.count,
            ));
        }
        lines
    }

    /// Whether the best is clearly the best.
    fn close(&self, best: &CandidateSummary) -> Option<String> {
        let near = |summary: &&CandidateSummary| {
            summary.candidate != best.candidate
                && summary.behind.is_some_and(|b| b.nats < NATS || b.spreads.is_some_and(|spreads| spreads < SPREADS))
        };
        let close: Vec<String> =
            self.ranking.0.iter().filter(near).map(|summary| name(self.selection, summary.candidate)).collect();
        let exact = best.deviation == Some(0.0);
        match close.len() {
            0 if exact => Some("the seeds of the best agree exactly".to_owned()),
            0 => None,
            1 => Some(format!("{} is within {NATS} nat or {SPREADS} spreads: take the two as equal", close[0])),
            count => Some(format!(
                "{count} others are within {NATS} nat or {SPREADS} spreads ({}{}): take them as equal",
                close[..close.len().min(3)].join("; "),
                if count > 3 { "; …" } else { "" }
            )),
        }
    }

    fn in_pieces(&self) -> Option<String> {
        let apart: BTreeSet<usize> = self
            .cells
            .iter()
            .filter(|cell| cell.stop == CellStop::Disconnected)
            .map(|cell| self.selection.candidates()[cell.candidate].graph)
            .collect();
        let listed: Vec<String> = apart
            .iter()
            .filter_map(|&graph| self.selection.candidates().iter().find(|candidate| candidate.graph == graph))
            .map(|candidate| format!("{} ({} pieces)", self.selection.graph(candidate), candidate.pieces))
            .collect();
        (!listed.is_empty()).then(|| format!("not fitted, in pieces: {}; --connect joins them", listed.join(", ")))
    }

    fn stopped_early(&self) -> Option<String> {
        let candidates = self.ranking.0.iter().filter(|summary| summary.raced > 0).count();
        (candidates > 0).then(|| {
            format!(
                "{candidates} candidates were too far behind and stopped early, which saved {} fits",
                self.count(CellStop::Raced)
            )
        })
    }

    /// What a person should know before trusting it.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let (late, collapsed) = (self.count(CellStop::MaxIterations), self.count(CellStop::Collapsed));
        if late > 0 {
            warnings
                .push(format!("{late} fits did not converge and their bounds are too low; give a larger --max-iter"));
        }
        if collapsed > 0 {
            warnings.push(format!("{collapsed} fits collapsed; their bounds do not count"));
        }
        let failed: Vec<&Cell> = self.cells.iter().filter(|cell| cell.stop == CellStop::Failed).collect();
        if let Some(first) = failed.first() {
            warnings.push(format!(
                "{} fits failed, the first at {}: {}",
                failed.len(),
                name(self.selection, first.candidate),
                first.message.as_deref().unwrap_or_default()
            ));
        }
        match self.best() {
            Some(best) => {
                warnings.extend(self.noise_wins(best));
                warnings.extend(self.at_the_end(best));
            }
            None => warnings.push("no candidate has a bound; try wider graphs, --connect or another --init".to_owned()),
        }
        warnings
    }

    /// Whether, on the graph of the best, a fit that explains all as noise has the higher bound.
    fn noise_wins(&self, best: &CandidateSummary) -> Option<String> {
        let graph = |candidate: usize| self.selection.candidates()[candidate].graph;
        let collapsed = self.cells.iter().filter(|cell| cell.stop == CellStop::Collapsed);
        let of_noise = collapsed.filter(|cell| graph(cell.candidate) == graph(best.candidate));
        let highest = of_noise.filter_map(|cell| cell.bound).fold(f64::NEG_INFINITY, f64::max);
        best.mean.filter(|&mean| highest > mean).map(|mean| {
            format!(
                "on the best graph a collapsed fit, which explains the table as noise, has a bound {:.1} nats higher: \
                 there is no evidence for a manifold; more points or less noise would be needed",
                highest - mean
            )
        })
    }

    /// Whether the grid ends where its best is, so that better may lie outside.
    fn at_the_end(&self, best: &CandidateSummary) -> Vec<String> {
        let selection = self.selection;
        let best = &selection.candidates()[best.candidate];
        let family = selection.graph(best).family();
        let ks = || {
            let of_family = selection.candidates().iter().map(|candidate| selection.graph(candidate));
            of_family.filter(|graph| graph.family() == family).filter_map(GraphChoice::n_neighbors)
        };
        let mut warnings = Vec::new();
        if let Some(k) = selection.graph(best).n_neighbors() {
            let (least, most) = (ks().min(), ks().max());
            if least < most && least == Some(k) && k > 1 {
                warnings.push(format!(
                    "the best graph has the fewest neighbours tried, {k}; fewer edges raise the bound by themselves, \
                     so look whether the layout holds, and try smaller ones"
                ));
            } else if least < most && most == Some(k) && k + 1 < selection.n() {
                warnings.push(format!("the best graph has the most neighbours tried, {k}; try larger ones"));
            }
        }
        let dimensions = || selection.candidates().iter().map(|candidate| candidate.n_components);
        let d = best.n_components;
        if dimensions().min() < dimensions().max() && dimensions().max() == Some(d) {
            warnings.push(format!("the best dimension is the largest tried, {d}; try larger ones"));
        }
        warnings
    }

    /// All of it for machines.
    pub fn as_json(&self) -> Value {
        let selection = self.selection;
        let described = |summary: &CandidateSummary| {
            let candidate = &selection.candidates()[summary.candidate];
            let graph = selection.graph(candidate);
            let mut value = json!(summary);
            value["graph"] = graph.family().into();
            value["n_neighbors"] = graph.n_neighbors().into();
            value["n_components"] = candidate.n_components.into();
            value["pieces"] = candidate.pieces.into();
            value["mean_per_point"] = summary.mean.map(|mean| self.per_point(mean)).into();
            value["deviation_per_point"] = summary.deviation.map(|deviation| self.per_point(deviation)).into();
            value
        };
        json!({
            "n": selection.n(),
            "best": self.best().map(&described),
            "candidates": self.ranking.0.iter().map(&described).collect::<Vec<_>>(),
            "cells": self.cells,
        })
    }
}

fn over_seeds(summary: &CandidateSummary) -> String {
    match summary.deviation {
        Some(deviation) => format!(" ± {deviation:.3} over {} seeds", summary.count),
        None => " from one seed".to_owned(),
    }
}
