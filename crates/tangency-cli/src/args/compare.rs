//! What was typed to see methods side by side.

use super::{GraphArgs, LearningArgs, PageArgs, TableArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct CompareArgs {
    #[command(flatten)]
    pub table: TableArgs,
    /// Columns with known coordinates of the samples, against which embeddings are measured; never features
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub truth: Vec<String>,
    /// Methods to run: `all`, or a list of ll-lvm, ll-lvm-pruned, pca, mds, isomap, lle, ltsa, laplacian-eigenmaps, gplvm,
    /// bayesian-gplvm
    #[arg(long, value_delimiter = ',', default_value = "all", value_name = "LIST")]
    pub methods: Vec<String>,
    #[command(flatten)]
    pub graph: GraphArgs,
    /// Dimension of the embeddings [default: 2]
    #[arg(long, short = 'd')]
    pub n_components: Option<usize>,
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Share of the local variance that LLE adds to its systems
    #[arg(long, default_value_t = 1e-3, value_name = "SHARE")]
    pub regularization: f64,
    /// Inducing points of the Bayesian GP-LVM
    #[arg(long, default_value_t = 30, value_name = "COUNT")]
    pub n_inducing: usize,
    /// Where the table of methods goes, as CSV
    #[arg(long, default_value = "compare.csv", value_name = "FILE")]
    pub out: PathBuf,
    /// Where the figure goes, .svg, .png or .pdf [default: --out with .svg]
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
    /// All coordinates as CSV: id, method, x1 …
    #[arg(long, value_name = "FILE")]
    pub embeddings: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
}
