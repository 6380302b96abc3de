//! What the graph is like around a new point: inverse Laplacians between its neighbours, with and without one of the
//! training points (docs/derivation.md, eqs. 16 and 18).

use super::frozen::Frozen;
use crate::error::Result;
use crate::graph::{Graph, pieces, shifted_inverse};
use crate::linalg::{Matrix, dot, product, small};
use crate::model::Hyperparameters;
use std::collections::HashMap;

/// Below this pivot a point holds parts of the graph together, and there is no graph in one piece without it.
const SMALLEST_PIVOT: f64 = 1e-8;

/// Z(a), the inverse of L + aI on functions that sum to zero.
pub(super) struct Green {
    /// a.
    pub shift: f64,
    /// (L + aI + 11ᵀ/n)⁻¹. [n, n]
    inverse: Matrix,
}

impl Green {
    pub fn new(graph: &Graph, shift: f64) -> Result<Self> {
        Ok(Self { shift, inverse: shifted_inverse(graph, shift)?.0 })
    }

    fn n(&self) -> usize {
        self.inverse.ncols()
    }

    /// Z between these points, row-major.
    fn between(&self, points: &[u32]) -> Vec<f64> {
        let constant = 1.0 / (self.n() as f64 * (self.shift + 1.0));
        self.pairs(points, points, |i, j| self.inverse[(i, j)] - constant)
    }

    /// Z between these points on the graph without point `i`, whose neighbours are `star`; `None` if that graph is in
    /// pieces.
    fn between_without(&self, i: usize, star: &[u32], points: &[u32]) -> Option<Vec<f64>> {
        let (degree, k, n) = (star.len(), points.len(), self.n() as f64);
        let own = self.inverse[(i, i)];
        // without row and column i the edges to it still stand on the diagonal; then they go, by low rank
        let without = |p: usize, q: usize| self.inverse[(p, q)] - self.inverse[(p, i)] * self.inverse[(i, q)] / own;
        let mut pivots = self.pairs(star, star, |p, q| -without(p, q));
        (0..degree).for_each(|e| pivots[e * degree + e] += 1.0);
        small::invert(&mut pivots, degree)
            .filter(|_| (0..degree).all(|e| pivots[e * degree + e] < 1.0 / SMALLEST_PIVOT))?;
        let across = self.pairs(points, star, without);
        let solved = small::rows_times(&across, &pivots, degree);
        let constant = 1.0 / ((n - 1.0) * (self.shift + (n - 1.0) / n));
        let mut between = self.pairs(points, points, without);
        for p in 0..k {
            for q in 0..k {
                let row = |of: usize| of * degree..(of + 1) * degree;
                between[p * k + q] += dot(&across[row(p)], &solved[row(q)]) - constant;
            }
        }
        Some(between)
    }

    fn pairs(&self, rows: &[u32], columns: &[u32], entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        rows.iter()
            .flat_map(|&p| columns.iter().map(move |&q| (p, q)))
            .map(|(p, q)| entry(p as usize, q as usize))
            .collect()
    }
}

/// The graph and its potentials, of which a new point sees only what is around it.
pub(super) struct Terrain {
    pub graph: Graph,
    /// Z(0), Z(α/2), and Z(ν/2λ) unless ν = 0.
    greens: Vec<Green>,
    /// φ = Lp Bᵀu, what the maps leave unexplained at each point. [d_y, n]
    potentials: Matrix,
    /// The residual u of each edge, in the order and direction of `graph.edges()`. [d_y, m]
    residuals: Matrix,
    shifts: Vec<f64>,
}

/// Points of a graph that is too large for inverses of its own size: a new point then sees no further than so many points
/// around those it is joined to, as if the graph ended there.
const IN_SIGHT: usize = 120;

/// To take a point out of the whole graph costs the cube of its degree: without one that has more neighbours than this, others see
/// what is in sight too.
const CROWDED: usize = 300;

/// What a new point needs to know of the points that it is joined to.
pub(super) struct Surroundings {
    /// The points.
    pub points: Vec<u32>,
    /// Z between them for each shift, row-major. [k, k]
    pub greens: Vec<Vec<f64>>,
    /// φ at each of them, one after the other. [k, d_y]
    pub potentials: Vec<f64>,
    /// Number of points of the graph.
    pub n: usize,
    /// The training point that is left out of it, if any.
    pub without: Option<usize>,
}

impl Terrain {
    /// The graph of these points; with `whole`, inverses of its size are made at once.
    pub fn new(graph: &Graph, frozen: &Frozen, whole: bool) -> Result<Self> {
        let residuals = frozen.residuals(graph.edges());
        let Hyperparameters { alpha, lambda, nu, .. } = frozen.hyper;
        let of_maps = (nu > 0.0).then(|| 0.5 * nu / lambda);
        let shifts = [0.0, 0.5 * alpha].into_iter().chain(of_maps).collect();
        match whole {
            true => Self::of(graph.clone(), residuals, shifts),
            false => Ok(Self { graph: graph.clone(), greens: vec![], potentials: Matrix::new(), residuals, shifts }),
        }
    }

    fn of(graph: Graph, residuals: Matrix, shifts: Vec<f64>) -> Result<Self> {
        let greens = shifts.iter().map(|&shift| Green::new(&graph, shift)).collect::<Result<Vec<_>>>()?;
        let mut divergence = Matrix::zeros(residuals.nrows(), graph.n());
        for (e, &(i, j)) in graph.edges().iter().enumerate() {
            for f in 0..residuals.nrows() {
                divergence[(f, i as usize)] -= residuals[(f, e)];
                divergence[(f, j as usize)] += residuals[(f, e)];
            }
        }
        // the divergence sums to zero, so the constant part of the inverse does not matter
        let potentials = product(&divergence, &greens[0].inverse);
        Ok(Self { graph, greens, potentials, residuals, shifts })
    }

    /// What is around a new point joined to `points`, on the graph without the point `without`; `None` if that is in
    /// pieces.
    pub fn seen_from(&self, points: &[u32], without: Option<usize>) -> Option<Surroundings> {
        match (self.greens.is_empty(), without) {
            (false, None) => Some(self.around(points)),
            (false, Some(i)) if self.graph.neighbors(i).len() > CROWDED => self.in_sight(points, without),
            (false, Some(i)) => self.around_without(i, points),
            (true, _) => self.in_sight(points, without),
        }
    }

    /// The same from the part of the graph nearest to `points`.
    fn in_sight(&self, points: &[u32], without: Option<usize>) -> Option<Surroundings> {
        let mut members = points.to_vec();
        let mut places: HashMap<u32, u32> = points.iter().enumerate().map(|(place, &p)| (p, place as u32)).collect();
        let mut at = 0;
        'sight: while at < members.len() {
            for &j in self.graph.neighbors(members[at] as usize) {
                if members.len() >= IN_SIGHT {
                    break 'sight;
                }
                if Some(j as usize) != without && !places.contains_key(&j) {
                    places.insert(j, members.len() as u32);
                    members.push(j);
                }
            }
            at += 1;
        }
        let edges = members.iter().enumerate().flat_map(|(place, &p)| {
            let near = self.graph.neighbors(p as usize).iter().filter_map(|j| places.get(j));
            near.map(move |&other| (place as u32, other))
        });
        let graph = Graph::from_edges(members.len(), edges);
        let parts = pieces(&graph);
        if parts.len() > 1 {
            // all that is in sight hangs on `points`, so that they are in different pieces: those of the largest share count
            let own = |part: &Vec<usize>| part.iter().filter(|&&member| member < points.len()).count();
            let largest = parts.iter().max_by_key(|part| own(part))?;
            let fewer: Vec<u32> =
                largest.iter().filter(|&&member| member < points.len()).map(|&member| points[member]).collect();
            return self.in_sight(&fewer, without);
        }
        let mut residuals = Matrix::zeros(self.residuals.nrows(), graph.edges().len());
        for (e, &(p, q)) in graph.edges().iter().enumerate() {
            let along = self.residual(members[p as usize], members[q as usize]);
            residuals.col_as_slice_mut(e).iter_mut().zip(along).for_each(|(slot, value)| *slot = value);
        }
        let part = Self::of(graph, residuals, self.shifts.clone()).ok()?;
        let own: Vec<u32> = (0..points.len() as u32).collect();
        Some(Surroundings { points: points.to_vec(), without, ..part.around(&own) })
    }

    /// What is around a new point that is joined to `points`.
    pub fn around(&self, points: &[u32]) -> Surroundings {
        Surroundings {
            points: points.to_vec(),
            greens: self.greens.iter().map(|green| green.between(points)).collect(),
            potentials: points.iter().flat_map(|&j| self.potentials.col_as_slice(j as usize)).copied().collect(),
            n: self.graph.n(),
            without: None,
        }
    }

    /// The same on the graph without point `i`; `None` if that is in pieces.
    pub fn around_without(&self, i: usize, points: &[u32]) -> Option<Surroundings> {
        let star = self.graph.neighbors(i);
        if star.is_empty() {
            return None;
        }
        let (degree, d_y) = (star.len(), self.potentials.nrows());
        let greens: Option<Vec<_>> = self.greens.iter().map(|green| green.between_without(i, star, points)).collect();
        let from = self.potentials.col_as_slice(i);
        let level =
            |j: u32| self.potentials.col_as_slice(j as usize).iter().zip(from).map(|(there, here)| there - here);

        // ρ: what the potentials leave of the residuals on the edges of i
        let mut left: Vec<f64> = star.iter().flat_map(|&j| self.residual(i as u32, j)).collect(); // [degree, d_y]
        for (e, &j) in star.iter().enumerate() {
            left[e * d_y..(e + 1) * d_y].iter_mut().zip(level(j)).for_each(|(u, step)| *u -= step);
        }
        // G: resistances from i; A = I − G between its neighbours, regular on functions that sum to zero
        let g = &self.greens[0].inverse;
        let grounded = |p: usize, q: usize| g[(p, q)] - g[(p, i)] - g[(i, q)] + g[(i, i)];
        let mut inverse = self.greens[0].pairs(star, star, |p, q| 1.0 / degree as f64 - grounded(p, q));
        (0..degree).for_each(|e| inverse[e * degree + e] += 1.0);
        small::invert(&mut inverse, degree)?;
        let weights = small::rows_times(&self.greens[0].pairs(points, star, grounded), &inverse, degree); // [k, degree]
        let mut potentials = Vec::with_capacity(points.len() * d_y);
        for (p, &j) in points.iter().enumerate() {
            let mut at: Vec<f64> = level(j).collect();
            for e in 0..degree {
                let weight = weights[p * degree + e];
                at.iter_mut().zip(&left[e * d_y..]).for_each(|(slot, rest)| *slot -= weight * rest);
            }
            potentials.extend(at);
        }
        let n = self.graph.n() - 1;
        Some(Surroundings { points: points.to_vec(), greens: greens?, potentials, n, without: Some(i) })
    }

    /// The residual of the edge from i to j, in that direction.
    fn residual(&self, i: u32, j: u32) -> impl Iterator<Item = f64> {
        let sign = if i < j { 1.0 } else { -1.0 };
        let edge = self.graph.edges().binary_search(&(i.min(j), i.max(j))).unwrap_or_default();
        self.residuals.col_as_slice(edge).iter().map(move |u| sign * u)
    }

    /// Divides points into groups that the graph joins directly or through one common neighbour other than `without`.
    pub fn groups(&self, points: &[u32], without: Option<u32>) -> Vec<Vec<u32>> {
        let near = |p: u32, q: u32| {
            self.graph.has((p.min(q), p.max(q))) || {
                let (mut a, mut b) = (self.graph.neighbors(p as usize), self.graph.neighbors(q as usize));
                loop {
                    match (a, b) {
                        ([first, rest @ ..], [other, ..]) if first < other => a = rest,
                        ([first, ..], [other, rest @ ..]) if first > other => b = rest,
                        ([common, ..], [_, ..]) if Some(*common) != without => break true,
                        ([_, rest @ ..], [_, others @ ..]) => (a, b) = (rest, others),
                        _ => break false,
                    }
                }
            }
        };
        // a breadth-first walk over the points, which are few
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut rest = points.to_vec();
        while let Some(&first) = rest.first() {
            let mut group = vec![first];
            rest.remove(0);
            let mut at = 0;
            while at < group.len() {
                let from = group[at];
                rest.retain(|&p| {
                    let joined = near(from, p);
                    if joined {
                        group.push(p);
                    }
                    !joined
                });
                at += 1;
            }
            // nearest first, as they were given
            group.sort_by_key(|p| points.iter().position(|q| q == p));
            groups.push(group);
        }
        groups
    }
}
