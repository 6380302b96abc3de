//! Messages as data: our words, names of settings, what a user gave, and what to do next. The library knows no flags and no
//! Python; a front end puts a message into its own words with a [`Dialect`].

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Our own words.
    Text(Cow<'static, str>),
    /// A setting, by its name in the table of settings.
    Setting(&'static str),
    /// A setting with a value.
    Assignment(&'static str, String),
    /// What a user gave, such as a cell: on one line, cut when it is long, otherwise as it is.
    Given(String),
    /// A file.
    File(PathBuf),
    /// A row of data, from 0; front ends count in their own way.
    Row(usize),
    /// A column of data without a name, from 0.
    Column(usize),
}

impl From<&'static str> for Piece {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// What a user gave, as a piece.
pub fn given(text: impl Into<String>) -> Piece {
    Piece::Given(text.into())
}

/// A file, as a piece.
pub fn file(path: impl AsRef<Path>) -> Piece {
    Piece::File(path.as_ref().to_owned())
}

/// A sentence, or a part of one, without the full stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(pub Vec<Piece>);

impl<P: Into<Piece>> From<P> for Message {
    fn from(piece: P) -> Self {
        Self(vec![piece.into()])
    }
}

/// A [`Message`] of pieces: text, and [`Piece`]s between.
#[macro_export]
macro_rules! message {
    ($($piece:expr),+ $(,)?) => {
        $crate::message::Message(vec![$($crate::message::Piece::from($piece)),+])
    };
}

/// What a user can do about something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Give a setting this value.
    Set(&'static str, String),
    /// Turn a switch on.
    TurnOn(&'static str),
    /// Give a setting a larger value.
    Raise(&'static str),
    /// Give a setting a smaller value.
    Lower(&'static str),
    /// Give a setting another value.
    Change(&'static str),
    /// Do not give a setting.
    Omit(&'static str),
    /// Allow the file to be replaced.
    Overwrite,
    /// Take this column out of the features.
    ExcludeColumn(String),
    /// Anything else, in words.
    Do(Message),
}

/// The words of a front end: how it names settings, how it counts.
pub trait Dialect {
    /// The name of a setting.
    fn setting(&self, name: &str) -> String;

    /// A setting with a value.
    fn assignment(&self, name: &str, value: &str) -> String;

    /// The number of a row or column of data that is the `index`-th, from 0.
    fn number(&self, index: usize) -> usize;

    /// A remedy as something to do: "give a larger …".
    fn remedy(&self, remedy: &Remedy) -> String {
        match remedy {
            Remedy::Set(name, value) => format!("use {}", self.assignment(name, value)),
            Remedy::TurnOn(name) => format!("use {}", self.assignment(name, "true")),
            Remedy::Raise(name) => format!("use a larger {}", self.setting(name)),
            Remedy::Lower(name) => format!("use a smaller {}", self.setting(name)),
            Remedy::Change(name) => format!("use another {}", self.setting(name)),
            Remedy::Omit(name) => format!("leave out {}", self.setting(name)),
            Remedy::Overwrite => format!("use {} to replace it", self.assignment("overwrite", "true")),
            Remedy::ExcludeColumn(column) => {
                format!("leave the column out with {}", self.assignment("exclude", &shown(column)))
            }
            Remedy::Do(message) => self.words(message),
        }
    }

    /// A message in these words.
    fn words(&self, message: &Message) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone().into_owned(),
            Piece::Setting(name) => self.setting(name),
            Piece::Assignment(name, value) => self.assignment(name, value),
            Piece::Given(text) => shown(text),
            Piece::File(path) => path.display().to_string(),
            Piece::Row(index) => format!("row {}", self.number(*index)),
            Piece::Column(index) => format!("column {}", self.number(*index)),
        };
        message.0.iter().map(piece).collect()
    }

    /// What is wrong, and what to do: one sentence.
    fn sentence(&self, what: &Message, remedies: &[Remedy]) -> String {
        let mut text = self.words(what);
        let ways: Vec<String> = remedies.iter().map(|remedy| self.remedy(remedy)).collect();
        if !ways.is_empty() {
            text = format!("{text}; {}", ways.join(", or "));
        }
        text
    }
}

/// The words of the library itself: settings are fields of [`crate::Config`], rows count from 0.
pub struct Fields;

impl Dialect for Fields {
    fn setting(&self, name: &str) -> String {
        name.to_owned()
    }

    fn assignment(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn number(&self, index: usize) -> usize {
        index
    }
}

/// So much of what a user gave is shown.
const SHOWN: usize = 40;

/// What a user gave, on one line and not too long.
pub fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > SHOWN {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_put_into_the_words_of_a_front_end() {
        struct Shouting;
        impl Dialect for Shouting {
            fn setting(&self, name: &str) -> String {
                name.to_uppercase()
            }
            fn assignment(&self, name: &str, value: &str) -> String {
                format!("{}:{value}", name.to_uppercase())
            }
            fn number(&self, index: usize) -> usize {
                index + 1
            }
        }
        let what = message![Piece::Row(0), " holds \"", given("run--2024"), "\" and ", Piece::Setting("nu"), " is 3"];
        let ways = [Remedy::Raise("nu"), Remedy::Set("lambda", "1".into()), Remedy::Do(message!["sleep on it"])];
        assert_eq!(
            Shouting.sentence(&what, &ways),
            "row 1 holds \"run--2024\" and NU is 3; use a larger NU, or use LAMBDA:1, or sleep on it"
        );
        assert_eq!(Fields.sentence(&what, &[]), "row 0 holds \"run--2024\" and nu is 3");
    }

    #[test]
    fn what_a_user_gave_is_cut_and_on_one_line() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"é".repeat(50)).chars().count(), SHOWN + 1);
    }
}
