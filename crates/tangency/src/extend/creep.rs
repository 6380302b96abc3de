//! Steps that creep, taken to their end at once.

use super::new_star::NewCoordinates;
use crate::linalg::dot;

/// Aitken's extrapolation. Where x* and C* pull on each other, steps creep: each is in the direction of the one before and
/// a fixed share of it. Then the sum of all that would follow is known. Steps that turn are left as they are, so that the
/// place where all comes to rest is the one that plain steps go to.
pub(super) struct Creep {
    /// One over the first standard deviations, which makes means and covariances comparable.
    units: Vec<f64>,
    /// The step before, in those units.
    before: Option<Vec<f64>>,
}

/// Cosine of the angle between two steps of the same direction.
const SAME_DIRECTION: f64 = 0.999;
/// Share of a step that the next one is, when there is something to gain and when there may be no end.
const CREEPS: std::ops::Range<f64> = 0.2..0.998;

impl Creep {
    pub fn new(x: &NewCoordinates) -> Self {
        let d_x = x.mean.len();
        Self { units: (0..d_x).map(|a| 1.0 / x.covariance[a * d_x + a].sqrt()).collect(), before: None }
    }

    /// From a step, the place that it and all that follow would lead to, if it creeps.
    pub fn end(&mut self, from: &NewCoordinates, to: &NewCoordinates) -> Option<NewCoordinates> {
        let d_x = to.mean.len();
        let unit = |p: usize| match p.checked_sub(d_x) {
            None => self.units[p],
            Some(ab) => self.units[ab / d_x] * self.units[ab % d_x],
        };
        let entry = |x: &NewCoordinates, p: usize| if p < d_x { x.mean[p] } else { x.covariance[p - d_x] };
        let step: Vec<f64> = (0..d_x + d_x * d_x).map(|p| unit(p) * (entry(to, p) - entry(from, p))).collect();
        let before = self.before.replace(step)?;
        let step = self.before.as_ref()?;
        let (along, length) = (dot(step, &before), dot(&before, &before));
        let share = along / length;
        if along < SAME_DIRECTION * (length * dot(step, step)).sqrt() || !CREEPS.contains(&share) {
            return None;
        }
        let rest = share / (1.0 - share);
        let mut end = to.clone();
        end.mean.iter_mut().enumerate().for_each(|(p, x)| *x += rest * step[p] / unit(p));
        end.covariance.iter_mut().enumerate().for_each(|(ab, c)| *c += rest * step[d_x + ab] / unit(d_x + ab));
        self.before = None;
        Some(end)
    }
}
