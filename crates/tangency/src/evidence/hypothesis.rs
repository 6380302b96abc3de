//! A graph with the posterior found on it, and how to get from one to the next.

use super::scores::{EdgeScore, most_suspect_first, score};
use crate::config::{Config, Init};
use crate::error::Result;
use crate::fit::Fit;
use crate::graph::Graph;
use crate::inference::exact::Workspace;
use crate::inference::{Observer, Posterior, Run, Start, Stop, make_start};
use crate::model::Problem;

/// A graph and what was found on it.
pub(super) struct Hypothesis {
    pub problem: Problem,
    pub posterior: Posterior,
    /// How the run ended; none for a trial that did not.
    pub stop: Option<Stop>,
}

/// Where a refit starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartFrom {
    /// From the posterior on the graph before.
    Posterior,
    /// From the distances along the new graph: where the layout was folded, only this can unfold it.
    Paths,
}

impl Hypothesis {
    /// The hypothesis of a fit. A fit keeps only a part of its posterior; the rest is found again.
    pub fn of_fit(fit: &Fit, observer: &mut Observer) -> Result<Self> {
        let d_x = fit.coordinates.ncols();
        let problem = Problem::new(fit.scaled_observations(), fit.graph.clone(), d_x, fit.config.epsilon)?;
        let run = Run::new(&problem, &fit.config, &Start::Coordinates(fit.coordinates.clone()));
        let (posterior, stop) = finish(run, &problem, None, observer)?;
        Ok(Self { problem, posterior, stop })
    }

    /// This hypothesis on another connected graph; a trial ends after it has climbed for `climb` iterations.
    pub fn on_graph(
        &self,
        graph: Graph,
        from: StartFrom,
        config: &Config,
        climb: Option<usize>,
        observer: &mut Observer,
    ) -> Result<Self> {
        let problem = self.problem.on_graph(graph)?;
        let run = match from {
            StartFrom::Posterior => Run::warm(&problem, config, &self.posterior),
            StartFrom::Paths => Run::new(&problem, config, &make_start(&problem, Init::Isomap, 0)?),
        };
        let (posterior, stop) = finish(run, &problem, climb, observer)?;
        Ok(Self { problem, posterior, stop })
    }

    /// Goes on from a trial to the end.
    pub fn converged(self, config: &Config, observer: &mut Observer) -> Result<Self> {
        let Self { problem, posterior, stop } = self;
        if stop.is_some() {
            return Ok(Self { problem, posterior, stop });
        }
        let (posterior, stop) = finish(Run::warm(&problem, config, &posterior), &problem, None, observer)?;
        Ok(Self { problem, posterior, stop })
    }

    /// By what hypotheses are compared: one that collapsed comes last, whatever its bound.
    pub fn rank(&self) -> f64 {
        if self.stop == Some(Stop::Collapsed) || self.bound().is_nan() { f64::NEG_INFINITY } else { self.bound() }
    }

    /// The bound in scaled units.
    pub fn bound(&self) -> f64 {
        self.posterior.parts.total()
    }

    /// Scores of pairs of points, the most suspect first.
    pub fn scores(&self, pairs: &[(u32, u32)]) -> Vec<EdgeScore> {
        let Posterior { coordinates, maps, .. } = &self.posterior;
        let n = self.problem.n();
        let map = |i: usize, a: usize| maps.mean.col_as_slice(a * n + i);
        let mut scores = score(pairs, &self.problem.laplacian, &self.problem.observations, &coordinates.mean, map);
        most_suspect_first(&mut scores);
        scores
    }
}

fn finish(
    mut run: Run,
    problem: &Problem,
    climb: Option<usize>,
    observer: &mut Observer,
) -> Result<(Posterior, Option<Stop>)> {
    let stop = run.advance(&mut Workspace::new(problem), climb, observer)?;
    Ok((run.into_posterior(), stop))
}
