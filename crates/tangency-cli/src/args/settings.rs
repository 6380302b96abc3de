//! Flags of the settings of a fit, made from the library's table.

use super::choice::{word, words};
use clap::builder::{StyledStr, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::marker::PhantomData;
use tangency::config::{Group, Kind, Preset, Range, Setting, Value};
use tangency::{Choice, Config, Result};
use tangency_report::command::{flag, flag_name};

/// Flags of one letter.
const SHORT: [(&str, char); 2] = [("n_neighbors", 'k'), ("n_components", 'd')];
/// Settings that another takes the place of.
const REPLACED: [(&str, &str); 2] = [("n_neighbors", "radius"), ("symmetry", "radius")];

/// The settings that a command takes.
pub trait Scope {
    /// Whether there is a choice of presets.
    const PRESETS: bool = true;

    /// Whether a setting is one of them.
    fn takes(name: &str) -> bool;
}

/// All of them: fit, prune.
pub struct All;

impl Scope for All {
    fn takes(_: &str) -> bool {
        true
    }
}

/// Those of methods side by side.
pub struct ComparedSettings;

impl Scope for ComparedSettings {
    fn takes(name: &str) -> bool {
        name != "full_covariance"
    }
}

/// Those that all fits of a grid share.
pub struct OfGrid;

impl Scope for OfGrid {
    fn takes(name: &str) -> bool {
        !["n_components", "n_neighbors", "symmetry", "radius", "largest", "full_covariance"].contains(&name)
    }
}

/// What lets the demo be large.
pub struct OfDemo;

impl Scope for OfDemo {
    const PRESETS: bool = false;

    fn takes(name: &str) -> bool {
        ["neighbor_search", "pca", "coarse_tol", "engine", "time_budget", "ball_radius", "draws"].contains(&name)
    }
}

/// Settings that were typed.
pub struct Settings<S> {
    preset: Preset,
    given: Vec<(&'static Setting, Value)>,
    scope: PhantomData<S>,
}

impl<S: Scope> Settings<S> {
    /// The settings of the preset, with what was typed in their place, checked.
    pub fn config(&self) -> Result<Config> {
        self.over(self.preset.config())
    }

    /// These settings, with what was typed in their place, checked.
    pub fn over(&self, mut config: Config) -> Result<Config> {
        self.given.iter().try_for_each(|(setting, value)| config.set(setting, value))?;
        config.validate()?;
        Ok(config)
    }

    fn rows() -> impl Iterator<Item = &'static Setting> {
        Config::SETTINGS.iter().filter(|setting| S::takes(setting.name))
    }
}

impl<S: Scope> Args for Settings<S> {
    fn augment_args(mut command: Command) -> Command {
        for group in Group::ALL {
            if S::PRESETS && *group == Group::Model {
                command = command.arg(preset());
            }
            command = command.args(Self::rows().filter(|setting| setting.group == *group).map(argument::<S>));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Scope> FromArgMatches for Settings<S> {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let value = |setting: &'static Setting| match setting.kind {
            Kind::Switch => matches.get_flag(setting.name).then(|| Value::Switch(!is_on(setting))),
            _ => matches.get_one::<Value>(setting.name).cloned(),
        };
        let given = Self::rows().filter_map(|setting| Some((setting, value(setting)?))).collect();
        let preset = if S::PRESETS { matches.get_one("preset").copied() } else { None };
        Ok(Self { preset: preset.unwrap_or_default(), given, scope: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn preset() -> Arg {
    Arg::new("preset")
        .long("preset")
        .value_name("PRESET")
        .help("Settings to begin from")
        .help_heading(heading(Group::Model))
        .value_parser(word::<Preset>())
        .default_value(Preset::default().name())
}

/// The flag of a setting.
fn argument<S: Scope>(setting: &'static Setting) -> Arg {
    let mut arg = Arg::new(setting.name).long(flag_name(setting.name)).help(help(setting));
    arg = arg.help_heading(heading(setting.group));
    if let Some((_, short)) = SHORT.iter().find(|(name, _)| *name == setting.name) {
        // with two dashes too, as it is typed by habit
        arg = arg.short(*short).alias(short.to_string());
    }
    for (_, by) in REPLACED.iter().filter(|(name, by)| *name == setting.name && S::takes(by)) {
        arg = arg.conflicts_with(*by);
    }
    match setting.kind {
        Kind::Switch => arg.action(ArgAction::SetTrue),
        _ => arg.value_name(value_name(setting)).value_parser(reader(setting)),
    }
}

fn reader(setting: &'static Setting) -> ValueParser {
    use clap::builder::TypedValueParser;
    let read = move |text: &str| setting.parse(text).map_err(|_| format!("use {}", setting.allowed()));
    match (setting.kind, setting.choices()) {
        (Kind::Choice(_), Some(list)) => ValueParser::new(words(list).try_map(move |word| read(&word))),
        _ => ValueParser::new(read),
    }
}

fn value_name(setting: &Setting) -> String {
    match setting.kind {
        Kind::Real(Range::Share) => "SHARE".into(),
        Kind::Real(_) => "NUMBER".into(),
        Kind::LearnedOr(_) => "NUMBER|learned".into(),
        Kind::WholeOrAuto(_) => "NUMBER|auto".into(),
        Kind::ChoiceOr(list, _) => {
            list().iter().fold("NUMBER".into(), |text, choice| format!("{text}|{}", choice.name))
        }
        _ => flag_name(setting.name).replace('-', "_").to_uppercase(),
    }
}

/// The sentence of the table, with names of settings as flags, and the default.
fn help(setting: &Setting) -> StyledStr {
    let pieces = setting.about.split('`').enumerate().map(|(place, piece)| {
        let named = place % 2 == 1 && Config::setting(piece).is_some();
        if named { flag(piece) } else { piece.to_owned() }
    });
    let mut text: String = pieces.collect();
    text.truncate(text.trim_end_matches('.').len());
    if matches!(setting.kind, Kind::Switch) {
        return if is_on(setting) { format!("Turn off {}", uncapitalised(&text)).into() } else { text.into() };
    }
    let default = |preset: Preset| preset.config().get(setting.name).filter(|value| *value != Value::Unset);
    if let Some(plain) = default(Preset::default()) {
        let others = Preset::ALL.iter().filter_map(|&preset| Some((preset, default(preset)?)));
        let others: String =
            others.filter(|(_, value)| *value != plain).map(|(p, value)| format!("; {p}: {value}")).collect();
        text = format!("{text} [default: {plain}{others}]");
    }
    text.into()
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn is_on(setting: &Setting) -> bool {
    Config::default().get(setting.name) == Some(Value::Switch(true))
}

/// The heading of a group in the help.
fn heading(group: Group) -> &'static str {
    match group {
        Group::Graph => super::GRAPH,
        Group::Model => super::MODEL,
        Group::Engine => super::ENGINE,
    }
}
