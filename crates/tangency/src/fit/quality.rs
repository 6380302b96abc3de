//! How good a map is, by measures that need no truth, next to principal components.

use super::Fit;
use crate::density::{DensityNotes, Reach};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::Problem;
use crate::peers::pca;
use crate::quality::quick_trustworthiness;
use serde::{Deserialize, Serialize};

/// Neighbours that trustworthiness and continuity look at.
const NEIGHBORS: usize = 12;

/// How good a map is: whether its neighbours are neighbours in the table and the other way round, with 12 neighbours and, where
/// there are many points, within a sample of them; and how much of the variance it explains.
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
    /// Where points are along a rotation of the features, `rotated` has the maps along it.
    pub(crate) fn measure(
        &mut self,
        problem: &Problem,
        rotated: Option<&Matrix>,
        begun: Option<&Matrix>,
    ) -> Result<()> {
        let map = &self.coordinates;
        let components = pca(&problem.observations, map.ncols())?;
        let moved = |begun: &&Matrix| begun.squared_norm_l2() > 0.0;
        let points = problem.observations.as_ref();
        let total = points.squared_norm_l2();
        let reach = match rotated {
            Some(maps) => Reach::rotated(self, problem.observations.clone(), maps),
            None => Reach::of(self),
        };
        let (explained, density) = (reach.share_left_out(), DensityNotes::of(&reach, &self.scaling));
        drop(reach);
        self.quality = Some(MapQuality {
            explained: Some(explained),
            pca_explained: Some(components.squared_norm_l2() / total),
            trustworthiness: trust_of(problem, map),
            pca: trust_of(problem, &components),
            continuity: Some(continuity_of(problem, map)),
            pca_continuity: Some(continuity_of(problem, &components)),
            start: begun.filter(moved).map(|begun| trust_of(problem, begun)),
        });
        self.density = Some(density);
        Ok(())
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
pub(super) fn trust_of(problem: &Problem, coordinates: &Matrix) -> f64 {
    quick_trustworthiness(&problem.observations, coordinates, NEIGHBORS)
}

/// Continuity of coordinates towards the table.
fn continuity_of(problem: &Problem, coordinates: &Matrix) -> f64 {
    let places = coordinates.transpose().to_owned();
    quick_trustworthiness(&places, &problem.observations.transpose().to_owned(), NEIGHBORS)
}
