//! How the bound rose, what it is made of, and the hyper-parameters along the way.

use crate::fit::Fit;
use crate::inference::{BoundParts, TracePoint};
use crate::model::Hyperparameters;
use serde::Serialize;

/// The history of a bound, in the units of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundView {
    /// Iterations, from 1.
    pub iterations: Vec<usize>,
    /// The bound after each, in nats.
    pub bound: Vec<f64>,
    /// Its parts after each, in nats.
    pub parts: Vec<NamedSeries>,
    /// The hyper-parameters after each, in scaled units.
    pub hyperparameters: Vec<NamedSeries>,
    /// The bound of the fit, in nats.
    #[serde(rename = "final")]
    pub last: f64,
    /// The same per point.
    pub per_point: f64,
    /// The same in scaled units.
    pub scaled: f64,
}

/// A number that has a value after each iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedSeries {
    /// Its name, as in files and in Python.
    pub name: &'static str,
    /// What figures call it.
    pub label: &'static str,
    /// What it is.
    pub about: &'static str,
    /// After each iteration; empty where that was not kept.
    pub values: Vec<f64>,
    /// Of the fit.
    pub last: f64,
}

impl BoundView {
    /// The history of a fit.
    pub fn new(fit: &Fit) -> Self {
        let trace = &fit.trace;
        let jacobian = fit.log_jacobian();
        let in_units = |parts: &BoundParts| BoundParts { likelihood: parts.likelihood - jacobian, ..*parts }.values();
        // a model from before parts were kept has none along the way
        let kept: Option<Vec<_>> = trace.iter().map(|point| point.parts.as_ref().map(in_units)).collect();
        let (kept, last) = (kept.unwrap_or_default(), in_units(&fit.parts));
        let part = |k: usize| NamedSeries {
            name: BoundParts::NAMES[k],
            label: BoundParts::LABELS[k],
            about: BoundParts::ABOUT[k].trim(),
            values: kept.iter().map(|parts| parts[k]).collect(),
            last: last[k],
        };
        let hyper = |k: usize| NamedSeries {
            name: Hyperparameters::NAMES[k],
            label: Hyperparameters::LABELS[k],
            about: Hyperparameters::ABOUT[k].trim(),
            values: trace.iter().map(|point| point.hyper.values()[k]).collect(),
            last: fit.hyper.values()[k],
        };
        Self {
            iterations: trace.iter().map(|point: &TracePoint| point.iteration).collect(),
            bound: trace.iter().map(|point| point.bound_scaled - jacobian).collect(),
            parts: (0..BoundParts::NAMES.len()).map(part).collect(),
            hyperparameters: (0..Hyperparameters::NAMES.len()).map(hyper).collect(),
            last: fit.bound(),
            per_point: fit.bound() / fit.n() as f64,
            scaled: fit.bound_scaled(),
        }
    }
}
