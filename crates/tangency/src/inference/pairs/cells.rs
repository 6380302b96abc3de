//! A tree of cells for points that vary independently: what is far from a group of points, or small next to the width of a part
//! of h, is seen as cells, each a Gaussian with the moments of its points.

use super::group::{GROUP, Group, GroupSums, Source};
use super::{Depth, FEW, Field, MOST_COMPONENTS, PairSums, packed};
use crate::linalg::dot;
use crate::model::Affinity;
use rayon::prelude::*;
use std::collections::HashMap;

/// Points of a cell that is not divided further.
const SMALLEST: usize = 2;
/// A cell is seen as one when its radius is below this share of its distance,
const FAR: f64 = 0.35;
/// or below this share of the width 1/√s of a part of h.
const NARROW: f64 = 0.35;
/// A part of h counts for nothing beyond this exponent.
const BEYOND: f64 = 16.0;
/// Cells of so many points are made side by side.
const SIDE_BY_SIDE: usize = 4096;

type Place = [f64; MOST_COMPONENTS];

/// Cells of points at some places.
pub struct Cells {
    d: usize,
    order: Vec<u32>,
    /// The first half of a cell comes right after it.
    nodes: Vec<Node>,
    /// The cells whose points share their sources.
    groups: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    first: u32,
    end: u32,
    /// Its second half; none if it is not divided.
    second: Option<u32>,
    center: Place,
    radius: f64,
    /// The radius of many points with the same scatter, if that is larger.
    reach: f64,
    /// The largest total variance of a point inside.
    variance: f64,
}

/// What a group sees: a cell by its number or a point by its place, with the parts of h for which it does.
#[derive(Clone, Copy)]
pub(super) struct Seeing {
    pub id: u32,
    pub cell: bool,
    first: u8,
    end: u8,
}

impl Seeing {
    pub fn parts(&self) -> std::ops::Range<usize> {
        usize::from(self.first)..usize::from(self.end)
    }
}

/// Cells and points, these in the order of the tree, as those see them that are far from them.
pub(super) struct Sources {
    pub cells: Vec<Source>,
    pub points: Vec<Source>,
}

/// Rates of h as the tree is walked with them.
struct Widths {
    rates: Vec<f64>,
    /// Squared radius up to which a cell is narrow for each.
    narrow: Vec<f64>,
}

/// Where cells and points are being put, and what they are made of.
#[derive(Clone, Copy)]
struct Dividing<'a> {
    d: usize,
    x: &'a [f64],
    blocks: &'a [f64],
    /// Cells that so many points make.
    sizes: &'a HashMap<usize, usize>,
}

impl Cells {
    /// Cells of points at these places, with these covariances. `[n·d]`, `[n·d²]`
    pub fn new(x: &[f64], blocks: &[f64], d: usize) -> Self {
        let n = x.len() / d;
        let mut sizes = HashMap::new();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut nodes = vec![Node::default(); count_cells(n, &mut sizes)];
        Dividing { d, x, blocks, sizes: &sizes }.divide(&mut order, &mut nodes, (0, 0));
        let mut groups = Vec::with_capacity(n.div_ceil(GROUP));
        let mut number = 0;
        while number < nodes.len() {
            let size = nodes[number].size();
            let is_group = size <= GROUP;
            if is_group {
                groups.push(number as u32);
            }
            number += if is_group { sizes.get(&size).copied().unwrap_or(1) } else { 1 };
        }
        Self { d, order, nodes, groups }
    }

    /// x → t·x.
    pub fn rescale(&mut self, t: f64) {
        for node in &mut self.nodes {
            node.center.iter_mut().for_each(|at| *at *= t);
            node.radius *= t;
            node.reach *= t;
            node.variance *= t * t;
        }
    }

    fn inside(&self, node: u32) -> &[u32] {
        let Node { first, end, .. } = self.nodes[node as usize];
        &self.order[first as usize..end as usize]
    }

    /// The sums over all pairs.
    pub(super) fn sums(&self, field: &Field, depth: Depth) -> PairSums {
        let (sources, widths) = (self.sources(field), Widths::of(field.affinity));
        let parts = &field.affinity.parts;
        let of_group = |(seeing, open): &mut (Vec<Seeing>, Vec<_>), &group: &u32| {
            self.see(group, &widths, seeing, open);
            let Node { first, end, .. } = self.nodes[group as usize];
            let mut lanes = Group::new(self.d, first as usize, &sources.points[first as usize..end as usize]);
            lanes.add(seeing, &sources, parts, depth);
            lanes.into_sums()
        };
        let found: Vec<GroupSums> = self.groups.par_iter().map_init(Default::default, of_group).collect();
        self.gather(field, &found, depth)
    }

    /// What groups found, point by point.
    fn gather(&self, field: &Field, found: &[GroupSums], depth: Depth) -> PairSums {
        let (n, d) = (self.order.len(), self.d);
        let slopes = if depth >= Depth::Slope { d } else { 0 };
        let bends = if depth == Depth::Curvature { packed(d) } else { 0 };
        let (mut around, mut push) = (vec![0.0; n], vec![0.0; n * slopes]);
        let mut curvature = vec![0.0; n * bends];
        for (&group, sums) in self.groups.iter().zip(found) {
            for (l, &i) in self.inside(group).iter().enumerate() {
                let i = i as usize;
                let rho = field.sociability[i];
                around[i] = sums.around[l];
                (0..slopes).for_each(|a| push[i * d + a] = rho * sums.push[a][l]);
                (0..bends).for_each(|p| curvature[i * bends + p] = rho * sums.curvature[p][l]);
            }
        }
        PairSums { expected: 0.5 * dot(&around, field.sociability), around, push, curvature, error: 0.0 }
    }

    /// Σ_{i<j} ρ_iρ_j of each part of h by itself, without its weight.
    pub(super) fn by_part(&self, field: &Field) -> Vec<f64> {
        let (sources, widths) = (self.sources(field), Widths::of(field.affinity));
        let count = widths.rates.len();
        let of_group = |(seeing, open): &mut (Vec<Seeing>, Vec<_>), &group: &u32| {
            self.see(group, &widths, seeing, open);
            let Node { first, end, .. } = self.nodes[group as usize];
            let own = &sources.points[first as usize..end as usize];
            let mut totals = vec![0.0; count];
            Group::new(self.d, first as usize, own).by_part(seeing, &sources, &field.affinity.parts, &mut totals);
            totals
        };
        let found: Vec<Vec<f64>> = self.groups.par_iter().map_init(Default::default, of_group).collect();
        (0..count).map(|q| 0.5 * found.iter().map(|group| group[q]).sum::<f64>()).collect()
    }

    /// Finds the cells and points that a group sees.
    fn see(&self, group: u32, widths: &Widths, seeing: &mut Vec<Seeing>, open: &mut Vec<(u32, u8, u8)>) {
        seeing.clear();
        let all = widths.rates.len() as u8;
        if self.order.len() <= FEW {
            let points = 0..self.order.len() as u32;
            seeing.extend(points.map(|id| Seeing { id, cell: false, first: 0, end: all }));
            return;
        }
        let own = &self.nodes[group as usize];
        open.clear();
        open.push((0, 0, all));
        while let Some((number, first, end)) = open.pop() {
            let node = &self.nodes[number as usize];
            let square: f64 = (0..MOST_COMPONENTS).map(|a| (own.center[a] - node.center[a]).powi(2)).sum();
            let distance = square.sqrt();
            let nearest = (distance - own.radius - node.radius).max(0.0);
            let (nearest, variance) = (nearest * nearest, own.variance + node.variance);
            // s/(1 + 2s·variance)·nearest² > BEYOND
            let beyond = |rate: f64| rate * (nearest - 2.0 * BEYOND * variance) > BEYOND;
            let mut end = end;
            while end > first && beyond(widths.rates[usize::from(end) - 1]) {
                end -= 1;
            }
            let mut middle = first;
            let holds_own = node.first < own.end && own.first < node.end;
            if !holds_own {
                let reach = node.reach * node.reach;
                match node.reach < FAR * (distance - own.radius) {
                    true => middle = end,
                    false => {
                        while middle < end && reach < widths.narrow[usize::from(middle)] {
                            middle += 1;
                        }
                    }
                }
            }
            if middle > first {
                seeing.push(Seeing { id: number, cell: true, first, end: middle });
            }
            if middle == end {
                continue;
            }
            match node.second {
                Some(second) => open.extend([(second, middle, end), (number + 1, middle, end)]),
                None => seeing.extend((node.first..node.end).map(|id| Seeing { id, cell: false, first: middle, end })),
            }
        }
    }

    /// Every cell and every point as others see it.
    fn sources(&self, field: &Field) -> Sources {
        let points: Vec<Source> = self.order.par_iter().map(|&i| Source::point(field, i as usize)).collect();
        let mut cells = vec![Source::default(); self.nodes.len()];
        self.moments(0, &points, &mut cells);
        Sources { cells, points }
    }

    /// The moments of a cell and of those inside it, which are next to each other.
    fn moments(&self, number: usize, points: &[Source], cells: &mut [Source]) {
        let node = &self.nodes[number];
        let Some((own, inside)) = cells.split_first_mut() else { return };
        let Some(second) = node.second else {
            let here = &points[node.first as usize..node.end as usize];
            *own = here.iter().skip(1).fold(here[0], |sum, point| sum.with(point, self.d));
            return;
        };
        let (left, right) = inside.split_at_mut(second as usize - number - 1);
        let halves = [(number + 1), second as usize];
        if node.size() > SIDE_BY_SIDE {
            rayon::join(|| self.moments(halves[0], points, left), || self.moments(halves[1], points, right));
        } else {
            self.moments(halves[0], points, left);
            self.moments(halves[1], points, right);
        }
        *own = left[0].with(&right[0], self.d);
    }
}

impl Node {
    fn size(&self) -> usize {
        (self.end - self.first) as usize
    }
}

impl Widths {
    fn of(affinity: &Affinity) -> Self {
        let rates: Vec<f64> = affinity.parts.iter().map(|(rate, _)| *rate).collect();
        Self { narrow: rates.iter().map(|rate| NARROW * NARROW / rate).collect(), rates }
    }
}

/// Points in the first half of a cell: whole groups, so that few are not full.
fn first_half(size: usize) -> usize {
    (size / 2).next_multiple_of(if size > GROUP { GROUP } else { 1 })
}

/// Cells that so many points make.
fn count_cells(size: usize, known: &mut HashMap<usize, usize>) -> usize {
    if let Some(&count) = known.get(&size) {
        return count;
    }
    let count = match size <= SMALLEST {
        true => 1,
        false => {
            let first = first_half(size);
            1 + count_cells(first, known) + count_cells(size - first, known)
        }
    };
    known.insert(size, count);
    count
}

impl Dividing<'_> {
    /// Makes the cell of these points, and those inside it; it is told the place of the first point and its own number.
    fn divide(self, order: &mut [u32], nodes: &mut [Node], (first, number): (usize, usize)) {
        let Self { d, x, blocks, sizes } = self;
        let at = |i: u32, a: usize| x[i as usize * d + a];
        let size = order.len();
        let count = size as f64;
        let (mut low, mut high) = ([f64::INFINITY; MOST_COMPONENTS], [f64::NEG_INFINITY; MOST_COMPONENTS]);
        let (mut sum, mut squares, mut variance) = ([0.0; MOST_COMPONENTS], 0.0, 0.0f64);
        for &i in order.iter() {
            let mut own = 0.0;
            for a in 0..d {
                let (place, off) = (at(i, a), at(i, a) - at(order[0], a));
                (low[a], high[a]) = (low[a].min(place), high[a].max(place));
                sum[a] += off;
                squares += off * off;
                own += blocks[(i as usize * d + a) * d + a];
            }
            variance = variance.max(own);
        }
        let mut center = [0.0; MOST_COMPONENTS];
        (0..d).for_each(|a| center[a] = 0.5 * (low[a] + high[a]));
        let radius = (0..d).map(|a| (0.5 * (high[a] - low[a])).powi(2)).sum::<f64>().sqrt();
        // few points fill their cell less evenly than many
        let scatter = squares / count - (0..d).map(|a| (sum[a] / count).powi(2)).sum::<f64>();
        let reach = radius.max((3.0 * scatter.max(0.0)).sqrt());
        let Some((own, inside)) = nodes.split_first_mut() else { return };
        let end = first + size;
        *own = Node { first: first as u32, end: end as u32, second: None, center, radius, reach, variance };
        if size <= SMALLEST {
            return;
        }
        let width = |a: usize| high[a] - low[a];
        let axis = (0..d).reduce(|best, a| if width(a) > width(best) { a } else { best }).unwrap_or(0);
        let middle = first_half(size);
        order.select_nth_unstable_by(middle, |&i, &j| at(i, axis).total_cmp(&at(j, axis)).then(i.cmp(&j)));
        let (left, right) = order.split_at_mut(middle);
        let cells = sizes.get(&middle).copied().unwrap_or(inside.len());
        let (of_left, of_right) = inside.split_at_mut(cells);
        let second = number + 1 + cells;
        own.second = Some(second as u32);
        let halves = [(first, number + 1), (first + middle, second)];
        if size > SIDE_BY_SIDE {
            rayon::join(|| self.divide(left, of_left, halves[0]), || self.divide(right, of_right, halves[1]));
        } else {
            self.divide(left, of_left, halves[0]);
            self.divide(right, of_right, halves[1]);
        }
    }
}
