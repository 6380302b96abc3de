//! The loop: which update comes when, and when it is over.
//!
//! A run from coordinates first fits the maps to them, the coordinates held still: released at once, the first, blurred
//! maps would twist the layout. A run from maps first lets the coordinates grow under fixed priors: learned from the
//! first iteration on, the priors explain the data away as noise. Then everything climbs together.

use super::acceleration::{Momentum, Snapshot};
use super::bound::{BoundParts, bound, bound_of_graph};
use super::engine::{Beginning, Engine};
use super::pairs::Depth;
use super::spectrum::Spectrum;
use super::start::{Layout, Start, StartUnits, scaled_start, start_scale};
use super::state::State;
use super::terms::coordinates::update_alpha;
use super::terms::edge_counts::edge_counts;
use super::terms::graph::{FIRST_HEAVINESS, GraphTerm, balance, capped, largest_ratio};
use super::terms::likelihood::update_gamma;
use super::terms::maps::{update_lambda, update_lambda_nu};
use super::terms::rescaling::best_rescaling;
use super::trace::{Observer, Stage, Stop, TracePoint};
use crate::config::{Config, FeatureWeight, Rule};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};

/// Maps count as settled when an iteration gains less than this, in nats per point.
const SETTLED: f64 = 1e-2;
/// Most iterations that the coordinates are held still.
const LONGEST_FREEZE: usize = 40;
/// Most iterations that coordinates are held still which come with their maps.
const LAYOUT_FREEZE: usize = 3;
/// The same where they are in the units of the run: only covariances are to be found again.
const KNOWN_FREEZE: usize = 1;
/// The same under the graph's likelihood, which holds a layout while maps are blurred.
const GRAPH_FREEZE: usize = 8;
/// The gain, in nats per point, at which a run under the graph's likelihood ends at the latest: what is gained more slowly
/// moves hyper-parameters and not the layout.
const GRAPH_TOL: f64 = 2e-3;
/// Iterations with fixed priors in a run from maps: at least, and at most.
const GROWTH: std::ops::Range<usize> = 20..60;
/// The coordinates have grown when |μ_x|² is this many times their total variance.
const GROWN: f64 = 10.0;
/// The coordinates have collapsed when |μ_x|² is this small a part of their total variance.
const COLLAPSED: f64 = 1e-2;
/// Iterations of the climb before α is learned, and before a run may end.
const ALPHA_WAITS: usize = 5;
/// Iterations of the climb before a run under the graph's likelihood may end.
const GRAPH_WAITS: usize = 2;
/// Iterations before a run of the graph alone may end. It begins at once, with ρ, A and the scale of x still far off, and gains in
/// fits and starts.
const ALONE_WAITS: usize = 13;
/// Within an update, steps go on while they gain this share of what the iteration before gained.
const STEP: f64 = 0.05;
/// The shape of h is looked at every so many iterations.
const RESHAPES: usize = 4;
/// What a run found.
pub struct Posterior<B> {
    /// Where it ended.
    pub state: State<B>,
    /// Parts of the bound.
    pub parts: BoundParts,
    /// One entry per iteration.
    pub trace: Vec<TracePoint>,
    /// Where the coordinates began. [n, d_x]
    pub begun: Matrix,
}

/// A run that can be continued.
pub struct Run<'a, E: Engine> {
    problem: &'a Problem,
    config: &'a Config,
    /// Where it stands.
    pub state: State<E::Beliefs>,
    /// One entry per iteration.
    pub trace: Vec<TracePoint>,
    /// Parts of the bound after the last iteration.
    pub parts: BoundParts,
    momentum: Momentum<E::Kept>,
    stage: Stage,
    in_stage: usize,
    rejected: bool,
    last_gain: f64,
    longest_freeze: usize,
    begun: Matrix,
    /// The gain, in nats per point, at which the run ends.
    tol: f64,
}

impl<'a, E: Engine> Run<'a, E> {
    /// A run at its start.
    pub fn new(problem: &'a Problem, config: &'a Config, engine: &E, start: &Start) -> Self {
        let (n, d_x) = (problem.n(), problem.n_components);
        let hyper = Hyperparameters::first(config);
        let units = StartUnits::of(config);
        let (beginning, stage, hyper) = match start {
            Start::Coordinates(x) => {
                let (mean, spread) = scaled_start(problem, x, units);
                (Beginning { mean, spread, maps: None }, Stage::FittingMaps, hyper)
            }
            Start::Maps(c) => {
                let stage = if config.lambda == Rule::Learned { Stage::Growing } else { Stage::Climbing };
                (Beginning { mean: Matrix::zeros(n, d_x), spread: 1.0, maps: Some(c.clone()) }, stage, hyper)
            }
            Start::Layout(layout) => {
                let units = if layout.in_units { StartUnits::Layout } else { units };
                let scale = start_scale(problem, &layout.coordinates, units);
                let (mean, spread) = scaled_start(problem, &layout.coordinates, units);
                let mut maps = layout.maps.clone();
                maps.iter_mut().for_each(|maps| crate::linalg::scale(maps, 1.0 / scale));
                let hyper = layout.hyper.rescaled(scale, config);
                (Beginning { mean, spread, maps }, Stage::FittingMaps, hyper)
            }
        };
        let begun = beginning.mean.clone();
        let mut run = Self::at(problem, config, engine.begin(problem, hyper, beginning), stage);
        run.begun = begun;
        if let Start::Layout(layout) = start
            && layout.maps.is_some()
        {
            run.longest_freeze = if layout.in_units { KNOWN_FREEZE } else { LAYOUT_FREEZE };
            run.tol = config.coarse_tol.max(config.tol);
        }
        run.state.held = matches!(start, Start::Layout(layout) if layout.held);
        run.state.hyper.heaviness = 0.0;
        if config.graph_likelihood && stage == Stage::FittingMaps {
            let heaviness = match (config.heaviness, start) {
                (Rule::Fixed(heaviness), _) => heaviness,
                (Rule::Learned, Start::Layout(layout)) => layout.hyper.heaviness,
                (Rule::Learned, _) => FIRST_HEAVINESS,
            };
            let counts = edge_counts(problem, config);
            let term = GraphTerm::new(&problem.graph, d_x, counts, feature_weight(config), heaviness);
            run.state.graph = Some(term.with_structure(problem));
            run.longest_freeze = run.longest_freeze.min(GRAPH_FREEZE);
            // whoever asks for 0 wants all iterations
            run.tol = if config.tol > 0.0 { run.tol.max(GRAPH_TOL) } else { 0.0 };
            if run.is_of_graph_alone() {
                run.stage = Stage::Climbing;
            }
            run.state.hyper.heaviness = heaviness;
            if config.nu == Rule::Learned {
                run.state.hyper = capped(problem, run.state.hyper);
            }
        }
        run
    }

    /// A run that goes on from a posterior on another graph of the same points: the maps and hyper-parameters it ended
    /// with, from which the first update finds the coordinates.
    pub fn warm(problem: &'a Problem, config: &'a Config, engine: &E, before: &Posterior<E::Beliefs>) -> Self {
        let mut run = Self::at(problem, config, engine.warm_start(problem, &before.state), Stage::Climbing);
        run.in_stage = ALPHA_WAITS;
        run
    }

    fn at(problem: &'a Problem, config: &'a Config, state: State<E::Beliefs>, stage: Stage) -> Self {
        Self {
            problem,
            config,
            state,
            trace: Vec::new(),
            parts: BoundParts::UNKNOWN,
            momentum: Momentum::default(),
            stage,
            in_stage: 0,
            rejected: false,
            last_gain: f64::INFINITY,
            longest_freeze: LONGEST_FREEZE,
            begun: Matrix::new(),
            tol: config.tol,
        }
    }

    /// What the run found.
    pub fn into_posterior(self) -> Posterior<E::Beliefs> {
        let Self { state, parts, trace, begun, .. } = self;
        Posterior { state, parts, trace, begun }
    }

    /// Iterates until the run is over, or, for a trial, until it has climbed for `climb` iterations.
    pub fn advance(&mut self, engine: &mut E, climb: Option<usize>, observer: &mut Observer) -> Result<Option<Stop>> {
        let mut asked = None;
        loop {
            asked = asked.or(self.iterate(engine, observer)?);
            // after a rejected step the coordinates are not those of the bound: one more iteration mends that
            if self.rejected {
                continue;
            }
            if asked.is_some() || climb.is_some_and(|most| self.stage == Stage::Climbing && self.in_stage >= most) {
                return Ok(asked);
            }
        }
    }

    /// Where the run stands as a start for others. `in_units` says whether they begin in the same units.
    pub fn layout(&self, engine: &E, in_units: bool) -> Layout {
        layout_of(self.problem, engine, &self.state, in_units)
    }

    /// Makes the run small while others are tried.
    pub fn park(&mut self, engine: &E) {
        self.momentum.reset();
        engine.park(&mut self.state.beliefs);
    }

    /// Takes a parked run up again.
    pub fn resume(&mut self, engine: &mut E) -> Result<()> {
        engine.reset();
        let frozen = self.stage == Stage::FittingMaps;
        if engine.resume(self.problem, frozen, &mut self.state)? {
            self.parts = self.bound(engine)?;
            if let Some(point) = self.trace.last_mut() {
                (point.bound_scaled, point.parts) = (self.parts.total(), Some(self.parts));
            }
        }
        Ok(())
    }

    /// The bound in scaled units.
    pub fn bound_scaled(&self) -> f64 {
        self.parts.total()
    }

    /// Whether the features have no part in it, so that there are no maps.
    fn is_of_graph_alone(&self) -> bool {
        self.state.graph.as_ref().is_some_and(GraphTerm::is_alone)
    }

    fn bound(&self, engine: &mut E) -> Result<BoundParts> {
        let State { hyper, statistics, graph, .. } = &self.state;
        if let Some(term) = graph.as_ref().filter(|term| term.is_alone()) {
            return Ok(bound_of_graph(self.problem, statistics, term));
        }
        let log_dets = engine.log_determinants(self.problem, hyper)?;
        Ok(bound(self.problem, statistics, hyper, graph.as_ref(), &log_dets))
    }

    fn iterate(&mut self, engine: &mut E, observer: &mut Observer) -> Result<Option<Stop>> {
        let (problem, n) = (self.problem, self.problem.n() as f64);
        let before = Snapshot::new(engine, &self.state);
        let bound_before = self.parts.total();
        let of_graph = self.state.graph.is_some();
        let accelerate = self.config.accelerate
            && match of_graph {
                true => self.stage == Stage::Climbing && !self.is_of_graph_alone(),
                false => self.stage != Stage::Growing,
            };
        // the last iteration that is allowed must be one that cannot be rejected
        let last = self.trace.len() + 1 >= self.config.max_iter;
        let cut_short = accelerate && last && self.momentum.has_direction();
        let extrapolated = accelerate && !last && self.momentum.extrapolate(engine, &mut self.state);

        let least = STEP * self.last_gain.max(self.tol * n);
        if self.stage != Stage::FittingMaps {
            engine.update_coordinates(problem, &mut self.state, least)?;
        }
        let parts = if self.is_of_graph_alone() {
            self.update_graph(engine);
            self.bound(engine)?
        } else {
            // what maps gain counts in the bound by the weight of the features
            let weight = self.state.graph.as_ref().map_or(1.0, |term| term.feature_weight.min(1.0));
            engine.update_maps(problem, &mut self.state, least / weight)?;
            self.update_graph(engine);
            self.update_hyperparameters(engine)?
        };
        let (parts, rescaled) = if accelerate && !of_graph { self.rescale(engine)? } else { (parts, 1.0) };
        let gain = parts.total() - bound_before;
        self.rejected = extrapolated && (gain < 0.0 || gain.is_nan());
        if self.rejected {
            before.restore(engine, &mut self.state, rescaled);
            self.momentum.reset();
        } else {
            self.parts = parts;
            // the first one starts from nothing; a nat per point is the order of what follows
            self.last_gain = if gain.is_finite() { gain } else { n };
            self.momentum.remember(before);
        }
        self.in_stage += 1;
        let iteration = self.trace.len() + 1;
        let (bound_scaled, parts) = (self.parts.total(), Some(self.parts));
        let point = TracePoint { iteration, bound_scaled, hyper: self.state.hyper, parts };
        self.trace.push(point);
        if observer(&point, self.stage).is_break() {
            return Ok(Some(Stop::Interrupted));
        }
        // one that only the limit kept from being extrapolated gains little for that reason, and is no end
        let stop = if self.rejected { None } else { self.next_stage(gain, extrapolated || cut_short) };
        Ok(stop.or((iteration >= self.config.max_iter).then_some(Stop::MaxIterations)))
    }

    /// Decides after an iteration that gained this much whether the stage, or the run, is over.
    fn next_stage(&mut self, gain: f64, extrapolated: bool) -> Option<Stop> {
        let n = self.problem.n() as f64;
        let moments = &self.state.statistics.coordinates;
        let variance = moments.total() - moments.mean_square;
        let over = match self.stage {
            Stage::FittingMaps => gain < SETTLED * n || self.in_stage >= self.longest_freeze,
            Stage::Growing => {
                self.in_stage >= GROWTH.end || (self.in_stage >= GROWTH.start && moments.mean_square > GROWN * variance)
            }
            Stage::Climbing => false,
        };
        if over {
            self.stage = Stage::Climbing;
            self.in_stage = 0;
            self.momentum.reset();
        }
        let waits = match &self.state.graph {
            Some(term) if term.is_alone() => ALONE_WAITS,
            Some(_) => GRAPH_WAITS,
            None => ALPHA_WAITS,
        };
        if self.stage != Stage::Climbing || self.in_stage <= waits {
            return None;
        }
        if moments.mean_square < COLLAPSED * variance {
            return Some(Stop::Collapsed);
        }
        if self.tol > 0.0 && gain < self.tol * n {
            if !extrapolated {
                return Some(Stop::Converged);
            }
            // only an iteration without extrapolation may end the run, so that acceleration does not move its end
            self.momentum.reset();
        }
        None
    }

    /// Learns the hyper-parameters; returns the bound with them.
    fn update_hyperparameters(&mut self, engine: &mut E) -> Result<BoundParts> {
        let before = self.state.hyper;
        self.learn(engine.spectrum());
        let parts = self.bound(engine)?;
        if engine.spectrum().is_exact() || self.config.alpha != Rule::Learned && self.state.hyper.alpha != before.alpha
        {
            return Ok(parts);
        }
        // The search went by an estimated spectrum, the bound goes by the true determinants: only what raises it counts.
        let found = self.state.hyper;
        self.state.hyper = Hyperparameters { gamma: found.gamma, ..before };
        let kept = self.bound(engine)?;
        if parts.maps >= kept.maps {
            (self.state.hyper.lambda, self.state.hyper.nu) = (found.lambda, found.nu);
        }
        if parts.coordinates >= kept.coordinates {
            self.state.hyper.alpha = found.alpha;
        }
        Ok(BoundParts {
            maps: parts.maps.max(kept.maps),
            coordinates: parts.coordinates.max(kept.coordinates),
            ..parts
        })
    }

    /// The best hyper-parameters by this spectrum, those of them that are learned now.
    fn learn(&mut self, spectrum: &Spectrum) {
        let (problem, State { hyper, statistics, graph, .. }) = (self.problem, &mut self.state);
        hyper.gamma = update_gamma(problem, statistics);
        let largest = graph.as_ref().map(|_| largest_ratio(problem));
        if self.stage != Stage::Growing {
            match (self.config.lambda, self.config.nu) {
                (Rule::Learned, Rule::Learned) => {
                    (hyper.lambda, hyper.nu) = update_lambda_nu(problem, spectrum, &statistics.maps, hyper, largest);
                }
                (Rule::Learned, Rule::Fixed(_)) => hyper.lambda = update_lambda(problem, &statistics.maps),
                (Rule::Fixed(_), _) => {}
            }
        }
        if graph.is_some() {
            return;
        }
        match self.config.alpha {
            Rule::Fixed(alpha) => hyper.alpha = alpha,
            Rule::Learned if self.stage == Stage::Climbing && self.in_stage >= ALPHA_WAITS => {
                hyper.alpha = update_alpha(problem, spectrum, &statistics.coordinates);
                if let Some(precision) = &mut statistics.coordinates.shift_precision {
                    *precision = hyper.alpha;
                }
            }
            Rule::Learned => {}
        }
    }

    /// Learns what the graph's likelihood has: ρ, A, and now and then the shape of h with the scale of x.
    fn update_graph(&mut self, engine: &E) {
        let Some(mut term) = self.state.graph.take() else { return };
        let graph = &self.problem.graph;
        let mut field = engine.pair_field(self.problem, &self.state.beliefs);
        term.steps = field.steps(graph);
        // coordinates that are held still have no use for more
        let depth = if self.stage == Stage::FittingMaps { Depth::Value } else { Depth::Curvature };
        balance(&mut term, &field, graph, depth);
        if self.stage == Stage::Climbing && self.in_stage % RESHAPES == 1 {
            let sums = field.by_rate(graph, &term.rates(), &term.sociability);
            let (affinity, t) = term.propose(&sums, self.config.heaviness == Rule::Learned);
            // maps with a fixed prior cannot follow
            let t = if self.config.lambda == Rule::Learned { t } else { 1.0 };
            if affinity != term.affinity || t != 1.0 {
                let mut tried = term.reshaped(affinity, t);
                field.rescale(t);
                balance(&mut tried, &field, graph, depth);
                let State { beliefs, hyper, statistics, .. } = &mut self.state;
                let mut rescaled = statistics.coordinates.clone();
                rescaled.rescale(t);
                tried.learn_precision(&rescaled);
                term.learn_precision(&statistics.coordinates);
                let height = |term: &GraphTerm, of_x| term.part(graph) + term.coordinate_part(of_x);
                if height(&tried, &rescaled) > height(&term, &statistics.coordinates) {
                    term = tried;
                    engine.rescale(beliefs, t);
                    statistics.coordinates = rescaled;
                    statistics.maps.rescale(1.0 / t);
                    hyper.heaviness = term.affinity.heaviness;
                    if t != 1.0 {
                        hyper.lambda *= t * t;
                        hyper.nu *= t * t;
                    }
                }
            }
        }
        term.learn_precision(&self.state.statistics.coordinates);
        term.learn_structure(&self.state.statistics.coordinates);
        self.state.graph = Some(term);
    }

    /// Rescales x and C jointly; returns the bound after it and the factor of x.
    fn rescale(&mut self, engine: &mut E) -> Result<(BoundParts, f64)> {
        let follow = self.config.lambda == Rule::Learned;
        let State { beliefs, hyper, statistics, .. } = &mut self.state;
        let t = best_rescaling(self.problem, statistics, hyper, follow);
        engine.rescale(beliefs, t);
        statistics.coordinates.rescale(t);
        statistics.maps.rescale(1.0 / t);
        if follow {
            hyper.lambda *= t * t;
            hyper.nu *= t * t;
        }
        Ok((self.bound(engine)?, t))
    }
}

/// The weight of the features in a run.
fn feature_weight(config: &Config) -> f64 {
    match config.feature_weight {
        FeatureWeight::Fixed(weight) => weight,
        FeatureWeight::Auto | FeatureWeight::Polish => 1.0,
    }
}

/// Coordinates, maps and hyper-parameters of a state as a start.
pub fn layout_of<E: Engine>(problem: &Problem, engine: &E, state: &State<E::Beliefs>, in_units: bool) -> Layout {
    let n = problem.n();
    let rows = problem.observations.nrows();
    let mut maps = Matrix::zeros(rows, problem.size());
    for p in 0..problem.size() {
        maps.col_as_slice_mut(p).copy_from_slice(engine.map(problem, &state.beliefs, p % n, p / n));
    }
    let coordinates = engine.coordinates(problem, &state.beliefs);
    Layout { coordinates, maps: Some(maps), hyper: state.hyper, in_units, held: false }
}

#[cfg(test)]
#[path = "em_graph_tests.rs"]
mod graph_tests;

#[cfg(test)]
#[path = "structure_tests.rs"]
mod structure_tests;
