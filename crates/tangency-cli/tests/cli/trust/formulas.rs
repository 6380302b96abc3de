//! With `--safe-csv` no text of a CSV file is a formula for a spreadsheet program; without it, and in Parquet files, texts are as given.

use crate::command::run;
use crate::files::Columns;
use crate::fitted::{put, text, with_sheet};

#[test]
fn texts_that_look_like_formulas() {
    let folder = with_sheet();
    let names = ["=1+1", "+cmd", "-x", "@sum", "-4.5", "plain"];
    let table = Columns::parse(&text(folder.path(), "train.csv"));
    let rows: String = (0..60)
        .map(|i| {
            format!("{}{},{}\n", names[i % 6], if i < 6 { "" } else { "_" }.repeat(i), table.rows[i][2..5].join(","))
        })
        .collect();
    put(folder.path(), "t.csv", format!("name,y1,y2,y3\n{rows}"));
    run(
        folder.path(),
        "fit t.csv --id-column name --columns y1:y3 --init pca --max-iter 3 --out m.safetensors --quiet",
    );
    for (more, expected) in [("", names), ("--safe-csv", ["'=1+1", "'+cmd", "'-x", "'@sum", "-4.5", "plain"])] {
        for arguments in [
            "transform m.safetensors t.csv --id-column name --out x.csv",
            "fit t.csv --id-column name --columns y1:y3 --init pca --max-iter 3 --out m.safetensors --embedding x.csv",
        ] {
            run(folder.path(), &format!("{arguments} --force --quiet {more}"));
            assert_eq!(Columns::read(&folder.path().join("x.csv")).texts("id")[..6], expected, "{arguments} {more}");
        }
    }
}
