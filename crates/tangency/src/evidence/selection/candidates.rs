//! What is compared: graphs of several kinds, each in several dimensions.

use super::Selection;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::fit::{too_many_components, too_many_for_rows};
use crate::graph::{Symmetry, edge_outside, pieces};
use crate::linalg::Matrix;
use crate::message;
use crate::message::{Message, Piece, Remedy, given};
use crate::model::{Checked, FoundGraph, Prepared, ScaledTable, too_many_neighbors};
use serde::Serialize;

/// A graph that may explain a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphChoice {
    /// Nearest neighbours.
    Neighbors {
        /// How many.
        n_neighbors: usize,
        /// How neighbourhood is made mutual.
        symmetry: Symmetry,
    },
    /// All points within this distance, in the units of the table.
    Radius(f64),
    /// Edges that a user gives.
    Edges {
        /// What it is called in results.
        name: String,
        /// Pairs of row numbers, from 0.
        edges: Vec<(u32, u32)>,
    },
}

impl GraphChoice {
    /// Nearest neighbours, an edge if either point lists the other.
    pub fn neighbors(n_neighbors: usize) -> Self {
        Self::Neighbors { n_neighbors, symmetry: Symmetry::Or }
    }

    /// The number of neighbours, where that is what makes the graph.
    pub fn n_neighbors(&self) -> Option<usize> {
        match self {
            Self::Neighbors { n_neighbors, .. } => Some(*n_neighbors),
            _ => None,
        }
    }

    /// These settings with what makes this graph.
    pub(super) fn config(&self, config: &Config) -> Config {
        let (n_neighbors, symmetry, radius) = match *self {
            Self::Neighbors { n_neighbors, symmetry } => (n_neighbors, symmetry, None),
            Self::Radius(radius) => (config.n_neighbors, config.symmetry, Some(radius)),
            Self::Edges { .. } => (config.n_neighbors, config.symmetry, None),
        };
        Config { n_neighbors, symmetry, radius, ..config.clone() }
    }

    /// The kind of graph without its number of neighbours: `knn`, `mutual`, `radius 0.5`, `edges a.csv`.
    pub fn family(&self) -> String {
        match self {
            Self::Neighbors { symmetry: Symmetry::Or, .. } => "knn".into(),
            Self::Neighbors { symmetry: Symmetry::Mutual, .. } => "mutual".into(),
            Self::Radius(radius) => format!("radius {radius}"),
            Self::Edges { name, .. } => format!("edges {name}"),
        }
    }
}

impl std::fmt::Display for GraphChoice {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Neighbors { n_neighbors, .. } => write!(out, "{} {n_neighbors}", self.family()),
            _ => out.write_str(&self.family()),
        }
    }
}

/// A graph and a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which graph, by its place among those given.
    pub graph: usize,
    /// Latent dimension.
    pub n_components: usize,
    /// Pieces of the graph before any are joined.
    pub pieces: usize,
}

/// Refuses what no fit of the grid could do, before there is work.
pub(super) fn check(values: &Matrix, config: &Config, choices: &[GraphChoice], dimensions: &[usize]) -> Result<()> {
    let invalid =
        |name, problem: Message, remedy: Remedy| Err(Error::Setting { name, problem, remedies: vec![remedy] });
    Checked::new(values.as_ref(), config)?;
    let (n, d_y) = (values.nrows(), values.ncols());
    if config.largest {
        let problem =
            message![Piece::Setting("largest"), " is on, but bounds compare only if they are about the same points"];
        return invalid("largest", problem, Remedy::Omit("largest"));
    }
    if config.init.is_given() {
        let problem = message!["a start that is given fits one dimension only"];
        return invalid("init", problem, Remedy::Omit("init"));
    }
    if choices.is_empty() {
        return invalid("graphs", "there is no graph to compare".into(), Remedy::act("give at least one"));
    }
    for (place, choice) in choices.iter().enumerate() {
        if choices[..place].iter().any(|other| other.to_string() == choice.to_string()) {
            let problem = message!["the graph ", given(choice.to_string()), " is there twice"];
            return invalid("graphs", problem, Remedy::act("give each graph once"));
        }
        match choice {
            GraphChoice::Neighbors { n_neighbors: 0, .. } => return Err(Error::too_small("n_neighbors", 0, 1)),
            GraphChoice::Neighbors { n_neighbors, .. } if *n_neighbors >= n => {
                return Err(too_many_neighbors(*n_neighbors, n));
            }
            GraphChoice::Radius(radius) if !(*radius > 0.0 && radius.is_finite()) => {
                return Err(Error::not_positive("radius", radius));
            }
            GraphChoice::Edges { edges, name } => {
                if let Some(row) = edges.iter().position(|&(i, j)| i.max(j) as usize >= n) {
                    let (i, j) = edges[row];
                    return Err(edge_outside(Some(name.clone()), row, i64::from(i.max(j)), n));
                }
            }
            _ => {}
        }
    }
    if dimensions.is_empty() || dimensions.contains(&0) {
        return Err(Error::too_small("n_components", 0, 1));
    }
    let largest = dimensions.iter().copied().max().unwrap_or(1);
    if largest >= n {
        return Err(too_many_for_rows(largest, n));
    }
    if largest > d_y {
        return Err(too_many_components(largest, d_y));
    }
    Ok(())
}

/// A graph that is compared.
#[derive(Clone)]
pub(super) struct GraphOfChoice {
    /// Its edges as they were found or given, in one piece or not.
    pub edges: Vec<(u32, u32)>,
    pub pieces: usize,
    /// The table on it; none where it is in pieces that are not to be joined.
    pub prepared: Option<Prepared>,
}

/// The graphs of the choices, each made once for all of its fits.
/// Where only some `rows` of the table that was given are points, edges are between these.
pub(super) fn graphs(
    table: &ScaledTable,
    config: &Config,
    choices: &[GraphChoice],
    rows: Option<&[usize]>,
) -> Result<Vec<GraphOfChoice>> {
    let whole = table.gaps_filled();
    let graph = |choice: &GraphChoice| {
        let edges = match choice {
            GraphChoice::Edges { edges, .. } => Some(match rows {
                Some(rows) => among(edges, rows),
                None => edges.clone(),
            }),
            GraphChoice::Neighbors { .. } | GraphChoice::Radius(_) => None,
        };
        let config = choice.config(config);
        let found = table.graph(&config, edges, whole.as_ref())?;
        let FoundGraph { neighborhoods, .. } = &found;
        let (edges, pieces) = (neighborhoods.graph().edges().to_vec(), pieces(neighborhoods.graph()).len());
        let fittable = pieces == 1 || config.connect;
        let prepared = if fittable { Some(table.on_found_graph(found, &config, whole.as_ref())?) } else { None };
        Ok(GraphOfChoice { edges, pieces, prepared })
    };
    choices.iter().map(graph).collect()
}

/// Edges between some rows, by their places among these.
pub(super) fn among(edges: &[(u32, u32)], rows: &[usize]) -> Vec<(u32, u32)> {
    let place = |row: u32| rows.binary_search(&(row as usize)).ok().map(|place| place as u32);
    edges.iter().filter_map(|&(i, j)| Some((place(i)?, place(j)?))).collect()
}

pub(super) fn all(graphs: &[GraphOfChoice], dimensions: &[usize]) -> Vec<Candidate> {
    let mut candidates = Vec::with_capacity(graphs.len() * dimensions.len());
    for (number, graph) in graphs.iter().enumerate() {
        let pieces = graph.pieces;
        candidates.extend(dimensions.iter().map(|&n_components| Candidate { graph: number, n_components, pieces }));
    }
    candidates
}

/// FNV-1a over everything that decides a result; the standard library's hasher may change with the compiler.
pub(super) fn fingerprint(selection: &Selection) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut take = |bytes: &[u8]| {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    take(env!("CARGO_PKG_VERSION").as_bytes());
    let settings = (&selection.config, &selection.choices, selection.seeds, selection.race, selection.parts);
    if selection.parts > 0 {
        take(serde_json::to_string(&selection.asked).unwrap_or_default().as_bytes());
    }
    take(serde_json::to_string(&settings).unwrap_or_default().as_bytes());
    for candidate in &selection.candidates {
        take(&(candidate.n_components as u64).to_le_bytes());
    }
    if !selection.views.is_empty() {
        take(serde_json::to_string(&selection.views).unwrap_or_default().as_bytes());
    }
    for column in selection.table.values.col_iter() {
        let bits: Vec<u8> = column.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        take(&bits);
    }
    format!("{hash:016x}")
}
