//! Axes of the observations, along which the means of the maps are found.
//!
//! Of a table with more features than points they span all points: a rotation, and no mean of a map is anywhere else
//! (docs/derivation.md, *Wide tables*). Otherwise they are principal axes, to which the means of the maps can be restricted.
//!
//! What is not along them is not thrown away: all features stay in the likelihood and in the uncertainty of the maps, and
//! the bound is that of all features with maps that have no mean outside the axes. It can only be lower than without.

use crate::error::Result;
use crate::linalg::{Matrix, orthonormal, product, product_transposed, symmetric_eigen, transposed_product};

/// Axes that keep a share of the variance, or all of it.
pub struct Reduction {
    /// Orthonormal axes. [d_y, kept]
    pub axes: Matrix,
    /// Share of the variance along them.
    pub share: f64,
    /// Whether they span all points.
    pub is_whole: bool,
}

impl Reduction {
    /// The fewest axes, but no fewer than `least`, that keep this share of the variance of centred observations, d_y × n.
    pub fn learn(observations: &Matrix, share: f64, least: usize) -> Result<Self> {
        Self::learn_between(observations, share, least, usize::MAX)
    }

    /// The same with no more than `most` axes, which may then keep less.
    pub fn learn_between(observations: &Matrix, share: f64, least: usize, most: usize) -> Result<Self> {
        let (d_y, n) = (observations.nrows(), observations.ncols());
        let total = observations.squared_norm_l2();
        let wide = d_y > n;
        let gram = match wide {
            true => transposed_product(observations, observations),
            false => product_transposed(observations, observations),
        };
        let (values, vectors) = symmetric_eigen(&gram, "covariance of the features")?;
        let (value, last) = (|c: usize| values[values.len() - 1 - c], values.len());
        let mut kept = 0;
        let mut along = 0.0;
        // beyond the rank of the table there are no axes, only rounding
        let smallest = 1e-12 * value(0);
        while kept < last.min(most) && value(kept) > smallest && (kept < least || along < share * total) {
            along += value(kept).max(0.0);
            kept += 1;
        }
        let leading = Matrix::from_fn(vectors.nrows(), kept, |i, c| vectors[(i, last - 1 - c)]);
        let axes = match wide {
            // from the points' side: axis c is Y v_c / √value
            true => {
                let long = product(observations, &leading);
                Matrix::from_fn(d_y, kept, |f, c| long[(f, c)] / value(c).max(f64::MIN_POSITIVE).sqrt())
            }
            false => leading,
        };
        Ok(Self { axes, share: if total > 0.0 { (along / total).min(1.0) } else { 1.0 }, is_whole: false })
    }

    /// As many axes as points, which span all of them, and the points along these: Y = QR. The table, d_y × n, has more
    /// features than points.
    pub fn rotation(observations: &Matrix) -> (Self, Matrix) {
        let (axes, along) = orthonormal(observations.clone());
        (Self { axes, share: 1.0, is_whole: true }, along)
    }

    /// Columns in features as columns along the axes.
    pub fn along(&self, columns: &Matrix) -> Matrix {
        transposed_product(&self.axes, columns)
    }

    /// Columns along the axes as columns in features.
    pub fn back(&self, columns: &Matrix) -> Matrix {
        product(&self.axes, columns)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn axes_are_orthonormal_and_keep_the_share() {
        for (d_y, n) in [(6, 40), (40, 6)] {
            let table =
                Matrix::from_fn(d_y, n, |f, i| ((f * 7 + i * 3) as f64).sin() * if f % 3 == 0 { 3.0 } else { 0.2 });
            let reduction = Reduction::learn(&table, 0.9, 2).unwrap();
            let gram = transposed_product(&reduction.axes, &reduction.axes);
            for p in 0..gram.nrows() {
                for q in 0..gram.nrows() {
                    assert!((gram[(p, q)] - f64::from(u8::from(p == q))).abs() < 1e-9);
                }
            }
            let kept = reduction.along(&table).squared_norm_l2() / table.squared_norm_l2();
            assert!((kept - reduction.share).abs() < 1e-9 && kept >= 0.9);
            assert!(reduction.axes.ncols() < d_y.min(n));
            let all = Reduction::learn(&table, 1.0, 2).unwrap().axes;
            assert!((0..all.ncols()).all(|c| (all.col(c).norm_l2() - 1.0).abs() < 1e-6));
        }
    }
}
