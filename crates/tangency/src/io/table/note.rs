//! What to know about how a table was understood.

use crate::message;
use crate::message::{Message, Piece, Remedy, Sentence, given, listed, shown};

/// Columns that a note lists at most.
const LISTED: usize = 20;

/// Something about a table that its reader decided or saw, and that a user may see otherwise. Columns are given by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableNote {
    /// The text is not UTF-8 and was taken for this encoding.
    Encoding(&'static str),
    /// The decimals of these columns are written with a comma.
    DecimalCommas(Vec<String>),
    /// The commas of these columns may stand before decimals or part thousands, so they are no numbers.
    UnclearCommas(Vec<String>),
    /// The sheet that was read, in a spreadsheet where others have cells too.
    Sheet {
        /// Its name.
        read: String,
        /// The others.
        others: Vec<String>,
    },
    /// These columns hold what is not read, which comes second.
    NotRead(Vec<(String, &'static str)>),
    /// A column of numbers that is no feature.
    LeftOut {
        /// Its name.
        column: String,
        /// Why.
        why: WhyLeftOut,
    },
    /// Features that are whole numbers, all different: measurements, or identifiers after all.
    MayBeIds(Vec<String>),
    /// Features that are the same in all rows.
    Constant(Vec<String>),
    /// Features that are the same as another, which comes second.
    RepeatedColumns(Vec<(String, String)>),
    /// Rows that are the same as one before them.
    RepeatedRows {
        /// How many.
        count: usize,
        /// The first of them, and the one that it is the same as; rows from 0.
        first: (usize, usize),
    },
    /// Which columns are features and which are not.
    Columns {
        /// The features.
        used: Vec<String>,
        /// All others but those that are ids and labels, by what they hold.
        unused: Vec<(CellKind, Vec<String>)>,
    },
}

/// Why a column of numbers is not taken for a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyLeftOut {
    /// It is called as identifiers are, and all of its whole numbers are different.
    NamedId,
    /// It has no name, as row numbers have none.
    NoName,
    /// It counts the rows.
    CountsRows,
    /// It is what this program writes beside coordinates.
    OurOutput,
}

/// What a column holds that is no feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Dates or times.
    Dates,
    /// Text.
    Text,
    /// True or false.
    Booleans,
    /// A few words, each many times.
    Categories,
    /// Numbers, which were not wanted as features.
    Numbers,
    /// Nothing.
    Empty,
}

impl CellKind {
    /// What the cells are called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dates => "dates",
            Self::Text => "text",
            Self::Booleans => "booleans",
            Self::Categories => "categories",
            Self::Numbers => "numbers",
            Self::Empty => "empty",
        }
    }
}

impl WhyLeftOut {
    fn words(self) -> &'static str {
        match self {
            Self::NamedId => "its name and its numbers, no two the same, are those of identifiers",
            Self::NoName => "it has no name, as row numbers have none",
            Self::CountsRows => "it counts the rows",
            Self::OurOutput => "it is an output of tangency beside coordinates",
        }
    }
}

impl Sentence for TableNote {
    fn message(&self) -> Message {
        match self {
            Self::Encoding(name) => message![format!("the text is not UTF-8 and was read as {name}")],
            Self::DecimalCommas(columns) => {
                message![format!("the comma was read as the decimal mark in {}", columns_named(columns))]
            }
            Self::UnclearCommas(columns) => message![format!(
                "not used: {}, in which a comma may stand before decimals or part thousands",
                columns_named(columns)
            )],
            Self::Sheet { read, others } => {
                let noun = if others.len() == 1 { "sheet" } else { "sheets" };
                message!["read the sheet ", given(read), format!(", not the {noun} {}", listed(others))]
            }
            Self::NotRead(columns) => {
                let columns: Vec<String> =
                    columns.iter().map(|(name, what)| format!("{} ({what})", shown(name))).collect();
                message![format!("not read: {}", listed_whole(&columns))]
            }
            Self::LeftOut { column, why } => {
                message!["not used: column ", given(column), format!(", because {}", why.words())]
            }
            Self::MayBeIds(columns) => message![format!(
                "{} may be identifiers and no measurements: whole numbers, no two the same",
                columns_named(columns)
            )],
            Self::Constant(columns) => message![format!("the same in all rows: {}", columns_named(columns))],
            Self::RepeatedColumns(pairs) => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(one, other)| format!("{} (as {})", shown(one), shown(other))).collect();
                message![format!("the same as another column: {}", listed_whole(&pairs))]
            }
            Self::RepeatedRows { count: 1, first } => {
                message![Piece::Row(first.0), " is the same as ", Piece::Row(first.1)]
            }
            Self::RepeatedRows { count, first } => message![
                format!("{count} rows are the same as one before them, the first "),
                Piece::Row(first.0),
                " (as ",
                Piece::Row(first.1),
                ")"
            ],
            Self::Columns { used, unused } => {
                let kinds: Vec<String> =
                    unused.iter().map(|(kind, columns)| format!("{} {}", kind.word(), up_to_20(columns))).collect();
                message![format!("features: {}; not used: {}", up_to_20(used), kinds.join("; "))]
            }
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::UnclearCommas(_) => vec![Remedy::act("write decimals with a point")],
            Self::LeftOut { .. } => vec![Remedy::act(message!["list it in ", Piece::Setting("columns"), " to use it"])],
            Self::Sheet { .. } => {
                vec![Remedy::act(message!["name another with ", Piece::Setting("sheet"), " to read it"])]
            }
            Self::MayBeIds(columns) => vec![Remedy::ExcludeColumn(columns.join(","))],
            _ => vec![],
        }
    }
}

fn columns_named(columns: &[String]) -> String {
    format!("{} {}", if columns.len() == 1 { "column" } else { "columns" }, listed(columns))
}

fn up_to_20(columns: &[String]) -> String {
    listed_whole(&columns.iter().map(|column| shown(column)).collect::<Vec<_>>())
}

fn listed_whole(words: &[String]) -> String {
    let more = if words.len() > LISTED { ", …" } else { "" };
    words.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ") + more
}
