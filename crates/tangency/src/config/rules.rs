//! What settings must not be together.

use super::{Choice, Config, Init, Rule};
use crate::error::{Error, Result};
use crate::inference::EngineKind;
use crate::message;
use crate::message::{Message, Piece, Remedy};

impl Config {
    /// Checks what can be checked without the data.
    pub fn validate(&self) -> Result<()> {
        for setting in Self::SETTINGS {
            self.get(setting.name).map_or(Ok(()), |value| setting.check(&value))?;
        }
        self.rules()
    }

    fn rules(&self) -> Result<()> {
        let set = |name| Piece::Assignment(name, self.get(name).map(|value| value.to_string()).unwrap_or_default());
        let wrong = |name, problem: Message, remedies: Vec<Remedy>| Err(Error::Setting { name, problem, remedies });
        if self.full_covariance && self.engine == EngineKind::Factorised {
            return wrong(
                "full_covariance",
                message!["the factorised engine has no ", Piece::Setting("full_covariance")],
                vec![Remedy::Set("engine", EngineKind::Exact.to_string()), Remedy::TurnOff("full_covariance")],
            );
        }
        if self.init == Init::Coarse && self.engine == EngineKind::Exact {
            return wrong(
                "init",
                message![set("init"), " is for many points and does not go with ", set("engine")],
                vec![Remedy::Change("init"), Remedy::Set("engine", EngineKind::Factorised.to_string())],
            );
        }
        if self.n_init > 1 && !self.init.repeats() {
            return wrong(
                "n_init",
                message![Piece::Setting("n_init"), " counts random starts, and ", set("init"), " has none"],
                vec![Remedy::Set("init", Init::Random.name().into()), Remedy::Omit("n_init")],
            );
        }
        if self.connect && self.largest {
            return wrong(
                "connect",
                message![Piece::Setting("connect"), " does not go with ", Piece::Setting("largest")],
                vec![Remedy::TurnOff("connect"), Remedy::TurnOff("largest")],
            );
        }
        match (self.nu, self.lambda) {
            (Rule::Fixed(nu), Rule::Learned) if nu > 0.0 => wrong(
                "nu",
                message![
                    Piece::Setting("nu"),
                    " is fixed at ",
                    self.nu_words(),
                    " while ",
                    Piece::Setting("lambda"),
                    " is learned"
                ],
                vec![Remedy::Do(message!["fix ", Piece::Setting("lambda"), " too"]), Remedy::Omit("nu")],
            ),
            (Rule::Learned, Rule::Fixed(_)) => wrong(
                "nu",
                message![Piece::Setting("lambda"), " is fixed while ", Piece::Setting("nu"), " is learned"],
                vec![Remedy::Do(message!["fix both, or learn both"])],
            ),
            _ => Ok(()),
        }
    }

    fn nu_words(&self) -> String {
        self.get("nu").map(|value| value.to_string()).unwrap_or_default()
    }
}
