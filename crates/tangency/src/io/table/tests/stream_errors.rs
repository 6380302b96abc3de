//! What is wrong with a table is said as when it is read whole, in the block where it is found.

use super::numpy::{header, npy, npz, raw};
use super::stream::{blocks, error_in, long, words};
use super::*;

#[track_caller]
fn error(contents: impl AsRef<[u8]>, features: &[&str]) -> String {
    error_in(&Fixture::new("t.csv", contents), &TableOptions::default(), features).to_string()
}

#[test]
fn columns_are_chosen_once_and_first() {
    let fixture = Fixture::new("t.csv", "a,b\n1,2\n3,x\n");
    let mut stream = TableStream::open(&fixture.path, &TableOptions::default()).unwrap();
    assert_eq!((stream.names().unwrap(), stream.rows()), (&words(&["a", "b"])[..], None));
    assert!(stream.next_block(1).unwrap_err().to_string().contains("choose them before"));
    assert!(stream.choose(&[]).unwrap_err().to_string().contains("choose at least one"));
    stream.choose(&words(&["a"])).unwrap();
    stream.choose(&words(&["b"])).unwrap();
    assert_eq!(stream.next_block(0).unwrap().unwrap().values[(0, 0)], 2.0);
    assert!(stream.choose(&words(&["a"])).is_err());
    assert!(matches!(stream.next_block(1), Err(Error::NotNumeric { row: 1, .. })));
    assert!(stream.next_block(1).unwrap_err().to_string().contains("cannot be read on after an error"));
}

#[test]
fn cells_that_are_no_finite_numbers_are_named() {
    for (cell, found) in [("", "missing"), ("NA", "missing"), ("-inf", "-inf"), ("1e999", "1e999")] {
        let fixture = Fixture::new("t.csv", long("a,b,c\n").replace("\n2500,", &format!("\n {cell} ,")));
        let error = error_in(&fixture, &TableOptions::default(), &["c", "a"]);
        assert!(
            matches!(&error, Error::NonFinite { row: 2500, column, value, .. } if column == "a" && value == found),
            "{error}"
        );
    }
    let fixture = Fixture::new("t.csv", "a,b\n1,2\nx,y z\n,3\n1\n");
    let error = error_in(&fixture, &TableOptions::default(), &["b", "a"]);
    assert!(
        matches!(&error, Error::NotNumeric { row: 1, column, value, .. } if column == "b" && value == "y z"),
        "{error}"
    );
    let values = [1.0, 2.0, f64::NAN, 4.0, f64::INFINITY, 6.0];
    for (order, column, value) in [(npyz::Order::C, "c1", "missing"), (npyz::Order::Fortran, "c2", "inf")] {
        let fixture = Fixture::new("t.npy", npy(&[3, 2], order, values));
        let error = blocks(&fixture.path, &TableOptions::default(), &words(&["u", "v"]), 3).unwrap_err();
        let expected = Error::NonFinite { row: 1, column: column.into(), value: value.into(), line: None };
        assert_eq!(error.to_string(), expected.to_string());
        assert_eq!(error.to_string(), fixture.refusal());
    }
}

#[test]
fn columns_that_are_not_wanted_may_hold_anything() {
    let fixture = Fixture::new("t.csv", "a,b,c\n1,x,\n2,,inf\n");
    assert_eq!(blocks(&fixture.path, &TableOptions::default(), &words(&["a"]), 5).unwrap().rows, [[1.0], [2.0]]);
}

#[test]
fn ragged_rows_are_named_with_their_line() {
    let message = error("\u{feff}a,b,c\n1,2,3\n\n\"4\",5\n6,7,8\n", &["a"]);
    assert!(message.contains("row 1 (line 4) has 2 cells, but 3 are expected"), "{message}");
    let message = error("a,b\r\n1,2\r\n\r\n3\r\n", &["a"]);
    assert!(message.contains("row 1 (line 4) has 1 cell, but 2 are expected"), "{message}");
    let message = error(long("a,b,c\n\n").replace("\n2500,", "\n\n2500,2500,"), &["a", "b"]);
    assert!(message.contains("row 2500 (line 2504) has 4 cells, but 3 are expected"), "{message}");
    let message = error("1,2\n3,4,5\n", &["a", "b"]);
    assert!(message.contains("row 1 (line 2) has 3 cells, but 2 are expected"), "{message}");
}

#[test]
fn text_that_is_not_utf8_is_found_where_it_stands() {
    let mut bytes = long("a,b,c\n").into_bytes();
    let at = bytes.len() - 20;
    bytes[at] = 0x90;
    let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
    let fixture = Fixture::new("t.csv", &bytes);
    let message = error_in(&fixture, &TableOptions::default(), &["a"]).to_string();
    assert_eq!(message, fixture.refusal());
    assert!(message.contains(&format!("line {line} is not UTF-8 text")), "{message}");
    let mut stream = TableStream::open(&fixture.path, &TableOptions::default()).unwrap();
    stream.choose(&words(&["a"])).unwrap();
    assert_eq!(stream.next_block(1500).unwrap().unwrap().values.ncols(), 1500);
}

#[test]
fn other_files_are_refused_as_when_read_whole() {
    let array = raw(&header("'<f8'", "(2, 3)"), &[0; 47]);
    for (name, bytes) in [
        ("t.csv", b"".to_vec()),
        ("t.csv", b"\xef\xbb\xbf".to_vec()),
        ("t.csv", b"a,b\n".to_vec()),
        ("t.csv", b"a,a\n1,2\n".to_vec()),
        ("t.csv", b"\xff\xfea\0,\0b\0".to_vec()),
        ("t.npy", array.clone()),
        ("t.npy", array[..100].to_vec()),
        ("t.npy", array[..9].to_vec()),
        ("t.npy", raw(&header("'<f8'", "(0, 3)"), &[])),
        ("t.npy", raw(&header("'<f8'", "(18446744073709551615, 2)"), &[0; 47])),
        ("t.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec()),
        ("t.npy", b"a,b\n".to_vec()),
        ("t.npz", npz(&[("a", array)])),
        ("t.npz", b"PK".to_vec()),
        ("t.parquet", b"PAR1".to_vec()),
        ("t.xlsx", b"".to_vec()),
    ] {
        let fixture = Fixture::new(name, bytes);
        let error = TableStream::open(&fixture.path, &TableOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), fixture.refusal());
    }
    for name in ["absent.csv", "absent.npy", "absent.npz"] {
        let error = TableStream::open(Path::new(name), &TableOptions::default()).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{name}: cannot be read")), "{error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("folder.csv");
    std::fs::create_dir(&folder).unwrap();
    assert!(matches!(TableStream::open(&folder, &TableOptions::default()), Err(Error::Unreadable { .. })));
    let fixture = Fixture::new("t.csv", "1,2\n");
    let options = TableOptions { array: Some("X".into()), ..TableOptions::default() };
    assert!(matches!(TableStream::open(&fixture.path, &options), Err(Error::Setting { name: "array", .. })));
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_cut_short() {
    let fixture = Fixture::new("t.npy", npy(&[100_000, 2], npyz::Order::C, (0..200_000).map(f64::from)));
    let mut stream = TableStream::open(&fixture.path, &TableOptions::default()).unwrap();
    stream.choose(&words(&["a", "b"])).unwrap();
    stream.next_block(10).unwrap();
    std::fs::OpenOptions::new().write(true).open(&fixture.path).unwrap().set_len(100_000).unwrap();
    let message = stream.next_block(99_990).unwrap_err().to_string();
    assert!(message.contains("the array was cut short while it was read"), "{message}");
}

#[test]
fn a_cell_is_named_by_its_row_and_its_line() {
    let of = |header: &str| format!("{header}1,2\n\n\"3\",4\n5,six\n");
    for (header, line) in [("a,b\n", 5), ("", 4)] {
        let fixture = Fixture::new("t.csv", of(header));
        let name = if header.is_empty() { "c2" } else { "b" };
        let options = TableOptions { columns: Some(words(&[name])), ..TableOptions::default() };
        let said = read_table(&fixture.path, &options).unwrap_err().to_string();
        assert!(said.starts_with(&format!("row 2 (line {line}), column {name} holds \"six\"")), "{said}");
        assert_eq!(error_in(&fixture, &TableOptions::default(), &[name]).to_string(), said);
    }
}
