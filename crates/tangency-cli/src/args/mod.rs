//! What was typed.

mod choice;
mod compare;
mod extend;
mod fit;
mod plot;
mod prune;
mod report;
mod select;
mod settings;
mod structure;
mod table;
#[cfg(test)]
mod tests;

pub use compare::CompareArgs;
pub use extend::{ChoiceArgs, LoadingsArgs, ReadingArgs, ReconstructArgs, SampleArgs, TransformArgs};

pub use fit::{FitArgs, StartArgs};
pub use plot::{PlotArgs, PlotKind};
pub use prune::{EdgesArgs, PruneArgs, PruningArgs};
pub use report::{PageArgs, ReportArgs};
pub use select::SelectArgs;
pub use structure::StructureArgs;
pub use table::{EdgeListArgs, TableArgs, header};

use choice::word;
use clap::{Args, Parser, Subcommand};
use settings::{OfDemo, Settings};
use std::path::PathBuf;
use tangency::Shape;

/// Headings of the help.
const TABLE: &str = "Table";
const STRUCTURE: &str = "Structure within the manifold";
const GRAPH: &str = "Graph";
const MODEL: &str = "Model";
const ENGINE: &str = "Engine";
const FILES: &str = "Files";

/// Bayesian manifold learning: a few coordinates that explain many measurements, how sure each is, and the evidence for
/// the neighbourhood graph and the dimension.
#[derive(Parser)]
#[command(name = "tangency", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(long, global = true)]
    pub threads: Option<usize>,
    /// Say nothing but warnings and errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Also show the hyper-parameters
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print the result as JSON, for machines
    #[arg(long, global = true)]
    pub json: bool,
    /// End with exit code 3 if there was a warning
    #[arg(long, global = true)]
    pub strict: bool,
    /// In CSV files, write ' before texts that a spreadsheet program would take for a formula
    #[arg(long, global = true)]
    pub safe_csv: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make a Swiss roll, unroll it, and draw both with the uncertainty of every point
    Demo(DemoArgs),
    /// Fit a table: CSV, TSV, a spreadsheet, .npy, .npz, Parquet or Arrow
    Fit(Box<FitArgs>),
    /// Compare graphs and dimensions by the bound: fits a grid, names the best, writes a table and a figure
    Select(Box<SelectArgs>),
    /// Run the well-known methods beside ours on one table: a table of measures and a figure of all embeddings
    Compare(Box<CompareArgs>),
    /// Score the edges of a model, the most suspect first, and test single ones by the bound
    Edges(EdgesArgs),
    /// Find short-circuits: remove the edges that the bound speaks against (TABLE may be a table or a fitted model)
    Prune(Box<PruneArgs>),
    /// Place new rows in a fitted model: coordinates, their uncertainty, and how surprising each row is
    Transform(TransformArgs),
    /// Observations from coordinates, with predictive standard deviations
    Reconstruct(ReconstructArgs),
    /// Draw new coordinates and observations from a fitted model
    Sample(SampleArgs),
    /// Which features change along each latent direction
    Loadings(LoadingsArgs),
    /// Draw a figure of a model for a paper or a talk: SVG, PNG or PDF
    Plot(Box<PlotArgs>),
    /// Make one HTML page of a model that shows its map, its graph and its evidence, and needs no network
    Report(ReportArgs),
    /// Show what a model file holds
    Info(InfoArgs),
    /// Draw points from a known manifold
    Generate(GenerateArgs),
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct DemoArgs {
    /// Folder for the files
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Number of points
    #[arg(long, default_value_t = 400)]
    pub n: usize,
    /// Seed of the roll and of the fit
    #[arg(long, default_value_t = 2)]
    pub seed: u64,
    #[command(flatten)]
    pub settings: Settings<OfDemo>,
    /// Do not open the report in a browser, which happens only on a terminal
    #[arg(long)]
    pub no_open: bool,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct InfoArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// Credible interval of the distance between two points, by id or row number, as `i,j`; needs a model with
    /// --full-covariance
    #[arg(long, value_name = "I,J")]
    pub distance: Vec<String>,
    /// Level of that interval
    #[arg(long, default_value_t = 0.95)]
    pub level: f64,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct GenerateArgs {
    /// Which manifold
    #[arg(value_parser = word::<Shape>())]
    pub shape: Shape,
    /// Number of points
    #[arg(long, default_value_t = 400)]
    pub n: usize,
    /// Standard deviation of the noise on every observed coordinate
    #[arg(long, default_value_t = 0.0)]
    pub noise: f64,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where the table goes [default: standard output]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}
