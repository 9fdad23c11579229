//! What the functions of the contract speak in: one series, a fixed clock.

use crate::store::seam::{Store, Write, WriteOutcome};
use econoscope_core::model::{Date, Observation, SeriesId};
use jiff::Timestamp;
use jiff::civil::date;

pub(super) fn id(name: &str) -> SeriesId {
    SeriesId::new(name).unwrap()
}

pub(super) fn at(seconds: i64) -> Timestamp {
    // 2026-11-21T12:00:00Z and so many seconds.
    Timestamp::from_second(1_795_262_400 + seconds).unwrap()
}

pub(super) fn read_on() -> Date {
    date(2026, 11, 21)
}

/// Monthly from January 2026.
pub(super) fn months(values: &[f64]) -> Vec<Observation> {
    (1..)
        .zip(values)
        .map(|(month, &value)| Observation::new(date(2026, month, 1), value))
        .collect()
}

pub(super) fn put(store: &dyn Store, values: &[f64], known_from: Option<Date>) -> WriteOutcome {
    put_rows(store, &months(values), known_from)
}

pub(super) fn put_rows(
    store: &dyn Store,
    rows: &[Observation],
    known_from: Option<Date>,
) -> WriteOutcome {
    store
        .write(Write {
            id: &id("GDP"),
            observations: rows,
            known_from,
            fetched_at: at(0),
            origin: "test",
        })
        .unwrap()
}

pub(super) fn latest(store: &dyn Store) -> Vec<f64> {
    let rows = store.read(&id("GDP")).unwrap().unwrap().latest();
    rows.iter().map(|o| o.value).collect()
}

pub(super) fn written(added: usize, revised: usize) -> WriteOutcome {
    WriteOutcome { added, revised }
}
