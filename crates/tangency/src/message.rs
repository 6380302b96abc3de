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
    /// A column of data.
    Column(Column),
}

/// A column of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By its name.
    Named(String),
    /// By its number from 0, where there are no names; front ends count in their own way.
    Numbered(usize),
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl PartialEq<str> for Column {
    fn eq(&self, name: &str) -> bool {
        matches!(self, Self::Named(own) if own == name)
    }
}

impl From<Column> for Piece {
    fn from(column: Column) -> Self {
        Self::Column(column)
    }
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
    /// Turn a switch off.
    TurnOff(&'static str),
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
    /// A remedy, and what it is good for: "use … to …".
    To(Box<Remedy>, &'static str),
}

impl Remedy {
    /// Anything in words.
    pub fn act(words: impl Into<Message>) -> Self {
        Self::Do(words.into())
    }

    /// The same with what it is good for, as in "to keep the largest piece".
    pub fn to(self, purpose: &'static str) -> Self {
        Self::To(Box::new(self), purpose)
    }
}

/// What can be put as one sentence: what is so, and what to do about it.
pub trait Sentence {
    /// What is so, or wrong.
    fn message(&self) -> Message;

    /// What to do, the most likely first; nothing where there is nothing to do.
    fn remedies(&self) -> Vec<Remedy>;

    /// The sentence in the words of a front end.
    fn in_words(&self, words: &dyn Dialect) -> String {
        words.sentence(&self.message(), &self.remedies())
    }
}

/// The words of a front end: how it names settings, how it counts.
pub trait Dialect: Sync {
    /// The name of a setting.
    fn setting(&self, name: &str) -> String;

    /// A setting with a value.
    fn assignment(&self, name: &str, value: &str) -> String;

    /// The number of a row or column of data that is the `index`-th, from 0.
    fn number(&self, index: usize) -> usize;

    /// How a switch is turned off: the verb, and the rest of it.
    fn without(&self, name: &str) -> (&'static str, String) {
        ("use", self.assignment(name, "false"))
    }

    /// How a column is left out of the features.
    fn without_column(&self, column: &str) -> String {
        format!("leave the column out with {}", self.assignment("exclude", column))
    }

    /// A remedy as something to do: "use a larger …".
    fn remedy(&self, remedy: &Remedy) -> String {
        let (verb, object) = self.act(remedy);
        if verb.is_empty() { object } else { format!("{verb} {object}") }
    }

    /// The verb of a remedy, where many have the same, and the rest of it.
    fn act(&self, remedy: &Remedy) -> (&'static str, String) {
        match remedy {
            Remedy::Set(name, value) => ("use", self.assignment(name, value)),
            Remedy::TurnOn(name) => ("use", self.assignment(name, "true")),
            Remedy::TurnOff(name) => self.without(name),
            Remedy::Raise(name) => ("use", format!("a larger {}", self.setting(name))),
            Remedy::Lower(name) => ("use", format!("a smaller {}", self.setting(name))),
            Remedy::Change(name) => ("use", format!("another {}", self.setting(name))),
            Remedy::Omit(name) => ("leave out", self.setting(name)),
            Remedy::Overwrite => ("use", format!("{} to replace it", self.assignment("overwrite", "true"))),
            Remedy::ExcludeColumn(column) => ("", self.without_column(&shown(column))),
            Remedy::Do(message) => ("", self.words(message)),
            Remedy::To(remedy, purpose) => {
                let (verb, object) = self.act(remedy);
                (verb, format!("{object} to {purpose}"))
            }
        }
    }

    /// A message in these words.
    fn words(&self, message: &Message) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone().into_owned(),
            Piece::Setting(name) => self.setting(name),
            Piece::Assignment(name, value) => self.assignment(name, value),
            Piece::Given(text) => shown(text),
            Piece::File(path) => on_one_line(&path.display().to_string()),
            Piece::Row(index) => format!("row {}", self.number(*index)),
            Piece::Column(Column::Named(name)) => format!("column {}", shown(name)),
            Piece::Column(Column::Numbered(index)) => format!("column {}", self.number(*index)),
        };
        message.0.iter().map(piece).collect()
    }

    /// What is wrong, and what to do: one sentence.
    fn sentence(&self, what: &Message, remedies: &[Remedy]) -> String {
        let (mut text, mut said) = (self.words(what), "");
        for (place, remedy) in remedies.iter().enumerate() {
            let (verb, object) = self.act(remedy);
            text.push_str(if place == 0 { "; " } else { ", or " });
            // a verb counts for what follows: "use A, or B"
            if verb.is_empty() || verb != said {
                text.push_str(&self.remedy(remedy));
            } else {
                text.push_str(&object);
            }
            said = verb;
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

/// So many of what there may be many of are named.
const LISTED: usize = 12;

/// A number of bytes as people say it.
pub fn bytes_in_words(bytes: u64) -> String {
    const NAMES: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64 / 1024.0;
    let mut name = 0;
    while size >= 1024.0 && name + 1 < NAMES.len() {
        (size, name) = (size / 1024.0, name + 1);
    }
    format!("{size:.1} {}", NAMES[name])
}

/// A number of things, as in "1 row", "2 entries".
pub fn counted(count: usize, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {what}s"),
    }
}

/// What a user gave, on one line and not too long.
pub fn shown(text: &str) -> String {
    let mut short = on_one_line(&text.chars().take(SHOWN).collect::<String>());
    if text.chars().count() > SHOWN {
        short.push('…');
    }
    short
}

/// A path is shown whole, so that it can be found.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Names that a user gave, each as [`shown`], and not too many.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let mut words: Vec<String> = names.iter().take(LISTED).map(|name| shown(name.as_ref())).collect();
    if names.len() > LISTED {
        words.push("…".into());
    }
    words.join(", ")
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
            "row 1 holds \"run--2024\" and NU is 3; use a larger NU, or LAMBDA:1, or sleep on it"
        );
        assert_eq!(Fields.sentence(&what, &[]), "row 0 holds \"run--2024\" and nu is 3");
        let join = Remedy::TurnOn("connect").to("add bridges");
        assert_eq!(Fields.remedy(&join), "use connect = true to add bridges");
    }

    #[test]
    fn one_thing_is_no_things() {
        let said = [(0, "row"), (1, "row"), (2, "row"), (1, "entry"), (3, "entry")].map(|(n, what)| counted(n, what));
        assert_eq!(said, ["0 rows", "1 row", "2 rows", "1 entry", "3 entries"]);
    }

    #[test]
    fn what_a_user_gave_is_cut_and_on_one_line() {
        assert_eq!(shown("a\nb"), "a b");
        assert_eq!(shown(&"é".repeat(50)).chars().count(), SHOWN + 1);
        assert_eq!(listed(&["a\tb", "c"]), "a b, c");
        assert_eq!(listed(&["a"; LISTED + 1]).matches('a').count(), LISTED);
        assert_eq!(Fields.words(&message![file("a\nb")]), "a b");
    }
}
