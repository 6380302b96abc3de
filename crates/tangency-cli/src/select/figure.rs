//! The figure of a selection: the bound, or the density of rows held out, against k, one line a dimension, the spread over seeds
//! or the standard error as shading.

use crate::figure_file::cannot_be_drawn;
use std::path::Path;
use tangency::evidence::{CandidateSummary, GraphChoice, Judge, Selection};
use tangency::view::EvidenceView;
use tangency::{Result, Symmetry};
use tangency_report::{Figure, FigureError, Point, Series, curves};

/// A figure, and what it could not show.
pub struct SelectionFigure {
    pub figure: Option<Figure>,
    pub left_out: Option<String>,
}

/// What stands along the x axis.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Neighbors,
    Radius,
    Dimension,
}

/// Draws the bounds; graphs that have no place along the axis are left to the table.
pub fn draw(selection: &Selection, found: &EvidenceView) -> Result<SelectionFigure> {
    let graphs: Vec<&GraphChoice> = selection.candidates().iter().map(|c| selection.graph(c)).collect();
    // of several kinds the first that has anything to show
    let shown = |axis: Axis| {
        let ranked = |number: usize| found.candidate(number).is_some_and(|row| worth(found, &row.summary).is_some());
        graphs.iter().enumerate().any(|(number, graph)| axis_of(graph) == axis && ranked(number))
    };
    let axis = [Axis::Neighbors, Axis::Radius].into_iter().find(|&axis| shown(axis)).unwrap_or(Axis::Dimension);
    let mut series: Vec<Series> = Vec::new();
    let mut best = None;
    for (number, candidate) in selection.candidates().iter().enumerate() {
        let graph = selection.graph(candidate);
        if axis_of(graph) != axis {
            continue;
        }
        let d = candidate.n_components;
        let (name, x) = match graph {
            GraphChoice::Neighbors { n_neighbors, symmetry: Symmetry::Or } => (format!("d = {d}"), *n_neighbors as f64),
            GraphChoice::Neighbors { n_neighbors, .. } => (format!("d = {d}, mutual"), *n_neighbors as f64),
            GraphChoice::Radius(radius) => (format!("d = {d}"), *radius),
            GraphChoice::Edges { name, .. } => (name.clone(), d as f64),
        };
        let Some(summary) = found.candidate(number).map(|row| &row.summary) else { continue };
        let worth = worth(found, summary);
        let (mean, spread) = worth.unwrap_or((f64::NAN, 0.0));
        if found.best.as_ref().is_some_and(|best| best.summary.candidate == number) {
            best = Some((x, mean));
        }
        let point = Point { x, mean, spread, marker: worth.and_then(|_| mark(found, summary)) };
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series { name, points: vec![point] }),
        }
    }
    let x_title = match axis {
        Axis::Neighbors => "neighbours k",
        Axis::Radius => "radius",
        Axis::Dimension => "dimension d",
    };
    let title = "Evidence for the graph and the dimension";
    let y_title = match found.by {
        Judge::HeldOut => "log-density of rows held out, nats",
        Judge::Auto | Judge::Bound => "bound, nats",
    };
    let figure = match curves(&series, x_title, y_title, title, best) {
        Ok(figure) => Some(figure),
        Err(FigureError::NothingToDraw(_)) => None,
        Err(error) => return Err(cannot_be_drawn(Path::new("the figure"), &error)),
    };
    let left_out = match &figure {
        None => Some("no figure was drawn: there is nothing to show".to_owned()),
        Some(_) if graphs.iter().any(|graph| axis_of(graph) != axis) => {
            Some(format!("the figure goes along {x_title}; graphs of other kinds are in the table only"))
        }
        Some(_) => None,
    };
    Ok(SelectionFigure { figure, left_out })
}

fn axis_of(graph: &GraphChoice) -> Axis {
    match graph {
        GraphChoice::Neighbors { .. } => Axis::Neighbors,
        GraphChoice::Radius(_) => Axis::Radius,
        GraphChoice::Edges { .. } => Axis::Dimension,
    }
}

/// What a candidate is ranked by, and how sure that is.
fn worth(found: &EvidenceView, summary: &CandidateSummary) -> Option<(f64, f64)> {
    match found.by {
        Judge::HeldOut => summary.held_out.map(|held| (held.mean, held.error)),
        Judge::Auto | Judge::Bound => summary.mean.map(|mean| (mean, summary.deviation.unwrap_or(0.0))),
    }
}

fn mark(found: &EvidenceView, summary: &CandidateSummary) -> Option<String> {
    if found.by == Judge::HeldOut {
        let most = found.best.as_ref().and_then(|best| best.summary.held_out).map_or(0, |held| held.rows);
        let fewer = summary.held_out.is_some_and(|held| held.rows < most);
        return fewer.then(|| "stopped early".to_owned());
    }
    let marks = [
        (summary.not_converged, "not converged"),
        (summary.collapsed + summary.failed, "some seeds collapsed"),
        (summary.raced, "stopped early"),
    ];
    marks.into_iter().find(|(count, _)| *count > 0).map(|(_, meaning)| meaning.to_owned())
}
