//! Comparisons that cannot be.

use super::Case;

pub fn cases() -> Vec<Case> {
    let bad = |name: &str, more: &str, words: &[&'static str]| {
        Case::new(&format!("compare: {name}"), &format!("compare Y.csv --columns a:c {more}"), words)
    };
    vec![
        bad("unknown method", "--methods pca,tsne", &["methods", "tsne", "isomap"]),
        bad("no method", "--methods ,", &["methods", "isomap"]),
        bad("unknown truth", "--truth z", &["no column \"z\""]),
        bad("truth of words", "--truth kind", &["kind", "not a number"]),
        bad("all features are truth", "--truth a:c", &["feature"]),
        bad("label of one class", "--label same --methods pca", &["labels", "two classes", "\"x\""])
            .with("Y.csv", one_class()),
        bad("unknown label", "--label z", &["no column \"z\""]),
        bad("regularization of nothing", "--regularization 0", &["regularization", "positive"]),
        bad("no inducing points", "--n-inducing 0", &["--n-inducing", "at least 1"]),
        bad("no neighbours", "-k 0", &["--n-neighbors", "at least 1"]),
        bad("more neighbours than points", "-k 40", &["--n-neighbors", "only 40 rows"]),
        bad("no dimension", "-d 0", &["--n-components", "at least 1"]),
        bad("as many dimensions as points", "-d 40 --methods isomap", &["methods", "isomap", "only 40 rows"]),
        bad("broken graph", "--radius 0.01", &["pieces", "--radius"]),
        bad("figure of another kind", "--figure f.jpg", &["figure", ".svg, .png or .pdf", "f.jpg"]),
        bad("table exists", "", &["compare.csv exists", "--force"]).with("compare.csv", "kept"),
        bad("figure exists", "", &["compare.svg exists", "--force"]).with("compare.svg", "kept"),
        bad("folder is missing", "--out no/c.csv", &["no/c.csv", "folder"]),
        bad("output is the table", "--out Y.csv --force", &["Y.csv", "input"]),
        bad("figure is the output", "--out c.svg --figure c.svg", &["c.svg", "name of its own"]),
        bad("image without a page", "--image 4x4", &["required arguments"]).by_parser(),
        bad("image of other features", "--report r.html --image 4x4", &["image", "3"]),
        Case::new("compare: table is missing", "compare none.csv", &["none.csv", "cannot be read"]),
    ]
}

fn one_class() -> String {
    let rows = (0..40).map(|i| format!("{},{},{},x\n", i % 8, i / 8, 0.1 * f64::from(i)));
    std::iter::once("a,b,c,same\n".to_owned()).chain(rows).collect()
}
