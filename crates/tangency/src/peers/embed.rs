//! From a table to an embedding by any of the methods.

use super::{isomap, laplacian_eigenmaps, lle, ltsa, mds, pca};
use crate::config::Config;
use crate::error::Result;
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, View};
use crate::model::{Scaling, build_graph, check_values};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A method beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Principal component analysis.
    Pca,
    /// Classical multidimensional scaling.
    Mds,
    /// Isomap.
    Isomap,
    /// Locally linear embedding.
    Lle,
    /// Local tangent space alignment.
    Ltsa,
    /// Laplacian eigenmaps.
    LaplacianEigenmaps,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Pca, Self::Mds, Self::Isomap, Self::Lle, Self::Ltsa, Self::LaplacianEigenmaps];

    /// Whether it looks at who is next to whom.
    pub fn uses_graph(self) -> bool {
        matches!(self, Self::Isomap | Self::Lle | Self::Ltsa | Self::LaplacianEigenmaps)
    }

    /// Whether its axes are in proportion to each other, and not each of unit length.
    pub fn keeps_aspect(self) -> bool {
        !matches!(self, Self::Lle | Self::Ltsa | Self::LaplacianEigenmaps)
    }
}

/// Settings that only some of the methods have.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerOptions {
    /// Share of the trace of a local Gram matrix that LLE adds to its diagonal.
    pub regularization: f64,
    /// Seed of what is random in a method.
    pub random_state: u64,
}

impl Default for PeerOptions {
    fn default() -> Self {
        Self { regularization: 1e-3, random_state: 0 }
    }
}

/// What a method found.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// One row a point. [n, d_x]
    pub coordinates: Matrix,
    /// Which rows of the table the points are.
    pub rows: Vec<usize>,
}

/// Is told of iterations and of the objective, and may end the work with what there is.
pub type Watch<'a> = &'a mut dyn FnMut(usize, f64) -> ControlFlow<()>;

/// Embeds a table, n × d_y, by a method. Graph, scaling, dimension and seed are those of `config`, or the given edges.
pub fn embed(
    values: View,
    method: Method,
    config: &Config,
    options: &PeerOptions,
    edges: Option<Vec<(u32, u32)>>,
    watch: Watch,
) -> Result<Embedding> {
    config.validate()?;
    check_values(values)?;
    let values = values.to_owned();
    let (neighborhoods, rows) = if method.uses_graph() || config.largest {
        let made = build_graph(&values, config, edges)?;
        (made.neighborhoods, made.rows)
    } else {
        (Neighborhoods::from_lists(vec![vec![]; values.nrows()]), (0..values.nrows()).collect())
    };
    let kept = if rows.len() == values.nrows() {
        values
    } else {
        Matrix::from_fn(rows.len(), values.ncols(), |i, f| values[(rows[i], f)])
    };
    let (_, points) = Scaling::learn(&kept, config.scaling)?;
    let found = coordinates_by(method, &points, &neighborhoods, config.n_components, options, watch)?;
    Ok(Embedding { rows, ..found })
}

/// Embeds points, d_y × n, one a column, on neighbourhoods that are known.
pub fn coordinates_by(
    method: Method,
    points: &Matrix,
    neighborhoods: &Neighborhoods,
    n_components: usize,
    options: &PeerOptions,
    _watch: Watch,
) -> Result<Embedding> {
    let coordinates = match method {
        Method::Pca => pca(points, n_components)?,
        Method::Mds => mds(points, n_components)?,
        Method::Isomap => isomap(points, neighborhoods.graph(), n_components)?,
        Method::Lle => lle(points, neighborhoods, n_components, options.regularization)?,
        Method::Ltsa => ltsa(points, neighborhoods, n_components)?,
        Method::LaplacianEigenmaps => laplacian_eigenmaps(neighborhoods, n_components)?,
    };
    Ok(Embedding { coordinates, rows: (0..points.ncols()).collect() })
}
