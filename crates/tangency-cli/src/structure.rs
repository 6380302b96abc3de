//! The structure within the manifold, from what was typed and the table.

use crate::args::StructureArgs;
use std::path::{Path, PathBuf};
use tangency::io::table::{Table, TableOptions, read_cells};
use tangency::message::{Remedy, shown};
use tangency::model::{GroupRequest, KnownValues, Structure};
use tangency::{Error, Result};
use tangency_report::command::flag;

/// How a table is read whose columns say something of the structure: these are no features, and they are carried.
pub fn with_columns(args: &StructureArgs, mut options: TableOptions) -> TableOptions {
    options.exclude.extend(args.covariates.iter().cloned());
    if let Some(show) = &mut options.show {
        show.extend(args.covariates.iter().cloned());
    }
    if args.labels.is_some() {
        options.label_column.clone_from(&args.labels);
    }
    options
}

/// The structure that was asked for; empty if none was.
pub fn structure(args: &StructureArgs, path: &Path, table: &Table) -> Result<Structure> {
    let n = table.values.nrows();
    let known = match &args.anchors {
        Some(file) => Some(KnownValues::of_cells(&read_cells(file)?, n, table.ids.as_deref())?),
        None if !args.covariates.is_empty() => {
            let columns = args.covariates.iter().map(|name| column(name, path, table)).collect::<Result<Vec<_>>>()?;
            Some(KnownValues::of_columns(columns)?)
        }
        None => None,
    };
    let range = args.groups.as_ref().map(|text| group_range(text)).transpose()?;
    let groups = match (&table.labels, range) {
        (Some(labels), range) if args.labels.is_some() => Some(GroupRequest::of_labels(labels, range)),
        (_, Some((least, most))) => Some(GroupRequest::between(least, most)),
        _ => None,
    };
    Ok(Structure { known, groups })
}

fn column<'t>(name: &'t str, path: &Path, table: &'t Table) -> Result<(&'t str, &'t [String])> {
    let found = table.carried.iter().find(|(other, _)| other == name);
    found.map(|(name, cells)| (name.as_str(), cells.as_slice())).ok_or_else(|| Error::NoSuchColumn {
        column: name.to_owned(),
        path: path.to_owned(),
        available: table.carried.iter().map(|(name, _)| name.clone()).collect(),
    })
}

fn group_range(text: &str) -> Result<(usize, usize)> {
    let number = |word: &str| word.trim().parse::<usize>().ok();
    let found = match text.split_once(':') {
        Some((least, most)) => number(least).zip(number(most)),
        None => number(text).map(|count| (count, count)),
    };
    found.ok_or_else(|| {
        let (value, but) = (format!("\"{}\"", shown(text)), "a number or a range is needed");
        Error::setting("groups", value, but, [Remedy::act("write it like 4 or 1:8")])
    })
}

/// What of it was typed, to be typed again.
pub fn typed_again(args: &StructureArgs, named: impl Fn(&PathBuf) -> String) -> Vec<String> {
    let anchors = args.anchors.iter().flat_map(|file| [flag("anchors"), named(file)]);
    let covariates = (!args.covariates.is_empty()).then(|| [flag("covariates"), args.covariates.join(",")]);
    let groups = args.groups.iter().flat_map(|range| [flag("groups"), range.clone()]);
    let labels = args.labels.iter().flat_map(|column| [flag("labels"), column.clone()]);
    anchors.chain(covariates.into_iter().flatten()).chain(groups).chain(labels).collect()
}
