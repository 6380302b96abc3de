//! Spreadsheets and Arrow files, as other programs write them.

use super::{Awkward, Fit, Refused, case, plain};

const AB: &[&str] = &["a", "b"];

/// A file that another program wrote.
fn written(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../tangency/tests/fixtures/tables/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub fn cases() -> Vec<Awkward> {
    let book = || written("book.xlsx");
    let with = |more: &'static str, case: Awkward| Awkward { more, ..case };
    let kinds = Fit(&["x", "last", "level"], &["not read: tags (maps)"]);
    vec![
        case(
            "sheets",
            "t.xlsx",
            book(),
            Fit(&["x", "y", "z", "took"], &["read the sheet Data 2024, not the sheet Older"]),
        ),
        with("--sheet Older", case("another sheet", "t.xlsx", book(), Fit(AB, &[]))),
        with("--sheet Newer", case("no such sheet", "t.xlsx", book(), Refused(&["no sheet \"Newer\"", "--sheet"]))),
        with("--sheet Empty", case("an empty sheet", "t.xlsx", book(), Refused(&["\"Empty\" is empty"]))),
        with("--sheet Older", case("a sheet of text", "t.csv", plain(), Refused(&["--sheet was given", "t.csv"]))),
        case("an old sheet", "t.xls", "\u{d0}\u{cf}", Refused(&["t.xls", "save it as .xlsx"])),
        case("an open sheet", "t.ods", written("book.ods"), Fit(&["x", "y"], &[])),
        case("formulas alone", "t.xlsx", written("formulas.xlsx"), Refused(&["t.xlsx", "cell B2 is a formula"])),
        case("cells far away", "t.xlsx", written("far.xlsx"), Refused(&["t.xlsx", "far apart", "column XFD"])),
        case("no sheet", "t.xlsx", "PK\x03\x04", Refused(&["t.xlsx", "not a spreadsheet that can be read"])),
        case("another kind of sheet", "t.xlsb", "PK\x03\x04", Refused(&["t.xlsb", "save it as .xlsx"])),
        case("a packed sheet", "t.xlsx.gz", book(), Refused(&["t.xlsx.gz", "unpack it"])),
        with("--columns x,last,level", case("Feather", "t.feather", written("mixed.feather"), kinds)),
        with(
            "--columns a,b",
            case("half of a file", "t.arrow", &written("mixed.arrow")[..9000], Refused(&["t.arrow", "cut short"])),
        ),
        case("old Feather", "t.feather", "FEA1    FEA1", Refused(&["t.feather", "version 1"])),
    ]
}
