//! How good a map is, by measures that need no truth, next to principal components.

use super::Fit;
use crate::density::{DensityNotes, Reach, share_of};
use crate::error::Result;
use crate::graph::{Length, Metric};
use crate::linalg::Matrix;
use crate::model::Problem;
use crate::peers::pca;
use crate::quality::{Places, TableRanks, quick_trustworthiness};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// Neighbours that trustworthiness and continuity look at.
const NEIGHBORS: usize = 12;
/// So many rows that lack nothing are enough to look at these alone; fewer if they are half of all.
const WHOLE_ROWS: usize = 200;

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
    /// Among which rows trustworthiness and continuity are found, where some lack entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among: Option<AmongRows>,
}

/// Among which rows of a table with gaps neighbourhoods are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AmongRows {
    /// Among so many that lack nothing.
    Whole(usize),
    /// Among all, by entries that are filled in too, since too few lack nothing.
    FilledIn,
}

impl AmongRows {
    /// Those that are compared in a table with so many rows, of which so many lack nothing.
    pub(crate) fn of(whole: usize, all: usize) -> Self {
        if whole >= WHOLE_ROWS.min(all / 2).max(4 * NEIGHBORS) { Self::Whole(whole) } else { Self::FilledIn }
    }
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
        self.measure_by(&Compared::new(problem), problem, rotated, begun)
    }

    /// The same where it is known which neighbourhoods are compared.
    pub(super) fn measure_by(
        &mut self,
        known: &Compared,
        problem: &Problem,
        rotated: Option<&Matrix>,
        begun: Option<&Matrix>,
    ) -> Result<()> {
        let map = &self.coordinates;
        // as the graph sees the table, whatever the noise of features
        let points = match &self.noise_scales {
            Some(_) => Arc::new(self.graph_observations()),
            None => problem.observations.clone(),
        };
        let components = pca(&points, map.ncols())?;
        let moved = |begun: &&Matrix| begun.squared_norm_l2() > 0.0;
        let lacked = problem.missing_entries();
        let reach = match rotated.filter(|_| lacked.is_empty()) {
            Some(maps) => Reach::rotated(self, problem.observations.clone(), maps),
            None => Reach::of(self, lacked.clone()),
        };
        let density = DensityNotes::of(&reach, &self.scaling);
        // feature by feature, not along a rotation of them
        let squares = match reach.is_rotated() {
            true => Reach::of(self, lacked.clone()).squares_left_out(),
            false => reach.squares_left_out(),
        };
        drop(reach);
        let noise = self.noise_scales.as_ref().map(|noise| noise.as_slice());
        let own = self.noise_scales.as_ref().map(|_| Compared::of(problem, points.clone()));
        let compared = own.as_ref().unwrap_or(known);
        self.feature_explained = Some(squares.iter().map(|of| share_of(std::slice::from_ref(of), None)).collect());
        self.quality = Some(MapQuality {
            explained: Some(share_of(&squares, noise)),
            pca_explained: Some(share_of_components(&points, &components, &lacked, squares.len())),
            trustworthiness: compared.trustworthiness(map),
            pca: compared.trustworthiness(&components),
            continuity: Some(compared.continuity(map)),
            pca_continuity: Some(compared.continuity(&components)),
            start: begun.filter(moved).map(|begun| compared.trustworthiness(begun)),
            among: compared.among,
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
        let among = match quality.among {
            None => String::new(),
            Some(AmongRows::Whole(rows)) => format!(" among the {rows} rows without gaps"),
            Some(AmongRows::FilledIn) => " with what was filled in".to_owned(),
        };
        let trust = format!("trustworthiness {}", beside(quality.trustworthiness, Some(quality.pca)));
        let (trust, continuity) = match quality.continuity {
            None => (format!("{trust}{among}"), None),
            Some(ours) => (trust, Some(format!("continuity {}{among}", beside(ours, quality.pca_continuity)))),
        };
        let gain = self.density.map(|notes| {
            let gain = notes.log_density - notes.kernel_log_density;
            format!("density {gain:+.2} nats per row over a kernel density")
        });
        let all = [variance, Some(trust), continuity, gain];
        Some(all.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Trustworthiness of coordinates towards points without gaps, one per column.
pub(super) fn trust_towards(points: &Matrix, coordinates: &Matrix) -> f64 {
    quick_trustworthiness(Places::straight(points), Places::straight(&coordinates.transpose().to_owned()), NEIGHBORS)
}

/// The rows whose neighbourhoods in the table are compared with those on a map. One that lacks entries has no neighbourhood that
/// was measured.
pub(super) struct Compared {
    /// Where the metric of the graph has them, one per column. `[d_y, …]`
    points: Arc<Matrix>,
    /// How far apart two of them are.
    length: Length,
    /// Which rows they are; all, if none are named.
    rows: Option<Vec<usize>>,
    among: Option<AmongRows>,
    /// Which neighbour each is of each other, as soon as somebody asks.
    ranks: OnceLock<TableRanks>,
}

impl Compared {
    /// The rows of a problem as the table has them.
    pub fn new(problem: &Problem) -> Self {
        Self::of(problem, problem.observations.clone())
    }

    /// The rows of a problem, by these points where neighbours are sought in straight lines.
    fn of(problem: &Problem, points: Arc<Matrix>) -> Self {
        let (points, metric) = match problem.places() {
            Some(places) => (places.all().clone(), places.metric()),
            None => (points, Metric::Euclidean),
        };
        let length = metric.length();
        let lacked = problem.missing_entries();
        if lacked.is_empty() {
            return Self { points, length, rows: None, among: None, ranks: OnceLock::new() };
        }
        let mut with_gaps: Vec<usize> = lacked.iter().map(|&(row, _)| row as usize).collect();
        with_gaps.dedup();
        let whole: Vec<usize> = (0..problem.n()).filter(|row| with_gaps.binary_search(row).is_err()).collect();
        let among = AmongRows::of(whole.len(), problem.n());
        match among {
            AmongRows::FilledIn => Self { points, length, rows: None, among: Some(among), ranks: OnceLock::new() },
            AmongRows::Whole(_) => {
                let some = Matrix::from_fn(points.nrows(), whole.len(), |f, c| points[(f, whole[c])]);
                let ranks = OnceLock::new();
                Self { points: Arc::new(some), length, rows: Some(whole), among: Some(among), ranks }
            }
        }
    }

    /// The places of these rows on a map. `[d_x, …]`
    fn on_map(&self, coordinates: &Matrix) -> Matrix {
        match &self.rows {
            None => coordinates.transpose().to_owned(),
            Some(rows) => Matrix::from_fn(coordinates.ncols(), rows.len(), |a, i| coordinates[(rows[i], a)]),
        }
    }

    fn in_table(&self) -> Places<'_> {
        Places { points: &self.points, length: self.length }
    }

    /// Trustworthiness of coordinates towards the table.
    pub fn trustworthiness(&self, coordinates: &Matrix) -> f64 {
        let ranks = self.ranks.get_or_init(|| TableRanks::of(self.in_table()));
        ranks.trustworthiness(Places::straight(&self.on_map(coordinates)), NEIGHBORS)
    }

    fn continuity(&self, coordinates: &Matrix) -> f64 {
        quick_trustworthiness(Places::straight(&self.on_map(coordinates)), self.in_table(), NEIGHBORS)
    }
}

/// The share of the variance of the entries that were measured which principal components explain. Of points along a rotation of
/// the features all counts.
fn share_of_components(points: &Matrix, components: &Matrix, lacked: &[(u32, u32)], n_features: usize) -> f64 {
    let n = points.ncols();
    let all = points.squared_norm_l2();
    if lacked.is_empty() {
        return components.squared_norm_l2() / all;
    }
    // components are at right angles: what they say of a feature is their regression, one by one
    let lengths: Vec<f64> = (0..components.ncols()).map(|a| components.col(a).squared_norm_l2()).collect();
    let axes = Matrix::from_fn(points.nrows(), components.ncols(), |f, a| {
        let along: f64 = (0..n).map(|i| points[(f, i)] * components[(i, a)]).sum();
        if lengths[a] > 0.0 { along / lengths[a] } else { 0.0 }
    });
    let left =
        |f: usize, i: usize| points[(f, i)] - (0..axes.ncols()).map(|a| axes[(f, a)] * components[(i, a)]).sum::<f64>();
    let entries = || (0..n).flat_map(|i| (0..points.nrows()).map(move |f| (f, i)));
    let missed: f64 = entries().map(|(f, i)| left(f, i).powi(2)).sum();
    let (mut of_missing, mut missed_of_missing) = (0.0, 0.0);
    for &(i, f) in lacked.iter().filter(|_| points.nrows() == n_features) {
        of_missing += points[(f as usize, i as usize)].powi(2);
        missed_of_missing += left(f as usize, i as usize).powi(2);
    }
    1.0 - (missed - missed_of_missing) / (all - of_missing)
}
