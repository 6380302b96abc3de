//! What was typed of the structure within the manifold.

use clap::Args;
use std::path::PathBuf;

/// What is known of the coordinates beyond the features.
#[derive(Args, Default)]
pub struct StructureArgs {
    /// Coordinates of some rows in units of your own, a CSV: id (or row from 0), the coordinates, and columns sd, sd1, … with
    /// their standard deviations where you know them. All rows then come out in these units
    #[arg(long, value_name = "FILE", conflicts_with = "covariates")]
    pub anchors: Option<PathBuf>,
    /// Columns that go with the coordinates, such as a dose, a time or a position, by name; a cell is blank where it is unknown.
    /// They are not features
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub covariates: Vec<String>,
    /// Groups of rows within the map: a number, or a range such as 1:8 from which the bound chooses
    #[arg(long, value_name = "NUMBER")]
    pub groups: Option<String>,
    /// Column with the class of some rows, blank where it is unknown: the others get a probability for each class
    #[arg(long, value_name = "COLUMN", conflicts_with = "label_column")]
    pub labels: Option<String>,
}

impl StructureArgs {
    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.anchors.is_none() && self.covariates.is_empty() && self.groups.is_none() && self.labels.is_none()
    }
}
