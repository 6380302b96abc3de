//! The settings of a fit. A field here, an argument in Python and a flag on the command line have the same name.

use crate::error::{Error, Result};
use crate::graph::{NeighborSearch, Symmetry};
use crate::inference::EngineKind;
use crate::model::ScalingRule;
use serde::{Deserialize, Serialize};

/// Where a run starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// Short runs from `spectral`, `isomap` and `random`, the one with the best bound goes on; `coarse` for more than 3000
    /// points on the factorised engine.
    #[default]
    Auto,
    /// Maps drawn from a standard normal.
    Random,
    /// Coordinates on the first principal axes.
    Pca,
    /// Classical scaling of the straight distances.
    Mds,
    /// The slowest modes of the graph's Laplacian.
    Spectral,
    /// Classical scaling of the distances along the graph.
    Isomap,
    /// The same with paths from 200 points only: for many points.
    LandmarkIsomap,
    /// Locally linear embedding.
    Lle,
    /// Local tangent space alignment.
    Ltsa,
    /// Laplacian eigenmaps: the slowest modes of a random walk on the graph.
    LaplacianEigenmaps,
    /// Gaussian-process latent variable model.
    Gplvm,
    /// Bayesian GP-LVM.
    BayesianGplvm,
    /// A fit of ever coarser graphs of cells, carried over from the coarsest: for many points.
    Coarse,
    /// Coordinates that the caller gives.
    Coordinates,
    /// Maps that the caller gives.
    Maps,
}

/// How a hyper-parameter is treated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Learned from the data.
    Learned,
    /// Held at a value.
    Fixed(f64),
}

/// What the reported covariances of the coordinates are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncertainty {
    /// The position of a point relative to the centroid of all, which is what a picture shows.
    #[default]
    Relative,
    /// The position itself; a common shift of all points, which no data can see, adds 1/(nα) to every variance.
    Absolute,
}

/// The settings of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Latent dimension d_x.
    pub n_components: usize,
    /// Neighbours of each point.
    pub n_neighbors: usize,
    /// How neighbourhood is made mutual.
    pub symmetry: Symmetry,
    /// How nearest neighbours are searched.
    pub neighbor_search: NeighborSearch,
    /// Join all points within this distance (in the units given) instead of the nearest `n_neighbors`.
    pub radius: Option<f64>,
    /// Join the pieces of a broken graph by the shortest bridges.
    pub connect: bool,
    /// Keep only the largest piece of a broken graph.
    pub largest: bool,
    /// How the data are scaled.
    pub scaling: ScalingRule,
    /// Share of the variance along the principal axes that the means of maps are restricted to; none for all features.
    pub pca: Option<f64>,
    /// Where a run starts.
    pub init: Init,
    /// How many random starts; the best bound is kept.
    pub n_init: usize,
    /// Most iterations of a run.
    pub max_iter: usize,
    /// A run ends when an iteration without extrapolation raises the bound by less than this, in nats a point.
    pub tol: f64,
    /// The same for runs that began from a coarser graph, where it is larger: what such a run gains slowly it gains by
    /// bending a layout that is right.
    pub coarse_tol: f64,
    /// The small constant ε of the paper's priors.
    pub epsilon: f64,
    /// First γ.
    pub gamma0: f64,
    /// First α; a fixed `alpha` takes its place after the first iteration, a learned one after a warm-up.
    pub alpha0: f64,
    /// α after it: fixed, or learned once the coordinates have grown.
    pub alpha: Rule,
    /// Smoothness λ of the maps.
    pub lambda: Rule,
    /// Magnitude ν of the maps; fixed at 0 it selects the paper's prior.
    pub nu: Rule,
    /// Joint rescaling and guarded extrapolation.
    pub accelerate: bool,
    /// What reported covariances are about.
    pub uncertainty: Uncertainty,
    /// Keep the full covariance of the coordinates in the result.
    pub full_covariance: bool,
    /// Which engine.
    pub engine: EngineKind,
    /// Steps along the graph around a point from which the factorised engine takes resistances; 0 for the whole graph.
    pub ball_radius: usize,
    /// Draws from which the factorised engine estimates marginal deviations; 0 for conditional ones, none for a number
    /// that goes by the size.
    pub draws: Option<usize>,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            n_components: 2,
            n_neighbors: 9,
            symmetry: Symmetry::Or,
            neighbor_search: NeighborSearch::Auto,
            radius: None,
            connect: false,
            largest: false,
            scaling: ScalingRule::MaxAbs,
            pca: None,
            init: Init::Auto,
            n_init: 1,
            max_iter: 500,
            tol: 1e-4,
            coarse_tol: 1e-2,
            epsilon: 1e-3,
            gamma0: 1.0,
            alpha0: 1e-3,
            alpha: Rule::Learned,
            lambda: Rule::Learned,
            nu: Rule::Learned,
            accelerate: true,
            uncertainty: Uncertainty::Relative,
            full_covariance: false,
            engine: EngineKind::Auto,
            ball_radius: 2,
            draws: None,
            random_state: 0,
        }
    }
}

impl Config {
    /// The settings of the paper's authors: λ = 1, ν = 0, α = 1 for one update and 0.001 from then on, one random
    /// start, no acceleration.
    pub fn authors() -> Self {
        Self {
            init: Init::Random,
            alpha0: 1.0,
            alpha: Rule::Fixed(1e-3),
            lambda: Rule::Fixed(1.0),
            nu: Rule::Fixed(0.0),
            accelerate: false,
            uncertainty: Uncertainty::Absolute,
            ..Self::default()
        }
    }

    /// Checks what can be checked without the data.
    pub fn validate(&self) -> Result<()> {
        let invalid = |field, requirement: String| Err(Error::InvalidConfig { field, requirement });
        let positive = |field, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                invalid(field, format!("a positive number, not {value}"))
            }
        };
        for (field, value) in [
            ("n_components", self.n_components),
            ("n_neighbors", self.n_neighbors),
            ("n_init", self.n_init),
            ("max_iter", self.max_iter),
        ] {
            if value == 0 {
                return invalid(field, "at least 1".into());
            }
        }
        positive("epsilon", self.epsilon)?;
        positive("gamma0", self.gamma0)?;
        positive("alpha0", self.alpha0)?;
        if let Some(radius) = self.radius {
            positive("radius", radius)?;
        }
        for (field, value) in [("tol", self.tol), ("coarse_tol", self.coarse_tol)] {
            if !(value >= 0.0 && value.is_finite()) {
                return invalid(field, format!("zero or a positive number, not {value}"));
            }
        }
        if self.pca.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
            return invalid("pca", "a share of the variance above 0 and up to 1".into());
        }
        if self.full_covariance && self.engine == EngineKind::Factorised {
            return invalid(
                "full_covariance",
                "off with the factorised engine, which has none; use engine exact".into(),
            );
        }
        if self.init == Init::Coarse && self.engine == EngineKind::Exact {
            return invalid("init", "another than coarse with the exact engine: it is for many points".into());
        }
        if self.n_init > 1 && !matches!(self.init, Init::Auto | Init::Random) {
            return invalid(
                "n_init",
                "1 unless init is auto or random: the other starts are the same every time".into(),
            );
        }
        if self.connect && self.largest {
            return invalid("connect", "left out when largest is given: choose one of the two".into());
        }
        if let Rule::Fixed(alpha) = self.alpha {
            positive("alpha", alpha)?;
        }
        if let Rule::Fixed(lambda) = self.lambda {
            positive("lambda", lambda)?;
        }
        match (self.nu, self.lambda) {
            (Rule::Fixed(nu), _) if !(nu >= 0.0 && nu.is_finite()) => {
                invalid("nu", format!("zero or a positive number, not {nu}"))
            }
            (Rule::Fixed(nu), Rule::Learned) if nu > 0.0 => {
                invalid("nu", "learned or 0 while lambda is learned; fix lambda too".into())
            }
            (Rule::Learned, Rule::Fixed(_)) => {
                invalid("nu", "fixed while lambda is fixed; learn both, or fix both".into())
            }
            _ => Ok(()),
        }
    }
}
