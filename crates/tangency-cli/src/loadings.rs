//! `tangency loadings`: which features change along each latent direction.

use crate::args::{ChoiceArgs, LoadingsArgs};
use crate::info;
use crate::say::{self, Say};
use serde_json::{Value, json};
use tangency::extend::{Loadings, loadings};
use tangency::io::{Cells, Claims, ColumnKind, Model, TableWriter, load_model, numbered};
use tangency::message;
use tangency::message::{Message, Piece, Remedy, given};
use tangency::{Error, Result};

/// Runs the command.
pub fn run(args: &LoadingsArgs, say: Say) -> Result<()> {
    args.out.as_deref().map(TableWriter::check).transpose()?;
    let out = Claims::new(args.force, [&args.model]).claim_if(&args.out)?;
    let model = load_model(&args.model)?;
    let points = chosen(&model, &args.choice)?;
    let average = loadings(&model.fit, &points)?;
    if let Some(out) = &out {
        let d_x = model.fit.coordinates.ncols();
        let mut header = vec![("feature".to_owned(), ColumnKind::Text)];
        header.extend(numbered("x", d_x).chain(numbered("sd", d_x)));
        if args.each {
            header.insert(0, ("id".to_owned(), ColumnKind::Text));
        }
        let mut writer = TableWriter::create(out, &header)?;
        if args.each {
            for &i in &points {
                let ids = Cells::Text(vec![model.id(i); model.feature_names.len()]);
                let mut cells = cells(&model, &loadings(&model.fit, &[i])?);
                cells.insert(0, ids);
                writer.write(&cells)?;
            }
        } else {
            writer.write(&cells(&model, &average))?;
        }
        writer.finish()?;
    }
    let described = ranked(&model, &average, args.top);
    say.line(&described_choice(&model, &points));
    for (a, features) in described.iter().enumerate() {
        say.line(&format!("per unit of x{} (and per standard deviation, in those of the feature):", a + 1));
        let width = features.iter().map(|feature| feature.name.chars().count()).max().unwrap_or(0);
        for Feature { name, mean, deviation, standard } in features {
            say.line(&format!("  {name:width$}  {mean:+.4} ± {deviation:.4}   ({:+.2})", mean * standard));
        }
    }
    if let Some(out) = &out {
        say.line(&format!("wrote {}", out.path().display()));
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    let as_json = |features: &Vec<Feature>| -> Value {
        let one = |feature: &Feature| {
            json!({
                "feature": feature.name, "mean": feature.mean, "sd": feature.deviation,
                "standardised": feature.strength(),
            })
        };
        features.iter().map(one).collect()
    };
    say.result(&json!({
        "n_points": points.len(),
        "directions": described.iter().map(as_json).collect::<Vec<_>>(),
        "warnings": info::warnings(&model),
        "written": say::names(out.iter().map(|out| out.path())),
    }));
    Ok(())
}

/// What loadings are averaged over, in words.
pub fn described_choice(model: &Model, points: &[usize]) -> String {
    let n = model.fit.n();
    match points.len() {
        1 => format!("point {}", model.id(points[0])),
        count if count == n => format!("average over all {n} points"),
        count => format!("average over {count} of {n} points"),
    }
}

/// The points that all of the conditions leave.
pub fn chosen(model: &Model, args: &ChoiceArgs) -> Result<Vec<usize>> {
    let unfit = |name, problem: Message, remedy: Remedy| Err(Error::unfit(name, problem, [remedy]));
    let mut points: Vec<usize> = (0..model.fit.n()).collect();
    if !args.point.is_empty() {
        points = args.point.iter().map(|id| info::point(model, id, "point")).collect::<Result<_>>()?;
        points.sort_unstable();
        points.dedup();
    }
    if !args.label.is_empty() {
        let Some(labels) = &model.labels else {
            let (label, column) = (Piece::Setting("label"), Piece::Setting("label_column"));
            let problem = message![label, " was given, but this model was fitted without ", column];
            return unfit("label", problem, Remedy::Omit("label"));
        };
        if let Some(label) = args.label.iter().find(|label| !labels.contains(label)) {
            let problem = message!["no point of the model has the label \"", given(label), "\""];
            return unfit("label", problem, Remedy::Change("label"));
        }
        points.retain(|&i| args.label.contains(&labels[i]));
    }
    for text in &args.region {
        let d_x = model.fit.coordinates.ncols();
        let Some((a, low, high)) = region(text, d_x) else {
            let problem = message![
                Piece::Setting("region"),
                " is \"",
                given(text),
                "\", which is not a coordinate of the model and its range"
            ];
            return unfit("region", problem, Remedy::act(format!("write it like x{d_x}=-1:0.5")));
        };
        points.retain(|&i| (low..=high).contains(&model.fit.coordinates[(i, a)]));
    }
    if points.is_empty() {
        let field = if args.region.is_empty() { "label" } else { "region" };
        let problem = message!["no point of the model meets all conditions"];
        return unfit(field, problem, Remedy::Change(field));
    }
    Ok(points)
}

fn region(text: &str, d_x: usize) -> Option<(usize, f64, f64)> {
    let (name, range) = text.split_once('=')?;
    let (low, high) = range.split_once(':')?;
    let a: usize = name.trim().strip_prefix('x')?.parse().ok()?;
    let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    ((1..=d_x).contains(&a) && low <= high).then_some((a - 1, low, high))
}

fn cells(model: &Model, loadings: &Loadings) -> Vec<Cells> {
    let mut cells = vec![Cells::Text(model.feature_names.clone())];
    for matrix in [&loadings.mean, &loadings.deviation] {
        cells.extend((0..matrix.ncols()).map(|a| Cells::Numbers(matrix.col_as_slice(a).to_vec())));
    }
    cells
}

/// How a feature changes along one coordinate.
pub struct Feature<'m> {
    pub name: &'m str,
    /// Per unit of the coordinate, in the units of the table.
    pub mean: f64,
    pub deviation: f64,
    /// Features may have different units. Times this, the change is that over the spread of the coordinate, in standard
    /// deviations of the feature; 0 for a feature that does not vary.
    pub standard: f64,
}

impl Feature<'_> {
    /// The change in comparable units.
    pub fn strength(&self) -> f64 {
        self.mean * self.standard
    }
}

/// The features that change most along each coordinate.
pub fn ranked<'m>(model: &'m Model, loadings: &Loadings, top: usize) -> Vec<Vec<Feature<'m>>> {
    let fit = &model.fit;
    let spread = |column: &[f64]| {
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt()
    };
    let of_feature: Vec<f64> =
        (0..fit.observations.ncols()).map(|f| spread(fit.observations.col_as_slice(f))).collect();
    (0..fit.coordinates.ncols())
        .map(|a| {
            let of_x = spread(fit.coordinates.col_as_slice(a));
            let mut features: Vec<Feature> = (0..of_feature.len())
                .map(|f| Feature {
                    name: &model.feature_names[f],
                    mean: loadings.mean[(f, a)],
                    deviation: loadings.deviation[(f, a)],
                    standard: if of_feature[f] > 0.0 { of_x / of_feature[f] } else { 0.0 },
                })
                .collect();
            features.sort_by(|p, q| q.strength().abs().total_cmp(&p.strength().abs()));
            features.truncate(top);
            features
        })
        .collect()
}
