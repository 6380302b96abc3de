//! Principal component analysis: the directions along which the points spread most.

use super::{centred, check_dimension, stretched};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, leading_eigenvectors, product_transposed, transposed_product};

/// Scores on the first principal axes; `points` is d_y × n, one a column. [n, d_x]
pub fn pca(points: &Matrix, n_components: usize) -> Result<Matrix> {
    let n = check_dimension(points, n_components)?;
    if n_components > points.nrows() {
        let features = points.nrows();
        return Err(Error::too_large(
            "n_components",
            n_components,
            format!("the table has only {features} feature(s)"),
        ));
    }
    let y = centred(points);
    if y.nrows() > n {
        // the same from the smaller matrix of inner products
        let (values, axes) =
            leading_eigenvectors(&transposed_product(&y, &y), n_components, "inner products of the data")?;
        return Ok(stretched(&axes, &values));
    }
    let (_, axes) = leading_eigenvectors(&product_transposed(&y, &y), n_components, "covariance of the data")?;
    Ok(transposed_product(&y, &axes))
}
