//! What was typed of the table and of a graph beside it.

use super::choice::word;
use clap::Args;
use std::path::PathBuf;
use tangency::graph::EdgeNames;

/// Where the table is and which of its columns mean what.
#[derive(Args)]
pub struct TableArgs {
    /// The table, one sample per row: .csv, .tsv (also as .gz or .zst), .xlsx, .ods, .npy, .npz, .parquet or a folder of these, .arrow, .feather; - is text from standard input
    #[arg(help_heading = None::<&str>)]
    pub table: PathBuf,
    /// Column that names the samples
    #[arg(long, alias = "id")]
    pub id_column: Option<String>,
    /// Column with a label of each sample; never used for fitting
    #[arg(long, alias = "label")]
    pub label_column: Option<String>,
    /// Features, by name or number from 1: a comma-separated list, ranges as first:last [default: all numeric columns]
    #[arg(long, value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Columns that are not features, written in the same way
    #[arg(long, value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Columns to carry to the embedding and the page, written in the same way, or none [default: all that are no features]
    #[arg(long, value_delimiter = ',')]
    pub show: Vec<String>,
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

/// A neighbour graph from a file.
#[derive(Args)]
pub struct EdgeListArgs {
    /// Join these pairs instead of nearest neighbours: a CSV of two columns, row numbers from 0 or ids
    #[arg(long, value_name = "FILE", conflicts_with_all = ["n_neighbors", "symmetry", "radius"])]
    pub edges: Option<PathBuf>,
    /// What the edge list names [default: row numbers if all cells are whole numbers, ids otherwise]
    #[arg(long, value_parser = word::<EdgeNames>(), requires = "edges")]
    pub edges_by: Option<EdgeNames>,
}

/// What two flags say of the first row.
pub fn header(header: bool, no_header: bool) -> Option<bool> {
    match (header, no_header) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}
