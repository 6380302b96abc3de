//! Bayesian manifold learning.
pub mod config;
pub mod error;
pub mod fit;
pub mod generate;
pub mod graph;
pub mod inference;
pub mod io;
pub mod linalg;
pub mod model;
pub mod quality;

pub use config::{Config, Init, Rule, Uncertainty};
pub use error::{Error, Result};
pub use fit::{DistanceInterval, Fit, Fitter};
pub use generate::{Shape, generate};
pub use graph::{Graph, Symmetry};
pub use inference::{BoundParts, Progress, Stage, Start, Stop, TracePoint};
pub use model::{Hyperparameters, Scaling, ScalingRule};
