//! A map on which edges are as long as they are in the table, as far as that goes (docs/derivation.md, eq. 41).
//!
//! Neither likelihood holds the lengths of a map: x → φ(x), C → C·Dφ⁻¹ changes what is expected of the data by nothing, and what
//! the priors prefer is a sheet that is stretched where it bends. The table does say how long its edges are.

use super::engine::Updates;
use super::factorised::conjugate_gradients::{add, sum};
use super::factorised::quasi_newton::Memory;
use crate::graph::Graph;
use crate::linalg::Matrix;
use crate::model::Problem;
use rayon::prelude::*;

/// Most steps, and lengths that are tried of each.
const STEPS: usize = 200;
const HALVINGS: usize = 10;
/// Steps end when one lowers the misfit by less than this share of it, or nothing is left of it.
const SETTLED: f64 = 1e-4;
const NOTHING: f64 = 1e-8;

/// Coordinates with the lengths of the table.
pub struct Stretched {
    /// Where points are, in the units of the coordinates that were given. [n, d_x]
    pub coordinates: Matrix,
    /// Σ(|Δx| − ℓ)² / Σℓ² over the edges, at the best scale, before and after.
    pub misfit: (f64, f64),
}

/// A length of the table for each step of 1 on a map, as nearly as edges agree on one; and how far they do not, as
/// Σ(|Δx| − ℓ)² / Σℓ².
pub fn unit_and_misfit(problem: &Problem, coordinates: &Matrix) -> (f64, f64) {
    let (n, d_x) = (problem.n(), coordinates.ncols());
    let x: Vec<f64> = (0..n * d_x).map(|p| coordinates[(p / d_x, p % d_x)]).collect();
    let springs = Springs::of(problem, d_x);
    let (mut across, mut square) = (0.0, 0.0);
    for (steps, lengths) in springs.steps(&x).iter().zip(&springs.lengths) {
        across += steps * lengths;
        square += steps * steps;
    }
    let unit = if square > 0.0 { across / square } else { 0.0 };
    let all = springs.all();
    (unit, if all > 0.0 { (all - unit * across) / all } else { 0.0 })
}

/// Lowers Σ(|Δx| − ℓ)² from these coordinates on: each step goes to where the majorant of the misfit is least, which is one solve
/// with the Laplacian, corrected by what the steps before have shown of the curvature.
pub fn stretched<E: Updates>(problem: &Problem, engine: &E, coordinates: &Matrix) -> Stretched {
    let (n, d_x) = (problem.n(), coordinates.ncols());
    let (unit, before) = unit_and_misfit(problem, coordinates);
    let centre: Vec<f64> = (0..d_x).map(|a| coordinates.col_as_slice(a).iter().sum::<f64>() / n as f64).collect();
    let springs = Springs::of(problem, d_x);
    let mut x: Vec<f64> = (0..n * d_x).map(|p| unit * (coordinates[(p / d_x, p % d_x)] - centre[p % d_x])).collect();
    let mut memory = Memory::default();
    let (mut misfit, mut slope) = springs.at(&x);
    let all = springs.all();
    for _ in 0..STEPS {
        let direction = memory.direction(&slope, |right| engine.solve_laplacian(problem, right));
        let mut length = 1.0;
        let found = (0..HALVINGS).find_map(|_| {
            let mut tried = x.clone();
            add(&mut tried, length, &direction);
            let (next, its_slope) = springs.at(&tried);
            let found = (next < misfit).then_some((tried, next, its_slope, length));
            length *= 0.5;
            found
        });
        let Some((there, next, its_slope, length)) = found else {
            if memory.is_empty() {
                break;
            }
            memory.forget();
            continue;
        };
        let fall = slope.iter().zip(&its_slope).map(|(before, after)| before - after).collect();
        memory.remember(direction.iter().map(|value| length * value).collect(), fall);
        let gain = misfit - next;
        (x, misfit, slope) = (there, next, its_slope);
        if gain < SETTLED * misfit || misfit < NOTHING * all {
            break;
        }
    }
    let back = if unit > 0.0 { unit.recip() } else { 1.0 };
    Stretched {
        coordinates: Matrix::from_fn(n, d_x, |i, a| back * x[i * d_x + a]),
        misfit: (before, if all > 0.0 { misfit / all } else { 0.0 }),
    }
}

/// Edges as springs of the lengths that they have in the table.
struct Springs<'a> {
    graph: &'a Graph,
    d_x: usize,
    /// Of each place in the list of all points' neighbours.
    lengths: Vec<f64>,
}

impl<'a> Springs<'a> {
    fn of(problem: &'a Problem, d_x: usize) -> Self {
        let (graph, y) = (&problem.graph, &problem.observations);
        let length = |i: usize, j: u32| -> f64 {
            let (from, to) = (y.col_as_slice(i), y.col_as_slice(j as usize));
            from.iter().zip(to).map(|(p, q)| (p - q) * (p - q)).sum::<f64>().sqrt()
        };
        let lengths = (0..graph.n())
            .into_par_iter()
            .flat_map_iter(|i| graph.neighbors(i).iter().map(move |&j| length(i, j)))
            .collect();
        Self { graph, d_x, lengths }
    }

    /// Σℓ², each edge from both of its ends.
    fn all(&self) -> f64 {
        sum(self.lengths.len(), |place| self.lengths[place] * self.lengths[place])
    }

    /// How long edges are on a map, each from both of its ends.
    fn steps(&self, x: &[f64]) -> Vec<f64> {
        let Self { graph, d_x, .. } = *self;
        let step = |i: usize, j: u32| -> f64 {
            (0..d_x).map(|a| (x[j as usize * d_x + a] - x[i * d_x + a]).powi(2)).sum::<f64>().sqrt()
        };
        let of_point = |i: usize| graph.neighbors(i).iter().map(move |&j| step(i, j));
        (0..graph.n()).into_par_iter().flat_map_iter(of_point).collect()
    }

    /// Σ(|Δx| − ℓ)², each edge from both of its ends, and the way down from there as far as L knows: Σ_j (1 − ℓ/|Δx|)(x_j − x_i).
    fn at(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let Self { graph, d_x, lengths } = self;
        let steps = self.steps(x);
        let misfit = sum(steps.len(), |place| (steps[place] - lengths[place]).powi(2));
        let mut slope = vec![0.0; x.len()];
        slope.par_chunks_mut(*d_x).enumerate().with_min_len(64).for_each(|(i, slope)| {
            let first = graph.first(i);
            for (place, &j) in graph.neighbors(i).iter().enumerate() {
                let (step, length) = (steps[first + place], lengths[first + place]);
                let share = if step > 0.0 { 1.0 - length / step } else { 0.0 };
                for a in 0..*d_x {
                    slope[a] += share * (x[j as usize * d_x + a] - x[i * d_x + a]);
                }
            }
        });
        (misfit, slope)
    }
}

#[cfg(test)]
#[path = "lengths_tests.rs"]
mod tests;
