//! Composites as stored series: computed after each import or sync, and frozen once served.
//!
//! The first computation is a backfill: it speaks with today's figures about the past and carries no
//! `known_from`. What is computed later for new dates was known on that day and is kept for good, under
//! the method that made it. A backfill may be replaced when its inputs grow; a served day never is.
//!
//! A refresh computes what changed inputs can have changed, and no more: `inputs.rs` finds from when on.

mod inputs;

use super::Desk;
use crate::error::Result;
use crate::indicators::{COMPOSITES, Composite};
use crate::model::{AsOf, Date, Known, Observation, SeriesId, Vintages};
use crate::store::Write;
use inputs::{Seen, SeenAll};

/// Values nearer than this are the same figure.
const SAME: f64 = 1e-9;

/// A composite's whole history as known at `as_of`, computed now.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read.
pub fn history(desk: &Desk, composite: &Composite, as_of: AsOf) -> Result<Vec<Observation>> {
    let set = desk.set(composite.inputs.iter().copied(), as_of)?;
    Ok(composite.history(&set, desk.data_date(as_of)?.as_of))
}

/// What a refresh did to one composite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// Composite.
    pub id: &'static str,
    /// Rows of its history that were computed; 0 when nothing it rests on has changed.
    pub rows: usize,
}

/// Computes of every composite what its inputs have changed since the last time, and stores what is new.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<Vec<Refreshed>> {
    if desk.holdings()?.bundled {
        return Ok(Vec::new());
    }
    let before = SeenAll::noted(desk)?;
    let mut after = SeenAll::default();
    let mut done = Vec::new();
    for composite in COMPOSITES {
        let (rows, seen) = refresh_one(desk, composite, before.of(composite.id))?;
        after.put(composite.id, seen);
        done.push(Refreshed {
            id: composite.id,
            rows,
        });
    }
    // Last of all: a refresh that breaks off is done again from where it began.
    if after != before {
        after.note(desk)?;
    }
    Ok(done)
}

/// Brings one composite up to date: rows computed, and what it rests on now.
fn refresh_one(desk: &Desk, composite: &Composite, before: Option<&Seen>) -> Result<(usize, Seen)> {
    let id = SeriesId::new(composite.id)?;
    let origin = format!("computed {}", composite.method);
    let set = desk.set(composite.inputs.iter().copied(), AsOf::Latest)?;
    let day = desk.data_date(AsOf::Latest)?.as_of;
    let profile = (composite.profile)(&set, day);
    let (seen, changed_from) = Seen::now(desk, composite, day, profile, before)?;
    let holdings = desk.holdings()?;
    let held = holdings.get(&id).filter(|s| s.origin == origin);
    if let (Some(_), None) = (held, changed_from) {
        return Ok((0, seen));
    }
    let stored = match held {
        Some(_) => desk.store().read(&id)?,
        None => None,
    };
    let from = match &stored {
        Some(stored) => asked_from(stored, changed_from.unwrap_or(Date::MIN)),
        None => Date::MIN,
    };
    let computed = (composite.since)(&set, day, from);
    keep(desk, (&id, &origin), stored.as_ref(), &computed, from)?;
    Ok((computed.len(), seen))
}

/// From when on to compute: behind the first day that was served nothing is ever replaced, so that only the
/// newest day and what follows it can be news.
fn asked_from(stored: &Vintages, changed: Date) -> Date {
    let newest = stored.rows().last().map_or(Date::MIN, |r| r.date);
    if changed >= served_from(stored) {
        changed.max(newest)
    } else {
        changed
    }
}

/// First day of the rows that were served as news; the newest day while there are none.
fn served_from(stored: &Vintages) -> Date {
    let rows = stored.rows();
    let served = rows.iter().find(|r| r.known_from.is_some()).or(rows.last());
    served.map_or(Date::MAX, |r| r.date)
}

fn keep(
    desk: &Desk,
    (id, origin): (&SeriesId, &str),
    stored: Option<&Vintages>,
    computed: &[Observation],
    from: Date,
) -> Result<()> {
    let Some(stored) = stored else {
        let rows: Vec<Known> = computed.iter().map(|o| known(o, None)).collect();
        // What is held under another method stays until this one has something to say.
        return if rows.is_empty() {
            Ok(())
        } else {
            desk.store().replace_computed(id, &rows, desk.now(), origin)
        };
    };
    let past = past(stored, computed, from);
    if past != stored.rows() {
        desk.store()
            .replace_computed(id, &past, desk.now(), origin)?;
    }
    let news = news(stored, computed);
    if news.is_empty() {
        return Ok(());
    }
    let write = Write {
        id,
        observations: &news,
        known_from: Some(desk.today()),
        fetched_at: desk.now(),
        origin,
    };
    desk.store().write(write).map(|_| ())
}

fn known(o: &Observation, known_from: Option<Date>) -> Known {
    Known {
        date: o.date,
        known_from,
        value: o.value,
    }
}

/// The rows held, with the backfill from `from` on as computed now; from the first served day on as stored.
fn past(stored: &Vintages, computed: &[Observation], from: Date) -> Vec<Known> {
    let served = served_from(stored);
    let rows = stored.rows();
    let kept = rows.iter().filter(|r| r.date < from.min(served)).copied();
    let backfill = computed
        .iter()
        .filter(|o| o.date < served)
        .map(|o| known(o, None));
    let frozen = rows.iter().filter(|r| r.date >= served).copied();
    kept.chain(backfill).chain(frozen).collect()
}

/// What is newer than anything held, and the newest day's figure where it has moved: the running period.
fn news(stored: &Vintages, computed: &[Observation]) -> Vec<Observation> {
    let newest = stored.rows().last().map_or(Date::MIN, |r| r.date);
    let is_news = |o: &&Observation| o.date > newest || (o.date == newest && changed(stored, o));
    computed.iter().filter(is_news).copied().collect()
}

fn changed(stored: &Vintages, o: &Observation) -> bool {
    stored
        .rows()
        .iter()
        .rev()
        .find(|r| r.date == o.date)
        .is_none_or(|r| (r.value - o.value).abs() > SAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::model::frequency::{day_from_number, day_number};
    use crate::store::{Memory, Store};
    use jiff::civil::date;
    use std::sync::Arc;

    fn obs(day: i8, value: f64) -> Observation {
        Observation::new(date(2026, 1, day), value)
    }

    /// What a store holds after a refresh on `today`.
    fn merge(stored: Option<&Vintages>, computed: &[Observation], today: Date) -> Vec<Known> {
        let Some(stored) = stored else {
            return computed.iter().map(|o| known(o, None)).collect();
        };
        let mut rows = past(stored, computed, Date::MIN);
        rows.extend(news(stored, computed).iter().map(|o| known(o, Some(today))));
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
            .map(|r| (r.date.day(), r.known_from.map(|d| d.day()), r.value))
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
    fn desk(store: &Arc<Memory>, now: &str) -> Desk {
        let now: jiff::Timestamp = now.parse().unwrap();
        let store = Arc::clone(store);
        Desk::open(store, Settings::default(), Arc::new(move || now))
    }

    /// Made-up figures on every weekday, or every Wednesday, from 1984 to the day before the first refresh.
    fn put_waves(store: &Memory, id: &str, every: i32, level: f64) {
        let days = (day_number(date(1984, 1, 4))..=day_number(date(2026, 6, 1))).zip(0..);
        let stands = |(_, n): &(i32, i32)| n % every == 0 && (n + 2) % 7 < 5;
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
            fetched_at: "2026-06-02T11:00:00Z".parse().unwrap(),
            origin: "fred",
        };
        store.write(write).unwrap();
    }

    /// After a first refresh, figures come on two days: new ones, and a revision of 2019.
    /// `forget` drops what the refresh remembers, so that everything is computed anew each time.
    fn after_two_syncs(forget: bool) -> (Arc<Memory>, Vec<usize>) {
        let store = Arc::new(Memory::new());
        crate::store::bundled::load_into(&*store).unwrap();
        for (id, every, level) in [
            ("NFCI", 7, 0.0),
            ("WALCL", 7, 6e6),
            ("WTREGEN", 7, 5e5),
            ("ICSA", 7, 3e5),
            ("RRPONTSYD", 1, 7e2),
            ("VIXCLS", 1, 2e1),
            ("BAA10Y", 1, 2.5),
            ("NASDAQCOM", 1, 1e4),
        ] {
            put_waves(&store, id, every, level);
        }
        refresh(&desk(&store, "2026-06-02T12:00:00Z")).unwrap();
        let mut computed = Vec::new();
        let news = [
            ("2026-06-03", "DGS10", date(2026, 6, 2), 4.9),
            ("2026-06-03", "NFCI", date(2019, 3, 6), 0.4),
            ("2026-06-04", "DGS10", date(2026, 6, 3), 4.1),
            ("2026-06-04", "WALCL", date(2026, 6, 3), 6_600_000.0),
            ("2026-06-04", "NASDAQCOM", date(2026, 6, 3), 12_345.0),
        ];
        for today in ["2026-06-03", "2026-06-04"] {
            for (_, id, day, value) in news.iter().filter(|n| n.0 == today) {
                let write = Write {
                    id: &SeriesId::new(id).unwrap(),
                    observations: &[Observation::new(*day, *value)],
                    known_from: Some(today.parse().unwrap()),
                    fetched_at: format!("{today}T11:00:00Z").parse().unwrap(),
                    origin: "fred",
                };
                store.write(write).unwrap();
            }
            if forget {
                store.set_note("composite_inputs", "").unwrap();
            }
            let done = refresh(&desk(&store, &format!("{today}T12:00:00Z"))).unwrap();
            computed.extend(done.iter().map(|r| r.rows));
        }
        (store, computed)
    }

    #[test]
    fn only_what_changed_is_computed_and_it_is_what_a_whole_computation_gives() {
        let (store, computed) = after_two_syncs(false);
        let (twin, all) = after_two_syncs(true);
        for composite in COMPOSITES {
            let id = SeriesId::new(composite.id).unwrap();
            let read = |s: &Memory| s.read(&id).unwrap().unwrap_or_default().rows().to_vec();
            let (ours, whole) = (read(&store), read(&twin));
            assert_eq!(ours.len(), whole.len(), "{id}");
            for (a, b) in ours.iter().zip(&whole) {
                assert_eq!((a.date, a.known_from), (b.date, b.known_from), "{id}");
                assert!((a.value - b.value).abs() < SAME, "{id} {a:?} {b:?}");
            }
        }
        let [recession, liquidity, stress, appetite] = [0, 1, 2, 3].map(|i| {
            let [first, second] = [computed[i], computed[i + 4]];
            (first, second, all[i + 4])
        });
        // The revision of 2019 reaches all that rests on it; after it the two months that may still settle are
        // computed, until days served as news lie behind them.
        assert!((80..100).contains(&recession.0) && recession.1 <= 4);
        assert!(liquidity.0 <= 10 && liquidity.1 <= 10 && liquidity.2 > 1_000);
        assert!((1_700..2_100).contains(&stress.0) && stress.1 <= 50 && stress.2 > 9_000);
        assert!(
            (1_700..2_100).contains(&appetite.0) && appetite.1 <= 50 && appetite.2 > 9_000,
            "{appetite:?}"
        );
        let version = store.version().unwrap();
        let again = refresh(&desk(&store, "2026-06-04T13:00:00Z")).unwrap();
        assert!(again.iter().all(|r| r.rows == 0), "{again:?}");
        assert_eq!(store.version().unwrap(), version);
    }
}
