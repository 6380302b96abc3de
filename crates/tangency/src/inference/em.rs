//! The loop: which update comes when, and when it is over.
//!
//! A run from coordinates first fits the maps to them, the coordinates held still: released at once, the first, blurred
//! maps would twist the layout. A run from maps first lets the coordinates grow under fixed priors: learned from the
//! first iteration on, the priors explain the data away as noise. Then everything climbs together.

use super::acceleration::Momentum;
use super::bound::{BoundParts, Statistics, bound};
use super::exact::{CoordinateMoments, MapMoments, Workspace, update_coordinates, update_maps};
use super::start::Start;
use super::update_hyperparameters::{best_rescaling, update_alpha, update_gamma, update_lambda, update_lambda_nu};
use crate::config::{Config, Rule};
use crate::error::Result;
use crate::linalg::{Matrix, pack_lower, scale, unpack_lower};
use crate::model::{Coordinates, Hyperparameters, Maps, Problem};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Maps count as settled when an iteration gains less than this, in nats a point.
const SETTLED: f64 = 1e-2;
/// Most iterations that the coordinates are held still.
const LONGEST_FREEZE: usize = 40;
/// Iterations with fixed priors in a run from maps: at least, and at most.
const GROWTH: std::ops::Range<usize> = 20..60;
/// The coordinates have grown when |μ_x|² is this many times their total variance.
const GROWN: f64 = 10.0;
/// The coordinates have collapsed when |μ_x|² is this small a part of their total variance.
const COLLAPSED: f64 = 1e-2;
/// Iterations of the climb before α is learned.
const ALPHA_WAITS: usize = 5;

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
pub struct Posterior {
    /// q(x).
    pub coordinates: Coordinates,
    /// q(C).
    pub maps: Maps,
    /// α, γ, λ, ν.
    pub hyper: Hyperparameters,
    /// Parts of the bound.
    pub parts: BoundParts,
    /// One point an iteration.
    pub trace: Vec<TracePoint>,
}

/// A run that can be continued.
pub struct Run<'a> {
    problem: &'a Problem,
    config: &'a Config,
    /// q(x).
    pub coordinates: Coordinates,
    /// q(C).
    pub maps: Maps,
    /// α, γ, λ, ν.
    pub hyper: Hyperparameters,
    /// One point an iteration.
    pub trace: Vec<TracePoint>,
    /// Parts of the bound after the last iteration.
    pub parts: BoundParts,
    statistics: Statistics,
    momentum: Momentum,
    stage: Stage,
    in_stage: usize,
    rejected: bool,
    parked: Vec<f64>,
}

impl<'a> Run<'a> {
    /// A run at its start.
    pub fn new(problem: &'a Problem, config: &'a Config, start: &Start) -> Self {
        let (n, d_x, size) = (problem.n(), problem.n_components, problem.size());
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
        let (mean, spread, maps_mean, stage) = match start {
            Start::Coordinates(x) => {
                let (mean, spread) = scaled_start(problem, x);
                (mean, spread, Matrix::zeros(problem.n_features(), size), Stage::FittingMaps)
            }
            Start::Maps(c) if config.lambda == Rule::Learned => (Matrix::zeros(n, d_x), 1.0, c.clone(), Stage::Growing),
            Start::Maps(c) => (Matrix::zeros(n, d_x), 1.0, c.clone(), Stage::Climbing),
        };
        let coordinates = Coordinates {
            mean,
            covariance: Matrix::from_fn(size, size, |p, q| if p == q { spread } else { 0.0 }),
            scale: 1.0,
            pin: 1.0 / spread,
            shift_precision: hyper.alpha,
            log_det: ((n - 1) * d_x) as f64 * spread.ln(),
        };
        let maps = Maps { mean: maps_mean, covariance: Matrix::identity(size, size), scale: 1.0, log_det: 0.0 };
        let statistics = Statistics {
            coordinates: CoordinateMoments::new(problem, &coordinates),
            maps: MapMoments::new(problem, &maps, hyper.nu == 0.0),
            residual: f64::INFINITY,
        };
        let parts = BoundParts { likelihood: f64::NEG_INFINITY, log_determinant: 0.0, maps: 0.0, coordinates: 0.0 };
        let (momentum, trace) = (Momentum::default(), Vec::new());
        Self {
            problem,
            config,
            coordinates,
            maps,
            hyper,
            trace,
            parts,
            statistics,
            momentum,
            stage,
            in_stage: 0,
            rejected: false,
            parked: Vec::new(),
        }
    }

    /// A run that goes on from a posterior on another graph of the same points: the maps and hyper-parameters it ended
    /// with, from which the first update finds the coordinates.
    pub fn warm(problem: &'a Problem, config: &'a Config, before: &Posterior) -> Self {
        let mut run = Self::new(problem, config, &Start::Maps(before.maps.mean.clone()));
        run.maps = before.maps.clone();
        run.hyper = before.hyper;
        run.stage = Stage::Climbing;
        run.in_stage = ALPHA_WAITS;
        run.statistics.maps = MapMoments::new(problem, &run.maps, run.hyper.nu == 0.0);
        run
    }

    /// What the run found.
    pub fn into_posterior(self) -> Posterior {
        let Self { coordinates, maps, hyper, parts, trace, .. } = self;
        Posterior { coordinates, maps, hyper, parts, trace }
    }

    /// Iterates until the run is over, or, for a trial, until it has climbed for `climb` iterations.
    pub fn advance(
        &mut self,
        work: &mut Workspace,
        climb: Option<usize>,
        observer: &mut Observer,
    ) -> Result<Option<Stop>> {
        let mut asked = None;
        loop {
            asked = asked.or(self.iterate(work, observer)?);
            // after a rejected step the coordinates are not those of the bound: one more iteration mends that
            if self.rejected {
                continue;
            }
            if asked.is_some() || climb.is_some_and(|most| self.stage == Stage::Climbing && self.in_stage >= most) {
                return Ok(asked);
            }
        }
    }

    /// Gives up the covariances for half a matrix while other runs are tried.
    pub fn park(&mut self) {
        self.coordinates.covariance = Matrix::new();
        self.parked = pack_lower(&self.maps.covariance);
        self.maps.covariance = Matrix::new();
    }

    /// Takes a parked run up again. Coordinates that may move are updated anew, which can only raise the bound.
    pub fn resume(&mut self, work: &mut Workspace) -> Result<()> {
        let size = self.problem.size();
        self.maps.covariance = unpack_lower(&std::mem::take(&mut self.parked), size);
        // as a start holds them: variance 1/pin in every direction
        self.coordinates.covariance = Matrix::identity(size, size);
        scale(&mut self.coordinates.covariance, 1.0 / self.coordinates.pin);
        if self.stage != Stage::FittingMaps {
            self.update_coordinates(work)?;
            self.parts = bound(self.problem, &self.statistics, &self.hyper);
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

    fn iterate(&mut self, work: &mut Workspace, observer: &mut Observer) -> Result<Option<Stop>> {
        let before = (self.maps.mean.clone(), self.maps.scale, self.maps.log_det, self.hyper, self.statistics.clone());
        let bound_before = self.parts.total();
        let accelerate = self.config.accelerate && self.stage != Stage::Growing;
        // the last iteration that is allowed must be one that cannot be rejected
        let last = self.trace.len() + 1 >= self.config.max_iter;
        let extrapolated = accelerate && !last && self.momentum.extrapolate(&mut self.maps.mean, &mut self.hyper);

        if self.stage != Stage::FittingMaps {
            self.update_coordinates(work)?;
        }
        self.update_maps(work)?;
        self.update_hyperparameters();
        let rescaled = if accelerate { self.rescale() } else { 1.0 };
        let parts = bound(self.problem, &self.statistics, &self.hyper);
        let gain = parts.total() - bound_before;
        self.rejected = extrapolated && (gain < 0.0 || gain.is_nan());
        if self.rejected {
            // the covariance that the update replaced is still in the workspace
            std::mem::swap(&mut self.maps.covariance, &mut work.spare);
            self.coordinates.rescale(1.0 / rescaled);
            (self.maps.mean, self.maps.scale, self.maps.log_det, self.hyper, self.statistics) = before;
            self.momentum.reset();
        } else {
            self.parts = parts;
            self.momentum.remember(before.0, before.3);
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
            Stage::FittingMaps => gain < SETTLED * n || self.in_stage >= LONGEST_FREEZE,
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
        if self.config.tol > 0.0 && gain < self.config.tol * n {
            if !extrapolated {
                return Some(Stop::Converged);
            }
            // only an iteration without extrapolation may end the run, so that acceleration does not move its end
            self.momentum.reset();
        }
        None
    }

    fn update_coordinates(&mut self, work: &mut Workspace) -> Result<()> {
        let (moments, residual) =
            update_coordinates(self.problem, &self.maps, &self.hyper, &mut self.coordinates, work)?;
        self.statistics.coordinates = moments;
        self.statistics.residual = residual;
        Ok(())
    }

    fn update_maps(&mut self, work: &mut Workspace) -> Result<()> {
        let (moments, residual) = update_maps(self.problem, &self.coordinates, &self.hyper, &mut self.maps, work)?;
        self.statistics.maps = moments;
        self.statistics.residual = residual;
        Ok(())
    }

    fn update_hyperparameters(&mut self) {
        let (problem, statistics) = (self.problem, &self.statistics);
        self.hyper.gamma = update_gamma(problem, statistics);
        if self.stage != Stage::Growing {
            match (self.config.lambda, self.config.nu) {
                (Rule::Learned, Rule::Learned) => {
                    (self.hyper.lambda, self.hyper.nu) = update_lambda_nu(problem, statistics, &self.hyper);
                }
                (Rule::Learned, Rule::Fixed(_)) => self.hyper.lambda = update_lambda(problem, statistics),
                (Rule::Fixed(_), _) => {}
            }
        }
        match self.config.alpha {
            Rule::Fixed(alpha) => self.hyper.alpha = alpha,
            Rule::Learned if self.stage == Stage::Climbing && self.in_stage >= ALPHA_WAITS => {
                self.hyper.alpha = update_alpha(problem, statistics);
                self.coordinates.shift_precision = self.hyper.alpha;
                self.statistics.coordinates.shift_precision = self.hyper.alpha;
            }
            Rule::Learned => {}
        }
    }

    /// Rescales x and C jointly; returns the factor of x.
    fn rescale(&mut self) -> f64 {
        let follow = self.config.lambda == Rule::Learned;
        let t = best_rescaling(self.problem, &self.statistics, &self.hyper, follow);
        self.coordinates.rescale(t);
        self.maps.rescale(1.0 / t);
        self.statistics.coordinates.rescale(t);
        self.statistics.maps.rescale(1.0 / t);
        if follow {
            self.hyper.lambda *= t * t;
            self.hyper.nu *= t * t;
        }
        t
    }
}

/// Coordinates to start from, centred and scaled as the prior likes them, and the small variance they are held with.
fn scaled_start(problem: &Problem, x: &Matrix) -> (Matrix, f64) {
    let (n, d_x) = (problem.n(), problem.n_components);
    let steps: f64 = problem
        .graph
        .edges()
        .iter()
        .map(|&(i, j)| (0..d_x).map(|a| (x[(j as usize, a)] - x[(i as usize, a)]).powi(2)).sum::<f64>())
        .sum();
    let directions = ((n - 1) * d_x) as f64;
    let scale = if steps > 0.0 { (directions / (2.0 * steps)).sqrt() } else { 1.0 };
    let means: Vec<f64> = (0..d_x).map(|a| x.col_as_slice(a).iter().sum::<f64>() / n as f64).collect();
    let mean = Matrix::from_fn(n, d_x, |i, a| scale * (x[(i, a)] - means[a]));
    // a thirtieth of a typical step along an edge
    let spread = 1e-3 * (n - 1) as f64 / (2 * problem.graph.edges().len()) as f64;
    (mean, spread)
}
