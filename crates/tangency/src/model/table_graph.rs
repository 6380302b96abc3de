//! From a table to a graph in one piece.

use super::Scaling;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::graph::{
    Graph, Neighborhoods, Symmetry, bridges, edge_outside, find_neighbors, graph_of_lists, pieces, within_radius,
};
use crate::linalg::{Matrix, View};
use crate::message::{Column, Remedy};

pub(crate) fn check_values(values: View) -> Result<()> {
    let (n, d) = (values.nrows(), values.ncols());
    if n < 3 || d == 0 {
        return Err(Error::TooFew { rows: n, features: d });
    }
    for f in 0..d {
        if let Some(row) = values.col(f).iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { row, column: Column::Numbered(f), value: values[(row, f)].to_string() });
        }
    }
    Ok(())
}

/// A graph in one piece, and which rows of the table are its points.
pub(crate) struct GraphOfRows {
    /// The points around each point; of nearest neighbours as they are listed, otherwise along the edges.
    pub neighborhoods: Neighborhoods,
    /// Rows of the table that are kept, ascending.
    pub rows: Vec<usize>,
    /// Edges added to join pieces.
    pub bridges: Vec<(u32, u32)>,
    /// Share of true neighbours found, where the search was approximate.
    pub recall: Option<f64>,
}

/// Builds the graph that the settings ask for, or that the edges give, and brings it into one piece.
pub(crate) fn build_graph(values: &Matrix, config: &Config, edges: Option<Vec<(u32, u32)>>) -> Result<GraphOfRows> {
    let n = values.nrows();
    let given = edges.is_some();
    let mut recall = None;
    let neighborhoods = match (edges, config.radius) {
        (Some(edges), _) => {
            if let Some(row) = edges.iter().position(|&(i, j)| i.max(j) as usize >= n) {
                let (i, j) = edges[row];
                return Err(edge_outside(None, row, i64::from(i.max(j)), n));
            }
            Neighborhoods::of(Graph::from_edges(n, edges))
        }
        (None, Some(radius)) => Neighborhoods::of(within_radius(&values.transpose().to_owned(), radius)),
        (None, None) => {
            if config.n_neighbors >= n {
                return Err(too_many_neighbors(config.n_neighbors, n));
            }
            let (_, scaled) = Scaling::learn(values, config.scaling)?;
            let found = find_neighbors(&scaled, config.n_neighbors, config.neighbor_search, config.random_state);
            recall = found.recall;
            match config.symmetry {
                Symmetry::Or => Neighborhoods::from_lists(found.lists),
                Symmetry::Mutual => Neighborhoods::of(graph_of_lists(&found.lists, Symmetry::Mutual)),
            }
        }
    };
    let found = pieces(neighborhoods.graph());
    if found.len() == 1 {
        return Ok(GraphOfRows { neighborhoods, rows: (0..n).collect(), bridges: vec![], recall });
    }
    if config.connect {
        let (_, scaled) = Scaling::learn(values, config.scaling)?;
        let bridges = bridges(neighborhoods.graph(), &scaled);
        let neighborhoods = neighborhoods.with_edges(&bridges);
        return Ok(GraphOfRows { neighborhoods, rows: (0..n).collect(), bridges, recall });
    }
    let wider = match (given, config.radius) {
        (true, _) => Remedy::act("add edges"),
        (false, Some(_)) => Remedy::Raise("radius"),
        (false, None) => Remedy::Raise("n_neighbors"),
    };
    if config.largest && found[0].len() >= 3 {
        let neighborhoods = neighborhoods.restricted_to(&found[0]);
        return Ok(GraphOfRows { neighborhoods, rows: found[0].clone(), bridges: vec![], recall });
    }
    Err(Error::Disconnected { sizes: found.iter().map(Vec::len).collect(), wider })
}

/// As many neighbours as there are points, or more.
pub(crate) fn too_many_neighbors(n_neighbors: usize, n: usize) -> Error {
    Error::too_large("n_neighbors", n_neighbors, format!("the table has only {n} rows"))
}
