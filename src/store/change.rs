//! What a write changes, decided once for every store.
//!
//! A store that holds rows is asked what it knew on the day of the write; only dates it did not have and
//! values that differ are appended. So a second write of the same rows is no change, and a vintage that
//! arrives late (an older day of knowledge) takes its place without disturbing newer ones.

use super::seam::{Write, Written};
use crate::error::{Error, Result};
use crate::model::{Date, Known, SeriesId, Vintages};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Rows to append, in order of date, and what they mean.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) rows: Vec<Known>,
    pub(super) written: Written,
}

impl Change {
    /// Compares a write with what is held.
    ///
    /// A changed value of a stored date needs a day of knowledge: the write's own, or the UTC day of reading.
    /// A date the store did not have takes the write's day, or none; none is estimated by lag.
    pub(super) fn of(held: &Vintages, write: &Write<'_>) -> Self {
        let known_by = write
            .known_from
            .unwrap_or_else(|| write.fetched_at.to_zoned(TimeZone::UTC).date());
        let mut change = Self::default();
        let mut rest = held.rows();
        for observation in write.observations {
            rest = rest
                .get(before(rest, observation.date)..)
                .unwrap_or_default();
            let mut stored = rest
                .iter()
                .take_while(|r| r.date == observation.date)
                .peekable();
            let known_from = if stored.peek().is_none() {
                change.written.added += 1;
                write.known_from
            } else {
                let known = stored.filter(|r| r.known_from.is_none_or(|d| d <= known_by));
                if known.last().is_some_and(|r| r.value == observation.value) {
                    continue;
                }
                change.written.revised += 1;
                Some(known_by)
            };
            change.rows.push(Known {
                date: observation.date,
                known_from,
                value: observation.value,
            });
        }
        change
    }
}

/// How many rows lie before `date`. Walks, since the next date is nearly always the next row.
fn before(rows: &[Known], date: Date) -> usize {
    rows.iter().take_while(|r| r.date < date).count()
}

/// Refuses what no store may hold: days out of order or twice, values that are not numbers.
///
/// # Errors
/// [`Error::Store`] that names the series and the first bad day.
pub(super) fn check(write: &Write<'_>) -> Result<()> {
    if let Some(o) = write.observations.iter().find(|o| !o.value.is_finite()) {
        return Err(not_finite(write.id, o.date));
    }
    let mut neighbours = write.observations.windows(2);
    let bad = neighbours.find_map(|pair| match pair {
        [a, b] if a.date >= b.date => Some((a.date, b.date)),
        _ => None,
    });
    match bad {
        Some((a, b)) => {
            let what = format!("dates must ascend without repeats, but {b} follows {a}");
            Err(refused(write.id, &what))
        }
        None => Ok(()),
    }
}

/// An instant as a store keeps it: to the microsecond, which no source is more exact than.
pub(super) fn kept(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

/// The rows that are to replace a computed series, in their order.
///
/// # Errors
/// [`Error::Store`] when they are not said to be computed, or a value is not finite.
pub(super) fn computed(id: &SeriesId, rows: &[Known], origin: &str) -> Result<Vintages> {
    may_replace(id, origin)?;
    match rows.iter().find(|row| !row.value.is_finite()) {
        Some(row) => Err(not_finite(id, row.date)),
        None => Ok(Vintages::new(rows.to_vec())),
    }
}

/// Refuses to drop what came from a source: only what was computed here can be computed again.
///
/// # Errors
/// [`Error::Store`] that names the series and its origin.
pub(super) fn may_replace(id: &SeriesId, origin: &str) -> Result<()> {
    if origin.split_whitespace().next() == Some("computed") {
        return Ok(());
    }
    Err(Error::Store {
        what: format!("{id} comes from \"{origin}\" and was not computed here; its rows are kept."),
        source: None,
    })
}

fn not_finite(id: &SeriesId, date: Date) -> Error {
    refused(id, &format!("the value of {date} is not a finite number"))
}

fn refused(id: &SeriesId, what: &str) -> Error {
    Error::Store {
        what: format!("{id}: {what}. Nothing was written."),
        source: None,
    }
}
