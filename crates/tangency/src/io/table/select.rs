//! Which column of a table is what.

use std::collections::HashMap;
use std::path::Path;

use super::{Source, TableOptions, refuse};
use crate::error::{Error, Result};
use crate::message;
use crate::message::{Piece, Remedy, given, listed};
use crate::model::{TableView, check_views};

/// Column numbers, from 0, by what they are used for.
pub(super) struct Roles {
    pub(super) features: Vec<usize>,
    pub(super) id: Option<usize>,
    pub(super) label: Option<usize>,
    pub(super) carried: Vec<usize>,
    /// Those to be carried in place of all that are nothing else.
    pub(super) shown: Option<Vec<usize>>,
}

impl Roles {
    pub(super) fn assign(path: &Path, source: &dyn Source, options: &TableOptions) -> Result<Self> {
        let columns = Columns::new(path, source.names());
        let (id, label) = columns.id_and_label(options)?;
        let mut excluded = vec![false; columns.names.len()];
        for wanted in &options.exclude {
            columns.range("exclude", wanted)?.for_each(|column| excluded[column] = true);
        }
        let is_free = |column: usize| !excluded[column] && Some(column) != id && Some(column) != label;
        let features: Vec<usize> = match &options.columns {
            Some(wanted) => columns.listed(wanted, &excluded, id, label)?,
            None => (0..columns.names.len()).filter(|&column| is_free(column) && source.is_feature(column)).collect(),
        };
        if features.is_empty() {
            return Err(refuse(
                path,
                format!("no numeric column is left to be a feature among its columns {}", listed(columns.names)),
                message![
                    "check that cells are separated by commas, semicolons or tabs, that decimals are written with a point, and what ",
                    Piece::Setting("columns"),
                    " and ",
                    Piece::Setting("exclude"),
                    " name"
                ],
            ));
        }
        let mut is_feature = vec![false; columns.names.len()];
        features.iter().for_each(|&column| is_feature[column] = true);
        let carried = (0..columns.names.len())
            .filter(|&column| !is_feature[column] && Some(column) != id && Some(column) != label)
            .collect();
        let shown = options.show.as_ref().map(|wanted| columns.shown(wanted)).transpose()?;
        Ok(Self { features, id, label, carried, shown })
    }
}

/// The columns of a table, by which users name them.
pub(super) struct Columns<'a> {
    path: &'a Path,
    names: &'a [String],
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(path: &'a Path, names: &'a [String]) -> Self {
        let by_name = names.iter().enumerate().map(|(column, name)| (name.as_str(), column)).collect();
        Self { path, names, by_name }
    }

    pub(super) fn id_and_label(&self, options: &TableOptions) -> Result<(Option<usize>, Option<usize>)> {
        let one = |wanted: &Option<String>| wanted.as_deref().map(|wanted| self.one(wanted)).transpose();
        Ok((one(&options.id_column)?, one(&options.label_column)?))
    }

    /// The columns that are listed, each once and in its order, without the excluded.
    pub(super) fn listed(
        &self,
        wanted: &[String],
        excluded: &[bool],
        id: Option<usize>,
        label: Option<usize>,
    ) -> Result<Vec<usize>> {
        let mut left_out = excluded.to_vec();
        let mut listed = Vec::new();
        for wanted in wanted {
            for column in self.range("columns", wanted)? {
                if !std::mem::replace(&mut left_out[column], true) {
                    listed.push(column);
                }
            }
        }
        for (role, column) in [("id", id), ("label", label)] {
            if let Some(column) = column.filter(|column| listed.contains(column)) {
                let name = "columns";
                return Err(Error::Setting {
                    name,
                    problem: message![
                        Piece::Setting(name),
                        " lists ",
                        given(&self.names[column]),
                        format!(", which is the {role} column")
                    ],
                    remedies: vec![Remedy::act("leave it out of one of the two")],
                });
            }
        }
        Ok(listed)
    }

    /// The columns that are to be shown, each once.
    fn shown(&self, wanted: &[String]) -> Result<Vec<usize>> {
        let mut shown = Vec::new();
        for wanted in wanted {
            let range = self.range("show", wanted)?;
            range.for_each(|column| {
                if !shown.contains(&column) {
                    shown.push(column)
                }
            });
        }
        Ok(shown)
    }

    /// Groups of features; columns among them that are none, as those that were left out, are left out here too.
    pub(super) fn views(&self, wanted: &[(String, Vec<String>)], features: &[usize]) -> Result<Vec<TableView>> {
        let view = |(name, wanted): &(String, Vec<String>)| {
            let mut of_view = Vec::new();
            for wanted in wanted {
                let columns = self.range("views", wanted)?;
                of_view.extend(columns.filter_map(|column| features.iter().position(|&feature| feature == column)));
            }
            of_view.sort_unstable();
            of_view.dedup();
            Ok(TableView { name: name.clone(), features: of_view })
        };
        let views = wanted.iter().map(view).collect::<Result<Vec<_>>>()?;
        check_views(&views, features.len())?;
        Ok(views)
    }

    pub(super) fn by_name(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn find(&self, wanted: &str) -> Option<usize> {
        let wanted = wanted.trim();
        let by_number = || wanted.parse().ok().filter(|number: &usize| (1..=self.names.len()).contains(number));
        self.by_name.get(wanted).copied().or_else(|| by_number().map(|number| number - 1))
    }

    fn one(&self, wanted: &str) -> Result<usize> {
        self.find(wanted).ok_or_else(|| Error::NoSuchColumn {
            column: wanted.to_owned(),
            path: self.path.to_owned(),
            available: self.names.to_vec(),
        })
    }

    /// The columns from one to another, or the only one.
    pub(super) fn range(&self, field: &'static str, wanted: &str) -> Result<std::ops::RangeInclusive<usize>> {
        if let Some(column) = self.find(wanted) {
            return Ok(column..=column);
        }
        // Names may hold colons themselves, so any colon may be the one that makes the range.
        let ends = |(at, _)| Some((self.find(&wanted[..at])?, self.find(&wanted[at + 1..])?));
        let Some((first, last)) = wanted.match_indices(':').find_map(ends) else {
            let (first, last) = wanted.split_once(':').unwrap_or((wanted, wanted));
            return self.one(first).and_then(|_| self.one(last)).map(|column| column..=column);
        };
        if first > last {
            return Err(Error::Setting {
                name: field,
                problem: message![
                    "the range ",
                    given(wanted),
                    " of ",
                    Piece::Setting(field),
                    " runs from right to left"
                ],
                remedies: vec![Remedy::act("swap its ends")],
            });
        }
        Ok(first..=last)
    }
}
