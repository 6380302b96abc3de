//! Spreadsheets mean what they would mean as delimited text; what text cannot have is said.

use super::stream::agrees;
use super::*;

/// What a fixture holds; they were written by openpyxl and odfpy.
fn written(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/tables/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

const ROWS: usize = 24;

fn options(sheet: Option<&str>) -> TableOptions {
    TableOptions { gaps: true, sheet: sheet.map(str::to_owned), ..TableOptions::default() }
}

fn texts<'a>(table: &'a Table, name: &str) -> &'a [String] {
    &table.carried.iter().find(|(other, _)| other == name).unwrap().1
}

#[test]
fn the_first_sheet_in_sight_is_read_and_named() {
    let fixture = Fixture::new("book.xlsx", written("book.xlsx"));
    let table = read_table(&fixture.path, &options(None)).unwrap();
    assert_eq!(table.feature_names, ["x", "y", "z", "took"]);
    assert_eq!(table.values.nrows(), ROWS);
    for i in 0..ROWS {
        let t = i as f64;
        // openpyxl writes sixteen digits
        assert!((table.values[(i, 0)] - (0.5 + t / 3.0)).abs() < 1e-14);
        let y = table.values[(i, 1)];
        assert!(if i % 7 == 3 { y.is_nan() } else { y == t * t / 8.0 }, "row {i}");
        assert_eq!(table.values[(i, 2)], (i * 5 % 16) as f64 - 3.0);
        assert_eq!(table.values[(i, 3)], t / 4.0, "days");
        assert_eq!(texts(&table, "who")[i], format!("row {i}"));
        assert_eq!(texts(&table, "ok")[i], (i % 3 == 0).to_string());
        assert_eq!(texts(&table, "day")[i], format!("2024-01-{:02}", i + 1));
        assert_eq!(texts(&table, "when")[i], format!("2024-01-01T12:30:{i:02}"));
        assert_eq!(texts(&table, "clock")[i], format!("07:{i:02}:30"));
    }
    let read = TableNote::Sheet { read: "Data 2024".into(), others: vec!["Older".into()] };
    assert!(table.notes.contains(&read), "{:?}", table.notes);
}

#[test]
fn a_sheet_is_read_by_its_name() {
    let fixture = Fixture::new("book.xlsx", written("book.xlsx"));
    let table = read_table(&fixture.path, &options(Some("Older"))).unwrap();
    assert_eq!((table.values.nrows(), &table.feature_names[..]), (12, &["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(table.values[(11, 0)], 16.5);
    let refused = |sheet| read_table(&fixture.path, &options(Some(sheet))).unwrap_err().to_string();
    let message = refused("Newer");
    assert!(message.contains("no sheet \"Newer\"") && message.contains("Data 2024"), "{message}");
    assert!(refused("Empty").contains("the sheet \"Empty\" is empty"));
    let text = Fixture::new("t.csv", "a,b\n1,2\n");
    let message = read_table(&text.path, &options(Some("Older"))).unwrap_err().to_string();
    assert!(message.contains("only spreadsheets hold sheets"), "{message}");
}

#[test]
fn open_spreadsheets_are_read_the_same() {
    let name = "book.ods";
    let table = read_table(&Fixture::new(name, written(name)).path, &options(None)).unwrap();
    assert_eq!(table.feature_names, ["x", "y"], "{name}");
    for i in 0..ROWS {
        let t = i as f64;
        assert!((table.values[(i, 0)] - (0.5 + t / 3.0)).abs() < 1e-12, "{name}");
        let y = table.values[(i, 1)];
        assert!(if i % 7 == 3 { y.is_nan() } else { y == t * t / 8.0 }, "{name}, row {i}");
        assert_eq!(texts(&table, "ok")[i], (i % 3 == 0).to_string(), "{name}");
        assert!(texts(&table, "day")[i].starts_with(&format!("2024-01-{:02}", i + 1)), "{name}");
    }
}

#[test]
fn blocks_are_the_whole_sheet() {
    let listed = Some(vec!["z".to_owned(), "x".to_owned()]);
    for name in ["book.xlsx", "book.ods"] {
        let chosen = TableOptions { columns: Some(vec!["x".to_owned()]), ..options(None) };
        agrees(name, written(name), &TableOptions { id_column: Some("who".into()), ..chosen });
    }
    let chosen = TableOptions { columns: listed, label_column: Some("ok".into()), ..options(Some("Data 2024")) };
    agrees("book.xlsx", written("book.xlsx"), &chosen);
}

#[test]
fn what_cannot_be_a_table_is_refused() {
    let message = refusal("formulas.xlsx", written("formulas.xlsx"));
    assert!(message.contains("cell B2 is a formula whose value is not in the file"), "{message}");
    let message = refusal("far.xlsx", written("far.xlsx"));
    assert!(message.contains("far apart") && message.contains("up to column XFD"), "{message}");
    for name in ["t.xlsx", "t.ods"] {
        for bytes in [&b""[..], b"PK\x03\x04", b"a,b\n1,2\n"] {
            let message = refusal(name, bytes);
            assert!(message.contains("is not a spreadsheet that can be read"), "{message}");
        }
    }
}

#[test]
fn damage_is_an_error() {
    for name in ["book.xlsx", "book.ods"] {
        damage_never_panics(name, &written(name));
    }
}
