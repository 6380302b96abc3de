//! The loop: which update comes when, and when it is over.
//!
//! A run from coordinates first fits the maps to them, the coordinates held still: released at once, the first, blurred
//! maps would twist the layout. A run from maps first lets the coordinates grow under fixed priors: learned from the
//! first iteration on, the priors explain the data away as noise. Then everything climbs together.

use super::acceleration::Momentum;
use super::bound::{BoundParts, Statistics, bound};
use super::engine::{Beginning, Engine};
use super::start::Start;
use super::update_hyperparameters::{best_rescaling, update_alpha, update_gamma, update_lambda, update_lambda_nu};
use crate::config::{Config, Rule};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::model::{Hyperparameters, Problem};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Maps count as settled when an iteration gains less than this, in nats a point.
const SETTLED: f64 = 1e-2;
/// Most iterations that the coordinates are held still.
const LONGEST_FREEZE: usize = 40;
/// Most iterations that coordinates are held still which come with their maps.
const LAYOUT_FREEZE: usize = 3;
/// Iterations with fixed priors in a run from maps: at least, and at most.
const GROWTH: std::ops::Range<usize> = 20..60;
/// The coordinates have grown when |μ_x|² is this many times their total variance.
const GROWN: f64 = 10.0;
/// The coordinates have collapsed when |μ_x|² is this small a part of their total variance.
const COLLAPSED: f64 = 1e-2;
/// Iterations of the climb before α is learned.
const ALPHA_WAITS: usize = 5;
/// Within an update, steps go on while they gain this share of what the iteration before gained.
const STEP: f64 = 0.05;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// An iteration gained less than `tol`.
    Converged,
    /// `max_iter` was reached first.
    MaxIterations,
    /// The observer asked for it.
    Interrupted,
    /// The coordinates shrank to nothing: the data are explained as noise.
    Collapsed,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Maps are fitted to coordinates that are held still.
    FittingMaps,
    /// Coordinates grow under fixed priors.
    Growing,
    /// All is learned.
    Climbing,
}

/// One iteration as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Iteration, from 1.
    pub iteration: usize,
    /// Bound in scaled units.
    pub bound_scaled: f64,
    /// Hyper-parameters after the iteration.
    pub hyper: Hyperparameters,
    /// The parts of the bound; models of early versions have none.
    #[serde(default)]
    pub parts: Option<BoundParts>,
}

/// What an observer is told after each iteration.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Which start this is, from 1.
    pub start: usize,
    /// Of how many.
    pub starts: usize,
    /// A short trial run, or one that goes to its end.
    pub trial: bool,
    /// What the run is doing.
    pub stage: Stage,
    /// Most iterations of this run.
    pub max_iter: usize,
    /// The iteration just done.
    pub point: TracePoint,
}

/// Called after each iteration; `Break` ends the run with what it has.
pub type Observer<'a> = dyn FnMut(&TracePoint, Stage) -> ControlFlow<()> + 'a;

/// What a run found.
pub struct Posterior<B> {
    /// q(x) and q(C).
    pub beliefs: B,
    /// α, γ, λ, ν.
    pub hyper: Hyperparameters,
    /// Parts of the bound.
    pub parts: BoundParts,
    /// One point an iteration.
    pub trace: Vec<TracePoint>,
}

/// A run that can be continued.
pub struct Run<'a, E: Engine> {
    problem: &'a Problem,
    config: &'a Config,
    /// q(x) and q(C).
    pub beliefs: E::Beliefs,
    /// α, γ, λ, ν.
    pub hyper: Hyperparameters,
    /// One point an iteration.
    pub trace: Vec<TracePoint>,
    /// Parts of the bound after the last iteration.
    pub parts: BoundParts,
    statistics: Statistics,
    momentum: Momentum<E::Kept>,
    stage: Stage,
    in_stage: usize,
    rejected: bool,
    last_gain: f64,
    longest_freeze: usize,
    /// The gain, in nats a point, at which the run ends.
    tol: f64,
}

impl<'a, E: Engine> Run<'a, E> {
    /// A run at its start.
    pub fn new(problem: &'a Problem, config: &'a Config, engine: &E, start: &Start) -> Self {
        let (n, d_x) = (problem.n(), problem.n_components);
        let first = |rule: Rule| match rule {
            Rule::Fixed(value) => value,
            Rule::Learned => 1.0,
        };
        let hyper = Hyperparameters {
            alpha: config.alpha0,
            gamma: config.gamma0,
            lambda: first(config.lambda),
            nu: first(config.nu),
        };
        let (beginning, stage, hyper) = match start {
            Start::Coordinates(x) => {
                let (mean, spread) = scaled_start(problem, x);
                (Beginning { mean, spread, maps: None }, Stage::FittingMaps, hyper)
            }
            Start::Maps(c) => {
                let stage = if config.lambda == Rule::Learned { Stage::Growing } else { Stage::Climbing };
                (Beginning { mean: Matrix::zeros(n, d_x), spread: 1.0, maps: Some(c.clone()) }, stage, hyper)
            }
            Start::Layout(layout) => {
                let scale = prior_scale(problem, &layout.coordinates);
                let (mean, spread) = scaled_start(problem, &layout.coordinates);
                let mut maps = layout.maps.clone();
                crate::linalg::scale(&mut maps, 1.0 / scale);
                let tightened = |rule: Rule, value: f64| match rule {
                    Rule::Fixed(fixed) => fixed,
                    Rule::Learned => value * scale * scale,
                };
                let hyper = Hyperparameters {
                    alpha: match config.alpha {
                        Rule::Fixed(fixed) => fixed,
                        Rule::Learned => layout.hyper.alpha / (scale * scale),
                    },
                    gamma: layout.hyper.gamma,
                    lambda: tightened(config.lambda, layout.hyper.lambda),
                    nu: tightened(config.nu, layout.hyper.nu),
                };
                (Beginning { mean, spread, maps: Some(maps) }, Stage::FittingMaps, hyper)
            }
        };
        let beliefs = engine.begin(problem, &hyper, beginning);
        let mut run = Self::at(problem, config, engine, beliefs, hyper, stage);
        if matches!(start, Start::Layout(_)) {
            (run.longest_freeze, run.tol) = (LAYOUT_FREEZE, config.coarse_tol.max(config.tol));
        }
        run
    }

    /// A run that goes on from a posterior on another graph of the same points: the maps and hyper-parameters it ended
    /// with, from which the first update finds the coordinates.
    pub fn warm(problem: &'a Problem, config: &'a Config, engine: &E, before: &Posterior<E::Beliefs>) -> Self {
        let beliefs = engine.go_on(problem, &before.hyper, &before.beliefs);
        let mut run = Self::at(problem, config, engine, beliefs, before.hyper, Stage::Climbing);
        run.in_stage = ALPHA_WAITS;
        run
    }

    fn at(
        problem: &'a Problem,
        config: &'a Config,
        engine: &E,
        beliefs: E::Beliefs,
        hyper: Hyperparameters,
        stage: Stage,
    ) -> Self {
        let (coordinates, maps) = engine.moments(problem, &hyper, &beliefs);
        Self {
            problem,
            config,
            beliefs,
            hyper,
            trace: Vec::new(),
            parts: BoundParts { likelihood: f64::NEG_INFINITY, log_determinant: 0.0, maps: 0.0, coordinates: 0.0 },
            statistics: Statistics { coordinates, maps, residual: f64::INFINITY },
            momentum: Momentum::default(),
            stage,
            in_stage: 0,
            rejected: false,
            last_gain: f64::INFINITY,
            longest_freeze: LONGEST_FREEZE,
            tol: config.tol,
        }
    }

    /// What the run found.
    pub fn into_posterior(self) -> Posterior<E::Beliefs> {
        let Self { beliefs, hyper, parts, trace, .. } = self;
        Posterior { beliefs, hyper, parts, trace }
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

    /// Makes the run small while others are tried.
    pub fn park(&mut self, engine: &E) {
        self.momentum.reset();
        engine.park(&mut self.beliefs);
    }

    /// Takes a parked run up again.
    pub fn resume(&mut self, engine: &mut E) -> Result<()> {
        engine.forget();
        let frozen = self.stage == Stage::FittingMaps;
        if let Some((moments, residual)) = engine.resume(self.problem, &self.hyper, frozen, &mut self.beliefs)? {
            (self.statistics.coordinates, self.statistics.residual) = (moments, residual);
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

    fn bound(&self, engine: &mut E) -> Result<BoundParts> {
        let log_dets = engine.log_determinants(self.problem, &self.hyper)?;
        Ok(bound(self.problem, &self.statistics, &self.hyper, &log_dets))
    }

    fn iterate(&mut self, engine: &mut E, observer: &mut Observer) -> Result<Option<Stop>> {
        let (problem, n) = (self.problem, self.problem.n() as f64);
        let kept = engine.keep(&self.beliefs);
        let before = (self.hyper, self.statistics.clone());
        let bound_before = self.parts.total();
        let accelerate = self.config.accelerate && self.stage != Stage::Growing;
        // the last iteration that is allowed must be one that cannot be rejected
        let last = self.trace.len() + 1 >= self.config.max_iter;
        let extrapolated = accelerate && !last && self.momentum.extrapolate(engine, &mut self.beliefs, &mut self.hyper);

        let least = STEP * self.last_gain.max(self.tol * n);
        if self.stage != Stage::FittingMaps {
            (self.statistics.coordinates, self.statistics.residual) =
                engine.update_coordinates(problem, &self.hyper, least, &mut self.beliefs)?;
        }
        (self.statistics.maps, self.statistics.residual) =
            engine.update_maps(problem, &self.hyper, least, &mut self.beliefs)?;
        let parts = self.update_hyperparameters(engine)?;
        let (parts, rescaled) = if accelerate { self.rescale(engine)? } else { (parts, 1.0) };
        let gain = parts.total() - bound_before;
        self.rejected = extrapolated && (gain < 0.0 || gain.is_nan());
        if self.rejected {
            engine.restore(&mut self.beliefs, kept, rescaled);
            (self.hyper, self.statistics) = before;
            self.momentum.reset();
        } else {
            self.parts = parts;
            // the first one starts from nothing; a nat a point is the order of what follows
            self.last_gain = if gain.is_finite() { gain } else { n };
            self.momentum.remember(kept, before.0);
        }
        self.in_stage += 1;
        let iteration = self.trace.len() + 1;
        let (bound_scaled, parts) = (self.parts.total(), Some(self.parts));
        let point = TracePoint { iteration, bound_scaled, hyper: self.hyper, parts };
        self.trace.push(point);
        if observer(&point, self.stage).is_break() {
            return Ok(Some(Stop::Interrupted));
        }
        let stop = if self.rejected { None } else { self.next_stage(gain, extrapolated) };
        Ok(stop.or((iteration >= self.config.max_iter).then_some(Stop::MaxIterations)))
    }

    /// Decides after an iteration that gained this much whether the stage, or the run, is over.
    fn next_stage(&mut self, gain: f64, extrapolated: bool) -> Option<Stop> {
        let n = self.problem.n() as f64;
        let moments = &self.statistics.coordinates;
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
        if self.stage != Stage::Climbing || self.in_stage <= ALPHA_WAITS {
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
        let (problem, statistics) = (self.problem, &self.statistics);
        let before = self.hyper;
        self.hyper.gamma = update_gamma(problem, statistics);
        if self.stage != Stage::Growing {
            match (self.config.lambda, self.config.nu) {
                (Rule::Learned, Rule::Learned) => {
                    (self.hyper.lambda, self.hyper.nu) =
                        update_lambda_nu(problem, engine.spectrum(), statistics, &self.hyper);
                }
                (Rule::Learned, Rule::Fixed(_)) => self.hyper.lambda = update_lambda(problem, statistics),
                (Rule::Fixed(_), _) => {}
            }
        }
        match self.config.alpha {
            Rule::Fixed(alpha) => self.hyper.alpha = alpha,
            Rule::Learned if self.stage == Stage::Climbing && self.in_stage >= ALPHA_WAITS => {
                self.hyper.alpha = update_alpha(problem, engine.spectrum(), statistics);
                if let Some(precision) = &mut self.statistics.coordinates.shift_precision {
                    *precision = self.hyper.alpha;
                }
            }
            Rule::Learned => {}
        }
        let parts = self.bound(engine)?;
        if engine.spectrum().is_exact() || self.config.alpha != Rule::Learned && self.hyper.alpha != before.alpha {
            return Ok(parts);
        }
        // The search went by an estimated spectrum, the bound goes by the true determinants: only what raises it counts.
        let found = self.hyper;
        self.hyper = Hyperparameters { gamma: found.gamma, ..before };
        let kept = self.bound(engine)?;
        if parts.maps >= kept.maps {
            (self.hyper.lambda, self.hyper.nu) = (found.lambda, found.nu);
        }
        if parts.coordinates >= kept.coordinates {
            self.hyper.alpha = found.alpha;
        }
        Ok(BoundParts {
            maps: parts.maps.max(kept.maps),
            coordinates: parts.coordinates.max(kept.coordinates),
            ..parts
        })
    }

    /// Rescales x and C jointly; returns the bound after it and the factor of x.
    fn rescale(&mut self, engine: &mut E) -> Result<(BoundParts, f64)> {
        let follow = self.config.lambda == Rule::Learned;
        let t = best_rescaling(self.problem, &self.statistics, &self.hyper, follow);
        engine.rescale(&mut self.beliefs, t);
        self.statistics.coordinates.rescale(t);
        self.statistics.maps.rescale(1.0 / t);
        if follow {
            self.hyper.lambda *= t * t;
            self.hyper.nu *= t * t;
        }
        Ok((self.bound(engine)?, t))
    }
}

/// The factor by which coordinates are scaled as the prior likes them.
fn prior_scale(problem: &Problem, x: &Matrix) -> f64 {
    let (n, d_x) = (problem.n(), problem.n_components);
    let steps: f64 = problem
        .graph
        .edges()
        .iter()
        .map(|&(i, j)| (0..d_x).map(|a| (x[(j as usize, a)] - x[(i as usize, a)]).powi(2)).sum::<f64>())
        .sum();
    if steps > 0.0 { (((n - 1) * d_x) as f64 / (2.0 * steps)).sqrt() } else { 1.0 }
}

/// Coordinates to start from, centred and scaled as the prior likes them, and the small variance they are held with.
fn scaled_start(problem: &Problem, x: &Matrix) -> (Matrix, f64) {
    let (n, d_x) = (problem.n(), problem.n_components);
    let scale = prior_scale(problem, x);
    let means: Vec<f64> = (0..d_x).map(|a| x.col_as_slice(a).iter().sum::<f64>() / n as f64).collect();
    let mean = Matrix::from_fn(n, d_x, |i, a| scale * (x[(i, a)] - means[a]));
    // a thirtieth of a typical step along an edge
    let spread = 1e-3 * (n - 1) as f64 / (2 * problem.graph.edges().len()) as f64;
    (mean, spread)
}
