//! The report: one HTML page of a model, with everything inside it and nothing from outside.

mod data;
mod of_model;
mod rows;
#[cfg(test)]
mod tests;
mod words;

pub use of_model::{PythonCalls, Report, UnfittedRows};

use data::Data;

/// The frame, the style, and the scripts in the order in which they stand in the page.
const FRAME: &str = include_str!("../../page/page.html");
const STYLE: &str = include_str!("../../page/page.css");
const SCRIPTS: [&str; 27] = [
    include_str!("../../page/base.js"),
    include_str!("../../page/words.js"),
    include_str!("../../page/data.js"),
    include_str!("../../page/colour.js"),
    include_str!("../../page/legend.js"),
    include_str!("../../page/view.js"),
    include_str!("../../page/splat.js"),
    include_str!("../../page/map.js"),
    include_str!("../../page/ellipses.js"),
    include_str!("../../page/card.js"),
    include_str!("../../page/gestures.js"),
    include_str!("../../page/selection.js"),
    include_str!("../../page/apart.js"),
    include_str!("../../page/keep.js"),
    include_str!("../../page/picture.js"),
    include_str!("../../page/colourings.js"),
    include_str!("../../page/search.js"),
    include_str!("../../page/chart.js"),
    include_str!("../../page/expected.js"),
    include_str!("../../page/explore.js"),
    include_str!("../../page/loadings.js"),
    include_str!("../../page/graph.js"),
    include_str!("../../page/evidence.js"),
    include_str!("../../page/choices.js"),
    include_str!("../../page/candidates.js"),
    include_str!("../../page/compare.js"),
    include_str!("../../page/main.js"),
];

/// Puts the page together.
fn assemble(data: &Data) -> String {
    let title = escaped(&data.title);
    // one pass over the frame, so that nothing that is filled in can be mistaken for a place to fill
    let mut page = String::with_capacity(FRAME.len() + STYLE.len() + 200_000);
    let mut rest = FRAME;
    let places: [(&str, &dyn Fn() -> String); 4] = [
        ("<!--TITLE-->", &|| title.clone()),
        ("/*STYLE*/", &|| STYLE.to_owned()),
        ("<!--DATA-->", &|| as_script(data)),
        ("/*SCRIPT*/", &|| SCRIPTS.join("\n")),
    ];
    while let Some((at, (place, fill))) =
        places.iter().filter_map(|place| rest.find(place.0).map(|at| (at, place))).min_by_key(|(at, _)| *at)
    {
        page.push_str(&rest[..at]);
        page.push_str(&fill());
        rest = &rest[at + place.len()..];
    }
    page.push_str(rest);
    page
}

/// JSON that cannot end the element in which it stands, whatever it holds.
fn as_script(data: &Data) -> String {
    let text = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => safe.push(letter),
        }
    }
    format!("<script id=\"tangency-data\" type=\"application/json\">{safe}</script>")
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(letter),
        }
    }
    safe
}
