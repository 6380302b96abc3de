//! How wide the intervals of missing entries have to be: some rows borrow the gaps of others, and what was hidden so is compared
//! with what is expected of it.

use super::gaps::{Settled, imputed, settle};
use super::{Fitter, Watching, probe};
use crate::config::{Config, FeatureWeight, Init};
use crate::error::Result;
use crate::inference::{EngineKind, Stop};
use crate::model::{MissingEntries, Prepared};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Tables of more rows keep the widths of the model.
const MOST_ROWS: usize = 20_000;
/// So many of the entries that are there are hidden at most.
const SHARE: f64 = 0.1;
/// Fewest hidden entries that say something.
const FEWEST: usize = 40;
/// What the features say together counts as so many entries of one of them.
const TOGETHER: f64 = 20.0;
/// Widths are set so that this share of hidden entries is within the deviations that a Gaussian has it in.
const INSIDE: (f64, f64) = (0.9, 1.6449);
/// Widths are changed by no more than this factor.
const LARGEST: f64 = 10.0;

/// By how much the deviations of missing entries are to be multiplied, a number for each feature; none where that cannot be found
/// out. `first` is what the table itself came to.
pub(super) fn widths(
    config: &Config,
    prepared: &Prepared,
    entries: &MissingEntries,
    first: &Settled,
    observer: &mut Option<&mut Watching<'_>>,
) -> Result<Option<Vec<f64>>> {
    let (n, d_y) = (prepared.n(), prepared.n_features());
    let hidden = borrowed(entries, n, d_y, &probe::sample(n, n, config));
    if n > MOST_ROWS
        || hidden.len() < FEWEST
        || first.found.stop != Stop::Converged && first.found.stop != Stop::MaxIterations
    {
        return Ok(None);
    }
    let mut values = prepared.values().clone();
    for (row, f) in entries.pairs().into_iter().chain(hidden.iter().copied()) {
        values[(row as usize, f as usize)] = f64::NAN;
    }
    let config = Config {
        scaling: prepared.table.rule,
        connect: true,
        largest: false,
        init: if first.found.start.is_given() { Init::Auto } else { first.found.start },
        n_init: 1,
        engine: EngineKind::Factorised,
        draws: Some(0),
        full_covariance: false,
        ..config.clone()
    };
    // the weight of the features is the one that the whole table wants
    let config = match first.found.features.as_ref().map(|choice| choice.weight()) {
        Some(None) => Config { graph_likelihood: false, ..config },
        Some(Some(weight)) => Config { feature_weight: FeatureWeight::Fixed(weight), ..config },
        None => config,
    };
    let edges = prepared.own_edges.then(|| prepared.graph().edges().to_vec());
    let again = Prepared::new(values.as_ref(), &config, edges)?;
    let again = match &prepared.table.noise {
        Some(noise) => again.with_noise(noise),
        None => again,
    };
    let Some(lacking) = again.missing.clone() else { return Ok(None) };
    let filling = lacking.on(again.graph())?;
    let settled = settle(&Fitter::new(config), &again, &filling, observer)?;
    if settled.found.stop == Stop::Interrupted || settled.found.stop == Stop::Collapsed {
        return Ok(None);
    }
    let nearby = again.nearby.as_deref().map_or(&[][..], Vec::as_slice);
    let expected = imputed(&settled.found, settled.table.values(), &lacking, nearby, &filling)?;
    let ours: BTreeSet<(u32, u32)> = hidden.into_iter().collect();
    let missed = expected.entries.iter().zip(expected.values.iter().zip(&expected.deviations)).filter_map(
        |(at, (value, deviation))| {
            let truth = prepared.values()[(at.0 as usize, at.1 as usize)];
            let missed = (value - truth).abs() / deviation;
            (ours.contains(at) && missed.is_finite()).then_some((at.1 as usize, missed))
        },
    );
    Ok(factors(&missed.collect::<Vec<_>>(), d_y))
}

/// Entries to be hidden: rows, in the order given, take over gaps that another row has, as far as they then lack as much as that
/// one does. So what is hidden is what is missing elsewhere: single entries, blocks, views.
fn borrowed(entries: &MissingEntries, n: usize, d_y: usize, order: &[usize]) -> Vec<(u32, u32)> {
    let mut gaps: Vec<Vec<u32>> = vec![vec![]; n];
    entries.pairs().into_iter().for_each(|(row, f)| gaps[row as usize].push(f));
    // where all rows lack the same number one more has to do
    let alike = gaps.iter().all(|own| own.len() == gaps[0].len());
    let lenders: Vec<usize> = (0..n).filter(|&row| !gaps[row].is_empty()).collect();
    let most = (SHARE * (n * d_y - entries.count()) as f64) as usize;
    let mut left: Vec<usize> = vec![n; d_y];
    gaps.iter().flatten().for_each(|&f| left[f as usize] -= 1);
    let there = left.clone();
    let mut found = Vec::new();
    for (number, &row) in order.iter().enumerate() {
        if found.len() >= most.max(FEWEST) || lenders.is_empty() {
            break;
        }
        // evenly among the lenders
        let share = (number as f64 * 0.618_033_988_749_895).fract();
        let lender = &gaps[lenders[(share * lenders.len() as f64) as usize % lenders.len()]];
        let own = &gaps[row];
        let has = d_y - own.len();
        let more = lender.len().saturating_sub(own.len());
        if more == 0 && !alike {
            continue;
        }
        let count = more.max(1).min(has / 2);
        let wanted = lender.iter().copied().filter(|f| !own.contains(f));
        for f in wanted.take(count) {
            // half of what there is of a feature stays
            if 2 * left[f as usize] > there[f as usize] {
                left[f as usize] -= 1;
                found.push((row as u32, f));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Factors by features from errors in deviations. How features differ goes by mean errors, held together by that of all; how wide
/// all are by the share of errors that is to be inside.
fn factors(missed: &[(usize, f64)], d_y: usize) -> Option<Vec<f64>> {
    if missed.len() < FEWEST {
        return None;
    }
    let mean = missed.iter().map(|(_, missed)| missed).sum::<f64>() / missed.len() as f64;
    let (mut sums, mut counts) = (vec![TOGETHER * mean; d_y], vec![TOGETHER; d_y]);
    for &(f, missed) in missed {
        // one far off is no reason for all
        sums[f] += missed.min(6.0 * mean);
        counts[f] += 1.0;
    }
    let own: Vec<f64> = sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
    if !(mean > 0.0 && own.iter().all(|own| own.is_finite())) {
        return None;
    }
    let mut beside: Vec<f64> = missed.iter().map(|&(f, missed)| missed / own[f]).collect();
    beside.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let place = (INSIDE.0 * (beside.len() + 1) as f64).ceil() as usize;
    let edge = beside[place.clamp(1, beside.len()) - 1] / INSIDE.1;
    Some(own.into_iter().map(|own| (own * edge).clamp(1.0 / LARGEST, LARGEST)).collect())
}

#[cfg(test)]
mod tests {
    //! Rows borrow gaps as they are, and widths hold the share of errors that they are to hold.
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn whole_rows_borrow_whole_gaps_and_others_a_part() {
        // twelve rows of a view of three features, the first of six; rows 20.. lack single entries
        let pairs: Vec<(u32, u32)> = (0..12).flat_map(|row| (0..3).map(move |f| (row, f))).collect();
        let order: Vec<usize> = (0..40).rev().collect();
        let found = borrowed(&MissingEntries::from_pairs(&pairs), 40, 6, &order);
        assert!(found.len() >= 30);
        for &(row, f) in &found {
            assert!(f < 3 && row >= 12, "what is missing elsewhere, of rows that have it");
            assert_eq!(found.iter().filter(|(other, _)| *other == row).count(), 3, "a view as a whole");
        }
        let scattered: Vec<(u32, u32)> = (0..40).flat_map(|row| [(row, row % 6), (row, (row + 2) % 6)]).collect();
        let entries = MissingEntries::from_pairs(&scattered);
        let found = borrowed(&entries, 40, 6, &order);
        assert!(!found.is_empty() && found.iter().all(|pair| !scattered.contains(pair)));
        assert!((0..40).all(|row| found.iter().filter(|(other, _)| *other == row).count() <= 1));
        assert!(borrowed(&MissingEntries::default(), 40, 6, &order).is_empty());
    }

    #[test]
    fn widths_hold_nine_in_ten_and_know_features_apart() {
        let drawn = |i: usize| ((i * 7919) % 1000) as f64 / 500.0;
        let missed: Vec<(usize, f64)> = (0..2000).map(|i| (i % 2, drawn(i) * [1.0, 4.0][i % 2])).collect();
        let found = factors(&missed, 3).unwrap();
        assert!((found[1] / found[0] - 4.0).abs() < 0.2, "{found:?}");
        assert!(found[0] < found[2] && found[2] < found[1], "of a feature of which nothing is known");
        let inside = missed.iter().filter(|(f, missed)| *missed < INSIDE.1 * found[*f]).count();
        assert!((inside as f64 / 2000.0 - 0.9).abs() < 0.01, "{inside}");
        assert!(factors(&missed[..20], 3).is_none());
        assert!(factors(&vec![(0, f64::NAN); 99], 3).is_none() && factors(&vec![(0, 0.0); 99], 3).is_none());
    }
}
