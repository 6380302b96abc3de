//! One of each error and caution, with what happened: the list from which `docs/guide/messages.md` is made. A new variant
//! does not compile before it has a place in `errors_place` or `caution_place`, and a test fails before it has an example.

use crate::error::Error;
use crate::fit::Caution;
use crate::graph::Metric;
use crate::io::table::{CellKind, TableNote, WhyLeftOut};
use crate::message::{Column, Piece, Remedy};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const GIB: u64 = 1 << 30;

/// What happened, and the error that it gives.
pub fn errors() -> Vec<(&'static str, Error)> {
    let path = |name: &str| PathBuf::from(name);
    vec![
        ("a setting does not fit the table", crate::model::too_many_neighbors(500, 400)),
        (
            "an array belongs to another table",
            Error::ShapeMismatch {
                what: "the embedding".into(),
                expected: "400 rows".into(),
                found: "300 rows".into(),
            },
        ),
        (
            "a cell is missing",
            Error::NonFinite { row: 6, column: Column::from("height"), value: "missing".into(), line: Some(8) },
        ),
        (
            "a number of an array is not finite",
            Error::NonFinite { row: 6, column: Column::Numbered(2), value: "NaN".into(), line: None },
        ),
        ("a row is empty", Error::NoValue { place: Piece::Row(6) }),
        ("a column is empty", Error::NoValue { place: Piece::Column(Column::from("height")) }),
        ("a row has no direction", Error::NoDirection { row: 6, metric: Metric::Cosine }),
        ("a row is constant", Error::NoDirection { row: 6, metric: Metric::Correlation }),
        (
            "a cell is text, and long",
            Error::NotNumeric {
                row: 6,
                column: "height".into(),
                value: "not measured\nbecause it rained on that day".into(),
                line: Some(8),
            },
        ),
        (
            "a column is not in the table",
            Error::NoSuchColumn {
                column: "weigth".into(),
                path: path("run--2024.csv"),
                available: ["id", "height", "weight"].map(String::from).to_vec(),
            },
        ),
        (
            "a file is not what its name says",
            Error::file(
                Path::new("run--2024.csv"),
                "the file is empty",
                [Remedy::act("give a table of at least one row of numbers")],
            ),
        ),
        ("a file is missing", unreadable("run--2024.csv", ErrorKind::NotFound, "no such file")),
        ("a file may not be read", unreadable("run--2024.csv", ErrorKind::PermissionDenied, "Permission denied")),
        (
            "the disk is full",
            Error::Unwritable {
                path: path("model.safetensors"),
                kind: ErrorKind::StorageFull,
                reason: "No space left on device".into(),
            },
        ),
        ("the folder of an output is missing", Error::NoFolder { path: path("results/model.safetensors") }),
        ("an output exists", Error::Exists { path: path("model.safetensors") }),
        (
            "the graph is in pieces",
            Error::Disconnected { sizes: vec![390, 10], wider: Remedy::Set("n_neighbors", "10".into()) },
        ),
        (
            "the graph is in large pieces",
            Error::Disconnected { sizes: vec![250, 150], wider: Remedy::Raise("n_neighbors") },
        ),
        ("an edge goes to a point that is not there", crate::graph::edge_outside(None, 6, 400, 400)),
        ("an edge of one of several lists", crate::graph::edge_outside(Some("run--2024.csv".into()), 6, 400, 400)),
        ("the table is too small", Error::TooFew { rows: 2, features: 1 }),
        ("all rows are the same", Error::NoVariation { n: 400 }),
        ("the numbers are too large", Error::Overflow),
        (
            "a matrix cannot be factored",
            Error::NotPositiveDefinite { matrix: "precision of the coordinates", pivot: 3 },
        ),
        ("an eigenvalue solver gave up", Error::NoEigenvectors { matrix: "graph Laplacian" }),
        ("all pairs do not fit in memory", Error::NoRoomForPairs { n: 100_000, needed: 75 * GIB, available: 8 * GIB }),
        (
            "a sparse factor does not fit in memory",
            Error::FactorTooLarge { matrix: "alignment matrix", n: 100_000, needed: 20 * GIB, available: 8 * GIB },
        ),
        ("a new row is nowhere near", Error::TooFar { row: 6 }),
        ("what a model gives is no number", Error::NoNumbers { what: "loadings" }),
        ("work was stopped", Error::Interrupted { what: "the calibration" }),
        (
            "a fit does not fit in memory",
            Error::TooLarge { n: 50_000, n_components: 2, needed: 300 * GIB, available: 8 * GIB, fitting: 8000 },
        ),
    ]
}

fn unreadable(path: &str, kind: ErrorKind, reason: &str) -> Error {
    Error::Unreadable { path: path.into(), kind, reason: reason.into() }
}

/// What happened, and the caution that it gives.
pub fn cautions() -> Vec<(&'static str, Caution)> {
    vec![
        ("the fit collapsed", Caution::Collapsed),
        ("the fit reached its last iteration", Caution::NotConverged),
        ("the fit was stopped", Caution::Interrupted),
        ("the search for short-circuits was stopped", Caution::NotPruned),
        ("the maps are not smooth", Caution::LooseMaps),
        ("principal components do better", Caution::WorseThanPca { ours: 891, pca: 927 }),
        ("the start did better", Caution::WorseThanStart { ours: 891, start: 927 }),
        ("a coordinate is hardly known", Caution::NotDetermined(vec!["x2".into()])),
        ("a coordinate is not needed", Caution::NotUsed { used: 2, of: 5 }),
        ("one feature decides", Caution::OneFeature("mass".into())),
        ("one row decides", Caution::OneRow("17".into())),
        ("a ring in one dimension", Caution::CutRing),
        ("as many coordinates as features", Caution::NothingReduced),
        ("a bridge was added", Caution::Bridges(vec!["12–305".into()])),
        ("bridges were added", Caution::Bridges(vec!["12–305".into(), "40–17".into()])),
        ("rows with gaps were left out", Caution::RowsLeftOut { left_out: 12, rows: 400 }),
        ("only a piece was fitted", Caution::LargestPiece { kept: 390, rows: 400 }),
    ]
}

/// What a table is like, and the note that it gives.
pub fn table_notes() -> Vec<(&'static str, TableNote)> {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let left_out = |column: &str, why| TableNote::LeftOut { column: column.to_owned(), why };
    let unused = vec![
        (CellKind::Dates, names(&["day"])),
        (CellKind::Text, names(&["name", "remarks"])),
        (CellKind::Booleans, names(&["alive"])),
        (CellKind::Categories, names(&["sex", "site"])),
        (CellKind::Numbers, names(&["id"])),
        (CellKind::Empty, names(&["spare"])),
    ];
    vec![
        ("text in another encoding", TableNote::Encoding("Windows-1252")),
        ("decimal commas", TableNote::DecimalCommas(names(&["height", "weight"]))),
        (
            "one sheet of several",
            TableNote::Sheet { read: "2024".into(), others: vec!["2023".into(), "remarks".into()] },
        ),
        ("columns of an Arrow file that are not read", TableNote::NotRead(vec![("tags".into(), "maps")])),
        ("commas of two meanings", TableNote::UnclearCommas(names(&["price"]))),
        ("identifiers by name", left_out("id", WhyLeftOut::NamedId)),
        ("row numbers without a name", left_out("c1", WhyLeftOut::NoName)),
        ("row numbers", left_out("run", WhyLeftOut::CountsRows)),
        ("an output of ours", left_out("sd1", WhyLeftOut::OurOutput)),
        ("whole numbers, all different", TableNote::MayBeIds(names(&["code"]))),
        ("a constant column", TableNote::Constant(names(&["unit"]))),
        ("a column twice", TableNote::RepeatedColumns(vec![("height2".into(), "height".into())])),
        ("a row twice", TableNote::RepeatedRows { count: 1, first: (6, 2) }),
        ("rows twice", TableNote::RepeatedRows { count: 12, first: (6, 2) }),
        ("columns of other kinds", TableNote::Columns { used: names(&["height", "weight"]), unused }),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::message::Sentence;
    use std::collections::BTreeSet;

    const ERRORS: usize = 25;
    const CAUTIONS: usize = 16;

    /// A number for each variant.
    fn error_place(error: &Error) -> usize {
        match error {
            Error::Setting { .. } => 0,
            Error::ShapeMismatch { .. } => 1,
            Error::NonFinite { .. } => 2,
            Error::NotNumeric { .. } => 3,
            Error::NoSuchColumn { .. } => 4,
            Error::File { .. } => 5,
            Error::Unreadable { .. } => 6,
            Error::Unwritable { .. } => 7,
            Error::NoFolder { .. } => 8,
            Error::Exists { .. } => 9,
            Error::Disconnected { .. } => 10,
            Error::BadEdge { .. } => 11,
            Error::TooFew { .. } => 12,
            Error::NoVariation { .. } => 13,
            Error::Overflow => 14,
            Error::NotPositiveDefinite { .. } => 15,
            Error::NoEigenvectors { .. } => 16,
            Error::NoRoomForPairs { .. } => 17,
            Error::FactorTooLarge { .. } => 18,
            Error::TooFar { .. } => 19,
            Error::Interrupted { .. } => 20,
            Error::TooLarge { .. } => 21,
            Error::NoValue { .. } => 22,
            Error::NoDirection { .. } => 23,
            Error::NoNumbers { .. } => 24,
        }
    }

    fn caution_place(caution: &Caution) -> usize {
        match caution {
            Caution::Collapsed => 0,
            Caution::NotConverged => 1,
            Caution::Interrupted => 2,
            Caution::LooseMaps => 3,
            Caution::NothingReduced => 4,
            Caution::Bridges(_) => 5,
            Caution::LargestPiece { .. } => 6,
            Caution::WorseThanPca { .. } => 7,
            Caution::WorseThanStart { .. } => 8,
            Caution::NotDetermined(_) => 9,
            Caution::NotUsed { .. } => 10,
            Caution::OneFeature(_) => 11,
            Caution::OneRow(_) => 12,
            Caution::CutRing => 13,
            Caution::RowsLeftOut { .. } => 14,
            Caution::NotPruned => 15,
        }
    }

    #[test]
    fn every_error_and_caution_has_an_example() {
        let places: BTreeSet<usize> = errors().iter().map(|(_, error)| error_place(error)).collect();
        assert!(places.into_iter().eq(0..ERRORS));
        let places: BTreeSet<usize> = cautions().iter().map(|(_, caution)| caution_place(caution)).collect();
        assert!(places.into_iter().eq(0..CAUTIONS));
    }

    #[test]
    fn every_error_says_what_to_do_on_one_line() {
        for (what, error) in errors() {
            assert!(!error.remedies().is_empty(), "{what}");
            let sentence = error.to_string();
            assert!(sentence.contains("; ") && !sentence.contains('\n') && !sentence.ends_with('.'), "{sentence}");
        }
    }
}
