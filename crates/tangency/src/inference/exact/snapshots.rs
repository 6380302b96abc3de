//! Beliefs kept for a step back, or small while other runs are tried.

use super::{Beliefs, Coordinates, Exact, Maps};
use crate::error::Result;
use crate::inference::engine::{Snapshots, Updates};
use crate::inference::state::State;
use crate::linalg::{Matrix, pack_lower, scale, scaled_difference, unpack_lower};
use crate::model::Problem;

/// The maps before an update; their covariance is then the workspace's spare matrix.
pub struct Kept {
    mean: Matrix,
    scale: f64,
    log_det: f64,
    coordinates: Option<Coordinates>,
}

impl Snapshots for Exact {
    type Kept = Kept;

    fn keep(&self, beliefs: &Beliefs, with_coordinates: bool) -> Kept {
        let Maps { mean, scale, log_det, .. } = &beliefs.maps;
        let coordinates = with_coordinates.then(|| beliefs.coordinates.clone());
        Kept { mean: mean.clone(), scale: *scale, log_det: *log_det, coordinates }
    }

    fn extrapolate(&self, beliefs: &mut Beliefs, kept: &Kept, share: f64) {
        scaled_difference(&mut beliefs.maps.mean, &kept.mean, share);
    }

    /// Of coordinates that were not kept only the units: the next update finds them again.
    fn restore(&mut self, beliefs: &mut Beliefs, kept: Kept, rescaled: f64) {
        match kept.coordinates {
            Some(coordinates) => beliefs.coordinates = coordinates,
            None => beliefs.coordinates.rescale(1.0 / rescaled),
        }
        // the covariance that the update replaced is still in the workspace
        if let Some(work) = &mut self.work {
            std::mem::swap(&mut beliefs.maps.covariance, &mut work.spare);
        }
        (beliefs.maps.mean, beliefs.maps.scale, beliefs.maps.log_det) = (kept.mean, kept.scale, kept.log_det);
    }

    /// Gives up the covariances for half a matrix.
    fn park(&self, beliefs: &mut Beliefs) {
        beliefs.coordinates.covariance = Matrix::new();
        beliefs.parked = pack_lower(&beliefs.maps.covariance);
        beliefs.maps.covariance = Matrix::new();
    }

    /// Coordinates that may move are updated again, which can only raise the bound.
    fn resume(&mut self, problem: &Problem, frozen: bool, state: &mut State<Beliefs>) -> Result<bool> {
        let (size, beliefs) = (problem.size(), &mut state.beliefs);
        beliefs.maps.covariance = unpack_lower(&std::mem::take(&mut beliefs.parked), size);
        // as a start holds them: variance 1/pin in every direction
        beliefs.coordinates.covariance = Matrix::identity(size, size);
        scale(&mut beliefs.coordinates.covariance, 1.0 / beliefs.coordinates.pin);
        if !frozen {
            self.update_coordinates(problem, state, 0.0)?;
        }
        Ok(!frozen)
    }
}
