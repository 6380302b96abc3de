//! A table read block by block is the table read whole, whatever the size of the blocks.

use super::numpy::{header, npy, npz, raw};
use super::*;

/// Everything that the blocks of a table hold, row by row.
#[derive(Debug, PartialEq)]
pub(super) struct Whole {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) ids: Option<Vec<String>>,
    pub(super) labels: Option<Vec<String>>,
}

impl From<Table> for Whole {
    fn from(table: Table) -> Self {
        Self { rows: rows_of(&table.values), ids: table.ids, labels: table.labels }
    }
}

pub(super) const SIZES: [usize; 7] = [1, 2, 3, 7, 1000, 8193, usize::MAX];

pub(super) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Puts the blocks of a table together.
pub(super) fn blocks(path: &Path, options: &TableOptions, features: &[String], most: usize) -> Result<Whole> {
    let mut stream = TableStream::open(path, options)?;
    stream.choose(features)?;
    let mut whole = Whole {
        rows: Vec::new(),
        ids: options.id_column.is_some().then(Vec::new),
        labels: options.label_column.is_some().then(Vec::new),
    };
    while let Some(block) = stream.next_block(most)? {
        assert_eq!((block.first, block.values.nrows()), (whole.rows.len(), features.len()));
        assert!((1..=most).contains(&block.values.ncols()));
        whole.rows.extend(rows_of(&block.values.transpose().to_owned()));
        whole.ids.iter_mut().zip(block.ids).for_each(|(ids, more)| ids.extend(more));
        whole.labels.iter_mut().zip(block.labels).for_each(|(labels, more)| labels.extend(more));
    }
    assert!(stream.next_block(most)?.is_none(), "an end stays the end");
    assert!(stream.rows().is_none_or(|rows| rows == whole.rows.len()));
    Ok(whole)
}

/// The blocks and the whole table are the same.
#[track_caller]
pub(super) fn agrees(name: &str, contents: impl AsRef<[u8]>, options: &TableOptions) {
    let fixture = Fixture::new(name, contents);
    let table = read_table(&fixture.path, options).unwrap();
    let features = table.feature_names.clone();
    let whole = Whole::from(table);
    for most in SIZES {
        assert_eq!(blocks(&fixture.path, options, &features, most).unwrap(), whole, "{name}, {most} at a time");
    }
}

/// Reads a file that may be damaged in both ways. Where it can be read whole, it can be read by blocks.
pub(super) fn agrees_where_it_can(fixture: &Fixture) {
    let options = TableOptions::default();
    let table = fixture.table();
    let Ok(stream) = TableStream::open(&fixture.path, &options) else {
        assert!(table.is_err());
        return;
    };
    let names = stream.names().map(<[String]>::to_owned);
    let Ok(table) = table else {
        let names = names.unwrap_or_else(|| numbered_names(3));
        for most in [2, 100] {
            let _ = blocks(&fixture.path, &options, &names, most);
            let _ = blocks(&fixture.path, &options, &names[..1], most);
        }
        return;
    };
    if names.is_some() || table.carried.is_empty() {
        let features = table.feature_names.clone();
        assert_eq!(blocks(&fixture.path, &options, &features, 2).unwrap(), table.into());
    }
}

#[track_caller]
pub(super) fn error_in(fixture: &Fixture, options: &TableOptions, features: &[&str]) -> Error {
    let errors = [1, 2, 100_000].map(|most| blocks(&fixture.path, options, &words(features), most).unwrap_err());
    let [first, second, third] = errors;
    assert_eq!(first.to_string(), second.to_string());
    assert_eq!(first.to_string(), third.to_string());
    first
}

fn with_id_and_label(id: &str, label: &str) -> TableOptions {
    TableOptions { id_column: Some(id.into()), label_column: Some(label.into()), ..TableOptions::default() }
}

/// Rows of three columns, more than tell about a header.
pub(super) fn long(header: &str) -> String {
    let rows = (0..3000).map(|i| format!("{i},{},{}\n", f64::from(i) / 7.0, 3000 - i));
    header.to_owned() + &rows.collect::<String>()
}

#[test]
fn text_is_read_the_same_way() {
    let default = TableOptions::default();
    for contents in [
        "a,b\n1,2\n3,4\n5,6\n",
        "1,2\n3,4\n5,6",
        "x\n1\n\n2\n   \n3\n",
        "7",
        "\u{feff}name,\"the \"\"x\"\"\",y\r\n\r\n\"Doe, Jane\",\"1.5\", 2 \r\n   \r\n\"two\nlines\",3,4e-1",
        "# a,b\n1,2\n",
        ",x,y\n0,1,2\n1,3,4\n",
        "0,1,2\n0.5,1.5,2.5\n",
        "0,1,2\n3,4,5\n",
        "a;b\n1;2\n",
        "\n\n\"a\";b\n1;2\n",
        "x,1\nx,2\n",
    ] {
        let is_named = TableStream::open(&Fixture::new("t.csv", contents).path, &default).unwrap().names().is_some();
        if is_named || read("t.csv", contents).unwrap().carried.is_empty() {
            agrees("t.csv", contents, &default);
        }
    }
    agrees("t.tsv", "x, y\tb\n1\t2\n", &default);
    agrees("t.txt", "a\tb\n1\t2\n", &default);
    agrees("t.tab", "1,2\n3,4\n", &default);
    agrees("t.csv", long(""), &default);
    agrees("t.csv", long("a,b,c\n"), &default);
    agrees("t.csv", long("1,2,3\n"), &TableOptions { header: Some(true), ..TableOptions::default() });
    agrees("t.csv", "1,2\n3,4\n", &TableOptions { header: Some(false), ..TableOptions::default() });
    agrees("t.csv", long("name,b,group\n"), &with_id_and_label("name", "3"));
    agrees("t.csv", "name,b\n p ,2\n\"q\n\",4\n", &with_id_and_label("name", "name"));
}

#[test]
fn arrays_are_read_the_same_way() {
    let default = TableOptions::default();
    let options = TableOptions { exclude: words(&["4:5"]), ..with_id_and_label("1", "c3") };
    let listed = TableOptions { columns: Some(words(&["5", "c2:c3"])), ..TableOptions::default() };
    for order in [npyz::Order::C, npyz::Order::Fortran] {
        let values = || (0..45).map(|x| f64::from(x) / 8.0);
        for options in [&default, &options, &listed] {
            agrees("t.npy", npy(&[9, 5], order, values()), options);
            agrees("t.npz", npz(&[("X", npy(&[9, 5], order, values()))]), options);
        }
        agrees("t.npy", npy(&[45], order, values()), &default);
        agrees("t.npy", npy(&[20_000, 2], order, 0..40_000i32), &default);
        agrees("t.npy", npy(&[3, 3], order, (1..10i64).map(|x| x << 54 | x)), &with_id_and_label("1", "2"));
    }
    let archive = npz(&[("a", npy(&[2, 2], npyz::Order::C, [1u8, 2, 3, 4])), ("b", vec![])]);
    agrees("t.npz", archive, &TableOptions { array: Some("a".into()), ..TableOptions::default() });
}

#[test]
fn every_type_of_element_is_read_in_either_byte_order() {
    for (kind, size) in [('b', 1), ('i', 1), ('i', 2), ('i', 4), ('i', 8), ('u', 1), ('u', 2), ('u', 4), ('u', 8)]
        .into_iter()
        .chain([('f', 2), ('f', 4), ('f', 8)])
    {
        for (sign, fortran) in [('<', "False"), ('>', "False"), ('<', "True"), ('>', "True")] {
            let header = header(&format!("'{sign}{kind}{size}'"), "(5, 2)").replace("False", fortran);
            // No exponent of these bytes is that of an infinity.
            let data: Vec<u8> = (0..10 * size as u8).map(|x| x.wrapping_mul(29) & 0x3b).collect();
            agrees("t.npy", raw(&header, &data), &TableOptions::default());
        }
    }
}

#[test]
fn features_are_found_by_name() {
    let fixture = Fixture::new("t.csv", "z,name,y,x\n1,p,2,3\n4,q,5,6\n");
    let rows =
        |features: &[&str], options: &TableOptions| blocks(&fixture.path, options, &words(features), 10).unwrap().rows;
    let default = TableOptions::default();
    assert_eq!(rows(&["x", "z"], &default), [[3.0, 1.0], [6.0, 4.0]]);
    assert_eq!(rows(&["y"], &default), [[2.0], [5.0]]);
    let exclude = words(&["name", "absent", "9", "3:1"]);
    assert_eq!(rows(&["z"], &TableOptions { exclude, ..TableOptions::default() }), [[1.0], [4.0]]);
    assert_eq!(rows(&["x", "z"], &with_id_and_label("name", "z")), [[3.0, 1.0], [6.0, 4.0]]);
    // By number a column is found only where it is listed.
    let message = error_in(&fixture, &default, &["x", "4", "w"]).to_string();
    assert!(message.ends_with("t.csv: has no column named 4, w, which the model needs, among z, name, y, x; rename them, or use columns to list them in the order of the model's features"), "{message}");
    let exclude = words(&["y:x"]);
    let error = error_in(&fixture, &TableOptions { exclude, ..TableOptions::default() }, &["z", "x"]);
    assert!(matches!(error, Error::Setting { name: "exclude", .. }), "{error}");
}

#[test]
fn features_are_the_listed_columns() {
    let fixture = Fixture::new("t.csv", "z,name,y,x\n1,p,2,3\n4,q,5,6\n");
    let listing = |columns: &[&str]| TableOptions { columns: Some(words(columns)), ..TableOptions::default() };
    let rows = blocks(&fixture.path, &listing(&["y:x", "1"]), &words(&["a", "b", "c"]), 1).unwrap().rows;
    assert_eq!(rows, [[2.0, 3.0, 1.0], [5.0, 6.0, 4.0]]);
    let message = error_in(&fixture, &listing(&["y:x"]), &["a", "b", "c"]).to_string();
    assert_eq!(
        message,
        "columns lists 2 columns (y, x), but the model has 3 features (a, b, c); list one column for each feature, in the order of the model"
    );
    assert!(matches!(error_in(&fixture, &listing(&["w"]), &["a"]), Error::NoSuchColumn { .. }));
    let error = error_in(&fixture, &listing(&["x:y"]), &["a", "b"]);
    assert!(matches!(error, Error::Setting { name: "columns", .. }), "{error}");
    let options = TableOptions { columns: Some(words(&["x"])), ..with_id_and_label("x", "z") };
    assert!(matches!(error_in(&fixture, &options, &["a"]), Error::Setting { name: "columns", .. }));
    assert!(matches!(error_in(&fixture, &with_id_and_label("x", "w"), &["z"]), Error::NoSuchColumn { .. }));
}

#[test]
fn features_without_names_are_taken_in_order() {
    let fixture = Fixture::new("t.csv", "p,1,2\nq,3,4\n");
    assert!(TableStream::open(&fixture.path, &TableOptions::default()).unwrap().names().is_none());
    let options = TableOptions { id_column: Some("1".into()), ..TableOptions::default() };
    let whole = blocks(&fixture.path, &options, &words(&["u", "v"]), 1).unwrap();
    assert_eq!(
        whole,
        Whole { rows: vec![vec![1.0, 2.0], vec![3.0, 4.0]], ids: Some(words(&["p", "q"])), labels: None }
    );
    let message = error_in(&fixture, &TableOptions::default(), &["u", "v"]).to_string();
    assert!(message.ends_with("t.csv: has 3 columns, but the model has 2 features (u, v); give the same features in the same order, or choose them with columns"), "{message}");
    let message = error_in(&fixture, &options, &["u"]).to_string();
    assert!(message.contains("has 2 columns next to those set aside, but the model has 1 feature (u);"), "{message}");
    let options = TableOptions { exclude: words(&["1"]), ..TableOptions::default() };
    assert_eq!(blocks(&fixture.path, &options, &words(&["u", "v"]), 1).unwrap().rows, [[1.0, 2.0], [3.0, 4.0]]);
}
