//! Who is fitted next, and who is not worth another seed.
//!
//! Decisions are made only where all jobs of a round are done, and from nothing but their cells: so they are the same
//! for any number of threads, and the same again when an interrupted selection is taken up.

use super::held_out::{self, scores};
use super::{Cell, Selection};
use std::collections::BTreeMap;

/// A fit to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    pub candidate: usize,
    pub turn: Turn,
}

/// Which of a candidate's fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Turn {
    /// Of all rows from the seed with this number.
    Seed(usize),
    /// Of the rows without this part.
    Part(usize),
}

/// What rounds so far have found: a list of bounds a candidate, and of scores of rows that were held out.
struct Known {
    bounds: Vec<Vec<Option<f64>>>,
    parts: Vec<Vec<Cell>>,
}

/// How far behind the leader is hopeless while no spread over seeds is known, in nats a point.
const FIRST_ALLOWANCE: f64 = 0.1;
/// Less than this is never hopeless, in nats a point.
const LEAST_ALLOWANCE: f64 = 0.02;
/// Nor is less than this many standard deviations over seeds, the largest that was seen.
const SPREADS: f64 = 4.0;
/// Seeds after which a candidate without any bound is given up.
const CHANCES: usize = 2;

impl Selection {
    /// The jobs of the present round that have no cell; none when the selection is over.
    pub(super) fn open_jobs(&self, cells: &BTreeMap<Job, Cell>) -> Vec<Job> {
        // what earlier rounds knew is found again by going through them
        let count = self.candidates.len();
        let mut known = Known { bounds: vec![vec![]; count], parts: vec![vec![]; count] };
        loop {
            let round = self.round(&known);
            let open: Vec<Job> = round.iter().filter(|job| !cells.contains_key(job)).copied().collect();
            if round.is_empty() || !open.is_empty() {
                return self.costliest_first(open);
            }
            for job in round {
                match job.turn {
                    Turn::Seed(_) => known.bounds[job.candidate].push(cells[&job].evidence()),
                    Turn::Part(_) => known.parts[job.candidate].push(cells[&job].clone()),
                }
            }
        }
    }

    /// The jobs of the round after these fits: the next seed of each candidate that may have the best bound, and the next
    /// part of each that may be the likeliest.
    fn round(&self, known: &Known) -> Vec<Job> {
        let none = vec![false; self.candidates.len()];
        let of_parts = || {
            let scores: Vec<Vec<f64>> =
                known.parts.iter().map(|cells| scores(&cells.iter().collect::<Vec<_>>())).collect();
            held_out::hopeless(&scores, &known.parts.iter().map(Vec::len).collect::<Vec<_>>())
        };
        let (by_bound, by_rows) =
            if self.race { (hopeless(&known.bounds, self.n() as f64), of_parts()) } else { (none.clone(), none) };
        // without a race nobody waits for anybody
        let end = |next: usize, all: usize| if self.race { (next + 1).min(all) } else { all };
        let mut round = Vec::new();
        for candidate in (0..self.candidates.len()).filter(|&c| self.fittable(&self.candidates[c])) {
            let (seeds, parts) = (known.bounds[candidate].len(), known.parts[candidate].len());
            if !by_bound[candidate] {
                round.extend((seeds..end(seeds, self.n_seeds())).map(|seed| Job { candidate, turn: Turn::Seed(seed) }));
            }
            if !by_rows[candidate] {
                round.extend((parts..end(parts, self.parts)).map(|part| Job { candidate, turn: Turn::Part(part) }));
            }
        }
        round
    }

    /// So that a round does not end with one long fit that nobody can help with: time grows as (n·d_x)³.
    fn costliest_first(&self, mut jobs: Vec<Job>) -> Vec<Job> {
        jobs.sort_by_key(|job| (std::cmp::Reverse(self.candidates[job.candidate].n_components), *job));
        jobs
    }
}

/// Which candidates are so far behind that another seed cannot matter, by the bounds of their seeds so far.
pub(super) fn hopeless(known: &[Vec<Option<f64>>], n: f64) -> Vec<bool> {
    let bounds: Vec<Vec<f64>> = known.iter().map(|cells| cells.iter().flatten().copied().collect()).collect();
    let leader = bounds.iter().filter_map(|bounds| mean(bounds)).fold(f64::NEG_INFINITY, f64::max);
    let spread = bounds
        .iter()
        .filter_map(|bounds| deviation(bounds))
        .fold(None, |most: Option<f64>, deviation| Some(most.map_or(deviation, |most| most.max(deviation))));
    let allowance = match spread {
        None => FIRST_ALLOWANCE * n,
        Some(spread) => (LEAST_ALLOWANCE * n).max(SPREADS * spread),
    };
    let behind = |bounds: &[f64]| bounds.iter().all(|bound| bound + allowance < leader);
    let given_up = |cells: &[Option<f64>], bounds: &[f64]| match bounds {
        [] => cells.len() >= CHANCES,
        _ => behind(bounds),
    };
    known.iter().zip(&bounds).map(|(cells, bounds)| given_up(cells, bounds)).collect()
}

/// The mean of some numbers, if there are any.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    // about the first, so that equal numbers have exactly that mean and no spread
    let first = values.first()?;
    Some(first + values.iter().map(|value| value - first).sum::<f64>() / values.len() as f64)
}

/// The standard deviation of at least two numbers about their mean.
pub(super) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}
