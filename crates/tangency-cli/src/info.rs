//! `tangency info`: a model in words, or as JSON. `fit` and `demo` end with the same summary.

use crate::args::InfoArgs;
use crate::say::Say;
use crate::words::Flags;
use serde_json::{Value, json};
use tangency::fit::Calibration;
use tangency::inference::{Deviations, EngineKind, EngineNotes, Solver, Stop};
use tangency::io::{Model, load_model};
use tangency::message;
use tangency::message::{Piece, Remedy, Sentence, given};
use tangency::{Choice, Error, Result};

/// Runs the command.
pub fn run(args: &InfoArgs, say: Say) -> Result<()> {
    let model = load_model(&args.model)?;
    let distances = args
        .distance
        .iter()
        .map(|pair| {
            let (i, j) = two_points(&model, pair, "distance")?;
            Ok((pair, model.fit.distance_interval(i, j, args.level)?))
        })
        .collect::<Result<Vec<_>>>()?;
    summary(&model).iter().for_each(|line| say.line(line));
    for (pair, found) in &distances {
        say.line(&format!(
            "distance {pair}: {:.4} between the means; with probability {} between {:.4} and {:.4}",
            found.of_means, args.level, found.lower, found.upper
        ));
    }
    let mut result = as_json(&model);
    if !distances.is_empty() {
        let listed = distances.iter().map(|(pair, found)| {
            json!({"pair": pair, "of_means": found.of_means, "level": args.level,
                "lower": found.lower, "median": found.median, "upper": found.upper})
        });
        result["distances"] = listed.collect();
    }
    warnings(&model).iter().for_each(|text| say.warn(text));
    say.result(&result);
    Ok(())
}

/// Two points of a model, named `I,J` by id or row number in this option.
pub fn two_points(model: &Model, pair: &str, field: &'static str) -> Result<(usize, usize)> {
    let (first, second) = pair.split_once(',').ok_or_else(|| {
        let problem = message![Piece::Setting(field), " is \"", given(pair), "\", but two points are needed"];
        Error::unfit(field, problem, [Remedy::act("give them as I,J")])
    })?;
    Ok((point(model, first, field)?, point(model, second, field)?))
}

/// A point of a model, named by id or row number in this option.
pub fn point(model: &Model, text: &str, field: &'static str) -> Result<usize> {
    (0..model.fit.n()).find(|&i| model.id(i) == text.trim()).ok_or_else(|| {
        let problem =
            message![Piece::Setting(field), " names \"", given(text.trim()), "\", which is no point of the model"];
        Error::unfit(
            field,
            problem,
            [Remedy::act("give its id, or its row of the table from 0 where there are no ids")],
        )
    })
}

/// What a person wants to know of a model.
pub fn summary(model: &Model) -> Vec<String> {
    let fit = &model.fit;
    let (n, d_x, d_y) = (fit.n(), fit.coordinates.ncols(), fit.observations.ncols());
    let edges = fit.graph.edges().len();
    let deviations = fit.standard_deviations();
    let spread = |a: usize| {
        let column = fit.coordinates.col_as_slice(a);
        (column.iter().map(|v| v * v).sum::<f64>() / n as f64).sqrt()
    };
    let median = |a: usize| {
        let mut column = deviations.col_as_slice(a).to_vec();
        column.sort_unstable_by(f64::total_cmp);
        column[n / 2]
    };
    let coordinates: Vec<String> =
        (0..d_x).map(|a| format!("x{} spreads {:.3}, known to ±{:.3}", a + 1, spread(a), median(a))).collect();
    let hyper = &fit.hyper;
    let mut lines = vec![
        format!("{n} points, {d_y} features ({}) → {d_x} coordinates", shortened(&model.feature_names)),
        format!(
            "graph: {edges} edges, {:.1} neighbours a point{}",
            2.0 * edges as f64 / n as f64,
            match fit.removed.len() {
                0 => String::new(),
                removed => format!(", {removed} removed as short-circuits"),
            }
        ),
        format!("coordinates (standard deviation, median uncertainty): {}", coordinates.join("; ")),
        format!(
            "bound {:.3} nats, {:.4} a point ({:.3} in scaled units)",
            fit.bound(),
            fit.bound() / n as f64,
            fit.bound_scaled()
        ),
        format!("gamma {:.4}, lambda {:.4}, nu {:.4}, alpha {:.2e}", hyper.gamma, hyper.lambda, hyper.nu, hyper.alpha),
        if fit.removed.is_empty() {
            format!("{} after {} iterations from the {} start", stopped(fit.stop), fit.trace.len(), fit.start)
        } else {
            format!("{} on the pruned graph, the last refit in {} iterations", stopped(fit.stop), fit.trace.len())
        },
        engine(&fit.engine, fit.deviations),
    ];
    lines.extend(recall(model));
    lines.extend(axes(model));
    lines.extend(fit.calibration.as_ref().map(|Calibration { folds, spread, .. }| {
        format!(
            "calibrated on {folds} parts of the rows; the model's deviations of new rows are multiplied by {spread:.2}"
        )
    }));
    lines
}

/// The engine and how it worked, in one line.
fn engine(notes: &EngineNotes, deviations: Deviations) -> String {
    let reason = notes.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let solver = match notes.solver {
        Solver::Dense => "dense inverses",
        Solver::Cholesky => "sparse Cholesky factors",
        Solver::Iterative => "conjugate gradients",
    };
    let error = match notes.bound_error > 0.0 {
        true => format!("; the bound is estimated to ±{:.2} nats", notes.bound_error),
        false => String::new(),
    };
    let deviations = match deviations {
        Deviations::Exact => "exact".to_owned(),
        Deviations::Sampled { draws, relative_error } => {
            format!("sampled from {draws} draws, ±{:.0} %", 100.0 * relative_error)
        }
        Deviations::Conditional => "conditional, of a point while all others are held, and so too small".to_owned(),
    };
    format!("engine: {}{reason}, {solver}{error}; deviations: {deviations}", notes.kind)
}

fn recall(model: &Model) -> Option<String> {
    let share =
        |recall: f64| format!("neighbours: searched approximately, {:.1} % of the true ones found", 100.0 * recall);
    model.fit.recall.map(share)
}

fn axes(model: &Model) -> Option<String> {
    model.fit.reduced.map(|(axes, share)| {
        let all = model.fit.observations.ncols();
        format!("pca: fitted along {axes} of {all} principal axes, which hold {:.1} % of the variance", 100.0 * share)
    })
}

/// What was decided for the user, or should be known of what was asked for, right after a fit.
pub fn decided(model: &Model) -> Vec<String> {
    let notes = &model.fit.engine;
    let chosen = notes.reason.as_ref().filter(|_| notes.kind == EngineKind::Factorised);
    let engine = chosen.map(|reason| format!("the factorised engine was taken, because {reason}"));
    engine.into_iter().chain(recall(model)).chain(axes(model)).collect()
}

/// What a person should know before trusting a model.
pub fn warnings(model: &Model) -> Vec<String> {
    model.cautions().iter().map(|caution| caution.in_words(&Flags)).collect()
}

/// A model for machines, without its arrays.
pub fn as_json(model: &Model) -> Value {
    let fit = &model.fit;
    json!({
        "n": fit.n(),
        "n_features": fit.observations.ncols(),
        "n_components": fit.coordinates.ncols(),
        "feature_names": model.feature_names,
        "n_edges": fit.graph.edges().len(),
        "bridges": fit.bridges,
        "n_removed": fit.removed.len(),
        "calibration": fit.calibration.as_ref().map(|c| json!({"parts": c.folds, "spread": c.spread})),
        "bound": fit.bound(),
        "bound_per_point": fit.bound() / fit.n() as f64,
        "bound_scaled": fit.bound_scaled(),
        "bound_parts_scaled": fit.parts,
        "hyperparameters": fit.hyper,
        "n_iter": fit.trace.len(),
        "stop": fit.stop,
        "start": fit.start,
        "start_seed": fit.start_seed,
        "engine": fit.engine,
        "deviations": deviations_json(fit.deviations),
        "recall": fit.recall,
        "pca": fit.reduced.map(|(axes, share)| json!({"axes": axes, "share": share})),
        "config": fit.config,
        "warnings": warnings(model),
    })
}

fn deviations_json(deviations: Deviations) -> Value {
    match deviations {
        Deviations::Sampled { draws, relative_error } => {
            json!({"kind": deviations.kind(), "draws": draws, "relative_error": relative_error})
        }
        Deviations::Exact | Deviations::Conditional => json!({"kind": deviations.kind()}),
    }
}

fn stopped(stop: Stop) -> &'static str {
    match stop {
        Stop::MaxIterations => "stopped at the limit",
        stop => stop.name(),
    }
}

/// Names in a row, of many only some.
pub fn shortened(names: &[String]) -> String {
    if names.len() <= 6 {
        return names.join(", ");
    }
    format!("{}, {}, … {}", names[0], names[1], names[names.len() - 1])
}
