//! What was typed to compare graphs and dimensions.

use super::choice::word;
use super::settings::{OfGrid, Settings};
use super::{ENGINE, FILES, GRAPH, MODEL, PageArgs, TABLE, TableArgs};
use clap::Args;
use std::path::PathBuf;
use tangency::evidence::Judge;
use tangency::graph::EdgeNames;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct SelectArgs {
    #[command(flatten, next_help_heading = TABLE)]
    pub table: TableArgs,
    /// Features that belong together, as in `tangency fit`; may be repeated
    #[arg(long = "view", value_name = "NAME=COLUMNS", help_heading = TABLE)]
    pub views: Vec<String>,
    /// Numbers of neighbours to try: 4:14 (both ends included), 4:14:2, 5,9,12 [default: 4:14 if no other graph is given]
    #[arg(long, short = 'k', value_name = "RANGE", help_heading = GRAPH)]
    pub n_neighbors: Option<String>,
    /// Numbers of neighbours to try where an edge needs both points to list each other
    #[arg(long, value_name = "RANGE", help_heading = GRAPH)]
    pub mutual: Option<String>,
    /// Distances to try within which points are joined, in the units of the table: 0.5,1,2
    #[arg(long, value_name = "LIST", help_heading = GRAPH)]
    pub radius: Option<String>,
    /// Edge lists to try: CSV of two columns, row numbers from 0 or ids
    #[arg(long, num_args = 1.., value_name = "FILE", help_heading = GRAPH)]
    pub edges: Vec<PathBuf>,
    /// What the edge lists name [default: row numbers if all cells are whole numbers, ids otherwise]
    #[arg(long, value_parser = word::<EdgeNames>(), requires = "edges", help_heading = GRAPH)]
    pub edges_by: Option<EdgeNames>,
    /// Latent dimensions to try
    #[arg(long, short = 'd', value_name = "RANGE", default_value = "1:3", help_heading = MODEL)]
    pub n_components: String,
    /// What ranks them: the density of rows held out, or the bound [default: held-out where several graphs are compared]
    #[arg(long, value_parser = word::<Judge>(), default_value = "auto", hide_default_value = true, help_heading = MODEL)]
    pub by: Judge,
    /// Seeds of each fit, counted from --seed on
    #[arg(long, default_value_t = 5, help_heading = ENGINE)]
    pub seeds: usize,
    /// Fit every seed of hopeless candidates too
    #[arg(long, help_heading = ENGINE)]
    pub all: bool,
    #[command(flatten)]
    pub settings: Settings<OfGrid>,
    /// Where the table goes, one row a fit; FILE.partial beside it holds what is done until all is
    #[arg(long, default_value = "select.csv", value_name = "FILE", help_heading = FILES)]
    pub out: PathBuf,
    /// Where the figure goes, .svg, .png or .pdf [default: --out with .svg]
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub figure: Option<PathBuf>,
    #[command(flatten, next_help_heading = FILES)]
    pub page: PageArgs,
    /// Overwrite files, and start anew over what another command left unfinished
    #[arg(long, help_heading = FILES)]
    pub force: bool,
}
