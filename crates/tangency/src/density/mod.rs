//! How likely rows are: a proper density in the units of the table, from Gaussians around the training points that reach along
//! their local maps (docs/derivation.md, *A density of rows*).

mod mixture;
mod paired;
mod reach;
mod tune;

pub use mixture::Mixture;
pub use paired::Paired;
pub(crate) use paired::mean;
pub(crate) use reach::{Reach, share_of};
pub use tune::Widths;

use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::graph::NeighborIndex;
use crate::linalg::{Matrix, View};
use crate::model::{RowGaps, Scaling};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tune::{Sample, tune};

/// What a fit keeps of its density: the widths of the Gaussians, found by leaving out each training row in turn, and how likely
/// these rows are then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityNotes {
    /// The widths.
    pub widths: Widths,
    /// Mean log-density of a training row that is left out, in nats and in the units of the table.
    pub log_density: f64,
    /// The same of the kernel density, which has no maps.
    pub kernel_log_density: f64,
    /// Its one width.
    pub kernel_widths: Widths,
}

impl DensityNotes {
    /// Of a fit whose maps reach so far.
    pub(crate) fn of(reach: &Reach, scaling: &Scaling) -> Self {
        let sample = Sample::of(&reach.points, reach.n_features, &reach.gaps);
        let ((widths, ours), (kernel_widths, theirs)) = (tune(&sample, Some(reach)), tune(&sample, None));
        let jacobian = sample.log_jacobian(scaling);
        let (log_density, kernel_log_density) = (ours - jacobian, theirs - jacobian);
        Self { widths, log_density, kernel_log_density, kernel_widths }
    }
}

/// The density of rows by a fit, and the kernel density of its rows beside it.
///
/// ```
/// use tangency::density::Density;
/// use tangency::{Config, Fitter, Shape, generate};
///
/// let curve = generate(Shape::SCurve, 200, 0.02, 1);
/// let fit = Fitter::new(Config::default()).fit(&curve.points)?;
/// let new = generate(Shape::SCurve, 100, 0.02, 2);
/// let density = Density::new(&fit)?;
/// let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
/// let (ours, kernel) = (density.score(&new.points)?, density.kernel_score(&new.points)?);
/// assert!(mean(ours) > mean(kernel));
/// # Ok::<(), tangency::Error>(())
/// ```
pub struct Density {
    scaling: Scaling,
    mixture: Mixture,
    kernel: Mixture,
    index: Arc<NeighborIndex>,
    /// Entries that the training rows lacked.
    gaps: Arc<RowGaps>,
    notes: DensityNotes,
}

impl Density {
    /// The density of a fit; its widths are those that it keeps, or found now.
    pub fn new(fit: &Fit) -> Result<Self> {
        let reach = Reach::of(fit, fit.imputed.as_ref().map(|imputed| imputed.entries.clone()).unwrap_or_default());
        let notes = fit.density.unwrap_or_else(|| DensityNotes::of(&reach, &fit.scaling));
        let index = Arc::new(NeighborIndex::new(reach.points.clone()));
        let gaps = reach.gaps.clone();
        Ok(Self {
            scaling: fit.scaling.clone(),
            mixture: Mixture::along_maps(index.clone(), reach.into_owned(), notes.widths),
            kernel: Mixture::plain(index.clone(), gaps.clone(), notes.kernel_widths),
            gaps,
            index,
            notes,
        })
    }

    /// The training points in scaled units, prepared for queries.
    pub(crate) fn index(&self) -> &Arc<NeighborIndex> {
        &self.index
    }

    /// Entries that the training rows lacked.
    pub(crate) fn gaps(&self) -> &RowGaps {
        &self.gaps
    }

    /// What was found of the training rows.
    pub fn notes(&self) -> DensityNotes {
        self.notes
    }

    /// Log-density of rows, m × d_y in the units of the table. A row that is a training row is left out of it. One that lacks
    /// entries (NaN) has the marginal density of those that it has. Each row is scored by itself: what else is in the table and
    /// the number of threads change nothing.
    pub fn score(&self, values: &Matrix) -> Result<Vec<f64>> {
        self.score_columns(values.transpose())
    }

    /// The same for rows given one per column, d_y × m.
    pub fn score_columns(&self, values: View) -> Result<Vec<f64>> {
        self.scored(&self.mixture, values)
    }

    /// Log-density of rows, m × d_y, by the kernel density of the training rows.
    pub fn kernel_score(&self, values: &Matrix) -> Result<Vec<f64>> {
        self.kernel_score_columns(values.transpose())
    }

    /// The same for rows given one per column, d_y × m.
    pub fn kernel_score_columns(&self, values: View) -> Result<Vec<f64>> {
        self.scored(&self.kernel, values)
    }

    /// Log-density of training rows, each by all others, in the units of the table; of one that lacked entries, of those that
    /// it has.
    pub fn left_out(&self, rows: &[usize]) -> Vec<f64> {
        let lacked = |row: usize| self.gaps.of(row).iter().map(|&(_, f)| f as usize);
        let scores = self.mixture.left_out(rows).into_iter().zip(rows);
        scores.map(|(value, &row)| value - self.log_jacobian(lacked(row))).collect()
    }

    /// What a change of units costs a row that lacks some features.
    fn log_jacobian(&self, lacked: impl Iterator<Item = usize>) -> f64 {
        self.scaling.log_jacobian(1) - lacked.map(|f| self.scaling.scale[f].ln()).sum::<f64>()
    }

    /// Which training rows some rows, given one per column, are.
    pub fn training_rows(&self, values: View) -> Result<Vec<Option<usize>>> {
        Ok(self.mixture.centers_of(&self.scaled(values)?))
    }

    fn scored(&self, mixture: &Mixture, values: View) -> Result<Vec<f64>> {
        let rows = self.scaled(values)?;
        let scores = mixture.log_density(&rows);
        if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::TooFar { row });
        }
        let lacked = |row: usize| (0..rows.nrows()).filter(|&f| rows[(f, row)].is_nan()).collect::<Vec<_>>();
        let in_units = |(row, value): (usize, f64)| value - self.log_jacobian(lacked(row).into_iter());
        Ok(scores.into_iter().enumerate().map(in_units).collect())
    }

    /// Rows in scaled units, one per column.
    fn scaled(&self, values: View) -> Result<Matrix> {
        self.scaling.apply(values)
    }
}
