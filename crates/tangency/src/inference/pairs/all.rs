//! All pairs, each taken once: the points in blocks that lie together on the map, where parts of h that have died away between a
//! point and a block are left out.

use super::field::{Seen, Sources};
use super::kernel::{Lanes, WIDTH};
use super::{Depth, Field, packed, place};
use crate::linalg::{Matrix, dot};
use rayon::prelude::*;

/// A part of h beyond this exponent is lost in rounding.
const LOST: f64 = 45.0;

/// Points in blocks.
pub(super) struct Blocks<'a> {
    field: &'a Field<'a>,
    d: usize,
    /// The points of each block.
    blocks: Vec<Block>,
}

struct Block {
    /// Place of its first point among all in this order.
    first: usize,
    points: Sources,
    /// The least and the largest of each coordinate.
    ends: Vec<(f64, f64)>,
}

/// A point, and those of a block that come after it.
pub(super) struct Facing {
    /// The point.
    pub i: usize,
    /// Its place in the order.
    pub own: usize,
    /// Place of the first lane in the order.
    pub first: usize,
    /// The lanes that count.
    pub lanes: std::ops::Range<usize>,
}

impl<'a> Blocks<'a> {
    pub fn new(field: &'a Field<'a>) -> Self {
        let (n, d) = (field.graph.n(), field.d());
        let mut order: Vec<u32> = (0..n as u32).collect();
        lay_out(&mut order, field.x, d);
        let block = |(number, points): (usize, &[u32])| {
            let ends = (0..d).map(|a| range(points, field.x, d, a)).collect();
            Block { first: number * WIDTH, points: Sources::gather(field, d, points, 1.0), ends }
        };
        Self { field, d, blocks: order.chunks(WIDTH).enumerate().map(block).collect() }
    }

    fn n(&self) -> usize {
        self.field.graph.n()
    }

    /// The points in this order.
    pub fn order(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks.iter().flat_map(|block| block.points.ids.iter().map(|&i| i as usize))
    }

    /// What is made of each block of points, which `visit` sees point by point with the lanes of each block that comes after,
    /// and how many of the parts of h are alive there.
    fn rows<T: Send>(
        &self,
        begin: impl Fn(usize) -> T + Sync,
        visit: impl Fn(&mut T, &Facing, &mut Lanes, usize) + Sync,
    ) -> Vec<T> {
        let parts = &self.field.affinity.parts;
        let of_block = |lanes: &mut Lanes, number: usize| {
            let own = &self.blocks[number];
            let mut found = begin(number);
            for (place_in, &i) in own.points.ids.iter().enumerate() {
                let i = i as usize;
                for (other, block) in self.blocks.iter().enumerate().skip(number) {
                    self.field.load(lanes, i, &block.points, 0);
                    let width = block.points.ids.len();
                    let after = if other == number { place_in + 1 } else { 0 };
                    if after == width {
                        continue;
                    }
                    let nearest: f64 = (0..self.d).map(|a| outside(self.field.x[i * self.d + a], block.ends[a])).sum();
                    let total = |l: usize| (0..self.d).map(|a| lanes.spreads[place(a, a)][l]).sum::<f64>();
                    let variance = (after..width).map(total).fold(0.0, f64::max);
                    let lost = |rate: f64| rate * nearest > LOST * (1.0 + 2.0 * rate * variance);
                    let mut alive = parts.len();
                    while alive > 0 && lost(parts[alive - 1].0) {
                        alive -= 1;
                    }
                    let facing = Facing { i, own: own.first + place_in, first: block.first, lanes: after..width };
                    visit(&mut found, &facing, lanes, alive);
                }
            }
            found
        };
        (0..self.blocks.len()).into_par_iter().map_init(|| Lanes::new(self.d), of_block).collect()
    }

    /// What each point gets from all others.
    pub fn seen(&self, depth: Depth) -> Vec<Seen> {
        let (n, d, field) = (self.n(), self.d, self.field);
        let bends = if depth == Depth::Curvature { packed(d) } else { 0 };
        let slopes = if depth >= Depth::Slope { d } else { 0 };
        let nothing = || Seen { around: 0.0, push: vec![0.0; slopes], curvature: vec![0.0; bends], squares: 0.0 };
        let width = 1 + slopes + bends;
        // numbers of a point next to each other, points in their order
        let rows = self.rows(
            |number| (vec![0.0; (n - self.blocks[number].first) * width], vec![0.0; width]),
            |(sums, mine), facing, lanes, alive| {
                lanes.evaluate(&field.affinity.parts[..alive], depth);
                let rho = field.sociability[facing.i];
                let start = facing.own - facing.own % WIDTH;
                let masses = &self.blocks[facing.first / WIDTH].points.mass;
                mine.fill(0.0);
                for l in facing.lanes.clone() {
                    let mass = masses[l];
                    let theirs = &mut sums[(facing.first + l - start) * width..][..width];
                    theirs[0] += rho * lanes.value[l];
                    mine[0] += mass * lanes.value[l];
                    for a in 0..slopes {
                        theirs[1 + a] -= rho * lanes.slope[a][l];
                        mine[1 + a] += mass * lanes.slope[a][l];
                    }
                    for p in 0..bends {
                        theirs[1 + slopes + p] += rho * lanes.curvature[p][l];
                        mine[1 + slopes + p] += mass * lanes.curvature[p][l];
                    }
                }
                let own = &mut sums[(facing.own - start) * width..][..width];
                own.iter_mut().zip(mine).for_each(|(slot, value)| *slot += *value);
            },
        );
        let mut total = vec![0.0; n * width];
        for (block, (row, _)) in self.blocks.iter().zip(&rows) {
            total[block.first * width..].iter_mut().zip(row).for_each(|(slot, value)| *slot += value);
        }
        let mut seen: Vec<Seen> = (0..n).map(|_| nothing()).collect();
        for (place, i) in self.order().enumerate() {
            let of_point = &total[place * width..(place + 1) * width];
            seen[i].around = of_point[0];
            seen[i].push.copy_from_slice(&of_point[1..1 + slopes]);
            seen[i].curvature.copy_from_slice(&of_point[1 + slopes..]);
        }
        seen
    }

    /// Σ_{i<j} ρ_iρ_j of each part of h by itself, without its weight.
    pub fn by_part(&self) -> Vec<f64> {
        let (field, parts) = (self.field, &self.field.affinity.parts);
        let rows = self.rows(
            |_| vec![0.0; parts.len()],
            |sums, facing, lanes, alive| {
                let mass = &self.blocks[facing.first / WIDTH].points.mass[facing.lanes.clone()];
                for (sum, part) in sums.iter_mut().zip(&parts[..alive]) {
                    lanes.evaluate(&[(part.0, 1.0)], Depth::Value);
                    *sum += field.sociability[facing.i] * dot(mass, &lanes.value[facing.lanes.clone()]);
                }
            },
        );
        let of_part = |q: usize| rows.iter().map(|row| row[q]).sum();
        (0..parts.len()).map(of_part).collect()
    }

    /// ρ_iρ_j times numbers of every pair, as many matrices [n, n] as `read` has numbers, zero for a point and itself.
    pub fn planes(&self, depth: Depth, count: usize, read: impl Fn(&Lanes, usize, usize) -> f64 + Sync) -> Vec<Matrix> {
        let (n, field) = (self.n(), self.field);
        let rows = self.rows(
            |number| {
                let block = &self.blocks[number];
                vec![0.0; count * block.points.ids.len() * (n - block.first)]
            },
            |found, facing, lanes, alive| {
                lanes.evaluate(&field.affinity.parts[..alive], depth);
                let start = facing.own - facing.own % WIDTH;
                let row = (facing.own - start) * count;
                let (rho, mass) = (field.sociability[facing.i], &self.blocks[facing.first / WIDTH].points.mass);
                for p in 0..count {
                    let from = (row + p) * (n - start) + facing.first - start;
                    for l in facing.lanes.clone() {
                        found[from + l] = rho * mass[l] * read(lanes, p, l);
                    }
                }
            },
        );
        let order: Vec<usize> = self.order().collect();
        let mut planes = vec![Matrix::zeros(n, n); count];
        planes.par_iter_mut().enumerate().for_each(|(p, plane)| {
            for (block, row) in self.blocks.iter().zip(&rows) {
                let after = n - block.first;
                for (k, &i) in block.points.ids.iter().enumerate() {
                    let values = &row[(k * count + p) * after..][..after];
                    for (value, &j) in values.iter().zip(&order[block.first..]).skip(k + 1) {
                        plane[(j, i as usize)] = *value;
                        plane[(i as usize, j)] = *value;
                    }
                }
            }
        });
        planes
    }
}

/// Puts points that lie together next to each other, in blocks.
fn lay_out(order: &mut [u32], x: &[f64], d: usize) {
    if order.len() <= WIDTH {
        return;
    }
    let width = |a: usize| {
        let (low, high) = range(order, x, d, a);
        high - low
    };
    let axis = (0..d).reduce(|best, a| if width(a) > width(best) { a } else { best }).unwrap_or(0);
    let middle = (order.len() / 2).next_multiple_of(WIDTH);
    let at = |i: u32| x[i as usize * d + axis];
    order.select_nth_unstable_by(middle.min(order.len() - 1), |&i, &j| at(i).total_cmp(&at(j)).then(i.cmp(&j)));
    let (left, right) = order.split_at_mut(middle.min(order.len()));
    lay_out(left, x, d);
    lay_out(right, x, d);
}

fn range(points: &[u32], x: &[f64], d: usize, a: usize) -> (f64, f64) {
    let at = |&i: &u32| x[i as usize * d + a];
    points.iter().map(at).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
}

/// Square of how far a number is outside of a range.
fn outside(at: f64, (low, high): (f64, f64)) -> f64 {
    (low - at).max(at - high).max(0.0).powi(2)
}
