//! The table says what `Config` is: every setting can be read, written as text, read back and checked by its row alone.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn every_setting_is_a_field_of_the_json_in_the_same_order() {
    let text = serde_json::to_string(&Config::default()).unwrap();
    let places: Vec<_> = Config::SETTINGS.iter().map(|s| text.find(&format!("\"{}\":", s.name)).unwrap()).collect();
    assert!(places.is_sorted());
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(fields.len(), Config::SETTINGS.len());
}

#[test]
fn values_go_through_text() {
    for preset in Preset::ALL {
        let (from, mut to) = (preset.config(), Config::default());
        for (setting, value) in from.differences(Preset::Default) {
            let read = setting.parse(&value.to_string()).unwrap();
            assert_eq!(read, value, "{}", setting.name);
            to.set(setting, &read).unwrap();
        }
        assert_eq!(to, from);
        from.validate().unwrap();
    }
    for number in [0.0, 1.0, 0.1, 1e-4, 1.5e-7, 1e22, f64::MAX, f64::MIN_POSITIVE, 1.0 / 3.0] {
        let text = Value::Real(number).to_string();
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{text}");
    }
}

#[test]
fn what_a_setting_cannot_be_is_refused_with_what_it_can_be() {
    let refused = |name: &str, value: Value| {
        let setting = Config::setting(name).unwrap();
        setting.check(&value).unwrap_err().to_string()
    };
    assert_eq!(refused("n_init", Value::Whole(0)), "n_init is 0; use a whole number, at least 1");
    assert_eq!(refused("n_components", Value::Whole(0)), "n_components is 0; use a whole number, at least 1, or auto");
    assert_eq!(refused("tol", Value::Real(f64::NAN)), "tol is NaN; use zero or a positive number");
    assert_eq!(refused("pca", Value::Real(1.5)), "pca is 1.5; use a share above 0 and up to 1");
    assert_eq!(refused("alpha", Value::Real(0.0)), "alpha is 0; use a positive number, or learned");
    assert_eq!(refused("connect", Value::Whole(1)), "connect is 1; use true or false");
    assert_eq!(refused("tol", Value::Unset), "tol is none; use zero or a positive number");
    let parsed = |name: &str, text: &str| Config::setting(name).unwrap().parse(text);
    assert_eq!(
        parsed("scaling", "no").unwrap_err().to_string(),
        "scaling is \"no\"; use one of auto, max-abs, none, per-feature"
    );
    // a start that the caller gives has a name in files, but cannot be asked for by it
    assert!(parsed("init", "maps").is_err());
    assert_eq!(parsed("init", "isomap").unwrap(), Value::Word("isomap"));
    let mut config = Config::default();
    assert!(config.set(Config::setting("n_init").unwrap(), &Value::Real(1.0)).is_err());
    // what is left to the data has a word, and its number in a field does not go in by another way
    let setting = Config::setting("n_components").unwrap();
    assert!(config.set(setting, &Value::Whole(0)).is_err() && parsed("n_components", "few").is_err());
    assert_eq!(config, Config::default());
    config.set(setting, &parsed("n_components", "auto").unwrap()).unwrap();
    assert_eq!((config.n_components, config.get("n_components")), (AUTO, Some(Value::Word("auto"))));
    config.validate().unwrap();
}

#[test]
fn settings_that_do_not_go_together() {
    let wrong = |config: Config| config.validate().unwrap_err().to_string();
    let plain = Config::default;
    let factorised = crate::inference::EngineKind::Factorised;
    for (config, words) in [
        (
            Config { full_covariance: true, engine: factorised, ..plain() },
            "the factorised engine has no full_covariance; use engine = exact, or full_covariance = false",
        ),
        (
            Config { init: Init::Coarse, engine: crate::inference::EngineKind::Exact, ..plain() },
            "init = coarse is for many points and does not go with engine = exact; use another init, or engine = factorised",
        ),
        (
            Config { init: Init::Isomap, n_init: 3, ..plain() },
            "n_init counts random starts, and init = isomap has none; use init = random, or leave out n_init",
        ),
        (
            Config { connect: true, largest: true, ..plain() },
            "connect does not go with largest; use connect = false, or largest = false",
        ),
        (
            Config { nu: Rule::Fixed(0.5), ..plain() },
            "nu is fixed at 0.5 while lambda is learned; fix lambda too, or leave out nu",
        ),
        (
            Config { lambda: Rule::Fixed(1.0), ..plain() },
            "lambda is fixed while nu is learned; fix both, or learn both",
        ),
    ] {
        assert_eq!(wrong(config), words);
    }
    Config { nu: Rule::Fixed(0.0), ..plain() }.validate().unwrap();
}
