//! What to know of a fit before trusting it.

use super::Fit;
use crate::config::Choice;
use crate::inference::Stop;
use crate::message;
use crate::message::{Column, Fields, Message, Piece, Remedy, Sentence, given, listed};
use crate::model::{MissingRule, ScalingReason, ScalingRule};
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
    /// The search for short-circuits was ended early, and nothing was removed.
    NotPruned,
    /// The bound wants maps without smoothness.
    LooseMaps,
    /// Principal components keep neighbourhoods better; both in thousandths of trustworthiness.
    WorseThanPca {
        /// Of the map.
        ours: u32,
        /// Of as many principal components.
        pca: u32,
    },
    /// The start kept neighbourhoods better; both in thousandths of trustworthiness.
    WorseThanStart {
        /// Of the map.
        ours: u32,
        /// Of the start.
        start: u32,
    },
    /// These coordinates are known no better than to half of their spread.
    NotDetermined(Vec<String>),
    /// Some coordinates have no spread.
    NotUsed {
        /// Those that have.
        used: usize,
        /// All of them.
        of: usize,
    },
    /// One feature holds most of the variance.
    OneFeature(Column),
    /// One row holds most of the variance.
    OneRow(String),
    /// In one dimension edges join both ends.
    CutRing,
    /// There are as many coordinates as features.
    NothingReduced,
    /// Pieces of the graph were joined by these edges.
    Bridges(Vec<String>),
    /// Rows that lack an entry were left out.
    RowsLeftOut {
        /// How many.
        left_out: usize,
        /// Rows of the table.
        rows: usize,
    },
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
            Self::NotPruned => message![
                "the search for short-circuits was interrupted, so that nothing was removed and the graph is as it was"
            ],
            Self::LooseMaps => message![
                "the smoothness lambda was learned as almost 0, so the local maps share nothing with their neighbours: the layout is that of the start, and the novelty of new rows means little"
            ],
            Self::WorseThanPca { ours, pca } => message![format!(
                "the map keeps neighbourhoods less well than principal components do ({} of 1 against {})",
                thousandths(*ours),
                thousandths(*pca)
            )],
            Self::WorseThanStart { ours, start } => message![format!(
                "the map keeps neighbourhoods less well than the start did ({} of 1 against {})",
                thousandths(*ours),
                thousandths(*start)
            )],
            Self::NotDetermined(axes) => {
                let (are, their) = if axes.len() == 1 { ("is", "its") } else { ("are", "their") };
                message![format!(
                    "{} {are} not determined: known no better than to half of {their} spread",
                    listed(axes)
                )]
            }
            Self::NotUsed { used, of } => {
                message![format!("{used} of {of} dimensions are used, the others have no spread")]
            }
            Self::OneFeature(feature) => {
                message![
                    Piece::Column(feature.clone()),
                    " holds nearly all of the variance, and the map shows little else"
                ]
            }
            Self::OneRow(row) => message![
                "row ",
                given(row.clone()),
                " holds most of the variance, so far is it from all others, and the map may show little else"
            ],
            Self::CutRing => {
                message![
                    "edges join both ends of the one coordinate: the data close in a ring, which one dimension cuts open"
                ]
            }
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
            Self::RowsLeftOut { left_out, rows } => {
                let (row, lack, were) = if *left_out == 1 { ("row", "lacks", "was") } else { ("rows", "lack", "were") };
                message![format!("{left_out} {row} of {rows} {lack} an entry and {were} left out")]
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
            Self::LooseMaps => vec![Remedy::Omit("graph_likelihood"), Remedy::Lower("feature_weight")],
            Self::WorseThanPca { .. } | Self::WorseThanStart { .. } => {
                vec![Remedy::Raise("n_neighbors"), Remedy::Change("init")]
            }
            Self::NotDetermined(_) => vec![Remedy::Raise("n_neighbors")],
            Self::NotUsed { .. } => vec![Remedy::Lower("n_components")],
            Self::OneFeature(_) => vec![Remedy::Set("scaling", ScalingRule::PerFeature.name().into())],
            Self::OneRow(_) => vec![Remedy::act("look at that row, and leave it out if it is wrong")],
            Self::CutRing => vec![Remedy::Raise("n_components")],
            Self::RowsLeftOut { .. } => vec![Remedy::Set("missing", MissingRule::Model.name().into())],
            Self::NotPruned => vec![Remedy::act("run it again to its end")],
            Self::Interrupted | Self::NothingReduced | Self::Bridges(_) | Self::LargestPiece { .. } => vec![],
        }
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.in_words(&Fields))
    }
}

/// Standard deviation of a list.
fn spread(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

fn thousandths(value: u32) -> String {
    format!("0.{value:03}")
}

/// A map counts as worse than another when its trustworthiness is lower by more than this.
const WORSE: f64 = 0.002;
/// A feature or row holds nearly all of the variance from this share on.
const NEARLY_ALL: f64 = 0.9;
const MOST: f64 = 0.5;
/// So many edges over half of the one coordinate's range are a ring cut open.
const OVER: usize = 3;

impl Fit {
    /// What to know of the map: how it compares, and which of its coordinates mean something.
    fn cautions_of_map(&self, name: impl Fn(usize) -> String) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let in_thousandths = |value: f64| (1000.0 * value.clamp(0.0, 0.999)).round() as u32;
        // as many components as features keep everything
        let reduces = self.coordinates.ncols() < self.observations.ncols();
        if let Some(quality) = self.quality.filter(|_| reduces) {
            // what is shown is cut at 0.999, what decides is not
            let worse_than = |other: &f64| quality.trustworthiness + WORSE < *other;
            let ours = in_thousandths(quality.trustworthiness);
            let pca = Some(quality.pca).filter(worse_than).map(in_thousandths);
            cautions.extend(pca.map(|pca| Caution::WorseThanPca { ours, pca }));
            let start = quality.start.filter(worse_than).map(in_thousandths);
            cautions.extend(start.map(|start| Caution::WorseThanStart { ours, start }));
        }
        let (used, of) = (self.used_components(), self.coordinates.ncols());
        cautions.extend((used < of).then_some(Caution::NotUsed { used, of }));
        let deviations = self.standard_deviations();
        let unsure = |a: &usize| {
            let mut known = deviations.col_as_slice(*a).to_vec();
            known.sort_unstable_by(f64::total_cmp);
            2.0 * known[known.len() / 2] > spread(self.coordinates.col_as_slice(*a))
        };
        let unsure: Vec<String> = (0..used).filter(unsure).map(|a| format!("x{}", a + 1)).collect();
        cautions.extend((!unsure.is_empty()).then_some(Caution::NotDetermined(unsure)));
        cautions.extend(self.what_dominates(name));
        let x = self.coordinates.col_as_slice(0);
        let ends = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
        let over = |&&(i, j): &&(u32, u32)| (x[i as usize] - x[j as usize]).abs() > 0.5 * (ends.1 - ends.0);
        if of == 1 && self.graph.edges().iter().filter(over).count() >= OVER {
            cautions.push(Caution::CutRing);
        }
        cautions
    }

    /// A feature or a row that holds most of the variance as the graph sees it.
    fn what_dominates(&self, name: impl Fn(usize) -> String) -> Option<Caution> {
        let (n, d_y) = (self.n(), self.observations.ncols());
        let points = self.graph_observations();
        let square = |i: usize, f: usize| points[(f, i)].powi(2);
        let of_feature: Vec<f64> = (0..d_y).map(|f| (0..n).map(|i| square(i, f)).sum()).collect();
        let total: f64 = of_feature.iter().sum();
        let row = (0..n).find(|&i| (0..d_y).map(|f| square(i, f)).sum::<f64>() > MOST * total);
        // of principal components the first may well hold most
        let axes = self.scaling_choice.is_some_and(|choice| choice.reason == ScalingReason::Axes);
        let feature = of_feature.iter().position(|&part| part > NEARLY_ALL * total).filter(|_| d_y > 2 && !axes);
        row.filter(|_| n > 10)
            .map(|i| Caution::OneRow(name(i)))
            .or(feature.map(|feature| Caution::OneFeature(Column::Numbered(feature))))
    }

    /// What to know before trusting this fit; `name` is what a point is called.
    pub fn cautions(&self, name: impl Fn(usize) -> String) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let not_pruned = self.pruning.is_some_and(|pruning| pruning.interrupted);
        cautions.extend(not_pruned.then_some(Caution::NotPruned));
        cautions.extend(match self.stop {
            Stop::Collapsed => Some(Caution::Collapsed),
            Stop::MaxIterations => Some(Caution::NotConverged),
            Stop::Interrupted if not_pruned => None,
            Stop::Interrupted => Some(Caution::Interrupted),
            Stop::Converged => None,
        });
        let degree = 2.0 * self.graph.edges().len() as f64 / self.n() as f64;
        if self.stop != Stop::Collapsed && self.hyper.lambda * degree < self.hyper.nu {
            cautions.push(Caution::LooseMaps);
        }
        if self.stop != Stop::Collapsed {
            cautions.extend(self.cautions_of_map(&name));
        }
        if self.coordinates.ncols() == self.observations.ncols() {
            cautions.push(Caution::NothingReduced);
        }
        if !self.bridges.is_empty() {
            let named = |&(i, j): &(u32, u32)| format!("{}–{}", name(i as usize), name(j as usize));
            cautions.push(Caution::Bridges(self.bridges.iter().map(named).collect()));
        }
        if self.n_rows > self.n() {
            let (kept, rows) = (self.n(), self.n_rows);
            let dropped = self.config.missing == MissingRule::Drop && !self.config.largest;
            cautions.push(match dropped {
                true => Caution::RowsLeftOut { left_out: rows - kept, rows },
                false => Caution::LargestPiece { kept, rows },
            });
        }
        cautions
    }
}
