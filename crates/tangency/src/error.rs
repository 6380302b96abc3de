//! Everything that can go wrong because of what a caller gave us, as data: what, where, and what to do next.
//! [`Sentence`] puts it into words, those of the library ([`Fields`]) or of a front end.

use crate::graph::Metric;
use crate::message::{Column, Fields, Message, Piece, Remedy, Sentence, bytes_in_words, counted, file, given, listed};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An error of the library.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A setting does not fit: in itself, with another setting, or with the data.
    Setting {
        /// The setting that the problem is about, by its name in the table of settings.
        name: &'static str,
        /// What is wrong, in pieces.
        problem: Message,
        /// What to do, the most likely first.
        remedies: Vec<Remedy>,
    },

    /// An array has another shape than the data need.
    ShapeMismatch {
        /// Which array, as in "the embedding".
        what: String,
        /// What is needed, as in "40 rows".
        expected: String,
        /// What was given.
        found: String,
    },

    /// A missing or non-finite number among the features.
    NonFinite {
        /// Data row, counted from 0 without the header.
        row: usize,
        /// The column.
        column: Column,
        /// What stands there.
        value: String,
        /// The line of the file, counted from 1 with the header, where it is known.
        line: Option<usize>,
    },

    /// A row or a column of which nothing is known.
    NoValue {
        /// The row or column.
        place: Piece,
    },

    /// A row that a metric of angles has no direction for: zero, or constant for the correlation.
    NoDirection {
        /// Data row, counted from 0 without the header.
        row: usize,
        /// The metric.
        metric: Metric,
    },

    /// A cell of a feature column is not a number at all.
    NotNumeric {
        /// Data row, counted from 0 without the header.
        row: usize,
        /// Column name.
        column: String,
        /// The cell's text.
        value: String,
        /// The line of the file, counted from 1 with the header, where it is known.
        line: Option<usize>,
    },

    /// A named column is not in the table.
    NoSuchColumn {
        /// The column asked for.
        column: String,
        /// The file.
        path: PathBuf,
        /// The columns there are.
        available: Vec<String>,
    },

    /// A file is not what it should be.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Message,
        /// What to do, the most likely first.
        remedies: Vec<Remedy>,
    },

    /// A file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why, for a program: whether it is missing.
        kind: ErrorKind,
        /// Why, in the words of the system.
        reason: String,
    },

    /// A file cannot be written.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why, for a program.
        kind: ErrorKind,
        /// Why, in the words of the system.
        reason: String,
    },

    /// The folder of an output file is not there.
    NoFolder {
        /// The file.
        path: PathBuf,
    },

    /// An output file is there already.
    Exists {
        /// The file.
        path: PathBuf,
    },

    /// The neighbour graph is in pieces.
    Disconnected {
        /// Sizes of the pieces, largest first.
        sizes: Vec<usize>,
        /// What would widen neighbourhoods of this kind.
        wider: Remedy,
    },

    /// An edge list names a point that is not there, or is malformed.
    BadEdge {
        /// The edge list, where there are several.
        list: Option<String>,
        /// Row of the edge list, counted from 0 without a header.
        row: usize,
        /// What is wrong.
        problem: Message,
        /// What to do, the most likely first.
        remedies: Vec<Remedy>,
    },

    /// There is too little to fit.
    TooFew {
        /// Rows of the table.
        rows: usize,
        /// Features of the table.
        features: usize,
    },

    /// All points are the same, so there is nothing to scale or to learn.
    NoVariation {
        /// Number of points.
        n: usize,
    },

    /// Differences of the numbers of a table are not finite.
    Overflow,

    /// A matrix that must be positive definite is not, in floating point.
    NotPositiveDefinite {
        /// Which matrix.
        matrix: &'static str,
        /// Where the factorisation stopped.
        pivot: usize,
    },

    /// An iterative eigenvalue solver gave up.
    NoEigenvectors {
        /// Which matrix.
        matrix: &'static str,
    },

    /// A matrix of all pairs of points would not fit in memory.
    NoRoomForPairs {
        /// Points.
        n: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },

    /// The sparse factor that eigenvectors need would not fit in memory.
    FactorTooLarge {
        /// Which matrix.
        matrix: &'static str,
        /// Points.
        n: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },

    /// A new observation is so far from the fitted ones that its place cannot be computed.
    TooFar {
        /// Data row, counted from 0 without the header.
        row: usize,
    },

    /// Numbers that come of a model are not finite, because its own are too large or too small.
    NoNumbers {
        /// Which numbers.
        what: &'static str,
    },

    /// Work that has no use half done was stopped by the caller.
    Interrupted {
        /// What was stopped.
        what: &'static str,
    },

    /// The fit would not fit in memory.
    TooLarge {
        /// Points.
        n: usize,
        /// Latent dimensions.
        n_components: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
        /// How many points would fit.
        fitting: usize,
    },
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A setting that does not fit, in words of its own.
    pub fn unfit(name: &'static str, problem: impl Into<Message>, remedies: impl Into<Vec<Remedy>>) -> Self {
        Self::Setting { name, problem: problem.into(), remedies: remedies.into() }
    }

    /// A setting with a value that does not fit: "… is …, but …".
    pub fn setting(
        name: &'static str,
        value: impl fmt::Display,
        but: impl Into<Message>,
        remedies: impl Into<Vec<Remedy>>,
    ) -> Self {
        let mut problem = crate::message![Piece::Setting(name), format!(" is {value}, but ")];
        problem.0.extend(but.into().0);
        Self::unfit(name, problem, remedies)
    }

    /// The same with the line of a text file on which the cell stands, if it is about a cell.
    pub(crate) fn on_line(mut self, found: impl FnOnce() -> Option<usize>) -> Self {
        if let Self::NonFinite { line, .. } | Self::NotNumeric { line, .. } = &mut self {
            *line = found();
        }
        self
    }

    /// A number below the smallest that it may be.
    pub fn too_small(name: &'static str, value: impl fmt::Display, least: impl fmt::Display) -> Self {
        Self::not_allowed(name, value, format!("use a whole number, at least {least}"))
    }

    /// A setting above the largest value that it may have, because of something.
    pub fn too_large(name: &'static str, value: impl fmt::Display, because: impl Into<Message>) -> Self {
        Self::setting(name, value, because, [Remedy::Lower(name)])
    }

    /// A number that should be positive.
    pub fn not_positive(name: &'static str, value: impl fmt::Display) -> Self {
        Self::not_allowed(name, value, "use a positive number")
    }

    /// A number that should be zero or positive.
    pub fn negative(name: &'static str, value: impl fmt::Display) -> Self {
        Self::not_allowed(name, value, "use zero or a positive number")
    }

    /// A value that a setting cannot have, and what to use: "… is …; use …".
    pub fn not_allowed(name: &'static str, value: impl fmt::Display, remedy: impl Into<Message>) -> Self {
        let problem = crate::message![Piece::Setting(name), format!(" is {value}")];
        Self::unfit(name, problem, [Remedy::act(remedy)])
    }

    /// A file that is not what it should be.
    pub fn file(path: &Path, problem: impl Into<Message>, remedies: impl Into<Vec<Remedy>>) -> Self {
        Self::File { path: path.to_owned(), problem: problem.into(), remedies: remedies.into() }
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), kind: error.kind(), reason: error.to_string() }
    }

    /// A file that cannot be written.
    pub fn unwritable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unwritable { path: path.to_owned(), kind: error.kind(), reason: said_by_system(error) }
    }
}

impl Sentence for Error {
    fn message(&self) -> Message {
        use crate::message;
        match self {
            Self::Setting { problem, .. } => problem.clone(),
            Self::ShapeMismatch { what, expected, found } => {
                message![given(what), format!(" has {found}, but {expected} are needed")]
            }
            Self::NonFinite { row, column, value, line } => {
                message![
                    Piece::Row(*row),
                    at_line(*line),
                    ", ",
                    column.clone(),
                    " is ",
                    given(value),
                    ", not a finite number"
                ]
            }
            Self::NoValue { place } => message![place.clone(), " has no value at all"],
            Self::NoDirection { row, metric } => {
                let what = if *metric == Metric::Correlation { "is constant" } else { "is zero in all features" };
                let asked = Piece::Assignment("metric", metric.to_string());
                message![Piece::Row(*row), " ", what, ", and ", asked, " compares directions, of which it has none"]
            }
            Self::NotNumeric { row, column, value, line } => {
                let (line, column) = (at_line(*line), Column::Named(column.clone()));
                message![Piece::Row(*row), line, ", ", column, " holds \"", given(value), "\", which is not a number"]
            }
            Self::NoSuchColumn { column, path, .. } => {
                message!["there is no column \"", given(column), "\" in ", file(path)]
            }
            Self::File { path, problem, .. } => in_place(message![file(path)], problem),
            Self::Unreadable { path, kind: ErrorKind::NotFound, .. } => {
                message![file(path), ": cannot be read, because there is no such file"]
            }
            Self::Unreadable { path, reason, .. } => message![file(path), ": cannot be read (", given(reason), ")"],
            Self::Unwritable { path, reason, .. } => message![file(path), ": cannot be written (", given(reason), ")"],
            Self::NoFolder { path } => message![file(path), ": its folder does not exist"],
            Self::Exists { path } => message![file(path), " exists already"],
            Self::Disconnected { sizes, .. } => {
                let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
                message![format!("the neighbour graph is in {} pieces of {} points", sizes.len(), listed(&sizes))]
            }
            Self::BadEdge { list, row, problem, .. } => {
                let name = list.iter().flat_map(|name| [" ".into(), given(name)]);
                let place = ["edge list".into()].into_iter().chain(name).chain([", ".into(), Piece::Row(*row)]);
                in_place(Message(place.collect()), problem)
            }
            Self::TooFew { rows, features } => {
                let (rows, features) = (counted(*rows, "row"), counted(*features, "feature"));
                message![format!("the table has {rows} and {features}, but a fit needs at least 3 rows and 1 feature")]
            }
            Self::NoVariation { n } => message![format!("all {n} points are identical, so there is nothing to learn")],
            Self::Overflow => message!["the numbers of the table are so large that their differences overflow"],
            Self::NotPositiveDefinite { matrix, pivot } => {
                message![format!("the {matrix} is not positive definite at pivot {pivot}, which bad scaling can cause")]
            }
            Self::NoEigenvectors { matrix } => message![format!("the eigenvectors of the {matrix} did not converge")],
            Self::NoRoomForPairs { n, needed, available } => message![format!(
                "distances between all pairs of {n} points need {} of memory, and {} is available",
                bytes_in_words(*needed),
                bytes_in_words(*available)
            )],
            Self::FactorTooLarge { matrix, n, needed, available } => message![format!(
                "a factor of the {matrix} of {n} points needs about {} of memory, and {} is available",
                bytes_in_words(*needed),
                bytes_in_words(*available)
            )],
            Self::TooFar { row } => message![Piece::Row(*row), " is too far from everything that was fitted"],
            Self::NoNumbers { what } => {
                message![format!("the {what} are not finite, because numbers of the model are too large or too small")]
            }
            Self::Interrupted { what } => {
                message![format!("{what} was interrupted, and there is nothing to show yet")]
            }
            Self::TooLarge { n, n_components, needed, available, .. } => message![format!(
                "a fit of {n} points in {n_components} dimensions needs about {} of memory, and {} is available",
                bytes_in_words(*needed),
                bytes_in_words(*available)
            )],
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        let act = |words: &'static str| Remedy::act(words);
        let sample = || act("take a sample of the rows");
        match self {
            Self::Setting { remedies, .. } | Self::File { remedies, .. } | Self::BadEdge { remedies, .. } => {
                remedies.clone()
            }
            Self::ShapeMismatch { .. } => vec![act("check that it belongs to this table")],
            Self::NonFinite { .. } => vec![act("fill in such cells"), act("drop their rows or columns")],
            Self::NoValue { place: Piece::Row(_) } => vec![act("take it out of the table")],
            Self::NoValue { .. } => vec![act("leave that column out")],
            Self::NoDirection { .. } => {
                vec![act("take it out of the table"), Remedy::Set("metric", Metric::Euclidean.to_string())]
            }
            Self::NotNumeric { column, .. } => vec![act("correct it"), Remedy::ExcludeColumn(column.clone())],
            Self::NoSuchColumn { available, .. } => {
                vec![Remedy::act(format!("choose among its columns, which are {}", listed(available)))]
            }
            Self::Unreadable { kind: ErrorKind::NotFound, .. } => vec![act("check its name")],
            Self::Unreadable { .. } => vec![act("check its name and that it is a readable file")],
            Self::Unwritable { .. } => vec![act("check that there is room and that you may write there")],
            Self::NoFolder { .. } => vec![act("make it first")],
            Self::Exists { .. } => vec![act("give another name"), Remedy::Overwrite],
            Self::Disconnected { wider, .. } => vec![
                wider.clone(),
                Remedy::TurnOn("connect").to("add the shortest bridges"),
                Remedy::TurnOn("largest").to("keep the largest piece (of at least 3 points)"),
            ],
            Self::TooFew { .. } => vec![act("give a larger table")],
            Self::NoVariation { .. } => vec![act("give a table whose rows differ")],
            Self::Overflow => vec![act("divide its features by a common scale")],
            Self::NotPositiveDefinite { .. } => {
                vec![Remedy::Set("scaling", "max-abs".into()), Remedy::Change("init")]
            }
            Self::NoEigenvectors { .. } => vec![Remedy::Set("init", "random".into())],
            Self::NoRoomForPairs { .. } => vec![sample(), act("use another method")],
            Self::FactorTooLarge { .. } => vec![act("use fewer neighbours"), sample()],
            Self::TooFar { .. } => vec![act("check its units"), act("leave it out")],
            Self::NoNumbers { .. } => vec![act("fit it again with features of a usual size")],
            Self::Interrupted { .. } => vec![act("run it again")],
            Self::TooLarge { fitting, .. } => vec![
                Remedy::act(format!("fit a sample of the rows (at most {fitting})")),
                Remedy::Lower("n_components"),
            ],
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.in_words(&Fields))
    }
}

impl std::error::Error for Error {}

/// A problem with the place where it is: "place: problem".
fn in_place(place: Message, problem: &Message) -> Message {
    Message(place.0.into_iter().chain([": ".into()]).chain(problem.0.iter().cloned()).collect())
}

/// Where a row stands in a file, as in "row 4 (line 5)".
pub(crate) fn at_line(line: Option<usize>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

/// The error unless all of these are finite.
pub(crate) fn finite(what: &'static str, numbers: impl IntoIterator<Item = f64>) -> Result<()> {
    if numbers.into_iter().all(f64::is_finite) { Ok(()) } else { Err(Error::NoNumbers { what }) }
}

/// What the system says of a file, without the name of the temporary one and without who passed it on.
pub(crate) fn said_by_system(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.trim_start_matches("External: ");
    text.split(" at path \"").next().unwrap_or(text).to_owned()
}
