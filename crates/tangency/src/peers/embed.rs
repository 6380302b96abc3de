//! From a table to an embedding by any of the methods.

use super::gplvm::{GplvmOptions, bayesian_gplvm, gplvm};
use super::{isomap, laplacian_eigenmaps, lle, ltsa, mds, pca};
use crate::config::{AUTO, Config};
use crate::error::{Error, Result};
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, View};
use crate::model::{Checked, MissingRule, Prepared, Scaling};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// The list of methods, between what else a list may hold: each is a member of [`Method`] and of [`crate::Init`].
macro_rules! with_methods {
    ({ $($head:tt)* } { $($before:tt)* } { $($after:tt)* }) => {
        $crate::choice! {
            $($head)* {
                $($before)*
                /// Principal component analysis.
                Pca = "pca",
                /// Classical multidimensional scaling of the straight distances.
                Mds = "mds",
                /// Isomap: classical scaling of the distances along the graph.
                Isomap = "isomap",
                /// Locally linear embedding.
                Lle = "lle",
                /// Local tangent space alignment.
                Ltsa = "ltsa",
                /// Laplacian eigenmaps: the slowest modes of a random walk on the graph.
                LaplacianEigenmaps = "laplacian-eigenmaps",
                /// Gaussian-process latent variable model, the latent points optimised.
                Gplvm = "gplvm",
                /// Bayesian GP-LVM: a distribution over the latent points, and a bound on the evidence.
                BayesianGplvm = "bayesian-gplvm",
                $($after)*
            }
        }
    };
}
pub(crate) use with_methods;

with_methods! {
    {
        /// A method beside ours.
        pub enum Method
    }
    {}
    {}
}

impl Method {
    /// Whether it looks at who is next to whom.
    pub fn uses_graph(self) -> bool {
        matches!(self, Self::Isomap | Self::Lle | Self::Ltsa | Self::LaplacianEigenmaps)
    }

    /// Whether what it finds depends on a seed.
    pub fn uses_seed(self) -> bool {
        matches!(self, Self::Gplvm | Self::BayesianGplvm)
    }

    /// Whether its axes are in proportion to each other, and not each of unit length.
    pub fn keeps_aspect(self) -> bool {
        !matches!(self, Self::Lle | Self::Ltsa | Self::LaplacianEigenmaps)
    }
}

/// Settings that only some of the methods have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PeerOptions {
    /// Share of the trace of a local Gram matrix that LLE adds to its diagonal.
    pub regularization: f64,
    /// Inducing points of the Bayesian GP-LVM.
    pub n_inducing: usize,
    /// Most iterations of the GP-LVMs.
    pub max_iter: usize,
    /// Seed of what is random in a method.
    pub random_state: u64,
}

impl Default for PeerOptions {
    fn default() -> Self {
        let GplvmOptions { n_inducing, max_iter, random_state, .. } = GplvmOptions::default();
        Self { regularization: 1e-3, n_inducing, max_iter, random_state }
    }
}

impl PeerOptions {
    /// Checks that each is in its range.
    pub fn validate(&self) -> Result<()> {
        if !(self.regularization > 0.0 && self.regularization.is_finite()) {
            return Err(Error::not_positive("regularization", self.regularization));
        }
        if self.n_inducing == 0 {
            return Err(Error::too_small("n_inducing", 0, 1));
        }
        Ok(())
    }
}

/// What a method found.
#[derive(Clone, Debug)]
pub struct Embedding {
    /// One row a point. [n, d_x]
    pub coordinates: Matrix,
    /// Which rows of the table the points are.
    pub rows: Vec<usize>,
    /// Of methods that climb an objective: how far.
    pub optimum: Option<Optimum>,
}

/// Where a GP-LVM ended.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Log-likelihood with the prior of the latent points, or the bound, of the scaled data.
    pub objective: f64,
    /// Iterations.
    pub iterations: usize,
    /// Whether it came to rest.
    pub converged: bool,
    /// Whether the caller ended it.
    pub interrupted: bool,
    /// Inverse squared length scale of each latent axis: near 0 for one that is not needed.
    pub relevance: Vec<f64>,
    /// Variance of the function.
    pub signal: f64,
    /// Variance of the noise.
    pub noise: f64,
    /// Variances of the latent points, of the Bayesian one. [n, d_x]
    pub variances: Option<Matrix>,
}

impl Optimum {
    /// What to know before trusting it.
    pub fn caution(&self) -> Option<String> {
        match (self.interrupted, self.converged) {
            (true, _) => Some("interrupted".into()),
            (_, false) => Some("not converged".into()),
            _ => None,
        }
    }
}

/// Sees iterations and the objective, and may end the work with what there is.
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
    options.validate()?;
    let config = &Config { missing: MissingRule::Error, ..config.clone() };
    let table = Checked::new(values, config)?;
    for (name, number) in [("n_components", config.n_components), ("n_neighbors", config.n_neighbors)] {
        if number == AUTO {
            return Err(Error::not_allowed(name, "auto", "give a whole number: only LL-LVM finds it by itself"));
        }
    }
    if method.uses_graph() || config.largest {
        return embed_prepared(&table.prepare(edges)?, method, config, options, watch);
    }
    let (_, points) = Scaling::learn(values, config.scaling)?;
    let apart = Neighborhoods::from_lists(vec![vec![]; values.nrows()]);
    coordinates_by(method, &points, &apart, config.n_components, options, watch)
}

/// Embeds a table that is ready by a method.
pub fn embed_prepared(
    prepared: &Prepared,
    method: Method,
    config: &Config,
    options: &PeerOptions,
    watch: Watch,
) -> Result<Embedding> {
    options.validate()?;
    let (points, neighborhoods) = (prepared.points(), prepared.neighborhoods());
    let found = coordinates_by(method, points, neighborhoods, config.n_components, options, watch)?;
    Ok(Embedding { rows: prepared.rows().to_vec(), ..found })
}

/// Embeds points, d_y × n, one a column, on neighbourhoods that are known.
pub fn coordinates_by(
    method: Method,
    points: &Matrix,
    neighborhoods: &Neighborhoods,
    n_components: usize,
    options: &PeerOptions,
    watch: Watch,
) -> Result<Embedding> {
    let rows: Vec<usize> = (0..points.ncols()).collect();
    let coordinates = match method {
        Method::Pca => pca(points, n_components)?,
        Method::Mds => mds(points, n_components)?,
        Method::Isomap => isomap(points, neighborhoods.graph(), n_components)?,
        Method::Lle => lle(points, neighborhoods, n_components, options.regularization)?,
        Method::Ltsa => ltsa(points, neighborhoods, n_components)?,
        Method::LaplacianEigenmaps => laplacian_eigenmaps(neighborhoods, n_components)?,
        Method::Gplvm | Method::BayesianGplvm => {
            let PeerOptions { n_inducing, max_iter, random_state, .. } = *options;
            let settings = GplvmOptions { n_inducing, max_iter, random_state, ..GplvmOptions::default() };
            let climb = if method == Method::Gplvm { gplvm } else { bayesian_gplvm };
            let found = climb(points, None, n_components, &settings, watch)?;
            let optimum = Optimum {
                objective: found.objective,
                iterations: found.iterations,
                converged: found.converged,
                interrupted: found.interrupted,
                relevance: found.relevance,
                signal: found.signal,
                noise: found.noise,
                variances: found.variances,
            };
            return Ok(Embedding { coordinates: found.coordinates, rows, optimum: Some(optimum) });
        }
    };
    Ok(Embedding { coordinates, rows, optimum: None })
}
