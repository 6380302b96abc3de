//! Preconditioners of the means: each component by itself, with P replaced by I and stars by their edges, so that one
//! pattern serves all; where factors fill in, the blocks of single points.

use super::Factorised;
use super::laplace::{Factored, Laplace};
use crate::error::{Error, Result};
use crate::linalg::GraphFactor;
use crate::model::Problem;
use rayon::prelude::*;

/// A preconditioner is made again when it needs so many steps more than at first, or has served so often.
const MORE_STEPS: usize = 3;
const LONGEST: usize = 30;

/// Approximate inverse of a precision.
pub struct Preconditioner {
    d_x: usize,
    /// Factors of the components; none where the blocks of points serve.
    factors: Vec<GraphFactor>,
    first_steps: Option<usize>,
    uses: usize,
    worn: bool,
}

impl Preconditioner {
    fn new(d_x: usize, factors: Vec<GraphFactor>) -> Self {
        Self { d_x, factors, first_steps: None, uses: 0, worn: false }
    }

    /// Whether it still does its work.
    pub fn serves(&self) -> bool {
        !self.worn
    }

    /// What becomes of it after a solve that took so many steps.
    pub fn after(mut self, steps: usize) -> Self {
        let first = *self.first_steps.get_or_insert(steps);
        self.uses += 1;
        self.worn = steps > first + MORE_STEPS || self.uses >= LONGEST;
        self
    }

    /// Applies it; `blocks` are the covariances of single points.
    pub fn apply(&self, laplace: &Laplace, blocks: &[f64], v: &[f64]) -> Vec<f64> {
        match laplace.factored() {
            Some(factored) if !self.factors.is_empty() => self.by_component(factored, v),
            _ => by_point(self.d_x, blocks, v),
        }
    }

    fn by_component(&self, Factored { pattern, .. }: &Factored, v: &[f64]) -> Vec<f64> {
        let (n, d_x) = (pattern.size(), self.d_x);
        let rows = v.len() / (n * d_x);
        let solved: Vec<Vec<f64>> = self
            .factors
            .par_iter()
            .enumerate()
            .map(|(a, factor)| {
                let right: Vec<f64> =
                    (0..n).flat_map(|i| v[(i * d_x + a) * rows..(i * d_x + a + 1) * rows].iter().copied()).collect();
                let mut found = vec![0.0; right.len()];
                pattern.solve(factor, &right, &mut found);
                found
            })
            .collect();
        let mut out = vec![0.0; v.len()];
        out.par_chunks_mut(rows).enumerate().with_min_len(256).for_each(|(p, out)| {
            let (i, a) = (p / d_x, p % d_x);
            out.copy_from_slice(&solved[a][i * rows..(i + 1) * rows]);
        });
        out
    }
}

/// W_i v_i for every point.
fn by_point(d_x: usize, blocks: &[f64], v: &[f64]) -> Vec<f64> {
    let rows = v.len() * d_x / blocks.len();
    let mut out = vec![0.0; v.len()];
    out.par_chunks_mut(d_x * rows).enumerate().with_min_len(64).for_each(|(i, out)| {
        for a in 0..d_x {
            for b in 0..d_x {
                let weight = blocks[(i * d_x + a) * d_x + b];
                let from = &v[(i * d_x + b) * rows..(i * d_x + b + 1) * rows];
                out[a * rows..(a + 1) * rows].iter_mut().zip(from).for_each(|(slot, value)| *slot += weight * value);
            }
        }
    });
    out
}

impl Factorised {
    /// The matrices with a constant diagonal for each component and, for every edge, a part at both ends and one between them.
    pub(super) fn by_edges(
        &self,
        problem: &Problem,
        own: impl Fn(usize) -> f64 + Sync,
        edge: impl Fn(usize, usize, usize, usize) -> (f64, f64) + Sync,
    ) -> Result<Preconditioner> {
        let (graph, d_x) = (&problem.graph, problem.n_components);
        let Some(Factored { pattern, .. }) = self.laplace.factored() else {
            return Ok(Preconditioner::new(d_x, vec![]));
        };
        let factors = (0..d_x)
            .into_par_iter()
            .map(|a| {
                let mut diagonal = vec![own(a); graph.n()];
                let mut between = Vec::with_capacity(graph.edges().len());
                for i in 0..graph.n() {
                    for (place, &j) in graph.neighbors(i).iter().enumerate().filter(|(_, j)| **j as usize > i) {
                        let (ends, middle) = edge(a, i, j as usize, graph.first(i) + place);
                        diagonal[i] += ends;
                        diagonal[j as usize] += ends;
                        between.push(middle);
                    }
                }
                pattern.factor(&diagonal, &between, "preconditioner")
            })
            .collect::<Result<_>>();
        match factors {
            Ok(factors) => Ok(Preconditioner::new(d_x, factors)),
            // few points can be fitted so well that rounding hides the prior; the blocks of points do without a factor
            Err(Error::NotPositiveDefinite { .. }) => Ok(Preconditioner::new(d_x, vec![])),
            Err(error) => Err(error),
        }
    }
}
