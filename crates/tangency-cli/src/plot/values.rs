//! Figures of what the model says in numbers: bound, loadings, grid.

use super::{Drawn, unfit};
use crate::args::PlotArgs;
use crate::loadings::{chosen, described_choice, ranked};
use crate::reconstruct::counts;
use crate::rows::other_image;
use crate::rows::{extension, image_shape};
use tangency::extend::Predicts;
use tangency::io::Model;
use tangency::message;
use tangency::message::{Piece, Remedy, given};
use tangency::{BoundParts, Fit, Result, ScalingRule, TracePoint};
use tangency_report::{self as draw, Format};

const TOP_FEATURES: usize = 10;
const GRID: usize = 12;
/// More cells along a side cannot be told apart.
const MOST_CELLS: usize = 60;

pub fn bound(fit: &Fit, format: Format) -> Drawn {
    let jacobian = fit.scaling.log_jacobian(fit.n());
    let trace = &fit.trace;
    let line = |value: &dyn Fn(&TracePoint) -> f64| trace.iter().map(value).collect::<Vec<f64>>();
    // Parts are large and change little, so what is drawn is how far they are from their last values.
    let part = |of: fn(&BoundParts) -> f64| {
        line(&|point| point.parts.as_ref().map_or(f64::NAN, |parts| of(parts) - of(&fit.parts)))
    };
    let tracks = [
        draw::Track {
            title: "bound, nats",
            lines: vec![("bound", line(&|point| point.bound_scaled - jacobian))],
            logarithmic: false,
        },
        draw::Track {
            title: "parts − last, nats",
            lines: vec![
                ("likelihood", part(|parts| parts.likelihood)),
                ("log-determinant", part(|parts| parts.log_determinant)),
                ("maps", part(|parts| parts.maps)),
                ("coordinates", part(|parts| parts.coordinates)),
            ],
            logarithmic: false,
        },
        draw::Track {
            title: "hyper-parameters",
            lines: vec![
                ("γ", line(&|point| point.hyper.gamma)),
                ("λ", line(&|point| point.hyper.lambda)),
                ("ν", line(&|point| point.hyper.nu)),
                ("α", line(&|point| point.hyper.alpha)),
            ],
            logarithmic: true,
        },
    ];
    let BoundParts { likelihood, log_determinant, maps, coordinates } = fit.parts;
    let mut notes = vec![format!(
        "last: bound {:.1} = likelihood {:.1}, log-determinant {log_determinant:.1}, maps {maps:.1}, coordinates {coordinates:.1} nats",
        fit.bound(),
        likelihood - jacobian,
    )
    .replace('-', "\u{2212}")
    .replace("log\u{2212}", "log-")];
    if trace.iter().all(|point| point.hyper.nu == 0.0) {
        notes.push("ν is 0".to_owned());
    }
    let iterations: Vec<f64> = trace.iter().map(|point| point.iteration as f64).collect();
    draw::history(&iterations, &tracks, "iteration", &notes, format)
}

pub fn loadings(model: &Model, args: &PlotArgs, format: Format) -> Result<Drawn> {
    let points = chosen(model, &args.choice)?;
    let found = tangency::extend::loadings(&model.fit, &points)?;
    let strongest = ranked(model, &found, args.top.unwrap_or(TOP_FEATURES));
    let headings: Vec<String> = (1..=strongest.len()).map(|a| format!("coordinate {a}")).collect();
    let groups: Vec<draw::BarGroup> = strongest
        .iter()
        .zip(&headings)
        .map(|(features, heading)| draw::BarGroup {
            heading,
            bars: features
                .iter()
                .map(|feature| draw::Bar {
                    name: feature.name,
                    value: feature.strength(),
                    deviation: feature.deviation * feature.standard,
                })
                .collect(),
        })
        .collect();
    let notes = [
        "change with one standard deviation of the coordinate, in standard deviations of the feature".to_owned(),
        described_choice(model, &points),
        "error bars: 2 standard deviations".to_owned(),
    ];
    Ok(draw::bars(&groups, "change", &notes, format))
}

pub fn grid(model: &Model, args: &PlotArgs, format: Format) -> Result<Drawn> {
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
    let (columns, rows) = (sizes[0], sizes.get(1).copied().unwrap_or(1));
    sizes.resize(d_x, 1);
    let extension = extension(model, None)?;
    let places = extension.grid(&sizes)?;
    let found = extension.reconstruct(&places, Predicts::Measurement)?;
    let (nearest, step) = (extension.distance_to_nearest(&places), extension.typical_step());
    // Features in units of their own cannot share an axis; as pixels they are drawn as they are.
    let own_units = fit.config.scaling == ScalingRule::PerFeature && !image;
    let (centre, unit) = (&fit.scaling.center, &fit.scaling.scale);
    let value = |i: usize, f: usize| match own_units {
        true => (found.values[(i, f)] - centre[f]) / unit[f],
        false => found.values[(i, f)],
    };
    let deviation = |i: usize, f: usize| found.deviations[(i, f)] / if own_units { unit[f] } else { 1.0 };
    let cells: Vec<draw::Cell> = (0..places.nrows())
        .map(|i| draw::Cell {
            values: (0..d_y).map(|f| value(i, f)).collect(),
            deviations: if image { vec![] } else { (0..d_y).map(|f| deviation(i, f)).collect() },
            known: match nearest[i] / step {
                distance if distance <= 1.0 => draw::Known::Well,
                distance if distance <= 2.0 => draw::Known::Badly,
                _ => draw::Known::Not,
            },
        })
        .collect();
    let x: Vec<f64> = (0..columns).map(|column| places[(column, 0)]).collect();
    let y: Vec<f64> = (0..rows).map(|row| if d_x > 1 { places[(row * columns, 1)] } else { 0.0 }).collect();
    let mut notes = Vec::new();
    if !image {
        let names = &model.feature_names;
        if let (Some(first), Some(last)) = (names.first(), names.last()) {
            let units = if own_units { " in standard deviations" } else { "" };
            notes.push(format!("the features from {first} to {last}{units}, with a band of 2 standard deviations"));
        }
    }
    if cells.iter().any(|cell| cell.known != draw::Known::Well) {
        notes.push("pale or empty: far from every point".to_owned());
    }
    match d_x {
        0..=2 => {}
        3 => notes.push("coordinate 3 at the middle of its range".to_owned()),
        _ => notes.push(format!("the other {} coordinates at the middle of their ranges", d_x - 2)),
    }
    let lattice = draw::Lattice { x: &x, y: &y, cells: &cells, shape };
    Ok(draw::lattice(&lattice, &notes, format))
}
