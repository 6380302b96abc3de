//! What was typed to see methods side by side.

use super::settings::{ComparedSettings, Settings};
use super::{EdgeListArgs, FILES, GRAPH, PageArgs, TABLE, TableArgs};
use clap::Args;
use std::path::PathBuf;
use tangency::compare::Entrant;

const METHODS: &str = "Methods";

fn methods() -> String {
    let names: Vec<String> = Entrant::all().map(|entrant| entrant.to_string()).collect();
    format!("Methods to run: all, or a list of {}", names.join(", "))
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct CompareArgs {
    #[command(flatten, next_help_heading = TABLE)]
    pub table: TableArgs,
    /// Features that belong together, as in `tangency fit`; may be repeated
    #[arg(long = "view", value_name = "NAME=COLUMNS", help_heading = TABLE)]
    pub views: Vec<String>,
    /// Columns with known coordinates of the samples, against which embeddings are measured; never features
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS", help_heading = TABLE)]
    pub truth: Vec<String>,
    #[arg(long, help = methods(), value_delimiter = ',', default_value = "all", value_name = "LIST", help_heading = METHODS)]
    pub methods: Vec<String>,
    #[command(flatten)]
    pub settings: Settings<ComparedSettings>,
    #[command(flatten, next_help_heading = GRAPH)]
    pub graph: EdgeListArgs,
    /// Share of the local variance that LLE adds to its systems
    #[arg(long, default_value_t = 1e-3, value_name = "SHARE", help_heading = METHODS)]
    pub regularization: f64,
    /// Inducing points of the Bayesian GP-LVM
    #[arg(long, default_value_t = 30, value_name = "COUNT", help_heading = METHODS)]
    pub n_inducing: usize,
    /// Where the table of methods goes, as CSV
    #[arg(long, default_value = "compare.csv", value_name = "FILE", help_heading = FILES)]
    pub out: PathBuf,
    /// Where the figure goes, .svg, .png or .pdf [default: --out with .svg]
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub figure: Option<PathBuf>,
    /// All coordinates as CSV: id, method, x1 …
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub embeddings: Option<PathBuf>,
    #[command(flatten, next_help_heading = FILES)]
    pub page: PageArgs,
    /// Overwrite files
    #[arg(long, help_heading = FILES)]
    pub force: bool,
}
