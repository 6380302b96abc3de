//! What methods get that know no gaps.

use super::WholeRows;
use crate::fit::AmongRows;
use crate::message;
use crate::message::{Message, Remedy, Sentence};
use crate::model::{MissingEntries, Prepared};
use serde::Serialize;

/// How a table with gaps was made whole for methods that know none; our model takes it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FilledIn {
    /// Entries that the table lacks.
    pub entries: usize,
    /// Rows that lack some.
    pub rows: usize,
    /// Among which rows neighbourhoods, variance explained and density are measured.
    pub among: AmongRows,
}

impl FilledIn {
    /// The table without gaps, and what was done; nothing where it has none.
    pub(super) fn of(prepared: &Prepared) -> Option<(Prepared, Self)> {
        let lacking = lacking(prepared.missing.as_deref()?);
        let entries = prepared.missing.as_ref()?.count();
        let (rows, all) = (lacking.len(), prepared.n());
        Some((prepared.without_gaps()?, Self { entries, rows, among: AmongRows::of(all - rows, all) }))
    }

    /// The rows that lack nothing, if only these are looked at.
    pub(super) fn whole_rows(&self, prepared: &Prepared, filled: &Prepared) -> Option<WholeRows> {
        let lacking = lacking(prepared.missing.as_deref()?);
        let whole = || (0..prepared.n()).filter(|row| lacking.binary_search(row).is_err()).collect();
        matches!(self.among, AmongRows::Whole(_)).then(|| WholeRows::new(whole(), filled.points()))
    }
}

/// Rows that lack entries, ascending.
fn lacking(entries: &MissingEntries) -> Vec<usize> {
    let mut rows: Vec<usize> = entries.pairs().into_iter().map(|(row, _)| row as usize).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Sentence for FilledIn {
    fn message(&self) -> Message {
        let counted = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let entries = counted(self.entries, "entry", "entries");
        let among = match self.among {
            AmongRows::Whole(rows) => {
                format!("neighbourhoods, variance and density are measured among the {rows} rows without gaps")
            }
            AmongRows::FilledIn => "all are measured with what was filled in".to_owned(),
        };
        message![format!(
            "{entries} missing in {}: ll-lvm takes the rows as they are, the other methods get them filled in from the nearest \
             rows; {among}",
            counted(self.rows, "row", "rows"),
        )]
    }

    fn remedies(&self) -> Vec<Remedy> {
        vec![]
    }
}
