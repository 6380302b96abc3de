//! What a selection says, in words and as a table.

use std::collections::BTreeSet;
use tangency::evidence::{CandidateSummary, Cell, CellStop, Judge, Selection};
use tangency::message::counted;
use tangency::view::{CandidateRow, EqualRule, EvidenceView, Remark};

/// Rows of the ranking that are said; the table has all.
const SHOWN: usize = 10;
/// What a selection found, in words.
pub struct Verdict<'a> {
    selection: &'a Selection,
    view: EvidenceView,
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
    let header = [
        "n_neighbors",
        "n_components",
        "seed",
        "pieces",
        "bound",
        "bound_per_point",
        "n_iter",
        "stop",
        "graph",
        "part",
        "log_density",
    ];
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
            text(cell.part.map(|part| part.to_string())),
            text(cell.log_density.map(|density| density.to_string())),
        ]
    };
    (header.map(str::to_owned).to_vec(), cells.iter().map(row).collect())
}

impl<'a> Verdict<'a> {
    pub fn new(selection: &'a Selection, cells: &[Cell]) -> Self {
        Self { selection, view: EvidenceView::new(selection, cells) }
    }

    /// The numbers.
    pub fn view(&self) -> &EvidenceView {
        &self.view
    }

    /// What a person wants to know.
    pub fn lines(&self, all: bool) -> Vec<String> {
        let view = &self.view;
        let fits = view.cells.iter().filter(|cell| cell.n_iter.is_some() || cell.stop == CellStop::Failed).count();
        let mut lines = vec![format!(
            "{}, {}, {}{}",
            counted(view.n, "point"),
            counted(view.candidates.len(), "candidate"),
            counted(fits, "fit"),
            if all { "" } else { " (hopeless ones stop early; --all fits every seed)" }
        )];
        if let Some(best) = &view.best {
            lines.push(format!("best: {}: {}", name(self.selection, best.summary.candidate), worth(best)));
            lines.extend(match view.by {
                Judge::HeldOut => self.lines_by_rows(),
                Judge::Auto | Judge::Bound => self.lines_by_bound(),
            });
            lines.extend(self.close(best));
        }
        lines.extend(self.in_pieces());
        lines.extend(self.stopped_early());
        lines
    }

    fn lines_by_rows(&self) -> Vec<String> {
        let shown: Vec<&CandidateRow> =
            self.view.candidates.iter().filter(|row| row.summary.held_out.is_some()).take(SHOWN).collect();
        let width = shown.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(5);
        let mut lines = vec![format!(
            "  {:width$}  {:>2}  {:>9}  {:>8}  {:>7}  {:>5}  {:>12}",
            "graph", "d", "held out", "behind", "±", "rows", "bound"
        )];
        for CandidateRow { summary, name, n_components, .. } in shown {
            let Some(held) = summary.held_out else { continue };
            lines.push(format!(
                "  {name:width$}  {n_components:>2}  {:>9.3}  {:>8.3}  {:>7.3}  {:>5}  {:>12}",
                held.mean,
                held.behind,
                held.error,
                held.rows,
                summary.mean.map_or("–".to_owned(), |mean| format!("{mean:.3}")),
            ));
        }
        lines.push(
            "held out: mean log-density of rows that the fits have not seen, in nats; behind: how much less than the \
             likeliest on the same rows, and the standard error of that"
                .to_owned(),
        );
        lines
    }

    fn lines_by_bound(&self) -> Vec<String> {
        let shown: Vec<&CandidateRow> =
            self.view.candidates.iter().filter(|row| row.summary.mean.is_some()).take(SHOWN).collect();
        let width = shown.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(5);
        let mut lines = vec![format!(
            "  {:width$}  {:>2}  {:>12}  {:>9}  {:>9}  {:>11}  {:>8}  {:>5}",
            "graph", "d", "bound", "±", "per point", "behind", "spreads", "seeds"
        )];
        for CandidateRow { summary, name, n_components, mean_per_point, .. } in shown {
            let behind = summary.behind.as_ref();
            let first = behind.is_none_or(|behind| behind.nats == 0.0);
            lines.push(format!(
                "  {name:width$}  {n_components:>2}  {:>12.3}  {:>9}  {:>9.4}  {:>11}  {:>8}  {:>5}",
                summary.mean.unwrap_or(f64::NAN),
                summary.deviation.map_or("–".to_owned(), |deviation| format!("{deviation:.3}")),
                mean_per_point.unwrap_or(f64::NAN),
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
    fn close(&self, best: &CandidateRow) -> Option<String> {
        let equal = self.view.candidates.iter().filter(|row| row.equal_to_best);
        let close: Vec<String> = equal.map(|row| name(self.selection, row.summary.candidate)).collect();
        let EqualRule { nats, spreads } = self.view.equal;
        let near = match self.view.by {
            Judge::HeldOut => "within one standard error".to_owned(),
            Judge::Auto | Judge::Bound => format!("within {nats} nat or {spreads} spreads"),
        };
        match close.len() {
            0 if self.view.by == Judge::Bound && best.summary.deviation == Some(0.0) => {
                Some("the seeds of the best agree exactly".to_owned())
            }
            0 => None,
            1 => Some(format!("{} is {near}: take the two as equal", close[0])),
            count => Some(format!(
                "{count} others are {near} ({}{}): take them as equal",
                close[..close.len().min(3)].join("; "),
                if count > 3 { "; …" } else { "" }
            )),
        }
    }

    fn in_pieces(&self) -> Option<String> {
        let view = &self.view;
        let apart: BTreeSet<usize> = view
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
        let candidates = self.view.candidates.iter().filter(|row| row.summary.raced > 0).count();
        (candidates > 0).then(|| {
            format!(
                "{} {} too far behind and stopped early, which saved {}",
                counted(candidates, "candidate"),
                if candidates == 1 { "was" } else { "were" },
                counted(self.view.count(CellStop::Raced), "fit")
            )
        })
    }

    /// What a person should know before trusting it.
    pub fn warnings(&self) -> Vec<String> {
        self.view.remarks.iter().map(|remark| self.words(remark)).collect()
    }

    fn words(&self, remark: &Remark) -> String {
        match remark {
            Remark::NotConverged { fits } => {
                let bounds = if *fits == 1 { "its bound is" } else { "their bounds are" };
                format!("{} did not converge and {bounds} too low; give a larger --max-iter", counted(*fits, "fit"))
            }
            Remark::Collapsed { fits } => {
                let bounds = if *fits == 1 { "its bound does" } else { "their bounds do" };
                format!("{} collapsed; {bounds} not count", counted(*fits, "fit"))
            }
            Remark::Failed { fits, candidate, message } => format!(
                "{} failed, the first at {}: {}",
                counted(*fits, "fit"),
                name(self.selection, *candidate),
                message.as_deref().unwrap_or_default()
            ),
            Remark::NoBound => "no candidate could be ranked; try wider graphs, --connect or another --init".to_owned(),
            Remark::NoiseAhead { nats } => format!(
                "on the best graph a collapsed fit, which explains the table as noise, has a bound {nats:.1} nats higher: \
                 there is no evidence for a manifold; more points or less noise would be needed"
            ),
            Remark::FewestNeighbors { n_neighbors } if self.view.by == Judge::HeldOut => {
                format!("the best graph has the fewest neighbours tried, {n_neighbors}; try smaller ones")
            }
            Remark::FewestNeighbors { n_neighbors } => format!(
                "the best graph has the fewest neighbours tried, {n_neighbors}; fewer edges raise the bound by themselves, \
                 so look whether the layout holds, and try smaller ones"
            ),
            Remark::MostNeighbors { n_neighbors } => {
                format!("the best graph has the most neighbours tried, {n_neighbors}; try larger ones")
            }
            Remark::LargestDimension { n_components } => {
                format!("the best dimension is the largest tried, {n_components}; try larger ones")
            }
        }
    }
}

/// What speaks for a candidate.
fn worth(best: &CandidateRow) -> String {
    let bound = best.summary.mean.map(|mean| {
        let per_point = best.mean_per_point.unwrap_or(f64::NAN);
        format!("bound {mean:.1} nats{}, {per_point:.3} per point", over_seeds(&best.summary))
    });
    let held = best
        .summary
        .held_out
        .map(|held| format!("log-density {:.3} nats per row of {} rows held out", held.mean, held.rows));
    held.into_iter().chain(bound).collect::<Vec<_>>().join("; ")
}

fn over_seeds(summary: &CandidateSummary) -> String {
    match summary.deviation {
        Some(deviation) => format!(" ± {deviation:.3} over {} seeds", summary.count),
        None => " from one seed".to_owned(),
    }
}
