//! A fitted model put to use: places for new points, reconstructions, novelty, samples, loadings.

mod calibrate;
mod creep;
mod frozen;
mod gaps;
mod loadings;
mod new_star;
mod novelty;
mod on_graph;
mod place;
mod reconstruct;
mod sample;
mod surroundings;
#[cfg(test)]
mod tests;
mod views;

pub use calibrate::{calibrate, check_parts};
pub use loadings::{LoadingDeviations, Loadings, loadings};
pub use reconstruct::{LeftOut, Predicts, Reconstruction};
pub use sample::Samples;

use crate::density::Density;
use crate::error::{Error, Result};
use crate::fit::{Calibration, Fit, as_the_graph_sees};
use crate::graph::{Donors, MetricPlaces, NeighborIndex, squared_distance};
use crate::linalg::{Matrix, View};
use crate::message::counted;
use crate::model::Scaling;
use frozen::Frozen;
use novelty::Usual;
use on_graph::FrozenGraph;
use place::place;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use surroundings::Terrain;
use views::OfViews;

/// Where a new observation belongs: q(x*), q(C*), and how likely the model finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The point of the model that has the very same measurements, if there is one.
    pub point: Option<u32>,
    /// The points of the model it was joined to, nearest first.
    pub neighbors: Vec<u32>,
    /// Mean coordinates. `[d_x]`
    pub mean: Vec<f64>,
    /// Covariance of the coordinates, the neighbours being where they are. `[d_x, d_x]`
    pub covariance: Matrix,
    /// Mean of its local map in scaled units. `[d_y, d_x]`
    pub map: Matrix,
    /// Column covariance of the map. `[d_x, d_x]`
    pub map_covariance: Matrix,
    /// The change of the bound by this observation, in nats.
    pub bound_change: f64,
    /// Steps it took.
    pub steps: usize,
    /// Whether the steps had come to rest.
    pub settled: bool,
}

impl Placement {
    /// Whether all of it are numbers, and its variances those of something.
    fn is_finite(&self) -> bool {
        let d_x = self.mean.len();
        let entries = |matrix: &Matrix| (0..d_x).all(|a| matrix.col_as_slice(a).iter().all(|value| value.is_finite()));
        self.mean.iter().all(|value| value.is_finite())
            && [&self.covariance, &self.map, &self.map_covariance].into_iter().all(entries)
            && (0..d_x).all(|a| self.covariance[(a, a)] >= 0.0)
    }
}

/// So many units of the scaled data from the nearest training point, the digits of a placement begin to go.
const FARTHEST: f64 = 1e6;

/// Up to so many points a new one sees the whole graph, beyond only what is around it.
const WHOLE: usize = 3000;
/// So many training points are left out in turn to learn what is usual, where the graph is not seen as a whole.
const LEFT_OUT: usize = 2000;

/// A fit prepared for new observations.
///
/// ```
/// use tangency::extend::Extension;
/// use tangency::{Config, Fitter, Shape, generate};
///
/// let curve = generate(Shape::SCurve, 200, 0.0, 1);
/// let fit = Fitter::new(Config::default()).fit(&curve.points)?;
/// let new = generate(Shape::SCurve, 5, 0.0, 2);
/// for placement in Extension::new(&fit)?.transform(&new.points)? {
///     println!("{:.2?}, beside point {}", placement.mean, placement.neighbors[0]);
/// }
/// # Ok::<(), tangency::Error>(())
/// ```
pub struct Extension {
    scaling: Scaling,
    frozen: Frozen,
    terrain: Terrain,
    latent_index: NeighborIndex,
    /// The training points where the metric has them, if that is not the Euclidean one.
    metric_index: Option<(MetricPlaces, NeighborIndex)>,
    /// A point a column. `[d_x·d_x, n]`
    coordinate_covariances: Matrix,
    /// A point a column. `[d_x·d_x, n]`
    map_covariances: Matrix,
    n_neighbors: usize,
    usual_neighbors: usize,
    density: Density,
    /// The training points as the graph saw them, prepared for queries.
    index: Arc<NeighborIndex>,
    /// What the graph does not see of the scaling. `[d_y]`
    noise: Option<Arc<Vec<f64>>>,
    views: Option<OfViews>,
    calibration: Option<Calibration>,
    donors: OnceLock<Donors<Arc<Matrix>>>,
    usual: OnceLock<Usual>,
    spread: OnceLock<f64>,
    left_out: OnceLock<Vec<Option<Placement>>>,
}

/// How many neighbours a new point gets if nothing is said. A graph of nearest neighbours has on average from k to 2k a
/// point; another kind speaks for itself.
fn usual_neighbors(fit: &Fit) -> usize {
    let (n, k) = (fit.n(), fit.config.n_neighbors);
    let mean = 2.0 * fit.graph.edges().len() as f64 / n as f64;
    let by_nearest = fit.config.radius.is_none() && (0.8 * k as f64..=2.0 * k as f64).contains(&mean);
    let usual = if by_nearest { k } else { mean.round() as usize };
    usual.clamp(1, n - 1)
}

impl Extension {
    /// Prepares a fit: inverse Laplacians, potentials, and an index of the training points.
    pub fn new(fit: &Fit) -> Result<Self> {
        let n = fit.n();
        let coordinates = fit.coordinates.transpose().to_owned();
        let (hyper, epsilon) = (fit.hyper, fit.config.epsilon);
        let density = Density::new(fit)?;
        let index = match &fit.noise_scales {
            Some(_) => Arc::new(NeighborIndex::new(Arc::new(fit.graph_observations()))),
            None => density.index().clone(),
        };
        let places = MetricPlaces::new(fit.config.metric, fit.observations.as_ref().as_ref(), index.shared())?;
        let mut frozen = Frozen::new(fit.scaled_observations(), coordinates, fit.maps.clone(), hyper, epsilon);
        frozen.graph = FrozenGraph::of(fit, places.clone());
        let terrain = Terrain::new(&fit.graph, &frozen, n <= WHOLE)?;
        let latent_index = NeighborIndex::new(frozen.coordinates.clone());
        Ok(Self {
            scaling: fit.scaling.clone(),
            frozen,
            terrain,
            latent_index,
            metric_index: places.map(|places| {
                let index = NeighborIndex::by(places.metric().length(), places.all().clone());
                (places, index)
            }),
            coordinate_covariances: fit.coordinate_covariances.clone(),
            map_covariances: fit.map_covariances.clone(),
            n_neighbors: usual_neighbors(fit),
            usual_neighbors: usual_neighbors(fit),
            density,
            index,
            noise: fit.noise_scales.clone(),
            views: OfViews::new(fit),
            calibration: fit.calibration.clone(),
            donors: OnceLock::new(),
            usual: OnceLock::new(),
            spread: OnceLock::new(),
            left_out: OnceLock::new(),
        })
    }

    /// How many training points a new one is joined to.
    pub fn n_neighbors(&self) -> usize {
        self.n_neighbors
    }

    /// Whether that is the number that the fit, and its calibration, are about.
    fn is_usual_number(&self) -> bool {
        self.n_neighbors == self.usual_neighbors
    }

    /// How likely rows are.
    pub fn density(&self) -> &Density {
        &self.density
    }

    /// Joins new points to another number of training points than the fit did.
    pub fn with_neighbors(mut self, n_neighbors: usize) -> Result<Self> {
        let most = self.frozen.coordinates.ncols() - 1;
        if !(1..=most).contains(&n_neighbors) {
            return Err(match n_neighbors {
                0 => Error::too_small("n_neighbors", n_neighbors, 1),
                _ => Error::too_large(
                    "n_neighbors",
                    n_neighbors,
                    format!("the model has only {}", counted(most + 1, "point")),
                ),
            });
        }
        if n_neighbors != self.n_neighbors {
            // what was found for another number of neighbours is not for this one
            (self.spread, self.left_out) = (OnceLock::new(), OnceLock::new());
            self.views.iter_mut().for_each(OfViews::reset);
        }
        self.n_neighbors = n_neighbors;
        Ok(self)
    }

    /// Places new observations, m × d_y in the units of the table, NaN where an entry is missing. Each row is placed by itself: what else is in the
    /// table and the number of threads change nothing.
    pub fn transform(&self, values: &Matrix) -> Result<Vec<Placement>> {
        self.transform_columns(values.transpose())
    }

    /// The same for observations given a point a column, d_y × m.
    pub fn transform_columns(&self, values: View) -> Result<Vec<Placement>> {
        let mut scaled = self.scaling.apply(values)?;
        let mut by_views = self.placed_by_views(values, &mut scaled)?;
        let filled = self.fill_gaps(&mut scaled);
        let lists = self.neighbors_of(values.transpose(), &scaled)?;
        // in a metric of angles, or in the graph's own units, the first neighbour need not be the nearest point
        let nearest = match self.metric_index.is_some() || self.noise.is_some() {
            true => self.density.index().nearest(&scaled, 1),
            false => vec![],
        };
        let placed: Vec<Option<Placement>> = (0..scaled.ncols())
            .into_par_iter()
            .map(|i| {
                if by_views[i].is_some() {
                    return None;
                }
                let y = scaled.col_as_slice(i);
                let nearest = *nearest.get(i).unwrap_or(&lists[i]).first()?;
                let distance = squared_distance(y, self.frozen.observations.col_as_slice(nearest as usize));
                let mut placed = (distance < FARTHEST * FARTHEST).then(|| self.best(y, &lists[i], None)).flatten()?;
                gaps::widen(&self.frozen, &mut placed, &filled[i].gaps);
                placed.point = filled[i].point.or((distance == 0.0).then_some(nearest));
                placed.is_finite().then_some(placed)
            })
            .collect();
        // the first of the rows that cannot be placed, whichever was tried first
        let all = placed.into_iter().enumerate().map(|(i, placed)| (i, by_views[i].take().or(placed)));
        all.map(|(i, placed)| placed.ok_or(Error::TooFar { row: i })).collect()
    }

    /// Scaled rows, one per column, in the units that neighbours are sought in.
    fn seen_by_graph<'r>(&self, rows: &'r Matrix) -> Cow<'r, Matrix> {
        let Some(noise) = &self.noise else { return Cow::Borrowed(rows) };
        let mut seen = rows.clone();
        (0..seen.ncols()).for_each(|i| as_the_graph_sees(noise, seen.col_as_slice_mut(i)));
        Cow::Owned(seen)
    }

    /// The training points that are nearest in the metric of the fit to rows `[m, d_y]`, which are without gaps and scaled in
    /// `scaled`, one per column.
    fn neighbors_of(&self, rows: View, scaled: &Matrix) -> Result<Vec<Vec<u32>>> {
        let (k, seen) = (self.n_neighbors, self.seen_by_graph(scaled));
        Ok(match &self.metric_index {
            None => self.index.nearest(&seen, k),
            Some((places, index)) if places.metric().takes_rows_as_given() => {
                index.nearest(&places.metric().directions(self.scaling.filled_in(rows, scaled).as_ref())?, k)
            }
            Some((_, index)) => index.nearest(&seen, k),
        })
    }

    /// The coordinates of a row: those of the fit for a row that was fitted, the mean of q(x*) for any other. `[d_x]`
    pub fn coordinates<'a>(&'a self, placement: &'a Placement) -> &'a [f64] {
        match placement.point {
            Some(i) => self.frozen.coordinates.col_as_slice(i as usize),
            None => &placement.mean,
        }
    }

    /// Covariance of these coordinates relative to the centroid of the training points: the fit's own for a row that was
    /// fitted; for any other that of q(x*) and the mean of its neighbours', which is the most that their common uncertainty
    /// can add. `[d_x, d_x]`
    pub fn total_covariance(&self, placement: &Placement) -> Matrix {
        let (d_x, k) = (self.frozen.d_x(), placement.neighbors.len() as f64);
        let of = |j: u32, a: usize, b: usize| self.coordinate_covariances[(a * d_x + b, j as usize)];
        Matrix::from_fn(d_x, d_x, |a, b| match placement.point {
            Some(i) => of(i, a, b),
            None => placement.covariance[(a, b)] + placement.neighbors.iter().map(|&j| of(j, a, b)).sum::<f64>() / k,
        })
    }

    /// Each training point placed by the others, as if it were new; `None` for one without which the graph would be in
    /// pieces. The others stay where the fit, which knew this point, has put them. Of more than 3000 points this is done
    /// for 2000, evenly spread over the table, and the rest are `None`.
    pub fn leave_one_out(&self) -> &[Option<Placement>] {
        self.left_out.get_or_init(|| {
            let y = &self.frozen.observations;
            let n = y.ncols();
            let step = if n <= WHOLE { 1 } else { n.div_ceil(LEFT_OUT) };
            let out: Vec<usize> = (0..n).step_by(step).collect();
            let mut placed = vec![None; n];
            for (i, found) in out.iter().zip(self.place_without(&out)) {
                placed[*i] = found;
            }
            placed
        })
    }

    /// Training points, each placed by all others.
    fn place_without(&self, out: &[usize]) -> Vec<Option<Placement>> {
        let y = &self.frozen.observations;
        let queries = Matrix::from_fn(y.nrows(), out.len(), |f, c| y[(f, out[c])]);
        let lists = match &self.metric_index {
            None => self.index.search(&self.seen_by_graph(&queries), self.n_neighbors, |c| Some(out[c] as u32)),
            Some((_, index)) => {
                let places = index.points();
                let queries = Matrix::from_fn(places.nrows(), out.len(), |f, c| places[(f, out[c])]);
                index.search(&queries, self.n_neighbors, |c| Some(out[c] as u32))
            }
        };
        out.par_iter().zip(lists).map(|(&i, list)| self.best(y.col_as_slice(i), &list, Some(i))).collect()
    }

    /// The placement among all the neighbours. If the graph holds them for several separate neighbourhoods, so that the
    /// new point may be between two sheets, each of these is tried too and the bound decides.
    fn best(&self, y: &[f64], neighbors: &[u32], without: Option<usize>) -> Option<Placement> {
        let around = |points: &[u32]| self.terrain.seen_from(points, without);
        let mut groups = self.terrain.groups(neighbors, without.map(|i| i as u32));
        if groups.len() > 1 {
            groups.push(neighbors.to_vec());
        }
        let placed = groups.iter().filter_map(|points| place(&self.frozen, y, &around(points)?));
        placed.max_by(|a, b| a.bound_change.total_cmp(&b.bound_change))
    }
}
