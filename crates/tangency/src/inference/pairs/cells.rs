//! A tree of cells: what is far from a point is seen as cells, each a Gaussian with the moments of its points.

use super::{Field, Spreads, packed, place};
use rayon::prelude::*;

/// Points of a cell that is not divided further.
const LEAF: usize = 16;
/// A cell is far from another when both radii together are below this share of their distance.
const FAR: f64 = 0.4;

/// Cells of points at some places.
pub struct Cells {
    d: usize,
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// The cells that are not divided: the groups of points that share their sources.
    leaves: Vec<usize>,
    /// For each of them the cells that are near and those that are far.
    near: Vec<Vec<u32>>,
    far: Vec<Vec<u32>>,
}

struct Node {
    first: usize,
    end: usize,
    children: Option<(usize, usize)>,
    center: Vec<f64>,
    radius: f64,
}

/// A cell as points far from it see it.
pub(super) struct Cell {
    pub mass: f64,
    pub mean: Vec<f64>,
    /// Packed.
    pub spread: Vec<f64>,
}

impl Cells {
    /// Cells of points at these places. `[n·d]`
    pub fn new(x: &[f64], d: usize) -> Self {
        let n = x.len() / d;
        let mut cells =
            Self { d, order: (0..n as u32).collect(), nodes: vec![], leaves: vec![], near: vec![], far: vec![] };
        cells.divide(x, 0, n);
        let lists: Vec<(Vec<u32>, Vec<u32>)> = cells.leaves.par_iter().map(|&leaf| cells.lists(leaf)).collect();
        (cells.near, cells.far) = lists.into_iter().unzip();
        cells
    }

    /// Makes the cell of a part of the order, and those inside it; returns its number.
    fn divide(&mut self, x: &[f64], first: usize, end: usize) -> usize {
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
        let own = self.nodes.len();
        self.nodes.push(Node { first, end, children: None, center, radius });
        if end - first <= LEAF || radius == 0.0 {
            self.leaves.push(own);
            return own;
        }
        let width = |a: usize| ranges[a].1 - ranges[a].0;
        let axis = (0..d).reduce(|best, a| if width(a) > width(best) { a } else { best }).unwrap_or(0);
        let middle = (end - first) / 2;
        self.order[first..end]
            .select_nth_unstable_by(middle, |&i, &j| at(i, axis).total_cmp(&at(j, axis)).then(i.cmp(&j)));
        let left = self.divide(x, first, first + middle);
        let right = self.divide(x, first + middle, end);
        self.nodes[own].children = Some((left, right));
        own
    }

    /// The undivided cells that are near a cell, and the largest cells that are far from it.
    fn lists(&self, leaf: usize) -> (Vec<u32>, Vec<u32>) {
        let (mut near, mut far, mut open) = (vec![], vec![], vec![0]);
        let own = &self.nodes[leaf];
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            let distance = own.center.iter().zip(&node.center).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
            if own.radius + node.radius < FAR * distance {
                far.push(number as u32);
            } else if let Some((left, right)) = node.children {
                open.extend([right, left]);
            } else {
                near.push(number as u32);
            }
        }
        (near, far)
    }

    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.leaves.len()
    }

    /// The points of a group.
    pub(super) fn points(&self, group: usize) -> &[u32] {
        self.inside(self.leaves[group])
    }

    fn inside(&self, node: usize) -> &[u32] {
        &self.order[self.nodes[node].first..self.nodes[node].end]
    }

    /// What a group sees: points one by one, and cells.
    pub(super) fn sources<'c>(&self, group: usize, moments: &'c [Cell]) -> (Vec<u32>, Vec<&'c Cell>) {
        let near = self.near[group].iter().flat_map(|&node| self.inside(node as usize).iter().copied()).collect();
        (near, self.far[group].iter().map(|&node| &moments[node as usize]).collect())
    }

    /// Every cell as those far from it see it.
    pub(super) fn moments(&self, field: &Field) -> Vec<Cell> {
        let d = self.d;
        let of_node = |number: usize| {
            let inside = self.inside(number);
            let rho = |i: u32| field.sociability[i as usize];
            let at = |i: u32, a: usize| field.x[i as usize * d + a];
            let mass: f64 = inside.iter().map(|&i| rho(i)).sum();
            let mean: Vec<f64> =
                (0..d).map(|a| inside.iter().map(|&i| rho(i) * at(i, a)).sum::<f64>() / mass).collect();
            let mut spread = vec![0.0; packed(d)];
            for &i in inside {
                for a in 0..d {
                    for b in 0..=a {
                        let own = match field.spreads {
                            Spreads::Independent(blocks) => blocks[(i as usize * d + a) * d + b],
                            Spreads::Joint(_) => 0.0,
                        };
                        spread[place(a, b)] += rho(i) / mass * (own + (at(i, a) - mean[a]) * (at(i, b) - mean[b]));
                    }
                }
            }
            Cell { mass, mean, spread }
        };
        (0..self.nodes.len()).into_par_iter().map(of_node).collect()
    }
}
