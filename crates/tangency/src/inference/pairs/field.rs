//! The sums over pairs as each point sees them.

use super::all::Blocks;
use super::kernel::{Depth, Lanes, WIDTH, packed, place};
use super::{PairSums, Pairs, Spreads};
use crate::graph::Graph;
use crate::linalg::{Matrix, dot};
use crate::model::Affinity;
use rayon::prelude::*;

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
    pub spreads: &'a Spreads,
}

/// Points as one point sees them, by component.
pub(super) struct Sources {
    pub ids: Vec<u32>,
    pub mass: Vec<f64>,
    means: Vec<Vec<f64>>,
    spreads: Vec<Vec<f64>>,
}

impl Sources {
    pub fn gather(field: &Field, d: usize, points: &[u32], weight: f64) -> Self {
        let of_points = |value: &dyn Fn(usize) -> f64| points.iter().map(|&j| value(j as usize)).collect::<Vec<f64>>();
        let means = (0..d).map(|a| of_points(&|j| field.x[j * d + a])).collect();
        let spreads = match field.spreads {
            Spreads::Joint(_) => vec![],
            Spreads::Independent(blocks) => (0..d)
                .flat_map(|a| (0..=a).map(move |b| (a, b)))
                .map(|(a, b)| of_points(&|j| blocks[(j * d + a) * d + b]))
                .collect(),
        };
        Self { ids: points.to_vec(), mass: of_points(&|j| weight * field.sociability[j]), means, spreads }
    }
}

/// What one point gets from its sources.
pub(super) struct Seen {
    pub around: f64,
    pub push: Vec<f64>,
    pub curvature: Vec<f64>,
    /// Sum of squares of what `around` is made of.
    pub squares: f64,
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
            Pairs::All => Blocks::new(self).seen(depth),
            Pairs::Near(cells) => return cells.sums(self, depth),
            Pairs::Sampled { sample } => {
                let of_point = |lanes: &mut Lanes, i: usize| {
                    let near = self.graph.neighbors(i);
                    let others: Vec<u32> = sample
                        .iter()
                        .copied()
                        .filter(|&j| j as usize != i && near.binary_search(&j).is_err())
                        .collect();
                    let weight = (n - 1 - near.len()) as f64 / others.len().max(1) as f64;
                    let (near, far) = (Sources::gather(self, d, near, 1.0), Sources::gather(self, d, &others, weight));
                    let of_near = self.see(lanes, i, &near, depth);
                    let of_far = self.see(lanes, i, &far, depth);
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

    fn see(&self, lanes: &mut Lanes, i: usize, sources: &Sources, depth: Depth) -> Seen {
        let d = self.d();
        let count = if depth == Depth::Curvature { packed(d) } else { 0 };
        let slopes = if depth >= Depth::Slope { d } else { 0 };
        let mut seen = Seen { around: 0.0, push: vec![0.0; slopes], curvature: vec![0.0; count], squares: 0.0 };
        for first in (0..sources.ids.len()).step_by(WIDTH) {
            let mass = self.load(lanes, i, sources, first);
            lanes.evaluate(&self.affinity.parts, depth);
            seen.around += dot(&mass, &lanes.value);
            seen.squares += (0..WIDTH).map(|l| (mass[l] * lanes.value[l]).powi(2)).sum::<f64>();
            seen.push.iter_mut().zip(&lanes.slope).for_each(|(slot, slope)| *slot += dot(&mass, slope));
            let bends = seen.curvature.iter_mut().zip(&lanes.curvature);
            bends.for_each(|(slot, curvature)| *slot += dot(&mass, curvature));
        }
        seen
    }

    /// Puts the differences of a point from sources into lanes; returns what each counts, which is nothing for itself.
    pub(super) fn load(&self, lanes: &mut Lanes, i: usize, sources: &Sources, first: usize) -> [f64; WIDTH] {
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
                match self.spreads {
                    Spreads::Independent(blocks) => {
                        let own = blocks[(i * d + a) * d + b];
                        let others = &sources.spreads[place(a, b)][here.clone()];
                        lane[..width].iter_mut().zip(others).for_each(|(slot, other)| *slot = own + other);
                    }
                    Spreads::Joint(planes) => {
                        let column = planes[place(a, b)].col_as_slice(i);
                        let ids = &sources.ids[here.clone()];
                        lane[..width].iter_mut().zip(ids).for_each(|(slot, &j)| *slot = column[j as usize]);
                    }
                }
                lane[width..].fill(0.0);
            }
        }
        mass
    }

    /// ρ_iρ_j ∂²E h of every pair, an [n, n] matrix for each entry of the packed d × d one, and Σ_{i<j} ρ_iρ_j E h: for few points.
    pub fn curvature_planes(&self) -> (Vec<Matrix>, f64) {
        let bends = packed(self.d());
        let read = |lanes: &Lanes, p: usize, l: usize| if p < bends { lanes.curvature[p][l] } else { lanes.value[l] };
        let mut planes = Blocks::new(self).planes(Depth::Curvature, bends + 1, read);
        let values = planes.split_off(bends);
        let total: f64 = values.iter().flat_map(|plane| plane.col_iter().map(|column| column.sum())).sum();
        (planes, 0.5 * total)
    }
}
