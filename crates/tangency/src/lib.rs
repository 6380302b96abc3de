//! Bayesian manifold learning: the Locally Linear Latent Variable Model (LL-LVM).
//!
//! Given a table of many measurements per sample and a neighbour graph, variational EM gives a Gaussian posterior over a
//! few coordinates and over local linear maps, and a lower bound on the evidence for the graph and the dimension.
//!
//! [`Fitter`] turns a table and a [`Config`] into a [`Fit`]:
//!
//! ```
//! use tangency::{Config, Fitter, Shape, generate};
//!
//! let curve = generate(Shape::SCurve, 150, 0.0, 1);
//! let fit = Fitter::new(Config::default()).fit(&curve.points)?;
//! let deviations = fit.standard_deviations();
//! println!("x of the first sample: {:.2} ± {:.2}", fit.coordinates[(0, 0)], deviations[(0, 0)]);
//! assert!(tangency::quality::affine_r2(&fit.coordinates, &curve.truth)? > 0.98);
//! # Ok::<(), tangency::Error>(())
//! ```
//!
//! The library prints nothing, draws nothing and needs no terminal; progress leaves through [`Fitter::observer`].

pub mod compare;
pub mod config;
pub mod density;
pub mod error;
pub mod evidence;
pub mod extend;
pub mod fit;
pub mod generate;
pub mod graph;
pub mod inference;
pub mod io;
pub mod linalg;
mod memory;
pub mod message;
#[doc(hidden)]
pub mod message_examples;
pub mod model;
pub mod peers;
pub mod quality;
pub mod view;

pub use config::{Choice, Config, Init, Preset, Rule, Uncertainty};
pub use error::{Error, Result};
pub use fit::{DistanceInterval, Fit, Fitter};
pub use generate::{Shape, generate};
pub use graph::{Graph, Metric, Symmetry};
pub use inference::{BoundParts, Progress, Stage, Start, Stop, TracePoint};
pub use model::{Hyperparameters, Scaling, ScalingChoice, ScalingRule};

/// The code of the guide is run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
mod guide {}
