//! How good an embedding is, by every measure for which there is something to measure it against.

use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::quality::{KnnError, affine_r2, continuity, geodesic_correlation, knn_error, procrustes, trustworthiness};
use serde::Serialize;
use std::sync::Arc;

/// Neighbours that trustworthiness and continuity look at.
pub const RANKED: usize = 12;
/// Folds of the classification error.
const FOLDS: usize = 10;
/// Draws of the folds.
const SHUFFLES: usize = 10;

/// What an embedding is measured against.
pub struct Yardsticks {
    /// Points, scaled, one a column. [d_y, n]
    pub points: Arc<Matrix>,
    /// The same, one a row. [n, d_y]
    pub rows: Matrix,
    /// Who is next to whom.
    pub graph: Graph,
    /// Known coordinates. [n, d]
    pub truth: Option<Matrix>,
    /// Known classes.
    pub labels: Option<Vec<String>>,
}

/// Measures of one embedding; those for which nothing is known are absent.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measures {
    /// Distance to the known coordinates after the best rotation and scale; 0 is best.
    pub procrustes: Option<f64>,
    /// Share of the known coordinates that an affine map explains; 1 is best.
    pub affine_r2: Option<f64>,
    /// Whether neighbours in the embedding are neighbours in truth; 1 is best.
    pub truth_trustworthiness: Option<f64>,
    /// Whether neighbours in truth are neighbours in the embedding; 1 is best.
    pub truth_continuity: Option<f64>,
    /// Whether neighbours in the embedding are neighbours in the table; 1 is best.
    pub trustworthiness: Option<f64>,
    /// Whether neighbours in the table are neighbours in the embedding; 1 is best.
    pub continuity: Option<f64>,
    /// Correlation of distances in the embedding with those along the graph; 1 is best.
    pub geodesic_correlation: Option<f64>,
    /// Share of points that their nearest neighbour in other folds puts into the wrong class; 0 is best.
    pub knn_error: Option<f64>,
    /// Standard deviation of that error from fold to fold.
    pub knn_error_deviation: Option<f64>,
}

impl Measures {
    /// Names of the measures, in the order of [`Measures::values`].
    pub const NAMES: [&'static str; 9] = [
        "procrustes",
        "affine_r2",
        "truth_trustworthiness",
        "truth_continuity",
        "trustworthiness",
        "continuity",
        "geodesic_correlation",
        "knn_error",
        "knn_error_deviation",
    ];

    /// All of them.
    pub fn values(&self) -> [Option<f64>; 9] {
        [
            self.procrustes,
            self.affine_r2,
            self.truth_trustworthiness,
            self.truth_continuity,
            self.trustworthiness,
            self.continuity,
            self.geodesic_correlation,
            self.knn_error,
            self.knn_error_deviation,
        ]
    }
}

impl Yardsticks {
    /// Measures an embedding, n × d_x. Classes are told apart in folds that are drawn from `seed`.
    pub fn measure(&self, embedding: &Matrix, seed: u64) -> Result<Measures> {
        // a tiny table has fewer neighbours to look at
        let ranked = RANKED.min((embedding.nrows() - 1) / 2);
        let near = |of: fn(&Matrix, &Matrix, usize) -> Result<f64>, reference: &Matrix| match ranked {
            0 => Ok(None),
            k => of(reference, embedding, k).map(Some),
        };
        let mut found = Measures {
            trustworthiness: near(trustworthiness, &self.rows)?,
            continuity: near(continuity, &self.rows)?,
            // an embedding that fell to a point has no distances to speak of
            geodesic_correlation: geodesic_correlation(&self.graph, &self.points, embedding).ok(),
            ..Measures::default()
        };
        if let Some(truth) = &self.truth {
            found.procrustes = Some(procrustes(embedding, truth)?).filter(|value| value.is_finite());
            // an embedding that fell onto a line has no affine map
            found.affine_r2 = affine_r2(embedding, truth).ok();
            found.truth_trustworthiness = near(trustworthiness, truth)?;
            found.truth_continuity = near(continuity, truth)?;
        }
        if let Some(labels) = &self.labels {
            let folds = FOLDS.min(labels.len());
            let KnnError { mean, fold_deviation, .. } = knn_error(embedding, labels, 1, folds, SHUFFLES, seed)?;
            (found.knn_error, found.knn_error_deviation) = (Some(mean), Some(fold_deviation));
        }
        Ok(found)
    }
}
