//! What was typed to put a model to use.

use super::choice::word;
use clap::Args;
use std::path::PathBuf;
use tangency::extend::Predicts;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct TransformArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// The table, one sample a row: .csv, .tsv (also as .gz or .zst), .npy, .npz, .parquet or a folder of these; - is text from standard input
    pub table: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Training points that each row is joined to [default: as in the fit]
    #[arg(long, short = 'k')]
    pub n_neighbors: Option<usize>,
    /// Also write the covariance, the neighbours and the local map of each row
    #[arg(long)]
    pub details: bool,
    /// Where the coordinates go: .csv, .tsv or .parquet [default: the name of the table with -coordinates.csv, in this folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}

/// How a table is read row by row.
#[derive(Args)]
pub struct ReadingArgs {
    /// The columns that are needed, in the model's order, by name or number from 1 in this table [default: those of the same
    /// names]
    #[arg(long, value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Column that names the rows
    #[arg(long, alias = "id")]
    pub id_column: Option<String>,
    /// Column with a label of each row, which goes to the output
    #[arg(long, alias = "label")]
    pub label_column: Option<String>,
    /// The first row of text or of a sheet is a header [default: found out]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first row of text or of a sheet is data
    #[arg(long)]
    pub no_header: bool,
    /// Which array of an .npz
    #[arg(long)]
    pub array: Option<String>,
    /// Which sheet of a spreadsheet [default: the first that has cells]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct ReconstructArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// Coordinates x1, x2, … to begin from, as `transform` and `fit --embedding` write them; with --view, rows of features
    #[arg(required_unless_present_any = ["leave_one_out", "grid", "missing"])]
    pub coordinates: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Reconstruct each training point from the others
    #[arg(long, conflicts_with_all = ["grid", "coordinates", "ReadingArgs"])]
    pub leave_one_out: bool,
    /// Write the entries that the table of the model lacked: what is expected, with standard deviations
    #[arg(long, conflicts_with_all = ["grid", "coordinates", "ReadingArgs", "leave_one_out", "predicts", "n_neighbors", "figure"])]
    pub missing: bool,
    /// Predict this view of rows that a table has other features of; the table need not have its columns
    #[arg(long, value_name = "NAME", requires = "coordinates", conflicts_with_all = ["grid", "leave_one_out", "missing", "predicts", "figure"])]
    pub view: Option<String>,
    /// Reconstruct a grid over the latent space: 20x20
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["coordinates", "ReadingArgs"])]
    pub grid: Option<String>,
    /// What the standard deviations are for [default: placed-row if the table has sd1, …, as `transform` writes it, otherwise
    /// measurement]
    #[arg(long, value_parser = word::<Predicts>())]
    pub predicts: Option<Predicts>,
    /// Training points that each reconstruction is the mean of [default: as in the fit]
    #[arg(long, short = 'k')]
    pub n_neighbors: Option<usize>,
    /// Draw the reconstructions as images, .svg or .png
    #[arg(long, requires = "image", value_name = "FILE")]
    pub figure: Option<PathBuf>,
    /// Rows and columns of pixels that the features are: 16x16
    #[arg(long, requires = "figure", value_name = "SIZE")]
    pub image: Option<String>,
    /// Where the observations go: .csv, .tsv or .parquet
    #[arg(long)]
    pub out: PathBuf,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct SampleArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// Number of samples
    #[arg(long, default_value_t = 100)]
    pub n: usize,
    /// Seed
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Where they go: .csv, .tsv or .parquet
    #[arg(long)]
    pub out: PathBuf,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct LoadingsArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// In the file, one line for each point and feature instead of the average
    #[arg(long, requires = "out")]
    pub each: bool,
    /// How many features to show for each direction
    #[arg(long, default_value_t = 10)]
    pub top: usize,
    /// Where the loadings go: .csv, .tsv or .parquet
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}

/// The points that loadings are averaged over.
#[derive(Args)]
pub struct ChoiceArgs {
    /// Only this point, by id or row number; may be repeated [default: all]
    #[arg(long, value_name = "ID")]
    pub point: Vec<String>,
    /// Only points with this label; may be repeated
    #[arg(long)]
    pub label: Vec<String>,
    /// Only points in this part of the latent space, as x1=-1:0.5; may be repeated, and all must hold
    #[arg(long, value_name = "x1=LOW:HIGH")]
    pub region: Vec<String>,
}
