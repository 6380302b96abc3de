//! How likely rows are: a proper density in the units of the table, from Gaussians around the training points that reach along
//! their local maps (docs/derivation.md, *A density of rows*).

mod mixture;
mod reach;
mod tune;

pub use mixture::Mixture;
pub(crate) use reach::share_left_out;
pub use tune::Widths;

use crate::error::{Error, Result};
use crate::fit::Fit;
use crate::linalg::{Matrix, View};
use crate::model::Scaling;
use reach::Reach;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    notes: DensityNotes,
}

impl Density {
    /// The density of a fit; its widths are those that it keeps, or found now.
    pub fn new(fit: &Fit) -> Result<Self> {
        let points = Arc::new(fit.scaled_observations());
        let mixture = Mixture::along_maps(Reach::of(fit, points.clone()));
        let kernel = Mixture::plain(points);
        let jacobian = fit.scaling.log_jacobian(1);
        let notes = match fit.density {
            Some(notes) => notes,
            None => {
                let ((widths, ours), (kernel_widths, theirs)) = (tune::tune(&mixture), tune::tune(&kernel));
                let (log_density, kernel_log_density) = (ours - jacobian, theirs - jacobian);
                DensityNotes { widths, log_density, kernel_log_density, kernel_widths }
            }
        };
        Ok(Self {
            scaling: fit.scaling.clone(),
            mixture: mixture.with_widths(notes.widths),
            kernel: kernel.with_widths(notes.kernel_widths),
            notes,
        })
    }

    /// What was found of the training rows.
    pub fn notes(&self) -> DensityNotes {
        self.notes
    }

    /// Log-density of rows, m × d_y in the units of the table. A row that is a training row is left out of it. Each row is
    /// scored by itself: what else is in the table and the number of threads change nothing.
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

    /// Log-density of training rows, each by all others, in the units of the table.
    pub fn left_out(&self, rows: &[usize]) -> Vec<f64> {
        let jacobian = self.scaling.log_jacobian(1);
        self.mixture.left_out(rows).into_iter().map(|value| value - jacobian).collect()
    }

    /// Which training rows some rows, given one per column, are.
    pub fn training_rows(&self, values: View) -> Result<Vec<Option<usize>>> {
        Ok(self.mixture.centers_of(&self.scaled(values)?))
    }

    fn scored(&self, mixture: &Mixture, values: View) -> Result<Vec<f64>> {
        let jacobian = self.scaling.log_jacobian(1);
        let scores = mixture.log_density(&self.scaled(values)?);
        match scores.iter().position(|score| !score.is_finite()) {
            Some(row) => Err(Error::TooFar { row }),
            None => Ok(scores.into_iter().map(|value| value - jacobian).collect()),
        }
    }

    /// Rows in scaled units, one per column.
    fn scaled(&self, values: View) -> Result<Matrix> {
        self.scaling.apply(values)
    }
}
