//! How surprising an observation is among those that the model was fitted to.

use super::{Extension, LEFT_OUT, WHOLE};
use crate::error::Result;
use crate::linalg::{Matrix, View};
use rayon::prelude::*;

/// What is usual: log-densities of training points that are held out, ascending.
pub(super) struct Usual(Vec<f64>);

impl Usual {
    fn new(mut log_densities: Vec<f64>) -> Self {
        log_densities.sort_unstable_by(f64::total_cmp);
        Self(log_densities)
    }
}

impl Extension {
    /// Log-density of rows, m × d_y, in nats and in the units of the table. A row that was fitted is held out for it: by the
    /// fits of a calibration if there is one, otherwise by leaving it out of the density.
    pub fn score(&self, values: &Matrix) -> Result<Vec<f64>> {
        self.score_columns(values.transpose())
    }

    /// The same for rows given one per column, d_y × m.
    pub fn score_columns(&self, values: View) -> Result<Vec<f64>> {
        let whole: Vec<usize> = (0..values.ncols()).filter(|&i| values.col(i).iter().all(|v| !v.is_nan())).collect();
        if whole.len() < values.ncols() {
            let of_whole = Matrix::from_fn(values.nrows(), whole.len(), |f, c| values[(f, whole[c])]);
            let mut scores = vec![f64::NAN; values.ncols()];
            let found = if whole.is_empty() { vec![] } else { self.score_columns(of_whole.as_ref())? };
            whole.iter().zip(found).for_each(|(&i, score)| scores[i] = score);
            return Ok(scores);
        }
        let mut scores = self.density.score_columns(values)?;
        if let Some(calibration) = &self.calibration {
            for (score, point) in scores.iter_mut().zip(self.density.training_rows(values)?) {
                *score = point.map_or(*score, |i| calibration.log_densities[i]);
            }
        }
        Ok(scores)
    }

    /// Log-density of each training row, held out.
    pub fn score_training_rows(&self) -> Vec<f64> {
        match &self.calibration {
            Some(calibration) => calibration.log_densities.clone(),
            None => self.density.left_out(&(0..self.frozen.coordinates.ncols()).collect::<Vec<_>>()),
        }
    }

    /// The share of training points that are less surprising than an observation of this log-density. Of more than 3000 points
    /// it is a share of 2000, evenly spread over the table.
    pub fn novelty(&self, log_density: f64) -> f64 {
        if log_density.is_nan() {
            return f64::NAN;
        }
        let Usual(usual) = self.usual.get_or_init(|| match &self.calibration {
            Some(calibration) => Usual::new(calibration.log_densities.clone()),
            None => {
                let n = self.frozen.coordinates.ncols();
                let step = if n <= WHOLE { 1 } else { n.div_ceil(LEFT_OUT) };
                Usual::new(self.density.left_out(&(0..n).step_by(step).collect::<Vec<_>>()))
            }
        });
        let at_most = usual.partition_point(|&other| other <= log_density);
        (usual.len() - at_most) as f64 / usual.len().max(1) as f64
    }

    /// Whether novelty goes by fits that had not seen the points.
    pub fn is_calibrated(&self) -> bool {
        self.calibration.is_some()
    }

    /// The factor by which predictive standard deviations of the model are multiplied: from the fit's calibration where it has
    /// one for this number of neighbours, otherwise by leaving out each training point in turn.
    pub fn spread(&self) -> f64 {
        *self.spread.get_or_init(|| {
            let spread = match &self.calibration {
                Some(calibration) if self.is_usual_number() => calibration.spread,
                _ => {
                    let placed = self.leave_one_out().par_iter().enumerate();
                    let strain = |(i, placed): (usize, &Option<super::Placement>)| {
                        let placed = placed.as_ref()?;
                        Some(self.strain(i, &self.expect_left_out(i, &placed.mean)).powi(2))
                    };
                    let squares: Vec<f64> = placed.filter_map(strain).collect();
                    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
                }
            };
            // without any point to learn from, the model's own deviations stand
            if spread.is_finite() && spread > 0.0 { spread } else { 1.0 }
        })
    }

    /// Whether this factor comes from fits that had not seen the points.
    pub fn spread_is_calibrated(&self) -> bool {
        self.calibration.is_some() && self.is_usual_number()
    }
}
