//! Delimited text.

use super::*;

#[test]
fn delimiters_are_told_from_the_first_line() {
    for (name, contents) in [
        ("t.csv", "a,b\n1,2\n"),
        ("t.csv", "a;b\n1;2\n"),
        ("t.csv", "a\tb\n1\t2\n"),
        ("t.csv", "\n\n\"a\";b\n1;2\n"),
        ("t.tsv", "a\tb\n1\t2\n"),
        ("t.tab", "a\tb\n1\t2\n"),
        ("t.txt", "a\tb\n1\t2\n"),
        ("t.txt", "a,b\n1,2\n"),
        ("t.tsv", "a;b\n1;2\n"),
    ] {
        let table = read(name, contents).unwrap();
        assert_eq!(table.feature_names, ["a", "b"], "{name} {contents:?}");
        assert_eq!(rows_of(&table.values), [[1.0, 2.0]], "{name} {contents:?}");
    }
    assert_eq!(read("t.csv", "\"x, y\";b\n1;2\n").unwrap().feature_names, ["x, y", "b"]);
    assert_eq!(read("t.csv", "5\" pipe,b\n1,2\n").unwrap().feature_names, ["5\" pipe", "b"]);
    assert_eq!(read("t.tsv", "x, y\tb\n1\t2\n").unwrap().feature_names, ["x, y", "b"]);
}

#[test]
fn marks_quotes_line_ends_and_blank_lines_are_understood() {
    let contents = "\u{feff}name,\"the \"\"x\"\"\",y\r\n\r\n\"Doe, Jane\",\"1.5\", 2 \r\n   \r\n\"two\nlines\",3,4e-1";
    let table = read("t.csv", contents).unwrap();
    assert_eq!(table.feature_names, ["the \"x\"", "y"]);
    assert_eq!(rows_of(&table.values), [[1.5, 2.0], [3.0, 0.4]]);
    assert_eq!(table.carried, [("name".into(), vec!["Doe, Jane".into(), "two\nlines".into()])]);
}

#[test]
fn headers_are_detected() {
    for (contents, header) in [
        ("a,b\n1,2\n", true),
        ("1,2\n3,4\n", false),
        ("1,b\n3,4\n", true),
        ("x,1\ny,2\n", false),
        ("id,v\nx,2\n", true),
        ("NA,2\n1,2\n", false),
        (",b\n0,2\n", true),
        ("?,null\n1,2\n", false),
        ("x\n1\n2\n", true),
        ("1\n2\n", false),
        ("a,b\n1,\n,\n", true),
    ] {
        let table = Fixture::new("t.csv", contents);
        let rows = csv::DelimitedTable::read(&table.path, None).map(|source| source.rows()).unwrap();
        assert_eq!(rows, contents.lines().count() - usize::from(header), "{contents:?}");
    }
    for (contents, header) in [
        ("0,1,2\n0.5,1.5,2.5\n", true),
        (",0,1,2\n0,0.5,1.5,2.5\n", true),
        ("0,1,2,lab\n0.5,1.5,2.5,u\n", true),
        ("0,1,2\n3,4,5\n", false),
        ("0,1\n0.5,1.5\n", false),
        ("0,1,3\n0.5,1.5,2.5\n", false),
    ] {
        assert_eq!(read("t.csv", contents).unwrap().values.nrows(), 2 - usize::from(header), "{contents:?}");
    }
    let mostly = "v,w\n1,1\nx,1\ny,1\n";
    assert_eq!(read("t.csv", mostly).unwrap().feature_names, ["w"]);
}

#[test]
fn headers_can_be_told() {
    let fixture = Fixture::new("t.csv", "2019,2020\n1,2\n");
    let options = |header| TableOptions { header: Some(header), ..TableOptions::default() };
    let table = read_table(&fixture.path, &options(true)).unwrap();
    assert_eq!((table.values.nrows(), table.feature_names), (1, vec!["2019".into(), "2020".into()]));
    let table = read_table(&fixture.path, &options(false)).unwrap();
    assert_eq!((table.values.nrows(), table.feature_names), (2, vec!["c1".into(), "c2".into()]));
    let fixture = Fixture::new("t.csv", "a,b\n1,2\n");
    let error = read_table(&fixture.path, &options(false)).unwrap_err();
    assert!(matches!(error, Error::NotNumeric { row: 0, .. }), "{error}");
}

#[test]
fn single_rows_and_columns_are_tables() {
    assert_eq!(rows_of(&read("t.csv", "1,2,3").unwrap().values), [[1.0, 2.0, 3.0]]);
    assert_eq!(rows_of(&read("t.csv", "x\n1\n2\n").unwrap().values), [[1.0], [2.0]]);
    assert_eq!(rows_of(&read("t.tsv", "7\n").unwrap().values), [[7.0]]);
    let table = read("t.csv", "a,1,2").unwrap();
    assert_eq!((rows_of(&table.values), table.carried.len()), (vec![vec![1.0, 2.0]], 1));
}

#[test]
fn a_quoted_blank_in_a_single_column_is_a_missing_cell() {
    let error = read("t.csv", "x\n1\n\"\"\n3\n").unwrap_err();
    assert!(matches!(error, Error::NonFinite { row: 1, .. }), "{error}");
}

#[test]
fn empty_files_are_refused() {
    for contents in ["", "\n\n", "\u{feff}", "  \n"] {
        assert!(refusal("t.csv", contents).contains("the file is empty"), "{contents:?}");
    }
    assert!(refusal("t.csv", "a,b\n").contains("there is a header but no data row"));
    let options = TableOptions { header: Some(true), ..TableOptions::default() };
    for contents in ["", "1,2\n"] {
        assert!(read_table(&Fixture::new("t.csv", contents).path, &options).is_err());
    }
}

#[test]
fn ragged_rows_are_named() {
    let message = refusal("t.csv", "a,b,c\n1,2,3\n\n4,5\n6,7,8\n");
    assert!(message.contains("row 1 (line 4) has 2 cells, but 3 are expected"), "{message}");
    let message = refusal("t.csv", "1,2\n3,4,5\n");
    assert!(message.contains("row 1 (line 2) has 3 cells, but 2 are expected"), "{message}");
    let message = refusal("t.csv", "a,b\n1\n");
    assert!(message.contains("row 0 (line 2) has 1 cell, but 2 are expected"), "{message}");
}

#[test]
fn what_is_not_text_is_refused() {
    let message = refusal("t.csv", b"a,b\n1,2\n3,caf\x90\n");
    assert!(message.contains("line 3 is not UTF-8 text"), "{message}");
    assert!(refusal("t.csv", b"a,b\n1,2\n3,\0\n").contains("line 3 holds a zero byte"));
}

#[test]
fn a_header_may_be_a_comment() {
    assert_eq!(read("t.csv", "# a,# b\n1,2\n").unwrap().feature_names, ["a", "# b"]);
}

#[test]
fn names_given_twice_are_refused() {
    let message = refusal("t.csv", "a,b,a,b,a,c\n1,2,3,4,5,6\n");
    assert!(message.contains("more than one column is named a, b;"), "{message}");
}

#[test]
fn a_column_without_a_name_is_taken_for_row_numbers() {
    let table = read("t.csv", ",x,y,\n0,1,2,\n1,3,4,\n").unwrap();
    assert_eq!(table.feature_names, ["x", "y"]);
    assert_eq!(table.carried[0], ("c1".into(), vec!["0".into(), "1".into()]));
    assert_eq!(table.carried[1], ("c4".into(), vec!["".into(), "".into()]));
    let fixture = Fixture::new("t.csv", ",x\n0,1\n");
    let options = TableOptions { columns: Some(vec!["1:2".into()]), ..TableOptions::default() };
    assert_eq!(read_table(&fixture.path, &options).unwrap().feature_names, ["c1", "x"]);
}

#[test]
fn a_missing_cell_among_numbers_is_named() {
    for missing in ["", "NA", "n/a", "NaN", "nan", "NULL", "none", "?", "  "] {
        let error = read("t.csv", format!("a,b\n1,2\n3,{missing}\n5,6\n")).unwrap_err();
        assert!(
            matches!(&error, Error::NonFinite { row: 1, column, value, .. } if column == "b" && value == "missing"),
            "{missing:?}: {error}"
        );
    }
}

#[test]
fn a_number_that_is_not_finite_is_named() {
    for text in ["inf", "-Infinity", "1e999", "-nan"] {
        let error = read("t.csv", format!("1,2\n3,{text}\n")).unwrap_err();
        assert!(
            matches!(&error, Error::NonFinite { row: 1, column, value, .. } if column == "c2" && value == text),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn a_cell_that_is_no_number_among_numbers_is_named() {
    let error = read("t.csv", "a,b\n1,2\n3,4\n5,n.d.\nx,6\n").unwrap_err();
    assert!(
        matches!(&error, Error::NotNumeric { row: 2, column, value, .. } if column == "b" && value == "n.d."),
        "{error}"
    );
}

#[test]
fn half_numbers_make_a_column_numeric_and_missing_cells_do_not_count() {
    let error = read("t.csv", "a,b\n1,1\n1,1\n1,x\n1,y\n").unwrap_err();
    assert!(matches!(error, Error::NotNumeric { row: 2, .. }), "{error}");
    assert_eq!(read("t.csv", "a,b\n1,1\n1,x\n1,y\n").unwrap().feature_names, ["a"]);
    let table = read("t.csv", "a,b,c\n1,NA,\n2,x,?\n").unwrap();
    assert_eq!(table.feature_names, ["a"]);
    assert_eq!(table.carried[0].1, ["NA", "x"]);
    let error = read("t.csv", "a,b\n1,NA\n2,NA\n3,7\n").unwrap_err();
    assert!(matches!(error, Error::NonFinite { row: 0, .. }), "{error}");
}

#[test]
fn numbers_are_read_to_the_last_bit() {
    let numbers = ["0.1", "1e-308", "1.7976931348623157e308", "-2.2250738585072014E-308", "+3.", ".5", "007"];
    let table = read("t.csv", numbers.join(",")).unwrap();
    let expected: Vec<f64> = numbers.iter().map(|number| number.parse().unwrap()).collect();
    assert_eq!(rows_of(&table.values), [expected]);
}

#[test]
fn damaged_text_never_panics() {
    let contents = "\u{feff}name,\"x;\"\"1\"\"\",y\r\n\"Doe, J\",1.5,2\r\n\"é\t\",3,NA\r\n\r\nu,5,6\r\n";
    for name in ["t.csv", "t.tsv"] {
        damage_never_panics(name, contents.as_bytes());
    }
}
