//! What is modelled: the scaled data with its graph, the posterior q(x) q(C), and the hyper-parameters.

mod hyperparameters;
mod posterior;
mod problem;
mod scaling;

pub use hyperparameters::Hyperparameters;
pub use posterior::{Coordinates, Maps};
pub use problem::Problem;
pub use scaling::{Scaling, ScalingRule};
