//! Everything that can go wrong because of what a caller gave us, with the data to say what, where and what next.

use crate::message::{Dialect, Fields, Message, Remedy};
use std::path::PathBuf;

/// An error of the library. Each message is one sentence that ends in a way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside what it may be.
    #[error("{field} must be {requirement}")]
    InvalidConfig {
        /// The setting, by its name in `Config`, on the command line and in Python.
        field: &'static str,
        /// What it must be, and what was given.
        requirement: String,
    },

    /// A setting does not fit: in itself, with another setting, or with the data.
    #[error("{}", Fields.sentence(problem, remedies))]
    Setting {
        /// The setting that the problem is about, by its name in the table of settings.
        name: &'static str,
        /// What is wrong, in pieces.
        problem: Message,
        /// What to do, the most likely first.
        remedies: Vec<Remedy>,
    },

    /// An array has another shape than the data need.
    #[error("{what} is {found} but must be {expected}; check that it belongs to this table")]
    ShapeMismatch {
        /// Which array.
        what: String,
        /// The shape that is needed.
        expected: String,
        /// The shape that was given.
        found: String,
    },

    /// A missing or non-finite number among the features.
    #[error(
        "row {row}, column {column} is {value}, not a finite number; fill in or drop such rows, or leave the column out"
    )]
    NonFinite {
        /// Data row, counted from 1 without the header.
        row: usize,
        /// Column name, or its number from 1 where there are no names.
        column: String,
        /// What stands there.
        value: String,
    },

    /// A cell of a feature column is not a number at all.
    #[error(
        "row {row}, column {column} holds \"{}\", which is not a number; correct it, or leave the column out with --exclude {column}",
        one_line(value)
    )]
    NotNumeric {
        /// Data row, counted from 1 without the header.
        row: usize,
        /// Column name.
        column: String,
        /// The cell's text.
        value: String,
    },

    /// A named column is not in the table.
    #[error("there is no column \"{column}\" in {path}; its columns are {available}")]
    NoSuchColumn {
        /// The column asked for.
        column: String,
        /// The file.
        path: PathBuf,
        /// The columns there are, shortened.
        available: String,
    },

    /// A file cannot be read or written, or is not what its name says.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },

    /// An output file is there already.
    #[error("{path} exists already; give another name, or --force to overwrite it")]
    Exists {
        /// The file.
        path: PathBuf,
    },

    /// The neighbour graph is in pieces.
    #[error(
        "the neighbour graph is in {} pieces of {} points; {wider}, or --connect to add the shortest bridges, or --largest to keep the largest piece (of at least 3)",
        sizes.len(), listing(sizes)
    )]
    Disconnected {
        /// Sizes of the pieces, largest first.
        sizes: Vec<usize>,
        /// What would widen neighbourhoods of this kind.
        wider: &'static str,
    },

    /// An edge list names a point that is not there, or is malformed.
    #[error("edge list, row {row}: {reason}")]
    BadEdge {
        /// Row of the edge list, counted from 1 without a header.
        row: usize,
        /// What is wrong and what to do.
        reason: String,
    },

    /// There is too little to fit.
    #[error("the table has {rows} rows and {features} features; a fit needs at least 3 rows and 1 feature")]
    TooFew {
        /// Rows of the table.
        rows: usize,
        /// Features of the table.
        features: usize,
    },

    /// All points are the same, so there is nothing to scale or to learn.
    #[error("all {n} points are identical; there is no manifold to learn from this table")]
    NoVariation {
        /// Number of points.
        n: usize,
    },

    /// A matrix that must be positive definite is not, in floating point.
    #[error(
        "the {matrix} is not positive definite at pivot {pivot}; the data or the start may be badly scaled: try --scaling max-abs or another --init"
    )]
    NotPositiveDefinite {
        /// Which matrix.
        matrix: &'static str,
        /// Where the factorisation stopped.
        pivot: usize,
    },

    /// An iterative eigenvalue solver gave up.
    #[error("the eigenvectors of the {matrix} did not converge; try --init random")]
    NoEigenvectors {
        /// Which matrix.
        matrix: &'static str,
    },

    /// A matrix of all pairs of points would not fit in memory.
    #[error(
        "distances between all pairs of {n} points need {} of memory and {} is available; take a sample of the rows, or another method",
        gib(*needed), gib(*available)
    )]
    NoRoomForPairs {
        /// Points.
        n: usize,
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        available: u64,
    },

    /// The sparse factor that eigenvectors need would not fit in memory.
    #[error(
        "the {matrix} of {n} points fills in and needs about {} of memory where {} is available; use fewer neighbours, or a sample of the rows",
        gib(*needed), gib(*available)
    )]
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
    #[error("row {row} is too far from everything that was fitted; check its units, or leave it out")]
    TooFar {
        /// Data row, counted from 1 without the header.
        row: usize,
    },

    /// Work that has no use half done was stopped by the caller.
    #[error("{what} was interrupted and there is nothing to show yet; run it again")]
    Interrupted {
        /// What was stopped.
        what: &'static str,
    },

    /// The fit would not fit in memory.
    #[error(
        "a fit of {n} points in {n_components} dimensions needs about {} of memory and {} is available; fit a sample of the rows (at most {fitting}), or fewer --n-components",
        gib(*needed), gib(*available)
    )]
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

/// The text of a cell on one line, shortened.
fn one_line(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 40 {
        short.push('…');
    }
    short
}

fn listing(sizes: &[usize]) -> String {
    let mut words: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
    if sizes.len() > 8 {
        words.push("…".into());
    }
    words.join(", ")
}

fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64)
}
