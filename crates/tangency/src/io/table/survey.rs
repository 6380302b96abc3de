//! What the columns of a table are like: which number rows and measure nothing, which say nothing or the same twice.

use std::collections::{HashMap, HashSet};

use super::note::{CellKind, TableNote, WhyLeftOut};
use super::select::Roles;
use super::{Source, is_missing};

/// So many rows make it unlikely that a measurement counts 1, 2, 3 … by chance.
const ENOUGH_ROWS: usize = 10;

/// Above this, not all whole numbers can be told apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// More different values than these are no categories.
const MOST_CATEGORIES: usize = 20;

/// Names that columns of row numbers go by.
const ROW_NAMES: [&str; 8] = ["id", "index", "idx", "row", "rowid", "row_id", "rownumber", "row_number"];

/// Takes the columns out of the features that measure nothing, unless nothing else would be left.
pub(super) fn leave_out(source: &dyn Source, roles: &mut Roles, columns: &mut Vec<Vec<f64>>) -> Vec<TableNote> {
    let names = source.names();
    let unnamed = roles.carried.iter().filter(|&&column| source.is_unnamed(column));
    let mut left_out: Vec<(usize, WhyLeftOut)> = unnamed.map(|&column| (column, WhyLeftOut::NoName)).collect();
    let reasons: Vec<Option<WhyLeftOut>> = roles
        .features
        .iter()
        .zip(columns.iter())
        .map(|(&column, numbers)| why_no_feature(&names[column], numbers, names))
        .collect();
    if reasons.iter().any(Option::is_none) {
        let mut kept = reasons.iter().map(Option::is_none);
        columns.retain(|_| kept.next().unwrap_or(true));
        let (features, reasons) = (std::mem::take(&mut roles.features), reasons.into_iter());
        for (column, why) in features.into_iter().zip(reasons) {
            match why {
                None => roles.features.push(column),
                Some(why) => {
                    roles.carried.push(column);
                    left_out.push((column, why));
                }
            }
        }
        roles.carried.sort_unstable();
    }
    left_out.sort_unstable_by_key(|(column, _)| *column);
    left_out.into_iter().map(|(column, why)| TableNote::LeftOut { column: names[column].clone(), why }).collect()
}

/// What there is to say about the features and about the other columns.
/// Who lists the features knows what is none.
pub(super) fn notes(
    names: &[String],
    columns: &[Vec<f64>],
    others: &[(String, Vec<String>)],
    are_listed: bool,
) -> Vec<TableNote> {
    let named = |columns: Vec<usize>| columns.into_iter().map(|column| names[column].clone()).collect::<Vec<_>>();
    let mut notes = Vec::new();
    let may_be_ids = named((0..columns.len()).filter(|&column| may_be_ids(&columns[column])).collect());
    // where all of them are so, that is what the data are like
    if !are_listed && !may_be_ids.is_empty() && may_be_ids.len() < columns.len() {
        notes.push(TableNote::MayBeIds(may_be_ids));
    }
    let constant = named(constant(columns));
    if !constant.is_empty() && constant.len() < columns.len() {
        notes.push(TableNote::Constant(constant));
    }
    let pairs = repeated_columns(columns);
    if !pairs.is_empty() {
        let names = |(one, other): (usize, usize)| (names[one].clone(), names[other].clone());
        notes.push(TableNote::RepeatedColumns(pairs.into_iter().map(names).collect()));
    }
    if let Some((count, first)) = repeated_rows(columns.first().map_or(0, Vec::len), columns) {
        notes.push(TableNote::RepeatedRows { count, first });
    }
    if !are_listed && !others.is_empty() {
        let mut unused: Vec<(CellKind, Vec<String>)> = Vec::new();
        for (name, cells) in others {
            let kind = kind(cells);
            match unused.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, names)) => names.push(name.clone()),
                None => unused.push((kind, vec![name.clone()])),
            }
        }
        notes.push(TableNote::Columns { used: names.to_vec(), unused });
    }
    notes
}

/// Why a column of numbers is none of measurements, if it is so. `names` are those of all columns.
pub(super) fn why_no_feature(name: &str, numbers: &[f64], names: &[String]) -> Option<WhyLeftOut> {
    if is_our_output(name, names) {
        return Some(WhyLeftOut::OurOutput);
    }
    if !are_whole(numbers) {
        return None;
    }
    if counts_rows(numbers) {
        return Some(WhyLeftOut::CountsRows);
    }
    let lower = name.trim().to_lowercase();
    let is_named = ROW_NAMES.contains(&lower.as_str()) || lower.starts_with("unnamed:");
    let is_long = numbers.iter().any(|number| number.abs() >= EXACT);
    (is_named && numbers.len() > 1 && (is_long || are_distinct(numbers))).then_some(WhyLeftOut::NamedId)
}

/// Whether a column of numbers could be identifiers or measurements.
pub(super) fn may_be_ids(numbers: &[f64]) -> bool {
    numbers.len() >= ENOUGH_ROWS && are_whole(numbers) && are_distinct(numbers)
}

/// Columns that `fit`, `transform` and `reconstruct` write beside coordinates x1, x2, ….
fn is_our_output(name: &str, names: &[String]) -> bool {
    let has = |name: &str| names.iter().any(|other| other == name);
    match name.strip_prefix("sd") {
        Some(number) => number.parse::<usize>().is_ok() && has(&format!("x{number}")),
        None => matches!(name, "log_density" | "novelty") && has("x1") && has("sd1"),
    }
}

fn are_whole(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite() && number.fract() == 0.0)
}

fn counts_rows(numbers: &[f64]) -> bool {
    numbers.len() >= ENOUGH_ROWS && numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
}

fn are_distinct(numbers: &[f64]) -> bool {
    let mut seen = HashSet::with_capacity(numbers.len());
    numbers.iter().all(|&number| seen.insert(key(number)))
}

/// Equal for equal numbers.
fn key(number: f64) -> u64 {
    // 0 and -0 are the same
    (number + 0.0).to_bits()
}

/// Columns whose numbers are all the same.
pub(super) fn constant(columns: &[Vec<f64>]) -> Vec<usize> {
    let is_constant = |column: &Vec<f64>| column.len() > 1 && column.iter().all(|number| *number == column[0]);
    (0..columns.len()).filter(|&column| is_constant(&columns[column])).collect()
}

/// Columns that are the same as one before them, with that one; constant columns are not counted.
pub(super) fn repeated_columns(columns: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let constant: HashSet<usize> = constant(columns).into_iter().collect();
    let mut firsts: HashMap<u64, usize> = HashMap::new();
    let mut found = Vec::new();
    for (column, numbers) in columns.iter().enumerate().filter(|(column, _)| !constant.contains(column)) {
        let other = *firsts.entry(hash(numbers.iter().copied())).or_insert(column);
        if other != column && numbers.len() > 1 && columns[other] == *numbers {
            found.push((column, other));
        }
    }
    found
}

/// How many rows are the same as one before them, and the first of them with that one.
pub(super) fn repeated_rows(rows: usize, columns: &[Vec<f64>]) -> Option<(usize, (usize, usize))> {
    let mut firsts: HashMap<u64, usize> = HashMap::with_capacity(rows);
    let (mut count, mut first) = (0, None);
    for row in 0..rows {
        let other = *firsts.entry(hash(columns.iter().map(|column| column[row]))).or_insert(row);
        if other != row && columns.iter().all(|column| column[other] == column[row]) {
            count += 1;
            first = first.or(Some((row, other)));
        }
    }
    Some((count, first?))
}

/// The same for the same numbers, and seldom for others.
fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    numbers.fold(0x9e37_79b9_7f4a_7c15, |hash: u64, number| {
        (hash.rotate_left(23) ^ key(number)).wrapping_mul(0x2545_f491_4f6c_dd1d)
    })
}

/// What the cells of a column are that is no feature.
pub(super) fn kind(cells: &[String]) -> CellKind {
    let present = || cells.iter().map(|cell| cell.trim()).filter(|cell| !is_missing(cell));
    let is_truth =
        |cell: &str| ["true", "false", "yes", "no", "t", "f", "y", "n"].contains(&cell.to_lowercase().as_str());
    if present().next().is_none() {
        return CellKind::Empty;
    }
    if present().all(|cell| cell.parse::<f64>().is_ok()) {
        return CellKind::Numbers;
    }
    if present().all(is_truth) {
        return CellKind::Booleans;
    }
    if present().all(is_date) {
        return CellKind::Dates;
    }
    let mut distinct = HashSet::new();
    let is_short = present().all(|cell| {
        distinct.insert(cell);
        distinct.len() <= MOST_CATEGORIES
    });
    if is_short && 2 * distinct.len() <= cells.len() { CellKind::Categories } else { CellKind::Text }
}

/// Whether a cell looks like a date, with a time after it or not: 2024-03-01, 1.3.2024, 01/03/24.
fn is_date(cell: &str) -> bool {
    let day = cell.split([' ', 'T']).next().unwrap_or_default();
    let Some(mark) = day.chars().find(|c| matches!(c, '-' | '/' | '.')) else { return false };
    let parts: Vec<&str> = day.split(mark).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let are_digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    are_digits && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4] | [1..=2, 1..=2, 2])
}

#[cfg(test)]
mod tests {
    //! What numbers rows, what is a date and what stands twice is told by the cells alone.

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn row_numbers_are_told_by_name_or_by_counting() {
        let counted: Vec<f64> = (5..15).map(f64::from).collect();
        let shuffled: Vec<f64> = (0..10).map(|i| f64::from(i * 7 % 10)).collect();
        let why = |name: &str, numbers: &[f64]| why_no_feature(name, numbers, &names(&["x1", "sd1", "sd9", "novelty"]));
        assert_eq!(why("height", &counted), Some(WhyLeftOut::CountsRows));
        assert_eq!(why("height", &counted[..9]), None);
        assert_eq!(why("height", &shuffled), None);
        for name in ["ID", "Index", "Unnamed: 0", "row", "RowID"] {
            assert_eq!(why(name, &shuffled), Some(WhyLeftOut::NamedId), "{name}");
        }
        assert_eq!(why("id", &[1.0, 1.0, 2.0]), None);
        assert_eq!(why("index", &[1.5, 2.5, 2.0]), None, "an index may be measured");
        assert_eq!(why("id", &[1e18, 1e18, 1e18]), Some(WhyLeftOut::NamedId), "long numbers run together");
        assert_eq!(why("sd1", &[0.1, 0.2]), Some(WhyLeftOut::OurOutput));
        assert_eq!(why("novelty", &[0.1, 0.2]), Some(WhyLeftOut::OurOutput));
        assert_eq!(why("sd9", &[0.1, 0.2]), None, "without x9 it is a user's");
        assert!(may_be_ids(&shuffled) && !may_be_ids(&[1.0; 20]));
    }

    #[test]
    fn what_is_the_same_is_found() {
        let columns = [vec![1.0, 2.0, 1.0], vec![3.0; 3], vec![1.0, 2.0, 1.0], vec![3.0; 3]];
        assert_eq!(constant(&columns), [1, 3]);
        assert_eq!(repeated_columns(&columns), [(2, 0)]);
        assert_eq!(repeated_rows(3, &columns), Some((1, (2, 0))));
        assert_eq!(repeated_rows(2, &columns), None);
    }

    #[test]
    fn kinds_are_told_by_all_cells() {
        let of = |cells: &[&str]| kind(&names(cells));
        assert_eq!(of(&["2024-03-01", "", "2024-3-2 12:00"]), CellKind::Dates);
        assert_eq!(of(&["1.3.2024", "31/12/99"]), CellKind::Dates);
        assert_eq!(of(&["1.3.2024", "soon"]), CellKind::Text);
        assert_eq!(of(&["Yes", "no", "NA"]), CellKind::Booleans);
        assert_eq!(of(&["a", "b", "a", "b"]), CellKind::Categories);
        assert_eq!(of(&["a", "b", "c", "d"]), CellKind::Text);
        assert_eq!(of(&["", "NA"]), CellKind::Empty);
        assert_eq!(of(&["1", "2", ""]), CellKind::Numbers);
        assert_eq!(of(&["1.2.3", "1.2"]), CellKind::Text);
    }
}
