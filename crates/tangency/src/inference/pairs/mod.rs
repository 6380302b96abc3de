//! Sums over all pairs of points of ρ_iρ_j E h(|x_i − x_j|²), with their slopes and curvatures.
//!
//! Few points: every pair. Many in up to three dimensions: a point sees what is near one by one and what is far in cells of a
//! tree, each as one Gaussian with the spread of its points. Many in more dimensions: its neighbours in the graph one by one,
//! and a sample of all others.

mod cells;
mod kernel;
#[cfg(test)]
mod tests;

pub use kernel::{Depth, packed, place};

use crate::graph::Graph;
use crate::linalg::{Matrix, dot};
use crate::model::Affinity;
use cells::{Cell, Cells};
use kernel::{Lanes, WIDTH};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Up to so many points all pairs are taken.
const FEW: usize = 2000;
/// Most components for which cells are made.
const MOST_COMPONENTS: usize = 3;
/// Points that stand for all others where there are many components.
const SAMPLED: usize = 2000;

/// Which pairs are taken one by one.
pub enum Pairs {
    /// All.
    All,
    /// Near ones.
    Near(Cells),
    /// Neighbours, and a sample of the others.
    Sampled {
        /// The sample.
        sample: Vec<u32>,
    },
}

impl Pairs {
    /// Those for points at these places. `[n·d]`
    pub fn new(graph: &Graph, x: &[f64], d: usize, seed: u64) -> Self {
        let n = graph.n();
        if n <= FEW {
            Self::All
        } else if d <= MOST_COMPONENTS {
            Self::Near(Cells::new(x, d))
        } else {
            let mut sample = sample(&mut ChaCha8Rng::seed_from_u64(seed), n, SAMPLED).into_vec();
            sample.sort_unstable();
            Self::Sampled { sample: sample.into_iter().map(|i| i as u32).collect() }
        }
    }
}

/// How points vary.
pub enum Spreads<'a> {
    /// Independently; a block a point. `[n·d²]`
    Independent(&'a [f64]),
    /// Together: the covariance of each difference, an [n, n] matrix for each entry of the packed d × d one.
    Joint(&'a [Matrix]),
}

/// Points as an engine believes them to be, for any h and ρ.
pub struct PairField {
    /// Which pairs are taken one by one.
    pub pairs: Pairs,
    /// Means. `[n·d]`
    pub x: Vec<f64>,
    /// Covariances.
    pub spreads: OwnSpreads,
}

/// How points vary, held.
pub enum OwnSpreads {
    /// Independently. `[n·d²]`
    Independent(Vec<f64>),
    /// Together.
    Joint(Vec<Matrix>),
}

impl PairField {
    /// These points with this h and ρ.
    pub fn with<'a>(&'a self, graph: &'a Graph, affinity: &'a Affinity, sociability: &'a [f64]) -> Field<'a> {
        let spreads = match &self.spreads {
            OwnSpreads::Independent(blocks) => Spreads::Independent(blocks),
            OwnSpreads::Joint(planes) => Spreads::Joint(planes),
        };
        Field { graph, affinity, sociability, x: &self.x, spreads }
    }

    /// Sums over all pairs.
    pub fn sums(&self, graph: &Graph, affinity: &Affinity, sociability: &[f64], depth: Depth) -> PairSums {
        self.with(graph, affinity, sociability).sums(&self.pairs, depth)
    }

    /// What these points, those of a list, do to one outside them at N(x, spread) with ρ = 1; one may be left out.
    pub fn outside(
        &self,
        affinity: &Affinity,
        sociability: &[f64],
        (x, spread): (&[f64], &[f64]),
        points: &[u32],
        without: Option<usize>,
    ) -> OutsideSums {
        let d = x.len();
        let mut lanes = Lanes::new(d);
        let mut sums = OutsideSums { around: 0.0, push: vec![0.0; d], curvature: vec![0.0; packed(d)] };
        let block = |j: usize, a: usize, b: usize| match &self.spreads {
            OwnSpreads::Independent(blocks) => blocks[(j * d + a) * d + b],
            OwnSpreads::Joint(_) => 0.0,
        };
        for part in points.chunks(WIDTH) {
            let mut mass = [0.0; WIDTH];
            for (l, &j) in part.iter().enumerate() {
                let j = j as usize;
                mass[l] = if without == Some(j) { 0.0 } else { sociability[j] };
                for a in 0..d {
                    lanes.means[a][l] = x[a] - self.x[j * d + a];
                    for b in 0..=a {
                        lanes.spreads[place(a, b)][l] = spread[a * d + b] + block(j, a, b);
                    }
                }
            }
            lanes.evaluate(affinity, Depth::Curvature);
            sums.around += dot(&mass, &lanes.value);
            sums.push.iter_mut().zip(&lanes.slope).for_each(|(slot, slope)| *slot += dot(&mass, slope));
            let bends = sums.curvature.iter_mut().zip(&lanes.curvature);
            bends.for_each(|(slot, curvature)| *slot += dot(&mass, curvature));
        }
        sums
    }

    /// x → t·x.
    pub fn rescale(&mut self, t: f64) {
        self.x.iter_mut().for_each(|x| *x *= t);
        match &mut self.spreads {
            OwnSpreads::Independent(blocks) => blocks.iter_mut().for_each(|entry| *entry *= t * t),
            OwnSpreads::Joint(planes) => planes.iter_mut().for_each(|plane| crate::linalg::scale(plane, t * t)),
        }
    }

    /// E|x_i − x_j|² of each edge.
    pub fn steps(&self, graph: &Graph) -> Vec<f64> {
        let d = self.x.len() / graph.n();
        let of_edge = |&(i, j): &(u32, u32)| {
            let (i, j) = (i as usize, j as usize);
            let spread = |a: usize| match &self.spreads {
                OwnSpreads::Independent(blocks) => blocks[(i * d + a) * d + a] + blocks[(j * d + a) * d + a],
                OwnSpreads::Joint(planes) => planes[place(a, a)][(i, j)],
            };
            (0..d).map(|a| (self.x[i * d + a] - self.x[j * d + a]).powi(2) + spread(a)).sum()
        };
        graph.edges().par_iter().map(of_edge).collect()
    }

    /// E h between all points, [n, n], zero for a point and itself; where all pairs are taken.
    pub fn affinities(&self, graph: &Graph, affinity: &Affinity) -> Option<Matrix> {
        if !matches!(self.pairs, Pairs::All) {
            return None;
        }
        let n = graph.n();
        let ones = vec![1.0; n];
        let field = self.with(graph, affinity, &ones);
        let (d, everyone) = (field.d(), (0..n as u32).collect::<Vec<u32>>());
        let sources = Sources::gather(&field, d, &everyone, 1.0, &[]);
        let mut all = Matrix::zeros(n, n);
        all.as_mut().par_col_iter_mut().enumerate().for_each(|(i, column)| {
            let Some(column) = column.try_as_col_major_mut() else { return };
            let (column, mut lanes) = (column.as_slice_mut(), Lanes::new(d));
            for first in (0..n).step_by(WIDTH) {
                let mass = field.load(&mut lanes, i, &sources, first);
                lanes.evaluate(affinity, Depth::Value);
                let values = mass.iter().zip(&lanes.value).map(|(mass, value)| mass * value);
                column[first..].iter_mut().zip(values).for_each(|(slot, value)| *slot = value);
            }
        });
        Some(all)
    }
}

/// Points with a shape of h.
pub struct Field<'a> {
    /// The graph, whose neighbours are always taken one by one.
    pub graph: &'a Graph,
    /// h.
    pub affinity: &'a Affinity,
    /// ρ. `[n]`
    pub sociability: &'a [f64],
    /// Means. `[n·d]`
    pub x: &'a [f64],
    /// Covariances.
    pub spreads: Spreads<'a>,
}

/// Sums over pairs.
pub struct PairSums {
    /// Σ_{i<j} ρ_iρ_j E h.
    pub expected: f64,
    /// Σ_j ρ_j E h_ij of each point. `[n]`
    pub around: Vec<f64>,
    /// What pushes each point away from the others: minus the slope of `expected`. `[n·d]`
    pub push: Vec<f64>,
    /// Curvature of `expected` along each point alone, packed. `[n·packed(d)]`
    pub curvature: Vec<f64>,
    /// Standard error of `expected` where it was sampled.
    pub error: f64,
}

/// What points do to one outside them.
pub struct OutsideSums {
    /// Σ_j ρ_j E h.
    pub around: f64,
    /// What pushes it away. `[d]`
    pub push: Vec<f64>,
    /// Curvature of `around`, packed.
    pub curvature: Vec<f64>,
}

/// Points or cells as one point sees them, by component.
struct Sources {
    ids: Vec<u32>,
    mass: Vec<f64>,
    means: Vec<Vec<f64>>,
    spreads: Vec<Vec<f64>>,
}

impl Sources {
    fn gather(field: &Field, d: usize, points: &[u32], weight: f64, cells: &[&Cell]) -> Self {
        let of_points = |value: &dyn Fn(usize) -> f64| points.iter().map(|&j| value(j as usize)).collect::<Vec<f64>>();
        let joined = |mut values: Vec<f64>, of_cell: &dyn Fn(&Cell) -> f64| {
            values.extend(cells.iter().map(|cell| of_cell(cell)));
            values
        };
        let mut ids = points.to_vec();
        ids.extend(cells.iter().map(|_| u32::MAX));
        let means = (0..d).map(|a| joined(of_points(&|j| field.x[j * d + a]), &|cell| cell.mean[a])).collect();
        let spreads = match field.spreads {
            Spreads::Joint(_) => vec![],
            Spreads::Independent(blocks) => (0..d)
                .flat_map(|a| (0..=a).map(move |b| (a, b)))
                .map(|(a, b)| joined(of_points(&|j| blocks[(j * d + a) * d + b]), &|cell| cell.spread[place(a, b)]))
                .collect(),
        };
        let mass = joined(of_points(&|j| weight * field.sociability[j]), &|cell| cell.mass);
        Self { ids, mass, means, spreads }
    }
}

/// What one point gets from its sources.
struct Seen {
    around: f64,
    push: Vec<f64>,
    curvature: Vec<f64>,
    /// Sum of squares of what `around` is made of.
    squares: f64,
}

impl Field<'_> {
    /// Number of components.
    pub fn d(&self) -> usize {
        self.x.len() / self.graph.n()
    }

    /// The sums over all pairs.
    pub fn sums(&self, pairs: &Pairs, depth: Depth) -> PairSums {
        let (n, d) = (self.graph.n(), self.d());
        let mut error = 0.0;
        let seen: Vec<Seen> = match pairs {
            Pairs::All => {
                let everyone: Vec<u32> = (0..n as u32).collect();
                let sources = Sources::gather(self, d, &everyone, 1.0, &[]);
                let of_point = |lanes: &mut Lanes, i: usize| self.see(lanes, i, &[&sources], depth);
                (0..n).into_par_iter().map_init(|| Lanes::new(d), of_point).collect()
            }
            Pairs::Near(cells) => {
                let moments = cells.moments(self);
                let of_group = |lanes: &mut Lanes, group: usize| {
                    let (near, far) = cells.sources(group, &moments);
                    let sources = Sources::gather(self, d, &near, 1.0, &far);
                    cells.points(group).iter().map(|&i| self.see(lanes, i as usize, &[&sources], depth)).collect()
                };
                let found: Vec<Vec<Seen>> =
                    (0..cells.groups()).into_par_iter().map_init(|| Lanes::new(d), of_group).collect();
                let mut by_point: Vec<Option<Seen>> = (0..n).map(|_| None).collect();
                for (group, seen) in found.into_iter().enumerate() {
                    for (&i, seen) in cells.points(group).iter().zip(seen) {
                        by_point[i as usize] = Some(seen);
                    }
                }
                by_point.into_iter().flatten().collect()
            }
            Pairs::Sampled { sample } => {
                let of_point = |lanes: &mut Lanes, i: usize| {
                    let near = self.graph.neighbors(i);
                    let others: Vec<u32> = sample
                        .iter()
                        .copied()
                        .filter(|&j| j as usize != i && near.binary_search(&j).is_err())
                        .collect();
                    let weight = (n - 1 - near.len()) as f64 / others.len().max(1) as f64;
                    let (near, far) =
                        (Sources::gather(self, d, near, 1.0, &[]), Sources::gather(self, d, &others, weight, &[]));
                    let of_near = self.see(lanes, i, &[&near], depth);
                    let of_far = self.see(lanes, i, &[&far], depth);
                    let count = others.len().max(2) as f64;
                    let variance = (of_far.squares - of_far.around * of_far.around / count).max(0.0);
                    let add = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(&b).map(|(a, b)| a + b).collect();
                    Seen {
                        around: of_near.around + of_far.around,
                        push: add(of_near.push, of_far.push),
                        curvature: add(of_near.curvature, of_far.curvature),
                        squares: variance,
                    }
                };
                let seen: Vec<Seen> = (0..n).into_par_iter().map_init(|| Lanes::new(d), of_point).collect();
                let scale = |i: usize| self.sociability[i] * seen[i].squares.sqrt();
                error = 0.5 * (0..n).map(scale).sum::<f64>();
                seen
            }
        };
        self.total(seen, depth, error)
    }

    fn total(&self, seen: Vec<Seen>, depth: Depth, error: f64) -> PairSums {
        let around: Vec<f64> = seen.iter().map(|seen| seen.around).collect();
        let rho = self.sociability;
        let scaled = |of: &dyn Fn(&Seen) -> &Vec<f64>| -> Vec<f64> {
            seen.iter().zip(rho).flat_map(|(seen, rho)| of(seen).iter().map(move |value| rho * value)).collect()
        };
        PairSums {
            expected: 0.5 * dot(&around, rho),
            push: if depth >= Depth::Slope { scaled(&|seen| &seen.push) } else { vec![] },
            curvature: if depth == Depth::Curvature { scaled(&|seen| &seen.curvature) } else { vec![] },
            around,
            error,
        }
    }

    fn see(&self, lanes: &mut Lanes, i: usize, sources: &[&Sources], depth: Depth) -> Seen {
        let d = self.d();
        let count = if depth == Depth::Curvature { packed(d) } else { 0 };
        let slopes = if depth >= Depth::Slope { d } else { 0 };
        let mut seen = Seen { around: 0.0, push: vec![0.0; slopes], curvature: vec![0.0; count], squares: 0.0 };
        for sources in sources {
            for first in (0..sources.ids.len()).step_by(WIDTH) {
                let mass = self.load(lanes, i, sources, first);
                lanes.evaluate(self.affinity, depth);
                seen.around += dot(&mass, &lanes.value);
                seen.squares += (0..WIDTH).map(|l| (mass[l] * lanes.value[l]).powi(2)).sum::<f64>();
                seen.push.iter_mut().zip(&lanes.slope).for_each(|(slot, slope)| *slot += dot(&mass, slope));
                let bends = seen.curvature.iter_mut().zip(&lanes.curvature);
                bends.for_each(|(slot, curvature)| *slot += dot(&mass, curvature));
            }
        }
        seen
    }

    /// Puts the differences of a point from sources into lanes; returns what each counts, which is nothing for itself.
    fn load(&self, lanes: &mut Lanes, i: usize, sources: &Sources, first: usize) -> [f64; WIDTH] {
        let (d, here) = (self.d(), first..(first + WIDTH).min(sources.ids.len()));
        let width = here.len();
        let mut mass = [0.0; WIDTH];
        for (l, j) in here.clone().enumerate() {
            mass[l] = if sources.ids[j] as usize == i { 0.0 } else { sources.mass[j] };
        }
        for a in 0..d {
            let (own, lane) = (self.x[i * d + a], &mut lanes.means[a]);
            lane[..width].iter_mut().zip(&sources.means[a][here.clone()]).for_each(|(slot, other)| *slot = own - other);
            lane[width..].fill(0.0);
            for b in 0..=a {
                let lane = &mut lanes.spreads[place(a, b)];
                match &self.spreads {
                    Spreads::Independent(blocks) => {
                        let own = blocks[(i * d + a) * d + b];
                        let others = &sources.spreads[place(a, b)][here.clone()];
                        lane[..width].iter_mut().zip(others).for_each(|(slot, other)| *slot = own + other);
                    }
                    Spreads::Joint(planes) => {
                        lane[..width].copy_from_slice(&planes[place(a, b)].col_as_slice(i)[here.clone()]);
                    }
                }
                lane[width..].fill(0.0);
            }
        }
        mass
    }

    /// ρ_iρ_j ∂²E h of every pair, an [n, n] matrix for each entry of the packed d × d one: for few points.
    pub fn curvature_planes(&self) -> Vec<Matrix> {
        let (n, d) = (self.graph.n(), self.d());
        let everyone: Vec<u32> = (0..n as u32).collect();
        let sources = Sources::gather(self, d, &everyone, 1.0, &[]);
        let mut planes = vec![Matrix::zeros(n, n); packed(d)];
        let columns: Vec<Vec<f64>> = (0..n)
            .into_par_iter()
            .map_init(
                || Lanes::new(d),
                |lanes, i| {
                    let mut column = vec![0.0; packed(d) * n];
                    for first in (0..n).step_by(WIDTH) {
                        let mass = self.load(lanes, i, &sources, first);
                        lanes.evaluate(self.affinity, Depth::Curvature);
                        for p in 0..packed(d) {
                            for l in 0..WIDTH.min(n - first) {
                                column[p * n + first + l] = self.sociability[i] * mass[l] * lanes.curvature[p][l];
                            }
                        }
                    }
                    column
                },
            )
            .collect();
        for (i, column) in columns.iter().enumerate() {
            for (p, plane) in planes.iter_mut().enumerate() {
                plane.col_as_slice_mut(i).copy_from_slice(&column[p * n..(p + 1) * n]);
            }
        }
        planes
    }
}
