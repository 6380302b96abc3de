//! Methods and measures as text, as CSV and for machines.

use super::{Measures, Trial};
use serde_json::{Value, json};

/// Bytes in a mebibyte.
const MIB: f64 = 1024.0 * 1024.0;

/// What a column of the text is called, and the digits behind its point.
const SHORT: [(&str, usize); Measures::NAMES.len()] = [
    ("Procrustes", 3),
    ("R²", 3),
    ("trust (truth)", 3),
    ("cont. (truth)", 3),
    ("trust", 3),
    ("continuity", 3),
    ("geodesic", 3),
    ("1-NN error", 3),
    ("±", 3),
];

/// Header and rows of the file.
pub fn as_rows(trials: &[Trial]) -> (Vec<String>, Vec<Vec<String>>) {
    let fixed = ["method", "settings", "seconds", "peak_mib", "objective"];
    let header = fixed.iter().chain(&Measures::NAMES).chain(&["note"]).map(|name| (*name).to_owned()).collect();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let rows = trials.iter().map(|trial| {
        let outcome = trial.outcome.as_ref().ok();
        let mut row = vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            format!("{:.4}", trial.seconds),
            trial.peak_bytes.map(|bytes| format!("{:.2}", bytes as f64 / MIB)).unwrap_or_default(),
            number(outcome.and_then(|outcome| outcome.objective)),
        ];
        let measures = outcome.map(|outcome| outcome.measures.values()).unwrap_or_default();
        row.extend(measures.map(number));
        row.push(note(trial));
        row
    });
    (header, rows.collect())
}

fn note(trial: &Trial) -> String {
    match &trial.outcome {
        Ok(outcome) => outcome.note.clone().unwrap_or_default(),
        Err(reason) => format!("failed: {reason}"),
    }
}

/// Aligned lines; measures for which nothing is known are left out, and notes follow below.
pub fn as_text(trials: &[Trial]) -> Vec<String> {
    let measured: Vec<Option<[Option<f64>; Measures::NAMES.len()]>> =
        trials.iter().map(|trial| trial.outcome.as_ref().ok().map(|outcome| outcome.measures.values())).collect();
    let shown: Vec<usize> =
        (0..SHORT.len()).filter(|&m| measured.iter().flatten().any(|values| values[m].is_some())).collect();
    let mut cells: Vec<Vec<String>> = vec![
        ["method", "settings", "seconds", "MiB"]
            .into_iter()
            .chain(shown.iter().map(|&m| SHORT[m].0))
            .map(str::to_owned)
            .collect(),
    ];
    for (trial, values) in trials.iter().zip(&measured) {
        let mut row = vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            seconds(trial.seconds),
            trial.peak_bytes.map(|bytes| format!("{:.1}", bytes as f64 / MIB)).unwrap_or_default(),
        ];
        row.extend(shown.iter().map(|&m| match values.and_then(|values| values[m]) {
            Some(value) => format!("{value:.*}", SHORT[m].1),
            None => "–".to_owned(),
        }));
        cells.push(row);
    }
    let width = |c: usize| cells.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
    let mut lines: Vec<String> = cells
        .iter()
        .map(|row| {
            let padded = row.iter().enumerate().map(|(c, cell)| {
                let blank = " ".repeat(widths[c] - cell.chars().count());
                if c < 2 { format!("{cell}{blank}") } else { format!("{blank}{cell}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect();
    lines.extend(
        trials
            .iter()
            .filter(|trial| !note(trial).is_empty())
            .map(|trial| format!("{}: {}", trial.entrant, note(trial))),
    );
    lines
}

/// Seconds with three figures.
fn seconds(value: f64) -> String {
    match value {
        v if v < 10.0 => format!("{v:.3}"),
        v if v < 100.0 => format!("{v:.2}"),
        v => format!("{v:.1}"),
    }
}

/// One method for machines.
pub fn as_json(trial: &Trial) -> Value {
    let outcome = trial.outcome.as_ref().ok();
    json!({
        "method": trial.entrant.to_string(),
        "settings": trial.settings,
        "seconds": trial.seconds,
        "peak_bytes": trial.peak_bytes,
        "objective": outcome.and_then(|outcome| outcome.objective),
        "measures": outcome.map(|outcome| &outcome.measures),
        "note": note(trial),
        "failed": trial.outcome.is_err(),
    })
}
