//! Settings as flags, and the command that makes a fit again. The page prints it; the command names its flags by it.

use tangency::config::{Config, Init, Kind, Preset, Setting, Value};
use tangency::fit::Fit;
use tangency::io::table::TableOptions;
use tangency::{ScalingRule, Symmetry};

/// Flags that are not named as their setting is.
const NAMES: [(&str, &str); 3] = [("random_state", "seed"), ("accelerate", "no-acceleration"), ("views", "view")];
/// What takes the place of the file of a start that is not known.
const UNKNOWN_START: &str = "START.npy";
/// What takes the place of a file of edges that is not known.
const UNKNOWN_EDGES: &str = "EDGES.csv";

/// The name of the flag of a setting, or of another option, without dashes. A switch that is on has a flag that turns it off.
pub fn flag_name(name: &str) -> String {
    if let Some((_, flag)) = NAMES.iter().find(|(setting, _)| *setting == name) {
        return (*flag).to_owned();
    }
    let plain = name.replace('_', "-");
    if Config::default().get(name) == Some(Value::Switch(true)) { format!("no-{plain}") } else { plain }
}

/// The flag of a setting, or of another option.
pub fn flag(name: &str) -> String {
    format!("--{}", flag_name(name))
}

/// What of a fit its model does not hold: files, and how they are read. Lists are flags with their values.
#[derive(Clone, Debug, Default)]
pub struct CommandFiles {
    /// The table.
    pub table: String,
    /// How it is read.
    pub reading: Vec<String>,
    /// Where the graph is from, if it is not made from the table.
    pub edges: Vec<String>,
    /// Where the start is from, if it is given.
    pub start: Vec<String>,
}

/// The flags that say how a table is read.
pub fn reading(options: &TableOptions) -> Vec<String> {
    let list = |words: &[String]| (!words.is_empty()).then(|| words.join(","));
    let shown = |words: &Vec<String>| if words.is_empty() { "none".to_owned() } else { words.join(",") };
    let given = [
        ("id_column", options.id_column.clone()),
        ("label_column", options.label_column.clone()),
        ("columns", options.columns.as_deref().and_then(list)),
        ("exclude", list(&options.exclude)),
        ("show", options.show.as_ref().map(shown)),
        ("array", options.array.clone()),
        ("sheet", options.sheet.clone()),
    ];
    let views =
        options.views.iter().flat_map(|(name, columns)| [flag("views"), format!("{name}={}", columns.join(","))]);
    let header = options.header.map(|is_there| flag(if is_there { "header" } else { "no_header" }));
    let with_values = given.into_iter().filter_map(|(name, value)| Some([flag(name), value?])).flatten();
    with_values.chain(header).chain(views).collect()
}

/// What a fit with edges of its own needs, where their file is not known.
fn edges_of(fit: &Fit, files: &CommandFiles) -> Vec<String> {
    match files.edges.is_empty() && fit.own_edges {
        true => vec![flag("edges"), UNKNOWN_EDGES.to_owned()],
        false => files.edges.clone(),
    }
}

/// The command that makes a fit again, to the bit.
pub fn command(fit: &Fit, files: &CommandFiles) -> String {
    let mut words = fit_words(fit, files);
    if let Some(pruning) = &fit.pruning {
        words.push(flag("prune"));
        words.extend(pruning.max_removed.iter().flat_map(|count| [flag("max_removed"), count.to_string()]));
        if pruning.min_gain != tangency::evidence::PruneOptions::default().min_gain {
            words.extend([flag("min_gain"), Value::Real(pruning.min_gain).to_string()]);
        }
    }
    words.extend(fit.calibration.iter().flat_map(|found| [flag("calibrate"), found.folds.to_string()]));
    typed(words)
}

/// The command that fits again on the edges of a file.
pub fn refit(fit: &Fit, files: &CommandFiles, edges: &str) -> String {
    let edges = vec![flag("edges"), edges.to_owned()];
    typed(fit_words(fit, &CommandFiles { edges, ..files.clone() }))
}

/// The command that compares a fit with fewer and more neighbours and dimensions, and makes a page of that.
pub fn compare(fit: &Fit, files: &CommandFiles) -> String {
    let config = asked(fit);
    let mut words = vec!["tangency".to_owned(), "select".to_owned(), files.table.clone()];
    words.extend(files.reading.iter().cloned());
    let k = config.n_neighbors;
    let edges = edges_of(fit, files);
    let graphs = match (edges.is_empty(), config.radius) {
        (false, _) => edges,
        (true, Some(radius)) => {
            vec![flag("radius"), [0.75, 1.0, 1.5].map(|part| (part * radius).to_string()).join(",")]
        }
        (true, None) => {
            let name = if config.symmetry == Symmetry::Mutual { "--mutual" } else { "-k" };
            let mut tried = vec![(2 * k / 3).max(3), k.max(3), (3 * k / 2).max(4)];
            tried.dedup();
            vec![name.to_owned(), tried.iter().map(usize::to_string).collect::<Vec<_>>().join(",")]
        }
    };
    words.extend(graphs);
    words.extend(["-d".to_owned(), format!("1:{}", config.n_components.max(fit.coordinates.ncols()) + 1)]);
    let plain = Config { largest: false, full_covariance: false, n_components: 2, ..config };
    words.extend(settings(&plain, true));
    words.extend([flag("report"), "compared.html".to_owned()]);
    typed(words)
}

/// The settings of a fit. What was found from the table will be found from it again.
fn asked(fit: &Fit) -> Config {
    let scaling = if fit.scaling_choice.is_some() { ScalingRule::Auto } else { fit.config.scaling };
    Config { scaling, ..fit.config.clone() }
}

fn fit_words(fit: &Fit, files: &CommandFiles) -> Vec<String> {
    let config = asked(fit);
    let mut words = vec!["tangency".to_owned(), "fit".to_owned(), files.table.clone()];
    words.extend(files.reading.iter().cloned());
    let edges = edges_of(fit, files);
    words.extend(edges.iter().cloned());
    match config.init {
        init if init.is_given() && files.start.is_empty() => {
            let name = if init == Init::Maps { "init_maps" } else { "init_coordinates" };
            words.extend([flag(name), UNKNOWN_START.to_owned()]);
        }
        _ => words.extend(files.start.iter().cloned()),
    }
    words.extend(settings(&config, !edges.is_empty()));
    words
}

/// Settings as flags, those that differ from the defaults. On a graph of its own (`edges`) those that make a graph are left
/// out.
pub fn settings(config: &Config, edges: bool) -> Vec<String> {
    let unused: &[&str] = match (edges, config.radius) {
        (true, _) => &["n_neighbors", "symmetry", "radius"],
        (false, Some(_)) => &["n_neighbors", "symmetry"],
        (false, None) => &[],
    };
    let words = |(setting, value): (&Setting, Value)| match setting.kind {
        Kind::Switch => vec![flag(setting.name)],
        _ => vec![flag(setting.name), value.to_string()],
    };
    let named = |setting: &Setting| setting.name != "init" || !config.init.is_given();
    let used = |(setting, _): &(&Setting, Value)| !unused.contains(&setting.name) && named(setting);
    config.differences(Preset::Default).into_iter().filter(used).flat_map(words).collect()
}

/// Words, as a shell would have them.
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
