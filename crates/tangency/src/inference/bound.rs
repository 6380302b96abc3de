//! The lower bound on log p(y | graph), or on log p(y, graph) with the graph's own likelihood, as a sum of named parts (docs/derivation.md, eq. 11). Each part is computed where the
//! term of the model is: `terms/`.

use super::spectrum::LogDeterminants;
use super::state::Statistics;
use super::terms::graph::GraphTerm;
use super::terms::{coordinates, likelihood, maps};
use crate::model::{Hyperparameters, Problem, named_numbers};

named_numbers! {
    /// The parts of the bound, in the scaled units of the data.
    pub struct BoundParts {
        /// Expected log-likelihood, without its log-determinant.
        likelihood: "likelihood",
        /// ½ d_y log pdet(L): what the graph alone contributes to the likelihood.
        log_determinant: "log-determinant",
        /// −KL(q(C) ‖ p(C)).
        maps: "maps",
        /// −KL(q(x) ‖ p(x)).
        coordinates: "coordinates",
        /// E log p(graph | x): what edges and missing edges say; zero in the paper's model.
        graph: "graph",
    }
}

impl BoundParts {
    /// Before anything is known.
    pub const UNKNOWN: Self =
        Self { likelihood: f64::NEG_INFINITY, log_determinant: 0.0, maps: 0.0, coordinates: 0.0, graph: 0.0 };

    /// The bound.
    pub fn total(&self) -> f64 {
        self.values().into_iter().reduce(|sum, part| sum + part).unwrap_or_default()
    }
}

/// The parts of the bound for these statistics and hyper-parameters.
pub fn bound(
    problem: &Problem,
    statistics: &Statistics,
    hyper: &Hyperparameters,
    graph: Option<&GraphTerm>,
    log_dets: &LogDeterminants,
) -> BoundParts {
    let parts = BoundParts {
        likelihood: likelihood::part(problem, statistics, hyper),
        log_determinant: 0.5 * problem.n_features() as f64 * log_dets.laplacian,
        maps: maps::part(problem, &statistics.maps, hyper, log_dets),
        coordinates: coordinates::part(problem, &statistics.coordinates, hyper, log_dets),
        graph: 0.0,
    };
    match graph {
        None => parts,
        Some(term) => BoundParts {
            likelihood: term.feature_weight * parts.likelihood,
            log_determinant: term.feature_weight * parts.log_determinant,
            maps: term.feature_weight * parts.maps,
            ..bound_of_graph(problem, statistics, term)
        },
    }
}

/// The parts that do not need the features: a bound on log p(graph).
pub fn bound_of_graph(problem: &Problem, statistics: &Statistics, term: &GraphTerm) -> BoundParts {
    BoundParts {
        likelihood: 0.0,
        log_determinant: 0.0,
        maps: 0.0,
        coordinates: term.coordinate_part(&statistics.coordinates),
        graph: term.part(&problem.graph),
    }
}
