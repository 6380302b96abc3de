//! What a user knows of the coordinates beyond the table: values that go with them, groups, labels.

use crate::error::{Error, Result};
use crate::message;
use crate::message::{Piece, Remedy, counted, given};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most groups that can be asked for.
pub const MOST_GROUPS: usize = 64;

/// What is known of the coordinates of rows: the structure within the manifold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Values that go with the coordinates.
    pub known: Option<KnownValues>,
    /// Groups of rows.
    pub groups: Option<GroupRequest>,
}

/// Where known values come from, which says what their names are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownKind {
    /// Coordinates of some rows, in the units of the user.
    #[default]
    Anchors,
    /// Columns such as dose, time or position.
    Covariates,
}

impl KnownKind {
    /// The name of the setting.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Anchors => "anchors",
            Self::Covariates => "covariates",
        }
    }
}

/// Values of some rows that are an affine function of the coordinates, up to noise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownValues {
    /// Which kind.
    pub kind: KnownKind,
    /// Names of the values.
    pub names: Vec<String>,
    /// Row by row, NaN where nothing is known. `[n·d_z]`
    pub values: Vec<f64>,
    /// Their standard deviations, NaN where these are to be learned. `[n·d_z]`
    pub deviations: Vec<f64>,
}

impl KnownValues {
    /// Values with deviations that are to be learned.
    pub fn new(kind: KnownKind, names: Vec<String>, values: Vec<f64>) -> Self {
        let deviations = vec![f64::NAN; values.len()];
        Self { kind, names, values, deviations }
    }

    fn restricted(&self, rows: &[usize]) -> Self {
        let width = self.names.len();
        let of = |all: &[f64]| rows.iter().flat_map(|&i| all[i * width..(i + 1) * width].iter().copied()).collect();
        Self { values: of(&self.values), deviations: of(&self.deviations), ..self.clone() }
    }

    fn check(&self, n: usize) -> Result<()> {
        let (width, setting) = (self.names.len(), self.kind.setting());
        let refused = |problem, remedy: &'static str| Err(Error::unfit(setting, problem, [Remedy::act(remedy)]));
        if width == 0 || self.values.len() != n * width || self.deviations.len() != n * width {
            return Err(Error::ShapeMismatch {
                what: setting.into(),
                expected: counted(n, "row"),
                found: counted(self.values.len() / width.max(1), "row"),
            });
        }
        for (f, name) in self.names.iter().enumerate() {
            let of_name = || message![Piece::Setting(setting), ": ", given(name), " "];
            let with = |rest: &str| {
                let mut problem = of_name();
                problem.0.push(rest.to_owned().into());
                problem
            };
            let column = || (0..n).map(|i| self.values[i * width + f]).filter(|value| !value.is_nan());
            if column().any(f64::is_infinite) {
                return refused(with("has an infinite value"), "correct it");
            }
            let first = column().next().unwrap_or(f64::NAN);
            if column().all(|value| value == first) {
                return refused(with("has fewer than two different values"), "give it for more rows, or leave it out");
            }
            let wrong = |&p: &usize| self.deviations[p] <= 0.0 || self.deviations[p].is_infinite();
            if (0..n).map(|i| i * width + f).any(|p| wrong(&p)) {
                return refused(with("has a standard deviation that is not positive"), "correct it");
            }
        }
        Ok(())
    }
}

/// How many groups, and which rows are known to be of which class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupRequest {
    /// Fewest groups.
    pub least: usize,
    /// Most groups; the bound chooses between.
    pub most: usize,
    /// Names of the classes, if some rows have labels; every class is one group or more.
    pub classes: Vec<String>,
    /// The class of each row, none where it is unknown. Empty without labels. `[n]`
    pub labels: Vec<Option<u32>>,
}

impl GroupRequest {
    /// Groups by the bound alone.
    pub fn between(least: usize, most: usize) -> Self {
        Self { least, most, ..Self::default() }
    }

    /// Classes of some rows as cells of a table have them, blank where unknown; `groups` as asked for, if so.
    pub fn of_labels(cells: &[String], groups: Option<(usize, usize)>) -> Self {
        let blank = |cell: &str| cell.trim().is_empty();
        let classes: BTreeSet<&str> = cells.iter().map(|cell| cell.trim()).filter(|cell| !blank(cell)).collect();
        let classes: Vec<String> = classes.into_iter().map(str::to_owned).collect();
        let number = |cell: &String| classes.binary_search_by(|class| class.as_str().cmp(cell.trim())).ok();
        let labels = cells.iter().map(|cell| number(cell).map(|class| class as u32)).collect();
        let (least, most) = groups.unwrap_or((classes.len(), classes.len()));
        Self { least, most, classes, labels }
    }

    fn check(&self, n: usize) -> Result<()> {
        let refused = |problem, remedy: &'static str| Err(Error::unfit("groups", problem, [Remedy::act(remedy)]));
        let asked = match self.least == self.most {
            true => self.least.to_string(),
            false => format!("{}:{}", self.least, self.most),
        };
        let said = |but: String| message![Piece::Setting("groups"), format!(" is {asked}, but {but}")];
        if self.least == 0 || self.least > self.most {
            return refused(said("a number from 1, or a range such as 1:8, is needed".into()), "give one");
        }
        if self.most > MOST_GROUPS {
            return refused(said(format!("there can be at most {MOST_GROUPS}")), "ask for fewer");
        }
        if self.most >= n {
            return refused(said(format!("there are {}", counted(n, "row"))), "ask for fewer");
        }
        if self.labels.is_empty() {
            return Ok(());
        }
        if self.labels.len() != n {
            return Err(Error::ShapeMismatch {
                what: "labels".into(),
                expected: counted(n, "row"),
                found: counted(self.labels.len(), "row"),
            });
        }
        if self.classes.is_empty() {
            let problem = message![Piece::Setting("labels"), " are all blank"];
            return Err(Error::unfit("labels", problem, [Remedy::act("give the class of some rows")]));
        }
        if self.classes.len() > self.most {
            let but = format!("the labels have {} classes", self.classes.len());
            return refused(said(but), "ask for at least as many");
        }
        Ok(())
    }

    fn restricted(&self, rows: &[usize]) -> Self {
        let labels = if self.labels.is_empty() { vec![] } else { rows.iter().map(|&i| self.labels[i]).collect() };
        Self { labels, ..self.clone() }
    }
}

impl Structure {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_none() && self.groups.is_none()
    }

    /// The setting that it came by.
    pub fn setting(&self) -> &'static str {
        match (&self.known, &self.groups) {
            (Some(known), _) => known.kind.setting(),
            (None, Some(groups)) if !groups.labels.is_empty() => "labels",
            _ => "groups",
        }
    }

    /// An error unless it goes with a table of so many rows.
    pub fn check(&self, n: usize) -> Result<()> {
        self.known.as_ref().map_or(Ok(()), |known| known.check(n))?;
        self.groups.as_ref().map_or(Ok(()), |groups| groups.check(n))
    }

    /// That of some of the rows.
    pub fn restricted(&self, rows: &[usize]) -> Self {
        Self {
            known: self.known.as_ref().map(|known| known.restricted(rows)),
            groups: self.groups.as_ref().map(|groups| groups.restricted(rows)),
        }
    }
}
