//! A model as numbers with names: what the command prints and gives as JSON, what figures and the page draw, what Python
//! returns. Each front end has its own words and shapes for them; none computes them again.

mod bound;
mod edges;
mod evidence;
mod grid;
mod loadings;
mod map;
mod measured;
mod pruning;
mod structure;
mod summary;
#[cfg(test)]
mod tests;

pub use bound::{BoundView, NamedSeries};
pub use edges::{EdgeRow, EdgeTestRow, EdgesView};
pub use evidence::{CandidateRow, EqualRule, EvidenceView, Remark};
pub use grid::{GridPlaces, GridView, Known};
pub use loadings::{LoadingRow, LoadingsView};
pub use map::{EllipseView, MapView};
pub use measured::MeasuredView;
pub use pruning::PruningView;
pub use structure::{GroupsView, KnownRow, KnownView, StructureView};
pub use summary::{
    CalibrationRow, CoordinateRow, DeviationsRow, DistanceRow, FeatureRow, LengthsRow, MissingRow, PcaRow, Summary,
    ViewRow,
};

/// How many standard deviations ellipses, error bars and bands reach, in every figure.
pub const REACH: f64 = 2.0;

/// The names of the coordinates that figures have axes for.
pub const FIRST_AXES: [&str; 3] = ["x1", "x2", "x3"];

/// What coordinate `a`, from 0, is called: x1, x2, …
pub fn axis_name(a: usize) -> String {
    format!("x{}", a + 1)
}

/// The names of this many coordinates.
pub fn axis_names(count: usize) -> Vec<String> {
    (0..count).map(axis_name).collect()
}

/// Standard deviation of a list, of the whole list and not of a sample.
fn spread(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}
