//! `tangency plot`: one figure of a model, as SVG, PNG or PDF.

mod places;
mod values;

use crate::args::{PlotArgs, PlotKind};
use crate::figure_file::cannot_be_drawn;
use crate::figure_file::{FileKind, SCALE};
use crate::info;
use crate::rows;
use crate::say::{self, Say};
use serde_json::json;
use tangency::io::load_model;
use tangency::message;
use tangency::message::{Message, Piece, Remedy};
use tangency::{Error, Result};
use tangency_report::{Figure, FigureError, Format};

/// Widths on paper, in millimetres.
const WIDTHS: std::ops::RangeInclusive<f64> = 40.0..=1000.0;
const SCALES: std::ops::RangeInclusive<f64> = 0.25..=20.0;

/// Runs the command.
pub fn run(args: &PlotArgs, say: Say) -> Result<()> {
    let path = args.out.clone().unwrap_or_else(|| rows::beside(&args.model, &args.kind.to_string(), "svg"));
    let kind = FileKind::of(&path, "out")?;
    check(args, kind)?;
    let out = crate::rows::claims(args.force, [&args.model]).claim(&path)?;
    let model = load_model(&args.model)?;
    let format = Format { title: args.title.as_deref().unwrap_or_default(), width: Some(args.width) };
    let failed = |error: FigureError| cannot_be_drawn(&path, &error);
    let figure = match args.kind {
        PlotKind::Map => places::map(&model, args, format)?,
        PlotKind::Tangents => places::tangents(&model, args, format)?,
        PlotKind::Bound => values::bound(&model.fit, format),
        PlotKind::Edges => places::edges(&model, args, format)?,
        PlotKind::Loadings => values::loadings(&model, args, format)?,
        PlotKind::Grid => values::grid(&model, args, format)?,
    }
    .map_err(failed)?;
    let bytes = kind.bytes(&figure, args.scale.unwrap_or(SCALE)).map_err(failed)?;
    out.write(|file| file.write_all(&bytes))?;
    say.line(&format!("wrote {}", out.path().display()));
    let warnings = info::warnings(&model);
    warnings.iter().for_each(|text| say.warn(text));
    say.result(&json!({"kind": args.kind, "warnings": warnings, "written": say::names([out.path()])}));
    Ok(())
}

type PlotOutput = std::result::Result<Figure, FigureError>;

fn unfit<T>(name: &'static str, problem: impl Into<Message>, remedy: Remedy) -> Result<T> {
    Err(Error::unfit(name, problem, [remedy]))
}

/// Numbers in their limits, and no option that this kind of figure has no use for.
fn check(args: &PlotArgs, file: FileKind) -> Result<()> {
    use PlotKind::{Edges, Grid, Loadings, Map, Tangents};
    let choice = &args.choice;
    let options: [(&'static str, bool, &[PlotKind]); 10] = [
        ("colour", args.colour.is_some(), &[Map]),
        ("columns", !args.columns.is_empty(), &[Tangents]),
        ("every", args.every.is_some(), &[Tangents]),
        ("view", args.view.is_some(), &[Tangents]),
        ("top", args.top.is_some(), &[Edges, Loadings]),
        ("point", !choice.point.is_empty(), &[Loadings]),
        ("label", !choice.label.is_empty(), &[Loadings]),
        ("region", !choice.region.is_empty(), &[Loadings]),
        ("grid", args.grid.is_some(), &[Grid]),
        ("image", args.image.is_some(), &[Grid]),
    ];
    for (field, given, kinds) in options {
        if given && !kinds.contains(&args.kind) {
            let named: Vec<String> = kinds.iter().map(PlotKind::to_string).collect();
            let others = named.join(" and ");
            let kind = Piece::Assignment("kind", args.kind.to_string());
            let problem = message![Piece::Setting(field), " has no use with ", kind, format!(", only with {others}")];
            return unfit(field, problem, Remedy::Omit(field));
        }
    }
    if !WIDTHS.contains(&args.width) {
        let (least, most) = (WIDTHS.start(), WIDTHS.end());
        let problem = message![
            Piece::Setting("width"),
            format!(" is {}, but figures are from {least} to {most} millimetres wide", args.width)
        ];
        return unfit("width", problem, Remedy::Change("width"));
    }
    match args.scale {
        Some(_) if file != FileKind::Png => {
            let problem = message![
                Piece::Setting("scale"),
                " was given, but ",
                Piece::Setting("out"),
                " does not end in .png, and the other formats have no pixels"
            ];
            return unfit("scale", problem, Remedy::Omit("scale"));
        }
        Some(scale) if !SCALES.contains(&scale) => {
            let (least, most) = (SCALES.start(), SCALES.end());
            let problem =
                message![Piece::Setting("scale"), format!(" is {scale}, but only {least} to {most} can be drawn")];
            return unfit("scale", problem, Remedy::Change("scale"));
        }
        _ => {}
    }
    for (field, number) in [("every", args.every), ("top", args.top)] {
        if number == Some(0) {
            return Err(Error::too_small(field, 0, 1));
        }
    }
    Ok(())
}
