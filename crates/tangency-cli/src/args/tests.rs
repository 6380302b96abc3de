//! Flags are the table of settings: what is printed as flags is read back as the same settings, and the help is whole.
#![allow(clippy::unwrap_used)]

use super::{Arguments, Command};
use clap::{CommandFactory, Parser};
use proptest::prelude::*;
use proptest::sample::select;
use tangency::config::{Config, Kind, Preset, Range, Setting, Value};
use tangency::{Choice, Result};
use tangency_report::command::{flag, settings};

/// The settings that these words of `tangency fit` are.
fn read(words: Vec<String>) -> Result<Config> {
    let typed = ["tangency", "fit", "t.csv"].map(str::to_owned).into_iter().chain(words);
    match Arguments::try_parse_from(typed).unwrap().command {
        Command::Fit(args) => args.settings.config(),
        _ => unreachable!("fit was typed"),
    }
}

/// Any value that the table allows.
fn value(setting: &'static Setting) -> BoxedStrategy<Value> {
    let number = |range: Range| match range {
        Range::Positive => (f64::MIN_POSITIVE..1e300).prop_map(Value::Real).boxed(),
        Range::NotNegative => prop_oneof![Just(0.0), 0.0..1e-3f64, 0.0..1e20f64].prop_map(Value::Real).boxed(),
        Range::Share => (1e-300..=1.0f64).prop_map(Value::Real).boxed(),
        Range::Unit => (0.0..=1.0f64).prop_map(Value::Real).boxed(),
    };
    let set = match setting.kind {
        Kind::Whole(least) => (least..u64::MAX).prop_map(Value::Whole).boxed(),
        Kind::WholeOrAuto(least) => {
            prop_oneof![Just(Value::Word("auto")), (least..u64::MAX).prop_map(Value::Whole)].boxed()
        }
        Kind::Real(range) => number(range),
        Kind::Switch => any::<bool>().prop_map(Value::Switch).boxed(),
        Kind::Choice(list) => select(list()).prop_map(|word| Value::Word(word.name)).boxed(),
        Kind::ChoiceOr(list, range) => {
            prop_oneof![select(list()).prop_map(|word| Value::Word(word.name)), number(range)].boxed()
        }
        Kind::LearnedOr(range) => prop_oneof![Just(Value::Learned), number(range)].boxed(),
    };
    if setting.optional { prop_oneof![Just(Value::Unset), set].boxed() } else { set }
}

/// Any settings that can be asked for.
fn config() -> impl Strategy<Value = Config> {
    let values: Vec<_> = Config::SETTINGS.iter().map(|setting| (any::<bool>(), value(setting))).collect();
    values.prop_map(|values| {
        let mut config = Config::default();
        for (setting, (_, value)) in Config::SETTINGS.iter().zip(values).filter(|(_, (changed, _))| *changed) {
            config.set(setting, &value).unwrap();
        }
        if config.radius.is_some() {
            // which takes the place of these two
            let Config { n_neighbors, symmetry, .. } = Config::default();
            config = Config { n_neighbors, symmetry, ..config };
        }
        config
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn settings_are_read_back_as_they_were_printed(config in config()) {
        let words = settings(&config, false);
        match config.validate() {
            Ok(()) => prop_assert_eq!(read(words).unwrap(), config),
            Err(wrong) => prop_assert_eq!(read(words).unwrap_err().to_string(), wrong.to_string()),
        }
    }
}

#[test]
fn presets_are_read_back_as_they_were_printed() {
    for preset in Preset::ALL {
        assert_eq!(read(settings(&preset.config(), false)).unwrap(), preset.config());
        assert_eq!(read(vec!["--preset".into(), preset.to_string()]).unwrap(), preset.config());
    }
    let words = settings(&Config::authors(), false).join(" ");
    let expected = "--scaling max-abs --init random --no-graph-likelihood --alpha0 1 --alpha 1e-3 --lambda 1 --nu 0 --no-acceleration \
                    --uncertainty absolute";
    assert_eq!(words, expected);
}

#[test]
fn every_command_is_sound_and_every_setting_has_a_flag_with_its_default() {
    Arguments::command().debug_assert();
    let mut command = Arguments::command();
    let fit = command.find_subcommand_mut("fit").unwrap();
    let help = fit.render_long_help().to_string();
    for heading in ["Table:", "Graph:", "Model:", "Engine:", "Files:"] {
        assert!(help.contains(&format!("\n{heading}\n")), "{heading}\n{help}");
    }
    for setting in Config::SETTINGS {
        let begins = |line: &&str| {
            let words = line.trim_start().split([' ', ',']).take(3);
            line.trim_start().starts_with('-') && words.collect::<Vec<_>>().contains(&flag(setting.name).as_str())
        };
        let at = help.lines().position(|line| begins(&line));
        let part = help.lines().skip(at.unwrap_or_else(|| panic!("{} has no flag", setting.name)));
        // up to the empty line between flags, but for that before the words
        let part = part.take_while(|line| !line.trim_start().starts_with("--") || begins(line));
        let part = part.collect::<Vec<_>>().join("\n");
        let default = Config::default().get(setting.name).unwrap();
        match setting.kind {
            Kind::Switch => {}
            _ if default == Value::Unset => {}
            _ => assert!(part.contains(&format!("[default: {default}")), "{part}"),
        }
        let listed = matches!(setting.kind, Kind::Choice(_));
        for choice in setting.choices().unwrap_or_default().into_iter().filter(|_| listed) {
            assert!(part.contains(&format!("- {}:", choice.name)), "{}: {part}", choice.name);
        }
    }
}
