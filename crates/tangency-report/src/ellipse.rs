//! Uncertainty of a point in the plane, and the ellipse that shows it.

use crate::figure::FigureError;
use tangency::view::{EllipseView, REACH};

/// A radius beyond any figure: larger ones look no different.
const LARGEST_RADIUS: f64 = 1e5;

/// How sure the coordinates of each point are.
#[derive(Clone, Copy, Debug)]
pub enum PointUncertainty<'a> {
    /// Not known, and not drawn.
    None,
    /// For each point, a standard deviation per coordinate, errors being independent.
    StandardDeviations(&'a [Vec<f64>]),
    /// For each point of `d` coordinates, a `d × d` covariance matrix row after row.
    Covariances(&'a [Vec<f64>]),
}

impl PointUncertainty<'_> {
    pub(crate) fn check(&self, points: usize, dimension: usize) -> Result<(), FigureError> {
        let (rows, what, each, width) = match self {
            Self::None => return Ok(()),
            Self::StandardDeviations(rows) => {
                (rows, "rows of standard deviations", "standard deviations of a point", dimension)
            }
            Self::Covariances(rows) => {
                (rows, "covariance matrices", "entries of a covariance matrix", dimension * dimension)
            }
        };
        if rows.len() != points {
            return Err(FigureError::Length { what, expected: points, found: rows.len() });
        }
        match rows.iter().find(|row| row.len() != width) {
            Some(row) => Err(FigureError::Length { what: each, expected: width, found: row.len() }),
            None => Ok(()),
        }
    }

    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// The covariance of a point's first two coordinates; one coordinate has no spread in the second.
    pub(crate) fn plane(&self, point: usize, dimension: usize) -> Option<[[f64; 2]; 2]> {
        let second = dimension >= 2;
        match self {
            Self::None => None,
            Self::StandardDeviations(rows) => {
                let row = rows.get(point)?;
                let deviation = if second { *row.get(1)? } else { 0.0 };
                Some([[row.first()?.powi(2), 0.0], [0.0, deviation.powi(2)]])
            }
            Self::Covariances(rows) => {
                let row = rows.get(point)?;
                let entry = |i: usize, j: usize| row.get(i * dimension + j).copied();
                if !second {
                    return Some([[entry(0, 0)?, 0.0], [0.0, 0.0]]);
                }
                Some([[entry(0, 0)?, entry(0, 1)?], [entry(1, 0)?, entry(1, 1)?]])
            }
        }
    }

    /// The covariance of a point's three coordinates.
    pub(crate) fn volume(&self, point: usize) -> Option<[[f64; 3]; 3]> {
        match self {
            Self::None => None,
            Self::StandardDeviations(rows) => {
                let row = rows.get(point).filter(|row| row.len() == 3)?;
                Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| if i == j { row[i].powi(2) } else { 0.0 })))
            }
            Self::Covariances(rows) => {
                let row = rows.get(point).filter(|row| row.len() == 9)?;
                Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| row[3 * i + j])))
            }
        }
    }
}

/// An ellipse in pixels, its longer radius first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ellipse {
    pub radii: (f64, f64),
    /// The direction of the longer radius, clockwise from the x axis.
    pub degrees: f64,
}

/// The ellipse of a covariance under scales in pixels per unit, if the matrix is finite and not indefinite.
pub(crate) fn ellipse(covariance: [[f64; 2]; 2], per_unit: (f64, f64)) -> Option<Ellipse> {
    let [[across, upper], [lower, along]] = covariance;
    let both = 0.5 * (upper + lower) * per_unit.0 * per_unit.1;
    let scaled = [[across * per_unit.0 * per_unit.0, both], [both, along * per_unit.1 * per_unit.1]];
    let EllipseView { major, minor, degrees } = EllipseView::of(scaled)?;
    let radius = |deviation: f64| (REACH * deviation).min(LARGEST_RADIUS);
    Some(Ellipse { radii: (radius(major), radius(minor)), degrees })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_two_standard_deviations() {
        let found = ellipse([[9.0, 0.0], [0.0, 4.0]], (10.0, -10.0)).unwrap();
        assert!((found.radii.0 - 60.0).abs() < 1e-9 && (found.radii.1 - 40.0).abs() < 1e-9);
        assert!(found.degrees.abs() < 1e-9);
    }

    #[test]
    fn a_rising_correlation_rises_on_the_page() {
        // Eigenvalues 3 and 1 along the diagonals; pixels run downwards, so the turn is negative.
        let found = ellipse([[2.0, 1.0], [1.0, 2.0]], (1.0, -1.0)).unwrap();
        assert!((found.radii.0 - 2.0 * 3f64.sqrt()).abs() < 1e-12);
        assert!((found.radii.1 - 2.0).abs() < 1e-12);
        assert!((found.degrees + 45.0).abs() < 1e-9);
    }

    #[test]
    fn broken_matrices_have_no_ellipse() {
        let nan = f64::NAN;
        let broken = [
            [[nan, 0.0], [0.0, 1.0]],
            [[1.0, nan], [nan, 1.0]],
            [[0.0, 0.0], [0.0, 0.0]],
            [[1.0, 2.0], [2.0, 1.0]],
            [[-1.0, 0.0], [0.0, -1.0]],
            [[f64::INFINITY, 0.0], [0.0, 1.0]],
        ];
        assert!(broken.iter().all(|matrix| ellipse(*matrix, (1.0, -1.0)).is_none()));
        let flat = ellipse([[1.0, 1.0], [1.0, 1.0]], (1.0, -1.0)).unwrap();
        assert_eq!(flat.radii.1, 0.0);
    }
}
