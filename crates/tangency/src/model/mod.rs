//! What is modelled: the scaled data with its graph, the priors, and the hyper-parameters.

mod affinity;
mod anchors;
mod feature_noise;
mod hyperparameters;
mod missing;
mod named;
mod prepared;
mod priors;
mod problem;
mod reduction;
mod scaling;
mod structure;
mod table_graph;
mod units;

pub use affinity::Affinity;
pub use feature_noise::{FeatureNoise, TableView, check_views};
pub(crate) use feature_noise::{NoiseScales, losses};
pub use hyperparameters::Hyperparameters;
pub use missing::{Filling, MissingEntries, MissingRule, MissingTerm};
pub(crate) use missing::{RowGaps, flow};
pub(crate) use named::named_numbers;
pub use prepared::Prepared;
pub(crate) use prepared::{Checked, ScaledTable, kept_rows, whole_rows};
pub use priors::{CoordinatePrior, GraphPrecision, MapPrior};
pub use problem::Problem;
pub use reduction::Reduction;
pub use scaling::{Scaling, ScalingRule};
pub use structure::{GroupRequest, KnownKind, KnownValues, MOST_GROUPS, Structure};
pub(crate) use table_graph::{FoundGraph, check_values, too_many_neighbors};
pub(crate) use units::settled as settled_scaling;
pub use units::{ScalingChoice, ScalingReason};
