//! Figures of where the points are: map, tangents, edges.

use super::{PlotOutput, unfit};
use crate::args::PlotArgs;
use crate::info;
use tangency::io::Model;
use tangency::message;
use tangency::message::{Piece, Remedy, counted, given};
use tangency::view::{EdgesView, FIRST_AXES, MapView};
use tangency::{Error, Result};
use tangency_report::{self as draw, Colour, Format};

const TOP_EDGES: usize = 20;
/// More labels than this that are all numbers are a scale and not names.
const MOST_NAMES: usize = 24;
/// Length of a tangent line and side of a tangent plane by the median length of an edge, so that they nearly cover the
/// manifold.
const SIDES: [f64; 2] = [1.6, 0.75];

pub fn map(model: &Model, args: &PlotArgs, format: Format) -> Result<PlotOutput> {
    let fit = &model.fit;
    let view = MapView::new(fit);
    let title;
    let numbers;
    let labels = |title| model.labels.as_ref().map(|labels| Colour::Categorical { labels, title });
    let colour = match args.colour.as_deref() {
        None if model.labels.is_none() => Colour::None,
        Some("none") => Colour::None,
        Some("uncertainty") => Colour::Continuous { values: &view.uncertainty, title: "standard deviation" },
        None | Some("label") => {
            let Some(named) = labels("label") else {
                let features = info::shortened(&model.feature_names);
                let problem = message![
                    Piece::Setting("colour"),
                    " is label, but the model was fitted without ",
                    Piece::Setting("label_column")
                ];
                let remedy = format!("use uncertainty, none or a feature of the model ({features})");
                return unfit("colour", problem, Remedy::act(remedy));
            };
            numbers = model.labels.as_deref().and_then(as_scale);
            match &numbers {
                Some(values) => Colour::Continuous { values, title: "label" },
                None => named,
            }
        }
        Some(feature) => {
            let Some(f) = feature_number(model, feature) else {
                let features = info::shortened(&model.feature_names);
                let problem =
                    message![Piece::Setting("colour"), " is \"", given(feature), "\", which the model does not have"];
                let remedy = format!("use label, uncertainty, none or a feature of the model ({features})");
                return unfit("colour", problem, Remedy::act(remedy));
            };
            title = model.feature_names[f].clone();
            Colour::Continuous { values: fit.observations.col_as_slice(f), title: &title }
        }
    };
    Ok(draw::embedding(&view.coordinates, draw::PointUncertainty::Covariances(&view.covariances), colour, format))
}

/// Labels as numbers, if they are that and too many to be names; one that is missing is no number.
fn as_scale(labels: &[String]) -> Option<Vec<f64>> {
    let mut different: Vec<&str> = labels.iter().map(|label| label.trim()).collect();
    different.sort_unstable();
    different.dedup();
    let number = |label: &String| match label.trim() {
        "" => Some(f64::NAN),
        text => text.parse().ok(),
    };
    labels.iter().map(number).collect::<Option<Vec<f64>>>().filter(|_| different.len() > MOST_NAMES)
}

/// A feature by name, or by number from 1.
fn feature_number(model: &Model, text: &str) -> Option<usize> {
    let names = &model.feature_names;
    let by_number = || text.parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number)).map(|n| n - 1);
    names.iter().position(|name| name == text).or_else(by_number)
}

pub fn tangents(model: &Model, args: &PlotArgs, format: Format) -> Result<PlotOutput> {
    let fit = &model.fit;
    let (d_x, d_y) = (fit.coordinates.ncols(), fit.observations.ncols());
    let axes: Vec<usize> = match (args.columns.is_empty(), d_y) {
        (true, 3) => vec![0, 1, 2],
        (_, 0..=2) => {
            let kind = Piece::Assignment("kind", "tangents".into());
            let problem = message![kind, format!(" draws three features, but the model has {d_y}")];
            return unfit("kind", problem, Remedy::Change("kind"));
        }
        (true, _) => {
            let example = model.feature_names[..3].join(",");
            let kind = Piece::Assignment("kind", "tangents".into());
            let problem = message![kind, format!(" draws three features, and the model has {d_y}")];
            return unfit("columns", problem, Remedy::Set("columns", example));
        }
        (false, _) => args
            .columns
            .iter()
            .map(|text| {
                feature_number(model, text).ok_or_else(|| {
                    let features = info::shortened(&model.feature_names);
                    let problem = message![
                        Piece::Setting("columns"),
                        " names \"",
                        given(text),
                        "\", which is no feature of the model"
                    ];
                    Error::unfit("columns", problem, [Remedy::act(format!("choose among its features ({features})"))])
                })
            })
            .collect::<Result<_>>()?,
    };
    let &[a, b, c] = &axes[..] else {
        let problem = message![
            Piece::Setting("columns"),
            format!(" names {}, but three are drawn", counted(axes.len(), "feature"))
        ];
        return unfit("columns", problem, Remedy::act("name three features"));
    };
    if a == b || b == c || a == c {
        let problem = message![Piece::Setting("columns"), " names a feature twice"];
        return unfit("columns", problem, Remedy::act("name three different features"));
    }
    let axes = [a, b, c];
    let every = args.every.unwrap_or(1);
    if every > fit.n() {
        return Err(Error::too_large("every", every, format!("the model has only {}", counted(fit.n(), "point"))));
    }
    let points: Vec<[f64; 3]> = (0..fit.n()).map(|i| axes.map(|f| fit.observations[(i, f)])).collect();
    let d_t = d_x.min(SIDES.len());
    let direction = |i: usize, a: usize| axes.map(|f| fit.scaling.scale[f] * fit.maps[(f, i * d_x + a)]);
    let directions: Vec<Vec<[f64; 3]>> = (0..fit.n()).map(|i| (0..d_t).map(|a| direction(i, a)).collect()).collect();
    let apart = |&(i, j): &(u32, u32)| {
        let (p, q) = (points[i as usize], points[j as usize]);
        (0..3).map(|axis| (p[axis] - q[axis]).powi(2)).sum::<f64>().sqrt()
    };
    let mut lengths: Vec<f64> = fit.graph.edges().iter().map(apart).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0.0);
    let tangents = draw::Tangents {
        points: &points,
        directions: &directions,
        side: SIDES[d_t - 1] * median * (every as f64).powf(1.0 / d_t as f64),
        every,
        axes: axes.map(|f| model.feature_names[f].as_str()),
        view: args.view.as_deref().map_or(Ok(draw::Tangents::default().view), view)?,
    };
    let colour = Colour::Continuous { values: fit.coordinates.col_as_slice(0), title: FIRST_AXES[0] };
    Ok(draw::tangents(&tangents, colour, format))
}

fn view(text: &str) -> Result<(f64, f64)> {
    let number = |word: &str| word.trim().parse::<f64>().ok().filter(|degrees| degrees.abs() <= 360.0);
    let found = text.split_once(',').and_then(|(around, above)| Some((number(around)?, number(above)?)));
    match found.filter(|(_, above)| above.abs() <= 90.0) {
        Some(view) => Ok(view),
        None => {
            let problem = message![
                Piece::Setting("view"),
                " is \"",
                given(text),
                "\", which is not degrees around and degrees above from -90 to 90"
            ];
            unfit("view", problem, Remedy::act("write it like -72,14"))
        }
    }
}

pub fn edges(model: &Model, args: &PlotArgs, format: Format) -> Result<PlotOutput> {
    let top = args.top.unwrap_or(TOP_EDGES);
    let edges: Vec<draw::Edge> = EdgesView::new(model)?
        .edges
        .iter()
        .enumerate()
        .map(|(rank, edge)| draw::Edge {
            ends: (edge.points.0 as usize, edge.points.1 as usize),
            score: (rank < top).then_some(edge.score),
        })
        .collect();
    Ok(draw::graph(&MapView::new(&model.fit).coordinates, &edges, "score", format))
}
