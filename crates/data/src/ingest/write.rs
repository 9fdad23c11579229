//! Writes accepted rows, and decides from which day each counts as known.
//!
//! A revised figure became known today. So did a new one when the source was read yesterday and lacked it. After a
//! first read, or after weeks without a read, a new figure was public long before, and today's date would hide it from
//! every answer as of an earlier day; its day is then estimated from the publication lag. What the read revised came with
//! it, so it counts from the same day: else that day would mix two states of the series.

use crate::store::{Store, WriteOutcome, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{
    Date, Observation, SeriesId, SeriesInfo, VintageObservation, Vintages, vintages,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Days without a read after which a new figure no longer counts as today's.
const MAX_READ_GAP: i64 = 3;

/// Figures that a whole state of a series has at least, unless fewer are known.
const LEAST_STATE: usize = 12;

/// Accepted rows of one series.
pub(super) struct Update<'a> {
    pub(super) id: &'a SeriesId,
    /// For the publication lag. Without it no day can be estimated.
    pub(super) info: Option<&'a SeriesInfo>,
    /// Finite values, one for each date and day of knowledge.
    pub(super) rows: &'a [VintageObservation],
    /// The newest stored figure of each date, ascending.
    pub(super) stored: &'a [Observation],
    /// Day of the last read of this source; `None` = never, or the source is not read regularly.
    pub(super) last_read: Option<Date>,
    pub(super) now: Timestamp,
    pub(super) origin: &'a str,
}

/// Writes an update. The store skips rows that it has, and dates revised figures by the read.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be written.
pub(super) fn write(store: &dyn Store, update: &Update<'_>) -> Result<WriteOutcome> {
    let (vintages, mut figures): (Vec<VintageObservation>, Vec<VintageObservation>) =
        (update.rows.iter().copied()).partition(|row| row.known_from.is_some());
    for row in &mut figures {
        row.known_from = update.known_from(row.date);
    }
    figures.sort_by_key(|row| row.date);
    let revised_from = update.new_state_day(&figures);
    if revised_from.is_some() {
        let stored = figures.iter_mut().filter(|row| update.has(row.date));
        stored.for_each(|row| row.known_from = None);
    }
    // Undated figures go first, so that the vintages can date them.
    let sorted_vintages =
        update.sort_vintages(&vintages, update.stored.is_empty() && figures.is_empty());
    let mut batches = vec![figures, sorted_vintages];
    batches.retain(|rows| !rows.is_empty());
    if batches.is_empty() {
        // The store records a read that brought no rows.
        batches.push(Vec::new());
    }
    let mut sum = WriteOutcome::default();
    for batch in batches {
        let (rows, estimated_days) = update.merge_with_undated(store, batch)?;
        let written = store.write_vintages(WriteVintages {
            revised_from,
            estimated_days: &estimated_days,
            ..WriteVintages::new(update.id, &rows, update.now, update.origin)
        })?;
        sum.added += written.added;
        sum.revised += written.revised;
    }
    Ok(sum)
}

impl Update<'_> {
    /// Adjusts vintages that overlap stored rows without a day ([`vintages::merge_with_latest`]), and returns the stored days
    /// that are then estimates.
    fn merge_with_undated(
        &self,
        store: &dyn Store,
        rows: Vec<VintageObservation>,
    ) -> Result<(Vec<VintageObservation>, Vec<Date>)> {
        let start = rows.iter().filter_map(|row| row.known_from).min();
        let has_vintages = rows.iter().any(|row| row.known_from > start);
        let (Some(info), true) = (self.info, has_vintages) else {
            return Ok((rows, Vec::new()));
        };
        let stored = store.read(self.id)?.unwrap_or_default();
        // Figures as last revised: without a day, or from the estimated day of one without.
        let estimated_days = stored.estimated_days(Date::MIN, |date| info.publication_day(date));
        let is_estimated = |row: &&VintageObservation| {
            row.known_from
                .is_none_or(|day| estimated_days.contains(&day))
        };
        let estimated = stored.rows().iter().filter(is_estimated);
        let readings = Vintages::new(estimated.copied().collect());
        let latest = readings.latest();
        // A file of some figures is no state of the series, and says nothing of the others.
        let first = rows
            .iter()
            .filter(|row| row.known_from == start && row.value.is_some());
        let last = first.clone().map(|row| row.date).max();
        let earlier = latest.iter().filter(|o| Some(o.date) <= last).count();
        let is_state = first.count() >= earlier.min(LEAST_STATE);
        if !is_state || latest.last().map(|newest| newest.date) <= start {
            return Ok((rows, Vec::new()));
        }
        let merged = vintages::merge_with_latest(info, &readings, &rows);
        Ok((merged, estimated_days.into_iter().collect()))
    }

    /// Returns the day from which revised figures count where the read brings later ones without a day: the estimated day
    /// of the first of these.
    fn new_state_day(&self, figures: &[VintageObservation]) -> Option<Date> {
        let last = self.stored.last()?.date;
        let is_new = |row: &&VintageObservation| row.known_from.is_none() && row.date > last;
        self.public_day(figures.iter().find(is_new)?.date)
    }

    fn has(&self, date: Date) -> bool {
        self.stored.binary_search_by_key(&date, |o| o.date).is_ok()
    }

    /// Returns the day on which a figure was public by its publication lag.
    fn public_day(&self, date: Date) -> Option<Date> {
        Some(self.info?.publication_day(date))
    }

    /// Sorts vintages by date and day. When they are the `only_rows` of the series, figures of the first vintage that
    /// were public before it also count from their estimated day; a forecast was not public before its own.
    fn sort_vintages(
        &self,
        rows: &[VintageObservation],
        only_rows: bool,
    ) -> Vec<VintageObservation> {
        let start = rows.iter().filter_map(|row| row.known_from).min();
        let has_history = only_rows && !self.info.is_some_and(SeriesInfo::is_forecast);
        let is_older = |row: &&VintageObservation| {
            let public = self.public_day(row.date);
            has_history && row.known_from == start && public < start && public.is_some()
        };
        let undated = rows.iter().filter(is_older).map(|row| VintageObservation {
            known_from: None,
            ..*row
        });
        let mut sorted: Vec<VintageObservation> = rows.iter().copied().chain(undated).collect();
        sorted.sort_by_key(|row| (row.date, row.known_from));
        sorted
    }

    /// Returns the day from which an undated figure counts as known; `None` = to be estimated.
    fn known_from(&self, date: Date) -> Option<Date> {
        let public = self.public_day(date);
        let today = day_of(self.now);
        let is_todays = match (public, self.last_read) {
            (None, last_read) => last_read.is_some(),
            (Some(_), Some(read)) if days_between(read, today) <= MAX_READ_GAP => true,
            // It was overdue at the last read and missing, or it is not due before tomorrow.
            (Some(public), read) => read.is_some_and(|read| public <= read) || public > today,
        };
        is_todays.then_some(today)
    }
}

/// Returns the calendar day of an instant in UTC.
pub(super) fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sqlite;
    use econoscope_core::catalogue::Catalogue;
    use jiff::civil::date;

    fn row(month: i8, value: f64) -> VintageObservation {
        VintageObservation {
            date: date(2026, month, 1),
            known_from: None,
            value: Some(value),
        }
    }

    fn rewrite(
        last_read: Option<Date>,
        rows: &[VintageObservation],
    ) -> (WriteOutcome, Vec<VintageObservation>) {
        rewrite_after("2026-08-10T12:00:00Z", last_read, rows)
    }

    /// Writes June and July at `first`, and `rows` on 21 November.
    fn rewrite_after(
        first: &str,
        last_read: Option<Date>,
        rows: &[VintageObservation],
    ) -> (WriteOutcome, Vec<VintageObservation>) {
        let store = Sqlite::in_memory().unwrap();
        let id = SeriesId::new("UNRATE").unwrap();
        let info = Catalogue::embedded().get("UNRATE").unwrap();
        let mut update = Update {
            id: &id,
            info: Some(info),
            rows: &[row(6, 4.0), row(7, 4.1)],
            stored: &[],
            last_read: None,
            now: first.parse().unwrap(),
            origin: "bundled",
        };
        write(&store, &update).unwrap();
        let stored = store.read(&id).unwrap().unwrap().latest();
        update.last_read = last_read;
        update.rows = rows;
        update.stored = &stored;
        update.now = "2026-11-21T12:00:00Z".parse().unwrap();
        let written = write(&store, &update).unwrap();
        (written, store.read(&id).unwrap().unwrap().rows().to_vec())
    }

    #[test]
    fn forecast_counts_from_its_publication_alone() {
        let published = date(2026, 2, 11);
        let written = |id: &str| {
            let store = Sqlite::in_memory().unwrap();
            let series = SeriesId::new(id).unwrap();
            let rows = [2025, 2026, 2027].map(|year| VintageObservation {
                date: date(year, 1, 1),
                known_from: Some(published),
                value: Some(4.5),
            });
            let update = Update {
                id: &series,
                info: Catalogue::embedded().get(id).map(|info| &**info),
                rows: &rows,
                stored: &[],
                last_read: None,
                now: "2026-09-09T12:00:00Z".parse().unwrap(),
                origin: "bundled",
            };
            write(&store, &update).unwrap();
            let stored = store.read(&series).unwrap().unwrap().rows().to_vec();
            stored.iter().map(|row| row.known_from).collect::<Vec<_>>()
        };
        assert_eq!(written("CBO_UNRATE"), [Some(published); 3]);
        assert_eq!(written("UNRATEMD"), [Some(published); 3]);
        // The first state of another series holds what was public before it.
        assert_eq!(written("UNRATE")[0], None);
    }

    fn known_from(rows: &[VintageObservation], month: i8, value: f64) -> Option<Date> {
        let is_match =
            |r: &&VintageObservation| r.date == date(2026, month, 1) && r.value == Some(value);
        rows.iter().find(is_match).unwrap().known_from
    }

    #[test]
    fn new_figure_since_yesterday_is_known_from_today() {
        let today = Some(date(2026, 11, 21));
        let fresh = [row(6, 4.0), row(7, 4.2), row(8, 4.3)];
        let (written, rows) = rewrite(Some(date(2026, 11, 20)), &fresh);
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
    fn figure_public_before_the_last_read_is_estimated() {
        let fresh = [row(7, 4.2), row(8, 4.3), row(10, 4.4), row(11, 9.0)];
        for read in [None, Some(date(2026, 8, 10))] {
            let (written, rows) = rewrite(read, &fresh);
            assert_eq!((written.added, written.revised), (3, 1));
            assert_eq!(known_from(&rows, 8, 4.3), None, "{read:?}");
            assert_eq!(known_from(&rows, 10, 4.4), None, "{read:?}");
            assert_eq!(
                known_from(&rows, 7, 4.2),
                Some(date(2026, 9, 4)),
                "as August's figure"
            );
            let early = known_from(&rows, 11, 9.0);
            assert_eq!(early, Some(date(2026, 11, 21)), "not due yet, so new");
        }
    }

    #[test]
    fn each_day_answers_from_one_read() {
        let first = [row(6, 4.0), row(7, 4.1)];
        let second = [6, 7, 8, 9, 10].map(|month| row(month, 40.0 + f64::from(month)));
        let info = Catalogue::embedded().get("UNRATE").unwrap();
        let august = "2026-08-10T12:00:00Z";
        // Files may be imported long after their figures were read elsewhere, both on one day.
        for (first_read, last_read) in [
            (august, None),
            (august, Some(date(2026, 8, 10))),
            (august, Some(date(2026, 9, 20))),
            ("2026-10-20T12:00:00Z", None),
            ("2026-11-21T11:00:00Z", None),
            ("2026-11-21T12:00:00Z", None),
        ] {
            let (_, rows) = rewrite_after(first_read, last_read, &second);
            let held = Vintages::new(rows);
            let mut day = date(2026, 8, 10);
            while day <= date(2026, 11, 22) {
                let known = held.as_of(day, |date| info.publication_day(date));
                let is_of = |state: &[VintageObservation]| {
                    let of_it = |o: &Observation| {
                        state
                            .iter()
                            .any(|row| row.date == o.date && row.value == Some(o.value))
                    };
                    known.iter().all(of_it)
                };
                assert!(
                    is_of(&first) || is_of(&second),
                    "{first_read} {last_read:?} {day}: {known:?}"
                );
                day = day.tomorrow().unwrap();
            }
            assert_eq!(held.latest().len(), second.len());
        }
    }

    #[test]
    fn vintages_leave_what_a_later_read_revised() {
        let store = Sqlite::in_memory().unwrap();
        let id = SeriesId::new("UNRATE").unwrap();
        let read = |rows: &[VintageObservation], now: &str| {
            let stored = store.read(&id).unwrap().unwrap_or_default().latest();
            let update = Update {
                id: &id,
                info: Catalogue::embedded().get("UNRATE").map(|info| &**info),
                stored: &stored,
                rows,
                last_read: None,
                now: now.parse().unwrap(),
                origin: "bundled",
            };
            write(&store, &update).unwrap();
        };
        let known = |month, value, day| VintageObservation {
            known_from: Some(day),
            ..row(month, value)
        };
        read(&[row(1, 1.0), row(2, 2.0)], "2026-03-31T12:00:00Z");
        read(
            &[row(1, 1.5), row(2, 2.5), row(3, 3.5)],
            "2026-11-21T12:00:00Z",
        );
        // The vintages end where the first read did, so what follows them begins on the day of the second's new figure.
        let first = date(2026, 2, 28);
        let second = date(2026, 3, 31);
        let archive = [
            known(1, 0.9, first),
            known(1, 1.0, second),
            known(2, 2.0, second),
        ];
        read(&archive, "2026-11-21T12:00:00Z");
        let values = |rows: Vec<Observation>| rows.iter().map(|o| o.value).collect::<Vec<_>>();
        let held = store.read(&id).unwrap().unwrap();
        let info = Catalogue::embedded().get("UNRATE").unwrap();
        let on = |day| values(held.as_of(day, |date| info.publication_day(date)));
        assert_eq!(on(first), [0.9]);
        assert_eq!(on(second), [1.0, 2.0]);
        assert_eq!(on(date(2026, 4, 10)), [1.5, 2.5, 3.5]);
        assert_eq!(values(held.latest()), [1.5, 2.5, 3.5]);
        // Others go on: within them nothing counts that a read only estimated.
        let third = date(2026, 4, 20);
        let longer = [
            known(1, 0.9, first),
            known(1, 1.0, second),
            known(1, 1.1, third),
            known(2, 2.0, second),
            known(3, 3.0, third),
        ];
        for _ in 0..2 {
            read(&longer, "2026-11-21T12:00:00Z");
            let held = store.read(&id).unwrap().unwrap();
            let on = |day| values(held.as_of(day, |date| info.publication_day(date)));
            assert_eq!(on(second), [1.0, 2.0]);
            assert_eq!(on(date(2026, 4, 10)), [1.0, 2.0]);
            assert_eq!(on(third), [1.1, 2.0, 3.0]);
            assert_eq!(on(date(2026, 11, 20)), [1.1, 2.0, 3.0]);
            assert_eq!(values(held.latest()), [1.5, 2.5, 3.5]);
        }
    }

    #[test]
    fn overdue_figure_is_known_from_today_even_after_a_gap() {
        let (_, rows) = rewrite(Some(date(2026, 10, 20)), &[row(8, 4.3), row(10, 4.4)]);
        assert_eq!(known_from(&rows, 8, 4.3), Some(date(2026, 11, 21)));
        assert_eq!(known_from(&rows, 10, 4.4), None);
    }

    #[test]
    fn empty_read_changes_nothing() {
        let (written, rows) = rewrite(Some(date(2026, 11, 20)), &[]);
        assert_eq!(written, WriteOutcome::default());
        assert_eq!(rows.len(), 2);
    }
}
