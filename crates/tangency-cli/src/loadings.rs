//! `tangency loadings`: which features change along each latent direction.

use crate::args::{ChoiceArgs, LoadingsArgs};
use crate::info;
use crate::say::{self, Say};
use serde_json::json;
use tangency::extend::LoadingDeviations;
use tangency::io::{Cells, ColumnKind, Model, TableWriter, load_model, numbered};
use tangency::message;
use tangency::message::{Message, Piece, Remedy, counted, given};
use tangency::view::{LoadingRow, LoadingsView};
use tangency::{Error, Result};

/// Runs the command.
pub fn run(args: &LoadingsArgs, say: Say) -> Result<()> {
    args.out.as_deref().map(TableWriter::check).transpose()?;
    let out = crate::rows::claims(args.force, [&args.model]).claim_if(&args.out)?;
    let model = load_model(&args.model)?;
    let points = chosen(&model, &args.choice)?;
    let average = LoadingsView::new(&model, &points)?;
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
                let mut cells = cells(&LoadingsView::new(&model, &[i])?);
                cells.insert(0, ids);
                writer.write(&cells)?;
            }
        } else {
            writer.write(&cells(&average))?;
        }
        writer.finish()?;
    }
    let described = average.directions(args.top);
    say.line(&described_choice(&model, &points));
    for (axis, features) in average.axes.iter().zip(&described) {
        say.line(&format!("per unit of {axis} (and per standard deviation, in those of the feature):"));
        let width = features.iter().map(|row| row.feature.chars().count()).max().unwrap_or(0);
        for LoadingRow { feature, mean, sd, standardised, .. } in features {
            say.line(&format!("  {feature:width$}  {mean:+.4} ± {sd:.4}   ({standardised:+.2})"));
        }
    }
    say.line(&format!("± is {}", deviations_in_words(average.deviations)));
    if let Some(out) = &out {
        say.line(&format!("wrote {}", out.path().display()));
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    say.result(&json!({
        "n_points": points.len(),
        "axes": average.axes,
        "deviations": average.deviations,
        "directions": described,
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
        count => format!("average over {count} of {}", counted(n, "point")),
    }
}

/// What is behind the ± of loadings.
pub fn deviations_in_words(deviations: LoadingDeviations) -> &'static str {
    match deviations {
        LoadingDeviations::Exact => "the standard deviation at this point",
        LoadingDeviations::Sampled => "the standard deviation of the average, from draws of all points together",
        LoadingDeviations::Independent => {
            "a standard deviation as if points were independent, as the factorised engine takes them, and so too small"
        }
        LoadingDeviations::Limit => {
            "the most that the standard deviation can be; fit the table again to know it better"
        }
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

fn cells(loadings: &LoadingsView) -> Vec<Cells> {
    let mut cells = vec![Cells::Text(loadings.features.clone())];
    for table in [&loadings.mean, &loadings.deviation] {
        let column = |a: usize| Cells::Numbers(table.iter().map(|row| row[a]).collect());
        cells.extend((0..loadings.axes.len()).map(column));
    }
    cells
}
