//! Words of the library's closed lists as values of flags.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tangency::Choice;
use tangency::config::Named;

/// Reads a word of a closed list; help shows what each stands for.
pub fn word<C: Choice + Send + Sync>() -> impl TypedValueParser<Value = C> {
    words(C::list()).try_map(|word| C::named(&word).ok_or("there is no such word"))
}

/// Reads one of these words.
pub fn words(list: Vec<Named>) -> PossibleValuesParser {
    let value = |word: Named| PossibleValue::new(word.name).help(word.about.trim_end_matches('.'));
    PossibleValuesParser::new(list.into_iter().map(value).collect::<Vec<_>>())
}
