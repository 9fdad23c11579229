//! Composites as stored series: computed after each import or sync, and frozen once served.
//!
//! The first computation is a backfill: it speaks with today's figures about the past and carries no
//! `known_from`. What is computed later for new dates was known on that day and is kept for good, under
//! the method that made it. A backfill may be replaced when its inputs grow; a served day never is.

use super::local::Desk;
use crate::store::{Write, WriteVintages};
use econoscope_core::error::Result;
use econoscope_core::indicators::{COMPOSITES, Composite};
use econoscope_core::model::{AsOf, Date, Known, Observation, SeriesId, Vintages};

/// Values nearer than this are the same figure.
const SAME: f64 = 1e-9;

/// Computes every composite's history afresh, and stores what is new in it.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    if desk.holdings()?.bundled {
        return Ok(());
    }
    COMPOSITES.iter().try_for_each(|c| refreshed(desk, c))
}

/// Brings one composite up to date. What is held under another method stays until this one has something to say.
fn refreshed(desk: &Desk, composite: &'static Composite) -> Result<()> {
    let id = SeriesId::new(composite.about.id)?;
    let origin = format!("computed {}", composite.about.method);
    let computed = desk.history(composite, AsOf::Latest)?;
    let held = desk.held(&id)?.is_some_and(|s| s.origin == origin);
    let stored = if held { desk.store().read(&id)? } else { None };
    let stored = stored.unwrap_or_default();
    let past = past(&stored, &computed);
    if past != stored.rows() {
        desk.store().replace_computed(WriteVintages {
            id: &id,
            rows: &past,
            fetched_at: desk.now(),
            origin: &origin,
        })?;
    }
    let news = news(&past, &computed);
    if news.is_empty() {
        return Ok(());
    }
    let write = Write {
        id: &id,
        observations: &news,
        known_from: Some(desk.today()),
        fetched_at: desk.now(),
        origin: &origin,
    };
    desk.store().write(write).map(|_| ())
}

/// The backfill as computed now; from the first served day on as stored, or else from the newest day on. Where nothing is
/// stored all is backfill.
fn past(stored: &Vintages, computed: &[Observation]) -> Vec<Known> {
    let rows = stored.rows();
    let served = rows.iter().find(|r| r.known_from.is_some()).or(rows.last());
    let served = served.map_or(Date::MAX, |r| r.date);
    let backfill = computed.iter().filter(|o| o.date < served);
    let frozen = rows.iter().filter(|r| r.date >= served).copied();
    backfill
        .map(|o| Known::new(o, None))
        .chain(frozen)
        .collect()
}

/// What is newer than anything held, and the newest day's figure where it has moved: the running period.
fn news(held: &[Known], computed: &[Observation]) -> Vec<Observation> {
    let (newest, value) = held.last().map_or((Date::MIN, None), |r| (r.date, r.value));
    let has_moved = |o: &Observation| value.is_none_or(|value| (value - o.value).abs() > SAME);
    let is_news = |o: &&Observation| o.date > newest || (o.date == newest && has_moved(o));
    computed.iter().filter(is_news).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::{Sqlite, Store};
    use econoscope_core::model::frequency::{day_from_number, day_number};
    use jiff::civil::date;
    use std::sync::Arc;

    fn obs(day: i8, value: f64) -> Observation {
        Observation::new(date(2026, 1, day), value)
    }

    /// What a store holds after a refresh on `today`.
    fn merge(stored: Option<&Vintages>, computed: &[Observation], today: Date) -> Vec<Known> {
        let mut rows = past(&stored.cloned().unwrap_or_default(), computed);
        let news = news(&rows, computed);
        rows.extend(news.iter().map(|o| Known::new(o, Some(today))));
        Vintages::new(rows).rows().to_vec()
    }

    #[test]
    fn a_served_day_is_never_recomputed_and_a_backfill_may_be() {
        let first = merge(None, &[obs(1, 1.0), obs(2, 2.0)], date(2026, 2, 1));
        assert!(first.iter().all(|r| r.known_from.is_none()));
        let day_two = date(2026, 2, 2);
        let second = merge(
            Some(&Vintages::new(first)),
            &[obs(1, 1.5), obs(2, 2.0), obs(3, 3.0)],
            day_two,
        );
        let third = merge(
            Some(&Vintages::new(second)),
            &[obs(1, 1.6), obs(2, 9.0), obs(3, 8.0)],
            date(2026, 2, 3),
        );
        let rows: Vec<(i8, Option<i8>, f64)> = third
            .iter()
            .map(|r| {
                (
                    r.date.day(),
                    r.known_from.map(|d| d.day()),
                    r.value.unwrap(),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (1, None, 1.6),
                (2, None, 9.0),
                (3, Some(2), 3.0),
                (3, Some(3), 8.0)
            ]
        );
    }

    #[test]
    fn the_running_period_is_revised_day_by_day() {
        let first = Vintages::new(merge(None, &[obs(1, 1.0), obs(2, 2.0)], date(2026, 2, 1)));
        let second = merge(Some(&first), &[obs(1, 1.0), obs(2, 2.5)], date(2026, 2, 2));
        assert_eq!(second.len(), 3);
        assert_eq!(
            second.last().and_then(|r| r.known_from),
            Some(date(2026, 2, 2))
        );
        assert_eq!(
            merge(
                Some(&Vintages::new(second.clone())),
                &[obs(1, 1.0), obs(2, 2.5)],
                date(2026, 2, 3)
            ),
            second
        );
    }

    /// A desk over the bundled history in a store, at some instant.
    fn desk(store: &Arc<Sqlite>, now: &str) -> Desk {
        let now: jiff::Timestamp = now.parse().unwrap();
        let store = Arc::clone(store);
        Desk::open(store, Settings::default(), Arc::new(move || now))
    }

    /// Made-up figures on every weekday from 1984 to the last one before the first refresh.
    fn put_waves(store: &Sqlite, id: &str, level: f64) {
        let days = (day_number(date(1984, 1, 4))..=day_number(date(2026, 8, 21))).zip(0..);
        let stands = |(_, n): &(i32, i32)| (n + 2) % 7 < 5;
        let rows = days.filter(stands).map(|(day, n)| {
            let n = f64::from(n);
            let wave = 0.2 * (n / 90.0).sin() + 0.1 * (n * n / 7919.0).sin();
            let value = level + wave * level.max(1.0);
            Observation::new(day_from_number(day).unwrap(), value)
        });
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &rows.collect::<Vec<_>>(),
            known_from: None,
            fetched_at: "2026-08-24T11:00:00Z".parse().unwrap(),
            origin: "fred",
        };
        store.write(write).unwrap();
    }

    /// A store with every input of the composites, those that are not bundled made up, after a first refresh.
    fn refreshed_once() -> Arc<Sqlite> {
        let store = Arc::new(Sqlite::bundled().unwrap());
        for (id, level) in [("VIXCLS", 2e1), ("BAA10Y", 2.5), ("NASDAQCOM", 1e4)] {
            put_waves(&store, id, level);
        }
        refresh(&desk(&store, "2026-08-24T12:00:00Z")).unwrap();
        store
    }

    fn rows(store: &Sqlite, id: &str) -> Vec<Known> {
        let stored = store.read(&SeriesId::new(id).unwrap()).unwrap();
        stored.unwrap_or_default().rows().to_vec()
    }

    #[test]
    fn without_news_nothing_is_written() {
        let store = refreshed_once();
        let version = store.version().unwrap();
        refresh(&desk(&store, "2026-08-24T13:00:00Z")).unwrap();
        assert_eq!(store.version().unwrap(), version);
        for composite in COMPOSITES {
            assert!(!rows(&store, composite.about.id).is_empty());
        }
    }

    #[test]
    fn a_new_figure_is_served_and_a_revision_rewrites_the_backfill_alone() {
        let store = refreshed_once();
        let before = rows(&store, "SERVICE_CMSI");
        let later = "2026-08-26";
        for (id, day, value) in [
            ("DGS10", date(2026, 8, 25), 4.1),
            ("NFCI", date(2019, 3, 8), 0.4),
        ] {
            let write = Write {
                id: &SeriesId::new(id).unwrap(),
                observations: &[Observation::new(day, value)],
                known_from: Some(later.parse().unwrap()),
                fetched_at: "2026-08-26T11:00:00Z".parse().unwrap(),
                origin: "fred",
            };
            store.write(write).unwrap();
        }
        refresh(&desk(&store, "2026-08-26T12:00:00Z")).unwrap();
        let after = rows(&store, "SERVICE_CMSI");
        let served: Vec<_> = after.iter().filter(|r| r.known_from.is_some()).collect();
        assert!(
            served
                .iter()
                .all(|r| r.known_from == Some(later.parse().unwrap()))
        );
        assert_eq!(served.last().map(|r| r.date), Some(date(2026, 8, 25)));
        let until = |rows: &[Known], day| {
            let before = rows.iter().take_while(|r| r.date < day);
            before.copied().collect::<Vec<_>>()
        };
        let revised = date(2019, 3, 1);
        assert_eq!(until(&before, revised), until(&after, revised));
        let last = before.last().unwrap().date;
        assert_ne!(until(&before, last), until(&after, last));
    }
}
