//! `tangency info`: a model in words, or as JSON. `fit` and `demo` end with the same summary.

use crate::args::InfoArgs;
use crate::say::Say;
use crate::words::Flags;
use serde_json::{Value, json};
use tangency::fit::{DimensionChoice, FeatureChoice, NeighborsChoice, NoiseChoice, TriedNeighbors, TriedWeight};
use tangency::inference::{Deviations, EngineKind, EngineNotes, Solver, Stop};
use tangency::io::{Model, load_model};
use tangency::message;
use tangency::message::{Piece, Remedy, Sentence, counted, given};
use tangency::model::{FeatureNoise, KnownKind, ScalingReason};
use tangency::view::{
    CalibrationRow, CoordinateRow, DistanceRow, FeatureRow, GroupsView, KnownRow, KnownView, LengthsRow, MissingRow,
    StructureView, Summary, ViewRow,
};
use tangency::{Choice, Error, Metric, Result, ScalingChoice};

/// Features with missing entries that are named.
const NAMED: usize = 6;

/// Runs the command.
pub fn run(args: &InfoArgs, say: Say) -> Result<()> {
    let model = load_model(&args.model)?;
    let distances = args
        .distance
        .iter()
        .map(|pair| {
            let (i, j) = two_points(&model, pair, "distance")?;
            Ok(DistanceRow::new(pair, args.level, model.fit.distance_interval(i, j, args.level)?))
        })
        .collect::<Result<Vec<_>>>()?;
    warnings(&model).iter().for_each(|text| say.warn(text));
    summary(&model, say.verbose).iter().for_each(|line| say.line(line));
    for DistanceRow { pair, level, of_means, lower, upper, .. } in &distances {
        say.line(&format!(
            "distance {pair}: {of_means:.4} between the means; with probability {level} between {lower:.4} and {upper:.4}"
        ));
    }
    let mut result = as_json(&model);
    if !distances.is_empty() {
        result["distances"] = json!(distances);
    }
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

/// A model in short, with its cautions in the words of the command.
pub fn view(model: &Model) -> Summary {
    Summary::new(model, warnings(model))
}

/// What a person wants to know of a model.
pub fn summary(model: &Model, verbose: bool) -> Vec<String> {
    let shown = view(model);
    let axis = |row: &CoordinateRow| format!("{} spreads {:.3}, known to ±{:.3}", row.name, row.spread, row.deviation);
    let coordinates: Vec<String> = shown.coordinates.iter().map(axis).collect();
    let paper = model.fit.graph_model.is_none();
    let known = shown.hyperparameters.named().filter(|(name, _)| !(paper && *name == "heaviness"));
    let hyper: Vec<String> = known.map(|(name, value)| format!("{name} {}", size(value))).collect();
    let mut lines = vec![
        format!(
            "{}, {} ({}) → {}",
            counted(shown.n, "point"),
            counted(shown.n_features, "feature"),
            shortened(&shown.feature_names),
            counted(shown.n_components, "coordinate")
        ),
        format!(
            "graph: {}, {:.1} neighbours per point{}{}",
            counted(shown.n_edges, "edge"),
            shown.mean_degree(),
            match shown.config.metric {
                Metric::Euclidean => String::new(),
                other => format!(", metric {other}"),
            },
            match shown.n_removed {
                0 => String::new(),
                removed => format!(", {removed} removed as short-circuits"),
            }
        ),
        format!("coordinates (standard deviation, median uncertainty): {}", coordinates.join("; ")),
        format!(
            "bound {:.1} nats, {:.3} per point ({:.1} in scaled units)",
            shown.bound, shown.bound_per_point, shown.bound_scaled
        ),
    ];
    lines.splice(0..0, shown.glance.clone());
    lines.extend(verbose.then(|| hyper.join(", ")));
    lines.extend(shown.missing.as_ref().map(|row| missing(row, shown.n)));
    lines.extend(shown.structure.iter().flat_map(structure));
    lines.extend((!shown.views.is_empty()).then(|| views(&shown.views)));
    let taken = shown.noise.map_or(shown.config.feature_noise, |choice| choice.taken);
    let rows = shown.feature_noise.as_deref().filter(|_| taken == FeatureNoise::Own);
    lines.extend(shown.noise.as_ref().map(noise_choice));
    lines.extend(rows.map(noise));
    lines.extend(shown.scaling.and_then(|choice| scaling(&choice, &shown.feature_names, verbose)));
    lines.extend(shown.neighbors.as_ref().map(neighbors));
    lines.extend(shown.dimension.as_ref().map(dimension));
    lines.extend(shown.features.as_ref().map(features));
    lines.extend(shown.lengths.as_ref().map(lengths));
    lines.extend([
        if shown.n_removed == 0 {
            format!(
                "{} after {} from the {} start",
                stopped(shown.stop),
                counted(shown.n_iter, "iteration"),
                shown.start
            )
        } else {
            format!(
                "{} on the pruned graph, the last refit in {}",
                stopped(shown.stop),
                counted(shown.n_iter, "iteration")
            )
        },
        engine(&shown.engine, model.fit.deviations),
    ]);
    lines.extend(recall(model));
    lines.extend(axes(model));
    lines.extend(shown.calibration.map(|CalibrationRow { parts, spread }| {
        format!(
            "calibrated on {parts} parts of the rows; the model's deviations of new rows are multiplied by {spread:.2}"
        )
    }));
    lines
}

/// What is known of the coordinates beyond the table.
fn structure(shown: &StructureView) -> Vec<String> {
    let mut lines = vec![];
    if let Some(KnownView { kind, values }) = &shown.known {
        let what = match kind {
            KnownKind::Anchors => "anchors",
            KnownKind::Covariates => "covariates",
        };
        let row = |row: &KnownRow| {
            let known = format!("{} of {}", row.name, counted(row.rows, "row"));
            match row.used {
                true => format!("{known}, rows deviate by {}, {:.1} nats", size(row.noise), row.gain),
                false => format!("{known}, not used: it has nothing to do with the coordinates"),
            }
        };
        lines.push(format!("{what}: {}", values.iter().map(row).collect::<Vec<_>>().join("; ")));
    }
    if let Some(GroupsView { count, names, sizes, labelled, unsure }) = &shown.groups {
        let sizes: Vec<String> = names.iter().zip(sizes).map(|(name, size)| format!("{name}: {size:.0}")).collect();
        let of = match labelled {
            0 => String::new(),
            labelled => {
                let classes = if names.len() == 1 { "1 class".to_owned() } else { format!("{} classes", names.len()) };
                format!(" of {classes}, {} labelled", counted(*labelled, "point"))
            }
        };
        lines.push(format!("{}{of} (points: {}), {unsure} unsure", counted(*count, "group"), sizes.join(", ")));
    }
    lines
}

/// Entries of the table that were missing, and that they were filled in.
fn missing(row: &MissingRow, points: usize) -> String {
    let MissingRow { entries, rows: with_gaps, by_feature } = row;
    let mut named: Vec<String> = by_feature.iter().take(NAMED).map(|(name, count)| format!("{name} {count}")).collect();
    if by_feature.len() > NAMED {
        named.push(counted(by_feature.len() - NAMED, "more feature"));
    }
    let (entries, rows) = (counted(*entries, "entry"), counted(points, "row"));
    format!("missing: {entries} in {with_gaps} of {rows}, found together with the map: {}", named.join(", "))
}

/// Groups of features: how much of each the map explains, and how noisy they are beside each other.
fn views(rows: &[ViewRow]) -> String {
    let row = |row: &ViewRow| {
        let explained = row.explained.map(|share| format!("variance explained {share:.3}, "));
        let count = counted(row.features.len(), "feature");
        format!("{} ({count}) {}noise {:.2}", row.name, explained.unwrap_or_default(), row.noise)
    };
    format!("views: {}", rows.iter().map(row).collect::<Vec<_>>().join("; "))
}

/// Whether features have a noise of their own, and why.
fn noise_choice(choice: &NoiseChoice) -> String {
    let NoiseChoice { taken, gain, error, shared, own, rows } = choice;
    if *rows == 0 {
        return "noise: shared by all features; there are too few whole rows to find out more".into();
    }
    let taken = match taken {
        FeatureNoise::Own => "each feature has its own",
        FeatureNoise::Shared | FeatureNoise::Auto => "shared by all features",
    };
    format!(
        "noise: {taken}; with its own for each, {rows} rows that were held out are likelier by {gain:.3} ± {error:.3} nats, and \
         trustworthiness is {own:.4}, not {shared:.4}"
    )
}

/// The features with the least and the most noise beside what is explained of them.
fn noise(rows: &[FeatureRow]) -> String {
    let mut order: Vec<&FeatureRow> = rows.iter().filter(|row| row.explained.is_some()).collect();
    order.sort_by(|a, b| a.explained.unwrap_or(0.0).total_cmp(&b.explained.unwrap_or(0.0)));
    let shown = |row: &&FeatureRow| format!("{} {:.2}", row.name, row.explained.unwrap_or(0.0));
    let least: Vec<String> = order.iter().take(NAMED).map(shown).collect();
    format!("noise: each feature has its own; the least is explained of {}", least.join(", "))
}

/// How features were scaled, where that is no matter of course.
fn scaling(choice: &ScalingChoice, names: &[String], verbose: bool) -> Option<String> {
    let name = names.get(choice.largest).map_or("one feature", String::as_str);
    let holds = format!("{} alone holds {:.1} % of the variance", name, 100.0 * choice.share);
    match choice.reason {
        ScalingReason::Alike => {
            verbose.then(|| "scaling: all features by one number, since they vary by amounts of one size".into())
        }
        ScalingReason::Units => Some(format!(
            "scaling: each feature by its own spread, since their units seem to differ: {holds} (--scaling max-abs leaves it so)"
        )),
        ScalingReason::Axes => Some(format!(
            "scaling: all features by one number, since they look like principal components: {holds} (--scaling per-feature makes all count alike)"
        )),
    }
}

/// How the number of neighbours was found.
fn neighbors(choice: &NeighborsChoice) -> String {
    let NeighborsChoice { taken, rows, tried } = choice;
    let behind = |row: &TriedNeighbors| match row.behind {
        0.0 => format!("{} the likeliest", row.n_neighbors),
        behind => format!("{} {behind:.3} ± {:.3}", row.n_neighbors, row.error),
    };
    let all: Vec<String> = tried.iter().map(behind).collect();
    match all.len() {
        0 => format!("neighbours: {taken}; {rows} rows are too few to find a number"),
        _ => format!(
            "neighbours: {taken}, the fewest within one standard error of the likeliest by rows held out (of {rows}); behind, in \
             nats per row: {}",
            all.join(", ")
        ),
    }
}

/// How the number of coordinates was found, and what the bound says of it.
fn dimension(choice: &DimensionChoice) -> String {
    let DimensionChoice { taken, spreads, points, bounds } = choice;
    let spreads: Vec<String> = spreads.iter().map(|spread| format!("{spread:.2}")).collect();
    let bounds: Vec<String> = bounds.iter().map(|row| format!("{} {:.1}", row.n_components, row.bound)).collect();
    format!(
        "dimensions: {taken} of {} are used (spreads {} steps along an edge, from {points} points); bound by dimension: {}",
        spreads.len(),
        spreads.join(", "),
        bounds.join(", ")
    )
}

/// How much the features counted against the graph, and what else was tried.
fn features(choice: &FeatureChoice) -> String {
    let weight = |tried: &TriedWeight| match tried.weight {
        None => "the paper's model".to_owned(),
        Some(weight) if tried.from_start => format!("{weight} from the start itself"),
        Some(weight) => weight.to_string(),
    };
    let all: Vec<String> =
        choice.tried.iter().map(|tried| format!("{} {:.4}", weight(tried), tried.trustworthiness)).collect();
    let taken = choice.tried.get(choice.taken).map(weight).unwrap_or_default();
    match choice.tried.len() {
        0 | 1 => format!("weight of the features: {taken}"),
        _ if choice.tried.get(choice.taken).is_some_and(|tried| tried.from_start) => {
            format!("weight of the features: {taken}, which the graph alone would fold ({})", all.join(", "))
        }
        _ => format!("weight of the features: {taken}, the largest that keeps neighbourhoods ({})", all.join(", ")),
    }
}

/// Whether distances on the map are those of the table.
fn lengths(row: &LengthsRow) -> String {
    let trust = format!("trustworthiness {:.4}", row.trustworthiness);
    let before = format!("{:.4}", row.trustworthiness_before);
    if !row.taken {
        return format!(
            "lengths: not those of the table, with which neighbourhoods would be lost ({trust}, not {before})"
        );
    }
    let unit = row.unit.map_or(String::new(), |unit| format!("; 1 on the map is {unit:.3} in the table"));
    let (off, off_before) = (100.0 * row.off, 100.0 * row.off_before);
    format!("lengths: those of the table within {off:.1} % ({off_before:.1} % before; {trust}, before {before}){unit}")
}

/// A hyper-parameter, which may be of any size.
fn size(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.2e}") } else { format!("{value:.4}") }
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
    json!(view(model))
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
