//! Figures of what the model says in numbers: bound, loadings, grid.

use super::{PlotOutput, unfit};
use crate::args::PlotArgs;
use crate::loadings::{chosen, described_choice, deviations_in_words};
use crate::reconstruct::counts;
use crate::rows::other_image;
use crate::rows::{extension, image_shape};
use tangency::extend::Predicts;
use tangency::io::Model;
use tangency::message;
use tangency::message::{Piece, Remedy, given};
use tangency::view::{BoundView, GridPlaces, GridView, Known, LoadingsView, NamedSeries, REACH};
use tangency::{Fit, Result, ScalingRule};
use tangency_report::{self as draw, Format};

const TOP_FEATURES: usize = 10;
const GRID: usize = 12;
/// More cells along a side cannot be told apart.
const MOST_CELLS: usize = 60;

pub fn bound(fit: &Fit, format: Format) -> PlotOutput {
    let view = BoundView::new(fit);
    // Parts are large and change little, so what is drawn is how far they are from their last values.
    let apart = |part: &NamedSeries| (part.label, part.values.iter().map(|value| value - part.last).collect());
    let tracks = [
        draw::Track { title: "bound, nats", lines: vec![("bound", view.bound.clone())], logarithmic: false },
        draw::Track {
            title: "parts − last, nats",
            lines: view.parts.iter().filter(|part| !part.values.is_empty()).map(apart).collect(),
            logarithmic: false,
        },
        draw::Track {
            title: "hyper-parameters",
            lines: view.hyperparameters.iter().map(|hyper| (hyper.label, hyper.values.clone())).collect(),
            logarithmic: true,
        },
    ];
    let mut notes = vec![last(&view)];
    let zero = view.hyperparameters.iter().filter(|hyper| hyper.values.iter().all(|&value| value == 0.0));
    notes.extend(zero.map(|hyper| format!("{} is 0", hyper.label)));
    let iterations: Vec<f64> = view.iterations.iter().map(|&iteration| iteration as f64).collect();
    draw::history(&iterations, &tracks, "iteration", &notes, format)
}

/// The bound of the fit and what it is made of.
fn last(view: &BoundView) -> String {
    let number = |value: f64| format!("{value:.1}").replace('-', "\u{2212}");
    let parts: Vec<String> = view.parts.iter().map(|part| format!("{} {}", part.label, number(part.last))).collect();
    format!("last: bound {} = {} nats", number(view.last), parts.join(", "))
}

pub fn loadings(model: &Model, args: &PlotArgs, format: Format) -> Result<PlotOutput> {
    let points = chosen(model, &args.choice)?;
    let view = LoadingsView::new(model, &points)?;
    let strongest = view.directions(args.top.unwrap_or(TOP_FEATURES));
    let groups: Vec<draw::BarGroup> = strongest
        .iter()
        .zip(&view.axes)
        .map(|(features, heading)| draw::BarGroup {
            heading,
            bars: features
                .iter()
                .map(|row| draw::Bar { name: &row.feature, value: row.standardised, deviation: row.standardised_sd })
                .collect(),
        })
        .collect();
    let notes = [
        "change with one standard deviation of the coordinate, in standard deviations of the feature".to_owned(),
        described_choice(model, &points),
        format!("error bars: {REACH} times {}", deviations_in_words(view.deviations)),
    ];
    Ok(draw::bars(&groups, "change", &notes, format))
}

pub fn grid(model: &Model, args: &PlotArgs, format: Format) -> Result<PlotOutput> {
    let fit = &model.fit;
    let (d_x, d_y) = (fit.coordinates.ncols(), fit.observations.ncols());
    let plane = d_x.min(2);
    let mut sizes = match &args.grid {
        None => vec![GRID; plane],
        Some(text) => match counts(text).filter(|sizes| sizes.len() == plane && sizes.iter().all(|&s| s <= MOST_CELLS))
        {
            Some(sizes) => sizes,
            None => {
                let example = vec!["12"; plane].join("x");
                let numbers = if plane == 1 { "a number is" } else { "two numbers are" };
                let problem = message![
                    Piece::Setting("grid"),
                    " is \"",
                    given(text),
                    format!("\", but {numbers} from 1 to {MOST_CELLS}")
                ];
                return unfit("grid", problem, Remedy::act(format!("write it like {example}")));
            }
        },
    };
    let shape = match args.image.as_deref().map(image_shape).transpose()? {
        None => draw::CellShape::Profile,
        Some((rows, columns)) if rows.checked_mul(columns) == Some(d_y) => {
            draw::CellShape::Image(draw::TileShape { rows, columns })
        }
        Some((rows, columns)) => {
            return Err(other_image(rows, columns, d_y));
        }
    };
    let image = matches!(shape, draw::CellShape::Image(_));
    sizes.resize(d_x, 1);
    let extension = extension(model, None)?;
    let grid = GridPlaces::new(&extension, &sizes)?;
    let GridView { expected: found, known, .. } = grid.read_all(Predicts::Measurement)?;
    // Features in units of their own cannot share an axis; as pixels they are drawn as they are.
    let own_units = fit.config.scaling == ScalingRule::PerFeature && !image;
    let (centre, unit) = (&fit.scaling.center, &fit.scaling.scale);
    let value = |i: usize, f: usize| match own_units {
        true => (found.values[(i, f)] - centre[f]) / unit[f],
        false => found.values[(i, f)],
    };
    let deviation = |i: usize, f: usize| found.deviations[(i, f)] / if own_units { unit[f] } else { 1.0 };
    let cells: Vec<draw::LatticeCell> = (0..grid.count())
        .map(|i| draw::LatticeCell {
            values: (0..d_y).map(|f| value(i, f)).collect(),
            deviations: if image { vec![] } else { (0..d_y).map(|f| deviation(i, f)).collect() },
            known: known[i],
        })
        .collect();
    let (x, y) = (grid.ticks(0), if d_x > 1 { grid.ticks(1) } else { vec![0.0] });
    let mut notes = Vec::new();
    if !image {
        let names = &model.feature_names;
        if let (Some(first), Some(last)) = (names.first(), names.last()) {
            let units = if own_units { " in standard deviations" } else { "" };
            notes.push(format!(
                "the features from {first} to {last}{units}, with a band of {REACH} standard deviations"
            ));
        }
    }
    if cells.iter().any(|cell| cell.known != Known::Well) {
        notes.push("pale or empty: far from every point".to_owned());
    }
    match d_x {
        0..=2 => {}
        3 => notes.push(format!("{} at the middle of its range", grid.axes[2])),
        _ => notes.push(format!("the other {} coordinates at the middle of their ranges", d_x - 2)),
    }
    let lattice = draw::Lattice { x: &x, y: &y, cells: &cells, shape };
    Ok(draw::lattice(&lattice, &notes, format))
}
