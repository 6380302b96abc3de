//! The report is one page with the numbers of its model, made by a command of its own and beside others.

use crate::command::{attempt, run, run_json};
use crate::files::folder;
use crate::fitted::with_model;
use serde_json::Value;
use std::path::Path;

/// The data of a page.
fn data(folder: &Path, page: &str) -> Value {
    let page = std::fs::read_to_string(folder.join(page)).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    let begin = page.find("<script id=\"tangency-data\" type=\"application/json\">").unwrap();
    let text = &page[begin..];
    serde_json::from_str(&text[text.find('>').unwrap() + 1..text.find("</script>").unwrap()]).unwrap()
}

#[test]
fn a_model_has_a_page_and_new_rows_stand_in_it() {
    let folder = with_model();
    let plain = run_json(folder.path(), "report m.safetensors --out r.html --title here --fitted-table t.csv");
    assert_eq!(plain["written"], serde_json::json!(["r.html"]));
    let info = run_json(folder.path(), "info m.safetensors");
    let page = data(folder.path(), "r.html");
    assert_eq!((&page["title"], &page["n_points"], &page["n_new"]), (&"here".into(), &info["n"], &0.into()));
    assert_eq!(page["bound"]["final"], info["bound"]);
    assert!(page["command"].as_str().unwrap().starts_with("tangency fit t.csv"));
    run(folder.path(), "generate s-curve --n 7 --seed 9 --out seven.csv");
    run(folder.path(), "report m.safetensors seven.csv --out n.html --columns y1:y3");
    let page = data(folder.path(), "n.html");
    assert_eq!((&page["n_points"], &page["n_new"]), (&info["n"], &7.into()));
}

#[test]
fn a_page_made_later_knows_how_the_table_was_read_and_what_labels_are_called() {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 80 --noise 0.02 --seed 1 --out c.csv");
    run(folder.path(), "fit c.csv --columns 1:3 --label-column 4 --max-iter 3 --report f.html --out m.safetensors");
    run(folder.path(), "report m.safetensors --out r.html");
    let (first, later) = (data(folder.path(), "f.html"), data(folder.path(), "r.html"));
    assert_eq!((&first["label_name"], &later["label_name"]), (&"true1".into(), &"true1".into()));
    assert_eq!(first["command"], "tangency fit c.csv --label-column 4 --columns 1:3 --max-iter 3");
    for name in ["command", "compare", "title"] {
        assert_eq!(first[name], later[name]);
    }
    assert_eq!(first["graph"]["refit"], later["graph"]["refit"]);
}

#[test]
fn edges_that_were_tested_stand_in_the_page() {
    let folder = with_model();
    let edge = &run_json(folder.path(), "edges m.safetensors")["edges"][0];
    let (i, j) = (edge["ids"][0].as_str().unwrap(), edge["ids"][1].as_str().unwrap());
    let told = run_json(folder.path(), &format!("edges m.safetensors --test {i},{j} --seeds 1 --report e.html"));
    let page = data(folder.path(), "e.html");
    assert_eq!(page["graph"]["tests"][0]["removed"], told["tests"][0]["removed"]);
    assert_eq!(page["graph"]["tests"][0]["change"], told["tests"][0]["change"]);
    assert_eq!(told["written"], serde_json::json!(["e.html"]));
}

#[test]
fn other_commands_make_pages_too() {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 80 --noise 0.02 --seed 1 --out c.csv");
    let few = "--columns y1:y3 --max-iter 12";
    run(folder.path(), &format!("fit c.csv {few} -k 7 --report f.html"));
    let page = data(folder.path(), "f.html");
    assert_eq!(page["command"], "tangency fit c.csv --columns y1:y3 --n-neighbors 7 --max-iter 12");
    let refit = "tangency fit c.csv --columns y1:y3 --edges kept.csv --max-iter 12";
    assert_eq!(page["graph"]["refit"], refit);
    run(folder.path(), &format!("prune c.csv {few} -k 7 --apply --report p.html"));
    assert_eq!(data(folder.path(), "p.html")["n_points"], 80);
    run(folder.path(), &format!("select c.csv {few} -k 6,8 -d 1:2 --seeds 1 --report s.html"));
    let page = data(folder.path(), "s.html");
    assert_eq!(page["selection"]["candidates"].as_array().unwrap().len(), 4);
    let best = page["selection"]["best"].as_u64().unwrap() as usize;
    assert_eq!(page["selection"]["candidates"][best]["n_components"], page["n_components"]);
}

#[test]
fn the_command_of_a_page_repeats_the_fit_to_the_bit() {
    let folder = folder();
    run(folder.path(), "generate s-curve --n 90 --noise 0.02 --seed 1 --out c.csv");
    run(folder.path(), "fit c.csv --columns y1:y3 -k 6 --max-iter 3 --prune --out-edges e.csv --embedding start.csv");
    let start = "init.csv";
    let lines = std::fs::read_to_string(folder.path().join("start.csv")).unwrap();
    let columns = |line: &str| line.split(',').skip(1).take(2).collect::<Vec<_>>().join(",");
    std::fs::write(folder.path().join(start), lines.lines().skip(1).map(columns).collect::<Vec<_>>().join("\n"))
        .unwrap();
    for (number, flags) in [
        "--columns y1:y3 -k 7 --max-iter 9",
        "--columns y1:y3 --preset authors --seed 3 --max-iter 9",
        "--columns y1,y2,y3 --label-column true1 --no-acceleration --uncertainty absolute --tol 1e-7 --max-iter 25",
        "--exclude true1,true2 --radius 0.7 --connect --scaling per-feature --lambda 1 --nu 0 --epsilon 1.5e-3 --max-iter 9",
        "--columns y1:y3 -k 8 --prune --min-gain 0.25 --max-removed 5 --max-iter 30",
        "--columns y1:y3 --engine factorised --draws 6 --ball-radius 1 --calibrate 3 --max-iter 12",
        "--columns y1:y3 --edges e.csv --edges-by index --init isomap --full-covariance --max-iter 9",
        "--columns y1:y3 -d 2 --init-coordinates init.csv --pca 0.999 --max-iter 9",
    ]
    .iter()
    .enumerate()
    {
        let (page, model) = (format!("{number}.html"), format!("{number}.safetensors"));
        run(folder.path(), &format!("fit c.csv {flags} --out {model} --embedding {number}.csv --report {page}"));
        let page = data(folder.path(), &page);
        let command = page["command"].as_str().unwrap().strip_prefix("tangency ").unwrap();
        run(folder.path(), &format!("{command} --out again-{model} --embedding again-{number}.csv"));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read(&format!("{number}.csv")), read(&format!("again-{number}.csv")), "{flags}\n{command}");
        let of = |model: &str| run_json(folder.path(), &format!("info {model}"));
        assert_eq!(of(&model), of(&format!("again-{model}")), "{flags}\n{command}");
    }
}

#[test]
fn a_page_is_not_written_where_something_is_wrong() {
    let folder = with_model();
    let wrong = |arguments: &str, words: &[&str]| {
        let outcome = attempt(folder.path(), arguments);
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{}", outcome.said());
        assert!(!folder.path().join("r.html").exists());
    };
    wrong("report no.safetensors --out r.html", &["no.safetensors", "cannot be read"]);
    wrong("report m.safetensors --out r.html --image 2x2", &["image", "3 features", "2x2"]);
    wrong("report m.safetensors --out r.html --image two", &["image", "16x16", "two"]);
    wrong("report m.safetensors no.csv --out r.html", &["no.csv", "cannot be read"]);
    wrong("report m.safetensors --out no/r.html", &["no/r.html", "folder"]);
    wrong("report m.safetensors --out m.safetensors --force", &["is an input"]);
    std::fs::write(folder.path().join("bad.csv"), "y1,y2,y3\n1,2,3\n1,,3\n").unwrap();
    std::fs::write(folder.path().join("few.csv"), "y1,y3\n1,3\n").unwrap();
    wrong("report m.safetensors few.csv --out r.html", &["few.csv", "y2"]);
    wrong("fit bad.csv --missing error --report r.html --image 9x9", &["row 2"]);
    wrong("prune m.safetensors --report r.html", &["apply"]);
}
