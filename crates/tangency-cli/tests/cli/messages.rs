//! Every error and caution in the words of the command and of Python: `docs/guide/messages.md` is this list.
//! `TANGENCY_WRITE_MESSAGES=1` writes it anew.

#[path = "../../src/words.rs"]
mod command;
#[path = "../../../../python/src/words.rs"]
mod python;

use command::Flags;
use python::{Exception, PythonWords};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tangency::compare::{Comparison, Entrant};
use tangency::evidence::{GraphChoice, Judge, PruneOptions, Selection, test_edges};
use tangency::extend::{Extension, check_parts, loadings};
use tangency::graph::{EdgeNames, edges_from_cells};
use tangency::inference::EngineKind;
use tangency::io::table::{TableOptions, read_table};
use tangency::io::{Claims, TableWriter, model_from_bytes};
use tangency::linalg::Matrix;
use tangency::message::Sentence;
use tangency::peers::PeerOptions;
use tangency::{Config, Error, Fit, Fitter, Init, Rule, Shape, generate, message_examples, quality};

type Case = (&'static str, Error);

fn refused<T>(what: &'static str, outcome: Result<T, Error>) -> Case {
    (what, outcome.err().unwrap_or_else(|| panic!("{what} is no error")))
}

fn table() -> Matrix {
    generate(Shape::SCurve, 40, 0.0, 1).points
}

fn fitted() -> Fit {
    Fitter::new(Config { init: Init::Pca, max_iter: 3, ..Config::default() }).fit(&table()).unwrap()
}

/// Settings that do not fit in themselves or with each other.
fn settings() -> Vec<Case> {
    let bad = |what, config: Config| refused(what, config.validate());
    let plain = Config::default;
    vec![
        bad("a whole number is too small", Config { max_iter: 0, ..plain() }),
        bad("a number is not positive", Config { epsilon: -1.0, ..plain() }),
        bad("a number is negative", Config { tol: -1e-4, ..plain() }),
        bad("a share is above 1", Config { pca: Some(1.5), ..plain() }),
        bad(
            "an engine has no full covariance",
            Config { full_covariance: true, engine: EngineKind::Factorised, ..plain() },
        ),
        bad(
            "a start of cells for the exact engine",
            Config { init: Init::Coarse, engine: EngineKind::Exact, ..plain() },
        ),
        bad("several starts that are all the same", Config { n_init: 3, init: Init::Pca, ..plain() }),
        bad("pieces joined and left out", Config { connect: true, largest: true, ..plain() }),
        bad("nu fixed alone", Config { nu: Rule::Fixed(2.0), ..plain() }),
        bad("lambda fixed alone", Config { lambda: Rule::Fixed(2.0), ..plain() }),
        refused("a ridge of nothing", PeerOptions { regularization: 0.0, ..PeerOptions::default() }.validate()),
        refused("no inducing points", PeerOptions { n_inducing: 0, ..PeerOptions::default() }.validate()),
        refused("prune no edge", PruneOptions { max_removed: Some(0), ..PruneOptions::default() }.validate()),
        refused("prune for a negative gain", PruneOptions { min_gain: -1.0, ..PruneOptions::default() }.validate()),
    ]
}

/// Settings that do not fit the table.
fn with_tables() -> Vec<Case> {
    let fit = |config: Config| Fitter::new(config).fit(&table());
    let plain = Config::default;
    let select = |graphs: Vec<GraphChoice>, dimensions: Vec<usize>, config: Config| {
        Selection::new(&table(), config, graphs, dimensions).map(|_| ())
    };
    let nine = || GraphChoice::neighbors(9);
    let edges = GraphChoice::Edges { name: "run--2024.csv".into(), edges: vec![(0, 1), (3, 99)] };
    let labels = |labels: Vec<&str>| {
        let labels = labels.into_iter().map(String::from).collect();
        Comparison::new(table().as_ref(), Config::default(), None, None, Some(labels)).map(|_| ())
    };
    vec![
        refused("as many neighbours as rows", fit(Config { n_neighbors: 40, ..plain() })),
        refused("as many coordinates as rows", fit(Config { n_components: 40, ..plain() })),
        refused("more coordinates than features", fit(Config { n_components: 4, ..plain() })),
        refused("a start that is not given", fit(Config { init: Init::Maps, ..plain() })),
        refused("pieces within a radius", fit(Config { radius: Some(1e-3), ..plain() })),
        refused("pieces of given edges", Fitter::new(plain()).edges(vec![(0, 1)]).fit(&table())),
        refused("select only the largest piece", select(vec![nine()], vec![2], Config { largest: true, ..plain() })),
        refused("select with a start", select(vec![nine()], vec![2], Config { init: Init::Maps, ..plain() })),
        refused("select without a graph", select(vec![], vec![2], plain())),
        refused("select a graph twice", select(vec![nine(), nine()], vec![2], plain())),
        refused("select an edge to nowhere", select(vec![edges], vec![2], plain())),
        refused(
            "select by too few rows",
            Selection::new(&table(), plain(), vec![GraphChoice::neighbors(30)], vec![2]).unwrap().by(Judge::HeldOut),
        ),
        refused("select no dimension", select(vec![nine()], vec![0], plain())),
        refused("select without seeds", Selection::new(&table(), plain(), vec![nine()], vec![2]).unwrap().seeds(0)),
        refused(
            "select too many seeds",
            Selection::new(&table(), plain(), vec![nine()], vec![2]).unwrap().seeds(99_999),
        ),
        refused("compare by no method", "tsne".parse::<Entrant>()),
        refused("compare with one class", labels(vec!["a"; 40])),
        refused("compare with other labels", labels(vec!["a", "b"])),
    ]
}

/// What cannot be asked of a model.
fn with_models() -> Vec<Case> {
    let fit = fitted();
    let extension = || Extension::new(&fit).unwrap();
    let test =
        |edges: &[(u32, u32)], seeds| test_edges(&fit, edges, seeds, &mut |_, _| std::ops::ControlFlow::Continue(()));
    let points = Matrix::from_fn(2, 4, |_, _| 0.0);
    let nan = Matrix::from_fn(2, 3, |i, _| if i == 1 { f64::NAN } else { 0.0 });
    let path = Path::new("run--2024.safetensors");
    vec![
        refused("new rows of other features", extension().transform(&points)),
        refused("a new row that is not finite", extension().transform(&nan)),
        refused("new rows next to nobody", Extension::new(&fit).unwrap().with_neighbors(0)),
        refused("new rows next to too many", Extension::new(&fit).unwrap().with_neighbors(40)),
        refused("reconstruct other coordinates", extension().reconstruct(&points, Default::default())),
        refused("a grid of another size", extension().grid(&[3])),
        refused("calibrate by one part", check_parts(40, 2, 1)),
        refused("calibrate by too many parts", check_parts(40, 2, 41)),
        refused("loadings of no point", loadings(&fit, &[])),
        refused("loadings of a point beyond", loadings(&fit, &[40])),
        refused("a distance without covariances", fit.distance_interval(0, 1, 0.9)),
        refused("test without seeds", test(&[(0, 1)], 0)),
        refused("test a point and itself", test(&[(3, 3)], 1)),
        refused("a file is not a model", model_from_bytes(b"a,b\n1,2\n", path)),
        refused("a model is cut short", model_from_bytes(b"\x09\0\0\0\0\0\0\0{\"a\":", path)),
    ]
}

/// What cannot be measured.
fn with_embeddings() -> Vec<Case> {
    let table = table();
    let short = Matrix::from_fn(30, 2, |i, a| (i + a) as f64);
    let labels = |classes: usize| (0..40).map(|i| (i % classes).to_string()).collect::<Vec<_>>();
    let error = |classes, k, folds, shuffles| quality::knn_error(&table, &labels(classes), k, folds, shuffles, 0);
    vec![
        refused("measure other rows", quality::trustworthiness(&table, &short, 5)),
        refused("compare no neighbours", quality::trustworthiness(&table, &table, 0)),
        refused("compare half of all neighbours", quality::trustworthiness(&table, &table, 20)),
        refused("classify one class", error(1, 1, 2, 1)),
        refused("classify in one fold", error(2, 1, 1, 1)),
        refused("classify in more folds than points", error(2, 1, 41, 1)),
        refused("classify by too many", error(2, 21, 2, 1)),
        refused("classify without a shuffle", error(2, 1, 2, 0)),
    ]
}

/// Edge lists and tables that cannot be read.
fn with_files(folder: &Path) -> Vec<Case> {
    let edges = |cells: &[[&str; 2]], ids: Option<&[String]>, names| {
        let cells: Vec<Vec<String>> = cells.iter().map(|row| row.map(String::from).to_vec()).collect();
        edges_from_cells(&cells, 3, ids, names)
    };
    let ids = ["p", "q", "r"].map(String::from);
    let twice = ["p", "p", "r"].map(String::from);
    let file = |name: &str, content: &[u8]| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let read = |content: &str, options: TableOptions| read_table(&file("run--2024.csv", content.as_bytes()), &options);
    let plain = TableOptions::default;
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let good = "id,a,b\np,1,2\nq,3,4\nr,5,6\n";
    vec![
        refused("an edge list without edges", edges(&[], None, EdgeNames::Auto)),
        refused("an edge that is a word", edges(&[["0", "1"], ["1", "two"]], None, EdgeNames::Auto)),
        refused("an edge of an unknown id", edges(&[["p", "q"], ["q", "nobody"]], Some(&ids), EdgeNames::Id)),
        refused("edges by ids that are not unique", edges(&[["p", "r"]], Some(&twice), EdgeNames::Id)),
        refused("edges by ids without ids", edges(&[["p", "r"]], None, EdgeNames::Id)),
        refused("a table without numbers", read("a,b\nx,y\n", plain())),
        refused("a row is too short", read("a,b\n1,2\n3\n", plain())),
        refused("a header and no row", read("a,b\n", plain())),
        refused("a column of one name twice", read("a,a\n1,2\n", plain())),
        refused("not UTF-8", read_table(&file("run--2024.csv", b"a,b\n\x90,2\n"), &plain())),
        refused("an unknown format", read_table(&file("run--2024.doc", b"PK"), &plain())),
        refused("a spreadsheet of another kind", read_table(&file("run--2024.xlsb", b"PK"), &plain())),
        refused("not a spreadsheet", read_table(&file("run--2024.xlsx", b"PK"), &plain())),
        refused("AnnData", read_table(&file("run--2024.h5ad", b"HDF"), &plain())),
        refused("an Arrow file is cut short", read_table(&file("run--2024.feather", b"ARROW1"), &plain())),
        refused("packed text is cut short", read_table(&file("run--2024.csv.gz", b"\x1f\x8b\x08\0\0"), &plain())),
        refused("an array that is packed", read_table(&file("run--2024.npy.gz", b"x"), &plain())),
        refused("not an array", read_table(&file("run--2024.npy", b"1,2"), &plain())),
        refused("an array of a file without names", read(good, TableOptions { array: Some("x".into()), ..plain() })),
        refused("a sheet of a file without sheets", read(good, TableOptions { sheet: Some("x".into()), ..plain() })),
        refused("a range backwards", read(good, TableOptions { columns: Some(list(&["b:a"])), ..plain() })),
        refused("the ids are a feature", {
            read(good, TableOptions { columns: Some(list(&["a", "id"])), id_column: Some("id".into()), ..plain() })
        }),
        refused("an output is a folder", Claims::new(false, []).claim(folder)),
        refused("an output is an input", {
            let path = file("run--2024.csv", good.as_bytes());
            Claims::new(true, [&path]).claim(&path)
        }),
        refused("an output of an unknown format", TableWriter::check(Path::new("run--2024.xlsx"))),
    ]
}

/// A cell of a table in Markdown.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<")
}

fn page() -> String {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().display().to_string();
    // where the files of the examples are is of no interest
    let cell = |text: String| cell(&text.replace(&format!("{name}/"), "").replace(&name, "results"));
    let mut text = "<!-- Written by the test `messages` of crates/tangency-cli; see CONTRIBUTING.md. -->\n\n\
        # Messages\n\n\
        What can go wrong, and what the command and Python say. The list is made from the program itself.\n"
        .to_owned();
    let parts = [
        ("Errors of each kind", message_examples::errors()),
        ("Settings", settings()),
        ("Settings and tables", with_tables()),
        ("Models", with_models()),
        ("Measures", with_embeddings()),
        ("Files", with_files(folder.path())),
    ];
    for (heading, cases) in parts {
        let _ = write!(text, "\n## {heading}\n\n| what happened | the command | Python |\n|---|---|---|\n");
        for (what, error) in cases {
            let (command, python) = (cell(error.in_words(&Flags)), cell(error.in_words(&PythonWords)));
            let _ = writeln!(text, "| {what} | {command} | `{:?}`: {python} |", Exception::of(&error));
        }
    }
    text.push_str("\n## Cautions\n\nWarnings of a fit that is there.\n\n| what happened | the command | Python |\n|---|---|---|\n");
    for (what, caution) in message_examples::cautions() {
        let (command, python) = (cell(caution.in_words(&Flags)), cell(caution.in_words(&PythonWords)));
        let _ = writeln!(text, "| {what} | {command} | {python} |");
    }
    text.push_str("\n## Notes\n\nHow the command understood a table, on standard error.\n\n| what the table is like | the command |\n|---|---|\n");
    for (what, note) in message_examples::table_notes() {
        let _ = writeln!(text, "| {what} | {} |", cell(note.in_words(&Flags)));
    }
    text
}

#[test]
fn the_table_of_messages_is_that_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/messages.md");
    let made = page();
    if std::env::var_os("TANGENCY_WRITE_MESSAGES").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for (made, written) in made.lines().zip(written.lines()) {
        assert_eq!(
            made, written,
            "docs/guide/messages.md is out of date: run this test with TANGENCY_WRITE_MESSAGES=1"
        );
    }
    assert_eq!(made.lines().count(), written.lines().count());
}

#[test]
fn nothing_that_a_user_gave_is_altered_and_each_front_end_uses_its_own_words() {
    let made = page();
    let rows = made.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what"));
    let mut names = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (command, python) = (cells[1], cells.get(2).copied().unwrap_or_default());
        if python.is_empty() {
            continue;
        }
        names += python.matches("run--2024").count();
        assert_eq!(command.matches("run--2024").count(), python.matches("run--2024").count(), "{row}");
        assert!(!python.replace("run--2024", "").contains("--"), "{row}");
        assert!(!command.contains("=True") && !command.contains("n_"), "{row}");
        assert!(!row.contains("must be") && !row.contains("/tmp"), "{row}");
    }
    assert!(names > 10);
}
