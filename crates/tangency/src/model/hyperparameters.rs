//! α, γ, λ, ν.

use super::named::named_numbers;
use crate::config::{Config, Rule};

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
        /// How heavy the tail of the graph's likelihood is: 1/b of (1 + t/b)^(−b); 0 is e^(−t).
        heaviness: "1/b",
    }
}

impl Hyperparameters {
    /// Those that a run begins with.
    pub fn first(config: &Config) -> Self {
        let first = |rule: Rule| match rule {
            Rule::Fixed(value) => value,
            Rule::Learned => 1.0,
        };
        Self {
            alpha: config.alpha0,
            gamma: config.gamma0,
            lambda: first(config.lambda),
            nu: first(config.nu),
            heaviness: 0.0,
        }
    }

    /// Those that go with x → t·x, C → C/t, but for what the settings hold.
    pub fn rescaled(&self, t: f64, config: &Config) -> Self {
        let held = |rule: Rule, value: f64| match rule {
            Rule::Fixed(fixed) => fixed,
            Rule::Learned => value,
        };
        Self {
            alpha: held(config.alpha, self.alpha / (t * t)),
            gamma: self.gamma,
            lambda: held(config.lambda, self.lambda * t * t),
            nu: held(config.nu, self.nu * t * t),
            heaviness: self.heaviness,
        }
    }

    /// Whether all are numbers that a fit can have found.
    pub fn are_possible(&self) -> bool {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        [self.alpha, self.gamma, self.lambda].into_iter().all(positive)
            && (self.nu == 0.0 || positive(self.nu))
            && (0.0..=1.0).contains(&self.heaviness)
    }
}
