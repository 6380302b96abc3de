//! What was typed to draw a model.

use super::ChoiceArgs;
use super::choice::word;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct PlotArgs {
    /// A model that `tangency fit` wrote
    pub model: PathBuf,
    /// What to draw
    #[arg(long, value_parser = word::<PlotKind>(), default_value = "map")]
    pub kind: PlotKind,
    /// Where the figure goes: .svg, .png or .pdf [default: the name of the model with what is drawn, as .svg in this folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Title above the figure [default: none]
    #[arg(long)]
    pub title: Option<String>,
    /// Width on paper, in millimetres; letters keep their size
    #[arg(long, value_name = "MM", default_value_t = 120.0)]
    pub width: f64,
    /// Pixels of a PNG to each 1/96 inch [default: 3]
    #[arg(long)]
    pub scale: Option<f64>,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
    /// Colour of the points: label, uncertainty, none, or the name of a feature [default: label if there is one]
    #[arg(long, visible_alias = "color", value_name = "WHAT", help_heading = "With --kind map")]
    pub colour: Option<String>,
    /// The three features to draw, by name or number from 1 [default: all, if there are three]
    #[arg(long, value_delimiter = ',', value_name = "A,B,C", help_heading = "With --kind tangents")]
    pub columns: Vec<String>,
    /// Draw one point of so many
    #[arg(long, value_name = "N", help_heading = "With --kind tangents")]
    pub every: Option<usize>,
    /// Where they are seen from: degrees around and above [default: -72,14]
    #[arg(long, value_name = "A,E", allow_hyphen_values = true, help_heading = "With --kind tangents")]
    pub view: Option<String>,
    /// How many of the most suspect edges are marked [default: 20], or features shown for each coordinate [default: 10]
    #[arg(long, value_name = "N", help_heading = "With --kind edges and loadings")]
    pub top: Option<usize>,
    #[command(flatten, next_help_heading = "With --kind loadings")]
    pub choice: ChoiceArgs,
    /// Reconstructions along each coordinate [default: 12x12]
    #[arg(long, value_name = "SIZE", help_heading = "With --kind grid")]
    pub grid: Option<String>,
    /// Draw them as images of so many rows and columns of pixels, 16x16 [default: as profiles]
    #[arg(long, value_name = "SIZE", help_heading = "With --kind grid")]
    pub image: Option<String>,
}

tangency::choice! {
    /// What can be drawn.
    pub enum PlotKind {
        /// The points in their coordinates, with ellipses of two standard deviations.
        Map = "map",
        /// The points in three features, with the plane along which the data run at each.
        Tangents = "tangents",
        /// The bound, its parts and the hyper-parameters over the iterations.
        Bound = "bound",
        /// The graph over the map, the most suspect edges coloured by their scores.
        Edges = "edges",
        /// The features that change most along each coordinate, with error bars.
        Loadings = "loadings",
        /// What the model expects over the plane of the coordinates, as images or profiles.
        Grid = "grid",
    }
}
