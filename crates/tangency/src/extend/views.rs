//! Rows that lack whole views: placed by the features that they have, and the others expected from there.

use super::{Extension, Placement, Predicts, Reconstruction};
use crate::error::{Error, Result};
use crate::fit::{Fit, Imputed};
use crate::linalg::{Matrix, View};
use crate::model::Scaling;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A row is open between others where these deviate so many times more than the model says.
const OPEN: f64 = 2.0;

/// A fit with views, and what it is to rows that have some of them only.
pub(super) struct OfViews {
    fit: Fit,
    /// By the features that are known.
    partial: Mutex<BTreeMap<Vec<usize>, Arc<Extension>>>,
}

impl OfViews {
    /// Of a fit with views.
    pub fn new(fit: &Fit) -> Option<Self> {
        let small = || Fit { full_covariance: None, trace: vec![], ..fit.clone() };
        (!fit.views.is_empty()).then(|| Self { fit: small(), partial: Mutex::default() })
    }

    /// Forgets what was prepared.
    pub fn reset(&mut self) {
        self.partial = Mutex::default();
    }

    /// The features that a scaled row has, if those that it lacks are whole views.
    fn known(&self, row: &[f64]) -> Option<Vec<usize>> {
        let lacks = |f: &usize| row[*f].is_nan();
        let whole =
            |f: usize| self.fit.views.iter().any(|view| view.features.contains(&f) && view.features.iter().all(lacks));
        let known: Vec<usize> = (0..row.len()).filter(|f| !lacks(f)).collect();
        let some = !known.is_empty() && known.len() < row.len();
        (some && (0..row.len()).filter(lacks).all(whole)).then_some(known)
    }

    /// The model of some features: their likelihood is that of all with the others integrated out, since these are independent
    /// given coordinates and maps.
    fn of(&self, known: &[usize], n_neighbors: usize) -> Result<Arc<Extension>> {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = partial.get(known) {
            return Ok(found.clone());
        }
        let made = Arc::new(Extension::new(&restricted(&self.fit, known))?.with_neighbors(n_neighbors)?);
        partial.insert(known.to_vec(), made.clone());
        Ok(made)
    }
}

/// A fit as it is in some features.
fn restricted(fit: &Fit, known: &[usize]) -> Fit {
    let some = |values: &[f64]| -> Vec<f64> { known.iter().map(|&f| values[f]).collect() };
    let place = |&(row, f): &(u32, u32)| Some((row, known.binary_search(&(f as usize)).ok()? as u32));
    let imputed = fit.imputed.as_ref().map(|imputed| {
        let entries: Vec<(u32, u32)> = imputed.entries.iter().filter_map(place).collect();
        let none = vec![0.0; entries.len()];
        Imputed { entries, values: none.clone(), deviations: none }
    });
    Fit {
        observations: Arc::new(Matrix::from_fn(fit.n(), known.len(), |i, f| fit.observations[(i, known[f])])),
        scaling: Scaling { center: some(&fit.scaling.center), scale: some(&fit.scaling.scale) },
        noise_scales: fit.noise_scales.as_ref().map(|scales| Arc::new(some(scales))),
        maps: Matrix::from_fn(known.len(), fit.maps.ncols(), |f, p| fit.maps[(known[f], p)]),
        views: vec![],
        feature_explained: None,
        calibration: None,
        imputed,
        ..fit.clone()
    }
}

impl Extension {
    /// Places scaled rows, one per column, that lack whole views. What is left of them has no gap.
    pub(super) fn placed_by_views(&self, values: View, scaled: &mut Matrix) -> Result<Vec<Option<Placement>>> {
        let mut placed = vec![None; scaled.ncols()];
        let Some(views) = &self.views else { return Ok(placed) };
        let mut patterns: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for i in 0..scaled.ncols() {
            let row = scaled.col_as_slice(i);
            if let Some(known) =
                views.known(row).filter(|_| self.density.gaps().find(&self.frozen.observations, row).is_none())
            {
                patterns.entry(known).or_default().push(i);
            }
        }
        for (known, rows) in patterns {
            let partial = views.of(&known, self.n_neighbors)?;
            let some = Matrix::from_fn(known.len(), rows.len(), |f, c| values[(known[f], rows[c])]);
            let found = partial.transform_columns(some.as_ref()).map_err(|error| match error {
                Error::TooFar { row } => Error::TooFar { row: rows[row] },
                other => other,
            })?;
            for (&row, placement) in rows.iter().zip(found) {
                let first = self.frozen.observations.col_as_slice(0).to_vec();
                scaled.col_as_slice_mut(row).copy_from_slice(&first);
                placed[row] = Some(self.widened(placement, &known));
            }
        }
        Ok(placed)
    }

    /// A placement by some features with a map of all: of the others it is the mean of the neighbours'.
    fn widened(&self, placed: Placement, known: &[usize]) -> Placement {
        let (d_x, k) = (self.frozen.d_x(), placed.neighbors.len() as f64);
        let of_neighbors = |f: usize, a: usize| {
            placed.neighbors.iter().map(|&j| self.frozen.maps[(f, j as usize * d_x + a)]).sum::<f64>() / k
        };
        let map = Matrix::from_fn(self.frozen.d_y(), d_x, |f, a| match known.binary_search(&f) {
            Ok(place) => placed.map[(place, a)],
            Err(_) => of_neighbors(f, a),
        });
        Placement { map, ..placed }
    }

    /// All features of rows, m × d_y in the units of the table, NaN where an entry is missing: those expected where the entries
    /// that are there place the row. Deviations are those of measurements made there, and of the place itself.
    pub fn predict(&self, values: &Matrix) -> Result<Reconstruction> {
        self.predict_columns(values.transpose())
    }

    /// The same for rows given one per column, d_y × m.
    pub fn predict_columns(&self, values: View) -> Result<Reconstruction> {
        let placed = self.transform_columns(values)?;
        let d_x = self.frozen.d_x();
        let coordinates = Matrix::from_fn(placed.len(), d_x, |i, a| self.coordinates(&placed[i])[a]);
        let mut found = self.reconstruct(&coordinates, Predicts::Measurement)?;
        for (i, placement) in placed.iter().enumerate() {
            for f in 0..found.deviations.ncols() {
                // C* Σ_x* C*ᵀ: what is not known of the place
                let of_place: f64 = (0..d_x * d_x)
                    .map(|ab| (ab / d_x, ab % d_x))
                    .map(|(a, b)| placement.map[(f, a)] * placement.covariance[(a, b)] * placement.map[(f, b)])
                    .sum();
                let deviation = &mut found.deviations[(i, f)];
                *deviation = deviation.hypot(self.scaling.scale[f] * of_place.max(0.0).sqrt());
            }
        }
        self.open_between_rows(values, &mut found)?;
        Ok(found)
    }

    /// Where rows that are nearest in the known views differ in another by far more than the model says, nothing tells which of them
    /// a row is like: their mean and deviation are given then. No deviation is less than theirs.
    fn open_between_rows(&self, values: View, found: &mut Reconstruction) -> Result<()> {
        let Some(views) = &self.views else { return Ok(()) };
        let scaled = self.scaling.apply(values)?;
        for i in 0..scaled.ncols() {
            let row = scaled.col_as_slice(i);
            let Some(known) = views.known(row) else { continue };
            let partial = views.of(&known, self.n_neighbors)?;
            let query = Matrix::from_fn(known.len(), 1, |f, _| row[known[f]]);
            let Some(near) = partial.index.nearest(&partial.seen_by_graph(&query), self.n_neighbors).pop() else {
                continue;
            };
            let k = near.len() as f64;
            for f in (0..row.len()).filter(|f| row[*f].is_nan() && k > 1.0) {
                let of = |j: &u32| self.frozen.observations[(f, *j as usize)];
                let mean = near.iter().map(of).sum::<f64>() / k;
                let variance = near.iter().map(|j| (of(j) - mean).powi(2)).sum::<f64>() / (k - 1.0);
                let nearby = self.scaling.scale[f] * (variance * (1.0 + 1.0 / k)).sqrt();
                if nearby > OPEN * found.deviations[(i, f)] {
                    found.values[(i, f)] = self.scaling.center[f] + self.scaling.scale[f] * mean;
                }
                found.deviations[(i, f)] = found.deviations[(i, f)].max(nearby);
            }
        }
        Ok(())
    }
}
