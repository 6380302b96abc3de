//! The settings of a fit: one table of them, and the closed lists of words that some of them are.

mod choice;
mod init;
mod rules;
mod setting;
mod table;
#[cfg(test)]
mod tests;

use crate::model::ScalingRule;
pub use choice::Choice;
pub use init::{EdgeWeights, FeatureWeight, FeatureWord, Init, KeepLengths, Rule, Uncertainty};
#[doc(hidden)]
pub use serde;
pub use setting::{Group, Kind, Named, Range, Setting, Value};
pub use table::Config;

/// What a whole number is that is left to the data, where the table of settings allows it.
pub const AUTO: usize = 0;

crate::choice! {
    /// Settings to begin from.
    pub enum Preset default Default {
        /// Our defaults.
        Default = "default",
        /// Those of the paper's authors: λ = 1, ν = 0, α = 1 for one update and 0.001 from then on, one random start, no
        /// acceleration, no likelihood of the graph.
        Authors = "authors",
    }
}

impl Preset {
    /// Its settings.
    pub fn config(self) -> Config {
        let plain = Config::default();
        match self {
            Self::Default => plain,
            Self::Authors => Config {
                init: Init::Random,
                alpha0: 1.0,
                alpha: Rule::Fixed(1e-3),
                lambda: Rule::Fixed(1.0),
                nu: Rule::Fixed(0.0),
                accelerate: false,
                graph_likelihood: false,
                scaling: ScalingRule::MaxAbs,
                uncertainty: Uncertainty::Absolute,
                ..plain
            },
        }
    }
}

impl Config {
    /// The settings of the paper's authors.
    pub fn authors() -> Self {
        Preset::Authors.config()
    }

    /// The row of the table with this name.
    pub fn setting(name: &str) -> Option<&'static Setting> {
        Self::SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// The settings that differ from those of a preset, with their values here.
    pub fn differences(&self, preset: Preset) -> Vec<(&'static Setting, Value)> {
        let plain = preset.config();
        let differs = |setting: &'static Setting| {
            let value = self.get(setting.name)?;
            (plain.get(setting.name).as_ref() != Some(&value)).then_some((setting, value))
        };
        Self::SETTINGS.iter().filter_map(differs).collect()
    }
}
