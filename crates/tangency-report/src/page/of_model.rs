//! A model as the data of its page.

use super::data::{
    AverageLoadings, Data, Features, Floats, Image, PageChoices, PageComparison, PageGraph, PageMaps, PagePairs,
    RowNumbers, Test,
};
use super::rows::PageRows;
use super::{assemble, words};
use crate::Multiple;
use crate::command::{CommandFiles, command, compare, reading, refit};
use std::cmp::Ordering;
use tangency::evidence::EdgeTest;
use tangency::extend::Extension;
use tangency::io::Model;
use tangency::linalg::Matrix;
use tangency::message::{Dialect, Fields, Remedy, Sentence, counted};
use tangency::view::{BoundView, EdgeRow, EdgesView, EvidenceView, Known, LoadingsView, REACH, axis_names};
use tangency::{Error, Result};

/// More numbers than this are not put into a page.
pub(super) const MOST_NUMBERS: usize = 3_000_000;

/// Rows that were not fitted.
pub struct UnfittedRows {
    /// Measurements, a row a column. `[d_y, m]`
    pub values: Matrix,
    /// Their ids, where there are some.
    pub ids: Option<Vec<String>>,
    /// Their labels, where there are some.
    pub labels: Option<Vec<String>>,
}

/// What a page from Python gives to run next, in place of commands.
#[derive(Clone, Debug, Default)]
pub struct PythonCalls {
    /// Fits again on the edges in `kept.csv`.
    pub refit: String,
    /// Compares graphs and dimensions.
    pub compare: String,
}

/// A report to be made.
#[derive(Default)]
pub struct Report<'a> {
    /// The heading; one is made where it is empty.
    pub title: String,
    /// The table that was fitted, for the command that repeats it; where there is none, the model may know its name.
    pub table: Option<&'a str>,
    /// How that table was read: flags and their values; where there are none, the model may know.
    pub reading: Vec<String>,
    /// The command itself where it is known.
    pub command: Option<String>,
    /// What to run next in Python, where the page is made there; commands are given otherwise.
    pub calls: Option<PythonCalls>,
    /// Rows that were not fitted.
    pub new: Option<UnfittedRows>,
    /// Height and width, if the features are the pixels of an image, row by row.
    pub image: Option<(usize, usize)>,
    /// Edges that were tested.
    pub tests: Vec<EdgeTest>,
    /// Graphs and dimensions that were compared.
    pub selection: Option<EvidenceView>,
    /// Other embeddings of the same rows: of the fitted ones, or of these and the new ones. One without coordinates shows
    /// its note alone; one of a single dimension has 0 for the second.
    pub comparisons: Vec<Multiple>,
    /// What to know of these embeddings.
    pub remark: Option<String>,
    /// The words of the program that makes the page, for its warnings; the library's own where there are none.
    pub words: Option<&'a dyn Dialect>,
}

impl Report<'_> {
    /// Checks what can be checked before there is work.
    pub fn check_image(image: Option<(usize, usize)>, n_features: usize) -> Result<()> {
        match image {
            Some((height, width)) if height.checked_mul(width) != Some(n_features) || n_features == 0 => {
                let but = format!("the model has {}, one for each pixel", counted(n_features, "feature"));
                Err(Error::setting("image", format!("{height}x{width}"), but, [Remedy::Change("image")]))
            }
            _ => Ok(()),
        }
    }

    /// The page of a model.
    pub fn html(&self, model: &Model) -> Result<String> {
        Self::check_image(self.image, model.feature_names.len())?;
        let rows = PageRows::new(model, self.new.as_ref())?;
        let fit = &model.fit;
        let d_x = fit.coordinates.ncols();
        let known = self.table.or(model.table.as_deref());
        let table = known.unwrap_or("TABLE").to_owned();
        let as_fitted = || model.reading.as_ref().map(reading).unwrap_or_default();
        let reading = if self.reading.is_empty() { as_fitted() } else { self.reading.clone() };
        let files = CommandFiles { table, reading, ..CommandFiles::default() };
        let command = self.command.clone().unwrap_or_else(|| command(fit, &files));
        let calls = self.calls.clone();
        let python = calls.is_some();
        let next = calls
            .unwrap_or_else(|| PythonCalls { refit: refit(fit, &files, "kept.csv"), compare: compare(fit, &files) });
        let title = match (self.title.as_str(), known) {
            ("", Some(table)) => format!("{table} in {}", counted(d_x, "dimension")),
            ("", None) => format!("{} in {}", counted(fit.n(), "point"), counted(d_x, "dimension")),
            (title, _) => title.to_owned(),
        };
        let features = rows.features(model)?;
        let (carried, left_out) = rows.carried(model);
        let warnings = model.cautions().into_iter().map(|caution| caution.in_words(self.words.unwrap_or(&Fields)));
        let comparisons = comparisons(&self.comparisons, fit.n(), rows.count)?;
        let data = Data {
            version: env!("CARGO_PKG_VERSION"),
            title,
            facts: words::facts(model, known, rows.n_new()),
            warnings: warnings.chain(left_out).collect(),
            stop: fit.stop.to_string(),
            stop_words: words::stop_words(fit),
            n_components: d_x,
            axes: axis_names(d_x),
            reach: REACH,
            n_points: fit.n(),
            n_new: rows.n_new(),
            density: Some(rows.density()),
            label_numbers: rows.label_numbers(),
            label_name: model.label_name.clone(),
            carried,
            ids: rows.ids,
            labels: rows.labels,
            novelty: Some(Floats::list(rows.novelty)),
            log_density: Some(Floats::list(rows.log_density)),
            covariances: Floats::new(rows.covariances, &[rows.count, d_x * (d_x + 1) / 2]),
            coordinates: Floats::new(rows.coordinates, &[rows.count, d_x]),
            image: self.image.map(|(height, width)| image(&features, height, width)),
            features,
            model: maps(model, &rows.extension)?,
            graph: graph(model, &self.tests, next.refit)?,
            bound: BoundView::new(fit).into(),
            choices: PageChoices {
                neighbors: fit.neighbors.clone(),
                dimension: fit.dimension.clone(),
                features: fit.features.clone(),
            },
            compare: next.compare,
            python,
            selection: self.selection.as_ref().map(Into::into),
            comparisons,
            remark: self.remark.clone(),
            command,
        };
        Ok(assemble(&data))
    }
}

/// Embeddings of `fitted` of the `count` rows, or of all; the page has no place for the others in them.
fn comparisons(given: &[Multiple], fitted: usize, count: usize) -> Result<Option<Vec<PageComparison>>> {
    let one = |given: &Multiple| {
        let found = given.coordinates.len();
        if ![0, fitted, count].contains(&found) {
            return Err(Error::ShapeMismatch {
                what: format!("the comparison \"{}\"", given.name),
                expected: format!("{fitted} rows"),
                found: format!("{found} rows"),
            });
        }
        let places = given.coordinates.iter().copied().chain(std::iter::repeat([f64::NAN; 2])).take(count);
        let coordinates = Floats::new(places.flatten(), &[count, 2]);
        Ok(PageComparison { name: given.name.clone(), coordinates, note: given.note.clone() })
    };
    let made: Vec<PageComparison> = given.iter().map(one).collect::<Result<_>>()?;
    Ok((!made.is_empty()).then_some(made))
}

fn image(features: &Features, height: usize, width: usize) -> Image {
    let low = features.min.iter().copied().fold(f64::INFINITY, f64::min);
    let high = features.max.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Image { width, height, low, high }
}

fn maps(model: &Model, extension: &Extension) -> Result<Option<PageMaps>> {
    let fit = &model.fit;
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    if n * d_x * d_y > MOST_NUMBERS || n * d_y > MOST_NUMBERS {
        return Ok(None);
    }
    let scale = &fit.scaling.scale;
    let all = (0..n).flat_map(|i| (0..d_y).flat_map(move |f| (0..d_x).map(move |a| (i, f, a))));
    let average = LoadingsView::new(model, &(0..n).collect::<Vec<_>>())?;
    let of_features = |table: Vec<Vec<f64>>| Floats::new(table.concat(), &[d_y, d_x]);
    Ok(Some(PageMaps {
        maps: Floats::new(all.map(|(i, f, a)| fit.maps[(f, i * d_x + a)] * scale[f]), &[n, d_y, d_x]),
        map_variance: Floats::new(
            (0..n * d_x).map(|p| fit.map_covariances[((p % d_x) * d_x + p % d_x, p / d_x)]),
            &[n, d_x],
        ),
        scale: scale.clone(),
        gamma: fit.hyper.gamma,
        spread: extension.spread(),
        n_neighbors: extension.n_neighbors(),
        typical_step: extension.typical_step(),
        known_within: Known::WITHIN,
        map_draws: fit
            .map_draws
            .as_ref()
            .filter(|draws| draws.nrows() * draws.ncols() <= MOST_NUMBERS)
            .map(|draws| page_draws(draws, n, d_x)),
        loadings: AverageLoadings {
            deviations: average.deviations,
            mean: of_features(average.mean),
            deviation: of_features(average.deviation),
            standard: of_features(average.standard),
        },
    }))
}

/// Draws of the maps, those of a number together.
fn page_draws(draws: &Matrix, n: usize, d_x: usize) -> Floats {
    let count = draws.ncols();
    Floats::new((0..n * d_x).flat_map(|p| (0..count).map(move |draw| draws[(p, draw)])), &[n, d_x, count])
}

fn graph(model: &Model, tests: &[EdgeTest], refit: String) -> Result<PageGraph> {
    let fit = &model.fit;
    let EdgesView { edges, least_gain, .. } = EdgesView::new(model)?;
    let mut suspects: Vec<usize> = (0..edges.len()).filter(|&e| edges[e].suspect).collect();
    suspects.sort_by(|&e, &f| edges[f].expected_gain.partial_cmp(&edges[e].expected_gain).unwrap_or(Ordering::Equal));
    let numbers = |of: fn(&EdgeRow) -> f64| Some(Floats::list(edges.iter().map(of)));
    Ok(PageGraph {
        edges: PagePairs(edges.iter().map(|edge| edge.points).collect()),
        scores: numbers(|edge| edge.score),
        residual: numbers(|edge| edge.residual),
        resistance: numbers(|edge| edge.resistance),
        expected_gain: numbers(|edge| edge.expected_gain.unwrap_or(f64::NAN)),
        suspect: suspects,
        least_gain,
        tests: tests
            .iter()
            .map(|test| Test {
                removed: test.removed.clone(),
                added: test.added.clone(),
                change: test.change,
                spread: test.spread,
            })
            .collect(),
        bridges: fit.bridges.clone(),
        removed: fit.removed.clone(),
        refit,
        rows: (fit.n_rows > fit.n()).then(|| RowNumbers(fit.rows.iter().map(|&row| row as u32).collect())),
    })
}
