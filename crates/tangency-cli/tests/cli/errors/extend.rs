//! Models, tables and requests that no new rows, reconstructions, samples or loadings can come of.

use super::requests::patched;
use super::{Case, good_model, good_table};
use crate::command::{attempt, run};
use crate::files::{folder, npy, npz};
use safetensors::tensor::{Dtype, TensorView};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::OnceLock;

pub fn cases() -> Vec<Case> {
    [models(), tables(), arrays(), neighbors(), outputs(), reconstructions(), samples_and_loadings(), calibrations()]
        .into_iter()
        .flatten()
        .collect()
}

/// The bytes of a model of the good table with ids and labels; its features are a, b and c.
fn named_model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    MODEL.get_or_init(|| good_model("--id-column id --label-column kind"))
}

fn on_model(name: &str, arguments: &str, words: &[&'static str]) -> Case {
    Case::new(name, arguments, words).with("m.safetensors", named_model())
}

/// A table of the model's features that cannot be placed.
fn new_table(name: &str, content: impl Into<Vec<u8>>, words: &[&'static str]) -> Case {
    on_model(name, "transform m.safetensors t.csv --out out.csv", words).with("t.csv", content)
}

/// A model whose scale is so small that large numbers overflow in it.
fn model_of_small_numbers() -> Vec<u8> {
    let folder = folder();
    let rows = (0..40).map(|i| format!("{}e-9,{}e-9,{}e-9\n", i % 8, i / 8, i % 3));
    std::fs::write(folder.path().join("t.csv"), "a,b,c\n".to_owned() + &rows.collect::<String>()).unwrap();
    run(folder.path(), "fit t.csv --init pca --max-iter 5");
    std::fs::read(folder.path().join("t.safetensors")).unwrap()
}

/// More rows than are read at a time, and then these lines.
fn late(lines: &str) -> String {
    late_in("", lines)
}

/// The same with rows in other units.
fn late_in(unit: &str, lines: &str) -> String {
    let mut text = "a,b,c\n".to_owned();
    (0..5000).for_each(|i| writeln!(text, "{}{unit},{}{unit},1.5{unit}", i % 8, i % 5).unwrap());
    text + lines
}

fn models() -> Vec<Case> {
    let sound = named_model();
    let header = 8 + u64::from_le_bytes(sound[..8].try_into().unwrap()) as usize;
    let zeros = [0u8; 16];
    let view = TensorView::new(Dtype::F64, vec![2], &zeros).unwrap();
    let foreign = safetensors::serialize([("coordinates", view)], None).unwrap();
    let newer = patched(sound, r#"\"format\":1"#, r#"\"format\":2"#);
    let mut cases = Vec::new();
    for (command, table) in [("transform", "Y.csv"), ("reconstruct", "--grid 3x3"), ("sample", ""), ("loadings", "")] {
        let bad = |what: &str, content: &[u8], words: &[&'static str]| {
            let arguments = format!("{command} m.safetensors {table} --out out.csv");
            let words = [&["m.safetensors"], words].concat();
            Case::new(&format!("{command} with {what}"), &arguments, &words).with("m.safetensors", content)
        };
        let missing = format!("{command} none.safetensors {table} --out out.csv");
        cases.push(Case::new(&format!("{command} without a model"), &missing, &["none.safetensors", "cannot be read"]));
        cases.push(bad("a table for a model", good_table().as_bytes(), &["not a tangency model", "saved as a model"]));
        cases.push(bad("an image for a model", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &["not a tangency model"]));
        cases.push(bad("a model of another program", &foreign, &["not a tangency model"]));
        cases.push(bad("a model of a newer format", &newer, &["format 2", "format 1", "fit again"]));
        cases.push(bad("an empty model", b"", &["not a tangency model"]));
        for length in [9, header / 2, header, (header + sound.len()) / 2, sound.len() - 1] {
            let what = format!("a model cut to {} ‰", 1000 * length / sound.len());
            cases.push(bad(&what, &sound[..length], &["cut short", "fit the model again"]));
        }
    }
    cases
}

fn tables() -> Vec<Case> {
    let asked = |name: &str, arguments: &str, words: &[&'static str]| {
        on_model(name, &format!("transform m.safetensors {arguments} --out out.csv"), words)
    };
    vec![
        asked("new table is missing", "none.csv", &["none.csv", "cannot be read"]),
        asked("new table is a folder", "d.csv", &["d.csv", "cannot be read"]).with("d.csv/", ""),
        asked("new table of an unknown extension", "t.doc", &["t.doc", "extension"]).with("t.doc", "PK"),
        asked("model and table exchanged", "m.safetensors", &["m.safetensors", "extension"]),
        new_table("empty new table", "", &["t.csv", "empty"]),
        new_table("new table of a header only", "a,b,c\n", &["t.csv", "no data row"]),
        new_table(
            "new table without a header of too few columns",
            "1,2\n3,4\n",
            &["t.csv", "2 columns", "3 features", "a, b, c"],
        ),
        new_table("new table without a header of too many columns", "1,2,3,4\n5,6,7,8\n", &["4 columns", "3 features"]),
        new_table(
            "new table without a feature",
            "a,c,d\n1,2,3\n",
            &["t.csv", "no column named b", "a, c, d", "--columns"],
        ),
        new_table("new table of other features", "u,v,w\n1,2,3\n", &["a, b, c", "u, v, w", "--columns"]),
        new_table("new table with a feature twice", "a,b,c,b\n1,2,3,4\n", &["t.csv", "named b"]),
        new_table("text in a new row", "a,b,c\n1,2,3\n4,low,6\n", &["row 2", "column b", "\"low\""]),
        new_table("new row of NaN", "c,b,a\n1,2,3\nNaN,NaN,NaN\n", &["row 2", "no value"]),
        new_table("new row with an infinite cell", "a,b,c\n1,2,-inf\n4,5,6\n", &["row 1", "column c", "-inf"]),
        new_table("new row of empty cells", "a,b,c\n1,2,3\n4,5,6\n,,\n", &["row 3", "no value"]),
        new_table("new row too short", "a,b,c\n1,2,3\n4,5\n", &["row 2", "line 3", "2 cells", "3 are expected"]),
        new_table("late new row with text", late("1,2,3\n4,5,six\n"), &["row 5002", "column c", "\"six\""]),
        new_table("late new row of NaN", late("nan,nan,nan\n"), &["row 5001", "no value"]),
        new_table("late new row too long", late("1,2,3,4\n"), &["row 5001", "line 5002", "4 cells"]),
        new_table("late new row without sense", late("1,2,3\n1,1e300,3\n"), &["row 5002", "too far"]),
        new_table(
            "late new row that overflows",
            late_in("e-9", "1e-9,2e-9,1e-9\n1e-9,1.7e308,0\n"),
            &["row 5002", "too far"],
        )
        .with("m.safetensors", model_of_small_numbers()),
        new_table(
            "late new row that is no text",
            [late("").as_bytes(), b"\xff\x90,2,3\n"].concat(),
            &["line 5002", "UTF-8"],
        ),
        asked("unknown --id-column of a new table", "Y.csv --id-column name", &["\"name\"", "id, kind"]),
        asked("unknown --label-column of a new table", "Y.csv --label-column class", &["\"class\"", "id, kind"]),
        asked("too few --columns of a new table", "Y.csv --columns a,b", &["columns", "3 features", "lists 2 columns"]),
        asked("unknown --columns of a new table", "Y.csv --columns a,b,q", &["\"q\"", "Y.csv"]),
        asked("text as a feature of a new table", "Y.csv --columns a,b,kind", &["row 1", "column kind", "\"even\""]),
        asked("header of a new table read as data", "t.csv --no-header", &["row 1", "\"a\""])
            .with("t.csv", "a,b,c\n1,2,3\n"),
    ]
}

fn arrays() -> Vec<Case> {
    let count = |n: usize| (0..n).map(|i| i as f64);
    let array = |name: &str, content: Vec<u8>, words: &[&'static str]| {
        on_model(name, "transform m.safetensors t.npy --out out.csv", words).with("t.npy", content)
    };
    let whole = npy(&[5, 3], count(15));
    let mut holed: Vec<f64> = count(15_000).map(|value| value % 7.0).collect();
    holed[14_998] = f64::INFINITY;
    let pair = npz(&[("left", whole.clone()), ("right", whole.clone())]);
    vec![
        array("new array of two columns", npy(&[5, 2], count(10)), &["t.npy", "2 columns", "3 features"]),
        array("new array of one dimension", npy(&[5], count(5)), &["t.npy", "1 column"]),
        array("new array without rows", npy(&[0, 3], count(0)), &["t.npy", "empty"]),
        array("new array cut short", whole[..whole.len() - 8].to_vec(), &["t.npy", "cut short"]),
        array("new array that is none", b"1,2,3\n".to_vec(), &["t.npy", "NumPy"]),
        array("late infinity in a new array", npy(&[5000, 3], holed), &["row 5000", "column c2"]),
        on_model("two new arrays", "transform m.safetensors t.npz --out out.csv", &["--array", "left, right"])
            .with("t.npz", pair),
        on_model("new Parquet table that is none", "transform m.safetensors t.parquet --out out.csv", &["t.parquet"])
            .with("t.parquet", "a,b,c\n1,2,3\n"),
        on_model(
            "new Parquet table of other features",
            "transform m.safetensors t.parquet --out out.csv",
            &["a, b, c", "u, v, w"],
        )
        .with("t.parquet", include_bytes!("../../fixtures/sheet.parquet")),
    ]
}

fn neighbors() -> Vec<Case> {
    let mut cases = Vec::new();
    for command in [
        "transform m.safetensors Y.csv",
        "reconstruct m.safetensors --grid 2x2",
        "reconstruct m.safetensors --leave-one-out",
    ] {
        for k in [0, 40, 1_000_000] {
            let arguments = format!("{command} --out out.csv -k {k}");
            cases.push(on_model(
                &format!("{command} by {k} points"),
                &arguments,
                &["--n-neighbors is", if k == 0 { "at least 1" } else { "only 40 points" }],
            ));
        }
    }
    cases.push(
        on_model("neighbours of a new row in words", "transform m.safetensors Y.csv --out out.csv -k few", &["few"])
            .by_parser(),
    );
    cases
}

fn outputs() -> Vec<Case> {
    let mut cases = Vec::new();
    for command in [
        "transform m.safetensors Y.csv",
        "reconstruct m.safetensors --leave-one-out",
        "sample m.safetensors",
        "loadings m.safetensors",
    ] {
        let to = |what: &str, out: &str, words: &[&'static str]| {
            on_model(&format!("{command} into {what}"), &format!("{command} --out {out}"), words)
        };
        cases.extend([
            to("a text file", "out.txt", &["out.txt", "extension", ".csv", ".parquet"]),
            to("an array", "out.npy", &["out.npy", "extension", ".csv"]),
            to("a file without an extension", "out", &["out:", "extension"]),
            to("a file that exists", "old.csv", &["old.csv exists", "--force"]).with("old.csv", "kept"),
            to("a missing folder", "no/out.csv", &["no/out.csv", "folder"]),
            to("a folder", "d.csv --force", &["d.csv", "is a folder"]).with("d.csv/", ""),
            to("a folder that is closed", "/sys/out.csv", &["/sys/out.csv", "folder"]),
            to("the model", "m.csv --force", &["m.csv", "is an input"])
                .with("m.csv", named_model())
                .instead("m.safetensors", "m.csv"),
        ]);
    }
    let force = |command: &str, what: &str| {
        on_model(&format!("{what} over itself"), &format!("{command} --force"), &["is an input or another output"])
    };
    cases.extend([
        force("transform m.safetensors Y.csv --out Y.csv", "a new table"),
        force("transform m.safetensors Y.csv --out ./Y.csv", "a new table by another name"),
        force("reconstruct m.safetensors x.csv --out x.csv", "coordinates").with("x.csv", "x1,x2\n0,0\n"),
        on_model("no new table", "transform m.safetensors --out out.csv", &["required arguments"]).by_parser(),
    ]);
    cases
}

fn reconstructions() -> Vec<Case> {
    let array = npy(&[5, 2], (0..10).map(f64::from));
    let pair = npz(&[("left", array.clone()), ("right", array)]);
    let asked = |name: &str, arguments: &str, words: &[&'static str]| {
        on_model(name, &format!("reconstruct m.safetensors {arguments} --out out.csv"), words)
    };
    let from = |name: &str, content: &str, words: &[&'static str]| asked(name, "x.csv", words).with("x.csv", content);
    let grid = |size: &str| asked(&format!("grid {size}"), &format!("--grid {size}"), &["grid", "2 numbers", "20x20"]);
    let drawn = |name: &str, more: &str, words: &[&'static str]| asked(name, &format!("--grid 2x2 {more}"), words);
    let mut cases: Vec<Case> =
        ["0x3", "4", "4x3x2", "4x", "x", "fourxthree", "4x-3", "1001x1000", "4294967296x4294967296"].map(grid).into();
    cases.extend([
        asked("coordinates from nowhere", "", &["required arguments"]).by_parser(),
        asked("a grid and columns of nothing", "--grid 2x2 --columns x1,x2", &["cannot be used with"]).by_parser(),
        asked("coordinates and a grid", "x.csv --grid 2x2", &["cannot be used with"]).by_parser(),
        asked("coordinates and the training points", "x.csv --leave-one-out", &["cannot be used with"]).by_parser(),
        asked("a grid and the training points", "--grid 2x2 --leave-one-out", &["cannot be used with"]).by_parser(),
        asked("coordinates are missing", "none.csv", &["none.csv", "cannot be read"]),
        from("coordinates without names of one column", "1\n2\n", &["x.csv", "1 column", "x1, x2"]),
        from("coordinates without names of three columns", "1,2,3\n4,5,6\n", &["x.csv", "3 columns", "x1, x2"]),
        from("coordinates without the second", "id,x1,x3\n0,1,2\n", &["x.csv", "x2", "id, x1, x3"]),
        from("observations for coordinates", "a,b,c\n1,2,3\n", &["x.csv", "x1, x2", "a, b, c"]),
        from("coordinates with a hole", "x1,x2\n1,2\n3,\n", &["row 2", "column x2", "missing"]),
        from("coordinates in words", "x1,x2\n1,2\nleft,4\n", &["row 2", "column x1", "\"left\""]),
        from("no coordinates", "x1,x2\n", &["x.csv", "no data row"]),
        from("coordinates beyond all numbers", "x1,x2\n0,0\n1e300,0\n", &["row 2", "too far"]),
        asked("coordinates in one of two arrays", "x.npz", &["x.npz", "left, right"]).with("x.npz", pair),
        asked("training points as measurements", "--leave-one-out --predicts measurement", &["predicts", "placed-row"]),
        asked("an unknown prediction", "--grid 2x2 --predicts all", &["--predicts", "all"]).by_parser(),
        drawn("figure without the size of an image", "--figure f.svg", &["required arguments"]).by_parser(),
        drawn("size of an image without a figure", "--image 1x3", &["required arguments"]).by_parser(),
        drawn(
            "image of too few pixels",
            "--figure f.svg --image 1x2",
            &["image", "3 features, one for each pixel", "1x2"],
        ),
        drawn(
            "image of too many pixels",
            "--figure f.svg --image 16x16",
            &["image", "3 features, one for each pixel", "16x16"],
        ),
        drawn("image without pixels", "--figure f.svg --image 0x3", &["image", "16x16", "0x3"]),
        drawn("image of one number", "--figure f.svg --image 3", &["image", "16x16", "\"3\""]),
        drawn("image in words", "--figure f.svg --image square", &["image", "\"square\""]),
        drawn(
            "image of more pixels than can be counted",
            "--figure f.svg --image 18446744073709551615x3",
            &["image", "3 features, one for each pixel"],
        ),
        drawn("figure of another kind", "--figure f.gif --image 1x3", &["figure", ".svg or .png", "f.gif"]),
        drawn("figure that exists", "--figure f.svg --image 1x3", &["f.svg exists"]).with("f.svg", "kept"),
        drawn("figure in a missing folder", "--figure no/f.svg --image 1x3", &["no/f.svg", "folder"]),
    ]);
    cases
}

fn samples_and_loadings() -> Vec<Case> {
    let sample = |name: &str, more: &str, words: &[&'static str]| {
        on_model(name, &format!("sample m.safetensors --out out.csv {more}"), words)
    };
    let loadings = |name: &str, more: &str, words: &[&'static str]| {
        on_model(name, &format!("loadings m.safetensors {more}"), words)
    };
    let region =
        |text: &str| loadings(&format!("region {text}"), &format!("--region {text}"), &["region", "x2=-1:0.5"]);
    let mut cases: Vec<Case> =
        ["x3=0:1", "x0=0:1", "x1", "x1=0", "x1=2:1", "x1=nan:1", "y1=0:1", "x1=low:high", "=:"].map(region).into();
    cases.extend([
        sample("no samples", "--n 0", &["--n is", "at least 1"]),
        sample("fewer than no samples", "--n -1", &["--n", "-1"]).by_parser(),
        sample("seed of samples in words", "--seed one", &["--seed", "one"]).by_parser(),
        loadings("loadings of an unknown point", "--point p40", &["point", "\"p40\""]),
        loadings("loadings of one known and one unknown point", "--point p4 --point q", &["point", "\"q\""]),
        loadings("loadings of an unknown label", "--label red", &["label", "\"red\""]),
        loadings("loadings of an empty region", "--region x1=1e6:2e6", &["region", "no point"]),
        // p0 is even
        loadings("loadings of a point with another label", "--point p0 --label odd", &["no point", "label"]),
        loadings("loadings of each point into nothing", "--each", &["required arguments"]).by_parser(),
        Case::new("labels of a model without", "loadings m.safetensors --label odd", &["label", "without"])
            .with("m.safetensors", good_model("")),
    ]);
    cases
}

/// A fit that would take long, so that the refusal must come before it.
fn calibrations() -> Vec<Case> {
    let long = "fit Y.csv --init pca --tol 0 --max-iter 10000000 --out out.safetensors --calibrate";
    vec![
        Case::new("calibration on no part", &format!("{long} 0"), &["calibrate", "at least 2"]),
        Case::new("calibration on one part", &format!("{long} 1"), &["calibrate", "at least 2"]),
        Case::new("calibration on more parts than rows", &format!("{long} 41"), &["calibrate", "40"]),
        Case::new("calibration on parts in words", &format!("{long} few"), &["--calibrate", "few"]).by_parser(),
    ]
}

impl Case {
    /// The same with another file in its arguments.
    fn instead(mut self, of: &str, file: &str) -> Self {
        self.arguments = self.arguments.replacen(of, file, 1);
        self.files.retain(|(name, _)| name != of);
        self
    }
}

/// A way out that is not there helps nobody.
#[test]
fn messages_name_only_flags_that_their_command_has() {
    let mut astray = BTreeSet::new();
    let all: Vec<Case> = cases().into_iter().chain(super::plot::cases()).collect();
    for case in all.iter().filter(|case| !case.by_parser && !case.arguments.starts_with("fit ")) {
        let folder = folder();
        case.lay_out(folder.path());
        let outcome = attempt(folder.path(), &case.arguments);
        if outcome.code != Some(2) {
            continue; // the table of errors complains
        }
        let command = case.arguments.split(' ').next().unwrap();
        let help = run(folder.path(), &format!("{command} --help")).stdout;
        for word in outcome.stderr.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            // what was done when the model was made is another matter
            let told = outcome.stderr.contains(&format!("fitted without {word}"))
                || outcome.stderr.contains(&format!("fit {word}"));
            if word.starts_with("--")
                && !told
                && !help.contains(&format!("{word} "))
                && !help.contains(&format!("{word}\n"))
            {
                astray.insert(format!("{command} has no {word}: {}", outcome.stderr.trim()));
            }
        }
    }
    assert!(astray.is_empty(), "{}", astray.into_iter().collect::<Vec<_>>().join("\n"));
}
