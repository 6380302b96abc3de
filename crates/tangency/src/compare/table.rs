//! Methods and measures as text, as CSV and for machines.

use super::{Measures, Trial, UNSEEN, ranks};
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
    ("explained", 3),
    ("density", 2),
    ("geodesic", 3),
    ("1-NN error", 3),
    ("±", 3),
];

/// Header and rows of the file.
pub fn as_rows(trials: &[Trial]) -> (Vec<String>, Vec<Vec<String>>) {
    let fixed = ["method", "settings", "seconds", "peak_mib", "mean_rank", "objective"];
    let ranks = ranks(trials);
    let header = fixed.iter().chain(&Measures::NAMES).chain(&["note"]).map(|name| (*name).to_owned()).collect();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let rows = trials.iter().zip(ranks).map(|(trial, rank)| {
        let outcome = trial.outcome.as_ref().ok();
        let mut row = vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            format!("{:.4}", trial.seconds),
            trial.peak_bytes.map(|bytes| format!("{:.2}", bytes as f64 / MIB)).unwrap_or_default(),
            number(rank),
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

/// Aligned lines, the best by measures that need no truth first; measures for which nothing is known are left out, and notes
/// follow below.
pub fn as_text(trials: &[Trial]) -> Vec<String> {
    let measured: Vec<Option<[Option<f64>; Measures::NAMES.len()]>> =
        trials.iter().map(|trial| trial.outcome.as_ref().ok().map(|outcome| outcome.measures.values())).collect();
    let shown: Vec<usize> =
        (0..SHORT.len()).filter(|&m| measured.iter().flatten().any(|values| values[m].is_some())).collect();
    let mut cells: Vec<Vec<String>> = vec![
        ["method", "settings", "seconds", "MiB", "rank"]
            .into_iter()
            .chain(shown.iter().map(|&m| SHORT[m].0))
            .map(str::to_owned)
            .collect(),
    ];
    let ranks = ranks(trials);
    let mut order: Vec<usize> = (0..trials.len()).collect();
    order.sort_by(|&a, &b| ranks[a].unwrap_or(f64::INFINITY).total_cmp(&ranks[b].unwrap_or(f64::INFINITY)));
    for place in order {
        let (trial, values) = (&trials[place], &measured[place]);
        let mut row = vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            seconds(trial.seconds),
            trial.peak_bytes.map(|bytes| format!("{:.1}", bytes as f64 / MIB)).unwrap_or_default(),
            ranks[place].map_or("–".to_owned(), |rank| format!("{rank:.2}")),
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
    lines.extend((trials.len() > 1).then(|| UNSEEN.to_owned()));
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

/// One method for machines, with its mean rank if it is known.
pub fn as_json(trial: &Trial, rank: Option<f64>) -> Value {
    let outcome = trial.outcome.as_ref().ok();
    json!({
        "method": trial.entrant.to_string(),
        "settings": trial.settings,
        "seconds": trial.seconds,
        "peak_bytes": trial.peak_bytes,
        "mean_rank": rank,
        "objective": outcome.and_then(|outcome| outcome.objective),
        "measures": outcome.map(|outcome| &outcome.measures),
        "note": note(trial),
        "failed": trial.outcome.is_err(),
    })
}
