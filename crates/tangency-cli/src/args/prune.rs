//! What was typed about the edges of a graph.

use super::settings::{All, Settings};
use super::{ENGINE, EdgeListArgs, FILES, GRAPH, PageArgs, StartArgs, TABLE, TableArgs};
use clap::Args;
use std::path::PathBuf;

/// Which edges go, and where they are written.
#[derive(Args)]
pub struct PruningArgs {
    /// Most edges to remove [default: a tenth of all]
    #[arg(long, value_name = "COUNT")]
    pub max_removed: Option<usize>,
    /// Least gain in nats for which an edge stays out, beyond what random good edges gain and the logarithm of the number of
    /// edges [default: 2]
    #[arg(long, value_name = "NATS")]
    pub min_gain: Option<f64>,
    /// The edges that are left, row numbers from 0, as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub out_edges: Option<PathBuf>,
    /// The edges that were removed, with their scores, as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub removed: Option<PathBuf>,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct PruneArgs {
    #[command(flatten, next_help_heading = TABLE)]
    pub table: TableArgs,
    #[command(flatten)]
    pub settings: Settings<All>,
    #[command(flatten, next_help_heading = GRAPH)]
    pub graph: EdgeListArgs,
    #[command(flatten, next_help_heading = ENGINE)]
    pub start: StartArgs,
    /// Write the result; without it the plan is shown and nothing is written
    #[arg(long, help_heading = FILES)]
    pub apply: bool,
    #[command(flatten, next_help_heading = GRAPH)]
    pub pruning: PruningArgs,
    /// Where the model on the graph that is left goes [default: pruned.safetensors]
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub out: Option<PathBuf>,
    /// Its coordinates and their standard deviations as CSV
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub embedding: Option<PathBuf>,
    #[command(flatten, next_help_heading = FILES)]
    pub page: PageArgs,
    /// Overwrite files
    #[arg(long, help_heading = FILES)]
    pub force: bool,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct EdgesArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// All edges with their scores as CSV
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    /// How many to show
    #[arg(long, default_value_t = 20)]
    pub top: usize,
    /// What the bound says of this edge: removed if it is there, added if not; points by id or row number; may be repeated
    #[arg(long, value_name = "I,J")]
    pub test: Vec<String>,
    /// Seeds of a test
    #[arg(long, default_value_t = 3)]
    pub seeds: usize,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
}
