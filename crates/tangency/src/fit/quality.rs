//! How good a map is, by measures that need no truth, next to principal components.

use super::Fit;
use crate::density::{DensityNotes, Reach, share_of};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::Problem;
use crate::peers::pca;
use crate::quality::quick_trustworthiness;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Neighbours that trustworthiness and continuity look at.
const NEIGHBORS: usize = 12;

/// How good a map is: whether its neighbours are neighbours in the table and the other way round, with 12 neighbours and from a
/// sample of points where there are many, and how much of the variance it explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapQuality {
    /// Share of the variance explained: each row is expected from its neighbours on the map, which do not know it. None in
    /// models of early versions, like all that may be none here.
    #[serde(default)]
    pub explained: Option<f64>,
    /// The same of as many principal components, which do know it.
    #[serde(default)]
    pub pca_explained: Option<f64>,
    /// Trustworthiness: whether neighbours on the map are neighbours in the table.
    pub trustworthiness: f64,
    /// Of as many principal components.
    pub pca: f64,
    /// Continuity: whether neighbours in the table are neighbours on the map.
    #[serde(default)]
    pub continuity: Option<f64>,
    /// Of as many principal components.
    #[serde(default)]
    pub pca_continuity: Option<f64>,
    /// Trustworthiness of the start; none where a run did not begin from coordinates.
    pub start: Option<f64>,
}

impl Fit {
    /// Finds out how good the fit is: next to principal components, next to where it began, and as a density of rows.
    pub(crate) fn measure(&mut self, problem: &Problem, begun: Option<&Matrix>) -> Result<()> {
        let map = &self.coordinates;
        // as the graph sees the table, whatever the noise of features
        let points = match &self.noise_scales {
            Some(_) => Arc::new(self.graph_observations()),
            None => problem.observations.clone(),
        };
        let components = pca(&points, map.ncols())?;
        let moved = |begun: &&Matrix| begun.squared_norm_l2() > 0.0;
        let total = points.squared_norm_l2();
        let reach = Reach::of(self);
        let squares = reach.squares_left_out();
        let noise = self.noise_scales.as_ref().map(|noise| noise.as_slice());
        let (explained, density) = (share_of(&squares, noise), DensityNotes::of(&reach, &self.scaling));
        drop(reach);
        self.feature_explained = Some(squares.iter().map(|of| share_of(std::slice::from_ref(of), None)).collect());
        self.quality = Some(MapQuality {
            explained: Some(explained),
            pca_explained: Some(components.squared_norm_l2() / total),
            trustworthiness: trust_of(&points, map),
            pca: trust_of(&points, &components),
            continuity: Some(continuity_of(&points, map)),
            pca_continuity: Some(continuity_of(&points, &components)),
            start: begun.filter(moved).map(|begun| trust_of(&points, begun)),
        });
        self.density = Some(density);
        Ok(())
    }

    /// Share of the variance of some features, as the graph sees them, that is explained of rows that are left out.
    pub fn explained_of(&self, features: &[usize]) -> Option<f64> {
        let shares = self.feature_explained.as_ref()?;
        let points = self.graph_observations();
        let square = |f: usize| (0..points.ncols()).map(|i| points[(f, i)].powi(2)).sum::<f64>();
        let squares: Vec<(f64, f64)> =
            features.iter().map(|&f| (f, square(f))).map(|(f, square)| ((1.0 - shares[f]) * square, square)).collect();
        Some(share_of(&squares, None))
    }

    /// How good it is in one line.
    pub fn glance(&self) -> Option<String> {
        let quality = self.quality?;
        let beside = |ours: f64, pca: Option<f64>| match pca {
            Some(pca) => format!("{ours:.3} (PCA {pca:.3})"),
            None => format!("{ours:.3}"),
        };
        let variance =
            quality.explained.map(|ours| format!("variance explained {}", beside(ours, quality.pca_explained)));
        let trust = format!("trustworthiness {}", beside(quality.trustworthiness, Some(quality.pca)));
        let continuity = quality.continuity.map(|ours| format!("continuity {}", beside(ours, quality.pca_continuity)));
        let gain = self.density.map(|notes| {
            let gain = notes.log_density - notes.kernel_log_density;
            format!("density {gain:+.2} nats per row over a kernel density")
        });
        let all = [variance, Some(trust), continuity, gain];
        Some(all.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Trustworthiness of coordinates towards the table.
pub(super) fn trust_of(points: &Matrix, coordinates: &Matrix) -> f64 {
    quick_trustworthiness(points, coordinates, NEIGHBORS)
}

/// Continuity of coordinates towards the table.
fn continuity_of(points: &Matrix, coordinates: &Matrix) -> f64 {
    let places = coordinates.transpose().to_owned();
    quick_trustworthiness(&places, &points.transpose().to_owned(), NEIGHBORS)
}
