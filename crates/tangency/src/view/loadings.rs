//! Which features change along each coordinate.
//!
//! A loading is the change of a feature per unit of a coordinate, in the units of the table: an entry of the map C_i, or its
//! average over several points. Features may have different units, so they are compared, ranked and drawn by the change
//! over one standard deviation of the coordinate in standard deviations of the feature.

use super::{axis_names, spread};
use crate::error::Result;
use crate::extend::{LoadingDeviations, loadings};
use crate::io::Model;
use serde::Serialize;

/// Loadings at a point, or averaged over several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadingsView {
    /// The points they are averaged over.
    pub points: Vec<usize>,
    /// Names of the coordinates.
    pub axes: Vec<String>,
    /// Names of the features.
    pub features: Vec<String>,
    /// Change per unit of the coordinate, in the units of the table. `[d_y][d_x]`
    pub mean: Vec<Vec<f64>>,
    /// Its standard deviation. `[d_y][d_x]`
    pub deviation: Vec<Vec<f64>>,
    /// What these deviations are.
    pub deviations: LoadingDeviations,
    /// Times this a loading is the change over the spread of the coordinate in standard deviations of the feature; 0 for a
    /// feature that does not vary. `[d_y][d_x]`
    pub standard: Vec<Vec<f64>>,
}

/// How one feature changes along one coordinate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadingRow {
    /// The feature.
    pub feature: String,
    /// Change per unit of the coordinate, in the units of the table.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// Change over one standard deviation of the coordinate, in standard deviations of the feature.
    pub standardised: f64,
    /// Standard deviation of that.
    pub standardised_sd: f64,
}

impl LoadingsView {
    /// The loadings of a model at these points.
    pub fn new(model: &Model, points: &[usize]) -> Result<Self> {
        let fit = &model.fit;
        let found = loadings(fit, points)?;
        let (d_x, d_y) = (fit.coordinates.ncols(), fit.observations.ncols());
        let of_x: Vec<f64> = (0..d_x).map(|a| spread(fit.coordinates.col_as_slice(a))).collect();
        let of_feature: Vec<f64> = (0..d_y).map(|f| spread(fit.observations.col_as_slice(f))).collect();
        let standard = |f: usize, a: usize| if of_feature[f] > 0.0 { of_x[a] / of_feature[f] } else { 0.0 };
        let table = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..d_y).map(|f| (0..d_x).map(|a| entry(f, a)).collect()).collect()
        };
        Ok(Self {
            points: points.to_vec(),
            axes: axis_names(d_x),
            features: model.feature_names.clone(),
            mean: table(&|f, a| found.mean[(f, a)]),
            deviation: table(&|f, a| found.deviation[(f, a)]),
            deviations: found.deviations,
            standard: table(&standard),
        })
    }

    /// One feature along one coordinate.
    pub fn row(&self, f: usize, a: usize) -> LoadingRow {
        let (mean, sd, standard) = (self.mean[f][a], self.deviation[f][a], self.standard[f][a]);
        LoadingRow {
            feature: self.features[f].clone(),
            mean,
            sd,
            standardised: mean * standard,
            standardised_sd: sd * standard,
        }
    }

    /// The features that change most along a coordinate, the strongest first.
    pub fn along(&self, a: usize, top: usize) -> Vec<LoadingRow> {
        let mut rows: Vec<LoadingRow> = (0..self.features.len()).map(|f| self.row(f, a)).collect();
        rows.sort_by(|p, q| q.standardised.abs().total_cmp(&p.standardised.abs()));
        rows.truncate(top);
        rows
    }

    /// The same along each coordinate.
    pub fn directions(&self, top: usize) -> Vec<Vec<LoadingRow>> {
        (0..self.axes.len()).map(|a| self.along(a, top)).collect()
    }

    /// The features that change most along any coordinate, the strongest first.
    pub fn strongest(&self, top: usize) -> Vec<usize> {
        let strength = |f: usize| {
            let along = |a: usize| (self.mean[f][a] * self.standard[f][a]).abs();
            (0..self.axes.len()).map(along).fold(0.0, f64::max)
        };
        let mut features: Vec<usize> = (0..self.features.len()).collect();
        features.sort_by(|&f, &g| strength(g).total_cmp(&strength(f)));
        features.truncate(top);
        features
    }
}
