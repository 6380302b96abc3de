//! Sums over all pairs of points of ρ_iρ_j E h(|x_i − x_j|²), with their slopes and curvatures.
//!
//! Points that vary together, or few of them: every pair. Many in up to three dimensions: what is far from a point, or small
//! next to the width of a part of h, it sees in cells of a tree. Many in more dimensions: its neighbours in the graph one by
//! one, and a sample of all others.

mod all;
mod cells;
mod field;
mod group;
mod kernel;
#[cfg(test)]
mod tests;

pub use field::Field;
pub use kernel::{Depth, packed, place};

use crate::graph::Graph;
use crate::linalg::{Matrix, dot};
use crate::model::Affinity;
use all::Blocks;
use cells::Cells;
use kernel::{Lanes, WIDTH};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Up to so many points that vary independently all pairs are taken.
const FEW: usize = 200;
/// The same in more dimensions than cells have.
const FEW_IN_MANY: usize = 2000;
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
    /// Those for points at these places that vary independently. `[n·d]`, `[n·d²]`
    fn of_independent(graph: &Graph, x: &[f64], blocks: &[f64], seed: u64) -> Self {
        let n = graph.n();
        let d = x.len() / n;
        if d <= MOST_COMPONENTS {
            Self::Near(Cells::new(x, blocks, d))
        } else if n <= FEW_IN_MANY {
            Self::All
        } else {
            let mut sample = sample(&mut ChaCha8Rng::seed_from_u64(seed), n, SAMPLED).into_vec();
            sample.sort_unstable();
            Self::Sampled { sample: sample.into_iter().map(|i| i as u32).collect() }
        }
    }
}

/// How points vary.
pub enum Spreads {
    /// Independently; a block a point. `[n·d²]`
    Independent(Vec<f64>),
    /// Together: the covariance of each difference, an [n, n] matrix for each entry of the packed d × d one.
    Joint(Vec<Matrix>),
}

/// Points as an engine believes them to be, for any h and ρ.
pub struct PairField {
    /// Which pairs are taken one by one.
    pub pairs: Pairs,
    /// Means. `[n·d]`
    pub x: Vec<f64>,
    /// Covariances.
    pub spreads: Spreads,
}

impl PairField {
    /// Points at these places that vary independently. `[n·d]`, `[n·d²]`
    pub fn independent(graph: &Graph, x: Vec<f64>, blocks: Vec<f64>, seed: u64) -> Self {
        Self { pairs: Pairs::of_independent(graph, &x, &blocks, seed), x, spreads: Spreads::Independent(blocks) }
    }

    /// These points with this h and ρ.
    pub fn with<'a>(&'a self, graph: &'a Graph, affinity: &'a Affinity, sociability: &'a [f64]) -> Field<'a> {
        Field { graph, affinity, sociability, x: &self.x, spreads: &self.spreads }
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
            Spreads::Independent(blocks) => blocks[(j * d + a) * d + b],
            Spreads::Joint(_) => 0.0,
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
            lanes.evaluate(&affinity.parts, Depth::Curvature);
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
        if let Pairs::Near(cells) = &mut self.pairs {
            cells.rescale(t);
        }
        match &mut self.spreads {
            Spreads::Independent(blocks) => blocks.iter_mut().for_each(|entry| *entry *= t * t),
            Spreads::Joint(planes) => planes.iter_mut().for_each(|plane| crate::linalg::scale(plane, t * t)),
        }
    }

    /// E|x_i − x_j|² of each edge.
    pub fn steps(&self, graph: &Graph) -> Vec<f64> {
        let d = self.x.len() / graph.n();
        let of_edge = |&(i, j): &(u32, u32)| {
            let (i, j) = (i as usize, j as usize);
            let spread = |a: usize| match &self.spreads {
                Spreads::Independent(blocks) => blocks[(i * d + a) * d + a] + blocks[(j * d + a) * d + a],
                Spreads::Joint(planes) => planes[place(a, a)][(i, j)],
            };
            (0..d).map(|a| (self.x[i * d + a] - self.x[j * d + a]).powi(2) + spread(a)).sum()
        };
        graph.edges().par_iter().map(of_edge).collect()
    }

    /// E h between all points, [n, n], zero for a point and itself; where all pairs are taken.
    pub fn affinities(&self, graph: &Graph, affinity: &Affinity) -> Option<Matrix> {
        let n = graph.n();
        let all = match self.pairs {
            Pairs::All => true,
            Pairs::Near(_) => n <= FEW,
            Pairs::Sampled { .. } => false,
        };
        if !all {
            return None;
        }
        let ones = vec![1.0; n];
        let field = self.with(graph, affinity, &ones);
        Blocks::new(&field).planes(Depth::Value, 1, |lanes, _, l| lanes.value[l]).pop()
    }

    /// Σ_{i<j} ρ_iρ_j E e^(−s|x_i − x_j|²) for each of these rates s, the smallest first.
    pub fn by_rate(&self, graph: &Graph, rates: &[f64], sociability: &[f64]) -> Vec<f64> {
        let affinity = Affinity { heaviness: 0.0, parts: rates.iter().map(|&rate| (rate, 1.0)).collect() };
        let field = self.with(graph, &affinity, sociability);
        match &self.pairs {
            Pairs::All => Blocks::new(&field).by_part(),
            Pairs::Near(cells) => cells.by_part(&field),
            Pairs::Sampled { .. } => {
                let of_rate =
                    |&rate: &f64| self.sums(graph, &Affinity::single(rate), sociability, Depth::Value).expected;
                rates.iter().map(of_rate).collect()
            }
        }
    }
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
