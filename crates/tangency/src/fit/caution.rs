//! What to know of a fit before trusting it.

use super::Fit;
use crate::inference::Stop;

/// A reason not to trust a fit, or not all of it. Each is one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Caution {
    /// The coordinates mean nothing.
    #[error(
        "the fit collapsed: the data are explained as noise and the coordinates mean nothing; try more neighbours, another --init, or more --n-init"
    )]
    Collapsed,
    /// The limit of iterations came first.
    #[error("the fit did not converge; give a larger --max-iter before you compare its bound")]
    NotConverged,
    /// The caller ended it.
    #[error("the fit was interrupted; the model is the best so far")]
    Interrupted,
    /// The bound wants maps without smoothness.
    #[error(
        "lambda is almost 0, so the local maps share nothing with their neighbours: the layout is that of the start, and novelty of new rows means little; with many features try --lambda 1 --nu 0"
    )]
    LooseMaps,
    /// There are as many coordinates as features.
    #[error(
        "there are as many coordinates as features, so that nothing is reduced; the bound of such a fit is for comparison"
    )]
    NothingReduced,
    /// Pieces of the graph were joined.
    #[error(
        "{} added to join pieces of the graph ({}{}); distances across are a guess",
        if .0.len() == 1 { "1 bridge was".to_owned() } else { format!("{} bridges were", .0.len()) },
        .0[..LISTED.min(.0.len())].join(", "),
        if .0.len() > LISTED { ", …" } else { "" }
    )]
    Bridges(Vec<String>),
    /// Only a piece of the graph was fitted.
    #[error("only the largest piece of the graph was fitted, {kept} of {rows} points")]
    LargestPiece {
        /// Points of the fit.
        kept: usize,
        /// Rows of the table.
        rows: usize,
    },
}

/// So many bridges are named.
const LISTED: usize = 5;

impl Fit {
    /// What to know before trusting this fit; `name` tells what a point is called.
    pub fn cautions(&self, name: impl Fn(usize) -> String) -> Vec<Caution> {
        let mut cautions = Vec::new();
        cautions.extend(match self.stop {
            Stop::Collapsed => Some(Caution::Collapsed),
            Stop::MaxIterations => Some(Caution::NotConverged),
            Stop::Interrupted => Some(Caution::Interrupted),
            Stop::Converged => None,
        });
        let degree = 2.0 * self.graph.edges().len() as f64 / self.n() as f64;
        if self.stop != Stop::Collapsed && self.hyper.lambda * degree < self.hyper.nu {
            cautions.push(Caution::LooseMaps);
        }
        if self.coordinates.ncols() == self.observations.ncols() {
            cautions.push(Caution::NothingReduced);
        }
        if !self.bridges.is_empty() {
            let named = |&(i, j): &(u32, u32)| format!("{}–{}", name(i as usize), name(j as usize));
            cautions.push(Caution::Bridges(self.bridges.iter().map(named).collect()));
        }
        if self.n_rows > self.n() {
            cautions.push(Caution::LargestPiece { kept: self.n(), rows: self.n_rows });
        }
        cautions
    }
}
