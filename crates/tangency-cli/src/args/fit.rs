//! What was typed to fit a table.

use super::settings::{All, Settings};
use super::{
    ENGINE, EdgeListArgs, FILES, GRAPH, MODEL, PageArgs, PruningArgs, STRUCTURE, StructureArgs, TABLE, TableArgs,
};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct FitArgs {
    #[command(flatten, next_help_heading = TABLE)]
    pub table: TableArgs,
    /// Features that belong together, as name=columns, written as in --columns; may be repeated. Each view has a noise of its
    /// own; the other features share one
    #[arg(long = "view", value_name = "NAME=COLUMNS", help_heading = TABLE)]
    pub views: Vec<String>,
    #[command(flatten, next_help_heading = STRUCTURE)]
    pub structure: StructureArgs,
    #[command(flatten)]
    pub settings: Settings<All>,
    #[command(flatten, next_help_heading = GRAPH)]
    pub graph: EdgeListArgs,
    #[command(flatten, next_help_heading = ENGINE)]
    pub start: StartArgs,
    /// Where the model goes [default: the name of the table with .safetensors, in this folder]
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub out: Option<PathBuf>,
    /// Coordinates and their standard deviations as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub embedding: Option<PathBuf>,
    /// The bound and the hyper-parameters of every iteration as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub trace: Option<PathBuf>,
    /// Then remove short-circuits, as `tangency prune --apply` does
    #[arg(long, help_heading = GRAPH)]
    pub prune: bool,
    #[command(flatten, next_help_heading = GRAPH)]
    pub pruning: PruningArgs,
    #[command(flatten, next_help_heading = FILES)]
    pub page: PageArgs,
    /// Then fit again without one part of the rows in turn, so that novelty and predictive intervals are those of rows that
    /// a fit has not seen; 10 parts if no number is given
    #[arg(long, value_name = "PARTS", help_heading = MODEL, num_args = 0..=1, default_missing_value = "10")]
    pub calibrate: Option<usize>,
    /// Overwrite files
    #[arg(long, help_heading = FILES)]
    pub force: bool,
}

/// A start from a file.
#[derive(Args)]
pub struct StartArgs {
    /// Start from these coordinates, n × n_components (.npy or .csv)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["init", "init_maps"])]
    pub init_coordinates: Option<PathBuf>,
    /// Start from these maps with covariance I: d_y × n·n_components, column i·n_components + a is column a of C_i (.npy)
    #[arg(long, value_name = "FILE", conflicts_with = "init")]
    pub init_maps: Option<PathBuf>,
}
