//! The rows of the page: those that were fitted, and then the new ones.

use super::data::{Features, Floats, PageColumn, PageDirections, PageView};
use super::of_model::{MOST_NUMBERS, UnfittedRows};
use tangency::Result;
use tangency::extend::Extension;
use tangency::graph::nearest_neighbors;
use tangency::io::{Model, StructureColumn, StructureRow, structure_columns, structure_of_point, structure_row};
use tangency::linalg::Matrix;
use tangency::message::listed;
use tangency::view::{MapView, MeasuredView};

/// Neighbours that a local density is taken from.
const CROWD: usize = 10;

/// Bytes of other columns that a page holds at most.
const MOST_TEXT: usize = 20 << 20;

/// All rows of the page: the fitted ones and then the new ones.
pub(super) struct PageRows<'a> {
    new: Option<&'a UnfittedRows>,
    pub extension: Extension,
    pub count: usize,
    d_x: usize,
    pub coordinates: Vec<f64>,
    pub covariances: Vec<f64>,
    pub log_density: Vec<f64>,
    pub novelty: Vec<f64>,
    pub ids: Option<Vec<String>>,
    pub labels: Option<Vec<String>>,
}

impl<'a> PageRows<'a> {
    pub fn new(model: &Model, new: Option<&'a UnfittedRows>) -> Result<Self> {
        let fit = &model.fit;
        let (n, d_x) = (fit.n(), fit.coordinates.ncols());
        let extension = Extension::new(fit)?;
        let map = MapView::new(fit);
        let mut coordinates = map.coordinates.concat();
        let upper = || (0..d_x).flat_map(move |a| (a..d_x).map(move |b| (a, b)));
        let of_point = |covariance: &Vec<f64>| upper().map(|(a, b)| covariance[a * d_x + b]).collect::<Vec<f64>>();
        let mut covariances: Vec<f64> = map.covariances.iter().flat_map(of_point).collect();
        let mut log_density = extension.score_training_rows();
        let mut novelty = extension.novelties_of_training_rows(&log_density);
        let n_new = new.map_or(0, |new| new.values.ncols());
        if let Some(new) = new {
            for placed in &extension.transform_columns(new.values.as_ref())? {
                coordinates.extend(extension.coordinates(placed));
                let total = extension.total_covariance(placed);
                covariances.extend(upper().map(|(a, b)| total[(a, b)]));
            }
            let scores = extension.score_columns(new.values.as_ref())?;
            novelty.extend(extension.novelties(new.values.as_ref(), &scores));
            log_density.extend(scores);
        }
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

    pub fn n_new(&self) -> usize {
        self.new.map_or(0, |new| new.values.ncols())
    }

    /// Labels as numbers, if they are.
    pub fn label_numbers(&self) -> Option<Floats> {
        let numbers: Option<Vec<f64>> = self
            .labels
            .as_ref()?
            .iter()
            .map(|label| if label.is_empty() { Some(f64::NAN) } else { label.trim().parse().ok() })
            .collect();
        let numbers = numbers.filter(|numbers| numbers.iter().any(|number| number.is_finite()))?;
        Some(Floats::list(numbers))
    }

    /// The other columns of the fitted table, as far as the page does not become too large, and which are left out; new rows
    /// have none.
    pub fn carried(&self, model: &Model) -> (Vec<PageColumn>, Option<String>) {
        let (mut columns, mut left_out, mut size) = (self.of_structure(model), Vec::new(), 0);
        for (name, cells) in &model.carried {
            size += cells.iter().map(String::len).sum::<usize>() + self.count;
            if size > MOST_TEXT {
                left_out.push(name.as_str());
                continue;
            }
            let cells = cells.iter().cloned().chain(std::iter::repeat(String::new())).take(self.count).collect();
            columns.push(PageColumn { name: name.clone(), cells, shares: None });
        }
        let left_out = (!left_out.is_empty())
            .then(|| format!("not shown, because the page would be too large: {}", listed(&left_out)));
        (columns, left_out)
    }

    /// Groups or classes that the model found, and values in the units of the user, of all rows.
    fn of_structure(&self, model: &Model) -> Vec<PageColumn> {
        let fit = &model.fit;
        let row = |i: usize| match i < fit.n() {
            true => structure_of_point(fit, i),
            false => {
                let packed = self.d_x * (self.d_x + 1) / 2;
                let upper = &self.covariances[i * packed..(i + 1) * packed];
                let entry = |a: usize, b: usize| {
                    let (a, b) = (a.min(b), a.max(b));
                    upper[a * self.d_x - a * (a + 1) / 2 + b]
                };
                structure_row(fit, &self.coordinates[i * self.d_x..(i + 1) * self.d_x], entry, None)
            }
        };
        let columns = structure_columns(fit);
        if columns.is_empty() {
            return vec![];
        }
        let rows: Vec<StructureRow> = (0..self.count).map(row).collect();
        let mut known = 0;
        let mut made = vec![];
        for column in columns {
            match column {
                StructureColumn::Name(name) => {
                    let numbered = fit.structure.iter().flat_map(|s| &s.groups).any(|groups| groups.classes.is_empty());
                    let cell = |row: &StructureRow| {
                        let text = row.group.clone().unwrap_or_default();
                        if numbered { format!("group {text}") } else { text }
                    };
                    let share = |row: &StructureRow| row.probabilities.iter().copied().fold(0.0, f64::max);
                    let (cells, shares) = (rows.iter().map(cell).collect(), rows.iter().map(share).collect());
                    made.push(PageColumn { name, cells, shares: Some(shares) });
                }
                StructureColumn::Number(name) if known < rows[0].known.len() => {
                    let cells = rows.iter().map(|row| format!("{:.4}", row.known[known])).collect();
                    made.push(PageColumn { name, cells, shares: None });
                    known += 1;
                }
                // the likeliest group has its probability beside it
                StructureColumn::Number(_) => {}
            }
        }
        made
    }

    /// How crowded the picture is around each row: log of the number of rows by the volume they take.
    pub fn density(&self) -> Floats {
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

    pub fn features(&self, model: &Model) -> Result<Features> {
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
        let directions = if values.is_some() { MeasuredView::new(fit)? } else { None };
        let directions = directions.map(|found| PageDirections {
            weights: Floats::new(found.weights.concat(), &[found.shares.len(), d_y]),
            shares: found.shares,
        });
        let column = |f: usize| fit.observations.col_as_slice(f);
        let mean: Vec<f64> = (0..d_y).map(|f| column(f).iter().sum::<f64>() / n as f64).collect();
        let spread = |f: usize| (column(f).iter().map(|v| (v - mean[f]).powi(2)).sum::<f64>() / n as f64).sqrt();
        Ok(Features {
            directions,
            names: model.feature_names.clone(),
            views: fit.views.iter().map(|v| PageView { name: v.name.clone(), features: v.features.clone() }).collect(),
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
        })
    }
}
