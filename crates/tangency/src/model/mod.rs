//! What is modelled: the scaled data with its graph, the posterior q(x) q(C), and the hyper-parameters.

mod hyperparameters;
mod posterior;
mod problem;
mod reduction;
mod scaling;
mod table_graph;

pub use hyperparameters::Hyperparameters;
pub use posterior::{Coordinates, Maps};
pub use problem::Problem;
pub use reduction::Reduction;
pub use scaling::{Scaling, ScalingRule};
pub(crate) use table_graph::{build_graph, check_values};
