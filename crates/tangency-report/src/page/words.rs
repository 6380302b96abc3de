//! A model in words: how it stopped, facts for the head of the page.

use tangency::inference::{Deviations, Stop};
use tangency::io::Model;
use tangency::message::{counted, listed};
use tangency::view::{CoordinateRow, LengthsRow, Summary, ViewRow};
use tangency::{Fit, Metric, ScalingRule, Symmetry};

/// How the run ended.
pub(super) fn stop_words(fit: &Fit) -> String {
    let iterations = counted(fit.trace.len(), "iteration");
    match fit.stop {
        Stop::Converged => format!("The bound had stopped rising after {iterations}."),
        Stop::MaxIterations => {
            format!("The limit of {iterations} came before the bound stopped rising, so it is too low.")
        }
        Stop::Interrupted if fit.pruning.is_some_and(|pruning| pruning.interrupted) => {
            "The search for short-circuits was interrupted, and nothing was removed.".into()
        }
        Stop::Interrupted => {
            format!("The fit was interrupted after {iterations}; this is the best until then.")
        }
        Stop::Collapsed => {
            "The fit collapsed: the data are explained as noise, and the coordinates mean nothing.".into()
        }
    }
}

/// The engine and the kind of its deviations.
fn engine(fit: &Fit) -> String {
    let kind = fit.engine.kind;
    match fit.deviations {
        Deviations::Exact => kind.to_string(),
        Deviations::Sampled { draws, relative_error } => {
            format!("{kind}, deviations sampled from {draws} draws, ±{:.0} %", 100.0 * relative_error)
        }
        Deviations::Conditional => format!("{kind}, deviations conditional, and so too small"),
    }
}

/// What was done, for the head of the page.
pub(super) fn facts(model: &Model, table: Option<&str>, n_new: usize) -> Vec<(String, String)> {
    let fit = &model.fit;
    let (n, d_y, edges) = (fit.n(), fit.observations.ncols(), fit.graph.edges().len());
    let mut facts = Vec::new();
    let mut add = |name: &str, text: String| facts.push((name.to_owned(), text));
    fit.glance().into_iter().for_each(|glance| add("quality", glance));
    let name = table.map(|table| format!("{table}, ")).unwrap_or_default();
    add("data", format!("{name}{}, {}", counted(n, "point"), counted(d_y, "feature")));
    if n_new > 0 {
        add("new rows", format!("{n_new}, placed by the fitted points and not part of the fit"));
    }
    let found = match &fit.dimension {
        Some(found) => format!(", found: as many of {} as are used", found.spreads.len()),
        None => String::new(),
    };
    add("dimension", format!("{}{found}", fit.coordinates.ncols()));
    let kind = match (fit.config.radius, fit.config.symmetry) {
        (Some(radius), _) => format!("all within {radius}"),
        (None, Symmetry::Or) => counted(fit.config.n_neighbors, "nearest neighbour"),
        (None, Symmetry::Mutual) => format!("{}, mutual", counted(fit.config.n_neighbors, "nearest neighbour")),
    };
    let kind = match fit.config.metric {
        Metric::Euclidean => kind,
        other => format!("{kind}, metric {other}"),
    };
    let removed = match fit.removed.len() {
        0 => String::new(),
        count => format!(", {count} removed as short-circuits"),
    };
    let kind = match fit.neighbors.as_ref().filter(|found| !found.tried.is_empty()) {
        Some(found) => format!("{kind} (found by {} rows, a third of them held out in turn)", found.rows),
        None => kind,
    };
    add(
        "graph",
        format!("{kind}: {}, {:.1} per point{removed}", counted(edges, "edge"), 2.0 * edges as f64 / n as f64),
    );
    if let Some(imputed) = &fit.imputed {
        let (_, rows) = imputed.by_feature();
        let (entries, rows) = (counted(imputed.entries.len(), "entry"), counted(rows, "row"));
        add("missing", format!("{entries} in {rows}, found together with the map"));
    }
    for view in ViewRow::all(fit, &model.feature_names) {
        let explained = view.explained.map(|share| format!(", variance explained {share:.3}")).unwrap_or_default();
        let count = view.features.len();
        let noun = if count == 1 { "feature" } else { "features" };
        let named = listed(&view.features);
        add(&format!("view {}", view.name), format!("{count} {noun} ({named}), noise {:.2}{explained}", view.noise));
    }
    if let Some(choice) = fit.scaling_choice.filter(|choice| choice.taken == ScalingRule::PerFeature) {
        let name = model.feature_names.get(choice.largest).map_or("one feature", String::as_str);
        let share = 100.0 * choice.share;
        add(
            "scaling",
            format!(
                "each feature by its own spread, since units seem to differ: {name} alone holds {share:.1} % of the variance"
            ),
        );
    }
    if let Some(choice) = fit.features.as_ref().filter(|choice| choice.tried.len() > 1) {
        let taken = choice.weight().map_or("the paper's model".to_owned(), |weight| weight.to_string());
        add("weight of the features", taken);
    }
    if let Some(row) = LengthsRow::of(fit) {
        let unit = row.unit.map_or(String::new(), |unit| format!("; 1 on the map is {unit:.3} in the table"));
        let off = 100.0 * row.off;
        add(
            "lengths",
            match row.taken {
                true => format!("those of the table within {off:.1} %{unit}"),
                false => "not those of the table: neighbourhoods would be lost".to_owned(),
            },
        );
    }
    let rows = Summary::new(model, Vec::new()).coordinates;
    let of_all = |size: fn(&CoordinateRow) -> f64| rows.iter().map(|row| size(row).powi(2)).sum::<f64>();
    let share = (of_all(|row| row.deviation) / of_all(|row| row.spread)).sqrt();
    if share.is_finite() {
        add("uncertainty", format!("{:.1} % of the spread for a typical point", 100.0 * share));
    }
    add("bound", format!("{:.2} nats, {:.4} per point", fit.bound(), fit.bound() / n as f64));
    add("engine", engine(fit));
    add("seed", fit.config.random_state.to_string());
    add("version", env!("CARGO_PKG_VERSION").into());
    facts
}
