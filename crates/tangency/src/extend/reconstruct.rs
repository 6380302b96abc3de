//! Observations from coordinates, with predictive standard deviations (docs/derivation.md, eq. 19).

use super::{Extension, Placement};
use crate::error::{Error, Result, finite};
use crate::graph::squared_distance;
use crate::linalg::{Matrix, dot, scale, small};
use crate::message::{Column, Remedy};
use rayon::prelude::*;

crate::choice! {
    /// What a predictive standard deviation is about.
    pub enum Predicts default Measurement {
        /// A measurement made at these coordinates.
        Measurement = "measurement",
        /// The row that was placed there by its own measurements. Its coordinates have followed its noise along the
        /// manifold, so only what is left across it is to be expected.
        PlacedRow = "placed-row",
    }
}

/// Observations at given coordinates, in the units of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconstruction {
    /// Expected values. `[m, d_y]`
    pub values: Matrix,
    /// Their predictive standard deviations. `[m, d_y]`
    pub deviations: Matrix,
}

/// A training point without itself: where the others place it, and what they expect there.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its mean coordinates by the others. `[d_x]`
    pub mean: Vec<f64>,
    /// Values expected there. `[d_y]`
    pub values: Vec<f64>,
    /// Predictive standard deviations of a placed row. `[d_y]`
    pub deviations: Vec<f64>,
    /// Root mean square of (observed − expected) / deviation.
    pub strain: f64,
}

/// Beyond this many units of the scaled data, nothing that is expected means anything.
const FARTHEST: f64 = 1e30;

/// Most points of a grid.
const MOST_GRID_POINTS: usize = 1_000_000;

/// One expected observation in scaled units.
pub(super) struct Expected {
    pub values: Vec<f64>,
    /// Variances, not yet multiplied by the calibrated factor.
    pub variances: Vec<f64>,
}

impl Extension {
    /// Observations expected at coordinates, m × d_x.
    pub fn reconstruct(&self, coordinates: &Matrix, predicts: Predicts) -> Result<Reconstruction> {
        let mut plain = self.reconstruct_plainly(coordinates, predicts)?;
        scale(&mut plain.deviations, self.spread());
        Ok(plain)
    }

    /// The same with the model's own deviations.
    pub(super) fn reconstruct_plainly(&self, coordinates: &Matrix, predicts: Predicts) -> Result<Reconstruction> {
        let (d_x, d_y, m) = (self.frozen.d_x(), self.frozen.d_y(), coordinates.nrows());
        if coordinates.ncols() != d_x {
            return Err(Error::ShapeMismatch {
                what: "the table of coordinates".into(),
                expected: format!("{d_x} coordinates"),
                found: format!("{} coordinates", coordinates.ncols()),
            });
        }
        for a in 0..d_x {
            if let Some(row) = coordinates.col_as_slice(a).iter().position(|v| !v.is_finite()) {
                let (column, value) = (Column::Named(format!("x{}", a + 1)), coordinates[(row, a)].to_string());
                return Err(Error::NonFinite { row, column, value, line: None });
            }
        }
        let columns = coordinates.transpose().to_owned();
        let lists = self.latent_index.nearest(&columns, self.n_neighbors);
        let expected: Vec<Expected> =
            (0..m).into_par_iter().map(|i| self.expect(columns.col_as_slice(i), &lists[i], predicts)).collect();
        let possible = |value: &f64| value.abs() < FARTHEST;
        let of_none = |e: &Expected| {
            !e.values.iter().chain(&e.variances).all(possible) || e.variances.iter().any(|&variance| variance < 0.0)
        };
        if let Some(i) = expected.iter().position(of_none) {
            return Err(Error::TooFar { row: i });
        }
        let values = Matrix::from_fn(m, d_y, |i, f| self.in_units(f, expected[i].values[f]));
        let deviations = Matrix::from_fn(m, d_y, |i, f| self.scaling.scale[f] * expected[i].variances[f].sqrt());
        let all = |f: usize| values.col_as_slice(f).iter().chain(deviations.col_as_slice(f)).copied();
        finite("reconstructions", (0..d_y).flat_map(all))?;
        Ok(Reconstruction { values, deviations })
    }

    /// A grid over the box that the training points take, the first coordinate running fastest. `[m, d_x]`
    pub fn grid(&self, sizes: &[usize]) -> Result<Matrix> {
        let x = &self.frozen.coordinates;
        let points = sizes.iter().try_fold(1usize, |points, &size| points.checked_mul(size));
        let Some(points @ 1..=MOST_GRID_POINTS) = points.filter(|_| sizes.len() == x.nrows()) else {
            let example = vec!["20"; x.nrows()].join("x");
            let given: Vec<String> = sizes.iter().map(usize::to_string).collect();
            let needed = format!(
                "the model needs {} number{} above 0, for at most a million points",
                x.nrows(),
                if x.nrows() == 1 { "" } else { "s" },
            );
            return Err(Error::setting("grid", given.join("x"), needed, [Remedy::Set("grid", example)]));
        };
        let ends: Vec<(f64, f64)> = (0..x.nrows())
            .map(|a| {
                let along = || (0..x.ncols()).map(|i| x[(a, i)]);
                (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max))
            })
            .collect();
        Ok(Matrix::from_fn(points, sizes.len(), |i, a| {
            let before: usize = sizes[..a].iter().product();
            let (step, (low, high)) = ((i / before) % sizes[a], ends[a]);
            match sizes[a] {
                1 => 0.5 * (low + high),
                size => low + (high - low) * step as f64 / (size - 1) as f64,
            }
        }))
    }

    /// Distance of each row of coordinates to the nearest training point. `[m]`
    pub fn distance_to_nearest(&self, coordinates: &Matrix) -> Vec<f64> {
        let columns = coordinates.transpose().to_owned();
        let lists = self.latent_index.nearest(&columns, 1);
        let distance = |(i, list): (usize, &Vec<u32>)| {
            let nearest = list.first().map(|&nearest| self.frozen.coordinates.col_as_slice(nearest as usize));
            nearest.map_or(f64::INFINITY, |nearest| squared_distance(columns.col_as_slice(i), nearest).sqrt())
        };
        lists.iter().enumerate().map(distance).collect()
    }

    /// The mean length of an edge in the coordinates: how far the local maps reach.
    pub fn typical_step(&self) -> f64 {
        let (x, edges) = (&self.frozen.coordinates, self.terrain.graph.edges());
        let length =
            |&(i, j): &(u32, u32)| squared_distance(x.col_as_slice(i as usize), x.col_as_slice(j as usize)).sqrt();
        edges.iter().map(length).sum::<f64>() / edges.len() as f64
    }

    /// Each training point as the others see it; `None` for one without which the graph would be in pieces. Large strain
    /// shows where the manifold is badly fitted.
    pub fn left_out(&self) -> Vec<Option<LeftOut>> {
        let factor = self.spread();
        let seen = |i: usize, placed: &Placement| {
            let mean = placed.mean.clone();
            let expected = self.expect_left_out(i, &mean);
            let of_units = |(f, variance): (usize, &f64)| factor * self.scaling.scale[f] * variance.sqrt();
            LeftOut {
                mean,
                strain: self.strain(i, &expected) / factor,
                values: expected.values.iter().enumerate().map(|(f, &value)| self.in_units(f, value)).collect(),
                deviations: expected.variances.iter().enumerate().map(of_units).collect(),
            }
        };
        let placed = self.leave_one_out().iter().enumerate();
        placed.map(|(i, placed)| placed.as_ref().map(|placed| seen(i, placed))).collect()
    }

    pub(super) fn expect_left_out(&self, i: usize, x: &[f64]) -> Expected {
        let query = Matrix::from_fn(x.len(), 1, |a, _| x[a]);
        let list = self.latent_index.search(&query, self.n_neighbors, |_| Some(i as u32)).remove(0);
        self.expect(x, &list, Predicts::PlacedRow)
    }

    /// Root mean square of the standardised differences over what was measured, not yet calibrated.
    pub(super) fn strain(&self, i: usize, expected: &Expected) -> f64 {
        let y = self.frozen.observations.col_as_slice(i);
        let measured = || (0..y.len()).filter(|&f| !self.density.gaps().lacks(i, f));
        let squares = measured().map(|f| (y[f] - expected.values[f]).powi(2) / expected.variances[f]);
        (squares.sum::<f64>() / measured().count() as f64).sqrt()
    }

    fn in_units(&self, f: usize, scaled: f64) -> f64 {
        self.scaling.center[f] + self.scaling.scale[f] * scaled
    }

    /// The paper's reconstruction from these neighbours, and its variance.
    pub(super) fn expect(&self, x: &[f64], neighbors: &[u32], predicts: Predicts) -> Expected {
        let (d_x, d_y, k) = (self.frozen.d_x(), self.frozen.d_y(), neighbors.len() as f64);
        let mut values = vec![0.0; d_y];
        let mut map = vec![0.0; d_x * d_y]; // mean of the neighbours' maps, column by column
        let mut step = vec![0.0; d_x]; // from the mean of the neighbours
        let mut map_covariance = vec![0.0; d_x * d_x];
        for &j in neighbors {
            let j = j as usize;
            let x_j = self.frozen.coordinates.col_as_slice(j);
            values.iter_mut().zip(self.frozen.observations.col_as_slice(j)).for_each(|(value, y)| *value += y / k);
            for (a, column) in self.frozen.map(j).enumerate() {
                let along = x[a] - x_j[a];
                step[a] += along / k;
                for (f, c) in column.iter().enumerate() {
                    values[f] += c * along / k;
                    map[a * d_y + f] += c / k;
                }
            }
            let covariance = self.map_covariances.col_as_slice(j);
            map_covariance.iter_mut().zip(covariance).for_each(|(sum, c)| *sum += c / k);
        }
        let gamma = self.frozen.hyper.gamma;
        let noise = 0.5 / (gamma * k);
        let of_maps = dot(&step, &small::times(&map_covariance, &step)).max(0.0);
        // a plane through k noisy points has 1 + d_x numbers of its own
        let mut variances = vec![noise * (1.0 + (1.0 + d_x as f64) / k) + of_maps; d_y];
        if predicts == Predicts::PlacedRow {
            // of the noise, the share that lies along the manifold went into the coordinates
            let column = |a: usize| &map[a * d_y..(a + 1) * d_y];
            let mut inverse: Vec<f64> = (0..d_x * d_x)
                .map(|ab| {
                    dot(column(ab / d_x), column(ab % d_x)) + if ab / d_x == ab % d_x { 1.0 / gamma } else { 0.0 }
                })
                .collect();
            if small::invert(&mut inverse, d_x).is_some() {
                for (f, variance) in variances.iter_mut().enumerate() {
                    let row: Vec<f64> = (0..d_x).map(|a| map[a * d_y + f]).collect();
                    *variance -= noise * dot(&row, &small::times(&inverse, &row)).clamp(0.0, 1.0);
                }
            }
        }
        Expected { values, variances }
    }
}
