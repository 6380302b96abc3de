//! Parquet files.

use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::*;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;

use super::*;

pub(super) type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

/// A file with one row group for each of `groups`.
pub(super) fn file(schema: &str, compression: Compression, groups: &[&dyn Fn(&mut Group)]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut row_group = writer.next_row_group().unwrap();
        group(&mut row_group);
        row_group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

pub(super) fn put<T: DataType>(
    group: &mut Group,
    values: &[T::T],
    definitions: Option<&[i16]>,
    repetitions: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, definitions, repetitions).unwrap();
    column.close().unwrap();
}

pub(super) fn strings(words: &[&str]) -> Vec<ByteArray> {
    words.iter().map(|&word| word.into()).collect()
}

pub(super) fn mixed() -> Vec<u8> {
    let schema = "message t {
        required double x; optional float y; required int32 i; required int64 l (integer(64, false));
        required int32 u (integer(32, false)); required boolean b; optional binary name (string);
        required int64 when (timestamp(nanos, true)); required int32 day (date); required int32 price (decimal(9, 2));
    }";
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[0.1, -2.0], None, None);
        put::<FloatType>(group, &[1.5, 2.5], Some(&[1, 1]), None);
        put::<Int32Type>(group, &[-1, 7], None, None);
        put::<Int64Type>(group, &[-1, 3], None, None);
        put::<Int32Type>(group, &[-1, 4], None, None);
        put::<BoolType>(group, &[true, false], None, None);
        put::<ByteArrayType>(group, &strings(&["ä"]), Some(&[1, 0]), None);
        put::<Int64Type>(group, &[0, 1_700_000_000_000_000_000], None, None);
        put::<Int32Type>(group, &[0, 19_723], None, None);
        put::<Int32Type>(group, &[199, -5], None, None);
    };
    file(schema, Compression::SNAPPY, &[&group, &group])
}

#[test]
fn every_plain_type_is_read() {
    let table = read("t.parquet", mixed()).unwrap();
    assert_eq!(table.feature_names, ["x", "y", "i", "l", "u", "b", "price"]);
    let rows =
        [vec![0.1, 1.5, -1.0, u64::MAX as f64, 4294967295.0, 1.0, 1.99], vec![-2.0, 2.5, 7.0, 3.0, 4.0, 0.0, -0.05]];
    assert_eq!(rows_of(&table.values), [rows.clone(), rows].concat());
    let carried: Vec<&str> = table.carried.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(carried, ["name", "when", "day"]);
    assert_eq!(table.carried[0].1, ["ä", "", "ä", ""]);
    assert_eq!(table.carried[1].1[..2], ["1970-01-01T00:00:00", "2023-11-14T22:13:20"]);
    assert_eq!(table.carried[2].1[..2], ["1970-01-01", "2024-01-01"]);
}

#[test]
fn columns_are_chosen_as_in_text() {
    let fixture = Fixture::new("t.pq", mixed());
    let options = TableOptions {
        id_column: Some("l".into()),
        label_column: Some("b".into()),
        columns: Some(vec!["1:3".into()]),
        ..TableOptions::default()
    };
    let table = read_table(&fixture.path, &options).unwrap();
    assert_eq!(table.feature_names, ["x", "y", "i"]);
    assert_eq!(table.ids.unwrap()[..2], ["18446744073709551615", "3"]);
    assert_eq!(table.labels.unwrap()[..2], ["true", "false"]);
    assert_eq!(table.carried.len(), 5);
    for column in ["name", "when"] {
        let options = TableOptions { columns: Some(vec![column.into()]), ..TableOptions::default() };
        let error = read_table(&fixture.path, &options).unwrap_err();
        assert!(matches!(error, Error::NotNumeric { row: 0, .. }), "{error}");
    }
}

#[test]
fn every_compression_is_read() {
    let group = |group: &mut Group| put::<DoubleType>(group, &vec![0.5; 20_000], None, None);
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
    ] {
        let table =
            read("t.parquet", file("message t { required double x; }", compression, &[&group, &group])).unwrap();
        assert_eq!(table.values.nrows(), 40_000);
    }
}

#[test]
fn nulls_and_nans_are_missing() {
    let schema = "message t { required double x; optional double y; }";
    for (values, definitions) in [(vec![1.0], [1, 0]), (vec![1.0, f64::NAN], [1, 1])] {
        let group = |group: &mut Group| {
            put::<DoubleType>(group, &[1.0, 2.0], None, None);
            put::<DoubleType>(group, &values, Some(&definitions), None);
        };
        let error = read("t.parquet", file(schema, Compression::SNAPPY, &[&group])).unwrap_err();
        assert!(
            matches!(&error, Error::NonFinite { row: 1, column, value, .. } if column == "y" && value == "missing"),
            "{error}"
        );
    }
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[1.0, 2.0], None, None);
        put::<DoubleType>(group, &[], Some(&[0, 0]), None);
    };
    let table = read("t.parquet", file(schema, Compression::SNAPPY, &[&group])).unwrap();
    assert_eq!((table.feature_names, table.carried.len()), (vec!["x".into()], 1));
}

#[test]
fn numbers_as_text_are_features_only_when_asked_for() {
    let schema = "message t { required double x; required binary code (string); }";
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[1.0, 2.0], None, None);
        put::<ByteArrayType>(group, &strings(&["007", " 8 "]), None, None);
    };
    let fixture = Fixture::new("t.parquet", file(schema, Compression::SNAPPY, &[&group]));
    assert_eq!(fixture.table().unwrap().carried, [("code".into(), vec!["007".into(), " 8 ".into()])]);
    let options = TableOptions { columns: Some(vec!["code".into()]), ..TableOptions::default() };
    assert_eq!(rows_of(&read_table(&fixture.path, &options).unwrap().values), [[7.0], [8.0]]);
}

#[test]
fn records_become_columns_and_lists_are_carried_as_text() {
    let schema = "message t {
        optional group p { optional double x; }
        optional group v (list) { repeated group list { optional int32 element; } }
        required double __index_level_0__;
    }";
    let group = |group: &mut Group| {
        put::<DoubleType>(group, &[1.0, 2.0, 3.0, 4.0, 5.0], Some(&[2; 5]), None);
        put::<Int32Type>(group, &[1, 2, 3], Some(&[3, 3, 2, 0, 1, 2, 3]), Some(&[0, 1, 1, 0, 0, 0, 0]));
        put::<DoubleType>(group, &[0.0, 1.0, 2.0, 3.0, 4.0], None, None);
    };
    let table = read("t.parquet", file(schema, Compression::SNAPPY, &[&group])).unwrap();
    assert_eq!(table.feature_names, ["p.x"]);
    assert_eq!(table.carried[0], ("v".into(), ["[1, 2, null]", "", "[]", "[null]", "[3]"].map(String::from).into()));
    assert_eq!(table.carried[1].0, "__index_level_0__");
}

#[test]
fn other_files_are_refused() {
    assert!(refusal("t.parquet", "a,b\n1,2\n").contains("not a Parquet file that can be read"));
    assert!(refusal("t.parquet", "").contains("not a Parquet file that can be read"));
    let empty = file("message t { required double x; }", Compression::SNAPPY, &[]);
    assert!(refusal("t.parquet", empty).contains("there is no row in it"));
    let error = read_table(Path::new("absent.pq"), &TableOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("absent.pq: cannot be read"), "{error}");
}

#[test]
fn wide_tables_are_read() {
    let names: Vec<String> = (0..2000).map(|j| format!("required double x{j};")).collect();
    let group = |group: &mut Group| (0..2000).for_each(|j| put::<DoubleType>(group, &[f64::from(j)], None, None));
    let bytes = file(&format!("message t {{ {} }}", names.join(" ")), Compression::SNAPPY, &[&group, &group]);
    let table = read("t.parquet", bytes).unwrap();
    assert_eq!((table.values.nrows(), table.values.ncols()), (2, 2000));
    assert_eq!(table.values[(1, 1999)], 1999.0);
}

#[test]
fn damaged_files_never_panic() {
    damage_never_panics("t.parquet", &mixed());
}
