//! Composites as stored series: computed after each import or sync, and frozen once served.
//!
//! The first computation is a backfill: it speaks with today's figures about the past and carries no
//! `known_from`. What is computed later for new dates was known on that day and is kept for good, under
//! the method that made it. A backfill may be replaced when its inputs grow; a served day never is.

use super::{Desk, Holdings};
use crate::error::Result;
use crate::indicators::{COMPOSITES, Composite};
use crate::model::{AsOf, Date, Known, Observation, SeriesId, Vintages};

/// Values nearer than this are the same figure.
const SAME: f64 = 1e-9;

/// A composite's whole history as known at `as_of`, computed now.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read.
pub fn history(desk: &Desk, composite: &Composite, as_of: AsOf) -> Result<Vec<Observation>> {
    let set = desk.set(composite.inputs.iter().copied(), as_of)?;
    Ok((composite.history)(&set, desk.data_date(as_of)?.as_of))
}

/// What a refresh did to one composite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// Composite.
    pub id: &'static str,
    /// Rows of its history now.
    pub rows: usize,
}

/// Computes every composite from what is stored and stores what is new.
///
/// # Errors
/// [`crate::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<Vec<Refreshed>> {
    if desk.holdings()?.bundled {
        return Ok(Vec::new());
    }
    COMPOSITES
        .iter()
        .map(|composite| {
            let rows = history(desk, composite, AsOf::Latest)?;
            keep(desk, composite, &rows)?;
            Ok(Refreshed {
                id: composite.id,
                rows: rows.len(),
            })
        })
        .collect()
}

fn keep(desk: &Desk, composite: &Composite, computed: &[Observation]) -> Result<()> {
    let id = SeriesId::new(composite.id)?;
    let origin = format!("computed {}", composite.method);
    let same_method = method_of(&*desk.holdings()?, &id).is_some_and(|o| o == origin);
    let stored = desk.store().read(&id)?.filter(|_| same_method);
    let rows = merge(stored.as_ref(), computed, desk.today());
    if stored.is_some_and(|s| s.rows() == rows) || rows.is_empty() {
        return Ok(());
    }
    desk.store()
        .replace_computed(&id, &rows, desk.now(), &origin)
}

fn method_of(held: &Holdings, id: &SeriesId) -> Option<String> {
    held.get(id).map(|s| s.origin.clone())
}

/// Stored and computed rows together: before the first served day as computed now, from there on as
/// stored, and what is new known from today.
fn merge(stored: Option<&Vintages>, computed: &[Observation], today: Date) -> Vec<Known> {
    let row = |o: &Observation, known_from| Known {
        date: o.date,
        known_from,
        value: o.value,
    };
    let Some((stored, newest)) = stored.and_then(|s| Some((s, s.rows().last()?.date))) else {
        return computed.iter().map(|o| row(o, None)).collect();
    };
    let served = stored
        .rows()
        .iter()
        .find(|r| r.known_from.is_some())
        .map_or(newest, |r| r.date);
    let backfill = computed
        .iter()
        .filter(|o| o.date < served)
        .map(|o| row(o, None));
    let frozen = stored.rows().iter().copied().filter(|r| r.date >= served);
    let is_news = |o: &&Observation| o.date > newest || (o.date == newest && changed(stored, o));
    let news = computed.iter().filter(is_news).map(|o| row(o, Some(today)));
    Vintages::new(backfill.chain(frozen).chain(news).collect())
        .rows()
        .to_vec()
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
    use jiff::civil::date;

    fn obs(day: i8, value: f64) -> Observation {
        Observation::new(date(2026, 1, day), value)
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
}
