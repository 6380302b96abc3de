//! Which columns of a table are the features of a model.

use std::path::Path;

use crate::error::{Error, Result};
use crate::io::table::select::Columns;
use crate::io::table::{TableOptions, numbered_names, refuse};
use crate::message;
use crate::message::{Piece, Remedy, counted, given, listed};

/// What a column is read for.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::io::table) enum Use {
    /// With the feature's number from 0.
    Feature(usize),
    Id,
    Label,
}

/// The columns to be read.
pub(super) struct Wanted {
    /// Columns, from 0, and what they are for: the features in their order, then id and label.
    pub(super) uses: Vec<(usize, Use)>,
    /// The features by their names in the table.
    pub(super) names: Vec<String>,
    /// Whether cells of features may be missing.
    pub(super) gaps: bool,
}

impl Wanted {
    /// Finds the model's features among the columns of a table, which may or may not have names.
    pub(super) fn choose(
        path: &Path,
        names: Option<&[String]>,
        width: usize,
        options: &TableOptions,
        features: &[String],
    ) -> Result<Self> {
        if features.is_empty() {
            return Err(refuse(path, "none of its columns is asked for", "choose at least one"));
        }
        let numbered = if names.is_none() { numbered_names(width) } else { Vec::new() };
        let names_or_numbers = names.unwrap_or(&numbered);
        let columns = Columns::new(path, names_or_numbers);
        let (id, label) = columns.id_and_label(options)?;
        let excluded = excluded(&columns, width, options);
        let chosen = match &options.columns {
            Some(listed) => {
                let chosen = columns.listed(listed, &excluded, id, label)?;
                check_list(&chosen, names_or_numbers, features)?;
                chosen
            }
            None if names.is_some() => by_name(path, &columns, names_or_numbers, &excluded, features)?,
            None => {
                let is_free = |&column: &usize| !excluded[column] && Some(column) != id && Some(column) != label;
                by_place(path, (0..width).filter(is_free).collect(), width, features)?
            }
        };
        let names = chosen.iter().map(|&column| names_or_numbers[column].clone()).collect();
        let mut uses: Vec<_> = chosen.into_iter().zip((0..).map(Use::Feature)).collect();
        uses.extend(id.map(|column| (column, Use::Id)));
        uses.extend(label.map(|column| (column, Use::Label)));
        Ok(Self { uses, names, gaps: options.gaps })
    }
}

/// Which columns are excluded. The list was given for the table of the fit, so what is not in this one does no harm.
fn excluded(columns: &Columns, width: usize, options: &TableOptions) -> Vec<bool> {
    let mut excluded = vec![false; width];
    for wanted in &options.exclude {
        if let Ok(range) = columns.range("exclude", wanted) {
            range.for_each(|column| excluded[column] = true);
        }
    }
    excluded
}

fn check_list(chosen: &[usize], names: &[String], features: &[String]) -> Result<()> {
    if chosen.len() == features.len() {
        return Ok(());
    }
    let found: Vec<String> = chosen.iter().map(|&column| names[column].clone()).collect();
    let problem = format!(
        " lists {} ({}), but the model has {} ({})",
        counted(found.len(), "column"),
        listed(&found),
        counted(features.len(), "feature"),
        listed(features)
    );
    Err(Error::Setting {
        name: "columns",
        problem: message![Piece::Setting("columns"), problem],
        remedies: vec![Remedy::act("list one column for each feature, in the order of the model")],
    })
}

fn by_name(
    path: &Path,
    columns: &Columns,
    names: &[String],
    excluded: &[bool],
    features: &[String],
) -> Result<Vec<usize>> {
    let found: Vec<Option<usize>> = features.iter().map(|feature| columns.by_name(feature)).collect();
    let missing: Vec<String> =
        features.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(feature, _)| feature.clone()).collect();
    if !missing.is_empty() {
        return Err(refuse(
            path,
            format!("has no column named {}, which the model needs, among {}", listed(&missing), listed(names)),
            message![
                "rename them, or use ",
                Piece::Setting("columns"),
                " to list them in the order of the model's features"
            ],
        ));
    }
    let found: Vec<usize> = found.into_iter().flatten().collect();
    match found.iter().find(|&&column| excluded[column]) {
        None => Ok(found),
        Some(&column) => Err(Error::Setting {
            name: "exclude",
            problem: message![
                Piece::Setting("exclude"),
                " names ",
                given(&names[column]),
                ", which is one of the model's features"
            ],
            remedies: vec![Remedy::Do(message!["leave it out of ", Piece::Setting("exclude")])],
        }),
    }
}

fn by_place(path: &Path, free: Vec<usize>, width: usize, features: &[String]) -> Result<Vec<usize>> {
    if free.len() == features.len() {
        return Ok(free);
    }
    // a model of a table without names either, some columns of which were no features
    let number = |feature: &String| feature.strip_prefix('c')?.parse::<usize>().ok()?.checked_sub(1);
    let numbered: Option<Vec<usize>> = features.iter().map(number).collect();
    if let Some(chosen) = numbered.filter(|chosen| chosen.iter().all(|column| free.contains(column))) {
        return Ok(chosen);
    }
    let aside = if free.len() == width { "" } else { " next to those set aside" };
    Err(refuse(
        path,
        format!(
            "has {}{aside}, but the model has {} ({})",
            counted(free.len(), "column"),
            counted(features.len(), "feature"),
            listed(features)
        ),
        message!["give the same features in the same order, or choose them with ", Piece::Setting("columns")],
    ))
}
