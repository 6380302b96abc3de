//! Text comes to the same table however it is packed, encoded and written, and what was guessed is noted.

use std::io::Write;

use super::stream::{SIZES, agrees, blocks};
use super::*;
use crate::message::Sentence;

const PLAIN: &str = "name,a,b\ncafé,1.5,2\nthé,3,4.25\n";

fn noted(name: &str, contents: impl AsRef<[u8]>) -> (Table, Vec<String>) {
    let table = read(name, contents).unwrap();
    let said = table.notes.iter().map(|note| note.in_words(&crate::message::Fields)).collect();
    (table, said)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn windows_1252(text: &str) -> Vec<u8> {
    text.chars().map(|c| if c == '€' { 0x80 } else { c as u8 }).collect()
}

#[test]
fn packed_text_is_unpacked() {
    let expected = read("t.csv", PLAIN).unwrap();
    let zstd = zstd::encode_all(PLAIN.as_bytes(), 3).unwrap();
    let two_members = [gzip(&PLAIN.as_bytes()[..12]), gzip(&PLAIN.as_bytes()[12..])].concat();
    for (name, bytes) in [
        ("t.csv.gz", gzip(PLAIN.as_bytes())),
        ("t.CSV.GZ", two_members),
        ("t.csv.zst", zstd.clone()),
        ("t.txt.zstd", zstd.clone()),
        ("t.csv", gzip(PLAIN.as_bytes())),
        ("t.csv.gz", PLAIN.into()),
        ("t.csv.gz", zstd),
    ] {
        let table = read(name, &bytes).unwrap();
        assert_eq!((rows_of(&table.values), &table.carried), (rows_of(&expected.values), &expected.carried), "{name}");
        agrees(name, bytes, &TableOptions::default());
    }
}

#[test]
fn damaged_packing_is_named() {
    for (name, bytes) in
        [("t.csv.gz", gzip(PLAIN.as_bytes())), ("t.csv.zst", zstd::encode_all(PLAIN.as_bytes(), 3).unwrap())]
    {
        for end in [5, bytes.len() / 2, bytes.len() - 1] {
            let message = refusal(name, &bytes[..end]);
            assert!(message.contains("cannot be unpacked") && message.contains("pack it again"), "{message}");
        }
        damage_never_panics(name, &bytes);
    }
    assert!(refusal("t.npy.gz", gzip(b"x")).contains("only delimited text"));
}

#[test]
fn encodings_are_told_by_a_mark_or_noted() {
    let expected = read("t.csv", PLAIN).unwrap();
    for (bytes, note) in [
        (format!("\u{feff}{PLAIN}").into_bytes(), None),
        (utf16(PLAIN), None),
        (gzip(&utf16(PLAIN)), None),
        (windows_1252(PLAIN), Some("the text is not UTF-8 and was read as Windows-1252")),
    ] {
        let (table, said) = noted("t.csv", &bytes);
        assert_eq!((rows_of(&table.values), table.carried), (rows_of(&expected.values), expected.carried.clone()));
        assert_eq!(said.first().map(String::as_str).filter(|said| said.contains("UTF-8")), note);
        agrees("t.csv", bytes, &TableOptions::default());
    }
}

#[test]
fn a_stream_notes_what_it_guessed() {
    let fixture = Fixture::new("t.csv", windows_1252("n;a\né;1,5\nü;2\n"));
    let mut stream = TableStream::open(&fixture.path, &TableOptions::default()).unwrap();
    stream.choose(&["a".to_owned()]).unwrap();
    while stream.next_block(1).unwrap().is_some() {}
    assert_eq!(stream.notes(), [TableNote::Encoding("Windows-1252"), TableNote::DecimalCommas(vec!["a".into()])]);
}

#[test]
fn decimal_commas_are_read_where_they_can_be_nothing_else() {
    for (name, contents) in [
        ("t.csv", "a;b\n1,5;2\n-3,25;4,5e1\n"),
        ("t.tsv", "a\tb\n1,5\t2\n-3,25\t4,5e1\n"),
        ("t.csv", "a;b\n1,5;2\n\"-3,25\";4,5e1\n"),
        ("t.csv", "a;b\n01,500;2\n-3,250;45\n"),
    ] {
        let (table, said) = noted(name, contents);
        assert_eq!(rows_of(&table.values), [[1.5, 2.0], [-3.25, 45.0]], "{contents}");
        assert!(said[0].starts_with("the comma was read as the decimal mark in column"), "{said:?}");
        agrees(name, contents, &TableOptions::default());
    }
    // without a header the first row tells nothing about the others, and is told by them
    let (table, _) = noted("t.csv", "1,5;2,5\n3,5;4,5\n");
    assert_eq!(rows_of(&table.values), [[1.5, 2.5], [3.5, 4.5]]);
    // where one column is certain, others are written in the same way
    let (table, said) = noted("t.csv", "a;b;c\n1,234;2,5;x\n5,678;3,5;y\n");
    assert_eq!(rows_of(&table.values), [[1.234, 2.5], [5.678, 3.5]]);
    assert_eq!(said[0], "the comma was read as the decimal mark in columns a, b");
    // the text stays as it is
    let options = TableOptions { label_column: Some("a".into()), ..TableOptions::default() };
    let table = read_table(&Fixture::new("t.csv", "a;b\n1,5;2,5\n3,5;4,5\n").path, &options).unwrap();
    assert_eq!(table.labels.unwrap(), ["1,5", "3,5"]);
}

#[test]
fn commas_that_may_part_thousands_make_no_numbers() {
    let (table, said) = noted("t.csv", "a;b\n1,234;2\n5,678;3\n");
    assert_eq!(
        (table.feature_names, table.carried[0].1.clone()),
        (vec!["b".into()], vec!["1,234".into(), "5,678".into()])
    );
    assert!(said[0].starts_with("not used: column a, in which a comma may"), "{said:?}");
    for contents in ["a;b\n1.234,5;1\n999,5;2\n", "a;b\n1,234,567;1\n2,5;2\n"] {
        assert!(
            matches!(read("t.csv", contents), Err(Error::NotNumeric { column, .. }) if column == "a"),
            "{contents}"
        );
    }
}

#[test]
fn points_and_commas_in_one_column_are_an_error() {
    let contents = "a;b\n1.5;2,5\n2,5;3,5\n3.5;1,5\n";
    let error = read("t.csv", contents).unwrap_err();
    assert!(matches!(&error, Error::NotNumeric { row: 1, column, .. } if column == "a"), "{error}");
    let fixture = Fixture::new("t.csv", contents);
    for most in SIZES {
        let error = blocks(&fixture.path, &TableOptions::default(), &["a".into(), "b".into()], most).unwrap_err();
        assert!(matches!(&error, Error::NotNumeric { row: 1, column, .. } if column == "a"), "{error}");
    }
    // a stream that has begun with commas ends at the first point
    let long = format!("a\n{}2.5\n", "1,5\n".repeat(2000)).replace('\n', ";1\n");
    let fixture = Fixture::new("t.csv", long);
    let error = blocks(&fixture.path, &TableOptions::default(), &["a".into()], 100).unwrap_err().to_string();
    assert!(error.contains("row 2000 (line 2002), column a holds 2.5, but decimals"), "{error}");
}

#[test]
fn a_matrix_with_decimal_commas_is_refused() {
    let fixture = Fixture::new("start.csv", "1,5;2,5\n3,5;4,5\n");
    assert!(read_matrix(&fixture.path, "the start").unwrap_err().to_string().contains("with a comma"));
}
