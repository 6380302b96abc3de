//! A fitted sheet, made once, for the tests of what is done with a model; and what they do with tables.

use crate::command::run;
use crate::files::{Columns, contents, folder};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// How the sheet is fitted; its features are y1, y2 and y3.
pub const FIT: &str = "fit train.csv --id-column name --label-column side --columns y1:y3 -k 9";
/// The rows of `train.csv` and of `new.csv`.
pub const TRAINED: usize = 160;
pub const NEW: usize = 60;

/// A folder with the model `m.safetensors`, what it was fitted to (`train.csv`), its coordinates (`embedding.csv`), and
/// rows of the same sheet that it has not seen (`new.csv`). Both tables have names, labels and the truth.
pub fn with_model() -> tempfile::TempDir {
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let folder = with_sheet();
        run(folder.path(), &format!("{FIT} --out m.safetensors --embedding embedding.csv"));
        contents(folder.path())
    });
    let folder = folder();
    files.iter().for_each(|(name, content)| put(folder.path(), name, content));
    folder
}

/// The same folder before the fit.
pub fn with_sheet() -> tempfile::TempDir {
    let folder = folder();
    for (name, first, n, seed) in [("train.csv", "p", TRAINED, 3), ("new.csv", "q", NEW, 4)] {
        put(folder.path(), name, sheet(folder.path(), first, n, seed));
    }
    folder
}

/// Rows of an S-shaped sheet with a little noise, named by a letter and their number.
pub fn sheet(folder: &Path, letter: &str, n: usize, seed: usize) -> String {
    let drawn = run(folder, &format!("generate s-curve --n {n} --seed {seed} --noise 0.02")).stdout;
    let mut text = "name,side,y1,y2,y3,true1,true2\n".to_owned();
    for (i, row) in Columns::parse(&drawn).rows.iter().enumerate() {
        let height: f64 = row[4].parse().unwrap();
        text += &format!("{letter}{i},{},{}\n", if height < 1.0 { "low" } else { "high" }, row.join(","));
    }
    text
}

pub fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.join(name), content).unwrap();
}

pub fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

pub fn table(folder: &Path, name: &str) -> Columns {
    Columns::read(&folder.join(name))
}

/// The columns of these names, one after the other.
pub fn numbers<const C: usize>(columns: &Columns, names: [&str; C]) -> [Vec<f64>; C] {
    names.map(|name| columns.numbers(name))
}

pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / f64::from(count)
}

/// Root mean square.
pub fn rms(values: impl IntoIterator<Item = f64>) -> f64 {
    mean(values.into_iter().map(|value| value * value)).sqrt()
}

/// Distance between row `i` of these columns and row `j` of those.
pub fn apart(these: &[Vec<f64>], i: usize, those: &[Vec<f64>], j: usize) -> f64 {
    these.iter().zip(those).map(|(a, b)| (a[i] - b[j]).powi(2)).sum::<f64>().sqrt()
}

/// Every cell but these is a finite number.
pub fn assert_finite(columns: &Columns, but: &[&str], what: &str) {
    for (c, name) in columns.header.iter().enumerate().filter(|(_, name)| !but.contains(&name.as_str())) {
        for row in &columns.rows {
            let number: Result<f64, _> = row[c].parse();
            assert!(number.as_ref().is_ok_and(|number| number.is_finite()), "{what}: {name} is {:?}", row[c]);
        }
    }
}
