//! How surprising an observation is among those that the model was fitted to.

use super::{Extension, LEFT_OUT, WHOLE};
use crate::error::Result;
use crate::linalg::{Matrix, View};
use rayon::prelude::*;

/// With fewer rows that lack nothing it is not said what is usual, unless there are no others.
const LEAST_USUAL: usize = 20;

/// What is usual: log-densities of training points that are held out, ascending.
pub(super) struct Usual(Vec<f64>);

impl Usual {
    fn new(mut log_densities: Vec<f64>) -> Self {
        log_densities.sort_unstable_by(f64::total_cmp);
        Self(log_densities)
    }
}

impl Extension {
    /// Log-density of rows, m × d_y, in nats and in the units of the table; of one that lacks entries (NaN), of those that it
    /// has. A row that was fitted is held out for it: by the fits of a calibration if there is one, otherwise by leaving it out
    /// of the density.
    pub fn score(&self, values: &Matrix) -> Result<Vec<f64>> {
        self.score_columns(values.transpose())
    }

    /// The same for rows given one per column, d_y × m.
    pub fn score_columns(&self, values: View) -> Result<Vec<f64>> {
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

    /// The share of training points that are less surprising than a whole observation of this log-density. Of more than 3000
    /// points it is a share of 2000, evenly spread over the table. Only points that lacked no entry compare; with fewer than
    /// twenty of these, or for an observation with gaps, whose density is one of fewer features, it is not known (NaN).
    pub fn novelty(&self, log_density: f64) -> f64 {
        if log_density.is_nan() {
            return f64::NAN;
        }
        let Usual(usual) = self.usual.get_or_init(|| {
            let whole: Vec<usize> =
                (0..self.frozen.coordinates.ncols()).filter(|&i| self.density.gaps().is_whole(i)).collect();
            Usual::new(match &self.calibration {
                Some(calibration) => whole.iter().map(|&i| calibration.log_densities[i]).collect(),
                None => {
                    let step = if whole.len() <= WHOLE { 1 } else { whole.len().div_ceil(LEFT_OUT) };
                    self.density.left_out(&whole.into_iter().step_by(step).collect::<Vec<_>>())
                }
            })
        });
        if usual.len() < LEAST_USUAL && usual.len() < self.frozen.coordinates.ncols() {
            return f64::NAN;
        }
        let at_most = usual.partition_point(|&other| other <= log_density);
        (usual.len() - at_most) as f64 / usual.len().max(1) as f64
    }

    /// The novelty of rows given one per column, d_y × m, of these log-densities.
    pub fn novelties(&self, values: View, log_densities: &[f64]) -> Vec<f64> {
        let has_gap = |i: usize| values.col(i).iter().any(|value| value.is_nan());
        let novelty = |(i, &density): (usize, &f64)| if has_gap(i) { f64::NAN } else { self.novelty(density) };
        log_densities.iter().enumerate().map(novelty).collect()
    }

    /// The novelty of the training rows, of these log-densities.
    pub fn novelties_of_training_rows(&self, log_densities: &[f64]) -> Vec<f64> {
        let is_whole = |i: usize| self.density.gaps().is_whole(i);
        let novelty = |(i, &density): (usize, &f64)| if is_whole(i) { self.novelty(density) } else { f64::NAN };
        log_densities.iter().enumerate().map(novelty).collect()
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
