//! The data and everything about them that no iteration changes.

use super::{Filling, MissingEntries, MissingTerm, Prepared, Reduction, Structure};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::graph::{Graph, MetricPlaces, pieces, squared_distance};
use crate::linalg::Matrix;
use crate::message::Remedy;
use std::sync::{Arc, OnceLock};

/// Scaled observations on a connected graph.
pub struct Problem {
    /// Observations, centred and scaled, a point a column; along the axes in which means of maps are found. [≤ d_y, n]
    pub observations: Arc<Matrix>,
    /// The neighbour graph.
    pub graph: Graph,
    /// Number of features d_y: more than the rows of `observations` where those are axes.
    n_features: usize,
    /// The axes and all features, where the former are fewer.
    reduced: Option<Arc<Reduced>>,
    /// Latent dimension d_x.
    pub n_components: usize,
    /// The paper's ε.
    pub epsilon: f64,
    /// Entries that are missing from the table and filled in here, with what the bound needs of them on this graph.
    missing: Option<(Arc<MissingEntries>, MissingTerm)>,
    /// Where the metric of the graph has the points, if it is not the Euclidean one.
    places: Option<MetricPlaces>,
    /// What is known of the coordinates beyond the table.
    pub structure: Option<Arc<Structure>>,
    /// |BY|²: summed squared length of the edges.
    pub edge_energy: f64,
    /// |Σ_i y_i|², zero up to rounding for centred data.
    pub sum_energy: f64,
    /// How much each edge counts in the graph's likelihood, once that was asked for, and for how many neighbours.
    edge_counts: OnceLock<(usize, Arc<Vec<f64>>)>,
}

/// Principal axes, and the observations in all features. [d_y, n]
struct Reduced {
    reduction: Reduction,
    all: Arc<Matrix>,
}

impl Problem {
    /// Sets up the problem; the graph must be in one piece.
    pub fn new(observations: Matrix, graph: Graph, n_components: usize, epsilon: f64) -> Result<Self> {
        let sizes: Vec<usize> = pieces(&graph).iter().map(Vec::len).collect();
        if sizes.len() > 1 {
            return Err(Error::Disconnected { sizes, wider: Remedy::act("widen the neighbourhoods") });
        }
        Ok(Self::assemble(Arc::new(observations), None, graph, n_components, epsilon))
    }

    /// The problem of a table that is ready, in the dimension and along the axes that the settings ask for.
    pub fn of(prepared: &Prepared, config: &Config) -> Result<Self> {
        let (points, graph) = (prepared.table.points.clone(), prepared.graph().clone());
        let places = MetricPlaces::new(config.metric, prepared.values().as_ref(), &points)?;
        let problem = Self::assemble(points, None, graph, config.n_components, config.epsilon).along_axes(config)?;
        problem.in_metric(places).lacking(prepared.missing.clone())
    }

    /// The same with edges as long as a metric has them.
    pub(crate) fn in_metric(self, places: Option<MetricPlaces>) -> Self {
        Self { places, edge_counts: OnceLock::new(), ..self }
    }

    /// The same with what is known of the coordinates of its points.
    pub(crate) fn with_structure(self, structure: Option<Arc<Structure>>) -> Self {
        Self { structure, ..self }
    }

    /// How far apart two points are in the metric of the graph.
    pub fn apart(&self, i: usize, j: usize) -> f64 {
        match &self.places {
            Some(places) => places.distance(places.of(i), j),
            None => {
                let points = self.unrotated();
                squared_distance(points.col_as_slice(i), points.col_as_slice(j)).sqrt()
            }
        }
    }

    /// Where the metric of the graph has the points, if it is not the Euclidean one.
    pub(crate) fn places(&self) -> Option<&MetricPlaces> {
        self.places.as_ref()
    }

    /// The same with entries that the table lacks and that are filled in.
    pub(crate) fn lacking(mut self, entries: Option<Arc<MissingEntries>>) -> Result<Self> {
        self.missing = match entries {
            Some(entries) => Some((entries.clone(), entries.on(&self.graph)?.term())),
            None => None,
        };
        Ok(self)
    }

    /// The same with means of maps along the axes only that the settings ask for; without these, along those that span
    /// all points where features are more than points, which changes nothing but the work.
    pub fn along_axes(self, config: &Config) -> Result<Self> {
        let all = self.observations.clone();
        let (reduction, along) = match config.pca {
            Some(share) => {
                let reduction = Reduction::learn(&all, share, self.n_components)?;
                let along = reduction.along(&all);
                (reduction, along)
            }
            None if all.nrows() > all.ncols() => Reduction::rotation(&all),
            None => return Ok(self),
        };
        let Self { graph, n_components, epsilon, .. } = self;
        Ok(Self::assemble(Arc::new(along), Some(Arc::new(Reduced { reduction, all })), graph, n_components, epsilon))
    }

    /// The same with means of maps along the fewest axes only that keep this share of the variance, but neither fewer nor more than
    /// these numbers of them, which is as good for finding a layout and quicker; none where they are hardly fewer.
    pub(crate) fn along_leading(&self, share: f64, (least, most): (usize, usize)) -> Result<Option<Self>> {
        let all = self.reduced.as_ref().map_or(&self.observations, |reduced| &reduced.all);
        let reduction =
            Reduction::learn_between(all, share, least.max(self.n_components), most.max(self.n_components))?;
        if 4 * reduction.axes.ncols() > 3 * self.observations.nrows() {
            return Ok(None);
        }
        let along = Arc::new(reduction.along(all));
        let reduced = Some(Arc::new(Reduced { reduction, all: all.clone() }));
        let made = Self::assemble(along, reduced, self.graph.clone(), self.n_components, self.epsilon);
        Ok(Some(Self {
            missing: self.missing.clone(),
            places: self.places.clone(),
            structure: self.structure.clone(),
            edge_counts: self.edge_counts.clone(),
            ..made
        }))
    }

    /// Maps, a column each, along the axes of this problem from another of the same features.
    pub(crate) fn maps_of(&self, other: &Self, maps: Matrix) -> Matrix {
        let maps = other.in_features(maps);
        match self.reduction() {
            Some(reduction) => reduction.along(&maps),
            None => maps,
        }
    }

    /// The axes along which the observations are, if these are not the features.
    pub fn reduction(&self) -> Option<&Reduction> {
        self.reduced.as_ref().map(|reduced| &reduced.reduction)
    }

    /// The observations in the features themselves, where the axes are a mere rotation of them: with the digits that were
    /// measured, so that equal points are equal.
    pub fn unrotated(&self) -> &Matrix {
        match &self.reduced {
            Some(reduced) if reduced.reduction.is_whole => &reduced.all,
            _ => &self.observations,
        }
    }

    /// The same points on another graph in one piece.
    pub fn on_graph(&self, graph: Graph) -> Self {
        // L_mm can be factored on every graph in one piece; if it cannot, the graph is not worth having
        let of = |entries: &Arc<MissingEntries>| match entries.on(&graph) {
            Ok(filling) => filling.term(),
            Err(_) => MissingTerm { log_det: f64::INFINITY, ..MissingTerm::default() },
        };
        let missing = self.missing.as_ref().map(|(entries, _)| (entries.clone(), of(entries)));
        let made =
            Self::assemble(self.observations.clone(), self.reduced.clone(), graph, self.n_components, self.epsilon);
        Self { missing, places: self.places.clone(), ..made }
    }

    /// Other points with the same features on a graph of their own. What is not along the axes that are kept is left out
    /// of their energies.
    pub(crate) fn like(&self, observations: Matrix, graph: Graph) -> Result<Self> {
        let made = Self::new(observations, graph, self.n_components, self.epsilon)?;
        Ok(Self { n_features: self.n_features, ..made })
    }

    /// From observations in all features, or along the axes of their reduction.
    fn assemble(
        observations: Arc<Matrix>,
        reduced: Option<Arc<Reduced>>,
        graph: Graph,
        n_components: usize,
        epsilon: f64,
    ) -> Self {
        let all = reduced.as_ref().map_or(&observations, |reduced| &reduced.all);
        let edge_energy = graph
            .edges()
            .iter()
            .map(|&(i, j)| squared_distance(all.col_as_slice(i as usize), all.col_as_slice(j as usize)))
            .sum();
        let sum_energy = (0..all.nrows()).map(|f| (0..all.ncols()).map(|i| all[(f, i)]).sum::<f64>().powi(2)).sum();
        let n_features = all.nrows();
        Self {
            observations,
            graph,
            n_features,
            reduced,
            n_components,
            epsilon,
            missing: None,
            places: None,
            structure: None,
            edge_energy,
            sum_energy,
            edge_counts: OnceLock::new(),
        }
    }

    /// The same with its points in another order: `order` names the point at each place. Nothing where entries are missing or the
    /// metric has places of its own, or something is known of points, which is held point by point.
    pub(crate) fn in_order(&self, order: &[u32]) -> Option<Self> {
        if self.missing.is_some() || self.places.is_some() || self.structure.is_some() {
            return None;
        }
        let moved = |points: &Matrix| {
            Matrix::from_fn(points.nrows(), order.len(), |f, place| points[(f, order[place] as usize)])
        };
        let reduced = self.reduced.as_ref().map(|reduced| {
            let Reduction { axes, share, is_whole } = &reduced.reduction;
            let reduction = Reduction { axes: axes.clone(), share: *share, is_whole: *is_whole };
            Arc::new(Reduced { reduction, all: Arc::new(moved(&reduced.all)) })
        });
        let observations = Arc::new(moved(&self.observations));
        let graph = self.graph.in_order(order);
        Some(Self::assemble(observations, reduced, graph, self.n_components, self.epsilon))
    }

    /// What the bound needs of missing entries; nothing of them where none are.
    pub fn missing(&self) -> MissingTerm {
        self.missing.as_ref().map(|(_, term)| *term).unwrap_or_default()
    }

    /// Rows and features of missing entries, sorted.
    pub(crate) fn missing_entries(&self) -> Vec<(u32, u32)> {
        self.missing.as_ref().map(|(entries, _)| entries.pairs()).unwrap_or_default()
    }

    /// Missing entries on this graph, if there are any.
    pub(crate) fn filling(&self) -> Result<Option<Filling>> {
        self.missing.as_ref().map(|(entries, _)| entries.on(&self.graph)).transpose()
    }

    /// Maps, a column each, in all features. [d_y, …]
    pub(crate) fn in_features(&self, maps: Matrix) -> Matrix {
        match self.reduction() {
            Some(reduction) => reduction.back(&maps),
            None => maps,
        }
    }

    /// How much each edge counts with so many neighbours: found once.
    pub(crate) fn edge_counts(&self, k: usize, find: impl Fn(&Self) -> Vec<f64>) -> Arc<Vec<f64>> {
        match self.edge_counts.get_or_init(|| (k, Arc::new(find(self)))) {
            (known, counts) if *known == k => counts.clone(),
            _ => Arc::new(find(self)),
        }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.graph.n()
    }

    /// Number of features d_y.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// n·d_x, the length of all coordinates together.
    pub fn size(&self) -> usize {
        self.n() * self.n_components
    }
}
