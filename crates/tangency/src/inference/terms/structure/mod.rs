//! The structure within the manifold: what is known of coordinates beyond the table adds a precision and a linear term to each
//! point, and its part to the bound (docs/derivation.md, eq. S1–S10).

mod groups;
mod known;
mod special;
#[cfg(test)]
mod tests;

pub(crate) use groups::normalise;
pub use groups::{Group, GroupTerm};
pub use known::{KnownTerm, Line};

use crate::inference::moments::{CoordinateMoments, PointMoments};
use crate::linalg::small;
use crate::model::Structure;
use std::borrow::Cow;
use std::f64::consts::PI;

/// What is learned of the structure, and what it does to the coordinates of points.
#[derive(Clone)]
pub struct StructureTerm {
    pub known: Option<KnownTerm>,
    pub groups: Option<GroupTerm>,
    /// Precision of each point. `[n·d_x²]`
    precision: Vec<f64>,
    /// Linear term of each point. `[n·d_x]`
    pub linear: Vec<f64>,
    /// Covariance of a common shift of all points in q(x), where it is held apart. `[d_x²]`
    shift: Option<Vec<f64>>,
    d_x: usize,
}

impl StructureTerm {
    /// Before anything is known of the coordinates: points have the precision A.
    pub fn new(structure: &Structure, n: usize, d_x: usize, a: &[f64]) -> Self {
        Self {
            known: structure.known.as_ref().map(|known| KnownTerm::new(known, d_x)),
            groups: structure.groups.as_ref().map(|groups| GroupTerm::new(groups, n, d_x)),
            precision: a.repeat(n),
            linear: vec![0.0; n * d_x],
            shift: None,
            d_x,
        }
    }

    /// Precision of a point.
    pub fn block(&self, i: usize) -> &[f64] {
        let size = self.d_x * self.d_x;
        &self.precision[i * size..(i + 1) * size]
    }

    fn n(&self) -> usize {
        self.linear.len() / self.d_x
    }

    /// Moments of points with the shift that is held apart.
    fn seen<'m>(&self, of_x: &'m CoordinateMoments) -> Option<Cow<'m, PointMoments>> {
        let points = of_x.points.as_ref()?;
        Some(match (&self.shift, of_x.shift_precision) {
            (Some(shift), Some(_)) => {
                let mut points = points.clone();
                let size = shift.len();
                points.covariance.iter_mut().enumerate().for_each(|(p, slot)| *slot += shift[p % size]);
                Cow::Owned(points)
            }
            _ => Cow::Borrowed(points),
        })
    }

    /// Σ_i ⟨x_i x_iᵀ⟩ with the shift that is held apart, and how many points that is. `[d_x²]`
    pub fn square(&self, of_x: &CoordinateMoments) -> (Vec<f64>, f64) {
        let (d, n) = (self.d_x, self.n() as f64);
        let shift = self.shift.as_ref().filter(|_| of_x.shift_precision.is_some());
        let entry = |p: usize| of_x.square[(p / d, p % d)] + shift.map_or(0.0, |shift| n * shift[p]);
        let count = if of_x.shift_precision.is_some() && shift.is_none() { n - 1.0 } else { n };
        ((0..d * d).map(entry).collect(), count)
    }

    /// Learns all of it at these coordinates, with A as it is.
    pub fn learn(&mut self, of_x: &CoordinateMoments, a: &[f64]) {
        if of_x.shift_precision.is_some() && self.shift.is_none() {
            self.shift = self.best_shift();
        }
        let Some(points) = self.seen(of_x).map(Cow::into_owned) else { return };
        if let Some(groups) = &mut self.groups {
            groups.learn(&points);
        }
        if let Some(known) = &mut self.known {
            known.learn(&points);
        }
        self.refresh(a);
        if self.shift.is_some() {
            self.shift = self.best_shift();
        }
    }

    /// Makes precisions and linear terms of points again.
    fn refresh(&mut self, a: &[f64]) {
        let n = self.n();
        self.linear.fill(0.0);
        match &self.groups {
            Some(groups) => groups.give(&mut self.precision, &mut self.linear),
            None => self.precision = a.repeat(n),
        }
        if let Some(known) = &self.known {
            known.add_to(&mut self.precision, &mut self.linear);
        }
    }

    /// (Σ_i Λ_i)⁻¹, where the bound is highest.
    fn best_shift(&self) -> Option<Vec<f64>> {
        let size = self.d_x * self.d_x;
        let mut total = vec![0.0; size];
        self.precision.iter().enumerate().for_each(|(p, value)| total[p % size] += value);
        small::invert(&mut total, self.d_x).map(|_| total)
    }

    /// Its part of the bound: H(q(x)) + E log p(x), and all that is known besides.
    pub fn part(&self, of_x: &CoordinateMoments, a: &[f64]) -> f64 {
        let (d, n) = (self.d_x as f64, self.n() as f64);
        let Some(points) = self.seen(of_x) else { return f64::NAN };
        let shifts = match (&self.shift, of_x.shift_precision) {
            // x = x_c + 1⊗s: in the direction of a common shift of length one the covariance is n·V_s
            (Some(shift), Some(_)) => {
                small::invert(&mut shift.clone(), self.d_x).unwrap_or(f64::NAN) + d * (n.ln() + 1.0 + (2.0 * PI).ln())
            }
            _ => 0.0,
        };
        let entropy = 0.5 * (of_x.log_det + of_x.directions * (1.0 + (2.0 * PI).ln()) + shifts);
        let prior = match &self.groups {
            Some(groups) => groups.part(&points),
            None => {
                let log_det = small::invert(&mut a.to_vec(), self.d_x).unwrap_or(f64::NAN);
                let (square, count) = self.square(of_x);
                let energy: f64 = square.iter().zip(a).map(|(m, a)| m * a).sum();
                0.5 * (count * (log_det - d * (2.0 * PI).ln()) - energy)
            }
        };
        entropy + prior + self.known.as_ref().map_or(0.0, |known| known.part(&points))
    }

    /// How much likelier each of the known values is with the coordinates than without.
    pub fn gains(&self, of_x: &CoordinateMoments) -> Vec<f64> {
        let seen = self.seen(of_x);
        self.known.iter().zip(seen).flat_map(|(known, points)| known.gains(&points)).collect()
    }

    /// Σ_i tr(Λ_i⟨x_i x_iᵀ⟩) without the shift that is held apart.
    pub fn energy(&self, of_x: &CoordinateMoments) -> f64 {
        let Some(points) = &of_x.points else { return f64::NAN };
        let d = self.d_x;
        let of_point = |i: usize| -> f64 {
            let (x, s) = points.of(i);
            self.block(i).iter().enumerate().map(|(p, own)| own * (x[p / d] * x[p % d] + s[p])).sum()
        };
        (0..self.n()).map(of_point).sum()
    }

    /// x → t·x.
    pub fn rescale(&mut self, t: f64) {
        self.known.iter_mut().for_each(|known| known.rescale(t));
        self.groups.iter_mut().for_each(|groups| groups.rescale(t));
        self.precision.iter_mut().for_each(|entry| *entry /= t * t);
        self.linear.iter_mut().for_each(|entry| *entry /= t);
        self.shift.iter_mut().flatten().for_each(|entry| *entry *= t * t);
    }
}
