//! A table made ready for a fit: which rows take part, their scaling, and their graph in one piece.

use super::table_graph::{FoundGraph, check_directions, check_values, find_graph, in_one_piece};
use super::{MissingEntries, MissingRule, Scaling, ScalingChoice, ScalingRule, settled_scaling};
use crate::config::Config;
use crate::error::Result;
use crate::graph::{Graph, Nearby, Neighborhoods, without_gaps};
use crate::linalg::{Matrix, View};
use std::sync::Arc;

/// A table and settings that were found to be in order, so that nobody need look again.
pub(crate) struct Checked<'a> {
    values: View<'a>,
    config: &'a Config,
}

impl<'a> Checked<'a> {
    /// An error unless every number of the table is finite and every setting is in its range.
    pub fn new(values: View<'a>, config: &'a Config) -> Result<Self> {
        config.validate()?;
        check_values(values, config.missing)?;
        check_directions(values, config.metric)?;
        Ok(Self { values, config })
    }

    /// Scales the table and finds the graph that the settings ask for, or takes the one that the edges give.
    pub fn prepare(&self, edges: Option<Vec<(u32, u32)>>) -> Result<Prepared> {
        let Self { values, config } = *self;
        let n = values.nrows();
        if config.missing == MissingRule::Drop && !values.is_all_finite() {
            return self.of_whole_rows(edges);
        }
        let (rule, choice) = settled_scaling(values, config.scaling);
        let (scaling, points) = Scaling::learn(values, rule)?;
        let points = Arc::new(points);
        let all_scaling = scaling.clone();
        let given = edges.is_some();
        let whole = GapsFilled::of(values, &scaling, &points);
        let seen = whole.as_ref().map_or(&points, |whole| &whole.points);
        let in_units = whole.as_ref().map_or(values, |whole| whole.values.as_ref());
        let places = config.metric.places(in_units, seen)?;
        let FoundGraph { neighborhoods, recall } = find_graph(in_units, &places, config, edges)?;
        let made = in_one_piece(neighborhoods, &places, config, given)?;
        let table = match made.rows.len() {
            all if all == n => {
                let values = Arc::new(values.to_owned());
                ScaledTable { values, scaling, rule, choice, points, noise: None }
            }
            _ => ScaledTable { choice, ..ScaledTable::learn(kept_rows(values, &made.rows), rule)? },
        };
        let (rows, neighborhoods, bridges) = (made.rows, made.neighborhoods, made.bridges);
        let missing = MissingEntries::of(&table.points).map(Arc::new);
        let nearby = whole.map(|whole| {
            // of those that are points; the scaling of some rows is another than that of all
            let of_all = MissingEntries::pairs_of(values).into_iter().zip(whole.nearby);
            let rescaled = |f: usize, near: Nearby| {
                let (from, to) = (&all_scaling, &table.scaling);
                let unit = from.scale[f] / to.scale[f];
                let mean = (from.center[f] + from.scale[f] * near.mean - to.center[f]) / to.scale[f];
                Nearby { mean, variance: unit * unit * near.variance, usual: unit * unit * near.usual }
            };
            let kept = of_all.filter(|((row, _), _)| rows.binary_search(&(*row as usize)).is_ok());
            Arc::new(kept.map(|((_, f), near)| rescaled(f as usize, near)).collect::<Vec<_>>())
        });
        let made =
            Prepared { table, n_rows: n, rows, neighborhoods, bridges, recall, own_edges: given, missing, nearby };
        if made.missing.is_some() {
            check_values(made.values().as_ref(), config.missing)?;
        }
        made.smoothed()
    }

    /// The same without rows that lack an entry.
    fn of_whole_rows(&self, edges: Option<Vec<(u32, u32)>>) -> Result<Prepared> {
        let Self { values, config } = *self;
        let whole = whole_rows(values);
        let place = |row: u32| whole.binary_search(&(row as usize)).ok().map(|place| place as u32);
        let among = |&(i, j): &(u32, u32)| Some((place(i)?, place(j)?));
        let edges = edges.map(|edges| edges.iter().filter_map(among).collect());
        let kept = kept_rows(values, &whole);
        let made = Checked::new(kept.as_ref(), config)?.prepare(edges)?;
        let rows = made.rows.iter().map(|&row| whole[row]).collect();
        Ok(Prepared { n_rows: values.nrows(), rows, ..made })
    }
}

/// Rows that lack no entry.
pub(crate) fn whole_rows(values: View) -> Vec<usize> {
    (0..values.nrows()).filter(|&i| values.row(i).iter().all(|value| !value.is_nan())).collect()
}

/// Some rows of a table.
pub(crate) fn kept_rows(values: View, rows: &[usize]) -> Matrix {
    Matrix::from_fn(rows.len(), values.ncols(), |i, f| values[(rows[i], f)])
}

/// A table whose gaps are filled in from the rows nearby: where neighbours are sought, and what methods get that know no gaps.
pub(crate) struct GapsFilled {
    /// Centred and scaled, a point per column. [d_y, n]
    pub points: Arc<Matrix>,
    /// In the units given. [n, d_y]
    values: Matrix,
    /// What points nearby have, entry by entry of each point.
    nearby: Vec<Nearby>,
}

impl GapsFilled {
    /// Nothing where there are no gaps.
    fn of(values: View, scaling: &Scaling, points: &Matrix) -> Option<Self> {
        if points.is_all_finite() {
            return None;
        }
        let (points, nearby) = without_gaps(points);
        let values = scaling.filled_in(values, &points);
        Some(Self { points: Arc::new(points), values, nearby })
    }
}

/// The points of a model, as they were measured and as they are scaled. Its clones share them.
#[derive(Clone)]
pub(crate) struct ScaledTable {
    /// In the units given. [n, d_y]
    pub values: Arc<Matrix>,
    pub scaling: Scaling,
    /// The rule that was followed.
    pub rule: ScalingRule,
    /// How it was found, if it was left to the data.
    pub choice: Option<ScalingChoice>,
    /// Centred and scaled, a point per column. [d_y, n]
    pub points: Arc<Matrix>,
    /// The part of each feature's scale that stands for its noise, where features or views have their own; the graph does not
    /// see it. [d_y]
    pub noise: Option<Arc<Vec<f64>>>,
}

impl ScaledTable {
    /// A table, which is checked, with its scaling.
    pub fn learn(values: Matrix, rule: ScalingRule) -> Result<Self> {
        let (rule, choice) = settled_scaling(values.as_ref(), rule);
        let (scaling, points) = Scaling::learn(values.as_ref(), rule)?;
        Ok(Self { values: Arc::new(values), scaling, rule, choice, points: Arc::new(points), noise: None })
    }

    /// The table with its gaps filled in from the rows nearby; nothing where it has none.
    pub fn gaps_filled(&self) -> Option<GapsFilled> {
        GapsFilled::of(self.values.as_ref().as_ref(), &self.scaling, &self.points)
    }

    /// The graph that the settings ask for, or that of the edges, sought where gaps are filled in.
    pub fn graph(
        &self,
        config: &Config,
        edges: Option<Vec<(u32, u32)>>,
        whole: Option<&GapsFilled>,
    ) -> Result<FoundGraph> {
        let (values, points) = self.seen(whole);
        find_graph(values, &config.metric.places(values, points)?, config, edges)
    }

    /// All points on a graph that was found for them; pieces are joined where the settings allow it.
    pub fn on_found_graph(&self, found: FoundGraph, config: &Config, whole: Option<&GapsFilled>) -> Result<Prepared> {
        let FoundGraph { neighborhoods, recall } = found;
        let config = Config { largest: false, ..config.clone() };
        let (values, points) = self.seen(whole);
        let places = config.metric.places(values, points)?;
        let made = in_one_piece(neighborhoods, &places, &config, true)?;
        let (rows, neighborhoods, bridges) = (made.rows, made.neighborhoods, made.bridges);
        let (table, n_rows) = (self.clone(), rows.len());
        let missing = whole.and_then(|_| MissingEntries::of(&self.points)).map(Arc::new);
        let nearby = whole.map(|whole| Arc::new(whole.nearby.clone()));
        Prepared { table, n_rows, rows, neighborhoods, bridges, recall, own_edges: true, missing, nearby }.smoothed()
    }

    fn seen<'a>(&'a self, whole: Option<&'a GapsFilled>) -> (View<'a>, &'a Arc<Matrix>) {
        match whole {
            Some(whole) => (whole.values.as_ref(), &whole.points),
            None => (self.values.as_ref().as_ref(), &self.points),
        }
    }

    /// All points on a graph in one piece.
    pub fn on_graph(&self, graph: Graph) -> Result<Prepared> {
        let found = FoundGraph { neighborhoods: Neighborhoods::of(graph), recall: None };
        self.on_found_graph(found, &Config { connect: false, ..Config::default() }, None)
    }
}

/// A table made ready once for all that is done with it: fits, other methods, measures.
///
/// It cannot be made from a table with a gap, from settings out of their range or with a graph in pieces.
///
/// ```
/// use tangency::model::Prepared;
/// use tangency::{Config, Fitter, Shape, generate};
///
/// let curve = generate(Shape::SCurve, 80, 0.0, 1);
/// let config = Config { max_iter: 5, ..Config::default() };
/// let prepared = Prepared::new(curve.points.as_ref(), &config, None)?;
/// let (first, second) = (Config { random_state: 1, ..config.clone() }, Config { random_state: 2, ..config });
/// let fits = [first, second].map(|config| Fitter::new(config).fit_prepared(&prepared));
/// assert!(fits.into_iter().all(|fit| fit.is_ok()));
/// # Ok::<(), tangency::Error>(())
/// ```
#[derive(Clone)]
pub struct Prepared {
    pub(crate) table: ScaledTable,
    /// Rows of the table given.
    pub(crate) n_rows: usize,
    /// Those of them that are points, ascending.
    pub(crate) rows: Vec<usize>,
    /// In one piece; of nearest neighbours as they are listed, otherwise along the edges.
    pub(crate) neighborhoods: Neighborhoods,
    /// Edges that were added to join pieces.
    pub(crate) bridges: Vec<(u32, u32)>,
    /// Share of true neighbours found, where the search was approximate.
    pub(crate) recall: Option<f64>,
    /// Whether the graph was given.
    pub(crate) own_edges: bool,
    /// Entries that the table lacks; what is expected stands in their place.
    pub(crate) missing: Option<Arc<MissingEntries>>,
    /// What points nearby have in their place, in scaled units: entry by entry of each point.
    pub(crate) nearby: Option<Arc<Vec<Nearby>>>,
}

impl Prepared {
    /// Makes a table, n × d_y, ready: on the graph that the settings ask for, or on the edges.
    pub fn new(values: View, config: &Config, edges: Option<Vec<(u32, u32)>>) -> Result<Self> {
        Checked::new(values, config)?.prepare(edges)
    }

    /// The same with missing entries as smooth over the graph as the others let them be.
    fn smoothed(self) -> Result<Self> {
        let Some(entries) = &self.missing else { return Ok(self) };
        let (filling, mut points) = (entries.on(self.graph())?, self.points().clone());
        filling.fill(self.graph(), &mut points, None);
        Ok(self.filled(points))
    }

    /// The same as a table without gaps, which are filled in from the rows nearby; nothing where there are none.
    pub(crate) fn without_gaps(&self) -> Option<Self> {
        let entries = self.missing.as_ref()?;
        let mut points = self.points().clone();
        entries.pairs().into_iter().for_each(|(row, f)| points[(f as usize, row as usize)] = f64::NAN);
        let (points, _) = without_gaps(&points);
        Some(Self { missing: None, nearby: None, ..self.filled(points) })
    }

    /// The same with other scaled points in place of missing entries.
    pub(crate) fn filled(&self, points: Matrix) -> Self {
        let Scaling { center, scale } = &self.table.scaling;
        let mut values = self.table.values.as_ref().clone();
        for (row, f) in self.missing.iter().flat_map(|entries| entries.pairs()) {
            let (row, f) = (row as usize, f as usize);
            values[(row, f)] = center[f] + scale[f] * points[(f, row)];
        }
        let table = ScaledTable { values: Arc::new(values), points: Arc::new(points), ..self.table.clone() };
        Self { table, ..self.clone() }
    }

    /// The same with features divided by these scales beside those of the graph, for their noise.
    pub(crate) fn with_noise(&self, noise: &[f64]) -> Self {
        let before = |f: usize| self.table.noise.as_ref().map_or(1.0, |noise| noise[f]);
        let ratio: Vec<f64> = noise.iter().enumerate().map(|(f, scale)| scale / before(f)).collect();
        let Scaling { center, scale } = &self.table.scaling;
        let scale = scale.iter().zip(&ratio).map(|(scale, ratio)| scale * ratio).collect();
        let points = self.points();
        let points = Matrix::from_fn(points.nrows(), points.ncols(), |f, i| points[(f, i)] / ratio[f]);
        let nearby =
            self.missing.iter().flat_map(|entries| entries.pairs()).zip(self.nearby.iter().flat_map(|all| &**all));
        let rescaled = nearby.map(|((_, f), near)| {
            let unit = ratio[f as usize].recip();
            let square = unit * unit;
            Nearby { mean: unit * near.mean, variance: square * near.variance, usual: square * near.usual }
        });
        let nearby = self.nearby.is_some().then(|| Arc::new(rescaled.collect::<Vec<_>>()));
        let scaling = Scaling { center: center.clone(), scale };
        let (points, noise) = (Arc::new(points), Some(Arc::new(noise.to_vec())));
        Self { table: ScaledTable { scaling, points, noise, ..self.table.clone() }, nearby, ..self.clone() }
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.rows.len()
    }

    /// Number of features d_y.
    pub fn n_features(&self) -> usize {
        self.table.values.ncols()
    }

    /// Rows of the table that are points, ascending.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The points as they were measured. [n, d_y]
    pub fn values(&self) -> &Matrix {
        &self.table.values
    }

    /// The points, centred and scaled, one per column. [d_y, n]
    pub fn points(&self) -> &Matrix {
        &self.table.points
    }

    /// How they were scaled.
    pub fn scaling(&self) -> &Scaling {
        &self.table.scaling
    }

    /// The points around each point.
    pub fn neighborhoods(&self) -> &Neighborhoods {
        &self.neighborhoods
    }

    /// The graph, in one piece.
    pub fn graph(&self) -> &Graph {
        self.neighborhoods.graph()
    }

    /// Edges that were added to join pieces.
    pub fn bridges(&self) -> &[(u32, u32)] {
        &self.bridges
    }
}
