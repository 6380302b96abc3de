//! Is this edge real? The bound with it and without it.

use super::hypothesis::StartFrom;
use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::fit::{Fit, Fitter, FullPosterior, Hypothesis, OfEngine, Plan};
use crate::graph::{Graph, pieces};
use crate::inference::exact::Exact;
use crate::inference::factorised::Factorised;
use crate::inference::{BoundParts, Engine, EngineKind, Stop};
use crate::message::Remedy;
use crate::model::ScaledTable;
use std::ops::ControlFlow;

/// Covariances that are held beside those of the fit at work: the posterior of the fit tested, and a warm refit.
const HELD: u64 = 4;
/// Those of them that are there already where the posterior is given.
const GIVEN: u64 = 2;

/// How the bound changes with the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeTest {
    /// Edges of the fit's graph that are taken out.
    pub removed: Vec<(u32, u32)>,
    /// Pairs that are joined.
    pub added: Vec<(u32, u32)>,
    /// Bound of the changed graph less that of the fit's graph, in nats: mean over seeds.
    pub change: f64,
    /// Standard deviation of it over seeds; zero where all seeds agree or there is one only.
    pub spread: f64,
    /// Seeds that were run: one where the start does not depend on the seed.
    pub seeds: usize,
    /// The parts of the change, means over seeds.
    pub parts: BoundParts,
    /// Whether every run behind the numbers ended as it should.
    pub converged: bool,
}

/// Tests edges of a fit: one that is there is removed, one that is not is added; each alone and, if there are several,
/// all at once (first in the list).
///
/// For each seed both graphs get the same chances: a fresh fit with the settings of `fit` and this seed, and a run that
/// goes on from the posterior of `fit`. The better bound counts. `observer` sees how many of how many graphs are
/// fitted, and may end the test, which is then an error.
pub fn test_edges(
    fit: &Fit,
    edges: &[(u32, u32)],
    seeds: usize,
    observer: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<EdgeTest>> {
    test_edges_from(fit, None, edges, seeds, observer)
}

/// The same from the whole posterior of the fit, as [`Fitter::fit_with_posterior`] returns it. Without it, or with that of
/// another fit, the posterior is found again from the coordinates of the fit.
pub fn test_edges_from(
    fit: &Fit,
    posterior: Option<&FullPosterior>,
    edges: &[(u32, u32)],
    seeds: usize,
    observer: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<EdgeTest>> {
    if fit.engine.kind != EngineKind::Factorised {
        let held = if posterior.is_some() { HELD - GIVEN } else { HELD };
        Plan::of_refits(fit).beside(held).check_memory()?;
    }
    let mut tests = changes(fit, edges, seeds)?;
    match (posterior.map(|posterior| &posterior.0), fit.engine.kind) {
        (Some(OfEngine::Factorised(found)), _) if found.carries_on(fit) => {
            compare_with_fit::<Factorised>(fit, Some(found), &mut tests, observer)
        }
        (Some(OfEngine::Exact(found)), _) if found.carries_on(fit) => {
            compare_with_fit::<Exact>(fit, Some(found), &mut tests, observer)
        }
        (_, EngineKind::Factorised) => compare_with_fit::<Factorised>(fit, None, &mut tests, observer),
        (_, EngineKind::Auto | EngineKind::Exact) => compare_with_fit::<Exact>(fit, None, &mut tests, observer),
    }?;
    Ok(tests.into_iter().map(|(test, _)| test).collect())
}

/// The tests to be made, each with its graph: each edge alone and, if there are several, first all at once.
fn changes(fit: &Fit, edges: &[(u32, u32)], seeds: usize) -> Result<Vec<(EdgeTest, Graph)>> {
    let n = fit.n();
    if seeds == 0 {
        return Err(Error::too_small("seeds", seeds, 1));
    }
    let mut named: Vec<(u32, u32)> = edges.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    if let Some(&(i, j)) = named.iter().find(|(i, j)| i == j || *j as usize >= n) {
        let remedies = [Remedy::act(format!("give two different points from 0 to {}", n - 1))];
        return Err(Error::setting(
            "test",
            format!("{i},{j}"),
            "that is no edge between two points of the model",
            remedies,
        ));
    }
    let seeds = if start_by_name(fit).uses_seed() { seeds } else { 1 };
    named.sort_unstable();
    named.dedup();
    let mut changes: Vec<&[(u32, u32)]> = named.chunks(1).collect();
    if named.len() > 1 {
        changes.insert(0, &named);
    }
    let mut tests: Vec<(EdgeTest, Graph)> = Vec::new();
    for change in changes {
        let (removed, added): (Vec<_>, Vec<_>) = change.iter().partition(|edge| fit.graph.has(**edge));
        let graph = fit.graph.with_changes(&removed, &added);
        if pieces(&graph).len() > 1 {
            let named: Vec<String> =
                removed.iter().map(|(i, j)| format!("{},{}", fit.rows[*i as usize], fit.rows[*j as usize])).collect();
            let problem = format!(
                "without {} (rows from 0) the graph falls apart, so that there is no bound to compare",
                named.join(" and ")
            );
            let remedies = vec![Remedy::act("test edges that do not hold the graph together alone")];
            return Err(Error::Setting { name: "test", problem: problem.into(), remedies });
        }
        let parts = BoundParts::default();
        tests.push((EdgeTest { removed, added, change: 0.0, spread: 0.0, seeds, parts, converged: true }, graph));
    }
    Ok(tests)
}

/// Fills in how the bound of each graph differs from that of the fit's graph.
fn compare_with_fit<E: Engine>(
    fit: &Fit,
    found: Option<&Hypothesis<E>>,
    tests: &mut [(EdgeTest, Graph)],
    observer: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<()> {
    let seeds = tests.first().map_or(1, |(test, _)| test.seeds);
    let total = tests.len() + 1;
    let again;
    let posterior = match found {
        Some(found) => found,
        None => {
            again = Hypothesis::of_fit(fit, &mut |_, _| observer(0, total))?;
            &again
        }
    };
    let mut evaluation = Evaluation::<E>::new(fit, posterior, total, observer);
    let before = evaluation.best_bounds(&fit.graph, seeds)?;
    for (test, graph) in tests {
        let after = evaluation.best_bounds(graph, seeds)?;
        let count = after.len() as f64;
        let mean = |part: &dyn Fn(&BoundParts) -> f64| {
            after.iter().zip(&before).map(|((after, _), (before, _))| part(after) - part(before)).sum::<f64>() / count
        };
        test.change = mean(&BoundParts::total);
        test.parts = BoundParts::from_values(std::array::from_fn(|part| mean(&|parts| parts.values()[part])));
        let squares: f64 = after
            .iter()
            .zip(&before)
            .map(|((after, _), (before, _))| (after.total() - before.total() - test.change).powi(2))
            .sum();
        test.spread = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        test.converged = after.iter().chain(&before).all(|(_, converged)| *converged);
    }
    Ok(())
}

/// Fits graphs, each with the same chances.
struct Evaluation<'a, E: Engine> {
    posterior: &'a Hypothesis<E>,
    table: ScaledTable,
    config: Config,
    done: usize,
    total: usize,
    observer: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
}

impl<'a, E: Engine> Evaluation<'a, E> {
    fn new(
        fit: &Fit,
        posterior: &'a Hypothesis<E>,
        total: usize,
        observer: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Self {
        let config = Config { init: start_by_name(fit), draws: Some(0), ..fit.config_of_hypotheses() };
        Self { posterior, table: fit.scaled_table(), config, done: 0, total, observer }
    }

    /// Parts of the best bound of a graph for each seed, and whether the run behind it converged.
    fn best_bounds(&mut self, graph: &Graph, seeds: usize) -> Result<Vec<(BoundParts, bool)>> {
        let (done, total) = (self.done, self.total);
        let warm = self.posterior.on_graph(graph.clone(), StartFrom::Posterior, &self.config, None, &mut |_, _| {
            (self.observer)(done, total)
        })?;
        let prepared = self.table.on_graph(graph.clone())?;
        let mut bounds = Vec::with_capacity(seeds);
        for seed in 0..seeds as u64 {
            let config = Config { random_state: self.config.random_state.wrapping_add(seed), ..self.config.clone() };
            let observer = |_: &_| (self.observer)(done, total);
            let fresh = Fitter::new(config).observer(observer).fit_prepared(&prepared)?;
            if warm.stop == Some(Stop::Interrupted) || fresh.stop == Stop::Interrupted {
                return Err(Error::Interrupted { what: "the test of edges" });
            }
            bounds.push(if fresh.stop != Stop::Collapsed && fresh.bound_scaled() > warm.rank() {
                (fresh.parts, fresh.stop == Stop::Converged)
            } else {
                (warm.posterior.parts, warm.stop == Some(Stop::Converged))
            });
        }
        self.done += 1;
        Ok(bounds)
    }
}

/// The start of refits: one that was given by hand is not kept in the fit.
fn start_by_name(fit: &Fit) -> Init {
    if fit.config.init.is_given() { Init::Auto } else { fit.config.init }
}
