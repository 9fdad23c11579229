//! What a write changes, decided once for every store.
//!
//! A store that holds rows is asked what it knew on the day of the write; only dates it did not have and
//! values that differ are appended. So a second write of the same rows is no change, and a vintage that
//! arrives late (an older day of knowledge) takes its place without disturbing newer ones.
//! A whole archive tells more: what was read without a day cannot have been known before the archive saw it.

use super::{WriteOutcome, WriteVintages};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Date, Known, SeriesId, Vintages};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Rows to append, in order of date, and what they mean.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub(super) rows: Vec<Known>,
    /// Dates whose row without a day goes, ascending: an archive told the day.
    pub(super) displaced: Vec<Date>,
    pub(super) written: WriteOutcome,
}

/// The days a comparison needs.
struct Days {
    /// Of this reading.
    read: Date,
    /// Of the last reading of what is held.
    held: Date,
    /// First day of an archive; `None` when what came is of one day.
    archive: Option<Date>,
}

impl Change {
    /// Compares a write with what is held, which was last read at `held_at`.
    ///
    /// A changed value of a stored date needs a day of knowledge: the row's own, or the UTC day of reading.
    /// A date the store did not have takes the row's day, or none; none is estimated by lag.
    pub(super) fn of(held: &Vintages, held_at: Timestamp, write: &WriteVintages<'_>) -> Self {
        let days = || write.rows.iter().filter_map(|row| row.known_from);
        let days = Days {
            read: day_of(write.fetched_at),
            held: day_of(held_at),
            archive: days().min().filter(|first| days().any(|day| day > *first)),
        };
        let (mut change, mut known) = (Self::default(), Vec::new());
        let mut rest = held.rows();
        for came in write.rows.chunk_by(|a, b| a.date == b.date) {
            let date = came.first().map_or(Date::MIN, |row| row.date);
            rest = rest.get(before(rest, date)..).unwrap_or_default();
            let stored = rest.iter().take_while(|row| row.date == date);
            known.clear();
            known.extend(stored);
            change.take(&days, &mut known, came);
        }
        change
    }

    /// Takes what came of one date, of which these rows are `known`.
    fn take(&mut self, days: &Days, known: &mut Vec<Known>, came: &[Known]) {
        let is_new = known.is_empty();
        let undated = known
            .first()
            .copied()
            .filter(|row| row.known_from.is_none());
        let is_read_once = known.len() == 1;
        let first = came.first().and_then(|row| row.known_from);
        let is_archived = days.archive.is_some() && first.is_some();
        let tells = came.iter().any(|row| row.value.is_some());
        if undated.is_some() && is_archived && tells && first > days.archive {
            known.remove(0);
            self.displaced.extend(undated.map(|row| row.date));
        }
        for row in came {
            let day = row.known_from.unwrap_or(days.read);
            if value_on(known, day) == row.value {
                continue;
            }
            let known_from = if known.is_empty() {
                row.known_from
            } else {
                Some(day)
            };
            if is_new && known.is_empty() {
                self.written.added += 1;
            } else {
                self.written.revised += 1;
            }
            let row = Known { known_from, ..*row };
            known.push(row);
            self.rows.push(row);
        }
        // What was read last is the newest, whatever the archive ends with.
        let read = undated
            .filter(|row| is_archived && is_read_once && value_on(known, days.held) != row.value);
        self.rows.extend(read.map(|row| Known {
            known_from: Some(days.held),
            ..row
        }));
    }

    /// What is held, with what came and without what is displaced.
    pub(super) fn onto(&self, held: &Vintages) -> Vintages {
        let is_displaced = |row: &Known| {
            row.known_from.is_none() && self.displaced.binary_search(&row.date).is_ok()
        };
        let held = held.rows().iter().filter(|row| !is_displaced(row));
        Vintages::new(held.chain(&self.rows).copied().collect())
    }
}

/// What was known on `day` out of the rows of one date; `None` when nothing was, or it was withdrawn.
fn value_on(known: &[Known], day: Date) -> Option<f64> {
    let by_then = known
        .iter()
        .filter(|row| row.known_from.is_none_or(|from| from <= day));
    // The later of two rows of one day counts.
    by_then.max_by_key(|row| row.known_from)?.value
}

fn day_of(instant: Timestamp) -> Date {
    instant.to_zoned(TimeZone::UTC).date()
}

/// How many rows lie before `date`. Walks, since the next date is nearly always the next row.
fn before(rows: &[Known], date: Date) -> usize {
    rows.iter().take_while(|r| r.date < date).count()
}

/// Refuses what no store may hold: rows out of order or twice, values that are not numbers.
///
/// # Errors
/// [`Error::Store`] that names the series and the first bad day.
pub(super) fn check(write: &WriteVintages<'_>) -> Result<()> {
    finite(write.id, write.rows)?;
    let mut neighbours = write.rows.windows(2);
    let bad = neighbours.find_map(|pair| match pair {
        [a, b] if (a.date, a.known_from) >= (b.date, b.known_from) => Some((a.date, b.date)),
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
pub(super) fn computed(write: &WriteVintages<'_>) -> Result<Vintages> {
    may_replace(write.id, write.origin)?;
    finite(write.id, write.rows)?;
    Ok(Vintages::new(write.rows.to_vec()))
}

/// Refuses to drop what came from a source: only what was computed here can be computed again.
///
/// # Errors
/// [`Error::Store`] that names the series and its origin.
pub(super) fn may_replace(id: &SeriesId, origin: &str) -> Result<()> {
    if origin.split_whitespace().next() == Some("computed") {
        return Ok(());
    }
    let what =
        format!("{id} comes from \"{origin}\" and was not computed here; its rows are kept.");
    Err(Error::of_store(what))
}

fn finite(id: &SeriesId, rows: &[Known]) -> Result<()> {
    let odd = rows
        .iter()
        .find(|row| row.value.is_some_and(|v| !v.is_finite()));
    odd.map_or(Ok(()), |row| {
        let what = format!("the value of {} is not a finite number", row.date);
        Err(refused(id, &what))
    })
}

fn refused(id: &SeriesId, what: &str) -> Error {
    Error::of_store(format!("{id}: {what}. Nothing was written."))
}
