//! Settings, outputs, models and flags that cannot be.

use super::{Case, good_model, good_table};
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;

pub fn cases() -> Vec<Case> {
    [settings(), outputs(), models(), distances(), generate_and_demo(), flags()].into_iter().flatten().collect()
}

fn settings() -> Vec<Case> {
    let bad = |name: &str, more: &str, words: &[&'static str]| Case::new(name, &format!("fit Y.csv {more}"), words);
    vec![
        bad("no components", "-d 0", &["--n-components", "at least 1"]),
        bad("no starts", "--n-init 0", &["--n-init", "at least 1"]),
        bad("no iterations", "--max-iter 0", &["--max-iter", "at least 1"]),
        bad("tol negative", "--tol -1", &["tol", "zero or a positive number", "-1"]),
        bad("tol NaN", "--tol NaN", &["tol", "zero or a positive number", "NaN"]),
        bad("tol infinite", "--tol inf", &["tol", "zero or a positive number", "inf"]),
        bad("epsilon zero", "--epsilon 0", &["epsilon", "positive", "0"]),
        bad("epsilon negative", "--epsilon -0.1", &["epsilon", "positive", "-0.1"]),
        bad("gamma0 zero", "--gamma0 0", &["gamma0", "positive"]),
        bad("gamma0 infinite", "--gamma0 inf", &["gamma0", "positive", "inf"]),
        bad("alpha0 zero", "--alpha0 0", &["alpha0", "positive"]),
        bad("alpha0 NaN", "--alpha0 NaN", &["alpha0", "positive", "NaN"]),
        bad("alpha zero", "--alpha 0", &["alpha", "positive"]),
        bad("lambda zero", "--lambda 0 --nu 0", &["lambda", "positive"]),
        bad("nu negative", "--lambda 1 --nu -1", &["nu", "zero or a positive number", "-1"]),
        bad("nu fixed with lambda learned", "--nu 0.5", &["nu", "lambda"]),
        bad("lambda fixed with nu learned", "--lambda 1", &["nu", "lambda"]),
        bad("share of variance zero", "--pca 0", &["pca", "above 0 and up to 1"]),
        bad("share of variance above one", "--pca 1.5", &["pca", "above 0 and up to 1"]),
        bad("share of variance NaN", "--pca NaN", &["pca", "above 0 and up to 1"]),
        bad("coarse tol negative", "--coarse-tol -1", &["--coarse-tol", "zero or a positive number", "-1"]),
        bad("coarse start of the exact engine", "--engine exact --init coarse", &["init", "coarse", "exact"]),
        bad(
            "full covariance of the factorised engine",
            "--engine factorised --full-covariance",
            &["full", "covariance", "factorised engine", "exact"],
        ),
        Case::new("demo with no variance", "demo --pca 0", &["pca", "above 0 and up to 1"]),
        bad("no threads", "--threads 0", &["threads", "at least 1"]),
    ]
}

fn outputs() -> Vec<Case> {
    vec![
        Case::new("model exists", "fit Y.csv", &["Y.safetensors exists", "--force"]).with("Y.safetensors", "kept"),
        Case::new("embedding exists", "fit Y.csv --embedding x.csv", &["x.csv exists", "--force"])
            .with("x.csv", "kept"),
        Case::new("trace exists", "fit Y.csv --trace t.csv", &["t.csv exists", "--force"]).with("t.csv", "kept"),
        Case::new("output is the table", "fit Y.csv --embedding Y.csv", &["Y.csv exists"]),
        Case::new(
            "two outputs of one name",
            "fit Y.csv --init pca --max-iter 3 --embedding x.csv --trace x.csv",
            &["x.csv"],
        ),
        Case::new(
            "folder of the model is missing",
            "fit Y.csv --out no/m.safetensors",
            &["no/m.safetensors", "folder"],
        ),
        Case::new("folder of the embedding is missing", "fit Y.csv --embedding no/x.csv", &["no/x.csv", "folder"]),
        Case::new("output is a folder", "fit Y.csv --out d --force", &["d:", "is a folder"]).with("d/", ""),
        Case::new("folder of the output is a file", "fit Y.csv --out Y.csv/m", &["Y.csv/m", "folder"]),
    ]
}

fn models() -> Vec<Case> {
    let sound = good_model("");
    let header = 8 + u64::from_le_bytes(sound[..8].try_into().unwrap()) as usize;
    let bad = |name: &str, content: &[u8], words: &[&'static str]| {
        Case::new(name, "info m.safetensors", &[&["m.safetensors"], words].concat()).with("m.safetensors", content)
    };
    let foreign = {
        let zeros = [0u8; 16];
        let view = TensorView::new(Dtype::F64, vec![2], &zeros).unwrap();
        let metadata = HashMap::from([("format".to_owned(), "pt".to_owned())]);
        safetensors::serialize([("coordinates", view)], Some(metadata)).unwrap()
    };
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let mut cases = vec![
        Case::new("model is missing", "info none.safetensors", &["none.safetensors", "cannot be read"]),
        Case::new("model is a folder", "info d", &["d:", "cannot be read"]).with("d/", ""),
        Case::new("model is a table", "info Y.csv", &["Y.csv", "not a tangency model"]),
        bad("model of another program", &foreign, &["not a tangency model"]),
        bad("model of random bytes", &noise, &["not a tangency model"]),
        bad(
            "model of a newer format",
            &patched(&sound, r#"\"format\":1"#, r#"\"format\":9"#),
            &["format 9", "format 1"],
        ),
        bad(
            "model with a setting of another name",
            &patched(&sound, r#"\"n_init\""#, r#"\"n_tini\""#),
            &["the setting \"n_tini\"", "does not know", "install a newer tangency"],
        ),
        bad(
            "model with a word of a newer version",
            &patched(&sound, r#"\"symmetry\":\"or\""#, r#"\"symmetry\":\"by\""#),
            &["the setting symmetry = \"by\"", "does not know", "install a newer tangency"],
        ),
        bad(
            "model with a setting that is no word",
            &patched(&sound, r#"\"n_init\":1"#, r#"\"n_init\":{"#),
            &["damaged metadata"],
        ),
        bad(
            "model without its coordinates",
            &patched(&sound, r#""coordinates":{"#, r#""coordinatez":{"#),
            &["coordinates"],
        ),
        bad("model with bytes after its end", &[&sound[..], b"more"].concat(), &["damaged"]),
    ];
    let lengths = [0, 4, 8, 9, header / 2, header - 1, header, (header + sound.len()) / 2, sound.len() - 1];
    cases.extend(lengths.map(|length| {
        // below nine bytes nothing tells that it was ours
        let words: &[&'static str] = if length < 9 { &["tangency"] } else { &["cut short", "fit the model again"] };
        let name = format!("model cut to {}", described(length, header, sound.len()));
        bad(&name, &sound[..length], words)
    }));
    cases
}

fn described(length: usize, header: usize, whole: usize) -> String {
    match length {
        _ if length < 10 => format!("{length} bytes"),
        _ if length < header - 1 => "half its header".to_owned(),
        _ if length < header => "all but a byte of its header".to_owned(),
        _ if length == header => "its header".to_owned(),
        _ if length < whole - 1 => "half its arrays".to_owned(),
        _ => "all but a byte".to_owned(),
    }
}

/// The same bytes with one text replaced by another as long.
pub(super) fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("text to replace");
    [&bytes[..at], to.as_bytes(), &bytes[at + to.len()..]].concat()
}

fn distances() -> Vec<Case> {
    let plain = good_model("");
    let full = good_model("--full-covariance --id-column id");
    let asked = |name: &str, model: &[u8], more: &str, words: &[&'static str]| {
        Case::new(name, &format!("info m.safetensors {more}"), words).with("m.safetensors", model)
    };
    vec![
        asked("distance without full covariance", &plain, "--distance 0,1", &["--full-covariance"]),
        asked("distance of one point", &full, "--distance p0", &["distance", "I,J", "\"p0\""]),
        asked("distance to an unknown id", &full, "--distance p0,p99", &["distance", "\"p99\""]),
        asked("distance of three points", &full, "--distance p0,p1,p2", &["distance", "\"p1,p2\""]),
        asked("distance to a row outside", &plain, "--distance 0,40", &["distance", "\"40\""]),
        asked("level of one", &full, "--distance p0,p1 --level 1", &["--level is", "between 0 and 1"]),
        asked("level NaN", &full, "--distance p0,p1 --level NaN", &["--level is", "between 0 and 1"]),
    ]
}

fn generate_and_demo() -> Vec<Case> {
    vec![
        Case::new("generate nothing", "generate helix --n 0", &["--n is", "at least 1"]),
        Case::new(
            "generate with negative noise",
            "generate helix --noise -0.5",
            &["noise", "zero or a positive number"],
        ),
        Case::new("generate with NaN noise", "generate helix --noise NaN", &["noise", "zero or a positive number"]),
        Case::new("generate into a file that exists", "generate helix --out Y.csv", &["Y.csv exists", "--force"]),
        Case::new("generate into a missing folder", "generate helix --out no/h.csv", &["no/h.csv", "folder"]),
        Case::new("generate an unknown shape", "generate torus", &["torus"]).by_parser(),
        Case::new("demo of too few points", "demo --n 9", &["--n is", "9 neighbours"]),
        Case::new("demo in a missing folder", "demo --dir no", &["no/tangency-demo.csv", "folder"]),
        Case::new("demo over its last file", "demo", &["tangency-demo.png exists", "--force"])
            .with("tangency-demo.png", "kept"),
    ]
}

fn flags() -> Vec<Case> {
    let bad = |name: &str, arguments: &str, words: &[&'static str]| Case::new(name, arguments, words).by_parser();
    vec![
        bad("unknown subcommand", "fti Y.csv", &["fti"]),
        bad("unknown flag", "fit Y.csv --neighbours 4", &["--neighbours"]),
        bad("flag without its value", "fit Y.csv --seed", &["--seed"]),
        bad("flag given twice", "fit Y.csv --seed 1 --seed 2", &["--seed"]),
        bad("no table", "fit", &["arguments were not provided"]),
        bad("two tables", "fit Y.csv Z.csv", &["Z.csv"]).with("Z.csv", good_table()),
        bad("neighbours in words", "fit Y.csv -k many", &["--n-neighbors", "many"]),
        bad("seed negative", "fit Y.csv --seed=-1", &["--seed", "-1"]),
        bad("unknown preset", "fit Y.csv --preset paper", &["--preset", "paper"]),
        bad("unknown start", "fit Y.csv --init umap", &["--init", "umap"]),
        bad("unknown engine", "fit Y.csv --engine quick", &["--engine", "quick"]),
        bad("unknown search", "fit Y.csv --neighbor-search best", &["--neighbor-search", "best"]),
        bad("ball radius negative", "fit Y.csv --ball-radius=-1", &["--ball-radius", "-1"]),
        bad("draws in words", "fit Y.csv --draws many", &["--draws", "many"]),
        bad("select with an unknown engine", "select Y.csv --engine quick", &["--engine", "quick"]),
        bad("unknown scaling", "fit Y.csv --scaling log", &["--scaling", "log"]),
        bad("unknown symmetry", "fit Y.csv --symmetry both", &["--symmetry", "both"]),
        bad("lambda in words", "fit Y.csv --lambda free", &["--lambda", "learned"]),
        bad("--header with --no-header", "fit Y.csv --header --no-header", &["--header", "--no-header"]),
        bad("threads in words", "fit Y.csv --threads all", &["--threads", "all"]),
    ]
}
