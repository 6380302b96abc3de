//! Centring and scaling of the data, and the way back.

use super::units;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, View};
use crate::message::{Column, Piece, Remedy};

crate::choice! {
    /// How the centred data are divided.
    pub enum ScalingRule default Auto {
        /// Each feature by its own standard deviation where features have different units, otherwise as max-abs.
        Auto = "auto",
        /// All features by the one largest absolute entry.
        MaxAbs = "max-abs",
        /// Not at all.
        None = "none",
        /// Each feature by its own standard deviation.
        PerFeature = "per-feature",
    }
}

/// The entries of a feature that are not missing.
fn known(values: View<'_>, f: usize) -> impl Iterator<Item = f64> {
    values.col(f).iter().copied().filter(|value| !value.is_nan())
}

/// The mean of a feature; about the first entry, so that of a constant feature it is exactly its value.
pub(super) fn mean(values: View, f: usize) -> f64 {
    let first = known(values, f).next().unwrap_or(0.0);
    first + known(values, f).map(|v| v - first).sum::<f64>() / known(values, f).count().max(1) as f64
}

/// The standard deviation of a feature about its mean, unless it is constant.
pub(super) fn deviation(values: View, f: usize, center: f64) -> Option<f64> {
    let column = || known(values, f).map(|v| (v - center).abs());
    // in units of the largest, so that squares neither overflow nor vanish
    let largest = column().fold(f64::MIN_POSITIVE, f64::max);
    let squares: f64 = column().map(|v| (v / largest).powi(2)).sum();
    let deviation = largest * (squares / column().count().max(1) as f64).sqrt();
    let size = known(values, f).fold(0.0, |most: f64, v| most.max(v.abs()));
    (deviation > 1e-12 * size).then_some(deviation)
}

/// How far from their means numbers may be that are not scaled: their squares are in precisions, and fourth powers in bounds.
const UNSCALED: std::ops::RangeInclusive<f64> = 1e-25..=1e25;

/// Centre and divisor of each feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Mean of each feature. `[d_y]`
    pub center: Vec<f64>,
    /// Divisor of each feature. `[d_y]`
    pub scale: Vec<f64>,
}

impl Scaling {
    /// Learns the scaling of a table and applies it. `values` is n × d_y; the result is d_y × n, a point a column.
    ///
    /// ```
    /// use tangency::{Scaling, ScalingRule, Shape, generate};
    ///
    /// let mut points = generate(Shape::SCurve, 100, 0.0, 1).points;
    /// let (alike, _) = Scaling::learn(points.as_ref(), ScalingRule::Auto)?;
    /// assert_eq!(alike.scale[0], alike.scale[1]);
    /// points.col_mut(0).iter_mut().for_each(|value| *value *= 1e6);
    /// let (apart, _) = Scaling::learn(points.as_ref(), ScalingRule::Auto)?;
    /// assert!(apart.scale[0] > 1e5 * apart.scale[1]);
    /// # Ok::<(), tangency::Error>(())
    /// ```
    pub fn learn(values: View, rule: ScalingRule) -> Result<(Self, Matrix)> {
        let (n, d) = (values.nrows(), values.ncols());
        let center: Vec<f64> = (0..d).map(|f| mean(values, f)).collect();
        let largest = (0..d)
            .flat_map(|f| values.col(f).iter().map(move |v| (f, v)))
            .fold(0.0, |most: f64, (f, v)| most.max((v - center[f]).abs()));
        if largest == 0.0 {
            return Err(Error::NoVariation { n });
        }
        if !largest.is_finite() {
            return Err(Error::Overflow);
        }
        let scale = match units::settled(values, rule).0 {
            ScalingRule::Auto | ScalingRule::MaxAbs => vec![largest; d],
            ScalingRule::None if !UNSCALED.contains(&largest) => {
                let but = format!(
                    "the numbers of the table are up to {largest:e} from their means, which nothing can be reckoned with"
                );
                let remedy = Remedy::Set("scaling", ScalingRule::MaxAbs.to_string());
                return Err(Error::setting("scaling", ScalingRule::None, but, [remedy]));
            }
            ScalingRule::None => vec![1.0; d],
            ScalingRule::PerFeature => (0..d).map(|f| deviation(values, f, center[f]).unwrap_or(1.0)).collect(),
        };
        let scaled = Matrix::from_fn(d, n, |f, i| (values[(i, f)] - center[f]) / scale[f]);
        Ok((Self { center, scale }, scaled))
    }

    /// New rows, given one per column in the units of the table, scaled; they may lack entries (NaN), but not all. `[d_y, m]`
    pub(crate) fn apply(&self, values: View) -> Result<Matrix> {
        let Self { center, scale } = self;
        if values.nrows() != center.len() {
            return Err(Error::ShapeMismatch {
                what: "the table of new points".into(),
                expected: format!("{} features", center.len()),
                found: format!("{} features", values.nrows()),
            });
        }
        let scaled = Matrix::from_fn(center.len(), values.ncols(), |f, i| (values[(f, i)] - center[f]) / scale[f]);
        for row in 0..scaled.ncols() {
            let own = scaled.col_as_slice(row);
            if own.iter().all(|value| value.is_nan()) {
                return Err(Error::NoValue { place: Piece::Row(row) });
            }
            if let Some(f) = own.iter().position(|value| value.is_infinite()) {
                let (column, value) = (Column::Numbered(f), values[(f, row)]);
                return Err(match value.is_finite() {
                    true => Error::TooFar { row },
                    false => Error::NonFinite { row, column, value: value.to_string(), line: None },
                });
            }
        }
        Ok(scaled)
    }

    /// Scaled points, one per column, as rows in the units of the table. `[n, d_y]`
    pub(crate) fn back(&self, points: &Matrix) -> Matrix {
        Matrix::from_fn(points.ncols(), points.nrows(), |i, f| self.center[f] + self.scale[f] * points[(f, i)])
    }

    /// Rows `[n, d_y]` with what scaled points, one per column, have in place of missing entries.
    pub(crate) fn filled_in(&self, rows: View, points: &Matrix) -> Matrix {
        Matrix::from_fn(rows.nrows(), rows.ncols(), |i, f| match rows[(i, f)] {
            gap if gap.is_nan() => self.center[f] + self.scale[f] * points[(f, i)],
            value => value,
        })
    }

    /// What the change of units costs in log-density over `n` points: a bound in the units given is the scaled one
    /// less this.
    pub fn log_jacobian(&self, n: usize) -> f64 {
        n as f64 * self.scale.iter().map(|s| s.ln()).sum::<f64>()
    }
}
