//! The structure within the manifold in numbers with names: what it found in short.

use crate::fit::{Fit, FittedStructure};
use crate::model::KnownKind;
use serde::Serialize;

/// The structure of a fit in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructureView {
    /// Values that go with the coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownView>,
    /// Groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<GroupsView>,
}

/// Values that go with the coordinates, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownView {
    /// Anchors or covariates.
    pub kind: KnownKind,
    /// One by one.
    pub values: Vec<KnownRow>,
}

/// One value that goes with the coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnownRow {
    /// Its name.
    pub name: String,
    /// Rows of which it is known.
    pub rows: usize,
    /// Whether the coordinates have a part in it.
    pub used: bool,
    /// How much likelier it is with the coordinates than without, in nats.
    pub gain: f64,
    /// Its change along each coordinate.
    pub slopes: Vec<f64>,
    /// Standard deviation of rows from it.
    pub noise: f64,
}

/// Groups, in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupsView {
    /// How many groups there are.
    pub count: usize,
    /// What users tell apart: classes, or groups by number.
    pub names: Vec<String>,
    /// Points expected in each of these.
    pub sizes: Vec<f64>,
    /// Points whose class was given.
    pub labelled: usize,
    /// Points that are of no class or group with a probability of 0.9.
    pub unsure: usize,
}

impl StructureView {
    /// That of a fit.
    pub fn new(fit: &Fit) -> Option<Self> {
        let FittedStructure { known, groups } = fit.structure.as_ref()?;
        let known = known.as_ref().map(|known| {
            let width = known.names.len();
            let row = |f: usize| {
                let line = &known.lines[f];
                let d = line.mean.len() - 1;
                KnownRow {
                    name: known.names[f].clone(),
                    rows: known.values.iter().skip(f).step_by(width).flatten().count(),
                    used: line.on,
                    gain: line.gain,
                    slopes: line.mean[..d].to_vec(),
                    noise: line.noise.sqrt(),
                }
            };
            KnownView { kind: known.kind, values: (0..width).map(row).collect() }
        });
        let groups = groups.as_ref().map(|groups| {
            let mut sizes = vec![0.0; groups.names().len()];
            let mut unsure = 0;
            for i in 0..fit.n() {
                let shares = groups.of_point(i);
                unsure += usize::from(shares.iter().all(|share| *share < 0.9));
                sizes.iter_mut().zip(shares).for_each(|(slot, share)| *slot += share);
            }
            let labelled = groups.labels.iter().flatten().count();
            GroupsView { count: groups.count(), names: groups.names(), sizes, labelled, unsure }
        });
        Some(Self { known, groups })
    }
}
