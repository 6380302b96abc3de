//! The runs of a fit: from every start that the plan names, and what is kept of the best.

use super::order::TableOrder;
use super::path::{Candidate, FIRST_WEIGHT, GRAPH_ALONE, TRIED_TOL, Walk, with_weight};
use super::plan::no_start;
use super::quality::Compared;
use super::{DimensionChoice, FeatureChoice, Fit, Hypothesis, NeighborsChoice, Plan};
use crate::config::{Config, FeatureWeight, Init};
use crate::error::Result;
use crate::inference::factorised::{self, Factorised};
use crate::inference::terms::edge_counts::edge_counts;
use crate::inference::{
    Best, Engine, EngineKind, Marginals, NumberedStart, Posterior, Reach, Start, StartObserver, StartRank, Stop,
    Tournament, Updates,
};
use crate::linalg::Matrix;
use crate::model::{Prepared, Problem, Scaling, ScalingChoice, TableView};
use std::sync::Arc;

/// Above so many features starts and weights are tried along the axes that keep this share of the variance.
const MANY: usize = 16;
const MOST_OF_VARIANCE: f64 = 0.95;
/// At most so many: beyond them the axes of a noisy table show its noise.
const MOST_AXES: usize = 64;
/// Bounds of starts within this, in nats per point, count as equal.
const LEVEL: f64 = 0.5;

/// What a fit keeps of the table and the plan, whatever its runs find.
pub(crate) struct FittedData {
    pub scaling: Scaling,
    /// The part of the scaling that stands for the noise of features.
    pub noise: Option<Arc<Vec<f64>>>,
    /// Groups of features.
    pub views: Vec<TableView>,
    /// How the rule of the scaling was found.
    pub scaling_choice: Option<ScalingChoice>,
    pub observations: Arc<Matrix>,
    pub n_rows: usize,
    pub recall: Option<f64>,
    pub rows: Vec<usize>,
    pub bridges: Vec<(u32, u32)>,
    /// Whether the graph was given.
    pub own_edges: bool,
    /// How the number of neighbours was found.
    pub neighbors: Option<NeighborsChoice>,
    /// How the number of coordinates was found.
    pub dimension: Option<DimensionChoice>,
    /// Why this engine.
    pub reason: Option<String>,
}

impl FittedData {
    pub fn new(prepared: &Prepared, plan: &Plan) -> Self {
        Self {
            scaling: prepared.table.scaling.clone(),
            noise: prepared.table.noise.clone(),
            views: vec![],
            scaling_choice: prepared.table.choice,
            observations: prepared.table.values.clone(),
            n_rows: prepared.n_rows,
            recall: prepared.recall,
            rows: prepared.rows.clone(),
            bridges: prepared.bridges.clone(),
            own_edges: false,
            neighbors: None,
            dimension: None,
            reason: plan.reason.clone(),
        }
    }
}

/// The runs to be made.
pub(super) struct Runs<'a> {
    pub config: Config,
    pub plan: &'a Plan,
    pub data: FittedData,
    pub problem: Problem,
    /// The way back to the order of the table, where runs have the points in another.
    pub order: Option<TableOrder>,
    /// The neighbourhoods of the table that maps are compared with.
    pub compared: Compared,
    pub given: Option<Start>,
    /// Whether the whole posterior is wanted beside the fit.
    pub keeps_posterior: bool,
    /// Whether it is found out how good the map is.
    pub measures: bool,
}

impl Runs<'_> {
    /// The fit of the best start, and its whole posterior if that is wanted.
    pub fn best<E: Engine>(self, observer: &mut StartObserver) -> Result<(Fit, Option<Hypothesis<E>>)> {
        if self.config.graph_likelihood {
            return self.along_weights(observer);
        }
        let mut tournament = Tournament::<E>::new(&self.problem, &self.config, self.given.as_ref())?;
        let best = if self.plan.trials {
            self.best_trial(&mut tournament, observer)
        } else {
            self.best_end(&mut tournament, observer)
        }?;
        let Best { stop, kept: (mut fit, posterior), .. } = best.ok_or_else(no_start)?;
        fit.stop = stop.unwrap_or(Stop::MaxIterations);
        let mut engine = tournament.engine;
        engine.release_buffers();
        let stop = Some(fit.stop);
        Ok((fit, posterior.map(|posterior| Hypothesis { problem: self.problem, engine, posterior, stop })))
    }

    /// The fit under the graph's likelihood: of the start that the graph alone likes best, from there to the weight of the
    /// features that the settings ask for. The factorised engine finds the way, and the one that was asked for has the last word.
    fn along_weights<E: Engine>(self, observer: &mut StartObserver) -> Result<(Fit, Option<Hypothesis<E>>)> {
        let first = self.first_weight();
        let leading = self.leading()?;
        let walked = leading.as_ref().unwrap_or(&self.problem);
        let mut tournament = Tournament::<Factorised>::new(walked, &first, self.given.as_ref())?;
        let mut tried = self.on_graph(walked, &mut tournament, observer)?;
        let best = StartRank::best(&tried.iter().map(|tried| tried.rank).collect::<Vec<_>>()).ok_or_else(no_start)?;
        let all_begun: Vec<_> = tried.iter().map(|tried| (tried.start, tried.kept.begun.clone())).collect();
        let Best { start, stop, kept, .. } = tried.swap_remove(best);
        drop(tried);
        let mut walker = tournament.engine;
        let mut walk =
            Walk { problem: walked, compared: &self.compared, config: &self.config, engine: &mut walker, start };
        let (mut taken, mut choice) = walk.choose((kept, stop), observer)?;
        if !taken.interrupted()
            && let Some(held) = walk.held_from_start(&all_begun, &mut choice, observer)?
        {
            taken = held;
        }
        let start = walk.start;
        let begun = all_begun.into_iter().find(|(of, _)| *of == start).map_or_else(Matrix::new, |(_, begun)| begun);
        if taken.interrupted() {
            let posterior = Posterior { begun, ..taken.posterior };
            let (mut fit, _) = self.keep(walked, &mut walker, posterior, taken.stop, start)?;
            fit.features = Some(choice);
            return Ok((fit, None));
        }
        if self.has_ended(start, taken.stop, leading.is_some()) {
            let mut walk =
                Walk { problem: walked, compared: &self.compared, config: &self.config, engine: &mut walker, start };
            let (fit, _) = self.end(&mut walk, taken, choice, begun, observer)?;
            return Ok((fit, None));
        }
        walker.reset();
        let mut engine = E::new(&self.problem, &self.config)?;
        let mut walk =
            Walk { problem: &self.problem, compared: &self.compared, config: &self.config, engine: &mut engine, start };
        let last = walk.finish(&taken, (&walker, walked), &mut choice, observer)?;
        drop((taken, walker));
        let (fit, kept) = self.end(&mut walk, last, choice, begun, observer)?;
        engine.release_buffers();
        let stop = Some(fit.stop);
        // what goes on from a fit goes on in the paper's model
        let kept = kept.filter(|posterior| posterior.state.graph.is_none());
        Ok((fit, kept.map(|posterior| Hypothesis { problem: self.problem, engine, posterior, stop })))
    }

    /// The fit of where a walk has ended, with the lengths of the table where these can be kept; and the posterior if that is wanted,
    /// before the map was stretched: edges are tested there, where the paper's bound is highest.
    fn end<E: Engine>(
        &self,
        walk: &mut Walk<E>,
        last: Candidate<E::Beliefs>,
        choice: FeatureChoice,
        begun: Matrix,
        observer: &mut StartObserver,
    ) -> Result<Kept<E>> {
        let (with_lengths, lengths) = walk.keep_lengths(&last, &choice, observer)?;
        let (Candidate { posterior, stop, .. }, behind) = match with_lengths {
            Some(found) => (found, self.keeps_posterior.then_some(last.posterior)),
            None => (last, None),
        };
        let posterior = Posterior { begun, ..posterior };
        let (mut fit, kept) = self.keep(walk.problem, walk.engine, posterior, stop, walk.start)?;
        (fit.features, fit.lengths) = (Some(choice), lengths);
        Ok((fit, behind.or(kept)))
    }

    /// Whether what a walk has taken is at its end: runs from a coarser graph end by one rule wherever they stand on the way, so
    /// that the engine that has walked would only repeat its last run.
    fn has_ended(&self, start: NumberedStart, stop: Option<Stop>, along_leading: bool) -> bool {
        start.init == Init::Coarse
            && stop == Some(Stop::Converged)
            && self.plan.engine == EngineKind::Factorised
            && self.config.coarse_tol >= TRIED_TOL
            && !along_leading
            && !self.keeps_posterior
    }

    /// The settings of the runs that starts are tried with: of the graph alone, or of as little of the features as a coarse
    /// start needs, which carries maps from level to level.
    fn first_weight(&self) -> Config {
        let coarse = self.plan.starts.iter().any(|start| start.init == Init::Coarse);
        let weight = match self.config.feature_weight {
            FeatureWeight::Fixed(_) => return self.config.clone(),
            FeatureWeight::Auto | FeatureWeight::Polish if coarse => FIRST_WEIGHT,
            FeatureWeight::Auto | FeatureWeight::Polish => GRAPH_ALONE,
        };
        with_weight(&self.config, weight)
    }

    /// The problem on which starts and weights are tried: along the leading axes of the features, where there are many of these.
    fn leading(&self) -> Result<Option<Problem>> {
        let begins_from_maps = match &self.given {
            Some(Start::Maps(_)) => true,
            Some(Start::Layout(layout)) => layout.maps.is_some(),
            Some(Start::Coordinates(_)) | None => false,
        };
        if self.problem.observations.nrows() <= MANY || begins_from_maps || !self.problem.missing_entries().is_empty() {
            return Ok(None);
        }
        edge_counts(&self.problem, &self.config);
        self.problem.along_leading(MOST_OF_VARIANCE, (MANY, MOST_AXES))
    }

    /// How the first start does in its trial, or in its whole run where there are no trials.
    pub fn rank<E: Engine>(&self, observer: &mut StartObserver) -> Result<StartRank> {
        if self.config.graph_likelihood {
            let first = self.first_weight();
            let leading = self.leading()?;
            let walked = leading.as_ref().unwrap_or(&self.problem);
            let mut tournament = Tournament::<Factorised>::new(walked, &first, self.given.as_ref())?;
            let tried = self.on_graph(walked, &mut tournament, observer)?;
            return Ok(tried.first().ok_or_else(no_start)?.rank);
        }
        let mut tournament = Tournament::<E>::new(&self.problem, &self.config, self.given.as_ref())?;
        let reach = if self.plan.trials { Reach::Trial } else { Reach::End };
        let best = tournament.play(&self.plan.starts, reach, observer, |_, _| Ok(()))?;
        Ok(best.ok_or_else(no_start)?.rank)
    }

    /// All starts at their end under the graph's likelihood. Bounds that are near each other do not tell which layout is
    /// better; then the neighbourhoods of the table do.
    fn on_graph<'t>(
        &'t self,
        walked: &'t Problem,
        tournament: &mut Tournament<'t, Factorised>,
        observer: &mut StartObserver,
    ) -> Result<Vec<Best<Posterior<factorised::Beliefs>>>> {
        let several = self.plan.starts.len() > 1 || self.plan.trials;
        tournament.each(&self.plan.starts, observer, |engine, attempt| {
            let rank = StartRank::new(attempt.run.bound_scaled(), attempt.stop);
            let found = attempt.run.into_posterior();
            let trust = match several {
                true => self.compared.trustworthiness(&engine.coordinates(walked, &found.state.beliefs)),
                false => 0.0,
            };
            (found, rank.or_by_trust(LEVEL * self.problem.n() as f64, trust))
        })
    }

    /// All starts are tried, and the best of them goes on.
    fn best_trial<'t, E: Engine>(
        &'t self,
        tournament: &mut Tournament<'t, E>,
        observer: &mut StartObserver,
    ) -> Result<Option<Best<Kept<E>>>> {
        let Some(best) = tournament.best_trial(&self.plan.starts, observer)? else { return Ok(None) };
        let Best { start, rank, stop, kept } = best;
        let kept = self.keep(&self.problem, &mut tournament.engine, kept, stop, start)?;
        Ok(Some(Best { start, rank, stop, kept }))
    }

    /// All starts run to their end.
    fn best_end<'t, E: Engine>(
        &'t self,
        tournament: &mut Tournament<'t, E>,
        observer: &mut StartObserver,
    ) -> Result<Option<Best<Kept<E>>>> {
        tournament.play(&self.plan.starts, Reach::End, observer, |engine, attempt| {
            self.keep(&self.problem, engine, attempt.run.into_posterior(), attempt.stop, attempt.of)
        })
    }

    /// The fit of a run, and its posterior if that is wanted.
    fn keep<E: Engine>(
        &self,
        problem: &Problem,
        engine: &mut E,
        posterior: Posterior<E::Beliefs>,
        stop: Option<Stop>,
        start: NumberedStart,
    ) -> Result<Kept<E>> {
        let Self { config, data, .. } = self;
        let stop = stop.unwrap_or(Stop::MaxIterations);
        let (mut fit, rotated) = Fit::new(problem, config, data, engine, &posterior, stop, (start.init, start.seed))?;
        let begun = (posterior.begun.nrows() == problem.n() && start.init != Init::Maps).then_some(&posterior.begun);
        match &self.order {
            None if self.measures => fit.measure_by(&self.compared, problem, rotated.as_ref(), begun)?,
            None => {}
            Some(order) => {
                fit = order.undo(fit);
                if self.measures {
                    let rotated = rotated.map(|maps| order.columns(&maps, problem.n_components));
                    fit.measure(&order.problem, rotated.as_ref(), begun.map(|begun| order.rows(begun)).as_ref())?;
                }
            }
        }
        Ok((fit, self.keeps_posterior.then_some(posterior)))
    }
}

type Kept<E> = (Fit, Option<Posterior<<E as Updates>::Beliefs>>);
