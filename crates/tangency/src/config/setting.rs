//! What a setting is: its name, what it may be, and its value in a form that front ends need no field for.

use super::{AUTO, Choice, FeatureWeight, FeatureWord, Rule};
use crate::error::{Error, Result};
use crate::message::{Message, Piece, Remedy, given};
use crate::{choice, message};
use serde_json::json;
use std::fmt;

/// How users leave a number to the data.
const AUTO_WORD: &str = "auto";

choice! {
    /// What settings are about, by which front ends group them.
    pub enum Group {
        /// The neighbour graph.
        Graph = "graph",
        /// The model.
        Model = "model",
        /// How the model is fitted.
        Engine = "engine",
    }
}

choice! {
    /// Numbers that a setting may be.
    pub enum Range {
        /// A positive number.
        Positive = "positive",
        /// Zero or a positive number.
        NotNegative = "not-negative",
        /// A share above 0 and up to 1.
        Share = "share",
        /// A number from 0 to 1.
        Unit = "unit",
    }
}

impl Range {
    /// Whether a number is one of them.
    pub fn contains(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Self::Positive => number > 0.0,
                Self::NotNegative => number >= 0.0,
                Self::Share => number > 0.0 && number <= 1.0,
                Self::Unit => (0.0..=1.0).contains(&number),
            }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Positive => "a positive number",
            Self::NotNegative => "zero or a positive number",
            Self::Share => "a share above 0 and up to 1",
            Self::Unit => "a number from 0 to 1",
        }
    }
}

/// A word of a closed list, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The word.
    pub name: &'static str,
    /// A sentence about it.
    pub about: &'static str,
}

/// What a setting may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number from this one on.
    Whole(u64),
    /// The same, or `auto`: left to the data. A field that is [`super::AUTO`] says so.
    WholeOrAuto(u64),
    /// A number.
    Real(Range),
    /// On or off.
    Switch,
    /// A word of a closed list.
    Choice(fn() -> Vec<Named>),
    /// A hyper-parameter: learned, or held at a number.
    LearnedOr(Range),
    /// A word of a closed list, or a number.
    ChoiceOr(fn() -> Vec<Named>, Range),
}

impl Kind {
    /// A field's value as users see it.
    pub(super) fn shown(self, value: Value) -> Value {
        match (self, value) {
            (Self::WholeOrAuto(_), Value::Whole(number)) if number == AUTO as u64 => Value::Word(AUTO_WORD),
            (_, value) => value,
        }
    }

    /// A user's value as a field holds it; unset if it would be taken for another one.
    pub(super) fn held(self, value: &Value) -> Value {
        match (self, value) {
            (Self::WholeOrAuto(_), Value::Word(AUTO_WORD)) => Value::Whole(AUTO as u64),
            (Self::WholeOrAuto(_), Value::Whole(number)) if *number == AUTO as u64 => Value::Unset,
            (_, value) => value.clone(),
        }
    }
}

/// A setting: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name: a field of [`super::Config`].
    pub name: &'static str,
    /// What it is, in a sentence or two. Names of settings stand between backticks.
    pub about: &'static str,
    /// What it is about.
    pub group: Group,
    /// What it may be.
    pub kind: Kind,
    /// Whether it may be unset.
    pub optional: bool,
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// None.
    Unset,
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// On or off.
    Switch(bool),
    /// A word of a closed list.
    Word(&'static str),
    /// Learned from the data.
    Learned,
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => out.write_str("none"),
            Self::Whole(number) => write!(out, "{number}"),
            // the shortest text that is read back as the same number
            Self::Real(number) if *number != 0.0 && !(1e-2..1e15).contains(&number.abs()) => write!(out, "{number:e}"),
            Self::Real(number) => write!(out, "{number}"),
            Self::Switch(on) => write!(out, "{on}"),
            Self::Word(word) => out.write_str(word),
            Self::Learned => out.write_str("learned"),
        }
    }
}

impl Setting {
    /// The words that it may be, if it is one of a closed list.
    pub fn choices(&self) -> Option<Vec<Named>> {
        match self.kind {
            Kind::Choice(list) | Kind::ChoiceOr(list, _) => Some(list()),
            _ => None,
        }
    }

    /// A value as it was typed. Whether a number is in its range is for [`Setting::check`] to say.
    pub fn parse(&self, text: &str) -> Result<Value> {
        let number = || text.parse().ok().map(Value::Real);
        let word = |list: fn() -> Vec<Named>| {
            list().iter().find(|choice| choice.name == text).map(|choice| Value::Word(choice.name))
        };
        let found = match self.kind {
            Kind::WholeOrAuto(_) if text == AUTO_WORD => Some(Value::Word(AUTO_WORD)),
            Kind::Whole(_) | Kind::WholeOrAuto(_) => text.parse().ok().map(Value::Whole),
            Kind::Real(_) => number(),
            Kind::Switch => text.parse().ok().map(Value::Switch),
            Kind::Choice(list) => word(list),
            Kind::ChoiceOr(list, _) => word(list).or_else(number),
            Kind::LearnedOr(_) if text == "learned" => Some(Value::Learned),
            Kind::LearnedOr(_) => number(),
        };
        found.ok_or_else(|| self.refused(message!["\"", given(text), "\""]))
    }

    /// Whether a value is in its range.
    pub fn check(&self, value: &Value) -> Result<()> {
        let fits = match (self.kind, value) {
            (_, Value::Unset) => self.optional,
            (Kind::Whole(least) | Kind::WholeOrAuto(least), Value::Whole(number)) => *number >= least,
            (Kind::WholeOrAuto(_), Value::Word(word)) => *word == AUTO_WORD,
            (Kind::Real(range) | Kind::LearnedOr(range) | Kind::ChoiceOr(_, range), Value::Real(number)) => {
                range.contains(*number)
            }
            (Kind::LearnedOr(_), Value::Learned)
            | (Kind::Switch, Value::Switch(_))
            | (Kind::Choice(_) | Kind::ChoiceOr(..), Value::Word(_)) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.refused(value.to_string().into())) }
    }

    /// What it may be, in words that "use" can stand before.
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Whole(0) => "a whole number".into(),
            Kind::Whole(least) => format!("a whole number, at least {least}"),
            Kind::WholeOrAuto(least) => format!("a whole number, at least {least}, or {AUTO_WORD}"),
            Kind::Real(range) => range.words().into(),
            Kind::Switch => "true or false".into(),
            Kind::Choice(list) => format!("one of {}", names(list)),
            Kind::ChoiceOr(list, range) => format!("{}, or one of {}", range.words(), names(list)),
            Kind::LearnedOr(range) => format!("{}, or learned", range.words()),
        }
    }

    /// The error about a value that it cannot be.
    pub(super) fn refused(&self, value: Message) -> Error {
        let mut problem = message![Piece::Setting(self.name), " is "];
        problem.0.extend(value.0);
        Error::Setting {
            name: self.name,
            problem,
            remedies: vec![Remedy::Do(format!("use {}", self.allowed()).into())],
        }
    }

    /// The row for other programs: name, about, group, kind, range, choices.
    pub fn as_json(&self) -> serde_json::Value {
        let (kind, range) = match self.kind {
            Kind::Whole(least) => ("whole", json!({"least": least})),
            Kind::WholeOrAuto(least) => ("whole-or-auto", json!({"least": least, "auto": AUTO})),
            Kind::Real(range) => ("real", range.as_json()),
            Kind::Switch => ("switch", json!(null)),
            Kind::Choice(_) => ("choice", json!(null)),
            Kind::LearnedOr(range) => ("learned-or-real", range.as_json()),
            Kind::ChoiceOr(_, range) => ("choice-or-real", range.as_json()),
        };
        let named = |choice: &Named| json!({"name": choice.name, "about": choice.about});
        json!({
            "name": self.name, "about": self.about, "group": self.group, "kind": kind, "range": range,
            "optional": self.optional, "allowed": self.allowed(),
            "choices": self.choices().map(|list| list.iter().map(named).collect::<Vec<_>>()),
        })
    }
}

impl Range {
    fn as_json(self) -> serde_json::Value {
        match self {
            Self::Positive => json!({"above": 0.0}),
            Self::NotNegative => json!({"least": 0.0}),
            Self::Share => json!({"above": 0.0, "most": 1.0}),
            Self::Unit => json!({"least": 0.0, "most": 1.0}),
        }
    }
}

fn names(list: fn() -> Vec<Named>) -> String {
    list().iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ")
}

/// The type of a field of [`super::Config`].
pub(super) trait Field: Sized {
    const OPTIONAL: bool = false;

    fn value(&self) -> Value;

    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for usize {
    fn value(&self) -> Value {
        Value::Whole(*self as u64)
    }

    fn from_value(value: &Value) -> Option<Self> {
        u64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl Field for u64 {
    fn value(&self) -> Value {
        Value::Whole(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Whole(number) => Some(*number),
            _ => None,
        }
    }
}

impl Field for f64 {
    fn value(&self) -> Value {
        Value::Real(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            _ => None,
        }
    }
}

impl Field for bool {
    fn value(&self) -> Value {
        Value::Switch(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Switch(on) => Some(*on),
            _ => None,
        }
    }
}

impl Field for Rule {
    fn value(&self) -> Value {
        match self {
            Self::Learned => Value::Learned,
            Self::Fixed(number) => Value::Real(*number),
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Learned => Some(Self::Learned),
            value => f64::from_value(value).map(Self::Fixed),
        }
    }
}

impl Field for FeatureWeight {
    fn value(&self) -> Value {
        match self {
            Self::Auto => Value::Word(FeatureWord::Auto.name()),
            Self::Polish => Value::Word(FeatureWord::Polish.name()),
            Self::Fixed(number) => Value::Real(*number),
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) => Some(match FeatureWord::named(word)? {
                FeatureWord::Auto => Self::Auto,
                FeatureWord::Polish => Self::Polish,
            }),
            value => f64::from_value(value).map(Self::Fixed),
        }
    }
}

impl<T: Field> Field for Option<T> {
    const OPTIONAL: bool = true;

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Unset, T::value)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Unset => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<C: Choice> Field for C {
    fn value(&self) -> Value {
        Value::Word(self.name())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word(word) => C::named(word),
            _ => None,
        }
    }
}
