//! One fit of a selection, with all that it needs, so that it can be made anywhere.

use super::{Cell, CellStop, held_out};
use crate::config::Config;
use crate::density::mean;
use crate::error::{Error, Result};
use crate::fit::{Fit, Fitter};
use crate::inference::Stop;
use crate::linalg::View;
use crate::message::{Dialect, Sentence};
use crate::model::TableView;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A fit of the grid with all that it needs beside the table, so that it can be made anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellFit {
    /// Which candidate.
    pub candidate: usize,
    /// Settings, with the dimension and the seed of this cell.
    pub config: Config,
    /// The graph; none where it is made of the rows that are left when a part is held out.
    pub edges: Option<Vec<(u32, u32)>>,
    /// Which part of the rows is held out, if one is.
    #[serde(default)]
    pub part: Option<usize>,
    /// Groups of features that have a noise of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<TableView>,
}

impl CellFit {
    /// The fit of all rows, to be made.
    pub fn into_fitter<'a>(self) -> Fitter<'a> {
        let fitter = Fitter::new(self.config).views(self.views);
        match self.edges {
            Some(edges) => fitter.edges(edges),
            None => fitter,
        }
    }

    /// Fits the table, n × d_y; nothing if it was stopped. `stop` is asked after each iteration; what goes wrong is said in
    /// these words.
    pub fn run(mut self, values: View, stop: &(dyn Fn() -> bool + Sync), words: &dyn Dialect) -> Result<Option<Cell>> {
        let edges = self.edges.take();
        match self.part {
            None => self.run_with(stop, words, |fitter| {
                let fitter = match edges {
                    Some(edges) => fitter.edges(edges),
                    None => fitter,
                };
                Ok((fitter.fit_view(values)?, vec![]))
            }),
            Some(part) => {
                let config = self.config.clone();
                self.run_with(stop, words, |fitter| {
                    held_out::score_part(values, &config, edges.as_deref(), part, fitter)
                })
            }
        }
    }

    pub(super) fn run_with(
        self,
        stop: &(dyn Fn() -> bool + Sync),
        words: &dyn Dialect,
        fit: impl FnOnce(Fitter) -> Result<(Fit, Vec<f64>)>,
    ) -> Result<Option<Cell>> {
        let Self { candidate, config, part, views, .. } = self;
        let seed = part.is_none().then_some(config.random_state);
        let mut stopped = false;
        let observer = |_: &_| {
            stopped |= stop();
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        // only the bound counts here, which no draw changes
        let config = Config { draws: Some(0), ..config };
        let outcome = fit(Fitter::new(config).views(views).observer(observer).unmeasured());
        if stopped {
            return Ok(None);
        }
        let none = |stop: CellStop| Cell { part, ..Cell::none(candidate, seed, stop) };
        let failed = |message: String| Cell { message: Some(message), ..none(CellStop::Failed) };
        Ok(Some(match outcome {
            // of memory there may be enough the next time
            Err(error @ Error::TooLarge { .. }) => return Err(error),
            Err(error) => failed(error.in_words(words)),
            Ok((fit, _)) if !fit.bound().is_finite() => failed(format!("the bound is {}", fit.bound())),
            Ok((fit, scores)) => Cell {
                // bounds compare only if they are about the same rows and the same model
                bound: part.is_none().then(|| fit.bound()),
                n_iter: Some(fit.trace.len()),
                log_density: (!scores.is_empty()).then(|| mean(&scores)),
                scores,
                ..none(match fit.stop {
                    Stop::Converged => CellStop::Converged,
                    // an observer that did not stop the fit leaves no interruption
                    Stop::MaxIterations | Stop::Interrupted => CellStop::MaxIterations,
                    Stop::Collapsed => CellStop::Collapsed,
                })
            },
        }))
    }
}
