//! Text that is packed, encoded or parted in another way.

use super::{Awkward, Fit, Refused, case, measured, plain, rows};
use std::io::Write;

const ABC: &[&str] = &["a", "b", "c"];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

/// Points as commas.
fn commas(header: &str, mark: &str) -> String {
    rows(header, mark, |i| measured(i).iter().map(|cell| cell[..cell.len() - 1].replace('.', ",")).collect())
}

pub fn cases() -> Vec<Awkward> {
    let thousands = |first: &str| {
        rows("a;b;c", ";", |i| vec![format!("{first}{i:03}"), measured(i)[0].clone(), measured(i)[1].clone()])
    };
    let windows = [&b"Gr\xf6\xdfe,b,c\n"[..], plain().split_once('\n').unwrap().1.as_bytes()].concat();
    let packed = gzip(plain().as_bytes());
    let with_comma_text =
        rows("name;a;b", ";", |i| vec![format!("x, {i}"), measured(i)[0].clone(), measured(i)[1].clone()]);
    vec![
        case("commas", "t.csv", plain(), Fit(ABC, &[])),
        case("semicolons", "t.csv", plain().replace(',', ";"), Fit(ABC, &[])),
        case("tabs in a .csv", "t.csv", plain().replace(',', "\t"), Fit(ABC, &[])),
        case("commas in text between semicolons", "t.csv", with_comma_text, Fit(&["a", "b"], &[])),
        case("commas in a .txt", "t.txt", plain(), Fit(ABC, &[])),
        case(
            "blanks between cells",
            "t.txt",
            plain().replace(',', " "),
            Refused(&["no numeric column", "separated by"]),
        ),
        case("decimal commas", "t.csv", commas("a;b;c", ";"), Fit(ABC, &["decimal mark in columns a, b, c"])),
        case("decimal commas between tabs", "t.tsv", commas("a\tb\tc", "\t"), Fit(ABC, &["decimal mark in columns"])),
        case("decimal commas without a header", "t.csv", commas("", ";"), Fit(&["c1", "c2", "c3"], &["decimal mark"])),
        case(
            "decimal commas between quotes and commas",
            "t.csv",
            "a,b\n\"1,5\",\"2,5\"\n",
            Refused(&["no numeric column", "with a point"]),
        ),
        case(
            "commas that may part thousands",
            "t.csv",
            thousands("1,"),
            Fit(&["b", "c"], &["not used: column a, in which a comma may"]),
        ),
        case(
            "thousands by points, decimals by commas",
            "t.csv",
            "a;b\n1.234,5;1\n999,5;2\n998,5;3\n",
            Refused(&["row 1", "column a", "1.234,5"]),
        ),
        case(
            "points and commas in one column",
            "t.csv",
            "a;b\n1.5;1,5\n2,5;2,5\n3.5;3,5\n",
            Refused(&["row 2", "column a", "2,5"]),
        ),
        case("Windows-1252", "t.csv", windows, Fit(&["Größe", "b", "c"], &["Windows-1252"])),
        case("a mark of UTF-8", "t.csv", format!("\u{feff}{}", plain()), Fit(ABC, &[])),
        case("UTF-16 of Excel", "t.csv", utf16(&format!("\u{feff}{}", plain()), u16::to_le_bytes), Fit(ABC, &[])),
        case("UTF-16 the other way", "t.csv", utf16(&format!("\u{feff}{}", plain()), u16::to_be_bytes), Fit(ABC, &[])),
        case(
            "UTF-16 without a mark",
            "t.csv",
            utf16(&plain(), u16::to_le_bytes),
            Refused(&["line 1", "zero byte", "UTF-8"]),
        ),
        case("two encodings", "t.csv", b"n,a\n\xe9,1\n\xc3\xa9,2\n", Refused(&["line 3", "is in UTF-8"])),
        case("a picture", "t.csv", b"\x89PNG\r\n\x1a\n\x01\x02", Refused(&["t.csv", "line 2 is not UTF-8 text"])),
        case("packed", "t.csv.gz", packed.clone(), Fit(ABC, &[])),
        case("packed under another name", "t.csv", packed.clone(), Fit(ABC, &[])),
        case("not packed as its name says", "t.csv.gz", plain(), Fit(ABC, &[])),
        case(
            "packed by zstd",
            "t.tsv.zst",
            zstd::encode_all(plain().replace(',', "\t").as_bytes(), 1).unwrap(),
            Fit(ABC, &[]),
        ),
        case(
            "packed and cut short",
            "t.csv.gz",
            &packed[..packed.len() / 2],
            Refused(&["t.csv.gz", "cannot be unpacked"]),
        ),
        case("packed nothing", "t.csv.gz", gzip(b""), Refused(&["t.csv.gz", "empty"])),
        case("packed otherwise", "t.csv.bz2", "BZh9", Refused(&["t.csv.bz2", "unpack it"])),
        case("from standard input", "-", plain(), Fit(ABC, &[])),
        case("packed from standard input", "-", packed, Fit(ABC, &[])),
        case("nothing from standard input", "-", "", Refused(&["standard input", "nothing came"])),
        case("lines of Windows", "t.csv", plain().replace('\n', "\r\n"), Fit(ABC, &[])),
        case("lines of an old Macintosh", "t.csv", plain().replace('\n', "\r"), Fit(ABC, &[])),
        case("blank lines and no end of the last", "t.csv", plain().replace('\n', "\n\n").trim_end(), Fit(ABC, &[])),
        case("AnnData", "t.h5ad", "\u{89}HDF", Refused(&["t.h5ad", "anndata.read_h5ad", "tangency.tl.lllvm"])),
        case("a row too long", "t.csv", plain() + "1,2,3,4\n", Refused(&["row 25", "4 cells", "3 are expected"])),
        case("a quote that is not closed", "t.csv", plain() + "\"1,2,3\n4,5,6\n", Refused(&["row 25", "1 cell"])),
        case("empty", "t.csv", "", Refused(&["t.csv", "empty"])),
        case("only a header", "t.csv", "a,b\n", Refused(&["no data row"])),
    ]
}
