//! Figures that cannot be drawn.

use super::{Case, good_model};
use crate::command::run;
use crate::files::folder;
use std::sync::OnceLock;

/// The bytes of a model of the good table with labels; its features are a, b and c.
fn model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    MODEL.get_or_init(|| good_model("--id-column id --label-column kind"))
}

/// The same without labels and with two features only.
fn bare_model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    MODEL.get_or_init(|| good_model("--columns a,b"))
}

/// The same with four features.
fn wide_model() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    MODEL.get_or_init(|| {
        let folder = folder();
        let rows = (0..40).map(|i| format!("{},{},{},{}\n", i % 8, i / 8, i % 3, i % 5));
        std::fs::write(folder.path().join("t.csv"), "a,b,c,d\n".to_owned() + &rows.collect::<String>()).unwrap();
        run(folder.path(), "fit t.csv --init pca --max-iter 5");
        std::fs::read(folder.path().join("t.safetensors")).unwrap()
    })
}

fn plot(name: &str, arguments: &str, words: &[&'static str]) -> Case {
    Case::new(name, &format!("plot m.safetensors {arguments}"), words).with("m.safetensors", model())
}

pub fn cases() -> Vec<Case> {
    [files(), strangers(), places(), values()].into_iter().flatten().collect()
}

fn files() -> Vec<Case> {
    vec![
        plot("a figure of no known format", "--kind map --out f.jpg", &["out", ".svg, .png or .pdf", "f.jpg"]),
        plot("a figure without an extension", "--kind map --out f", &["out", ".svg, .png or .pdf"]),
        plot("a figure in no folder", "--kind map --out no/f.svg", &["no/f.svg", "folder"]),
        plot("a figure that is there", "--kind map --out f.svg", &["f.svg", "--force"]).with("f.svg", "old"),
        Case::new("a figure in place of its model", "plot m.svg --kind map --out m.svg --force", &["m.svg", "input"])
            .with("m.svg", model()),
        plot("a figure of an unknown kind", "--kind pie --out f.svg", &["pie", "--kind"]).by_parser(),
        Case::new("a figure of a table", "plot Y.csv --kind map --out f.svg", &["Y.csv", "not a tangency model"]),
        Case::new("a figure of nothing", "plot n.safetensors --kind map --out f.svg", &["n.safetensors", "read"]),
        plot("a figure too narrow", "--kind map --out f.svg --width 3", &["width", "40", "--width is 3"]),
        plot("a figure too wide", "--kind map --out f.svg --width 1e9", &["width", "1000"]),
        plot("a figure of no width", "--kind map --out f.svg --width nan", &["width", "--width is NaN"]),
        plot("a figure of negative width", "--kind map --out f.svg --width -120", &["width", "-120"]),
        plot("a scale of no pixels", "--kind map --out f.svg --scale 2", &["scale", ".png"]),
        plot("a scale of a PDF", "--kind map --out f.pdf --scale 2", &["scale", ".png"]),
        plot("a scale of nothing", "--kind map --out f.png --scale 0", &["scale", "0.25", "20"]),
        plot("a PNG too large", "--kind map --out f.png --scale 20 --width 900", &["f.png", "--scale", "--width"]),
    ]
}

/// Options that a kind has no use for.
fn strangers() -> Vec<Case> {
    [
        ("tangents", "--colour label", "colour", "map"),
        ("bound", "--color none", "colour", "map"),
        ("map", "--columns a,b,c", "columns", "tangents"),
        ("edges", "--every 2", "every", "tangents"),
        ("grid", "--view 1,2", "view", "tangents"),
        ("map", "--top 3", "top", "edges and loadings"),
        ("bound", "--top 3", "top", "edges and loadings"),
        ("map", "--label even", "label", "loadings"),
        ("edges", "--point p1", "point", "loadings"),
        ("grid", "--region x1=0:1", "region", "loadings"),
        ("loadings", "--grid 3x3", "grid", "grid"),
        ("map", "--image 3x1", "image", "grid"),
    ]
    .map(|(kind, option, field, home)| {
        let name = format!("{option} for {kind}");
        plot(&name, &format!("--kind {kind} {option} --out f.svg"), &[field, "leave out", home])
    })
    .into()
}

fn places() -> Vec<Case> {
    let map =
        |name: &str, more: &str, words: &[&'static str]| plot(name, &format!("--kind map --out f.pdf {more}"), words);
    let tangents = |name: &str, more: &str, words: &[&'static str]| {
        plot(name, &format!("--kind tangents --out f.pdf {more}"), words)
    };
    let bare = |name: &str, arguments: &str, words: &[&'static str]| {
        Case::new(name, &format!("plot m.safetensors {arguments} --out f.svg"), words)
            .with("m.safetensors", bare_model())
    };
    vec![
        map("a colour that is nothing", "--colour red", &["colour", "\"red\"", "a, b, c"]),
        map("a colour by a feature too many", "--colour 4", &["colour", "\"4\""]),
        bare(
            "a colour by labels that are not there",
            "--kind map --colour label",
            &["colour", "without --label-column"],
        ),
        bare("tangents in two features", "--kind tangents", &["kind", "another", "the model has 2"]),
        Case::new("tangents in four features", "plot m.safetensors --kind tangents --out f.svg", &["columns", "a,b,c"])
            .with("m.safetensors", wide_model()),
        tangents("tangents in two columns", "--columns a,b", &["columns", "names 2 features"]),
        tangents("tangents in one column twice", "--columns a,b,1", &["columns", "different"]),
        tangents("tangents in an unknown column", "--columns a,b,z", &["columns", "\"z\"", "a, b, c"]),
        tangents("tangents at no point", "--every 0", &["every", "at least 1"]),
        tangents("tangents at one point of too many", "--every 41", &["every", "40"]),
        tangents("a view without height", "--view 30", &["view", "-72,14", "\"30\""]),
        tangents("a view from below the ground", "--view 30,-91", &["view", "-90 to 90"]),
        tangents("a view in words", "--view left,up", &["view", "\"left,up\""]),
        plot("no edge marked", "--kind edges --top 0 --out f.svg", &["top", "at least 1"]),
    ]
}

fn values() -> Vec<Case> {
    let loadings = |name: &str, more: &str, words: &[&'static str]| {
        plot(name, &format!("--kind loadings --out f.png {more}"), words)
    };
    let grid =
        |name: &str, more: &str, words: &[&'static str]| plot(name, &format!("--kind grid --out f.png {more}"), words);
    vec![
        loadings("bars of no feature", "--top 0", &["top", "at least 1"]),
        loadings("bars of an unknown point", "--point q", &["point", "\"q\""]),
        loadings("bars of an unknown label", "--label red", &["label", "\"red\""]),
        loadings("bars of a region in words", "--region left", &["region", "x2=-1:0.5"]),
        loadings("bars of an empty region", "--region x1=1e6:2e6", &["region", "no point"]),
        grid("a grid of one number", "--grid 5", &["grid", "two numbers", "12x12", "\"5\""]),
        grid("a grid of three numbers", "--grid 5x5x5", &["grid", "two numbers"]),
        grid("a grid in words", "--grid manyxfew", &["grid", "manyxfew"]),
        grid("a grid of nothing", "--grid 0x3", &["grid", "from 1 to 60"]),
        grid("a grid of too much", "--grid 100x3", &["grid", "from 1 to 60"]),
        grid("a grid of images of no size", "--image 3", &["image", "16x16", "\"3\""]),
        grid("a grid of images of another size", "--image 2x2", &["image", "3 features, one for each pixel", "2x2"]),
        grid(
            "a grid of images too large to count",
            "--image 99999999999x99999999999",
            &["image", "3 features, one for each pixel"],
        ),
    ]
}
