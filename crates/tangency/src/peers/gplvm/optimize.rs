//! The climb: L-BFGS with a line search, which never loses the best point that was seen.
//!
//! Where the objective cannot be computed (a matrix is not positive definite), the line search meets a wall: a value above
//! that of the point it set out from, which sends it back. When it fails all the same, the climb begins anew from the
//! best point; when that gains nothing, it is over.

use crate::error::Result;
use crate::linalg::dot;
use argmin::core::{CostFunction, Gradient, IterState, Problem, Solver, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

/// Steps that L-BFGS remembers.
const MEMORY: usize = 20;
/// Evaluations after which a line search is given up; it has no limit of its own.
const LONGEST_SEARCH: usize = 25;
/// Iterations whose gains are looked at together, since single ones may be small by chance.
const WINDOW: usize = 5;

/// A function to be made large.
pub(super) trait Objective {
    /// The value at these parameters, and its gradient.
    fn evaluate(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

/// When a climb is over.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) max_iter: usize,
    /// Gain an iteration, relative to the value, below which it has converged.
    pub(super) tol: f64,
}

/// Where a climb ended: its best point.
pub(super) struct Summit {
    pub(super) parameters: Vec<f64>,
    pub(super) value: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    pub(super) interrupted: bool,
}

/// What the solver sees of the objective: −value·scale, computed once a point.
struct Landscape<'a> {
    objective: &'a mut dyn Objective,
    held: Range<usize>,
    /// Makes the first step from a start one of length 1.
    scale: f64,
    here: SeenPoint,
    best: SeenPoint,
    /// Where the current line search set out.
    base: SeenPoint,
    evaluations: usize,
}

#[derive(Clone)]
struct SeenPoint {
    parameters: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    wall: bool,
}

impl Landscape<'_> {
    fn visit(&mut self, parameters: &[f64]) -> std::result::Result<(), argmin::core::Error> {
        if self.here.parameters == parameters {
            return Ok(());
        }
        self.evaluations += 1;
        if self.evaluations > LONGEST_SEARCH || parameters.iter().any(|p| !p.is_finite()) {
            return Err(argmin::core::Error::msg("the line search leads nowhere"));
        }
        self.here.parameters.copy_from_slice(parameters);
        let value = self.objective.evaluate(parameters, &mut self.here.gradient);
        self.here.gradient[self.held.clone()].fill(0.0);
        match value {
            Ok(value) if value.is_finite() && self.here.gradient.iter().all(|g| g.is_finite()) => {
                (self.here.value, self.here.wall) = (value, false);
                if value > self.best.value {
                    self.best.clone_from(&self.here);
                }
            }
            _ => self.build_wall(),
        }
        Ok(())
    }

    /// As far below the base as the base promised to rise, and falling twice as fast: a parabola through it has its top
    /// at a quarter of the step.
    fn build_wall(&mut self) {
        let step: Vec<f64> = self.here.parameters.iter().zip(&self.base.parameters).map(|(p, q)| p - q).collect();
        let (rise, length) = (dot(&self.base.gradient, &step).abs(), dot(&step, &step).max(f64::MIN_POSITIVE));
        self.here.value = self.base.value - rise;
        self.here.gradient.iter_mut().zip(&step).for_each(|(g, step)| *g = -2.0 * rise / length * step);
        self.here.wall = true;
    }
}

struct Shared<'a, 'b>(&'a RefCell<Landscape<'b>>);

impl CostFunction for Shared<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, parameters: &Vec<f64>) -> std::result::Result<f64, argmin::core::Error> {
        let mut landscape = self.0.borrow_mut();
        landscape.visit(parameters)?;
        Ok(-landscape.here.value * landscape.scale)
    }
}

impl Gradient for Shared<'_, '_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, parameters: &Vec<f64>) -> std::result::Result<Vec<f64>, argmin::core::Error> {
        let mut landscape = self.0.borrow_mut();
        landscape.visit(parameters)?;
        let scale = landscape.scale;
        Ok(landscape.here.gradient.iter().map(|g| -g * scale).collect())
    }
}

/// Climbs from `start`, with the parameters in `held` kept as they are. An error only if nothing can be computed at the
/// start itself. The observer hears the number of each iteration and the value after it.
pub(super) fn climb(
    objective: &mut dyn Objective,
    start: Vec<f64>,
    held: Range<usize>,
    limits: Limits,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Result<Summit> {
    let mut gradient = vec![0.0; start.len()];
    let value = objective.evaluate(&start, &mut gradient)?;
    gradient[held.clone()].fill(0.0);
    let seen = SeenPoint { parameters: start, value, gradient, wall: false };
    let landscape =
        Landscape { objective, held, scale: 1.0, here: seen.clone(), best: seen.clone(), base: seen, evaluations: 0 };
    let landscape = RefCell::new(landscape);
    let mut trace = vec![value];
    let mut ending = (false, false);
    loop {
        let before = landscape.borrow().best.value;
        match run(&landscape, limits, &mut trace, observer) {
            Ended::Failed if landscape.borrow().best.value > before => {}
            Ended::Failed => break,
            Ended::Converged => {
                ending = (true, false);
                break;
            }
            Ended::Exhausted => break,
            Ended::Interrupted => {
                ending = (false, true);
                break;
            }
        }
    }
    let best = landscape.into_inner().best;
    let (converged, interrupted) = ending;
    Ok(Summit { parameters: best.parameters, value: best.value, iterations: trace.len() - 1, converged, interrupted })
}

enum Ended {
    Converged,
    Exhausted,
    Interrupted,
    Failed,
}

/// One run of the solver from the best point, without memory.
fn run(
    landscape: &RefCell<Landscape>,
    limits: Limits,
    trace: &mut Vec<f64>,
    observer: &mut dyn FnMut(usize, f64) -> ControlFlow<()>,
) -> Ended {
    let best = {
        let mut landscape = landscape.borrow_mut();
        let best = landscape.best.clone();
        let length = dot(&best.gradient, &best.gradient).sqrt();
        if length <= f64::MIN_POSITIVE.sqrt() {
            return Ended::Converged;
        }
        landscape.scale = 1.0 / length;
        (landscape.base, landscape.here) = (best.clone(), best.clone());
        best
    };
    let scale = landscape.borrow().scale;
    let mut problem = Problem::new(Shared(landscape));
    let mut solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY);
    let downhill: Vec<f64> = best.gradient.iter().map(|g| -g * scale).collect();
    let state: IterState<Vec<f64>, Vec<f64>, (), (), (), f64> =
        IterState::new().param(best.parameters).cost(-best.value * scale).gradient(downhill);
    let Ok((mut state, _)) = solver.init(&mut problem, state) else { return Ended::Failed };
    while trace.len() <= limits.max_iter {
        landscape.borrow_mut().evaluations = 0;
        let Ok((next, _)) = solver.next_iter(&mut problem, state) else { return Ended::Failed };
        // the solver loses the problem with a failed line search
        if next.terminated() {
            return Ended::Failed;
        }
        state = next;
        state.increment_iter();
        let value = {
            let mut landscape = landscape.borrow_mut();
            let landscape = &mut *landscape;
            if landscape.here.wall || landscape.here.value < landscape.base.value {
                return Ended::Failed;
            }
            landscape.base.clone_from(&landscape.here);
            landscape.base.value
        };
        trace.push(value);
        if observer(trace.len() - 1, value).is_break() {
            return Ended::Interrupted;
        }
        let gain = trace.len().checked_sub(1 + WINDOW).map(|then| value - trace[then]);
        if gain.is_some_and(|gain| gain <= WINDOW as f64 * limits.tol * value.abs().max(1.0)) {
            return Ended::Converged;
        }
    }
    Ended::Exhausted
}
