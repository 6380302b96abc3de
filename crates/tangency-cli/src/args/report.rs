//! What was typed to see a model.

use super::ReadingArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ReportArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// A table of rows to be placed and shown too: .csv, .tsv, .npy, .npz or .parquet
    pub table: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The features are the pixels of an image of so many rows and columns: 16x16
    #[arg(long, value_name = "SIZE")]
    pub image: Option<String>,
    /// Heading of the page
    #[arg(long)]
    pub title: Option<String>,
    /// What the fitted table is called, for the command in the page that repeats the fit
    #[arg(long, value_name = "NAME")]
    pub fitted_table: Option<String>,
    /// Where the page goes
    #[arg(long, default_value = "report.html")]
    pub out: PathBuf,
    /// Open it in a browser
    #[arg(long)]
    pub open: bool,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}

/// A page beside what a command writes.
#[derive(Args)]
pub struct PageArgs {
    /// Also make the HTML page of the model
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// In it, the features are the pixels of an image of so many rows and columns: 16x16
    #[arg(long, value_name = "SIZE", requires = "report")]
    pub image: Option<String>,
}
