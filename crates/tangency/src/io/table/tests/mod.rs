//! Tests of the table readers: what each must accept, and how it says what is wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(feature = "arrow")]
mod arrow;
mod columns;
mod delimited;
mod encodings;
#[cfg(feature = "parquet")]
mod folder;
mod numpy;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "spreadsheets")]
mod sheets;
mod stream;
mod stream_errors;
#[cfg(feature = "parquet")]
mod stream_parquet;
mod writer;

use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A file with the given name and contents, that goes when this does.
struct Fixture {
    path: PathBuf,
    _directory: TempDir,
}

impl Fixture {
    fn new(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, contents).unwrap();
        Self { path, _directory: directory }
    }

    fn table(&self) -> Result<Table> {
        read_table(&self.path, &TableOptions::default())
    }

    fn refusal(&self) -> String {
        self.table().unwrap_err().to_string()
    }
}

fn read(name: &str, contents: impl AsRef<[u8]>) -> Result<Table> {
    Fixture::new(name, contents).table()
}

fn refusal(name: &str, contents: impl AsRef<[u8]>) -> String {
    Fixture::new(name, contents).refusal()
}

fn rows_of(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.nrows()).map(|i| (0..matrix.ncols()).map(|j| matrix[(i, j)]).collect()).collect()
}

/// Reads every beginning of `bytes`, and every variant of it with one byte changed, at up to a few hundred places:
/// whole, and block by block, which must come to the same.
fn damage_never_panics(name: &str, bytes: &[u8]) {
    let fixture = Fixture::new(name, bytes);
    let step = 1 + bytes.len() / 300;
    for at in (0..bytes.len()).step_by(step) {
        std::fs::write(&fixture.path, &bytes[..at]).unwrap();
        stream::agrees_where_it_can(&fixture);
        for change in [0x01, 0x80, 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] ^= change;
            std::fs::write(&fixture.path, changed).unwrap();
            stream::agrees_where_it_can(&fixture);
        }
    }
}

#[test]
fn unknown_extensions_are_refused_with_the_known_ones() {
    for name in ["table.doc", "table", "table.gz"] {
        let message = refusal(name, "a,b\n1,2\n");
        assert!(message.contains(".csv, .tsv, .tab, .txt, .npy, .npz, .parquet, .pq, .arrow"), "{message}");
    }
}

#[test]
fn extensions_may_be_in_capitals() {
    assert_eq!(read("TABLE.CSV", "a,b\n1,2\n").unwrap().feature_names, ["a", "b"]);
}

#[test]
fn files_that_are_not_there_are_named() {
    for name in ["absent.csv", "absent.npy", "absent.npz"] {
        let error = read_table(Path::new(name), &TableOptions::default()).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{name}: cannot be read")), "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("folder.csv");
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(read_table(&path, &TableOptions::default()), Err(Error::Unreadable { .. })));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so() {
    assert!(refusal("table.pq", "PAR1").contains("this build cannot read Parquet files"));
}

#[test]
fn an_array_is_named_only_for_npz() {
    let fixture = Fixture::new("table.csv", "1,2\n");
    let options = TableOptions { array: Some("X".into()), ..TableOptions::default() };
    let error = read_table(&fixture.path, &options).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "array", .. }), "{error}");
}

#[test]
fn a_matrix_is_read_from_text_whole() {
    let fixture = Fixture::new("start.csv", "1,2\n3,4\n");
    assert_eq!(rows_of(&read_matrix(&fixture.path, "the start").unwrap()), [[1.0, 2.0], [3.0, 4.0]]);
    let fixture = Fixture::new("start.tsv", "y1\ty2\n1\t2\n");
    assert_eq!(rows_of(&read_matrix(&fixture.path, "the start").unwrap()), [[1.0, 2.0]]);
}

#[test]
fn a_matrix_with_other_cells_is_refused() {
    for (contents, found) in [("1,2\nx,4\n", "\"x\""), ("1,2\n,4\n", "nothing"), ("1,2\ninf,4\n", "\"inf\"")] {
        let fixture = Fixture::new("start.csv", contents);
        let message = read_matrix(&fixture.path, "the start").unwrap_err().to_string();
        let expected = format!("row 1, column c1 of the start holds {found}, not a finite number; correct it");
        assert!(message.contains(&expected), "{message}");
    }
    let fixture = Fixture::new("start.npz", "");
    let message = read_matrix(&fixture.path, "the start").unwrap_err().to_string();
    assert!(message.contains("the start is read from .npy or .csv files only"), "{message}");
}

#[test]
fn cells_are_read_as_they_are() {
    let fixture = Fixture::new("edges.csv", "\u{feff}from,to\r\n a , \"b, c\" \r\n\r\n1,2,3\r\n");
    let rows = read_cells(&fixture.path).unwrap();
    assert_eq!(rows, [vec!["from", "to"], vec!["a", "\"b", "c\""], vec!["1", "2", "3"]]);
    let fixture = Fixture::new("edges.txt", "1\t2\n3\t4\n");
    assert_eq!(read_cells(&fixture.path).unwrap(), [["1", "2"], ["3", "4"]]);
    assert!(read_cells(&Fixture::new("edges.csv", "").path).unwrap().is_empty());
    assert!(read_cells(Path::new("absent.csv")).is_err());
}
