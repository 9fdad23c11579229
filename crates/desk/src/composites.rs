//! Composites as stored series: computed after each import or sync, and frozen once served.
//!
//! The first computation is a backfill from today's inputs, without `known_from`. Later values of new dates are known from
//! the day of computation and are never changed under the same method. A backfill is replaced when its inputs grow.

use crate::desk::Desk;
use econoscope_core::error::Result;
use econoscope_core::indicators::{COMPOSITES, Composite};
use econoscope_core::model::{AsOf, Date, Observation, SeriesId, VintageObservation, Vintages};
use econoscope_data::store::{Write, WriteVintages};

/// Values that differ by at most this are the same.
const TOLERANCE: f64 = 1e-9;

/// Computes the history of every composite and stores what is new.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    if desk.store_summary()?.is_bundled {
        return Ok(());
    }
    COMPOSITES.iter().try_for_each(|c| refresh_one(desk, c))
}

/// Updates one composite. Rows of another method stay until this one has values.
fn refresh_one(desk: &Desk, composite: &'static Composite) -> Result<()> {
    let id = SeriesId::new(composite.indicator.id)?;
    let origin = format!("computed {}", composite.indicator.definition().method);
    let computed = desk.history(composite, AsOf::Latest)?;
    let is_stored = desk.series_status(&id)?.is_some_and(|s| s.origin == origin);
    let stored = if is_stored {
        desk.store().read(&id)?.unwrap_or_default()
    } else {
        Vintages::default()
    };
    let past = past_rows(&stored, &computed);
    if past != stored.rows() {
        desk.store()
            .replace_computed(WriteVintages::new(&id, &past, desk.now(), &origin))?;
    }
    let new = new_observations(&past, &computed);
    if new.is_empty() {
        return Ok(());
    }
    let write = Write {
        id: &id,
        observations: &new,
        known_from: Some(desk.today()),
        fetched_at: desk.now(),
        origin: &origin,
    };
    desk.store().write(write).map(drop)
}

/// Returns the backfill as computed now, followed by the stored rows from the first served date, or else the newest date,
/// on. Without stored rows all is backfill.
fn past_rows(stored: &Vintages, computed: &[Observation]) -> Vec<VintageObservation> {
    let rows = stored.rows();
    let first_served = rows.iter().find(|r| r.known_from.is_some());
    let served = first_served.or(rows.last()).map_or(Date::MAX, |r| r.date);
    let before = computed.iter().filter(|o| o.date < served);
    let backfill = before.map(|o| VintageObservation::new(o, None));
    let frozen = rows.iter().filter(|r| r.date >= served).copied();
    backfill.chain(frozen).collect()
}

/// Returns the observations after the newest row, and that of its date if the value has changed: the current period.
fn new_observations(past: &[VintageObservation], computed: &[Observation]) -> Vec<Observation> {
    let (newest, value) = past.last().map_or((Date::MIN, None), |r| (r.date, r.value));
    let differs = |o: &Observation| value.is_none_or(|value| (value - o.value).abs() > TOLERANCE);
    let is_new = |o: &&Observation| o.date > newest || (o.date == newest && differs(o));
    computed.iter().filter(is_new).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::TestDesk;
    use econoscope_core::model::frequency::{day_from_number, day_number};
    use econoscope_data::store::{Sqlite, Store};
    use jiff::civil::date;
    use std::sync::Arc;

    fn obs(day: i8, value: f64) -> Observation {
        Observation::new(date(2026, 1, day), value)
    }

    /// Returns the rows of a store after a refresh on `today`.
    fn merge(
        stored: Option<&Vintages>,
        computed: &[Observation],
        today: Date,
    ) -> Vec<VintageObservation> {
        let mut rows = past_rows(&stored.cloned().unwrap_or_default(), computed);
        let new = new_observations(&rows, computed);
        rows.extend(new.iter().map(|o| VintageObservation::new(o, Some(today))));
        Vintages::new(rows).rows().to_vec()
    }

    #[test]
    fn served_days_are_frozen_and_backfill_is_replaced() {
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
    fn current_period_is_revised_daily() {
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
        TestDesk::over(Arc::clone(store) as Arc<dyn Store>)
            .at(now.parse().unwrap())
            .open()
    }

    /// Writes artificial values on every weekday from 1984 to the last one before the first refresh.
    fn put_waves(store: &Sqlite, id: &str, level: f64) {
        let days = (day_number(date(1984, 1, 4))..=day_number(date(2026, 8, 21))).zip(0..);
        let is_weekday = |(_, n): &(i32, i32)| (n + 2) % 7 < 5;
        let rows = days.filter(is_weekday).map(|(day, n)| {
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

    /// A store after a first refresh, with artificial values for inputs that are not bundled.
    fn refreshed_once() -> Arc<Sqlite> {
        let store = Arc::new(Sqlite::bundled().unwrap());
        for (id, level) in [("VIXCLS", 2e1), ("BAA10Y", 2.5), ("NASDAQCOM", 1e4)] {
            put_waves(&store, id, level);
        }
        refresh(&desk(&store, "2026-08-24T12:00:00Z")).unwrap();
        store
    }

    fn rows(store: &Sqlite, id: &str) -> Vec<VintageObservation> {
        let stored = store.read(&SeriesId::new(id).unwrap()).unwrap();
        stored.unwrap_or_default().rows().to_vec()
    }

    #[test]
    fn refresh_without_new_values_writes_nothing() {
        let store = refreshed_once();
        let version = store.version().unwrap();
        refresh(&desk(&store, "2026-08-24T13:00:00Z")).unwrap();
        assert_eq!(store.version().unwrap(), version);
        for composite in COMPOSITES {
            assert!(!rows(&store, composite.indicator.id).is_empty());
        }
    }

    #[test]
    fn new_values_are_served_and_revisions_change_the_backfill() {
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
        let until = |rows: &[VintageObservation], day| {
            let before = rows.iter().take_while(|r| r.date < day);
            before.copied().collect::<Vec<_>>()
        };
        let revised = date(2019, 3, 1);
        assert_eq!(until(&before, revised), until(&after, revised));
        let last = before.last().unwrap().date;
        assert_ne!(until(&before, last), until(&after, last));
    }
}
