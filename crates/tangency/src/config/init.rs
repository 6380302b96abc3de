//! Where a run starts, how a hyper-parameter is treated, what deviations are about.

use super::Choice;
use super::setting::Named;
use crate::peers::{Method, with_methods};
use serde::{Deserialize, Serialize};

with_methods! {
    {
        /// Where a run starts.
        pub enum Init default Auto
    }
    {
        /// Short runs from `spectral`, `isomap` and `bayesian-gplvm` (`random` without the graph's likelihood or with several
        /// random starts), of which the one with the best bound goes on; `coarse` for more than 3000 points on the factorised
        /// engine.
        Auto = "auto",
        /// Maps drawn from a standard normal.
        Random = "random",
        /// The slowest modes of the graph's Laplacian.
        Spectral = "spectral",
    }
    {
        /// Isomap with paths from 200 points only: for many points.
        LandmarkIsomap = "landmark-isomap",
        /// A fit of ever coarser graphs of cells, carried over from the coarsest: for many points.
        Coarse = "coarse",
        /// Coordinates that the caller gives.
        Coordinates = "coordinates",
        /// Maps that the caller gives.
        Maps = "maps",
    }
}

impl Init {
    /// The other method whose coordinates it takes.
    pub fn method(self) -> Option<Method> {
        Method::named(self.name())
    }

    /// Whether the caller gives the start itself, so that its name alone says too little.
    pub fn is_given(self) -> bool {
        matches!(self, Self::Coordinates | Self::Maps)
    }

    /// Whether the start depends on the seed.
    pub fn uses_seed(self) -> bool {
        match self.method() {
            Some(method) => method.uses_seed(),
            None => matches!(self, Self::Auto | Self::Random | Self::Coarse),
        }
    }

    /// Whether `n_init` counts its random starts.
    pub fn repeats(self) -> bool {
        matches!(self, Self::Auto | Self::Random)
    }

    /// The starts that a name is enough for.
    pub fn by_name() -> Vec<Named> {
        let named = Self::ALL.iter().filter(|init| !init.is_given());
        named.map(|init| Named { name: init.name(), about: init.about() }).collect()
    }
}

crate::choice! {
    /// What the reported covariances of the coordinates are about.
    pub enum Uncertainty default Relative {
        /// The position of a point relative to the centroid of all, which is what a picture shows.
        Relative = "relative",
        /// The position itself; a common shift of all points, which no data can see, adds 1/(nα) to every variance.
        Absolute = "absolute",
    }
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

crate::choice! {
    /// How much each edge counts in the graph's likelihood.
    pub enum EdgeWeights default Membership {
        /// The less, the farther its points are apart among the neighbours of each.
        Membership = "membership",
        /// All alike.
        Plain = "plain",
    }
}

crate::choice! {
    /// Whether the map is stretched until edges have the lengths that they have in the table.
    pub enum KeepLengths default Auto {
        /// Where neighbourhoods stay as good and the weight of the features is left to the data.
        Auto = "auto",
        /// Not at all.
        Never = "never",
        /// Whatever becomes of neighbourhoods.
        Always = "always",
    }
}

crate::choice! {
    /// Words for a weight of the features.
    pub enum FeatureWord {
        /// The largest weight whose neighbourhoods are as good as the best.
        Auto = "auto",
        /// The paper's model, from the layout that the graph's likelihood found.
        Polish = "polish",
    }
}

/// How much the features count against the graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureWeight {
    /// The largest whose neighbourhoods are as good as the best.
    Auto,
    /// The paper's model, from the layout that the graph's likelihood found.
    Polish,
    /// This much.
    Fixed(f64),
}

impl FeatureWeight {
    /// The words for it.
    pub fn words() -> Vec<Named> {
        FeatureWord::list()
    }
}
