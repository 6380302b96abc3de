//! What is near: the metric in which neighbours are sought.
//!
//! A metric is a place for each row and a length between places. Rows divided by their norm are as far apart in straight
//! lines as their angle is wide, |u − v|² = 2 (1 − cos), so that angles need no search of their own.

use crate::error::{Error, Result};
use crate::linalg::{Matrix, RowView, View, absolute_difference, dot};
use std::sync::Arc;

crate::choice! {
    /// In which metric neighbours are sought. The likelihood of the features does not know it.
    pub enum Metric default Euclidean {
        /// Straight lines between rows, centred and scaled.
        Euclidean = "euclidean",
        /// One minus the cosine of the angle between rows as they are given, neither centred nor scaled.
        Cosine = "cosine",
        /// One minus the correlation of rows as they are given: the cosine of rows less their own mean.
        Correlation = "correlation",
        /// The sum of absolute differences of rows, centred and scaled.
        Manhattan = "manhattan",
    }
}

/// A length between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The square of a straight line.
    Squared,
    /// The sum of absolute differences.
    Absolute,
}

impl Length {
    /// Between two places; the one that decides who is nearer.
    #[inline]
    pub fn between(self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Squared => super::neighbors::squared_distance(a, b),
            Self::Absolute => absolute_difference(a, b),
        }
    }
}

/// Where a metric that is not the Euclidean one has some points.
#[derive(Clone)]
pub(crate) struct MetricPlaces {
    metric: Metric,
    places: Arc<Matrix>,
}

impl MetricPlaces {
    /// Of rows `[n, d]` as they are given, and the same scaled, `[d, n]`; none for the Euclidean metric.
    pub fn new(metric: Metric, rows: View, scaled: &Arc<Matrix>) -> Result<Option<Self>> {
        match metric {
            Metric::Euclidean => Ok(None),
            _ => Ok(Some(Self { metric, places: metric.places(rows, scaled)? })),
        }
    }

    /// The place of a point.
    pub fn of(&self, i: usize) -> &[f64] {
        self.places.col_as_slice(i)
    }

    /// All places. [d, n]
    pub fn all(&self) -> &Arc<Matrix> {
        &self.places
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How far a place is from a point: in straight lines between directions, for angles.
    pub fn distance(&self, from: &[f64], j: usize) -> f64 {
        let length = self.metric.length().between(from, self.of(j));
        match self.metric.length() {
            Length::Squared => length.sqrt(),
            Length::Absolute => length,
        }
    }

    /// The place of one more row, as it is given and scaled; none if it has none.
    pub fn place(&self, row: &[f64], scaled: &[f64]) -> Option<Vec<f64>> {
        if !self.metric.takes_rows_as_given() {
            return Some(scaled.to_vec());
        }
        let row = Matrix::from_fn(1, row.len(), |_, f| row[f]);
        self.metric.directions(row.as_ref()).ok().map(|place| place.col_as_slice(0).to_vec())
    }
}

/// A row with a smaller share of its size than this in deviations from its mean is constant but for rounding.
const CONSTANT: f64 = 1e-12;

impl Metric {
    /// The length that goes with the places of rows.
    pub fn length(self) -> Length {
        match self {
            Self::Manhattan => Length::Absolute,
            Self::Euclidean | Self::Cosine | Self::Correlation => Length::Squared,
        }
    }

    /// Whether rows are seen as they are given, neither centred nor scaled.
    pub fn takes_rows_as_given(self) -> bool {
        matches!(self, Self::Cosine | Self::Correlation)
    }

    /// The places of rows, one per column: of rows `[n, d]` as they are given, or of the same scaled, `[d, n]`.
    pub fn places(self, rows: View, scaled: &Arc<Matrix>) -> Result<Arc<Matrix>> {
        match self.takes_rows_as_given() {
            true => self.directions(rows).map(Arc::new),
            false => Ok(scaled.clone()),
        }
    }

    /// Rows divided by their norm, less their own mean for the correlation. [d, n]
    pub(crate) fn directions(self, rows: View) -> Result<Matrix> {
        let (n, d) = (rows.nrows(), rows.ncols());
        let mut places = Matrix::zeros(d, n);
        for i in 0..n {
            let place = places.col_as_slice_mut(i);
            if !self.direction(rows.row(i), place) {
                return Err(Error::NoDirection { row: i, metric: self });
            }
        }
        Ok(places)
    }

    /// Writes the direction of a row; whether it has one.
    fn direction(self, row: RowView, place: &mut [f64]) -> bool {
        place.iter_mut().zip(row.iter()).for_each(|(slot, value)| *slot = *value);
        let size = largest(place);
        // in units of the largest, so that squares neither overflow nor vanish
        place.iter_mut().for_each(|value| *value /= size);
        if self == Self::Correlation {
            let mean = place.iter().sum::<f64>() / place.len() as f64;
            place.iter_mut().for_each(|value| *value -= mean);
        }
        let spread = largest(place);
        place.iter_mut().for_each(|value| *value /= spread);
        let norm = dot(place, place).sqrt();
        place.iter_mut().for_each(|value| *value /= norm);
        size > 0.0 && spread > CONSTANT
    }

    /// Whether a row has a direction: it is not zero, or not constant for the correlation.
    pub fn has_direction(self, row: RowView) -> bool {
        self.direction(row, &mut vec![0.0; row.ncols()])
    }

    /// The length that two places have at this distance in the metric, as `radius` names it.
    pub fn length_at(self, distance: f64) -> f64 {
        match self {
            Self::Euclidean => distance * distance,
            Self::Manhattan => distance,
            Self::Cosine | Self::Correlation => 2.0 * distance,
        }
    }
}

fn largest(place: &[f64]) -> f64 {
    place.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

#[cfg(test)]
#[path = "metric_tests.rs"]
mod tests;
