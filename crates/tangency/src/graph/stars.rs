//! Stars: for every point the effective resistances of its edges and how they go together, from the graph around it.
//!
//! The star matrix of point i is P_i[j, l] = (e_j − e_i)ᵀ Lp (e_l − e_i) for its neighbours j and l; its diagonal holds
//! effective resistances. Taken from a part of the graph instead of the whole it can only grow in the Loewner order
//! (fewer edges, more resistance), so that a bound which falls with P_i stays a bound (docs/derivation.md, eq. 23).

use super::Graph;
use crate::linalg::small::invert;
use rayon::prelude::*;

/// Most points of a ball.
const LARGEST_BALL: usize = 200;
/// A point with more neighbours is a hub: its star is cut into groups, as if edges between groups were not there.
const HUB: usize = 64;
/// Neighbours in a group of a hub's star.
const GROUP: usize = 32;

/// The star matrices of all points. A hub has several, for one group of neighbours each; every other point has one.
pub struct Stars {
    first_group: Vec<usize>,
    groups: Vec<StarGroup>,
    values: Vec<f64>,
}

/// Some neighbours of a point, and where their matrix is stored.
struct StarGroup {
    first: usize,
    size: usize,
    at: usize,
}

/// A group of neighbours of a point: which of its neighbours, and their star matrix, row by row.
pub struct Star<'a> {
    /// Place of the group's first neighbour in the list of the point's neighbours.
    pub first: usize,
    /// Neighbours in the group.
    pub size: usize,
    /// P_i between them. [size, size]
    pub matrix: &'a [f64],
}

impl Stars {
    /// Star matrices from the graph within so many steps of each point; 0 steps stand for the whole graph.
    pub fn new(graph: &Graph, radius: usize) -> Self {
        let n = graph.n();
        let mut first_group = vec![0];
        let mut groups = Vec::new();
        let mut at = 0;
        for i in 0..n {
            let degree = graph.degree(i);
            let width = if degree > HUB { GROUP } else { degree.max(1) };
            for first in (0..degree).step_by(width) {
                let size = width.min(degree - first);
                groups.push(StarGroup { first, size, at });
                at += size * size;
            }
            first_group.push(groups.len());
        }
        let mut values = vec![0.0; at];
        let mut parts = Vec::with_capacity(n);
        let mut rest = values.as_mut_slice();
        for i in 0..n {
            let length: usize = groups[first_group[i]..first_group[i + 1]].iter().map(|g| g.size * g.size).sum();
            let (part, after) = rest.split_at_mut(length);
            parts.push(part);
            rest = after;
        }
        parts.into_par_iter().enumerate().for_each_init(
            || Ball::new(graph, radius),
            |ball, (i, mut part)| {
                let own = &groups[first_group[i]..first_group[i + 1]];
                for group in own {
                    let (matrix, after) = part.split_at_mut(group.size * group.size);
                    ball.gather(i, group, own.len() > 1);
                    ball.star(group.size, matrix);
                    part = after;
                }
            },
        );
        Self { first_group, groups, values }
    }

    /// The star of a point, group by group.
    pub fn of(&self, i: usize) -> impl Iterator<Item = Star<'_>> {
        self.groups[self.first_group[i]..self.first_group[i + 1]].iter().map(|group| Star {
            first: group.first,
            size: group.size,
            matrix: &self.values[group.at..group.at + group.size * group.size],
        })
    }

    /// Effective resistance of the edge to neighbour number `place` of point i, seen from i.
    pub fn resistance(&self, i: usize, place: usize) -> f64 {
        self.of(i)
            .find(|star| place < star.first + star.size)
            .map_or(f64::NAN, |star| star.matrix[(place - star.first) * (star.size + 1)])
    }
}

/// Effective resistance of every edge from the graph within so many steps of its ends, the smaller of what the two see.
pub fn edge_resistances(graph: &Graph, radius: usize) -> Vec<f64> {
    let stars = Stars::new(graph, radius);
    let seen = |from: u32, to: u32| {
        let place = graph.neighbors(from as usize).binary_search(&to).unwrap_or(0);
        stars.resistance(from as usize, place)
    };
    graph.edges().iter().map(|&(i, j)| seen(i, j).min(seen(j, i))).collect()
}

/// The part of the graph around one point, and room for its Laplacian.
struct Ball<'a> {
    graph: &'a Graph,
    radius: usize,
    /// Points of the ball without its centre, the group first.
    points: Vec<u32>,
    /// Place of a point in `points`, or none.
    place: Vec<u32>,
    laplacian: Vec<f64>,
}

const OUTSIDE: u32 = u32::MAX;

impl<'a> Ball<'a> {
    fn new(graph: &'a Graph, radius: usize) -> Self {
        Self { graph, radius, points: vec![], place: vec![OUTSIDE; graph.n()], laplacian: vec![] }
    }

    /// Collects the points around a group of neighbours of `centre`. Groups of a hub must not meet elsewhere than in their
    /// centre, so that theirs is no more than the group itself.
    fn gather(&mut self, centre: usize, group: &StarGroup, hub: bool) {
        self.points.clear();
        self.points.extend_from_slice(&self.graph.neighbors(centre)[group.first..group.first + group.size]);
        for (place, &point) in self.points.iter().enumerate() {
            self.place[point as usize] = place as u32;
        }
        let steps = if self.radius == 0 { usize::MAX } else { self.radius };
        let most = if self.radius == 0 { usize::MAX } else { LARGEST_BALL.max(group.size) };
        let mut shell = 0..self.points.len();
        let mut step = 1;
        while !hub && step < steps && !shell.is_empty() && self.points.len() < most {
            let end = self.points.len();
            'shell: for at in shell {
                for &j in self.graph.neighbors(self.points[at] as usize) {
                    if j as usize != centre && self.place[j as usize] == OUTSIDE {
                        self.place[j as usize] = self.points.len() as u32;
                        self.points.push(j);
                        if self.points.len() >= most {
                            break 'shell;
                        }
                    }
                }
            }
            shell = end..self.points.len();
            step += 1;
        }
        self.fill(centre);
        for &point in &self.points {
            self.place[point as usize] = OUTSIDE;
        }
    }

    /// The Laplacian of the ball, its centre grounded; the group is last, the farthest points first.
    fn fill(&mut self, centre: usize) {
        let size = self.points.len();
        self.laplacian.clear();
        self.laplacian.resize(size * size, 0.0);
        for (place, &point) in self.points.iter().enumerate() {
            let row = size - 1 - place;
            let mut degree = 0.0;
            for &j in self.graph.neighbors(point as usize) {
                let other = self.place[j as usize];
                if other != OUTSIDE {
                    self.laplacian[row * size + size - 1 - other as usize] = -1.0;
                    degree += 1.0;
                } else if j as usize == centre {
                    degree += 1.0;
                }
            }
            self.laplacian[row * size + row] = degree;
        }
    }

    /// Eliminates all but the group, and inverts what is left.
    fn star(&mut self, group: usize, out: &mut [f64]) {
        let size = self.points.len();
        let outer = size - group;
        for p in 0..outer {
            let (above, below) = self.laplacian.split_at_mut((p + 1) * size);
            let pivot_row = &above[p * size..];
            let scale = 1.0 / pivot_row[p];
            for i in p + 1..size {
                if pivot_row[i] != 0.0 {
                    let factor = pivot_row[i] * scale;
                    let row = &mut below[(i - p - 1) * size + i..(i - p) * size];
                    row.iter_mut().zip(&pivot_row[i..]).for_each(|(slot, value)| *slot -= factor * value);
                }
            }
        }
        for j in 0..group {
            for l in 0..group {
                let (row, column) = (size - 1 - j.max(l), size - 1 - j.min(l));
                out[j * group + l] = self.laplacian[row * size + column];
            }
        }
        // the graph of a ball is in one piece and grounded, so that this is positive definite
        let _ = invert(out, group);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::graph::{Laplacian, Symmetry, neighbor_graph};
    use crate::{Shape, generate};

    fn roll() -> Graph {
        let roll = generate(Shape::SwissRoll, 300, 0.0, 1);
        neighbor_graph(&roll.points.transpose().to_owned(), 8, Symmetry::Or)
    }

    #[test]
    fn the_whole_graph_gives_the_pseudo_inverse() {
        let graph = roll();
        let (stars, laplacian) = (Stars::new(&graph, 0), Laplacian::new(&graph).unwrap());
        let lp = &laplacian.pseudo_inverse;
        for i in 0..graph.n() {
            let star = stars.of(i).next().unwrap();
            let list = graph.neighbors(i);
            for j in 0..star.size {
                for l in 0..star.size {
                    let (p, q) = (list[j] as usize, list[l] as usize);
                    let expected = lp[(p, q)] - lp[(p, i)] - lp[(i, q)] + lp[(i, i)];
                    assert!((star.matrix[j * star.size + l] - expected).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn larger_balls_have_less_resistance() {
        let graph = roll();
        let mean = |radius: usize| {
            let stars = Stars::new(&graph, radius);
            let all = (0..graph.n()).flat_map(|i| (0..graph.degree(i)).map(move |place| (i, place)));
            let resistances: Vec<f64> = all.map(|(i, place)| stars.resistance(i, place)).collect();
            resistances.iter().sum::<f64>() / resistances.len() as f64
        };
        let (one, two, three, whole) = (mean(1), mean(2), mean(3), mean(0));
        assert!(one >= two && two >= three && three >= whole, "{one} {two} {three} {whole}");
        assert!(two < 1.1 * whole, "{two} {whole}");
    }

    #[test]
    fn a_hub_does_not_cost_its_square_and_is_no_smaller() {
        let n = 4000;
        let spokes = (1..n).map(|j| (0, j));
        let rim = (1..n - 1).map(|j| (j, j + 1));
        let graph = Graph::from_edges(n as usize, spokes.chain(rim));
        let stars = Stars::new(&graph, 2);
        assert!(stars.values.len() < 60 * n as usize);
        // the ladder of a wheel: 1 / √5 far from its ends
        for place in [100, 2000] {
            let resistance = stars.resistance(0, place);
            assert!((1.0 / 5f64.sqrt()..0.7).contains(&resistance), "{resistance}");
        }
    }
}
