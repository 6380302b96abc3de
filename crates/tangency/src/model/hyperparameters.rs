//! α, γ, λ, ν.

use super::named::named_numbers;

named_numbers! {
    /// The hyper-parameters of the model, in the scaled units of the data.
    pub struct Hyperparameters {
        /// Precision of the noise on edges.
        gamma: "γ",
        /// Precision of the prior that keeps the coordinates near zero.
        alpha: "α",
        /// Smoothness of the maps: precision of their differences along edges.
        lambda: "λ",
        /// Magnitude of the maps: precision of the maps themselves. Zero selects the paper's prior λ(2L + ε11ᵀ).
        nu: "ν",
    }
}

impl Hyperparameters {
    /// Whether all are numbers that a fit can have found.
    pub fn are_possible(&self) -> bool {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        [self.alpha, self.gamma, self.lambda].into_iter().all(positive) && (self.nu == 0.0 || positive(self.nu))
    }
}
