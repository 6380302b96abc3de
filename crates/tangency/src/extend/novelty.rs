//! How surprising an observation is among those that the model was fitted to.

use super::Extension;
use rayon::prelude::*;

/// What is usual: how training points look when they are held out.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Log-densities, ascending.
    log_densities: Vec<f64>,
    /// Factor by which predictive standard deviations of the model are multiplied.
    pub spread: f64,
    /// Whether the points were held out of whole fits, or only out of a model that has seen them.
    pub cross_validated: bool,
}

impl Reference {
    pub(super) fn new(mut log_densities: Vec<f64>, spread: f64, cross_validated: bool) -> Self {
        log_densities.sort_unstable_by(f64::total_cmp);
        // without any point to learn from, the model's own deviations stand
        let spread = if spread.is_finite() && spread > 0.0 { spread } else { 1.0 };
        Self { log_densities, spread, cross_validated }
    }

    /// The share of training points that are less surprising than an observation of this log-density.
    pub fn novelty(&self, log_density: f64) -> f64 {
        let at_most = self.log_densities.partition_point(|&other| other <= log_density);
        (self.log_densities.len() - at_most) as f64 / self.log_densities.len().max(1) as f64
    }
}

impl Extension {
    /// What is usual: from the fit's calibration where it has one, otherwise by leaving out each training point in turn.
    pub fn reference(&self) -> &Reference {
        self.reference.get_or_init(|| match &self.calibration {
            Some(calibration) => Reference::new(calibration.log_densities.clone(), calibration.spread, true),
            None => {
                let placed = self.leave_one_out();
                let found: Vec<(f64, f64)> = placed
                    .par_iter()
                    .enumerate()
                    .filter_map(|(i, placed)| {
                        let placed = placed.as_ref()?;
                        Some((placed.log_density, self.strain(i, &self.expect_left_out(i, &placed.mean))))
                    })
                    .collect();
                let squares: f64 = found.iter().map(|(_, strain)| strain * strain).sum();
                let spread = (squares / found.len() as f64).sqrt();
                Reference::new(found.iter().map(|(density, _)| *density).collect(), spread, false)
            }
        })
    }

    /// The share of training points that are less surprising than an observation of this log-density.
    pub fn novelty(&self, log_density: f64) -> f64 {
        self.reference().novelty(log_density)
    }
}
