//! A folder of Parquet files is one table, read whole or by blocks; what it does not hold together is named.

use super::stream::{SIZES, blocks};
use super::*;
use crate::io::{Cells, ColumnKind, Output, TableWriter};

/// A folder with parts of one table of an id, a number and a text, a row each for these numbers.
fn folder(parts: &[(&str, &[f64])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, numbers) in parts {
        let header = [("a", ColumnKind::Number), ("b", ColumnKind::Number), ("who", ColumnKind::Text)];
        let header = header.map(|(name, kind)| (name.to_owned(), kind));
        let output = Output::claim(&folder.path().join(name), false).unwrap();
        let mut writer = TableWriter::create(&output, &header).unwrap();
        let texts = numbers.iter().map(|number| format!("p{number}")).collect();
        let squares = numbers.iter().map(|number| number * number).collect();
        writer.write(&[Cells::Numbers(numbers.to_vec()), Cells::Numbers(squares), Cells::Text(texts)]).unwrap();
        writer.finish().unwrap();
    }
    std::fs::write(folder.path().join("_SUCCESS"), "").unwrap();
    folder
}

#[test]
fn parts_follow_each_other_by_name() {
    let folder = folder(&[("part-1.parquet", &[3.0, 4.0, 1.5]), ("part-0.parquet", &[1.0, 2.0])]);
    let table = read_table(folder.path(), &TableOptions::default()).unwrap();
    assert_eq!(table.feature_names, ["a", "b"]);
    let rows = [[1.0, 1.0], [2.0, 4.0], [3.0, 9.0], [4.0, 16.0], [1.5, 2.25]];
    assert_eq!(rows_of(&table.values), rows);
    assert_eq!(table.carried, [("who".to_owned(), ["p1", "p2", "p3", "p4", "p1.5"].map(String::from).to_vec())]);
    for most in SIZES {
        let read = blocks(folder.path(), &TableOptions::default(), &table.feature_names, most).unwrap();
        assert_eq!(read.rows, rows);
    }
}

#[test]
fn parts_with_other_columns_are_refused() {
    let folder = folder(&[("part-0.parquet", &[1.0, 2.0])]);
    let output = Output::claim(&folder.path().join("part-1.parquet"), false).unwrap();
    let mut writer = TableWriter::create(&output, &[("c".to_owned(), ColumnKind::Number)]).unwrap();
    writer.write(&[Cells::Numbers(vec![1.0])]).unwrap();
    writer.finish().unwrap();
    for message in [
        read_table(folder.path(), &TableOptions::default()).unwrap_err().to_string(),
        TableStream::open(folder.path(), &TableOptions::default()).unwrap_err().to_string(),
    ] {
        assert!(message.contains("part-1.parquet") && message.contains("has the columns c"), "{message}");
    }
}

#[test]
fn files_that_are_known_but_not_read_say_what_to_do() {
    for (name, words) in [("t.h5ad", "tangency.tl.lllvm"), ("t.xlsb", "save it as .xlsx"), ("t.csv.zip", "unpack it")] {
        let message = refusal(name, "x");
        assert!(message.contains(words), "{message}");
    }
}
