//! A model as the data of its page.

use super::data::{
    Bound, Comparison, Data, Features, Floats, Graph, Image, Maps, Pairs, Rows as PointRows, Selection, Test,
};
use super::{assemble, words};
use crate::Multiple;
use crate::command::{Files, command, refit};
use tangency::evidence::{EdgeTest, edge_scores};
use tangency::extend::Extension;
use tangency::graph::nearest_neighbors;
use tangency::io::Model;
use tangency::linalg::Matrix;
use tangency::message::{Dialect, Fields, Remedy, Sentence};
use tangency::{Error, Result};

/// More numbers than this are not put into a page.
const MOST_NUMBERS: usize = 3_000_000;
/// So many edges are marked as the most suspect in any case,
const LEAST_SUSPECTS: usize = 10;
/// and at most so many,
const MOST_SUSPECTS: usize = 50;
/// of those that strain the fit so many times as much as the median edge.
const SUSPECT: f64 = 10.0;
/// Neighbours that a local density is told from.
const CROWD: usize = 10;

/// Rows that were not fitted.
pub struct NewRows {
    /// Measurements, a row a column. `[d_y, m]`
    pub values: Matrix,
    /// Their ids, where there are some.
    pub ids: Option<Vec<String>>,
    /// Their labels, where there are some.
    pub labels: Option<Vec<String>>,
}

/// A report to be made.
#[derive(Default)]
pub struct Report<'a> {
    /// The heading; one is made where it is empty.
    pub title: String,
    /// The table that was fitted, for the command that repeats it.
    pub table: Option<&'a str>,
    /// How that table was read: flags and their values.
    pub reading: Vec<String>,
    /// The command itself where it is known.
    pub command: Option<String>,
    /// Rows that were not fitted.
    pub new: Option<NewRows>,
    /// Height and width, if the features are the pixels of an image, row by row.
    pub image: Option<(usize, usize)>,
    /// Edges that were tested.
    pub tests: Vec<EdgeTest>,
    /// Graphs and dimensions that were compared.
    pub selection: Option<Selection>,
    /// Other embeddings of the same rows: of the fitted ones, or of these and the new ones. One without coordinates shows
    /// its note alone; one of a single dimension has 0 for the second.
    pub comparisons: Vec<Multiple>,
    /// The words of the program that makes the page, for its warnings; the library's own where there are none.
    pub words: Option<&'a dyn Dialect>,
}

impl Report<'_> {
    /// Checks what can be checked before there is work.
    pub fn check_image(image: Option<(usize, usize)>, n_features: usize) -> Result<()> {
        match image {
            Some((height, width)) if height.checked_mul(width) != Some(n_features) || n_features == 0 => {
                let but = format!("the model has {n_features} features, one for each pixel");
                Err(Error::setting("image", format!("{height}x{width}"), but, [Remedy::Change("image")]))
            }
            _ => Ok(()),
        }
    }

    /// The page of a model.
    pub fn html(&self, model: &Model) -> Result<String> {
        Self::check_image(self.image, model.feature_names.len())?;
        let rows = Rows::new(model, self.new.as_ref())?;
        let fit = &model.fit;
        let d_x = fit.coordinates.ncols();
        let table = self.table.unwrap_or("TABLE").to_owned();
        let files = Files { table, reading: self.reading.clone(), ..Files::default() };
        let command = self.command.clone().unwrap_or_else(|| command(fit, &files));
        let title = match (self.title.as_str(), self.table) {
            ("", Some(table)) => format!("{table} in {d_x} dimension{}", if d_x == 1 { "" } else { "s" }),
            ("", None) => format!("{} points in {d_x} dimension{}", fit.n(), if d_x == 1 { "" } else { "s" }),
            (title, _) => title.to_owned(),
        };
        let features = rows.features(model);
        let comparisons = comparisons(&self.comparisons, fit.n(), rows.count)?;
        let data = Data {
            version: env!("CARGO_PKG_VERSION"),
            title,
            facts: words::facts(model, self.table, rows.n_new()),
            warnings: model.cautions().iter().map(|caution| caution.in_words(self.words.unwrap_or(&Fields))).collect(),
            stop: fit.stop.to_string(),
            stop_words: words::stop_words(fit.stop, fit.trace.len()),
            n_components: d_x,
            n_points: fit.n(),
            n_new: rows.n_new(),
            density: Some(rows.density()),
            label_numbers: rows.label_numbers(),
            ids: rows.ids,
            labels: rows.labels,
            novelty: Some(Floats::list(rows.novelty)),
            log_density: Some(Floats::list(rows.log_density)),
            covariances: Floats::new(rows.covariances, &[rows.count, d_x * (d_x + 1) / 2]),
            coordinates: Floats::new(rows.coordinates, &[rows.count, d_x]),
            image: self.image.map(|(height, width)| image(&features, height, width)),
            features,
            model: maps(model, &rows.extension),
            graph: graph(model, &self.tests, refit(fit, &files, "kept.csv"))?,
            bound: bound(model),
            selection: self.selection.clone(),
            comparisons,
            command,
        };
        Ok(assemble(&data))
    }
}

/// All rows of the page: the fitted ones and then the new ones.
struct Rows<'a> {
    new: Option<&'a NewRows>,
    extension: Extension,
    count: usize,
    d_x: usize,
    coordinates: Vec<f64>,
    covariances: Vec<f64>,
    log_density: Vec<f64>,
    novelty: Vec<f64>,
    ids: Option<Vec<String>>,
    labels: Option<Vec<String>>,
}

impl<'a> Rows<'a> {
    fn new(model: &Model, new: Option<&'a NewRows>) -> Result<Self> {
        let fit = &model.fit;
        let (n, d_x) = (fit.n(), fit.coordinates.ncols());
        let extension = Extension::new(fit)?;
        let mut coordinates: Vec<f64> = (0..n * d_x).map(|p| fit.coordinates[(p / d_x, p % d_x)]).collect();
        let upper = || (0..d_x).flat_map(move |a| (a..d_x).map(move |b| (a, b)));
        let mut covariances: Vec<f64> =
            (0..n).flat_map(|i| upper().map(move |(a, b)| fit.coordinate_covariances[(a * d_x + b, i)])).collect();
        let held_out = |i: usize| match &fit.calibration {
            Some(calibration) => calibration.log_densities[i],
            None => extension.leave_one_out()[i].as_ref().map_or(f64::NAN, |placed| placed.log_density),
        };
        let mut log_density: Vec<f64> = (0..n).map(held_out).collect();
        let n_new = new.map_or(0, |new| new.values.ncols());
        if let Some(new) = new {
            for placed in &extension.transform_columns(new.values.as_ref())? {
                coordinates.extend(extension.coordinates(placed));
                let total = extension.total_covariance(placed);
                covariances.extend(upper().map(|(a, b)| total[(a, b)]));
                log_density.push(extension.log_density(placed));
            }
        }
        // a row that holds the graph together alone has no density of its own, and no novelty
        let novelty = log_density.iter().map(|&d| if d.is_nan() { f64::NAN } else { extension.novelty(d) }).collect();
        let names = |fitted: &Option<Vec<String>>, of_new: Option<&Vec<String>>, numbered: bool| {
            let plain = |row: usize| if numbered { row.to_string() } else { String::new() };
            (fitted.is_some() || of_new.is_some() || (numbered && n_new > 0)).then(|| {
                let first =
                    (0..n).map(|i| fitted.as_ref().map_or_else(|| plain(fit.rows[i]), |names| names[i].clone()));
                let second = (0..n_new).map(|i| of_new.map_or_else(|| plain(i), |names| names[i].clone()));
                first.chain(second).collect()
            })
        };
        let ids = names(&model.ids, new.and_then(|new| new.ids.as_ref()), true);
        let labels = names(&model.labels, new.and_then(|new| new.labels.as_ref()), false);
        let count = n + n_new;
        Ok(Self { new, extension, count, d_x, coordinates, covariances, log_density, novelty, ids, labels })
    }

    fn n_new(&self) -> usize {
        self.new.map_or(0, |new| new.values.ncols())
    }

    /// Labels as numbers, if they are.
    fn label_numbers(&self) -> Option<Floats> {
        let numbers: Option<Vec<f64>> = self
            .labels
            .as_ref()?
            .iter()
            .map(|label| if label.is_empty() { Some(f64::NAN) } else { label.trim().parse().ok() })
            .collect();
        let numbers = numbers.filter(|numbers| numbers.iter().any(|number| number.is_finite()))?;
        Some(Floats::list(numbers))
    }

    /// How crowded the picture is around each row: log of the number of rows by the volume they take.
    fn density(&self) -> Floats {
        let places = Matrix::from_fn(self.d_x, self.count, |a, i| self.coordinates[i * self.d_x + a]);
        let k = CROWD.min(self.count - 1);
        let lists = nearest_neighbors(&places, k);
        let radius = |(i, list): (usize, &Vec<u32>)| {
            let far = list.last().map_or(i, |&j| j as usize);
            (0..self.d_x).map(|a| (places[(a, i)] - places[(a, far)]).powi(2)).sum::<f64>().sqrt()
        };
        let log = |radius: f64| (k as f64 / self.count as f64).ln() - self.d_x as f64 * radius.max(1e-12).ln();
        Floats::list(lists.iter().enumerate().map(radius).map(log))
    }

    fn features(&self, model: &Model) -> Features {
        let fit = &model.fit;
        let (n, d_y) = (fit.n(), fit.observations.ncols());
        let value = |i: usize, f: usize| match self.new {
            Some(new) if i >= n => new.values[(f, i - n)],
            _ => fit.observations[(i, f)],
        };
        // reconstructions need the fitted rows; new ones are left out first
        let shown = [self.count, n].into_iter().find(|rows| rows * d_y <= MOST_NUMBERS);
        let left_out = match shown {
            Some(rows) if rows == self.count => None,
            Some(_) => Some("measurements of new rows are left out, because the page would be too large".to_owned()),
            None => Some("measurements are left out, because the page would be too large".to_owned()),
        };
        let of_rows = |rows: usize| {
            let all = (0..rows).flat_map(|i| (0..d_y).map(move |f| (i, f)));
            Floats::new(all.map(|(i, f)| value(i, f)), &[rows, d_y])
        };
        let values = shown.map(of_rows);
        let column = |f: usize| fit.observations.col_as_slice(f);
        let mean: Vec<f64> = (0..d_y).map(|f| column(f).iter().sum::<f64>() / n as f64).collect();
        let spread = |f: usize| (column(f).iter().map(|v| (v - mean[f]).powi(2)).sum::<f64>() / n as f64).sqrt();
        Features {
            names: model.feature_names.clone(),
            values_left_out: if values.is_some() {
                left_out
            } else {
                Some("measurements are left out, because the page would be too large".into())
            },
            values,
            min: (0..d_y).map(|f| column(f).iter().copied().fold(f64::INFINITY, f64::min)).collect(),
            max: (0..d_y).map(|f| column(f).iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect(),
            std: (0..d_y).map(spread).collect(),
            mean,
        }
    }
}

/// Embeddings of `fitted` of the `count` rows, or of all; the page has no place for the others in them.
fn comparisons(given: &[Multiple], fitted: usize, count: usize) -> Result<Option<Vec<Comparison>>> {
    let one = |given: &Multiple| {
        let found = given.coordinates.len();
        if ![0, fitted, count].contains(&found) {
            return Err(Error::ShapeMismatch {
                what: format!("the comparison \"{}\"", given.name),
                expected: format!("{fitted} rows"),
                found: format!("{found}"),
            });
        }
        let places = given.coordinates.iter().copied().chain(std::iter::repeat([f64::NAN; 2])).take(count);
        let coordinates = Floats::new(places.flatten(), &[count, 2]);
        Ok(Comparison { name: given.name.clone(), coordinates, note: given.note.clone() })
    };
    let made: Vec<Comparison> = given.iter().map(one).collect::<Result<_>>()?;
    Ok((!made.is_empty()).then_some(made))
}

fn image(features: &Features, height: usize, width: usize) -> Image {
    let low = features.min.iter().copied().fold(f64::INFINITY, f64::min);
    let high = features.max.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Image { width, height, low, high }
}

fn maps(model: &Model, extension: &Extension) -> Option<Maps> {
    let fit = &model.fit;
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    if n * d_x * d_y > MOST_NUMBERS || n * d_y > MOST_NUMBERS {
        return None;
    }
    let scale = &fit.scaling.scale;
    let all = (0..n).flat_map(|i| (0..d_y).flat_map(move |f| (0..d_x).map(move |a| (i, f, a))));
    Some(Maps {
        maps: Floats::new(all.map(|(i, f, a)| fit.maps[(f, i * d_x + a)] * scale[f]), &[n, d_y, d_x]),
        map_variance: Floats::new(
            (0..n * d_x).map(|p| fit.map_covariances[((p % d_x) * d_x + p % d_x, p / d_x)]),
            &[n, d_x],
        ),
        scale: scale.clone(),
        gamma: fit.hyper.gamma,
        spread: extension.reference().spread,
        n_neighbors: extension.n_neighbors(),
        typical_step: extension.typical_step(),
    })
}

fn graph(model: &Model, tests: &[EdgeTest], refit: String) -> Result<Graph> {
    let fit = &model.fit;
    let scores = edge_scores(fit)?;
    let median = scores.get(scores.len() / 2).map_or(0.0, |middle| middle.score);
    let standing_out = scores.iter().take_while(|edge| edge.score > SUSPECT * median).count();
    let suspects = standing_out.clamp(LEAST_SUSPECTS, MOST_SUSPECTS).min(scores.len());
    Ok(Graph {
        edges: Pairs(scores.iter().map(|edge| edge.edge).collect()),
        scores: Some(Floats::list(scores.iter().map(|edge| edge.score))),
        residual: Some(Floats::list(scores.iter().map(|edge| edge.residual))),
        resistance: Some(Floats::list(scores.iter().map(|edge| edge.resistance))),
        suspect: (0..suspects).collect(),
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
        rows: (fit.n_rows > fit.n()).then(|| PointRows(fit.rows.iter().map(|&row| row as u32).collect())),
    })
}

fn bound(model: &Model) -> Bound {
    let fit = &model.fit;
    let trace = &fit.trace;
    let jacobian = fit.scaling.log_jacobian(fit.n());
    let parts: Option<Vec<_>> = trace.iter().map(|point| point.parts).collect();
    let listed = |parts: Vec<tangency::BoundParts>| {
        let flat = parts.iter().flat_map(|p| [p.likelihood - jacobian, p.log_determinant, p.maps, p.coordinates]);
        Floats::new(flat, &[parts.len(), 4])
    };
    Bound {
        bound: Floats::list(trace.iter().map(|point| point.bound_scaled - jacobian)),
        parts: parts.map(listed),
        gamma: Floats::list(trace.iter().map(|point| point.hyper.gamma)),
        alpha: Floats::list(trace.iter().map(|point| point.hyper.alpha)),
        lambda: Floats::list(trace.iter().map(|point| point.hyper.lambda)),
        nu: Floats::list(trace.iter().map(|point| point.hyper.nu)),
        last: fit.bound(),
        per_point: fit.bound() / fit.n() as f64,
        scaled: fit.bound_scaled(),
        part_names: ["likelihood", "log-determinant", "maps", "coordinates"],
    }
}
