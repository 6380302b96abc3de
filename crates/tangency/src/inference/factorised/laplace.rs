//! Everything about the graph's Laplacian: solves, log-determinants and the spectrum by which priors are learned.

use super::conjugate_gradients::{conjugate_gradients, dot};
use super::quadrature::{Quadrature, quadrature};
use crate::config::Config;
use crate::error::Result;
use crate::graph::{Graph, Laplacian};
use crate::inference::engine::Solver;
use crate::inference::spectrum::{LogDeterminants, Spectrum};
use crate::linalg::{GraphFactor, GraphPattern};
use crate::memory::available_memory;
use crate::model::{Hyperparameters, Problem};
use rayon::prelude::*;

/// Up to so many points all eigenvalues are found.
const FEW: usize = 400;
/// A factor serves while its work, its mean column's length squared, is below this for each point. On graphs of
/// two-dimensional manifolds it is some thousands; on those of high dimension the factor is nearly full.
const WORK_PER_POINT: f64 = 1e6;
/// Random vectors of the spectrum's quadrature: where the log-determinants themselves are exact, and where they are not.
const TO_SEARCH: usize = 3;
const TO_ESTIMATE: usize = 20;
/// An iterative solve ends when a step lowers its energy by less than this share of the mean square of the right-hand side,
/// or after so many steps.
const PRECISION: f64 = 1e-20;
const MOST: usize = 2000;
/// So many log-determinants are remembered.
const REMEMBERED: usize = 6;

/// The Laplacian of one graph.
pub struct Laplace {
    factored: Option<Factored>,
    pub spectrum: Spectrum,
    log_pseudo_det: f64,
    /// Standard error of an estimated log-determinant.
    error: f64,
    remembered: Vec<(f64, f64)>,
}

/// Sparse Cholesky on the graph's pattern.
pub struct Factored {
    pub pattern: GraphPattern,
    /// Of L with its first point grounded.
    grounded: GraphFactor,
}

impl Laplace {
    /// With a factor where it serves.
    pub fn new(problem: &Problem, config: &Config) -> Result<Self> {
        let graph = &problem.graph;
        let pattern = GraphPattern::new(graph.n(), graph.edges())?;
        let length = pattern.fill() as f64 / graph.n() as f64;
        // of L, of two priors, and of the preconditioners
        let all = pattern.fill() as u64 * 8 * (3 + 2 * problem.n_components as u64);
        if length * length > WORK_PER_POINT || all > available_memory() / 2 {
            return Self::iterative(problem, config);
        }
        let mut diagonal = degrees(graph);
        diagonal[0] += 1.0;
        let grounded = pattern.factor(&diagonal, &vec![-1.0; graph.edges().len()], "graph Laplacian")?;
        Self::with(problem, config, Some(Factored { pattern, grounded }))
    }

    /// Without a factor.
    pub fn iterative(problem: &Problem, config: &Config) -> Result<Self> {
        Self::with(problem, config, None)
    }

    fn with(problem: &Problem, config: &Config, factored: Option<Factored>) -> Result<Self> {
        let graph = &problem.graph;
        let n = graph.n();
        let vectors = if factored.is_some() { TO_SEARCH } else { TO_ESTIMATE };
        let (spectrum, estimate, error) = if n <= FEW {
            let Laplacian { eigenvalues, log_pseudo_det, .. } = Laplacian::new(graph)?;
            (Spectrum::exact(eigenvalues[1..].to_vec()), log_pseudo_det, 0.0)
        } else {
            let Quadrature { values, weights, log_pseudo_det, error } =
                quadrature(graph, vectors, config.random_state)?;
            (Spectrum::estimated(values, weights), log_pseudo_det, error)
        };
        // |L + e₁e₁ᵀ| = pdet(L) / n
        let (log_pseudo_det, error) = match &factored {
            Some(factored) => (factored.grounded.log_det + (n as f64).ln(), 0.0),
            None => (estimate, error),
        };
        Ok(Self { factored, spectrum, log_pseudo_det, error, remembered: Vec::new() })
    }

    /// The sparse factor, where there is one.
    pub fn factored(&self) -> Option<&Factored> {
        self.factored.as_ref()
    }

    pub fn solver(&self) -> Solver {
        if self.factored.is_some() { Solver::Cholesky } else { Solver::Iterative }
    }

    /// Standard error of the bound from log-determinants that are estimated: those of the likelihood and of both priors,
    /// which err together.
    pub fn bound_error(&self, problem: &Problem) -> f64 {
        let (d_x, d_y) = (problem.n_components as f64, problem.n_features() as f64);
        0.5 * (d_y + d_x + d_x * d_y) * self.error
    }

    /// Lp b up to a common shift, for columns b that sum to zero; numbers of a point next to each other.
    pub fn solve(&self, problem: &Problem, right: &[f64]) -> Vec<f64> {
        let mut found = vec![0.0; right.len()];
        if let Some(Factored { pattern, grounded }) = &self.factored {
            pattern.solve(grounded, right, &mut found);
            return found;
        }
        let graph = &problem.graph;
        let count = right.len() / graph.n();
        let scale = dot(right, right) / problem.graph.n() as f64;
        conjugate_gradients(
            |v| times_laplacian(graph, count, v),
            |v| {
                let mut out = v.to_vec();
                out.par_chunks_mut(count).enumerate().for_each(|(i, row)| {
                    row.iter_mut().for_each(|slot| *slot /= graph.degree(i) as f64);
                });
                out
            },
            right,
            &mut found,
            PRECISION * scale,
            MOST,
        );
        found
    }

    /// The log-determinants of the bound: exact where there is a factor.
    pub fn log_determinants(&mut self, problem: &Problem, hyper: &Hyperparameters) -> Result<LogDeterminants> {
        let ratio = hyper.nu / hyper.lambda;
        if self.spectrum.is_exact() || self.factored.is_none() {
            let found = self.spectrum.log_determinants(hyper.alpha, ratio);
            return Ok(LogDeterminants { laplacian: self.log_pseudo_det, ..found });
        }
        let laplace = &*self;
        let (coordinates, maps) = rayon::join(
            || laplace.shifted(problem, hyper.alpha),
            // the paper's prior has no such part
            || if ratio > 0.0 { laplace.shifted(problem, ratio) } else { Ok(0.0) },
        );
        let (coordinates, maps) = (coordinates?, maps?);
        self.remember(hyper.alpha, coordinates);
        self.remember(ratio, maps);
        Ok(LogDeterminants { laplacian: self.log_pseudo_det, coordinates, maps })
    }

    fn known(&self, a: f64) -> Option<f64> {
        // a joint rescaling changes a ratio by rounding only
        self.remembered.iter().find(|(at, _)| (at - a).abs() <= 1e-13 * a).map(|(_, value)| *value)
    }

    fn remember(&mut self, a: f64, value: f64) {
        if self.known(a).is_none() {
            if self.remembered.len() == REMEMBERED {
                self.remembered.remove(0);
            }
            self.remembered.push((a, value));
        }
    }

    /// Σ log(a + 2ω) over the non-zero ω.
    fn shifted(&self, problem: &Problem, a: f64) -> Result<f64> {
        if let Some(known) = self.known(a) {
            return Ok(known);
        }
        let Some(Factored { pattern, .. }) = &self.factored else { return Ok(f64::NAN) };
        let graph = &problem.graph;
        let diagonal: Vec<f64> = degrees(graph).iter().map(|degree| 2.0 * degree + a).collect();
        let factor = pattern.factor(&diagonal, &vec![-2.0; graph.edges().len()], "precision of a prior")?;
        Ok(factor.log_det - a.ln())
    }
}

pub fn degrees(graph: &Graph) -> Vec<f64> {
    (0..graph.n()).map(|i| graph.degree(i) as f64).collect()
}

/// L v for several columns at once, numbers of a point next to each other.
pub fn times_laplacian(graph: &Graph, count: usize, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    out.par_chunks_mut(count).enumerate().with_min_len(64).for_each(|(i, out)| {
        let own = &v[i * count..(i + 1) * count];
        for &j in graph.neighbors(i) {
            let other = &v[j as usize * count..(j as usize + 1) * count];
            for ((slot, own), other) in out.iter_mut().zip(own).zip(other) {
                *slot += own - other;
            }
        }
    });
    out
}
