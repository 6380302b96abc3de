//! What to know of a fit before trusting it.

use super::Fit;
use crate::inference::Stop;
use crate::message;
use crate::message::{Fields, Message, Piece, Remedy, Sentence, listed};
use std::fmt;

/// A reason not to trust a fit, or not all of it. Each is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caution {
    /// The coordinates mean nothing.
    Collapsed,
    /// The limit of iterations came first.
    NotConverged,
    /// The caller ended it.
    Interrupted,
    /// The bound wants maps without smoothness.
    LooseMaps,
    /// There are as many coordinates as features.
    NothingReduced,
    /// Pieces of the graph were joined by these edges.
    Bridges(Vec<String>),
    /// Only a piece of the graph was fitted.
    LargestPiece {
        /// Points of the fit.
        kept: usize,
        /// Rows of the table.
        rows: usize,
    },
}

impl Sentence for Caution {
    fn message(&self) -> Message {
        match self {
            Self::Collapsed => {
                message!["the fit collapsed: the data are explained as noise, and the coordinates mean nothing"]
            }
            Self::NotConverged => message!["the fit did not converge, and its bound is too low to compare"],
            Self::Interrupted => message!["the fit was interrupted, and the model is the best so far"],
            Self::LooseMaps => message![
                "the smoothness lambda was learned as almost 0, so the local maps share nothing with their neighbours: the layout is that of the start, and the novelty of new rows means little"
            ],
            Self::NothingReduced => message![
                "there are as many coordinates as features, so nothing is reduced, and the bound is only for comparison"
            ],
            Self::Bridges(bridges) => {
                let added = match bridges.len() {
                    1 => "1 bridge was".to_owned(),
                    count => format!("{count} bridges were"),
                };
                let named = listed(bridges);
                message![format!("{added} added to join pieces of the graph ({named}); distances across are a guess")]
            }
            Self::LargestPiece { kept, rows } => {
                message![format!("only the largest piece of the graph was fitted, {kept} of {rows} points")]
            }
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Collapsed => {
                vec![Remedy::Raise("n_neighbors"), Remedy::Change("init"), Remedy::Raise("n_init")]
            }
            Self::NotConverged => vec![Remedy::Raise("max_iter")],
            Self::LooseMaps => {
                let (lambda, nu) = (Piece::Assignment("lambda", "1".into()), Piece::Assignment("nu", "0".into()));
                vec![Remedy::Do(message!["with many features use ", lambda, " and ", nu])]
            }
            Self::Interrupted | Self::NothingReduced | Self::Bridges(_) | Self::LargestPiece { .. } => vec![],
        }
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.in_words(&Fields))
    }
}

impl Fit {
    /// What to know before trusting this fit; `name` is what a point is called.
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
