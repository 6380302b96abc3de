//! What was typed.

/// A choice on the command line that stands for one of the library's.
macro_rules! choice {
    ($name:ident => $target:path { $($variant:ident),+ }) => {
        #[derive(Clone, Copy, ValueEnum)]
        pub enum $name { $($variant),+ }
        impl From<$name> for $target {
            fn from(choice: $name) -> Self {
                match choice { $($name::$variant => <$target>::$variant),+ }
            }
        }
    };
}

mod compare;
mod extend;
mod plot;
mod report;

pub use compare::CompareArgs;
pub use extend::{ChoiceArgs, LoadingsArgs, ReadingArgs, ReconstructArgs, SampleArgs, TransformArgs};

pub use plot::{PlotArgs, PlotKind};
pub use report::{PageArgs, ReportArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    /// Say nothing but errors
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Print the result as JSON, for machines
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Make a Swiss roll, unroll it, and draw both with the uncertainty of every point
    Demo(DemoArgs),
    /// Fit a table: CSV, TSV, .npy, .npz or Parquet
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
    /// Tell what a model file holds
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
    pub scale: ScaleArgs,
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
    pub shape: ShapeArg,
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

/// Where the table is and which of its columns mean what.
#[derive(Args)]
pub struct TableArgs {
    /// The table: .csv, .tsv, .npy, .npz or .parquet, one sample a row
    pub table: PathBuf,
    /// Column that names the samples
    #[arg(long)]
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
    /// The first row of a CSV or TSV is a header [default: found out]
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first row of a CSV or TSV is data
    #[arg(long)]
    pub no_header: bool,
    /// Which array of an .npz
    #[arg(long)]
    pub array: Option<String>,
}

/// The neighbourhood graph.
#[derive(Args)]
pub struct GraphArgs {
    /// Neighbours of each point [default: 9]
    #[arg(long, short = 'k', conflicts_with_all = ["radius", "edges"])]
    pub n_neighbors: Option<usize>,
    /// An edge if either point lists the other, or only if both do
    #[arg(long, value_enum, conflicts_with_all = ["radius", "edges"])]
    pub symmetry: Option<SymmetryArg>,
    /// Join points within this distance instead, in the units of the table
    #[arg(long, conflicts_with = "edges")]
    pub radius: Option<f64>,
    /// Join these pairs instead: a CSV of two columns, row numbers from 0 or ids
    #[arg(long)]
    pub edges: Option<PathBuf>,
    /// What the edge list names [default: row numbers if all cells are whole numbers, ids otherwise]
    #[arg(long, value_enum, requires = "edges")]
    pub edges_by: Option<EdgeNamesArg>,
    /// Join the pieces of a broken graph by the shortest bridges
    #[arg(long)]
    pub connect: bool,
    /// Keep only the largest piece of a broken graph
    #[arg(long)]
    pub largest: bool,
}

/// The model and how it is fitted.
#[derive(Args)]
pub struct ModelArgs {
    /// Latent dimension [default: 2]
    #[arg(long, short = 'd')]
    pub n_components: Option<usize>,
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Start from these coordinates, n × n_components (.npy or .csv)
    #[arg(long, conflicts_with_all = ["init", "init_maps"])]
    pub init_coordinates: Option<PathBuf>,
    /// Start from these maps with covariance I: d_y × n·n_components, column i·n_components + a is column a of C_i (.npy)
    #[arg(long, conflicts_with = "init")]
    pub init_maps: Option<PathBuf>,
    /// Keep how all coordinates vary together in the model, for distances and samples: (n·d)² numbers
    #[arg(long)]
    pub full_covariance: bool,
}

/// What of a model means the same in every dimension and on every graph.
#[derive(Args)]
pub struct LearningArgs {
    /// Settings to begin from: our defaults, or those of the paper's authors
    #[arg(long, value_enum, default_value_t = PresetArg::Default)]
    pub preset: PresetArg,
    /// How features are scaled after centring
    #[arg(long, value_enum)]
    pub scaling: Option<ScalingArg>,
    /// Where a run starts; `coarse` is for many points
    #[arg(long, value_enum)]
    pub init: Option<InitArg>,
    /// Random starts; the best bound is kept [default: 1]
    #[arg(long)]
    pub n_init: Option<usize>,
    /// Most iterations of a run [default: 500]
    #[arg(long)]
    pub max_iter: Option<usize>,
    /// End when an iteration gains less than this many nats a point; 0 never does [default: 1e-4]
    #[arg(long)]
    pub tol: Option<f64>,
    /// Seed of everything random [default: 0]
    #[arg(long)]
    pub seed: Option<u64>,
    /// The small constant of the paper's priors [default: 1e-3]
    #[arg(long)]
    pub epsilon: Option<f64>,
    /// First noise precision [default: 1]
    #[arg(long)]
    pub gamma0: Option<f64>,
    /// α of the first update of the coordinates [default: 1e-3; authors: 1]
    #[arg(long)]
    pub alpha0: Option<f64>,
    /// α after it: a number, or `learned`
    #[arg(long, value_parser = rule)]
    pub alpha: Option<tangency::Rule>,
    /// Smoothness of the maps: a number, or `learned`
    #[arg(long, value_parser = rule)]
    pub lambda: Option<tangency::Rule>,
    /// Magnitude of the maps: a number, or `learned`; 0 is the paper's prior
    #[arg(long, value_parser = rule)]
    pub nu: Option<tangency::Rule>,
    /// No joint rescaling and no extrapolation
    #[arg(long)]
    pub no_acceleration: bool,
    #[command(flatten)]
    pub scale: ScaleArgs,
}

/// What lets a fit be large.
#[derive(Args)]
pub struct ScaleArgs {
    /// One Gaussian over all points, or independent points for many of them [default: auto, exact where it is quick]
    #[arg(long, value_enum)]
    pub engine: Option<EngineArg>,
    /// Steps along the graph within which the factorised engine looks for resistances; 0 for the whole graph [default: 2]
    #[arg(long, value_name = "STEPS")]
    pub ball_radius: Option<usize>,
    /// Draws from which the factorised engine estimates deviations; 0 for conditional ones, which are too small [default:
    /// by the number of points]
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<usize>,
    /// What --tol is for runs that begin from a coarser graph [default: 1e-2]
    #[arg(long, value_name = "TOL")]
    pub coarse_tol: Option<f64>,
    /// Fit along the principal axes that hold this share of the variance, for many features [default: all features]
    #[arg(long, value_name = "SHARE")]
    pub pca: Option<f64>,
    /// How nearest neighbours are searched: all of them, or nearly all and quickly [default: auto, by size]
    #[arg(long, value_enum)]
    pub neighbor_search: Option<NeighborSearchArg>,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct FitArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub graph: GraphArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Where the model goes
    #[arg(long, default_value = "model.safetensors")]
    pub out: PathBuf,
    /// Coordinates and their standard deviations as CSV
    #[arg(long)]
    pub embedding: Option<PathBuf>,
    /// The bound and the hyper-parameters of every iteration as CSV
    #[arg(long)]
    pub trace: Option<PathBuf>,
    /// Then remove short-circuits, as `tangency prune --apply` does
    #[arg(long)]
    pub prune: bool,
    #[command(flatten)]
    pub pruning: PruningArgs,
    #[command(flatten)]
    pub page: PageArgs,
    /// Then fit again without one part of the rows in turn, so that novelty and predictive intervals are those of rows that
    /// a fit has not seen; 10 parts if no number is given
    #[arg(long, value_name = "PARTS", num_args = 0..=1, default_missing_value = "10")]
    pub calibrate: Option<usize>,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
}

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
    #[arg(long, value_name = "FILE")]
    pub out_edges: Option<PathBuf>,
    /// The edges that were removed, with their scores, as CSV
    #[arg(long, value_name = "FILE")]
    pub removed: Option<PathBuf>,
}

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct PruneArgs {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub graph: GraphArgs,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Write the result; without it the plan is shown and nothing is written
    #[arg(long)]
    pub apply: bool,
    #[command(flatten)]
    pub pruning: PruningArgs,
    /// Where the model on the graph that is left goes [default: pruned.safetensors]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Its coordinates and their standard deviations as CSV
    #[arg(long, value_name = "FILE")]
    pub embedding: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    /// Overwrite files
    #[arg(long)]
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

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct SelectArgs {
    #[command(flatten)]
    pub table: TableArgs,
    /// Numbers of neighbours to try: 4:14 (both ends included), 4:14:2, 5,9,12 [default: 4:14 if no other graph is given]
    #[arg(long, short = 'k', value_name = "RANGE")]
    pub n_neighbors: Option<String>,
    /// Numbers of neighbours to try where an edge needs both points to list each other
    #[arg(long, value_name = "RANGE")]
    pub mutual: Option<String>,
    /// Distances to try within which points are joined, in the units of the table: 0.5,1,2
    #[arg(long, value_name = "LIST")]
    pub radius: Option<String>,
    /// Edge lists to try: CSV of two columns, row numbers from 0 or ids
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub edges: Vec<PathBuf>,
    /// What the edge lists name [default: row numbers if all cells are whole numbers, ids otherwise]
    #[arg(long, value_enum, requires = "edges")]
    pub edges_by: Option<EdgeNamesArg>,
    /// Join the pieces of broken graphs by the shortest bridges and fit them too
    #[arg(long)]
    pub connect: bool,
    /// Latent dimensions to try
    #[arg(long, short = 'd', value_name = "RANGE", default_value = "1:3")]
    pub n_components: String,
    /// Seeds of each fit, counted from --seed on
    #[arg(long, default_value_t = 5)]
    pub seeds: usize,
    /// Fit every seed of hopeless candidates too
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub learning: LearningArgs,
    /// Where the table goes, one row a fit; FILE.partial beside it holds what is done until all is
    #[arg(long, default_value = "select.csv", value_name = "FILE")]
    pub out: PathBuf,
    /// Where the figure goes, .svg, .png or .pdf [default: --out with .svg]
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageArgs,
    /// Overwrite files, and start anew over what another command left unfinished
    #[arg(long)]
    pub force: bool,
}

/// What two flags say of the first row.
pub fn header(header: bool, no_header: bool) -> Option<bool> {
    match (header, no_header) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn rule(text: &str) -> Result<tangency::Rule, String> {
    match text {
        "learned" => Ok(tangency::Rule::Learned),
        number => number.parse().map(tangency::Rule::Fixed).map_err(|_| "give a number, or `learned`".to_owned()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum PresetArg {
    Default,
    Authors,
}

choice!(SymmetryArg => tangency::Symmetry { Or, Mutual });
choice!(EdgeNamesArg => tangency::graph::EdgeNames { Index, Id });
choice!(ScalingArg => tangency::ScalingRule { MaxAbs, None, PerFeature });
choice!(InitArg => tangency::Init { Auto, Random, Pca, Mds, Spectral, Isomap, LandmarkIsomap, Lle, Ltsa, LaplacianEigenmaps, Gplvm, BayesianGplvm, Coarse });
choice!(EngineArg => tangency::inference::EngineKind { Auto, Exact, Factorised });
choice!(NeighborSearchArg => tangency::graph::NeighborSearch { Auto, Exact, Approximate });
choice!(ShapeArg => tangency::Shape { SwissRoll, SCurve, PuncturedSphere, TwinPeaks, Helix });
