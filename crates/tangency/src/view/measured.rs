//! The table itself in three dimensions: along the directions in which it varies most.

use crate::error::Result;
use crate::fit::Fit;
use crate::linalg::{Matrix, leading_eigenvectors, product_transposed, transposed_product};
use serde::Serialize;

/// Directions shown.
const AXES: usize = 3;

/// The three widest directions of a table with more features than that, as the fit scaled it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredView {
    /// What each feature counts for along each direction: a row stands at Σ_f weight (value − mean). `[3][d_y]`
    pub weights: Vec<Vec<f64>>,
    /// Shares of the variance along them.
    pub shares: Vec<f64>,
}

impl MeasuredView {
    /// The directions of a fit; none where the table has no more than three features, varies in fewer directions, or has too few rows.
    pub fn new(fit: &Fit) -> Result<Option<Self>> {
        let table = &fit.observations;
        let (n, d_y) = (table.nrows(), table.ncols());
        if d_y <= AXES || n <= AXES {
            return Ok(None);
        }
        let scale = &fit.scaling.scale;
        let mean = |f: usize| table.col_as_slice(f).iter().sum::<f64>() / n as f64;
        let means: Vec<f64> = (0..d_y).map(mean).collect();
        let centred = Matrix::from_fn(n, d_y, |i, f| (table[(i, f)] - means[f]) / scale[f]);
        let total = centred.squared_norm_l2();
        // the smaller of the two matrices of inner products
        let (values, axes) = match d_y > n {
            true => {
                let (values, points) =
                    leading_eigenvectors(&product_transposed(&centred, &centred), AXES, "inner products of the table")?;
                let long = transposed_product(&centred, &points);
                let unit = |f: usize, a: usize| long[(f, a)] / values[a].max(f64::MIN_POSITIVE).sqrt();
                (values.clone(), Matrix::from_fn(d_y, AXES, unit))
            }
            false => leading_eigenvectors(&transposed_product(&centred, &centred), AXES, "covariance of the table")?,
        };
        if !total.is_finite() || values.iter().any(|&value| value <= 1e-12 * total) {
            return Ok(None);
        }
        let weights = (0..AXES).map(|a| (0..d_y).map(|f| axes[(f, a)] / scale[f]).collect()).collect();
        Ok(Some(Self { weights, shares: values.iter().map(|value| value / total).collect() }))
    }
}
