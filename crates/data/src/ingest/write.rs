//! Writes accepted rows, and decides from which day each counts as known.
//!
//! A changed figure became known today. So did a new one when the source was read yesterday and lacked it. After a
//! first read, or after weeks of silence, a new figure had long been public, and "today" would hide it from every
//! question about a day before: then the day is estimated from the lag.

use crate::store::{Store, WriteOutcome, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Known, Observation, SeriesId, SeriesInfo, vintages};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Days without a read after which new figures are no longer taken for today's.
const LONG_SILENCE: i64 = 3;

/// Accepted rows of one series.
pub(super) struct Update<'a> {
    pub(super) id: &'a SeriesId,
    /// For the publication lag; without it a day cannot be estimated and counts as past.
    pub(super) info: Option<&'a SeriesInfo>,
    /// Finite values, one for each date and day of knowledge.
    pub(super) rows: &'a [Known],
    /// Whether the store holds nothing of the series.
    pub(super) is_new: bool,
    /// Day of the last read of this source; `None` = never, or no source that is read regularly.
    pub(super) last_read: Option<Date>,
    pub(super) now: Timestamp,
    pub(super) origin: &'a str,
}

/// Writes them. The store takes only what it does not have, and dates a changed figure by the read itself.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be written.
pub(super) fn write(store: &dyn Store, update: &Update<'_>) -> Result<WriteOutcome> {
    let (archive, mut figures): (Vec<Known>, Vec<Known>) =
        (update.rows.iter().copied()).partition(|row| row.known_from.is_some());
    for row in &mut figures {
        row.known_from = update.known_from(row.date);
    }
    figures.sort_by_key(|row| row.date);
    // What nobody knows the day of goes first, so that the archive can tell it.
    let archive = update.archive(&archive, update.is_new && figures.is_empty());
    let mut sum = WriteOutcome::default();
    for rows in [figures, archive] {
        // Without any rows the store still notes that the source was read.
        if rows.is_empty() && !update.rows.is_empty() {
            continue;
        }
        let rows = update.set_apart(store, rows)?;
        let written = store.write_vintages(WriteVintages {
            id: update.id,
            rows: &rows,
            fetched_at: update.now,
            origin: update.origin,
        })?;
        sum.added += written.added;
        sum.revised += written.revised;
    }
    Ok(sum)
}

impl Update<'_> {
    /// An archive, set apart from what is held without a day where that reaches into its time ([`vintages::beside`]).
    fn set_apart(&self, store: &dyn Store, rows: Vec<Known>) -> Result<Vec<Known>> {
        let begins = rows.iter().filter_map(|row| row.known_from).min();
        let is_archive = rows.iter().any(|row| row.known_from > begins);
        let (Some(info), true) = (self.info, is_archive) else {
            return Ok(rows);
        };
        let held = store.read(self.id)?.unwrap_or_default();
        let undated = held.rows().iter().filter(|row| row.known_from.is_none());
        let today = undated.filter_map(|row| Some(Observation::new(row.date, row.value?)));
        let today: Vec<Observation> = today.collect();
        Ok(match today.last().map(|newest| newest.date) > begins {
            true => vintages::beside(info, &today, &rows),
            false => rows,
        })
    }

    /// The day a figure was public by the lag.
    fn public(&self, date: Date) -> Option<Date> {
        Some(self.info?.known_by(date))
    }

    /// An archive in order of date and day. What stands in its first vintage may have been public before it begins:
    /// where it `is_alone`, and nothing else tells of that time, it counts without a day as well.
    fn archive(&self, rows: &[Known], is_alone: bool) -> Vec<Known> {
        let begins = rows.iter().filter_map(|row| row.known_from).min();
        let is_older = |row: &&Known| {
            let public = self.public(row.date);
            is_alone && row.known_from == begins && public < begins && public.is_some()
        };
        let older = rows.iter().filter(is_older).map(|row| Known {
            known_from: None,
            ..*row
        });
        let mut rows: Vec<Known> = rows.iter().copied().chain(older).collect();
        rows.sort_by_key(|row| (row.date, row.known_from));
        rows
    }

    /// Since when a figure counts as known of which nobody says so; `None` = to be estimated.
    fn known_from(&self, date: Date) -> Option<Date> {
        let public = self.public(date);
        let today = day_of(self.now);
        let is_todays = match (public, self.last_read) {
            (None, look) => look.is_some(),
            (Some(_), Some(read)) if days_between(read, today) <= LONG_SILENCE => true,
            // It was overdue at the last read and not there, or it is out today or ahead of its time.
            (Some(public), read) => read.is_some_and(|read| public <= read) || public > today,
        };
        is_todays.then_some(today)
    }
}

/// The calendar day of an instant, UTC.
pub(super) fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sqlite;
    use econoscope_core::catalogue::Catalogue;
    use jiff::civil::date;

    fn at(month: i8, value: f64) -> Known {
        Known {
            date: date(2026, month, 1),
            known_from: None,
            value: Some(value),
        }
    }

    fn after(last_read: Option<Date>, rows: &[Known]) -> (WriteOutcome, Vec<Known>) {
        let store = Sqlite::in_memory().unwrap();
        let id = SeriesId::new("UNRATE").unwrap();
        let info = Catalogue::embedded().get("UNRATE").unwrap();
        let mut update = Update {
            id: &id,
            info: Some(info),
            rows: &[at(6, 4.0), at(7, 4.1)],
            is_new: true,
            last_read: None,
            now: "2026-08-10T12:00:00Z".parse().unwrap(),
            origin: "bundled",
        };
        write(&store, &update).unwrap();
        update.last_read = last_read;
        update.rows = rows;
        update.is_new = false;
        update.now = "2026-11-21T12:00:00Z".parse().unwrap();
        let written = write(&store, &update).unwrap();
        (written, store.read(&id).unwrap().unwrap().rows().to_vec())
    }

    fn known_from(rows: &[Known], month: i8, value: f64) -> Option<Date> {
        let row = |r: &&Known| r.date == date(2026, month, 1) && r.value == Some(value);
        rows.iter().find(row).unwrap().known_from
    }

    #[test]
    fn what_came_since_yesterday_is_todays() {
        let today = Some(date(2026, 11, 21));
        let fresh = [at(6, 4.0), at(7, 4.2), at(8, 4.3)];
        let (written, rows) = after(Some(date(2026, 11, 20)), &fresh);
        assert_eq!((written.added, written.revised), (1, 1));
        assert_eq!(known_from(&rows, 6, 4.0), None);
        assert_eq!(known_from(&rows, 7, 4.1), None);
        assert_eq!(known_from(&rows, 7, 4.2), today);
        assert_eq!(
            known_from(&rows, 8, 4.3),
            today,
            "a late release is new on the day it comes"
        );
    }

    #[test]
    fn what_was_public_before_the_last_read_is_estimated() {
        let fresh = [at(7, 4.2), at(8, 4.3), at(10, 4.4), at(11, 9.0)];
        for read in [None, Some(date(2026, 8, 10))] {
            let (written, rows) = after(read, &fresh);
            assert_eq!((written.added, written.revised), (3, 1));
            assert_eq!(known_from(&rows, 8, 4.3), None, "{read:?}");
            assert_eq!(known_from(&rows, 10, 4.4), None, "{read:?}");
            assert_eq!(known_from(&rows, 7, 4.2), Some(date(2026, 11, 21)));
            let early = known_from(&rows, 11, 9.0);
            assert_eq!(early, Some(date(2026, 11, 21)), "not due yet, so new");
        }
    }

    #[test]
    fn what_was_overdue_at_the_last_read_is_todays_update_even_after_a_silence() {
        let (_, rows) = after(Some(date(2026, 10, 20)), &[at(8, 4.3), at(10, 4.4)]);
        assert_eq!(known_from(&rows, 8, 4.3), Some(date(2026, 11, 21)));
        assert_eq!(known_from(&rows, 10, 4.4), None);
    }

    #[test]
    fn a_read_that_finds_nothing_is_noted() {
        let (written, rows) = after(Some(date(2026, 11, 20)), &[]);
        assert_eq!(written, WriteOutcome::default());
        assert_eq!(rows.len(), 2);
    }
}
