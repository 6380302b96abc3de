//! A model in words: the command that makes it again, how it stopped, facts for the head of the page.

use tangency::inference::{Deviations, EngineKind, Stop};
use tangency::io::Model;
use tangency::{Config, Fit, Init, Rule, ScalingRule, Symmetry};

/// The command that makes a fit with these settings again, or one with them on a graph of its own.
pub(super) fn command(config: &Config, table: &str, reading: &[String], edges: Option<&str>) -> String {
    let plain = Config::default();
    let mut words = vec!["tangency fit".to_owned(), quoted(table)];
    words.extend(reading.iter().map(|word| quoted(word)));
    let mut say = |differs: bool, flag: String| words.extend(differs.then_some(flag));
    say(config.n_components != plain.n_components, format!("--n-components {}", config.n_components));
    match (edges, config.radius) {
        (Some(edges), _) => say(true, format!("--edges {edges}")),
        (None, Some(radius)) => say(true, format!("--radius {radius}")),
        (None, None) => say(config.n_neighbors != plain.n_neighbors, format!("--n-neighbors {}", config.n_neighbors)),
    }
    say(edges.is_none() && config.symmetry == Symmetry::Mutual, "--symmetry mutual".into());
    say(config.connect, "--connect".into());
    say(config.largest, "--largest".into());
    say(config.scaling == ScalingRule::None, "--scaling none".into());
    say(config.scaling == ScalingRule::PerFeature, "--scaling per-feature".into());
    let init = match config.init {
        // a start that was given by hand is a file that the model does not know
        Init::Auto | Init::Coordinates | Init::Maps => None,
        named => serde_json::to_value(named).ok(),
    };
    let init = init.as_ref().and_then(|name| name.as_str());
    say(init.is_some(), format!("--init {}", init.unwrap_or_default()));
    say(config.n_init != plain.n_init, format!("--n-init {}", config.n_init));
    say(config.max_iter != plain.max_iter, format!("--max-iter {}", config.max_iter));
    say(config.tol != plain.tol, format!("--tol {}", config.tol));
    say(config.epsilon != plain.epsilon, format!("--epsilon {}", config.epsilon));
    say(config.gamma0 != plain.gamma0, format!("--gamma0 {}", config.gamma0));
    say(config.alpha0 != plain.alpha0, format!("--alpha0 {}", config.alpha0));
    for (flag, rule) in [("--alpha", config.alpha), ("--lambda", config.lambda), ("--nu", config.nu)] {
        if let Rule::Fixed(value) = rule {
            say(true, format!("{flag} {value}"));
        }
    }
    say(!config.accelerate, "--no-acceleration".into());
    let named = |value: Option<&str>| value.unwrap_or_default().to_owned();
    say(config.engine != plain.engine, format!("--engine {}", named(serde_json::json!(config.engine).as_str())));
    say(config.ball_radius != plain.ball_radius, format!("--ball-radius {}", config.ball_radius));
    say(config.draws.is_some(), format!("--draws {}", config.draws.unwrap_or_default()));
    say(config.coarse_tol != plain.coarse_tol, format!("--coarse-tol {}", config.coarse_tol));
    say(config.pca.is_some(), format!("--pca {}", config.pca.unwrap_or_default()));
    let search = serde_json::json!(config.neighbor_search);
    say(config.neighbor_search != plain.neighbor_search, format!("--neighbor-search {}", named(search.as_str())));
    say(config.full_covariance, "--full-covariance".into());
    say(config.random_state != plain.random_state, format!("--seed {}", config.random_state));
    words.join(" ")
}

/// What was typed, as a shell would have it.
pub fn typed(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// How the run ended.
pub(super) fn stop_words(stop: Stop, iterations: usize) -> String {
    match stop {
        Stop::Converged => format!("The bound had stopped rising after {iterations} iterations."),
        Stop::MaxIterations => {
            format!("The limit of {iterations} iterations came before the bound stopped rising, so it is too low.")
        }
        Stop::Interrupted => {
            format!("The fit was interrupted after {iterations} iterations; this is the best until then.")
        }
        Stop::Collapsed => {
            "The fit collapsed: the data are explained as noise, and the coordinates mean nothing.".into()
        }
    }
}

/// The engine and the kind of its deviations.
fn engine(fit: &Fit) -> String {
    let kind = match fit.engine.kind {
        EngineKind::Factorised => "factorised",
        EngineKind::Auto | EngineKind::Exact => "exact",
    };
    match fit.deviations {
        Deviations::Exact => kind.to_owned(),
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
    let name = table.map(|table| format!("{table}, ")).unwrap_or_default();
    add("data", format!("{name}{n} points, {d_y} features"));
    if n_new > 0 {
        add("new rows", format!("{n_new}, placed by the fitted points and not part of the fit"));
    }
    add("dimension", fit.coordinates.ncols().to_string());
    let kind = match (fit.config.radius, fit.config.symmetry) {
        (Some(radius), _) => format!("all within {radius}"),
        (None, Symmetry::Or) => format!("{} nearest neighbours", fit.config.n_neighbors),
        (None, Symmetry::Mutual) => format!("{} nearest neighbours, mutual", fit.config.n_neighbors),
    };
    let removed = match fit.removed.len() {
        0 => String::new(),
        count => format!(", {count} removed as short-circuits"),
    };
    add("graph", format!("{kind}: {edges} edges, {:.1} a point{removed}", 2.0 * edges as f64 / n as f64));
    add("bound", format!("{:.2} nats, {:.4} a point", fit.bound(), fit.bound() / n as f64));
    add("engine", engine(fit));
    add("seed", fit.config.random_state.to_string());
    add("version", env!("CARGO_PKG_VERSION").into());
    facts
}
