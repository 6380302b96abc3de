//! What a selection says: the candidates in order, which of them are as good as the best, and what to know before trusting it.

use crate::evidence::{CandidateSummary, Cell, CellStop, GraphChoice, Judge, Selection};
use serde::Serialize;

/// Closer to the best than either of these is no clear difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EqualRule {
    /// Difference of the mean bounds, in nats.
    pub nats: f64,
    /// The same in standard deviations of that difference.
    pub spreads: f64,
}

impl EqualRule {
    /// The rule: within 1 nat, or within 2 spreads over seeds.
    pub const STANDARD: Self = Self { nats: 1.0, spreads: 2.0 };

    fn holds(&self, summary: &CandidateSummary) -> bool {
        let near = |spreads: Option<f64>| spreads.is_some_and(|spreads| spreads < self.spreads);
        summary.behind.is_some_and(|behind| behind.nats < self.nats || near(behind.spreads))
    }
}

/// The candidates of a selection and what is known of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvidenceView {
    /// Number of points.
    pub n: usize,
    /// What candidates are ranked by.
    pub by: Judge,
    /// The best candidate, if any can be ranked. By rows held out it is, of those within one standard error of the likeliest,
    /// the one with the fewest dimensions.
    pub best: Option<CandidateRow>,
    /// All candidates, the best first; those that cannot be ranked last.
    pub candidates: Vec<CandidateRow>,
    /// Which of them are to be taken as equal to the best by the bound.
    pub equal: EqualRule,
    /// What to know before trusting the order.
    pub remarks: Vec<Remark>,
    /// The fits.
    pub cells: Vec<Cell>,
}

/// A candidate with its bound over seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CandidateRow {
    /// Its bound over seeds.
    #[serde(flatten)]
    pub summary: CandidateSummary,
    /// What its graph is called.
    pub name: String,
    /// The kind of its graph.
    pub graph: String,
    /// Neighbours of a point, where that makes the graph.
    pub n_neighbors: Option<usize>,
    /// Dimension.
    pub n_components: usize,
    /// Pieces of the graph.
    pub pieces: usize,
    /// Mean bound per point.
    pub mean_per_point: Option<f64>,
    /// Standard deviation of it over seeds.
    pub deviation_per_point: Option<f64>,
    /// Whether it is not the best and must be taken as equal to it.
    pub equal_to_best: bool,
}

/// Something to know before trusting a selection.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Remark {
    /// Fits that did not converge: their bounds are too low.
    NotConverged {
        /// How many.
        fits: usize,
    },
    /// Fits that collapsed: their bounds do not count.
    Collapsed {
        /// How many.
        fits: usize,
    },
    /// Fits that ended in an error.
    Failed {
        /// How many.
        fits: usize,
        /// The candidate of the first.
        candidate: usize,
        /// What went wrong there.
        message: Option<String>,
    },
    /// No candidate has what they are ranked by.
    NoBound,
    /// On the best graph a fit that explains all as noise has a higher bound than the best.
    NoiseAhead {
        /// By how much.
        nats: f64,
    },
    /// The best graph has the fewest neighbours that were tried.
    FewestNeighbors {
        /// How many that is.
        n_neighbors: usize,
    },
    /// The best graph has the most neighbours that were tried.
    MostNeighbors {
        /// How many that is.
        n_neighbors: usize,
    },
    /// The best dimension is the largest that was tried.
    LargestDimension {
        /// What it is.
        n_components: usize,
    },
}

impl EvidenceView {
    /// What the cells of a selection say.
    pub fn new(selection: &Selection, cells: &[Cell]) -> Self {
        let ranking = selection.ranking(cells);
        let best = ranking.best().map(|best| best.candidate);
        let by = selection.judge();
        let row = |summary: &CandidateSummary| CandidateRow::new(selection, summary, best);
        let candidates: Vec<CandidateRow> = ranking.0.iter().map(row).collect();
        let best = best.and_then(|_| candidates.first().cloned());
        let remarks = remarks(selection, cells, best.as_ref());
        // of rows held out only the mean is shown
        let cells = cells.iter().map(|cell| Cell { scores: vec![], ..cell.clone() }).collect();
        Self { n: selection.n(), by, best, candidates, equal: EqualRule::STANDARD, remarks, cells }
    }

    /// A candidate by its number.
    pub fn candidate(&self, number: usize) -> Option<&CandidateRow> {
        self.candidates.iter().find(|row| row.summary.candidate == number)
    }

    /// How many fits ended like this.
    pub fn count(&self, stop: CellStop) -> usize {
        count(&self.cells, stop)
    }
}

impl CandidateRow {
    fn new(selection: &Selection, summary: &CandidateSummary, best: Option<usize>) -> Self {
        let candidate = &selection.candidates()[summary.candidate];
        let graph = selection.graph(candidate);
        let per_point = |bound: f64| bound / selection.n() as f64;
        Self {
            name: graph.to_string(),
            graph: graph.family(),
            n_neighbors: graph.n_neighbors(),
            n_components: candidate.n_components,
            pieces: candidate.pieces,
            mean_per_point: summary.mean.map(per_point),
            deviation_per_point: summary.deviation.map(per_point),
            equal_to_best: best.is_some_and(|best| best != summary.candidate) && is_level(selection, summary),
            summary: summary.clone(),
        }
    }
}

/// Whether a candidate is as good as the best.
fn is_level(selection: &Selection, summary: &CandidateSummary) -> bool {
    match selection.judge() {
        Judge::HeldOut => summary.held_out.is_some_and(|held| held.level),
        Judge::Auto | Judge::Bound => EqualRule::STANDARD.holds(summary),
    }
}

fn count(cells: &[Cell], stop: CellStop) -> usize {
    cells.iter().filter(|cell| cell.stop == stop).count()
}

fn remarks(selection: &Selection, cells: &[Cell], best: Option<&CandidateRow>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    // fits that rows are scored by are short ones
    let of_all_rows = |stop: CellStop| cells.iter().filter(|cell| cell.part.is_none() && cell.stop == stop).count();
    let (late, collapsed) = (of_all_rows(CellStop::MaxIterations), of_all_rows(CellStop::Collapsed));
    remarks.extend((late > 0).then_some(Remark::NotConverged { fits: late }));
    remarks.extend((collapsed > 0).then_some(Remark::Collapsed { fits: collapsed }));
    remarks.extend(cells.iter().find(|cell| cell.stop == CellStop::Failed).map(|first| Remark::Failed {
        fits: count(cells, CellStop::Failed),
        candidate: first.candidate,
        message: first.message.clone(),
    }));
    match best {
        Some(best) => {
            if selection.judge() == Judge::Bound {
                remarks.extend(noise_ahead(selection, cells, &best.summary));
            }
            remarks.extend(at_the_end(selection, &best.summary));
        }
        None => remarks.push(Remark::NoBound),
    }
    remarks
}

/// Whether, on the graph of the best, a fit that explains all as noise has the higher bound.
fn noise_ahead(selection: &Selection, cells: &[Cell], best: &CandidateSummary) -> Option<Remark> {
    let graph = |candidate: usize| selection.candidates()[candidate].graph;
    let collapsed = cells.iter().filter(|cell| cell.stop == CellStop::Collapsed);
    let of_noise = collapsed.filter(|cell| graph(cell.candidate) == graph(best.candidate));
    let highest = of_noise.filter_map(|cell| cell.bound).fold(f64::NEG_INFINITY, f64::max);
    best.mean.filter(|&mean| highest > mean).map(|mean| Remark::NoiseAhead { nats: highest - mean })
}

/// Whether the grid ends where its best is, so that better may lie outside.
fn at_the_end(selection: &Selection, best: &CandidateSummary) -> Vec<Remark> {
    let best = &selection.candidates()[best.candidate];
    let family = selection.graph(best).family();
    let ks = || {
        let of_family = selection.candidates().iter().map(|candidate| selection.graph(candidate));
        of_family.filter(|graph| graph.family() == family).filter_map(GraphChoice::n_neighbors)
    };
    let mut remarks = Vec::new();
    if let Some(k) = selection.graph(best).n_neighbors() {
        let (least, most) = (ks().min(), ks().max());
        if least < most && least == Some(k) && k > 1 {
            remarks.push(Remark::FewestNeighbors { n_neighbors: k });
        } else if least < most && most == Some(k) && k + 1 < selection.n() {
            remarks.push(Remark::MostNeighbors { n_neighbors: k });
        }
    }
    let dimensions = || selection.candidates().iter().map(|candidate| candidate.n_components);
    let d = best.n_components;
    if dimensions().min() < dimensions().max() && dimensions().max() == Some(d) {
        remarks.push(Remark::LargestDimension { n_components: d });
    }
    remarks
}
