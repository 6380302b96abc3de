//! What is expected of rows from a part of their features: one view from another.

use super::{Extension, Predicts, Reconstruction};
use crate::error::Result;
use crate::linalg::{Matrix, View};

impl Extension {
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
        Ok(found)
    }
}
