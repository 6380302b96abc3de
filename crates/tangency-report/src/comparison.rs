//! Methods side by side: every embedding turned onto the truth, or onto the first, so that eyes need not turn it.

use crate::Multiple;
use tangency::compare::{Comparison, Measures, Trial};
use tangency::linalg::Matrix;
use tangency::quality::align;

/// The panels of a comparison: the truth, if it has one or two coordinates, then one for each method.
pub fn panels(comparison: &Comparison, trials: &[Trial]) -> Vec<Multiple> {
    let truth = comparison.yardsticks().truth.as_ref().filter(|truth| truth.ncols() <= 2);
    let first = trials.iter().find_map(|trial| Some(&trial.outcome.as_ref().ok()?.coordinates));
    let onto = truth.or(first);
    let known = truth.map(|truth| Multiple { name: "truth".into(), note: String::new(), coordinates: places(truth) });
    known.into_iter().chain(trials.iter().map(|trial| panel(trial, onto))).collect()
}

fn panel(trial: &Trial, onto: Option<&Matrix>) -> Multiple {
    let name = trial.entrant.to_string();
    match &trial.outcome {
        Ok(outcome) => {
            let x = &outcome.coordinates;
            // an embedding that fell to a point cannot be turned
            let turned = onto.and_then(|onto| align(x, onto).ok());
            Multiple { name, note: note(&outcome.measures), coordinates: places(turned.as_ref().unwrap_or(x)) }
        }
        Err(reason) => Multiple { name, note: reason.clone(), coordinates: vec![] },
    }
}

/// The measures that say most about what is known.
fn note(measures: &Measures) -> String {
    let said = [
        ("Procrustes", measures.procrustes),
        ("1-NN error", measures.knn_error),
        ("trust", measures.truth_trustworthiness.or(measures.trustworthiness)),
    ];
    let said = said.iter().filter_map(|(name, value)| Some(format!("{name} {:.3}", (*value)?)));
    said.collect::<Vec<_>>().join(" · ")
}

/// The first two columns; a single one lies on a line.
fn places(table: &Matrix) -> Vec<[f64; 2]> {
    let second = |i: usize| if table.ncols() > 1 { table[(i, 1)] } else { 0.0 };
    (0..table.nrows()).map(|i| [table[(i, 0)], second(i)]).collect()
}
