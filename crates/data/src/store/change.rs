//! The comparison of a write with the stored rows, common to every store.
//!
//! Only new dates and values that differ from what was known on the day of the write are appended. So writing
//! the same rows twice changes nothing, and a vintage that arrives late leaves newer ones in place. A whole
//! archive also corrects rows without a day: they cannot have been known before the archive saw their date.

use super::{WriteOutcome, WriteVintages};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::{Date, SeriesId, VintageObservation, Vintages};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The effect of a write on a series.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Rows to append, ordered by date.
    pub(super) rows: Vec<VintageObservation>,
    /// Date and `known_from` of the rows that an archive replaces, ascending.
    dropped: Vec<(Date, Option<Date>)>,
    pub(super) outcome: WriteOutcome,
}

/// The days a comparison needs.
struct Days<'a> {
    /// UTC day of this write.
    fetched: Date,
    /// Day from which changed values without a day count, unless a later one is stored.
    revised: Option<Date>,
    /// UTC day on which the stored rows were last read.
    stored: Date,
    /// Stored days that are estimates, ascending.
    estimated: &'a [Date],
    /// First and last day of an archive; `None` when all incoming rows are of one day.
    archive: Option<(Date, Date)>,
}

impl Days<'_> {
    fn is_estimate(&self, row: &VintageObservation) -> bool {
        let is_estimated = |day| self.estimated.binary_search(&day).is_ok();
        row.known_from.is_none_or(is_estimated)
    }

    /// Whether an archive that has a stored row's date from `first` on says when its value was known.
    fn is_replaced(&self, row: &VintageObservation, first: Option<Date>) -> bool {
        self.archive.is_some_and(|(begin, last)| {
            let is_inside = row
                .known_from
                .map_or(first > Some(begin), |day| begin < day && day <= last);
            is_inside && self.is_estimate(row)
        })
    }
}

impl Change {
    /// Compares a write with the stored rows, which were last read from their source at `stored_at`.
    ///
    /// A changed value of a stored date gets a day of knowledge: the row's own, [`WriteVintages::revised_from`], or the UTC
    /// day of reading.
    /// A new date gets the row's day or none; it is never estimated from the lag.
    pub(super) fn compare(
        stored: &Vintages,
        stored_at: Timestamp,
        write: &WriteVintages<'_>,
    ) -> Self {
        let known_days = || write.rows.iter().filter_map(|row| row.known_from);
        let days = Days {
            fetched: utc_day(write.fetched_at),
            revised: write.revised_from,
            stored: utc_day(stored_at),
            estimated: write.estimated_days,
            archive: (known_days().min().zip(known_days().max()))
                .filter(|(first, last)| first < last),
        };
        let mut change = Self::default();
        let mut rest = stored.rows();
        for incoming in write.rows.chunk_by(|a, b| a.date == b.date) {
            let date = incoming.first().map_or(Date::MIN, |row| row.date);
            // A scan, not a search: the next date is nearly always the next row.
            let earlier = rest.iter().take_while(|row| row.date < date).count();
            rest = rest.get(earlier..).unwrap_or_default();
            let stored = rest.iter().take_while(|row| row.date == date);
            change.add_date(&days, stored.copied().collect(), incoming);
        }
        change
    }

    /// Adds the changes to one date. `known` are its stored rows.
    fn add_date(
        &mut self,
        days: &Days<'_>,
        mut known: Vec<VintageObservation>,
        incoming: &[VintageObservation],
    ) {
        let is_new = known.is_empty();
        let first = incoming.first().and_then(|row| row.known_from);
        let read_last = known.last().copied().filter(|row| days.is_estimate(row));
        let is_archived = days.archive.is_some() && first.is_some();
        let has_values = incoming.iter().any(|row| row.value.is_some());
        if is_archived {
            let first_value = first.filter(|_| has_values);
            let is_told = |day| incoming.iter().any(|row| row.known_from == Some(day));
            let is_replaced = |row: &VintageObservation| {
                days.is_replaced(row, first_value) && !row.known_from.is_some_and(is_told)
            };
            let dropped = known.extract_if(.., |row| is_replaced(row));
            self.dropped
                .extend(dropped.map(|row| (row.date, row.known_from)));
        }
        let last = known.last().and_then(|row| row.known_from);
        let revised = days.revised.filter(|day| Some(*day) > last);
        for row in incoming {
            let day = row.known_from.or(revised).unwrap_or(days.fetched);
            if value_on(&known, day) == row.value {
                continue;
            }
            let is_first = known.is_empty();
            if is_new && is_first {
                self.outcome.added += 1
            } else {
                self.outcome.revised += 1
            }
            let known_from = if is_first { row.known_from } else { Some(day) };
            let row = VintageObservation { known_from, ..*row };
            known.push(row);
            self.rows.push(row);
        }
        // The value read last is the newest, whatever the archive or a late vintage ends with.
        let is_late = is_archived || first.is_some_and(|day| day < days.stored);
        let newest = read_last.filter(|row| is_late && value_on(&known, days.stored) != row.value);
        self.rows.extend(newest.map(|row| VintageObservation {
            known_from: Some(days.stored),
            ..row
        }));
    }

    /// Returns the stored rows with this change applied.
    pub(super) fn apply_to(&self, stored: &Vintages) -> Vintages {
        let is_dropped = |row: &VintageObservation| {
            let key = (row.date, row.known_from);
            self.dropped.binary_search(&key).is_ok()
        };
        let remaining = stored.rows().iter().filter(|row| !is_dropped(row));
        Vintages::new(remaining.chain(&self.rows).copied().collect())
    }
}

/// Returns the value known on `day` from the rows of one date; `None` when there was none or it was withdrawn.
fn value_on(known: &[VintageObservation], day: Date) -> Option<f64> {
    let by_then = known
        .iter()
        .filter(|row| row.known_from.is_none_or(|from| from <= day));
    // Of two rows of one day the later counts.
    by_then.max_by_key(|row| row.known_from)?.value
}

fn utc_day(instant: Timestamp) -> Date {
    instant.to_zoned(TimeZone::UTC).date()
}

/// Checks that rows ascend without repeats and that values are finite.
///
/// # Errors
/// [`Error::Store`] with the series and the first bad day.
pub(super) fn check(write: &WriteVintages<'_>) -> Result<()> {
    check_finite(write)?;
    let key = |row: &VintageObservation| (row.date, row.known_from);
    let mut neighbours = write.rows.array_windows();
    neighbours
        .find(|[a, b]| key(a) >= key(b))
        .map_or(Ok(()), |[a, b]| {
            let problem = format!(
                "dates must ascend without repeats, but {} follows {}",
                b.date, a.date
            );
            Err(rejection(write.id, &problem))
        })
}

/// Truncates an instant to microseconds, the precision of every store.
pub(super) fn to_microseconds(instant: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant)
}

/// Checks that rows were computed here: rows of a source cannot be computed again.
///
/// # Errors
/// [`Error::Store`] with the series and its origin.
pub(super) fn check_replaceable(id: &SeriesId, origin: &str) -> Result<()> {
    if origin.split_whitespace().next() == Some("computed") {
        return Ok(());
    }
    Err(Error::store_without_cause(format!(
        "{id} comes from \"{origin}\" and was not computed here; its rows are kept."
    )))
}

/// Checks that values are finite.
///
/// # Errors
/// [`Error::Store`] with the series and the date of the first bad value.
pub(super) fn check_finite(write: &WriteVintages<'_>) -> Result<()> {
    let mut rows = write.rows.iter();
    let bad = rows.find(|row| row.value.is_some_and(|v| !v.is_finite()));
    bad.map_or(Ok(()), |row| {
        let problem = format!("the value of {} is not a finite number", row.date);
        Err(rejection(write.id, &problem))
    })
}

fn rejection(id: &SeriesId, problem: &str) -> Error {
    Error::store_without_cause(format!("{id}: {problem}. Nothing was written."))
}
