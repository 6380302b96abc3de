//! The weight of the features against the graph: from a small one up to the paper's model, as far as neighbourhoods hold
//! (docs/decisions/0015-the-graph-has-a-likelihood.md).

use super::dimension::used_axes;
use super::quality::Compared;
use crate::config::{Config, FeatureWeight, Init};
use crate::error::Result;
use crate::inference::{
    Engine, GraphTerm, Layout, NumberedStart, Posterior, Reach, Run, Stage, Start, StartObserver, Stop, TracePoint,
    layout_of,
};
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};
use serde::{Deserialize, Serialize};

/// No weight: starts are tried on the graph alone, which needs no maps and lays out well what features would fold.
pub const GRAPH_ALONE: f64 = 0.0;
/// The weight that a path begins with: nearly the graph alone.
pub const FIRST_WEIGHT: f64 = 0.03;
/// Weights that are tried where 1 is too much, largest first.
const BETWEEN: [f64; 2] = [0.3, 0.1];
/// Weights that are tried from a start which the graph alone has laid out badly: they hold it together.
const HOLDING: [f64; 2] = [1.0, 10.0];
/// Neighbourhoods count as equally good within this much trustworthiness.
pub(super) const EQUAL: f64 = 1e-3;
/// Most iterations with a weight that is only tried.
const PROBE: usize = 40;
/// The gain, in nats per point, at which a run ends at the latest that is not the last one.
pub(super) const TRIED_TOL: f64 = 5e-3;
/// A weight is given up as soon as it has lost so much trustworthiness against the best; it is looked at after so many
/// iterations, and then whenever they have doubled.
const LOST: f64 = 0.01;
const FIRST_LOOK: usize = 4;

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
    /// Whether it was tried from the start itself, which the graph alone had laid out badly.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_start: bool,
}

impl FeatureChoice {
    /// The weight that was taken; none for the paper's model.
    pub fn weight(&self) -> Option<f64> {
        self.tried.get(self.taken).and_then(|tried| tried.weight)
    }

    /// The best trustworthiness that was met.
    pub(super) fn best(&self) -> f64 {
        self.tried.iter().map(|tried| tried.trustworthiness).fold(0.0, f64::max)
    }
}

/// A posterior with how well its map keeps neighbourhoods.
pub(super) struct Candidate<B> {
    pub posterior: Posterior<B>,
    pub stop: Option<Stop>,
    pub trust: f64,
}

/// Where a walk begins: what was found with the first weight.
pub(super) type First<B> = (Posterior<B>, Option<Stop>);

/// Goes from weight to weight with one engine.
pub(super) struct Walk<'a, E: Engine> {
    pub problem: &'a Problem,
    pub compared: &'a Compared,
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
        let alone = posterior.state.graph.as_ref().is_some_and(GraphTerm::is_alone);
        let (posterior, stop) = if alone { self.first_maps(&posterior, stop, observer)? } else { (posterior, stop) };
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
        // and it knows of no structure
        let all_used = used_axes(self.problem, &found) == self.problem.n_components && self.problem.structure.is_none();
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

    /// Where a start kept neighbourhoods much better than all that came of it, as the graph alone folds thin chains: from that start
    /// itself, with features that weigh enough to hold it. None where there is no such start, or it is no better.
    pub fn held_from_start(
        &mut self,
        begun: &[(NumberedStart, Matrix)],
        choice: &mut FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Option<Candidate<E::Beliefs>>> {
        if self.config.feature_weight != FeatureWeight::Auto {
            return Ok(None);
        }
        let ranked = begun.iter().map(|(start, places)| (self.compared.trustworthiness(places), start, places));
        let best = ranked.reduce(|best, other| if other.0 > best.0 { other } else { best });
        let most = choice.best();
        let Some((_, &start, places)) = best.filter(|(trust, ..)| *trust > most + LOST) else { return Ok(None) };
        let before = std::mem::replace(&mut self.start, start);
        let mut taken: Option<Candidate<E::Beliefs>> = None;
        for weight in HOLDING {
            let config = with_weight(self.config, weight);
            let config = Config { max_iter: config.max_iter.min(PROBE), ..config };
            let hyper = Hyperparameters::first(&config);
            let layout = Layout { coordinates: places.clone(), maps: None, hyper, in_units: false, held: false };
            let (posterior, stop) = self.run(layout, &config, f64::NEG_INFINITY, observer)?;
            let found = self.judged(posterior, stop, Some(weight), choice);
            if let Some(tried) = choice.tried.last_mut() {
                tried.from_start = true;
            }
            let interrupted = found.interrupted();
            if found.trust > taken.as_ref().map_or(most, |taken| taken.trust) {
                choice.taken = choice.tried.len() - 1;
                taken = Some(found);
            }
            if interrupted {
                break;
            }
        }
        if taken.is_none() {
            self.start = before;
        }
        Ok(taken)
    }

    /// What was taken, run to its end by an engine that may be another one: the one that has the last word. A run that loses
    /// neighbourhoods on its way is not taken; the paper's model then gives way to weight 1.
    pub fn finish<F: Engine>(
        &mut self,
        from: &Candidate<F::Beliefs>,
        (walker, walked): (&F, &Problem),
        choice: &mut FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Candidate<E::Beliefs>> {
        let weight = choice.weight();
        let mut layout = layout_of(walked, walker, &from.posterior.state, true);
        if !std::ptr::eq(walked, self.problem) {
            layout.maps = layout.maps.map(|maps| self.problem.maps_of(walked, maps));
        }
        let config = self.to_the_end(weight);
        let found = self.run(layout.clone(), &config, f64::NEG_INFINITY, observer)?;
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
        let layout = Layout { in_units: weight.is_some(), ..layout };
        let (posterior, stop) = self.run(layout, &config, f64::NEG_INFINITY, observer)?;
        let trust = self.trust(&posterior);
        if weight.is_some() && trust < found.trust {
            return Ok(found);
        }
        choice.tried[choice.taken].trustworthiness = trust;
        Ok(Candidate { posterior, stop, trust })
    }

    /// Settings of the run that has the last word. Where a layout came from a coarser graph its end is the early one: what is
    /// gained slowly there bends it. Under the graph's likelihood all runs end alike: what the last one would gain more slowly moves
    /// hyper-parameters and not the layout.
    pub(super) fn to_the_end(&self, weight: Option<f64>) -> Config {
        let coarse = self.start.init == Init::Coarse;
        let config = self.settings(weight);
        // who asks for 0 wants all iterations
        let tol = if weight.is_some() && config.tol > 0.0 { config.tol.max(TRIED_TOL) } else { config.tol };
        Config { tol, coarse_tol: if coarse { self.config.coarse_tol } else { 0.0 }, ..config }
    }

    /// From a layout of the graph alone to one with maps, with the first weight.
    fn first_maps(
        &mut self,
        alone: &Posterior<E::Beliefs>,
        stop: Option<Stop>,
        observer: &mut StartObserver,
    ) -> Result<First<E::Beliefs>> {
        let coordinates = self.engine.coordinates(self.problem, &alone.state.beliefs);
        let config = with_weight(self.config, FIRST_WEIGHT);
        let layout =
            Layout { coordinates, maps: None, hyper: Hyperparameters::first(&config), in_units: true, held: false };
        if stop != Some(Stop::Interrupted) {
            return self.run(layout, &config, f64::NEG_INFINITY, observer);
        }
        // what was found so far has no maps yet: one iteration gives it some
        let (posterior, _) = self.run(layout, &Config { max_iter: 1, ..config }, f64::NEG_INFINITY, observer)?;
        Ok((posterior, stop))
    }

    /// A run with another weight from where one ended; none for the paper's model.
    fn stage(
        &mut self,
        from: &Candidate<E::Beliefs>,
        weight: Option<f64>,
        choice: &mut FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Candidate<E::Beliefs>> {
        let config = self.settings(weight);
        let config = Config { max_iter: config.max_iter.min(PROBE), tol: config.tol.max(TRIED_TOL), ..config };
        let layout = layout_of(self.problem, self.engine, &from.posterior.state, weight.is_some());
        let asked = self.config.feature_weight != FeatureWeight::Auto;
        let least = if asked { f64::NEG_INFINITY } else { choice.best() - LOST };
        let (posterior, stop) = self.run(layout, &config, least, observer)?;
        Ok(self.judged(posterior, stop, weight, choice))
    }

    /// The settings of a run with this weight; none for the paper's model.
    fn settings(&self, weight: Option<f64>) -> Config {
        match weight {
            Some(weight) => Config { feature_weight: FeatureWeight::Fixed(weight), ..self.config.clone() },
            None => Config { graph_likelihood: false, ..self.config.clone() },
        }
    }

    /// A run from a layout to its end, or until it has less than so much trustworthiness.
    pub(super) fn run(
        &mut self,
        from: Layout,
        config: &Config,
        least: f64,
        observer: &mut StartObserver,
    ) -> Result<First<E::Beliefs>> {
        self.engine.reset();
        let mut run = Run::new(self.problem, config, self.engine, &Start::Layout(Box::new(from)));
        let of = self.start;
        let mut observer = |point: &TracePoint, stage: Stage| observer(of, Reach::End, point, stage);
        let mut look = (least > 0.0).then_some(FIRST_LOOK);
        let stop = loop {
            let stop = run.advance(self.engine, look, &mut observer)?;
            if stop.is_some()
                || self.compared.trustworthiness(&self.engine.coordinates(self.problem, &run.state.beliefs)) < least
            {
                break stop;
            }
            look = look.map(|climbed| 2 * climbed);
        };
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
        choice.tried.push(TriedWeight { weight, trustworthiness: trust, from_start: false });
        Candidate { posterior, stop, trust }
    }

    fn trust(&self, posterior: &Posterior<E::Beliefs>) -> f64 {
        self.compared.trustworthiness(&self.engine.coordinates(self.problem, &posterior.state.beliefs))
    }
}

impl<B> Candidate<B> {
    pub fn interrupted(&self) -> bool {
        self.stop == Some(Stop::Interrupted)
    }
}

/// Settings with a fixed weight of the features, of a run that is not the last one.
pub(super) fn with_weight(config: &Config, weight: f64) -> Config {
    let tol = config.tol.max(TRIED_TOL);
    Config { feature_weight: FeatureWeight::Fixed(weight), tol, ..config.clone() }
}
