//! A tree of cells for points that vary independently: what is far from a group of points, or small next to the width of a part
//! of h, is seen as cells, each a Gaussian with the moments of its points.

use super::field::Seen;
use super::group::{GROUP, Group, Source};
use super::{Depth, FEW, Field, Spreads, place};
use crate::model::Affinity;
use rayon::prelude::*;

/// Points of a cell that is not divided further.
const SMALLEST: usize = 2;
/// A cell is seen as one when its radius is below this share of its distance,
const FAR: f64 = 0.35;
/// or below this share of the width 1/√s of a part of h.
const NARROW: f64 = 0.35;
/// A part of h counts for nothing beyond this exponent.
const BEYOND: f64 = 16.0;

/// Cells of points at some places.
pub struct Cells {
    d: usize,
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// The cells whose points share their sources.
    groups: Vec<usize>,
}

struct Node {
    first: usize,
    end: usize,
    children: Option<(usize, usize)>,
    center: Vec<f64>,
    radius: f64,
    /// The radius of many points with the same scatter, if that is larger.
    reach: f64,
    /// The largest total variance of a point inside.
    variance: f64,
}

/// What a group sees: a cell or a point, with the parts of h for which it does.
struct Seeing {
    id: u32,
    cell: bool,
    parts: std::ops::Range<usize>,
}

impl Cells {
    /// Cells of points at these places, with these covariances. `[n·d]`, `[n·d²]`
    pub fn new(x: &[f64], blocks: &[f64], d: usize) -> Self {
        let n = x.len() / d;
        let mut cells = Self { d, order: (0..n as u32).collect(), nodes: vec![], groups: vec![] };
        cells.divide(x, blocks, 0, n, false);
        cells
    }

    /// Makes the cell of a part of the order, and those inside it; returns its number.
    fn divide(&mut self, x: &[f64], blocks: &[f64], first: usize, end: usize, in_group: bool) -> usize {
        let d = self.d;
        let at = |i: u32, a: usize| x[i as usize * d + a];
        let inside = &self.order[first..end];
        let range = |a: usize| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            inside.iter().fold(ends, |(low, high), &i| (low.min(at(i, a)), high.max(at(i, a))))
        };
        let ranges: Vec<(f64, f64)> = (0..d).map(range).collect();
        let center: Vec<f64> = ranges.iter().map(|(low, high)| 0.5 * (low + high)).collect();
        let radius = ranges.iter().map(|(low, high)| (0.5 * (high - low)).powi(2)).sum::<f64>().sqrt();
        // few points fill their cell less evenly than many
        let count = inside.len() as f64;
        let scatter = |a: usize| {
            let mean = inside.iter().map(|&i| at(i, a)).sum::<f64>() / count;
            inside.iter().map(|&i| (at(i, a) - mean).powi(2)).sum::<f64>() / count
        };
        let reach = radius.max((3.0 * (0..d).map(scatter).sum::<f64>()).sqrt());
        let own = |i: u32| (0..d).map(|a| blocks[(i as usize * d + a) * d + a]).sum::<f64>();
        let variance = inside.iter().map(|&i| own(i)).fold(0.0, f64::max);
        let number = self.nodes.len();
        self.nodes.push(Node { first, end, children: None, center, radius, reach, variance });
        let is_group = end - first <= GROUP && !in_group;
        if is_group {
            self.groups.push(number);
        }
        if end - first <= SMALLEST {
            return number;
        }
        let width = |a: usize| ranges[a].1 - ranges[a].0;
        let axis = (0..d).reduce(|best, a| if width(a) > width(best) { a } else { best }).unwrap_or(0);
        // whole groups on the left, so that few are not full
        let whole = if end - first > GROUP { GROUP } else { 1 };
        let middle = ((end - first) / 2).next_multiple_of(whole);
        self.order[first..end]
            .select_nth_unstable_by(middle, |&i, &j| at(i, axis).total_cmp(&at(j, axis)).then(i.cmp(&j)));
        let in_group = in_group || is_group;
        let left = self.divide(x, blocks, first, first + middle, in_group);
        let right = self.divide(x, blocks, first + middle, end, in_group);
        self.nodes[number].children = Some((left, right));
        number
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

    fn inside(&self, node: usize) -> &[u32] {
        &self.order[self.nodes[node].first..self.nodes[node].end]
    }

    /// What the points of each group get from all others, by point.
    pub(super) fn see(&self, field: &Field, depth: Depth) -> Vec<Seen> {
        let cells = self.moments(field);
        let of_group = |&group: &usize| {
            let points = self.inside(group);
            let seeing = self.seeing(group, field.affinity);
            let mut lanes = Group::new(field, points);
            let mut sources = Vec::with_capacity(seeing.len());
            for (q, &(rate, weight)) in field.affinity.parts.iter().enumerate() {
                self.list(&mut sources, &seeing, q, &cells, field);
                lanes.add(&sources, rate, weight, depth);
            }
            lanes.seen(points.len(), depth)
        };
        let found: Vec<Vec<Seen>> = self.groups.par_iter().map(of_group).collect();
        let mut by_point: Vec<Option<Seen>> = (0..self.order.len()).map(|_| None).collect();
        for (&group, seen) in self.groups.iter().zip(found) {
            self.inside(group).iter().zip(seen).for_each(|(&i, seen)| by_point[i as usize] = Some(seen));
        }
        by_point.into_iter().flatten().collect()
    }

    /// Σ_{i<j} ρ_iρ_j of each part of h by itself, without its weight.
    pub(super) fn by_part(&self, field: &Field) -> Vec<f64> {
        let (cells, parts) = (self.moments(field), &field.affinity.parts);
        let of_group = |&group: &usize| {
            let points = self.inside(group);
            let seeing = self.seeing(group, field.affinity);
            let mut lanes = Group::new(field, points);
            let (mut before, mut sources) = (0.0, Vec::with_capacity(seeing.len()));
            let of_part = |q: usize| {
                self.list(&mut sources, &seeing, q, &cells, field);
                lanes.add(&sources, parts[q].0, 1.0, Depth::Value);
                let around = lanes.around(points.len()).zip(points);
                let total: f64 = around.map(|(around, &i)| around * field.sociability[i as usize]).sum();
                total - std::mem::replace(&mut before, total)
            };
            (0..parts.len()).map(of_part).collect::<Vec<f64>>()
        };
        let found: Vec<Vec<f64>> = self.groups.par_iter().map(of_group).collect();
        (0..parts.len()).map(|q| 0.5 * found.iter().map(|group| group[q]).sum::<f64>()).collect()
    }

    /// Puts what a group sees by one part of h in place of what is there.
    fn list(&self, into: &mut Vec<Source>, seeing: &[Seeing], part: usize, cells: &[Source], field: &Field) {
        into.clear();
        into.extend(
            seeing
                .iter()
                .filter(|seen| seen.parts.contains(&part))
                .map(|seen| if seen.cell { cells[seen.id as usize] } else { Source::point(field, seen.id as usize) }),
        );
    }

    /// The cells and points that a group sees.
    fn seeing(&self, group: usize, affinity: &Affinity) -> Vec<Seeing> {
        let rates: Vec<f64> = affinity.parts.iter().map(|(rate, _)| *rate).collect();
        let own = &self.nodes[group];
        if self.order.len() <= FEW {
            let all = 0..rates.len();
            return self.order.iter().map(|&id| Seeing { id, cell: false, parts: all.clone() }).collect();
        }
        let (mut seeing, mut open) = (vec![], vec![(0usize, 0..rates.len())]);
        while let Some((number, parts)) = open.pop() {
            let node = &self.nodes[number];
            let distance = own.center.iter().zip(&node.center).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
            let nearest = (distance - own.radius - node.radius).max(0.0);
            let variance = own.variance + node.variance;
            let beyond = |rate: f64| rate / (1.0 + 2.0 * rate * variance) * nearest * nearest > BEYOND;
            let mut end = parts.end;
            while end > parts.start && beyond(rates[end - 1]) {
                end -= 1;
            }
            let holds_own = node.first < own.end && own.first < node.end;
            let far = node.reach < FAR * (distance - own.radius);
            let narrow = |rate: f64| rate * node.reach * node.reach < NARROW * NARROW;
            let mut middle = parts.start;
            while middle < end && !holds_own && (far || narrow(rates[middle])) {
                middle += 1;
            }
            if middle > parts.start {
                seeing.push(Seeing { id: number as u32, cell: true, parts: parts.start..middle });
            }
            if middle == end {
                continue;
            }
            match node.children {
                Some((left, right)) => open.extend([(right, middle..end), (left, middle..end)]),
                None => {
                    seeing.extend(self.inside(number).iter().map(|&id| Seeing { id, cell: false, parts: middle..end }))
                }
            }
        }
        seeing
    }

    /// Every cell as those far from it see it.
    fn moments(&self, field: &Field) -> Vec<Source> {
        let d = self.d;
        let Spreads::Independent(blocks) = field.spreads else { return vec![] };
        let of_node = |number: usize| {
            let inside = self.inside(number);
            let rho = |i: u32| field.sociability[i as usize];
            let at = |i: u32, a: usize| field.x[i as usize * d + a];
            let mass: f64 = inside.iter().map(|&i| rho(i)).sum();
            let mut cell = Source::cell(mass);
            for a in 0..d {
                cell.mean[a] = inside.iter().map(|&i| rho(i) * at(i, a)).sum::<f64>() / mass;
            }
            for &i in inside {
                for a in 0..d {
                    for b in 0..=a {
                        let own = blocks[(i as usize * d + a) * d + b];
                        let off = (at(i, a) - cell.mean[a]) * (at(i, b) - cell.mean[b]);
                        cell.spread[place(a, b)] += rho(i) / mass * (own + off);
                    }
                }
            }
            cell
        };
        (0..self.nodes.len()).into_par_iter().map(of_node).collect()
    }
}
