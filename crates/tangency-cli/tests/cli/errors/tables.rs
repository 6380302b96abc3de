//! Tables, arrays, edge lists and starts that cannot be used.

use super::{Case, good_table};
use crate::files::{npy, npz};

pub fn cases() -> Vec<Case> {
    [text(), columns(), arrays(), shapes(), graphs(), edge_lists(), starts()].into_iter().flatten().collect()
}

fn text() -> Vec<Case> {
    let bad =
        |name: &str, content: &str, words: &[&'static str]| Case::new(name, "fit t.csv", words).with("t.csv", content);
    vec![
        Case::new("file is missing", "fit none.csv", &["none.csv", "cannot be read"]),
        Case::new("table is a folder", "fit d.csv", &["d.csv", "cannot be read"]).with("d.csv/", ""),
        Case::new("unknown extension", "fit t.doc", &["t.doc", "extension", ".csv", ".parquet"]).with("t.doc", "PK"),
        Case::new("no extension", "fit t", &["t:", "extension"]).with("t", good_table()),
        bad("empty file", "", &["t.csv", "empty"]),
        bad("blank lines only", "\n\n\n", &["t.csv", "empty"]),
        bad("header only", "a,b\n", &["t.csv", "header", "no data row"]),
        bad("row too short", "a,b\n1,2\n3,4\n5\n", &["row 3", "line 4", "1 cell", "2 are expected"]),
        bad("row too long", "a,b\n1,2\n3,4,5\n", &["row 2", "line 3", "3 cells", "2 are expected"]),
        Case::new("NaN cell", "fit t.csv --missing error", &["row 2", "column b", "finite"])
            .with("t.csv", "a,b\n1,2\n3,NaN\n5,6\n"),
        Case::new("empty cell", "fit t.csv --missing error", &["row 3", "column a", "missing"])
            .with("t.csv", "a,b\n1,2\n3,4\n,6\n"),
        bad("empty row", "a,b\n1,2\n3,4\n5,6\n,\n", &["row 4", "no value", "take it out"]),
        Case::new("too few whole rows", "fit t.csv --missing drop", &["2 rows", "at least 3"])
            .with("t.csv", "a,b\n1,2\n3,4\n,6\n5,\n"),
        bad("infinite cell", "a,b\n1,inf\n3,4\n5,6\n", &["row 1", "column b", "inf"]),
        bad("text in a feature", "a,b\n1,2\n3,4\nlow,6\n", &["row 3", "column a", "\"low\"", "--exclude a"]),
        bad("line break in a cell", "a,b\n1,2\n3,4\n\"lo\nw\",6\n", &["row 3", "column a"]),
        bad("no numeric column", "a,b\nx,y\nz,w\n", &["t.csv", "no numeric column", "a, b"]),
        bad("commas that may part thousands", "a;b\n1,500;2,500\n2,500;3,500\n", &["no numeric column", "decimals"]),
        bad("two columns of one name", "a,b,a\n1,2,3\n4,5,6\n7,8,9\n", &["t.csv", "named a"]),
        Case::new("not text", "fit t.csv", &["t.csv", "line 2", "UTF-8"]).with("t.csv", b"a,b\n\xff\x01,2\n"),
        Case::new("packed text cut short", "fit t.csv.gz", &["t.csv.gz", "cannot be unpacked", "pack it again"])
            .with("t.csv.gz", [0x1f, 0x8b, 8, 0, 0]),
        Case::new("packed array", "fit t.npy.gz", &["t.npy.gz", "is packed", "unpack it"]).with("t.npy.gz", "x"),
        Case::new("nothing on standard input", "fit -", &["standard input", "nothing came"]),
    ]
}

fn columns() -> Vec<Case> {
    vec![
        Case::new("unknown --columns", "fit Y.csv --columns a,q", &["\"q\"", "Y.csv", "a, b, c"]),
        Case::new("unknown end of a range", "fit Y.csv --columns a:q", &["\"q\"", "Y.csv"]),
        Case::new("range from right to left", "fit Y.csv --columns c:a", &["columns", "c:a", "swap"]),
        Case::new("column number too large", "fit Y.csv --columns 6", &["\"6\"", "Y.csv"]),
        Case::new("unknown --exclude", "fit Y.csv --exclude q", &["\"q\"", "Y.csv"]),
        Case::new("everything excluded", "fit Y.csv --exclude a:c", &["no numeric column", "--exclude"]),
        Case::new("unknown --id-column", "fit Y.csv --id-column name", &["\"name\"", "id, kind"]),
        Case::new("unknown --label-column", "fit Y.csv --label-column class", &["\"class\"", "id, kind"]),
        Case::new("text as a feature", "fit Y.csv --columns kind,a", &["row 1", "column kind", "\"even\""]),
        Case::new(
            "label as a feature",
            "fit Y.csv --columns a,b --label-column b",
            &["columns", "lists b, which is the label column"],
        ),
        Case::new("header read as data", "fit Y.csv --no-header", &["no numeric column"]).with("Y.csv", "a\nb\nc\n"),
    ]
}

fn arrays() -> Vec<Case> {
    let count = |n: usize| (0..n).map(|i| i as f64);
    let whole = npy(&[5, 2], count(10));
    let pair = npz(&[("left", whole.clone()), ("right", whole.clone())]);
    let flat = npz(&[("ids", npy(&[5], count(5))), ("times", npy(&[5], count(5)))]);
    let parquet = include_bytes!("../../fixtures/sheet.parquet");
    let mut holed: Vec<f64> = count(10).collect();
    holed[5] = f64::NAN;
    vec![
        Case::new("empty .npy", "fit t.npy", &["t.npy", "NumPy"]).with("t.npy", ""),
        Case::new("not an .npy", "fit t.npy", &["t.npy", "NumPy"]).with("t.npy", "1,2\n3,4\n"),
        Case::new(".npy cut in its header", "fit t.npy", &["t.npy", "cut short"]).with("t.npy", &whole[..40]),
        Case::new(".npy cut in its data", "fit t.npy", &["t.npy", "cut short", "80"])
            .with("t.npy", &whole[..whole.len() - 8]),
        Case::new(".npy of three dimensions", "fit t.npy", &["t.npy", "3 dimensions", "5 × 2 × 2"])
            .with("t.npy", npy(&[5, 2, 2], count(20))),
        Case::new(".npy without rows", "fit t.npy", &["t.npy", "empty"]).with("t.npy", npy(&[0, 2], count(0))),
        Case::new("NaN in an .npy", "fit t.npy --missing error", &["row 3", "column c2"])
            .with("t.npy", npy(&[5, 2], holed)),
        Case::new("not an .npz", "fit t.npz", &["t.npz", ".npz"]).with("t.npz", "PK and nothing else"),
        Case::new(".npz cut short", "fit t.npz", &["t.npz", ".npz"]).with("t.npz", &pair[..pair.len() / 2]),
        Case::new(".npz with two tables", "fit t.npz", &["t.npz", "--array", "left, right"])
            .with("t.npz", pair.clone()),
        Case::new(".npz without a table", "fit t.npz", &["t.npz", "--array", "ids, times"]).with("t.npz", flat),
        Case::new("unknown --array", "fit t.npz --array middle", &["t.npz", "\"middle\"", "left, right"])
            .with("t.npz", pair),
        Case::new("--array of a CSV", "fit Y.csv --array left", &["array", ".npz"]),
        Case::new("empty Parquet", "fit t.parquet", &["t.parquet"]).with("t.parquet", ""),
        Case::new("not Parquet", "fit t.parquet", &["t.parquet"]).with("t.parquet", "a,b\n1,2\n"),
        Case::new("Parquet cut short", "fit t.parquet", &["t.parquet"])
            .with("t.parquet", &parquet[..parquet.len() / 2]),
        Case::new("Parquet without its start", "fit t.parquet", &["t.parquet"])
            .with("t.parquet", &parquet[parquet.len() / 2..]),
    ]
}

fn shapes() -> Vec<Case> {
    let lattice = (0..60_000u32).flat_map(|i| {
        // two far clouds, so that the graph is in pieces
        let place = |step: u32| (i.wrapping_mul(step) >> 8) as f32 / (1 << 24) as f32;
        [place(2_654_435_761) + (i % 2) as f32 * 9.0, place(2_246_822_519)]
    });
    vec![
        Case::new("one row", "fit t.csv", &["1 row", "at least 3 rows"]).with("t.csv", "a,b\n1,2\n"),
        Case::new("two rows", "fit t.csv", &["2 rows", "at least 3 rows"]).with("t.csv", "a,b\n1,2\n3,4\n"),
        Case::new("identical points", "fit t.csv -k 2", &["all 5 points are identical"])
            .with("t.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n1,2\n"),
        Case::new("identical points joined by radius", "fit t.csv --radius 1", &["all 4 points are identical"])
            .with("t.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n"),
        Case::new("more components than points", "fit Y.csv -d 40", &["--n-components", "smaller", "40"]),
        Case::new("more components than features", "fit Y.csv -d 4", &["--n-components", "is 4", "3 feature(s)"]),
        Case::new(
            "too large for memory",
            "fit t.npy -k 5 -d 3 --connect --engine exact",
            &["60000 points", "GiB", "available", "sample of the rows"],
        )
        .with("t.npy", npy(&[60_000, 2], lattice)),
    ]
}

fn graphs() -> Vec<Case> {
    let apart: String = (0..30).map(|i| format!("{},{}\n", i + if i < 20 { 0 } else { 1000 }, i % 3)).collect();
    let ways_out = ["use -k 10,", "--connect", "--largest"];
    let in_pieces = |words: &[&'static str]| [&ways_out, words].concat();
    vec![
        Case::new("too many neighbours", "fit Y.csv -k 40", &["--n-neighbors", "is 40", "only 40 rows"]),
        Case::new("no neighbours", "fit Y.csv -k 0", &["--n-neighbors", "at least 1"]),
        Case::new("radius zero", "fit Y.csv --radius 0", &["radius", "positive"]),
        Case::new("radius negative", "fit Y.csv --radius -1", &["radius", "positive", "-1"]),
        Case::new("radius not a number", "fit Y.csv --radius wide", &["--radius", "wide"]).by_parser(),
        Case::new("graph in pieces", "fit t.csv -k 4 --scaling max-abs", &in_pieces(&["2 pieces of 20, 10 points"]))
            .with("t.csv", format!("a,b\n{apart}")),
        Case::new(
            "radius too small",
            "fit Y.csv --radius 0.01",
            &["40 pieces of 1, 1,", "larger --radius", "--connect", "--largest"],
        ),
        Case::new("output over the input", "fit Y.csv --embedding Y.csv --force", &["Y.csv", "is an input"]),
        Case::new("output over a device", "fit Y.csv --out /dev/null --force", &["not a regular file"]),
        Case::new("largest piece too small", "fit Y.csv --radius 0.01 --largest", &["40 pieces of 1, 1,"]),
        Case::new("edges leave pieces", "fit Y.csv --edges E.csv", &["39 pieces of 2, 1,", "add edges", "--connect"])
            .with("E.csv", "0,1\n"),
        Case::new(
            "--connect with --largest",
            "fit Y.csv --connect --largest",
            &["connect", "largest", "does not go with"],
        ),
    ]
}

fn edge_lists() -> Vec<Case> {
    let bad = |name: &str, content: &str, more: &str, words: &[&'static str]| {
        Case::new(name, &format!("fit Y.csv --edges E.csv {more}"), words).with("E.csv", content)
    };
    vec![
        Case::new("edge list is missing", "fit Y.csv --edges none.csv", &["none.csv", "cannot be read"]),
        bad("edge to a point outside", "0,1\n1,40\n", "", &["row 2", "40 is outside 0 to 39"]),
        bad("edge to a negative point", "0,1\n-1,2\n", "", &["row 2", "-1 is outside 0 to 39"]),
        bad("edge to a fraction", "0,1\n1.5,2\n", "", &["row 2", "\"1.5\"", "row number"]),
        bad("edge that is no number", "0,1\n1,two\n", "", &["row 2", "\"two\"", "row number"]),
        bad("ids without --id-column", "p0,p1\np1,p2\n", "", &["row 1", "\"p1\"", "--id-column"]),
        bad("unknown id", "p0,p1\np1,nobody\n", "--id-column id", &["row 2", "\"nobody\""]),
        bad("edge list of one column", "0\n1\n2\n", "", &["row 1", "two"]),
        bad("edge list is empty", "", "", &["empty"]),
        bad("edge list of a header only", "from,to\n", "", &["empty"]),
        bad("--edges-by id without --id-column", "p0,p1\n", "--edges-by id", &["edges", "--id-column"]),
        bad(
            "--edges-by index with ids",
            "p0,p1\np1,p2\n",
            "--id-column id --edges-by index",
            &["\"p1\"", "row number"],
        ),
        bad("--edges-by of another kind", "0,1\n", "--edges-by name", &["--edges-by", "name"]).by_parser(),
    ]
}

fn starts() -> Vec<Case> {
    let filled =
        |rows: usize, columns: usize| npy(&[rows as u64, columns as u64], (0..rows * columns).map(|i| i as f64));
    let coordinates = |name: &str, content: Vec<u8>, words: &[&'static str]| {
        Case::new(name, "fit Y.csv --init-coordinates s.npy", words).with("s.npy", content)
    };
    let maps = |name: &str, content: Vec<u8>, words: &[&'static str]| {
        Case::new(name, "fit Y.csv --init-maps s.npy", words).with("s.npy", content)
    };
    let mut holed = filled(40, 2);
    let last = holed.len() - 8;
    holed[last..].copy_from_slice(&f64::NAN.to_le_bytes());
    vec![
        Case::new("start is missing", "fit Y.csv --init-coordinates none.npy", &["none.npy", "cannot be read"]),
        coordinates("start coordinates of other points", filled(39, 2), &["start coordinates", "39 × 2", "40 × 2"]),
        coordinates("start coordinates of other dimension", filled(40, 3), &["start coordinates", "40 × 3", "40 × 2"]),
        coordinates("start coordinates not finite", holed, &["s.npy", "row 40", "finite"]),
        Case::new("start coordinates as text", "fit Y.csv --init-coordinates s.csv", &["s.csv", "row 2", "finite"])
            .with("s.csv", "1,2\n3,here\n5,6\n"),
        maps("start maps of other points", filled(3, 78), &["start maps", "3 × 78", "3 × 80"]),
        maps("start maps of other features", filled(2, 80), &["start maps", "2 × 80", "3 × 80"]),
        maps("start maps of other dimension", filled(3, 120), &["start maps", "3 × 120", "3 × 80"]),
        maps("start maps transposed", filled(80, 3), &["start maps", "80 × 3", "3 × 80"]),
        maps("start maps cut short", filled(3, 80)[..900].to_vec(), &["s.npy", "cut short"]),
        Case::new(
            "two starts",
            "fit Y.csv --init-coordinates s.npy --init-maps s.npy",
            &["--init-coordinates", "--init-maps"],
        )
        .by_parser(),
        Case::new("a start and --init", "fit Y.csv --init-maps s.npy --init pca", &["--init-maps", "--init"])
            .by_parser(),
    ]
}
