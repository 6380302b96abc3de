//! New rows: placed and scored.

use crate::arrays::TableLayout;
use crate::attend::Watcher;
use tangency::Fit;
use tangency::extend::Extension;
use tangency::io::{StructureRow, of_table, structure_row};
use tangency::linalg::View;

/// Where rows were placed, row by row.
#[derive(Default)]
pub struct Placed {
    /// [m, d_x]
    pub mean: Vec<f64>,
    /// [m, d_x]
    pub deviations: Vec<f64>,
    /// [m, d_x, d_x]
    pub covariances: Vec<f64>,
    /// The training point that has the very same measurements, if there is one. [m]
    pub points: Vec<Option<u32>>,
    /// How many had not come to rest.
    pub unsettled: usize,
}

impl Placed {
    /// What the structure of a fit says of the rows.
    pub fn structure(&self, fit: &Fit) -> Vec<StructureRow> {
        let d = fit.coordinates.ncols();
        let row = |(i, point): (usize, &Option<u32>)| {
            let covariance = &self.covariances[i * d * d..(i + 1) * d * d];
            let point = point.map(|point| point as usize);
            structure_row(fit, &self.mean[i * d..(i + 1) * d], |a, b| covariance[a * d + b], point)
        };
        self.points.iter().enumerate().map(row).collect()
    }
}

/// Places rows.
pub fn place(extension: &Extension, lying: TableLayout<'_>, watch: &Watcher) -> tangency::Result<Placed> {
    let mut placed = Placed::default();
    in_blocks(lying, watch, |rows| {
        for placement in &extension.transform_columns(rows)? {
            let total = extension.total_covariance(placement);
            placed.mean.extend(extension.coordinates(placement));
            placed.deviations.extend((0..total.nrows()).map(|a| total[(a, a)].max(0.0).sqrt()));
            let d = total.nrows();
            placed.covariances.extend((0..d * d).map(|p| total[(p / d, p % d)]));
            placed.points.push(placement.point);
            placed.unsettled += usize::from(placement.point.is_none() && !placement.settled);
        }
        Ok(())
    })?;
    Ok(placed)
}

/// Log-density of rows, and their novelty.
pub fn score(extension: &Extension, lying: TableLayout<'_>, watch: &Watcher) -> tangency::Result<(Vec<f64>, Vec<f64>)> {
    let (mut densities, mut novelty) = (Vec::new(), Vec::new());
    in_blocks(lying, watch, |rows| {
        let found = extension.score_columns(rows)?;
        novelty.extend(extension.novelties(rows, &found));
        densities.extend(found);
        Ok(())
    })?;
    Ok((densities, novelty))
}

/// Log-densities of rows by the kernel density of those that were fitted.
pub fn kernel_score(extension: &Extension, lying: TableLayout<'_>, watch: &Watcher) -> tangency::Result<Vec<f64>> {
    let mut densities = Vec::new();
    in_blocks(lying, watch, |rows| {
        densities.extend(extension.density().kernel_score_columns(rows)?);
        Ok(())
    })?;
    Ok(densities)
}

/// Some rows at a time, a row a column, so that Ctrl-C is heard between them.
fn in_blocks(
    lying: TableLayout<'_>,
    watch: &Watcher,
    mut work: impl FnMut(View) -> tangency::Result<()>,
) -> tangency::Result<()> {
    const ROWS: usize = 4096;
    let columns = lying.view().transpose();
    for first in (0..columns.ncols()).step_by(ROWS) {
        if watch.stopped() {
            return Err(tangency::Error::Interrupted { what: "the placement of rows" });
        }
        let block = columns.subcols(first, ROWS.min(columns.ncols() - first));
        work(block).map_err(|error| of_table(error, first))?;
    }
    Ok(())
}
