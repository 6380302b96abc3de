//! Arrow files and streams, as pyarrow 23 and Polars write them.

use super::stream::agrees;
use super::*;

/// What a fixture holds; they were written by pyarrow and Polars, with these cells in forty rows.
fn written(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/tables/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

const ROWS: usize = 40;
const MIXED: [&str; 4] = ["mixed.arrow", "mixed.feather", "zstd.ipc", "stream.arrows"];

fn lacks(i: usize) -> bool {
    i % 7 == 3
}

fn gaps() -> TableOptions {
    TableOptions { gaps: true, ..TableOptions::default() }
}

/// A column of `carried`.
fn texts<'a>(table: &'a Table, name: &str) -> &'a [String] {
    &table.carried.iter().find(|(other, _)| other == name).unwrap().1
}

#[test]
fn numbers_of_every_type_are_features() {
    for name in MIXED {
        let table = read_table(&Fixture::new(name, written(name)).path, &gaps()).unwrap();
        let features = ["x", "y", "h", "i", "u", "b", "price", "level", "took", "place.lat", "place.lon", "last"];
        assert_eq!(table.feature_names, features, "{name}");
        assert_eq!(table.values.nrows(), ROWS);
        for i in 0..ROWS {
            let t = i as f64;
            let or_gap = |value: f64| if lacks(i) { f64::NAN } else { value };
            let place = |value: f64| if i % 5 == 0 { f64::NAN } else { value };
            let expected = [
                0.5 + t / 3.0,
                or_gap(t * t / 8.0),
                (i * 5 % 16) as f64 / 4.0,
                if i % 2 == 0 { 3.0 * t } else { -3.0 * t },
                9_223_372_036_854_775_808.0 + 4096.0 * t,
                or_gap(f64::from(u8::from(i % 3 == 0))),
                format!("{}e-2", i as i64 * i as i64 - 40).parse().unwrap(),
                [1.5, 2.5, 4.0][i * i % 3],
                t * t,
                place(t / 2.0),
                place(-1.25 * t),
                1.0 / (1.0 + t),
            ];
            for (f, expected) in expected.into_iter().enumerate() {
                let found = table.values[(i, f)];
                assert!(found == expected || found.is_nan() && expected.is_nan(), "{name}, {i}, {}", features[f]);
            }
        }
    }
}

#[test]
fn texts_dates_and_lists_are_carried() {
    for name in MIXED {
        let table = read_table(&Fixture::new(name, written(name)).path, &gaps()).unwrap();
        for i in 0..ROWS {
            let or_none = |text: String| if lacks(i) { String::new() } else { text };
            let listed: Vec<String> = (0..i % 4).map(|item| item.to_string()).collect();
            let day = if i < 31 { format!("2024-01-{:02}", i + 1) } else { format!("2024-02-{:02}", i - 30) };
            let when =
                if i == 0 { "2024-01-01T12:00:00".into() } else { format!("2024-01-01T12:00:00.{:06}", i * 1000) };
            let view =
                if i % 2 == 1 { format!("a text that is longer than twelve bytes {i}") } else { format!("s{i}") };
            for (column, expected) in [
                ("name", or_none(format!("row {i} ä"))),
                ("wide", format!("w{i}").repeat(i % 4)),
                ("view", view),
                ("kind", or_none(["red", "green", "blue"][i % 3].into())),
                ("day", day.clone()),
                ("day64", day),
                ("when", when),
                ("clock", format!("01:02:{i:02}")),
                ("list", format!("[{}]", listed.join(", "))),
                ("pair", format!("[{i}, {}]", i + 1)),
                ("raw", format!("{i:02x}ff")),
                ("tags", String::new()),
                ("none", String::new()),
            ] {
                assert_eq!(texts(&table, column)[i], expected, "{name}, {i}, {column}");
            }
        }
        let not_read = TableNote::NotRead(vec![("tags".into(), "maps")]);
        assert_eq!(table.notes.iter().filter(|&note| *note == not_read).count(), 1, "{name}");
    }
}

#[test]
fn blocks_are_the_whole_table() {
    let listed = |columns: &[&str]| Some(columns.iter().map(|&column| column.to_owned()).collect());
    for name in MIXED {
        let whole = TableOptions { columns: listed(&["last", "level", "price", "x"]), ..gaps() };
        agrees(name, written(name), &TableOptions { id_column: Some("view".into()), ..whole.clone() });
        agrees(name, written(name), &TableOptions { label_column: Some("kind".into()), ..whole });
    }
    agrees("delta.arrows", written("delta.arrows"), &TableOptions { id_column: Some("k".into()), ..gaps() });
}

#[test]
fn dictionaries_grow() {
    let table = read("delta.arrows", written("delta.arrows")).unwrap();
    assert_eq!(texts(&table, "k"), ["a", "b", "a", "c", "b", "a"]);
}

#[test]
fn files_of_polars_are_read() {
    let table = read_table(&Fixture::new("t.feather", written("polars.feather")).path, &gaps()).unwrap();
    assert_eq!(table.feature_names, ["x", "n"]);
    assert!(table.values[(2, 0)].is_nan());
    assert_eq!(texts(&table, "s"), ["short", "a text that is longer than twelve", "", ""]);
    assert_eq!(texts(&table, "c"), ["u", "v", "u", "v"]);
    assert_eq!(texts(&table, "d")[3], "2024-01-01");
    assert_eq!(texts(&table, "e"), ["[1, 2]", "[]", "", "[3]"]);
}

#[test]
fn a_gap_is_an_error_where_none_may_be() {
    let message = refusal("mixed.arrow", written("mixed.arrow"));
    assert!(message.contains("row 0, column place.lat is missing"), "{message}");
}

#[test]
fn what_is_no_arrow_file_is_refused_with_its_path() {
    for bytes in [&b""[..], b"ARROW1", b"a,b\n1,2\n", &[0xff; 64], &written("mixed.arrow")[..1000]] {
        let message = refusal("t.feather", bytes);
        assert!(message.contains("t.feather: is not an Arrow file that can be read"), "{message}");
    }
    let message = refusal("t.feather", b"FEA1    ");
    assert!(message.contains("Feather of version 1"), "{message}");
}

#[test]
fn damage_is_an_error() {
    for name in ["mixed.feather", "stream.arrows", "polars.feather", "delta.arrows", "hollow.arrow"] {
        damage_never_panics(name, &written(name));
    }
}

#[test]
fn columns_whose_cells_take_no_bytes_are_empty() {
    // lists of length 0, lists of nulls, bytes of length 0, nulls: nothing in a file tells how many of these there are
    let table = read_table(&Fixture::new("hollow.arrow", written("hollow.arrow")).path, &gaps()).unwrap();
    assert_eq!((table.feature_names.as_slice(), table.values.nrows()), (&["x".to_owned(), "y".to_owned()][..], ROWS));
    assert!(table.carried.iter().all(|(_, cells)| cells.len() == ROWS && cells.iter().all(String::is_empty)));
}
