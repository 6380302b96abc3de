//! Edges that cannot be tested and pruning that cannot be.

use super::{Case, good_model};

pub fn cases() -> Vec<Case> {
    let (plain, named) = (good_model(""), good_model("--id-column id"));
    let on = |name: &str, model: &[u8], arguments: &str, words: &[&'static str]| {
        Case::new(name, arguments, words).with("m.safetensors", model)
    };
    vec![
        Case::new("edges of no model", "edges m.safetensors", &["m.safetensors", "cannot be read"]),
        Case::new("edges of a table", "edges Y.csv", &["Y.csv", "not a tangency model"]),
        on("edges into a file that exists", &plain, "edges m.safetensors --out Y.csv", &["Y.csv exists", "--force"]),
        on("edges over the model", &plain, "edges m.safetensors --out m.safetensors --force", &["is an input"]),
        on("edge test of one point", &plain, "edges m.safetensors --test 3", &["test", "I,J"]),
        on(
            "edge test of a point and itself",
            &plain,
            "edges m.safetensors --test 3,3",
            &["test", "two different points"],
        ),
        on("edge test outside the table", &plain, "edges m.safetensors --test 3,40", &["test", "\"40\""]),
        on("edge test of an unknown id", &named, "edges m.safetensors --test p1,q", &["test", "\"q\""]),
        on("edge test without seeds", &plain, "edges m.safetensors --test 0,1 --seeds 0", &["seeds", "at least 1"]),
        on("prune none", &plain, "prune m.safetensors --max-removed 0", &["--max-removed", "at least 1"]),
        on(
            "prune for a negative gain",
            &plain,
            "prune m.safetensors --min-gain -1",
            &["--min-gain", "zero or a positive number", "-1"],
        ),
        on("prune for a gain of NaN", &plain, "prune m.safetensors --min-gain NaN", &["--min-gain", "NaN"]),
        on("prune to a file without --apply", &plain, "prune m.safetensors --out-edges e.csv", &["apply", "plan"]),
        on("prune a model with settings of a fit", &plain, "prune m.safetensors -k 5", &["settings", "table"]),
        on("prune a model with columns", &plain, "prune m.safetensors --columns a", &["settings", "table"]),
        on("prune over the model", &plain, "prune m.safetensors --apply --out m.safetensors --force", &["is an input"]),
        Case::new("prune no table", "prune no.csv", &["no.csv", "cannot be read"]),
        Case::new("prune into a missing folder", "prune Y.csv --apply --removed no/r.csv", &["no/r.csv", "folder"]),
        Case::new("removed edges of a fit without pruning", "fit Y.csv --removed r.csv", &["prune", "--removed"]),
        Case::new("fit with pruning for a negative gain", "fit Y.csv --prune --min-gain -2", &["--min-gain", "-2"]),
    ]
}
