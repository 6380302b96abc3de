//! From a table to a graph in one piece.

use super::MissingRule;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::graph::{
    Graph, Metric, NeighborSearch, Neighborhoods, Symmetry, bridges, edge_outside, find_neighbors, graph_of_lists,
    least_joining, pieces, within_length,
};
use crate::linalg::{Matrix, View};
use crate::message::{Column, Piece, Remedy};
use std::sync::Arc;

/// An error unless every number is finite, or missing where that may be.
pub(crate) fn check_values(values: View, missing: MissingRule) -> Result<()> {
    let (n, d) = (values.nrows(), values.ncols());
    if n < 3 || d == 0 {
        return Err(Error::TooFew { rows: n, features: d });
    }
    for f in 0..d {
        let may_be = |v: &f64| v.is_finite() || (v.is_nan() && missing != MissingRule::Error);
        if let Some(row) = values.col(f).iter().position(|v| !may_be(v)) {
            let (column, value) = (Column::Numbered(f), values[(row, f)].to_string());
            return Err(Error::NonFinite { row, column, value, line: None });
        }
    }
    if missing == MissingRule::Model {
        if let Some(f) = (0..d).find(|&f| values.col(f).iter().all(|v| v.is_nan())) {
            return Err(Error::NoValue { place: Piece::Column(Column::Numbered(f)) });
        }
        if let Some(row) = (0..n).find(|&i| values.row(i).iter().all(|v| v.is_nan())) {
            return Err(Error::NoValue { place: Piece::Row(row) });
        }
    }
    Ok(())
}

/// The points around each point as they were found or given, in one piece or not.
pub(crate) struct FoundGraph {
    pub neighborhoods: Neighborhoods,
    /// Share of true neighbours found, where the search was approximate.
    pub recall: Option<f64>,
}

/// A graph in one piece, and which rows of the table are its points.
pub(crate) struct GraphOfRows {
    /// The points around each point; of nearest neighbours as they are listed, otherwise along the edges.
    pub neighborhoods: Neighborhoods,
    /// Rows of the table that are kept, ascending.
    pub rows: Vec<usize>,
    /// Edges added to join pieces.
    pub bridges: Vec<(u32, u32)>,
}

/// An error unless every whole row has a direction, where the metric needs one.
pub(crate) fn check_directions(values: View, metric: Metric) -> Result<()> {
    if !metric.takes_rows_as_given() {
        return Ok(());
    }
    let gap = |i: usize| values.row(i).iter().any(|value| value.is_nan());
    let without = (0..values.nrows()).filter(|&i| !gap(i)).find(|&i| !metric.has_direction(values.row(i)));
    without.map_or(Ok(()), |i| Err(Error::NoDirection { row: i, metric }))
}

/// The graph that the settings ask for, or that the edges give. `values` is n × d_y, `places` where the metric has the same
/// rows, one per column.
pub(crate) fn find_graph(
    values: View,
    places: &Arc<Matrix>,
    config: &Config,
    edges: Option<Vec<(u32, u32)>>,
) -> Result<FoundGraph> {
    let n = values.nrows();
    let mut recall = None;
    let neighborhoods = match (edges, config.radius) {
        (Some(edges), _) => {
            if let Some(row) = edges.iter().position(|&(i, j)| i.max(j) as usize >= n) {
                let (i, j) = edges[row];
                return Err(edge_outside(None, row, i64::from(i.max(j)), n));
            }
            Neighborhoods::of(Graph::from_edges(n, edges))
        }
        (None, Some(radius)) => {
            let (metric, limit) = (config.metric, config.metric.length_at(radius));
            Neighborhoods::of(match metric.takes_rows_as_given() {
                true => within_length(places, metric.length(), limit),
                // in the units of the table
                false => within_length(&values.transpose().to_owned(), metric.length(), limit),
            })
        }
        (None, None) => {
            if config.n_neighbors >= n {
                return Err(too_many_neighbors(config.n_neighbors, n));
            }
            let Config { metric, n_neighbors, neighbor_search, random_state, .. } = *config;
            let found = find_neighbors(places, metric.length(), n_neighbors, neighbor_search, random_state);
            recall = found.recall;
            match config.symmetry {
                Symmetry::Or => Neighborhoods::from_lists(found.lists),
                Symmetry::Mutual => Neighborhoods::of(graph_of_lists(&found.lists, Symmetry::Mutual)),
            }
        }
    };
    Ok(FoundGraph { neighborhoods, recall })
}

/// Brings a graph into one piece as the settings say: bridges between pieces, which are the shortest straight lines between
/// the points given, or the largest piece alone. `given` are edges that a user named.
pub(crate) fn in_one_piece(
    neighborhoods: Neighborhoods,
    points: &Arc<Matrix>,
    config: &Config,
    given: bool,
) -> Result<GraphOfRows> {
    let all = || (0..neighborhoods.n()).collect();
    let found = pieces(neighborhoods.graph());
    if found.len() == 1 {
        return Ok(GraphOfRows { rows: all(), neighborhoods, bridges: vec![] });
    }
    if config.connect {
        let bridges = bridges(neighborhoods.graph(), points);
        return Ok(GraphOfRows { rows: all(), neighborhoods: neighborhoods.with_edges(&bridges), bridges });
    }
    if config.largest && found[0].len() >= 3 {
        let neighborhoods = neighborhoods.restricted_to(&found[0]);
        return Ok(GraphOfRows { neighborhoods, rows: found[0].clone(), bridges: vec![] });
    }
    let wider = match (given, config.radius) {
        (true, _) => Remedy::act("add edges"),
        (false, Some(_)) => Remedy::Raise("radius"),
        (false, None) => more_neighbors(points, config),
    };
    Err(Error::Disconnected { sizes: found.iter().map(Vec::len).collect(), wider })
}

/// So many neighbours as make one piece, or only more where that is not known.
fn more_neighbors(points: &Arc<Matrix>, config: &Config) -> Remedy {
    let found = match config.neighbor_search {
        // which may miss what joins
        NeighborSearch::Approximate => None,
        NeighborSearch::Auto | NeighborSearch::Exact => least_joining(points, config.metric.length(), config.symmetry),
    };
    found.map_or(Remedy::Raise("n_neighbors"), |k| Remedy::Set("n_neighbors", k.to_string()))
}

/// As many neighbours as there are points, or more.
pub(crate) fn too_many_neighbors(n_neighbors: usize, n: usize) -> Error {
    Error::too_large("n_neighbors", n_neighbors, format!("the table has only {n} rows"))
}
