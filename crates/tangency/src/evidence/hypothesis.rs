//! How to get from a graph with the posterior found on it to the next.

use super::scores::{EdgeScore, most_suspect_first, score};
use crate::config::{Config, Init};
use crate::error::Result;
use crate::fit::{Fit, Hypothesis};
use crate::graph::Graph;
use crate::inference::{COARSE_ABOVE, Engine, Observer, Posterior, Run, Start, Stop, Updates, make_start};

/// Where a refit starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartFrom {
    /// From the posterior on the graph before.
    Posterior,
    /// From the distances along the new graph: where the layout was folded, only this can unfold it.
    Paths,
}

impl<E: Engine> Hypothesis<E> {
    /// The hypothesis of a fit. A fit keeps only a part of its posterior; the rest is found again.
    pub fn of_fit(fit: &Fit, observer: &mut Observer) -> Result<Self> {
        let problem = fit.problem()?;
        let config = fit.config_of_hypotheses();
        let engine = E::new(&problem, &config)?;
        let run = Run::new(&problem, &config, &engine, &Start::Coordinates(fit.coordinates.clone()));
        let (engine, posterior, stop) = finish(run, engine, None, observer)?;
        Ok(Self { problem, engine, posterior, stop })
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
        let problem = self.problem.on_graph(graph);
        let engine = self.engine.changed(&self.problem, &problem, config)?;
        let by_paths = if problem.n() > COARSE_ABOVE { Init::LandmarkIsomap } else { Init::Isomap };
        let run = match from {
            StartFrom::Posterior => Run::warm(&problem, config, &engine, &self.posterior),
            StartFrom::Paths => {
                Run::new(&problem, config, &engine, &make_start(&problem, by_paths, config, 0, observer)?)
            }
        };
        let (engine, posterior, stop) = finish(run, engine, climb, observer)?;
        Ok(Self { problem, engine, posterior, stop })
    }

    /// Goes on from a trial to the end.
    pub fn converged(self, config: &Config, observer: &mut Observer) -> Result<Self> {
        let Self { problem, engine, posterior, stop } = self;
        if stop.is_some() {
            return Ok(Self { problem, engine, posterior, stop });
        }
        let run = Run::warm(&problem, config, &engine, &posterior);
        let (engine, posterior, stop) = finish(run, engine, None, observer)?;
        Ok(Self { problem, engine, posterior, stop })
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
        let Self { problem, engine, posterior, .. } = self;
        let map = |i: usize, a: usize| engine.map(problem, &posterior.state.beliefs, i, a);
        let resistances = engine.resistances(problem, pairs);
        let coordinates = engine.coordinates(problem, &posterior.state.beliefs);
        let mut scores = score(pairs, &resistances, &problem.observations, &coordinates, map);
        most_suspect_first(&mut scores);
        scores
    }
}

type FinishedRun<E> = (E, Posterior<<E as Updates>::Beliefs>, Option<Stop>);

fn finish<E: Engine>(
    mut run: Run<E>,
    mut engine: E,
    climb: Option<usize>,
    observer: &mut Observer,
) -> Result<FinishedRun<E>> {
    let stop = run.advance(&mut engine, climb, observer)?;
    engine.release_buffers();
    Ok((engine, run.into_posterior(), stop))
}
