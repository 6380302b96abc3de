//! What the commands share that put a model to use: rows in, rows out, a block at a time.

use crate::args::{ReadingArgs, header};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tangency::extend::Extension;
use tangency::io::table::TableOptions;
use tangency::io::{Claims, ColumnKind, Model};
use tangency::message::{Remedy, counted, shown};
use tangency::model::MissingRule;
use tangency::{Error, Result};

static SAFE_CSV: AtomicBool = AtomicBool::new(false);

/// Has texts in CSV files be no formulas from now on.
pub fn write_safe_csv() {
    SAFE_CSV.store(true, Ordering::Relaxed);
}

/// The outputs of a command, none of which is one of its inputs.
pub fn claims<'a>(force: bool, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Claims {
    Claims::new(force, inputs).with_plain_texts(SAFE_CSV.load(Ordering::Relaxed))
}

/// The model prepared for new rows, with the number of neighbours that was asked for.
pub fn extension(model: &Model, n_neighbors: Option<usize>) -> Result<Extension> {
    let extension = Extension::new(&model.fit)?;
    match n_neighbors {
        Some(k) => extension.with_neighbors(k),
        None => Ok(extension),
    }
}

/// Rows and columns of pixels, typed as 16x16.
pub fn image_shape(text: &str) -> Result<(usize, usize)> {
    let number = |word: &str| word.parse::<usize>().ok().filter(|&count| count > 0);
    text.split_once(['x', 'X', '×']).and_then(|(rows, columns)| Some((number(rows)?, number(columns)?))).ok_or_else(
        || {
            let value = format!("\"{}\"", shown(text));
            let but = "rows and columns of pixels are needed";
            Error::setting("image", value, but, [Remedy::act("write it like 16x16")])
        },
    )
}

/// Columns of ours beside features, or columns named after them: where both have one name, ours gets an underscore.
pub fn beside_features(
    model: &Model,
    before: Vec<(String, ColumnKind)>,
    after: Vec<(String, ColumnKind)>,
) -> Vec<(String, ColumnKind)> {
    let features = &model.feature_names;
    let mut taken: HashSet<String> = features.iter().cloned().collect();
    let mut free = |(mut name, kind): (String, ColumnKind)| {
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        (name, kind)
    };
    let mut header: Vec<_> = before.into_iter().map(&mut free).collect();
    let after: Vec<_> = after.into_iter().map(free).collect();
    header.extend(features.iter().map(|name| (name.clone(), ColumnKind::Number)));
    header.extend(after);
    header
}

/// How new rows are read.
pub fn options(args: &ReadingArgs) -> TableOptions {
    TableOptions {
        header: header(args.header, args.no_header),
        id_column: args.id_column.clone(),
        label_column: args.label_column.clone(),
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
        array: args.array.clone(),
        sheet: args.sheet.clone(),
        ..TableOptions::default()
    }
}

/// Pixels that are not the features of the model.
pub fn other_image(rows: usize, columns: usize, features: usize) -> Error {
    let but = format!("the model has {}, one for each pixel", counted(features, "feature"));
    Error::setting("image", format!("{rows}x{columns}"), but, [Remedy::Change("image")])
}

/// The same for rows that a model is applied to, whose settings say whether entries may be missing.
pub fn options_of(model: &Model, args: &ReadingArgs) -> TableOptions {
    TableOptions { gaps: model.fit.config.missing != MissingRule::Error, ..options(args) }
}

/// The name of a file that is made from another and not named, in this folder: `new.csv.gz` gives `new-coordinates.csv`. What came
/// from standard input has no name.
pub fn beside(given: &Path, what: &str, extension: &str) -> PathBuf {
    let name = given.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    PathBuf::from(if matches!(stem, "" | "-") {
        format!("{what}.{extension}")
    } else {
        format!("{stem}-{what}.{extension}")
    })
}
