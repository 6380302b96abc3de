//! What the last steps of the means say of the curvature of the non-edges, which no solve knows: the limited memory of BFGS on
//! top of the solve with the precision of all the rest.

use super::conjugate_gradients::{add, dot};

/// Steps that are remembered.
const REMEMBERED: usize = 12;
/// A step says something of the curvature when the slope fell along it by more than this share of what lengths allow.
const LEAST_CURVATURE: f64 = 1e-10;

/// The last steps of the means, with how the slope fell along each.
#[derive(Default)]
pub struct Memory {
    steps: Vec<Step>,
    /// Where the last one ended.
    at: Vec<f64>,
}

struct Step {
    step: Vec<f64>,
    fall: Vec<f64>,
    /// 1 / (step · fall).
    inverse: f64,
}

impl Memory {
    /// For an update that begins at `x`: means are rescaled between updates, and nothing else.
    pub fn from(mut self, x: &[f64]) -> Self {
        let square = dot(&self.at, &self.at);
        if self.at.len() != x.len() || square <= 0.0 {
            return Self::default();
        }
        let t = dot(&self.at, x) / square;
        if !(t > 0.0 && t.is_finite()) {
            return Self::default();
        }
        if t != 1.0 {
            for Step { step, fall, .. } in &mut self.steps {
                step.iter_mut().for_each(|value| *value *= t);
                fall.iter_mut().for_each(|value| *value /= t);
            }
        }
        self
    }

    /// The direction to go from this slope; `solve` is the inverse of the curvature as far as it is known otherwise.
    pub fn direction(&self, slope: &[f64], solve: impl FnOnce(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let mut rest = slope.to_vec();
        let shares: Vec<f64> = self
            .steps
            .iter()
            .rev()
            .map(|Step { step, fall, inverse }| {
                let share = inverse * dot(step, &rest);
                add(&mut rest, -share, fall);
                share
            })
            .collect();
        let mut direction = solve(&rest);
        for (Step { step, fall, inverse }, share) in self.steps.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(fall, &direction);
            add(&mut direction, share - back, step);
        }
        direction
    }

    /// Remembers a step and how the slope fell along it, if the curvature there was of the right sign.
    pub fn remember(&mut self, step: Vec<f64>, fall: Vec<f64>) {
        let product = dot(&step, &fall);
        if product * product <= LEAST_CURVATURE * dot(&step, &step) * dot(&fall, &fall) || product <= 0.0 {
            return;
        }
        if self.steps.len() == REMEMBERED {
            self.steps.remove(0);
        }
        self.steps.push(Step { step, fall, inverse: 1.0 / product });
    }

    /// Forgets all steps: they do not lead up from here.
    pub fn forget(&mut self) {
        self.steps.clear();
    }

    /// Whether anything is remembered.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The update ends at `x`.
    pub fn ends(mut self, x: &[f64]) -> Self {
        self.at = x.to_vec();
        self
    }
}
