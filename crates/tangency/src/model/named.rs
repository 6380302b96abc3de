//! Structs of named numbers: hyper-parameters, parts of the bound. Files, traces, pages and Python go through the list of
//! names, so that one more number is one more line where it is defined.

/// Defines a struct of `f64` fields with a label each, and the ways to go through them.
macro_rules! named_numbers {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $label:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: f64,)+
        }

        impl $name {
            /// The names of the numbers, as in files and in Python.
            pub const NAMES: [&'static str; [$(stringify!($field)),+].len()] = [$(stringify!($field)),+];
            /// What figures and tables call them.
            pub const LABELS: [&'static str; Self::NAMES.len()] = [$($label),+];
            /// What each is, in a sentence or two, with a space before it.
            pub const ABOUT: [&'static str; Self::NAMES.len()] = [$(concat!($($doc),+)),+];

            /// The numbers in the order of their names.
            pub fn values(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$field),+]
            }

            /// From numbers in the order of the names.
            pub fn from_values([$($field),+]: [f64; Self::NAMES.len()]) -> Self {
                Self { $($field),+ }
            }

            /// The numbers with their names.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
                Self::NAMES.into_iter().zip(self.values())
            }
        }
    };
}

pub(crate) use named_numbers;
