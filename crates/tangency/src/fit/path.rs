//! The weight of the features against the graph: from a small one up to the paper's model, as far as neighbourhoods hold
//! (docs/decisions/0015-the-graph-has-a-likelihood.md).

use super::dimension::used_axes;
use super::quality::trust_of;
use crate::config::{Config, FeatureWeight, Init};
use crate::error::Result;
use crate::inference::{
    Engine, Layout, NumberedStart, Posterior, Reach, Run, Stage, Start, StartObserver, Stop, TracePoint, layout_of,
};
use crate::model::Problem;
use serde::{Deserialize, Serialize};

/// The weight that a path begins with: nearly the graph alone, which lays out well what features would fold.
pub const FIRST_WEIGHT: f64 = 0.03;
/// Weights that are tried where 1 is too much, largest first.
const BETWEEN: [f64; 2] = [0.3, 0.1];
/// Neighbourhoods count as equally good within this much trustworthiness.
const EQUAL: f64 = 1e-3;
/// Most iterations with a weight that is only tried.
const PROBE: usize = 40;

/// Which weight of the features was taken, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeatureChoice {
    /// The weights that were tried, in this order.
    pub tried: Vec<TriedWeight>,
    /// Which of them was taken.
    pub taken: usize,
}

/// A weight of the features and how well neighbourhoods of the map are those of the table with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriedWeight {
    /// The weight; none for the paper's model from there.
    pub weight: Option<f64>,
    /// Trustworthiness towards the table.
    pub trustworthiness: f64,
}

impl FeatureChoice {
    /// The weight that was taken; none for the paper's model.
    pub fn weight(&self) -> Option<f64> {
        self.tried.get(self.taken).and_then(|tried| tried.weight)
    }

    /// The best trustworthiness that was met.
    fn best(&self) -> f64 {
        self.tried.iter().map(|tried| tried.trustworthiness).fold(0.0, f64::max)
    }
}

/// A posterior with how well its map keeps neighbourhoods.
pub(super) struct Candidate<B> {
    pub posterior: Posterior<B>,
    pub stop: Option<Stop>,
    trust: f64,
}

/// Where a walk begins: what was found with the first weight.
pub(super) type First<B> = (Posterior<B>, Option<Stop>);

/// Goes from weight to weight with one engine.
pub(super) struct Walk<'a, E: Engine> {
    pub problem: &'a Problem,
    pub config: &'a Config,
    pub engine: &'a mut E,
    pub start: NumberedStart,
}

impl<E: Engine> Walk<'_, E> {
    /// From what was found with the first weight to the weight that the settings ask for, as far as short runs tell.
    pub fn choose(
        &mut self,
        (posterior, stop): First<E::Beliefs>,
        observer: &mut StartObserver,
    ) -> Result<(Candidate<E::Beliefs>, FeatureChoice)> {
        let mut choice = FeatureChoice::default();
        let weight = posterior.state.graph.as_ref().map(|term| term.feature_weight);
        let first = self.judged(posterior, stop, weight, &mut choice);
        let fixed = matches!(self.config.feature_weight, FeatureWeight::Fixed(_));
        if fixed || first.interrupted() {
            return Ok((first, choice));
        }
        let one = self.stage(&first, Some(1.0), &mut choice, observer)?;
        if one.interrupted() {
            choice.taken = 1;
            return Ok((one, choice));
        }
        let polish = self.config.feature_weight == FeatureWeight::Polish;
        // the paper's model cannot switch a component off: it would fill with noise again
        let found = self.engine.coordinates(self.problem, &one.posterior.state.beliefs);
        let all_used = used_axes(self.problem, &found) == self.problem.n_components;
        if !polish && !all_used && one.trust >= choice.best() - EQUAL {
            choice.taken = 1;
            return Ok((one, choice));
        }
        if polish || one.trust >= choice.best() - EQUAL {
            let last = self.stage(&one, None, &mut choice, observer)?;
            let holds = last.stop != Some(Stop::Collapsed) && last.trust >= choice.best() - EQUAL;
            let (taken, number) = if polish || holds || last.interrupted() { (last, 2) } else { (one, 1) };
            choice.taken = number;
            return Ok((taken, choice));
        }
        drop(one);
        for weight in BETWEEN {
            let next = self.stage(&first, Some(weight), &mut choice, observer)?;
            if next.interrupted() || next.trust >= choice.best() - EQUAL {
                choice.taken = choice.tried.len() - 1;
                return Ok((next, choice));
            }
        }
        Ok((first, choice))
    }

    /// What was taken, run to its end by an engine that may be another one: the one that has the last word. A run that loses
    /// neighbourhoods on its way is not taken; the paper's model then gives way to weight 1.
    pub fn finish<F: Engine>(
        &mut self,
        from: &Candidate<F::Beliefs>,
        walker: &F,
        choice: &mut FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Candidate<E::Beliefs>> {
        let weight = choice.weight();
        let layout = layout_of(self.problem, walker, &from.posterior.state, true);
        let config = self.to_the_end(weight);
        let found = self.run(layout.clone(), &config, observer)?;
        let trust = self.trust(&found.0);
        let asked = self.config.feature_weight != FeatureWeight::Auto;
        let found = Candidate { posterior: found.0, stop: found.1, trust };
        let best = choice.best().max(trust);
        let holds = trust >= best - EQUAL && found.stop != Some(Stop::Collapsed);
        choice.tried[choice.taken].trustworthiness = trust;
        if holds || asked || found.interrupted() {
            return Ok(found);
        }
        if weight.is_none() {
            choice.taken = 1;
        }
        // a short run from the same layout
        let config = Config { coarse_tol: self.config.coarse_tol, ..self.to_the_end(choice.weight()) };
        let (posterior, stop) = self.run(Layout { in_units: weight.is_some(), ..layout }, &config, observer)?;
        let trust = self.trust(&posterior);
        if weight.is_some() && trust < found.trust {
            return Ok(found);
        }
        choice.tried[choice.taken].trustworthiness = trust;
        Ok(Candidate { posterior, stop, trust })
    }

    /// Settings of the run that has the last word. Where a layout came from a coarser graph its end is the early one: what is
    /// gained slowly there bends it.
    fn to_the_end(&self, weight: Option<f64>) -> Config {
        let coarse = self.start.init == Init::Coarse;
        Config { coarse_tol: if coarse { self.config.coarse_tol } else { 0.0 }, ..self.with_weight(weight) }
    }

    /// A run with another weight from where one ended; none for the paper's model.
    fn stage(
        &mut self,
        from: &Candidate<E::Beliefs>,
        weight: Option<f64>,
        choice: &mut FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Candidate<E::Beliefs>> {
        let config = Config { max_iter: self.config.max_iter.min(PROBE), ..self.with_weight(weight) };
        let layout = layout_of(self.problem, self.engine, &from.posterior.state, weight.is_some());
        let (posterior, stop) = self.run(layout, &config, observer)?;
        Ok(self.judged(posterior, stop, weight, choice))
    }

    fn with_weight(&self, weight: Option<f64>) -> Config {
        match weight {
            Some(weight) => Config { feature_weight: FeatureWeight::Fixed(weight), ..self.config.clone() },
            None => Config { graph_likelihood: false, ..self.config.clone() },
        }
    }

    fn run(&mut self, from: Layout, config: &Config, observer: &mut StartObserver) -> Result<First<E::Beliefs>> {
        self.engine.reset();
        let mut run = Run::new(self.problem, config, self.engine, &Start::Layout(Box::new(from)));
        let of = self.start;
        let mut observer = |point: &TracePoint, stage: Stage| observer(of, Reach::End, point, stage);
        let stop = run.advance(self.engine, None, &mut observer)?;
        Ok((run.into_posterior(), stop))
    }

    /// Measures a posterior and writes down what was found.
    fn judged(
        &self,
        posterior: Posterior<E::Beliefs>,
        stop: Option<Stop>,
        weight: Option<f64>,
        choice: &mut FeatureChoice,
    ) -> Candidate<E::Beliefs> {
        let trust = self.trust(&posterior);
        choice.tried.push(TriedWeight { weight, trustworthiness: trust });
        Candidate { posterior, stop, trust }
    }

    fn trust(&self, posterior: &Posterior<E::Beliefs>) -> f64 {
        trust_of(&self.problem.observations, &self.engine.coordinates(self.problem, &posterior.state.beliefs))
    }
}

impl<B> Candidate<B> {
    pub fn interrupted(&self) -> bool {
        self.stop == Some(Stop::Interrupted)
    }
}
