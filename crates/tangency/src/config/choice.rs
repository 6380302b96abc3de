//! Closed lists: each is written once, with the word and the sentence of each of its members.

use super::setting::Named;

/// A member of a closed list: `ALL` of them, each with the word that stands for it in files, in Python and on the command
/// line, and a sentence about it. Lists are made by [`choice!`](crate::choice).
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// All members, in the order in which they are shown.
    const ALL: &'static [Self];
    /// Their words.
    const NAMES: &'static [&'static str];

    /// Its word.
    fn name(self) -> &'static str;

    /// What it is, in a sentence.
    fn about(self) -> &'static str;

    /// The member with this word.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name)
    }

    /// All words with their sentences.
    fn list() -> Vec<Named> {
        Self::ALL.iter().map(|choice| Named { name: choice.name(), about: choice.about() }).collect()
    }
}

/// Defines a closed list: an enum with [`Choice`](crate::config::Choice), `Display` and, as its word, serde. Each member has a
/// doc comment, which is its sentence, and its word; `default` names the member that is the default.
///
/// ```
/// use tangency::config::Choice;
///
/// tangency::choice! {
///     /// Sides of a coin.
///     pub enum Side default Heads {
///         /// The side with a head.
///         Heads = "heads",
///         /// The other.
///         Tails = "tails",
///     }
/// }
/// assert_eq!(Side::named("tails"), Some(Side::Tails));
/// assert_eq!(Side::default().about(), "The side with a head.");
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $list:ident $(default $default:ident)? {
            $($(#[doc = $about:literal])+ $member:ident = $name:literal),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $vis enum $list {
            $($(#[doc = $about])+ $member),+
        }

        impl $crate::config::Choice for $list {
            const ALL: &'static [Self] = &[$(Self::$member),+];
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name),+
                }
            }

            fn about(self) -> &'static str {
                match self {
                    $(Self::$member => concat!($($about),+).trim_ascii_start()),+
                }
            }
        }

        $(impl Default for $list {
            fn default() -> Self {
                Self::$default
            }
        })?

        impl std::fmt::Display for $list {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad($crate::config::Choice::name(*self))
            }
        }

        impl $crate::config::serde::Serialize for $list {
            fn serialize<S: $crate::config::serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str($crate::config::Choice::name(*self))
            }
        }

        impl<'de> $crate::config::serde::Deserialize<'de> for $list {
            fn deserialize<D: $crate::config::serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                use $crate::config::serde::de::Error;
                let word = <String as $crate::config::serde::Deserialize>::deserialize(from)?;
                <Self as $crate::config::Choice>::named(&word)
                    .ok_or_else(|| D::Error::unknown_variant(&word, <Self as $crate::config::Choice>::NAMES))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    //! The word of each member is its own, in kebab case, and is how JSON has it.
    #![allow(clippy::unwrap_used)]

    use super::Choice;
    use crate::config::{Group, Init, Preset, Uncertainty};
    use crate::evidence::CellStop;
    use crate::extend::Predicts;
    use crate::graph::{EdgeNames, NeighborSearch, Symmetry};
    use crate::inference::{DeviationKind, EngineKind, Solver, Stage, Stop};
    use crate::model::ScalingRule;
    use crate::peers::Method;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    fn holds<C: Choice + Serialize + DeserializeOwned + std::fmt::Debug>() {
        assert_eq!(C::ALL.len(), C::NAMES.len());
        for (place, &choice) in C::ALL.iter().enumerate() {
            let name = choice.name();
            assert_eq!(name, C::NAMES[place]);
            // variants are the same words in camel case
            let camel: String = name.split('-').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
            assert_eq!(format!("{choice:?}"), camel);
            assert_eq!(C::named(name), Some(choice));
            assert_eq!(serde_json::to_string(&choice).unwrap(), format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<C>(&format!("\"{name}\"")).unwrap(), choice);
            assert!(choice.about().ends_with('.') && !choice.about().starts_with(' '), "{name}: {}", choice.about());
        }
        assert_eq!(C::named("no such word"), None);
        assert!(serde_json::from_str::<C>("\"no such word\"").is_err());
    }

    #[test]
    fn words_stand_for_members() {
        holds::<Init>();
        holds::<Uncertainty>();
        holds::<Preset>();
        holds::<Group>();
        holds::<Method>();
        holds::<EngineKind>();
        holds::<Symmetry>();
        holds::<NeighborSearch>();
        holds::<EdgeNames>();
        holds::<ScalingRule>();
        holds::<Stop>();
        holds::<Stage>();
        holds::<Solver>();
        holds::<DeviationKind>();
        holds::<CellStop>();
        holds::<Predicts>();
        holds::<crate::Shape>();
    }

    #[test]
    fn every_method_is_a_start() {
        for method in Method::ALL {
            assert_eq!(Init::named(method.name()).and_then(Init::method), Some(*method));
        }
        assert_eq!(Init::Random.method(), None);
    }
}
