//! Writes what a source says now, and settles since when each figure counts as known.
//!
//! A changed figure became known today. A new one did too when we looked yesterday and it was not there;
//! but after a first look, or after weeks of silence, it had long been public, and "today" would hide
//! it from every question about a day before: then the day is left to be estimated from the lag.

use crate::error::Result;
use crate::model::frequency::days_between;
use crate::model::observation::known_by;
use crate::model::{Date, Observation, SeriesId, SeriesInfo};
use crate::store::{Store, Write, Written};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Days without a look after which new figures are no longer taken for today's.
const LONG_SILENCE: i64 = 3;

/// What a source says of one series.
pub(super) struct News<'a> {
    pub(super) id: &'a SeriesId,
    /// For the publication lag; without it a day cannot be estimated and counts as past.
    pub(super) info: Option<&'a SeriesInfo>,
    /// Ascending unique dates, finite values.
    pub(super) observations: &'a [Observation],
    /// Day of the last look at this source; `None` = never, or no source that is looked at regularly.
    pub(super) last_look: Option<Date>,
    pub(super) now: Timestamp,
    pub(super) origin: &'a str,
}

/// Writes the news. The store takes only what it does not have, and dates a changed figure by the look itself.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be written.
pub(super) fn write(store: &dyn Store, news: &News<'_>) -> Result<Written> {
    let put = |observations: &[Observation], known_from| {
        store.write(Write {
            id: news.id,
            observations,
            known_from,
            fetched_at: news.now,
            origin: news.origin,
        })
    };
    let today = day_of(news.now);
    let all = news.observations;
    // A later date is never public earlier, so that those which had been public stand side by side.
    let from = all.partition_point(|o| place(o.date, news, today) < Place::LongPublic);
    let to = all.partition_point(|o| place(o.date, news, today) <= Place::LongPublic);
    let long_public = all.get(from..to).unwrap_or_default();
    let mut written = Written::default();
    if !long_public.is_empty() {
        written = put(long_public, None)?;
    }
    // Without any figure the write still notes that the source was looked at.
    if long_public.is_empty() || long_public.len() < all.len() {
        let before = all.get(..from).unwrap_or_default();
        let after = all.get(to..).unwrap_or_default();
        let second = put(&[before, after].concat(), Some(today))?;
        written.added += second.added;
        written.revised += second.revised;
    }
    Ok(written)
}

/// The calendar day of an instant, UTC.
pub(super) fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Where a figure stands that is new to us; the order is that of the dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// We looked after it should have been public and it was not there: it counts from today.
    Overlooked,
    /// It had been public before today.
    LongPublic,
    /// It is out today, or ahead of its time.
    Todays,
}

fn place(date: Date, news: &News<'_>, today: Date) -> Place {
    let Some(info) = news.info else {
        return match news.last_look {
            None => Place::LongPublic,
            Some(_) => Place::Todays,
        };
    };
    let public = known_by(date, info.frequency, info.publication_lag_days);
    match news.last_look {
        Some(look) if days_between(look, today) <= LONG_SILENCE => Place::Todays,
        Some(look) if public <= look => Place::Overlooked,
        _ if public <= today => Place::LongPublic,
        _ => Place::Todays,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Catalogue, Known};
    use crate::store::Memory;
    use jiff::civil::date;

    fn at(month: i8, value: f64) -> Observation {
        Observation::new(date(2026, month, 1), value)
    }

    fn after(last_look: Option<Date>, observations: &[Observation]) -> (Written, Vec<Known>) {
        let store = Memory::default();
        let id = SeriesId::new("UNRATE").unwrap();
        let info = Catalogue::embedded().get("UNRATE").unwrap();
        let mut news = News {
            id: &id,
            info: Some(info),
            observations: &[at(6, 4.0), at(7, 4.1)],
            last_look: None,
            now: "2026-08-10T12:00:00Z".parse().unwrap(),
            origin: "bundled",
        };
        write(&store, &news).unwrap();
        news.last_look = last_look;
        news.observations = observations;
        news.now = "2026-11-21T12:00:00Z".parse().unwrap();
        let written = write(&store, &news).unwrap();
        (written, store.read(&id).unwrap().unwrap().rows().to_vec())
    }

    fn known_from(rows: &[Known], month: i8, value: f64) -> Option<Date> {
        let row = |r: &&Known| r.date == date(2026, month, 1) && r.value == value;
        rows.iter().find(row).unwrap().known_from
    }

    #[test]
    fn what_came_while_we_looked_is_todays_news() {
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
    fn what_was_public_before_we_looked_is_estimated() {
        let fresh = [at(7, 4.2), at(8, 4.3), at(10, 4.4), at(11, 9.0)];
        for look in [None, Some(date(2026, 8, 10))] {
            let (written, rows) = after(look, &fresh);
            assert_eq!((written.added, written.revised), (3, 1));
            assert_eq!(known_from(&rows, 8, 4.3), None, "{look:?}");
            assert_eq!(known_from(&rows, 10, 4.4), None, "{look:?}");
            assert_eq!(known_from(&rows, 7, 4.2), Some(date(2026, 11, 21)));
            let early = known_from(&rows, 11, 9.0);
            assert_eq!(early, Some(date(2026, 11, 21)), "not due yet, so new");
        }
    }

    #[test]
    fn what_was_overdue_at_the_last_look_is_todays_news_even_after_a_silence() {
        let (_, rows) = after(Some(date(2026, 10, 20)), &[at(8, 4.3), at(10, 4.4)]);
        assert_eq!(known_from(&rows, 8, 4.3), Some(date(2026, 11, 21)));
        assert_eq!(known_from(&rows, 10, 4.4), None);
    }

    #[test]
    fn a_look_that_finds_nothing_is_noted() {
        let (written, rows) = after(Some(date(2026, 11, 20)), &[]);
        assert_eq!(written, Written::default());
        assert_eq!(rows.len(), 2);
    }
}
