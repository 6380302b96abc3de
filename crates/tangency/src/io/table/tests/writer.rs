//! A table that was written is the table that is read.

use super::stream::words;
use super::*;
use crate::io::{Cells, ColumnKind, Output, TableWriter};

const FORMATS: &[&str] =
    if cfg!(feature = "parquet") { &["csv", "tsv", "tab", "parquet", "pq"] } else { &["csv", "tsv", "tab"] };

fn columns() -> Vec<(String, ColumnKind)> {
    [("id", ColumnKind::Text), ("x", ColumnKind::Number), ("n", ColumnKind::Whole)]
        .map(|(name, kind)| (name.to_owned(), kind))
        .into()
}

fn block(ids: &[&str], numbers: &[f64], whole: &[i64]) -> [Cells; 3] {
    [Cells::Text(words(ids)), Cells::Numbers(numbers.into()), Cells::Whole(whole.into())]
}

/// A block of rows of which no two are the same.
fn rows(range: std::ops::Range<usize>) -> [Cells; 3] {
    let ids = range.clone().map(|i| format!("row {i}")).collect();
    let numbers = range.clone().map(|i| (i as f64).sqrt()).collect();
    [Cells::Text(ids), Cells::Numbers(numbers), Cells::Whole(range.map(|i| -(i as i64)).collect())]
}

fn by_id() -> TableOptions {
    TableOptions { id_column: Some("id".into()), ..TableOptions::default() }
}

#[test]
fn every_cell_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let path = directory.path().join(format!("t.{format}"));
        let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns()).unwrap();
        let numbers = [0.1, -1e300, f64::MIN_POSITIVE, 5e-324];
        writer.write(&block(&["a,b", "\"c\"\td", "é\n", ""], &numbers, &[0, 1, -5, 1 << 52])).unwrap();
        writer.write(&block(&[], &[], &[])).unwrap();
        writer.write(&block(&["z"], &[-0.0], &[i64::MIN])).unwrap();
        assert!(!path.exists());
        writer.finish().unwrap();
        let table = read_table(&path, &by_id()).unwrap();
        assert_eq!(table.feature_names, ["x", "n"]);
        let found: Vec<u64> = rows_of(&table.values).iter().map(|row| row[0].to_bits()).collect();
        assert_eq!(found, [0.1, -1e300, f64::MIN_POSITIVE, 5e-324, -0.0].map(f64::to_bits));
        let found: Vec<f64> = rows_of(&table.values).iter().map(|row| row[1]).collect();
        assert_eq!(found, [0.0, 1.0, -5.0, (1u64 << 52) as f64, i64::MIN as f64]);
        let ids: Vec<String> = table.ids.unwrap().iter().map(|id| id.trim().to_owned()).collect();
        assert_eq!(ids, ["a,b", "\"c\"\td", "é", "", "z"]);
    }
}

#[test]
fn text_is_written_as_plain_as_can_be() {
    let directory = tempfile::tempdir().unwrap();
    for (name, expected) in
        [("t.csv", "id,x,n\na b,0.1,7\nc,,8\nd,-2,9\n"), ("t.tsv", "id\tx\tn\na b\t0.1\t7\nc\t\t8\nd\t-2\t9\n")]
    {
        let path = directory.path().join(name);
        let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns()).unwrap();
        writer.write(&block(&["a b", "c", "d"], &[0.1, f64::NAN, -2.0], &[7, 8, 9])).unwrap();
        let refused = writer.write(&block(&["e"], &[f64::INFINITY], &[10]));
        assert!(matches!(refused, Err(Error::NoNumbers { .. })));
        writer.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    }
}

#[test]
fn a_number_that_is_nan_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let path = directory.path().join(format!("t.{format}"));
        let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns()).unwrap();
        writer.write(&block(&["a", "b", "c"], &[1.0, f64::NAN, 3.0], &[1, 2, 3])).unwrap();
        writer.finish().unwrap();
        let error = read_table(&path, &by_id()).unwrap_err();
        assert!(matches!(&error, Error::NonFinite { row: 1, value, .. } if value == "missing"), "{error}");
    }
}

#[test]
fn long_tables_do_not_depend_on_their_blocks() {
    const ROWS: usize = 140_000;
    let directory = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let paths = [1000, 65_537, ROWS].map(|size| {
            let path = directory.path().join(format!("{size}.{format}"));
            let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns()).unwrap();
            for start in (0..ROWS).step_by(size) {
                writer.write(&rows(start..ROWS.min(start + size))).unwrap();
            }
            writer.finish().unwrap();
            path
        });
        let [first, second, third] = paths.each_ref().map(|path| std::fs::read(path).unwrap());
        assert!(first == second && second == third, "{format}");
        let table = read_table(&paths[0], &by_id()).unwrap();
        assert_eq!(table.values.nrows(), ROWS);
        for i in [0, 1, 65_535, 65_536, ROWS - 1] {
            assert_eq!(table.ids.as_ref().unwrap()[i], format!("row {i}"));
            assert_eq!((table.values[(i, 0)], table.values[(i, 1)]), ((i as f64).sqrt(), -(i as f64)));
        }
    }
}

#[cfg(feature = "parquet")]
fn parquet_metadata(columns: &[(String, ColumnKind)], cells: &[Cells]) -> ::parquet::file::metadata::ParquetMetaData {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), columns).unwrap();
    writer.write(cells).unwrap();
    writer.finish().unwrap();
    SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap().metadata().clone()
}

#[cfg(feature = "parquet")]
#[test]
fn row_groups_are_small() {
    let sizes = |columns: &[(String, ColumnKind)], cells: &[Cells]| {
        let metadata = parquet_metadata(columns, cells);
        metadata.row_groups().iter().map(|group| group.num_rows()).collect::<Vec<i64>>()
    };
    assert_eq!(sizes(&columns(), &rows(0..140_000)), [65_536, 65_536, 8928]);
    assert!(sizes(&columns(), &rows(0..0)).is_empty());
    let wide: Vec<_> = (0..4096).map(|j| (format!("x{j}"), ColumnKind::Number)).collect();
    assert_eq!(sizes(&wide, &vec![Cells::Numbers(vec![0.5; 5000]); 4096]), [4096, 904]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_columns_have_the_types_that_others_expect() {
    let metadata = parquet_metadata(&columns(), &rows(0..10));
    let mut schema = Vec::new();
    ::parquet::schema::printer::print_schema(&mut schema, metadata.file_metadata().schema());
    let schema = String::from_utf8(schema).unwrap();
    for line in ["REQUIRED BYTE_ARRAY id (STRING);", "OPTIONAL DOUBLE x;", "REQUIRED INT64 n;"] {
        assert!(schema.contains(line), "{schema}");
    }
    for column in metadata.row_group(0).columns() {
        assert_eq!(column.compression(), ::parquet::basic::Compression::SNAPPY);
    }
}

#[test]
fn blocks_of_another_shape_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let output = Output::claim(&directory.path().join("t.csv"), false).unwrap();
    let mut writer = TableWriter::create(&output, &columns()).unwrap();
    let mut swapped = block(&["a"], &[1.0], &[1]);
    swapped.swap(1, 2);
    for wrong in [&swapped[..], &swapped[..2], &[], &block(&["a"], &[1.0, 2.0], &[1]), &block(&[], &[1.0], &[1])] {
        assert!(matches!(writer.write(wrong), Err(Error::ShapeMismatch { .. })), "{wrong:?}");
    }
    writer.write(&block(&["a"], &[1.0], &[1])).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read_to_string(output.path()).unwrap(), "id,x,n\na,1,1\n");
}

#[test]
fn other_extensions_and_names_given_twice_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["t.txt", "t.npy", "t", "t.csv.gz"] {
        let path = directory.path().join(name);
        let message = TableWriter::check(&path).unwrap_err().to_string();
        assert!(message.contains("ends in .csv, .tsv, .tab, .parquet or .pq"), "{message}");
        let output = Output::claim(&path, false).unwrap();
        assert_eq!(TableWriter::create(&output, &columns()).unwrap_err().to_string(), message);
    }
    assert!(TableWriter::check(Path::new("T.CSV")).is_ok());
    let message = TableWriter::check(Path::new("t.pq")).map_err(|error| error.to_string());
    if cfg!(feature = "parquet") {
        assert_eq!(message, Ok(()));
    } else {
        assert!(message.unwrap_err().contains("this build cannot write Parquet files"));
    }
    let output = Output::claim(&directory.path().join("t.csv"), false).unwrap();
    let twice = [columns(), columns()].concat();
    assert!(TableWriter::create(&output, &twice).unwrap_err().to_string().contains("more than one column is named"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_unfinished_table_leaves_nothing_behind() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(format!("t.{format}"));
        let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns()).unwrap();
        writer.write(&rows(0..70_000)).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn what_was_there_is_replaced_only_by_force() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(format!("t.{format}"));
        let output = Output::claim(&path, false).unwrap();
        let mut writer = TableWriter::create(&output, &columns()).unwrap();
        writer.write(&rows(0..3)).unwrap();
        std::fs::write(&path, "meanwhile").unwrap();
        assert!(matches!(writer.finish(), Err(Error::Exists { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"meanwhile");
        let mut writer = TableWriter::create(&Output::claim(&path, true).unwrap(), &columns()).unwrap();
        writer.write(&rows(0..3)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"meanwhile");
        writer.finish().unwrap();
        assert_eq!(read_table(&path, &by_id()).unwrap().values.nrows(), 3);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
