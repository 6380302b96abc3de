//! How good an embedding is, by every measure for which there is something to measure it against.

use crate::density::{DensityNotes, Reach};
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::model::{Scaling, kept_rows};
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
    /// How they were scaled.
    pub scaling: Scaling,
    /// Who is next to whom.
    pub graph: Graph,
    /// Known coordinates. [n, d]
    pub truth: Option<Matrix>,
    /// Known classes.
    pub labels: Option<Vec<String>>,
    /// Those that lack no entry, where only neighbourhoods among these are looked at.
    pub whole: Option<WholeRows>,
}

/// The points of a table that lack no entry.
pub struct WholeRows {
    /// Which they are.
    pub which: Vec<usize>,
    /// Scaled, one a column. [d_y, n]
    pub points: Arc<Matrix>,
    /// The same, one a row. [n, d_y]
    pub rows: Matrix,
}

impl WholeRows {
    /// These of all points, one a column.
    pub fn new(which: Vec<usize>, points: &Matrix) -> Self {
        let points = Matrix::from_fn(points.nrows(), which.len(), |f, i| points[(f, which[i])]);
        Self { rows: points.transpose().to_owned(), points: Arc::new(points), which }
    }
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
    /// Share of the variance of the table that is explained: each row is expected from those that are nearest in the
    /// embedding, by a regression that has not seen it; 1 is best.
    pub explained: Option<f64>,
    /// Mean log-density of a row by all others, from Gaussians that reach along these regressions, in nats and in the units
    /// of the table; more is better.
    pub log_density: Option<f64>,
    /// Correlation of distances in the embedding with those along the graph; 1 is best.
    pub geodesic_correlation: Option<f64>,
    /// Share of points that their nearest neighbour in other folds puts into the wrong class; 0 is best.
    pub knn_error: Option<f64>,
    /// Standard deviation of that error from fold to fold.
    pub knn_error_deviation: Option<f64>,
}

impl Measures {
    /// Names of the measures, in the order of [`Measures::values`].
    pub const NAMES: [&'static str; 11] = [
        "procrustes",
        "affine_r2",
        "truth_trustworthiness",
        "truth_continuity",
        "trustworthiness",
        "continuity",
        "explained",
        "log_density",
        "geodesic_correlation",
        "knn_error",
        "knn_error_deviation",
    ];

    /// All of them.
    pub fn values(&self) -> [Option<f64>; 11] {
        [
            self.procrustes,
            self.affine_r2,
            self.truth_trustworthiness,
            self.truth_continuity,
            self.trustworthiness,
            self.continuity,
            self.explained,
            self.log_density,
            self.geodesic_correlation,
            self.knn_error,
            self.knn_error_deviation,
        ]
    }
}

impl Measures {
    /// Those that need no truth, all of them the more the better: what methods are ranked by.
    fn without_truth(&self) -> [Option<f64>; 4] {
        [self.explained, self.trustworthiness, self.continuity, self.log_density]
    }
}

/// The mean of the ranks of embeddings by the measures that need no truth, 1 for one that is first in all of them; equal ones
/// share their ranks. None where there is no embedding.
pub fn mean_ranks(all: &[Option<&Measures>]) -> Vec<Option<f64>> {
    let of = |measures: &Measures, m: usize| measures.without_truth()[m].unwrap_or(f64::NEG_INFINITY);
    let rank = |measures: &Measures, m: usize| {
        let others = || all.iter().flatten().map(|other| of(other, m));
        let (before, equal) = others().fold((0.0, 0.0), |(before, equal), other| {
            let own = of(measures, m);
            (before + f64::from(other > own), equal + f64::from(other == own))
        });
        before + (equal + 1.0) / 2.0
    };
    let count = Measures::default().without_truth().len();
    let mean = |measures: &Measures| (0..count).map(|m| rank(measures, m)).sum::<f64>() / count as f64;
    all.iter().map(|measures| measures.map(mean)).collect()
}

impl Yardsticks {
    /// Measures an embedding, n × d_x. Classes are told apart in folds that are drawn from `seed`.
    pub fn measure(&self, embedding: &Matrix, seed: u64) -> Result<Measures> {
        let of_whole = self.whole.as_ref().map(|whole| kept_rows(embedding.as_ref(), &whole.which));
        let seen = of_whole.as_ref().unwrap_or(embedding);
        let (points, rows) = match &self.whole {
            Some(whole) => (&whole.points, &whole.rows),
            None => (&self.points, &self.rows),
        };
        // a tiny table has fewer neighbours to look at
        let ranked = RANKED.min((seen.nrows() - 1) / 2);
        let near = |of: fn(&Matrix, &Matrix, usize) -> Result<f64>, reference: &Matrix, seen: &Matrix| match ranked {
            0 => Ok(None),
            k => of(reference, seen, k).map(Some),
        };
        let mut found = Measures {
            trustworthiness: near(trustworthiness, rows, seen)?,
            continuity: near(continuity, rows, seen)?,
            // an embedding that fell to a point has no distances to speak of
            geodesic_correlation: geodesic_correlation(&self.graph, &self.points, embedding).ok(),
            ..Measures::default()
        };
        if ranked > 0 && seen.is_all_finite() {
            let reach = Reach::of_embedding(points.clone(), seen, ranked);
            found.explained = Some(reach.share_left_out()).filter(|share| share.is_finite());
            let density = DensityNotes::of(&reach, &self.scaling).log_density;
            found.log_density = Some(density).filter(|density| density.is_finite());
        }
        if let Some(truth) = &self.truth {
            found.procrustes = Some(procrustes(embedding, truth)?).filter(|value| value.is_finite());
            // an embedding that fell onto a line has no affine map
            found.affine_r2 = affine_r2(embedding, truth).ok();
            found.truth_trustworthiness = near(trustworthiness, truth, embedding)?;
            found.truth_continuity = near(continuity, truth, embedding)?;
        }
        if let Some(labels) = &self.labels {
            let folds = FOLDS.min(labels.len());
            let KnnError { mean, fold_deviation, .. } = knn_error(embedding, labels, 1, folds, SHUFFLES, seed)?;
            (found.knn_error, found.knn_error_deviation) = (Some(mean), Some(fold_deviation));
        }
        Ok(found)
    }
}
