//! Columns that are no measurements, say nothing, or say it twice.

use super::{Awkward, Fit, Refused, case, measured, plain, rows};

/// Measurements behind another column.
fn behind(header: &str, cell: impl Fn(usize) -> String) -> String {
    rows(header, ",", |i| [vec![cell(i)], measured(i)].concat())
}

/// Row numbers before measurements.
pub fn with_row_numbers(header: &str) -> String {
    behind(header, |i| (i + 3).to_string())
}

pub fn cases() -> Vec<Awkward> {
    const ABC: &[&str] = &["a", "b", "c"];
    let mixed = |i: usize| (i * 5 % 24 + 100).to_string();
    let listed = Awkward {
        more: "--columns n,a",
        ..case("row numbers that are listed", "t.csv", with_row_numbers("n,a,b,c"), Fit(&["n", "a"], &[]))
    };
    let ours = rows("id,label,x1,x2,sd1,sd2", ",", |i| {
        let [a, b, c] = measured(i).try_into().unwrap();
        vec![i.to_string(), "u".into(), a, b, "0.5".into(), c]
    });
    let kinds = rows("day,who,ok,sex,a,b", ",", |i| {
        let (day, who) = (format!("2024-01-{:02}", i + 1), format!("p{i}"));
        let row = [day, who, (i % 2 == 0).to_string(), ["f", "m"][i % 2].to_owned()];
        row.into_iter().chain(measured(i).into_iter().take(2)).collect()
    });
    let twice = plain() + plain().lines().nth(3).unwrap() + "\n";
    vec![
        case("row numbers", "t.csv", with_row_numbers("n,a,b,c"), Fit(ABC, &["not used: column n, because it counts"])),
        case(
            "row numbers without names",
            "t.csv",
            with_row_numbers(""),
            Fit(&["c2", "c3", "c4"], &["not used: column c1"]),
        ),
        listed,
        case("years", "t.csv", behind("year,a,b,c", |i| (1990 + i).to_string()), Fit(ABC, &["column year"])),
        case(
            "the index of pandas",
            "t.csv",
            with_row_numbers(",a,b,c"),
            Fit(ABC, &["not used: column c1, because it has no name"]),
        ),
        case(
            "the index of pandas, read and written",
            "t.csv",
            behind("Unnamed: 0,a,b,c", mixed),
            Fit(ABC, &["column Unnamed: 0"]),
        ),
        case("ids", "t.csv", behind("ID,a,b,c", mixed), Fit(ABC, &["not used: column ID, because its name"])),
        case(
            "ids that are repeated",
            "t.csv",
            behind("id,a,b,c", |i| (i / 2).to_string()),
            Fit(&["id", "a", "b", "c"], &[]),
        ),
        case(
            "an index that is measured",
            "t.csv",
            behind("index,a,b,c", |i| format!("{i}.75")),
            Fit(&["index", "a", "b", "c"], &[]),
        ),
        case(
            "whole numbers that may be ids",
            "t.csv",
            behind("code,a,b,c", mixed),
            Fit(&["code", "a", "b", "c"], &["column code may be identifiers"]),
        ),
        case(
            "long ids",
            "t.csv",
            behind("id,a,b,c", |i| format!("90071992547409{:05}", i % 20)),
            Fit(ABC, &["column id"]),
        ),
        case("ids that are text", "t.csv", behind("id,a,b,c", |i| format!("p{i}")), Fit(ABC, &[])),
        case(
            "our own embedding",
            "t.csv",
            ours,
            Fit(&["x1", "x2"], &["column id", "column sd1, because it is an output", "column sd2"]),
        ),
        case(
            "a constant",
            "t.csv",
            behind("k,a,b,c", |_| "7".into()),
            Fit(&["k", "a", "b", "c"], &["the same in all rows: column k"]),
        ),
        case(
            "a column twice",
            "t.csv",
            behind("a2,a,b,c", |i| measured(i)[0].clone()),
            Fit(&["a2", "a", "b", "c"], &["the same as another column: a (as a2)"]),
        ),
        case("a row twice", "t.csv", twice, Fit(ABC, &["row 25 is the same as row 3"])),
        case("dates, text, truths and categories", "t.csv", kinds, Fit(&["a", "b"], &[])),
        case("an empty column", "t.csv", behind("e,a,b,c", |_| String::new()), Fit(ABC, &[])),
        case("shares and prices", "t.csv", behind("p,a,b,c", |i| format!("{i}%")), Fit(ABC, &[])),
        case("two columns of one name", "t.csv", "a,a\n1,2\n", Refused(&["more than one column is named a"])),
        case("a missing cell", "t.csv", plain() + "1,NA,3\n", Fit(ABC, &[])),
        case("a word among numbers", "t.csv", plain() + "1,n.d.,3\n", Refused(&["row 25", "column b", "n.d."])),
        case("infinity", "t.csv", plain() + "1,inf,3\n", Refused(&["row 25", "column b", "inf"])),
        case(
            "names of other scripts",
            "t.csv",
            plain().replacen("a,b,c", "長さ,🦀,ñ", 1),
            Fit(&["長さ", "🦀", "ñ"], &[]),
        ),
        case("a header that is a comment", "t.csv", format!("# {}", plain()), Fit(ABC, &[])),
        case(
            "columns that pandas numbered",
            "t.csv",
            plain().replacen("a,b,c", "0,1,2", 1),
            Fit(&["0", "1", "2"], &[]),
        ),
    ]
}
