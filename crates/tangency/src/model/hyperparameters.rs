//! α, γ, λ, ν.

use serde::{Deserialize, Serialize};

/// The hyper-parameters of the model, in the scaled units of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hyperparameters {
    /// Precision of the prior that keeps the coordinates near zero.
    pub alpha: f64,
    /// Precision of the noise on edges.
    pub gamma: f64,
    /// Smoothness of the maps: precision of their differences along edges.
    pub lambda: f64,
    /// Magnitude of the maps: precision of the maps themselves. Zero selects the paper's prior λ(2L + ε11ᵀ).
    pub nu: f64,
}
