//! The columns of a Parquet file keep step with each other.

use ::parquet::basic::Compression;
use ::parquet::data_type::*;

use super::parquet::{Group, file, mixed, put, strings};
use super::stream::{agrees, agrees_where_it_can, blocks, words};
use super::*;

const SCHEMA: &str = "message t {
    optional double x; required binary name (string);
    optional group v (list) { repeated group list { optional int32 element; } }
    required int64 y;
}";

/// A row group in which the lists of `v` have 0 to 3 elements.
fn rows(count: usize) -> impl Fn(&mut Group) {
    move |group| {
        let numbers: Vec<f64> = (0..count).map(|i| i as f64 / 3.0).collect();
        put::<DoubleType>(group, &numbers, Some(&vec![1; count]), None);
        let names: Vec<String> = (0..count).map(|i| format!("row {i}")).collect();
        put::<ByteArrayType>(group, &strings(&names.iter().map(String::as_str).collect::<Vec<_>>()), None, None);
        let (mut elements, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..count {
            let length = i % 4;
            elements.extend((0..length).map(|k| (i + k) as i32));
            definitions.extend(if length == 0 { vec![1] } else { vec![3; length] });
            repetitions.extend((0..length.max(1)).map(|k| i16::from(k > 0)));
        }
        put::<Int32Type>(group, &elements, Some(&definitions), Some(&repetitions));
        put::<Int64Type>(group, &(0..count as i64).rev().collect::<Vec<_>>(), None, None);
    }
}

fn options(id: &str, label: &str) -> TableOptions {
    TableOptions { id_column: Some(id.into()), label_column: Some(label.into()), ..TableOptions::default() }
}

#[test]
fn blocks_are_the_whole_table() {
    agrees("t.parquet", mixed(), &TableOptions::default());
    agrees("t.parquet", mixed(), &options("name", "when"));
    let listed = TableOptions { columns: Some(words(&["price", "x:u"])), ..options("day", "b") };
    agrees("t.pq", mixed(), &listed);
    let groups: [&dyn Fn(&mut Group); 4] = [&rows(20_000), &rows(1), &rows(0), &rows(9000)];
    for compression in [Compression::SNAPPY, Compression::ZSTD(Default::default())] {
        agrees("t.parquet", file(SCHEMA, compression, &groups), &options("name", "v"));
        agrees("t.parquet", file(SCHEMA, compression, &groups), &options("x", "x"));
    }
}

#[test]
fn numbers_in_text_are_features_when_asked_for() {
    let schema = "message t { required double x; required binary code (string); }";
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[1.0, 2.0, 3.0], None, None);
        put::<ByteArrayType>(group, &strings(&["007", " 8 ", "nine"]), None, None);
    };
    let fixture = Fixture::new("t.parquet", file(schema, Compression::SNAPPY, &[&group]));
    let mut stream = TableStream::open(&fixture.path, &TableOptions::default()).unwrap();
    assert_eq!((stream.names().unwrap(), stream.rows()), (&words(&["x", "code"])[..], Some(3)));
    stream.choose(&words(&["code", "x"])).unwrap();
    let block = stream.next_block(2).unwrap().unwrap();
    assert_eq!(rows_of(&block.values), [[7.0, 8.0], [1.0, 2.0]]);
    let error = stream.next_block(2).unwrap_err();
    assert!(matches!(&error, Error::NotNumeric { row: 2, value, .. } if value == "nine"), "{error}");
}

#[test]
fn nulls_and_lists_are_named() {
    let schema = "message t { required double x; optional double y; repeated int32 v; }";
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[1.0, f64::INFINITY], None, None);
        put::<DoubleType>(group, &[1.0], Some(&[1, 0]), None);
        put::<Int32Type>(group, &[1, 2, 3], Some(&[1; 3]), Some(&[0, 1, 0]));
    };
    let fixture = Fixture::new("t.parquet", file(schema, Compression::SNAPPY, &[&group]));
    for (feature, expected) in [
        ("x", "row 1, column x is inf, not a finite number"),
        ("y", "row 1, column y is missing, not a finite number"),
        ("v", "row 0, column v holds \"[1, 2]\", which is not a number"),
        ("w", "has no column named w, which the model needs, among x, y, v;"),
    ] {
        let error = blocks(&fixture.path, &TableOptions::default(), &words(&[feature]), 7).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn files_cut_short_are_refused() {
    let groups: [&dyn Fn(&mut Group); 2] = [&rows(300), &rows(50)];
    let bytes = file(SCHEMA, Compression::UNCOMPRESSED, &groups);
    let fixture = Fixture::new("t.parquet", &bytes);
    for k in 0..100 {
        std::fs::write(&fixture.path, &bytes[..k * bytes.len() / 100]).unwrap();
        let error = TableStream::open(&fixture.path, &TableOptions::default()).unwrap_err().to_string();
        assert!(error.contains("not a Parquet file that can be read"), "{error}");
    }
}

#[test]
fn damaged_data_never_panics() {
    let groups: [&dyn Fn(&mut Group); 2] = [&rows(40), &rows(5)];
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        damage_never_panics("t.parquet", &file(SCHEMA, compression, &groups));
    }
    agrees_where_it_can(&Fixture::new("t.parquet", file(SCHEMA, Compression::SNAPPY, &groups)));
}
