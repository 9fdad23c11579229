//! Tests of rows and days of knowledge.

use super::{at, id, latest, months, put, put_rows, read_on, written};
use crate::store::{Store, WriteOutcome, WriteVintages};
use econoscope_core::model::observation::lagged_publication_day;
use econoscope_core::model::{Date, Frequency, Observation, VintageObservation};
use jiff::civil::date;
use std::collections::BTreeSet;

pub(super) fn empty_store_returns_nothing(store: &dyn Store) {
    assert_eq!(store.read(&id("GDP")).unwrap(), None);
    assert_eq!(store.status().unwrap(), vec![]);
    assert_eq!(store.articles(at(0), 10).unwrap(), vec![]);
    assert_eq!(store.note("x").unwrap(), None);
    assert_eq!(store.version().unwrap(), store.version().unwrap());
}

pub(super) fn new_rows_round_trip(store: &dyn Store) {
    let values = [1.5, -2.25, 1.0 / 3.0, 0.0, 1e15];
    assert_eq!(put(store, &values, None), written(5, 0));
    let stored = store.read(&id("gdp")).unwrap().unwrap();
    assert_eq!(stored.latest(), months(&values));
    assert_eq!(store.read(&id("GDPC1")).unwrap(), None);
}

pub(super) fn writing_the_same_rows_again_changes_nothing(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    let stored = store.read(&id("GDP")).unwrap();
    for day in [None, Some(date(2026, 12, 1))] {
        assert_eq!(put(store, &[1.0, 2.0], day), written(0, 0));
        assert_eq!(put(store, &[1.0], day), written(0, 0));
    }
    assert_eq!(store.read(&id("GDP")).unwrap(), stored);
}

pub(super) fn changed_values_are_appended_and_old_ones_stay(store: &dyn Store) {
    put(store, &[1.0, 2.0, 3.0], Some(date(2026, 4, 1)));
    let day = date(2026, 5, 1);
    assert_eq!(put(store, &[1.0, 2.5, 3.0, 4.0], Some(day)), written(1, 1));
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(stored.rows().len(), 5);
    assert_eq!(
        stored.rows()[1..3],
        [
            VintageObservation {
                date: date(2026, 2, 1),
                known_from: Some(date(2026, 4, 1)),
                value: Some(2.0)
            },
            VintageObservation {
                date: date(2026, 2, 1),
                known_from: Some(day),
                value: Some(2.5)
            },
        ]
    );
    assert_eq!(latest(store), [1.0, 2.5, 3.0, 4.0]);
}

pub(super) fn first_load_has_no_day_of_knowledge(store: &dyn Store) {
    put(store, &[1.0], None);
    let day = Some(date(2026, 3, 9));
    put(store, &[1.0, 2.0], day);
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = stored.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, day]);
}

pub(super) fn undated_import_leaves_new_dates_without_a_day(store: &dyn Store) {
    put(store, &[1.0], None);
    assert_eq!(put(store, &[1.0, 2.0], None), written(1, 0));
    let mut older = months(&[1.0, 2.0]);
    older.insert(0, Observation::new(date(2020, 1, 1), 9.0));
    assert_eq!(put_rows(store, &older, None), written(1, 0));
    let gdp = store.read(&id("GDP")).unwrap().unwrap();
    assert!(gdp.rows().iter().all(|row| row.known_from.is_none()));
    assert_eq!(latest(store), [9.0, 1.0, 2.0]);
}

pub(super) fn undated_import_dates_changes_by_the_fetch_day(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 1));
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = stored.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, None, Some(read_on())]);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 0));
}

pub(super) fn as_of_returns_the_values_known_on_a_day(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    put(store, &[1.0, 2.5, 3.0], Some(date(2026, 4, 20)));
    put(store, &[1.5, 2.5, 3.0], Some(date(2026, 5, 20)));
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    let known = |day| -> Vec<f64> {
        let rows = stored.as_of(day, |date| {
            lagged_publication_day(date, Frequency::Monthly, 10)
        });
        rows.iter().map(|o| o.value).collect()
    };
    assert_eq!(known(date(2026, 2, 9)), [] as [f64; 0]);
    assert_eq!(known(date(2026, 2, 10)), [1.0]);
    assert_eq!(known(date(2026, 4, 19)), [1.0, 2.0]);
    assert_eq!(known(date(2026, 4, 20)), [1.0, 2.5, 3.0]);
    assert_eq!(known(date(2026, 5, 20)), [1.5, 2.5, 3.0]);
}

pub(super) fn late_vintage_is_inserted_once(store: &dyn Store) {
    put(store, &[3.0], Some(date(2026, 6, 1)));
    assert_eq!(put(store, &[1.0], Some(date(2026, 2, 1))), written(0, 1));
    assert_eq!(put(store, &[1.0], Some(date(2026, 2, 1))), written(0, 0));
    assert_eq!(put(store, &[1.0], Some(date(2026, 3, 1))), written(0, 0));
    assert_eq!(latest(store), [3.0]);
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(
        stored.as_of(date(2026, 5, 31), |date| lagged_publication_day(
            date,
            Frequency::Monthly,
            0
        )),
        months(&[1.0])
    );
}

pub(super) fn last_write_of_a_day_wins(store: &dyn Store) {
    let day = Some(date(2026, 6, 1));
    put(store, &[1.0], day);
    let mut checksums = BTreeSet::new();
    for value in [2.0, 1.0, 3.0] {
        assert_eq!(put(store, &[value], day), written(0, 1));
        assert_eq!(latest(store), [value]);
        checksums.insert(store.status().unwrap()[0].checksum);
    }
    assert_eq!(checksums.len(), 3, "caches ask whether the rows are others");
    assert_eq!(store.read(&id("GDP")).unwrap().unwrap().rows().len(), 1);
}

/// Rows of (month of 2026, day of knowledge in 2026, value).
fn archive(store: &dyn Store, rows: &[(i8, (i8, i8), Option<f64>)], seconds: i64) -> WriteOutcome {
    let known = |(month, (m, d), value): &(i8, (i8, i8), Option<f64>)| VintageObservation {
        date: date(2026, *month, 1),
        known_from: Some(date(2026, *m, *d)),
        value: *value,
    };
    let vintages: Vec<VintageObservation> = rows.iter().map(known).collect();
    store
        .write_vintages(WriteVintages::new(
            &id("GDP"),
            &vintages,
            at(seconds),
            "archive",
        ))
        .unwrap()
}

/// The first vintage has January and February, the second one adds March; April is missing.
const ARCHIVE: [(i8, (i8, i8), Option<f64>); 6] = [
    (1, (3, 10), Some(1.0)),
    (1, (4, 12), Some(1.1)),
    (2, (3, 10), Some(2.0)),
    (2, (4, 12), None),
    (2, (5, 11), Some(2.2)),
    (3, (4, 12), Some(3.0)),
];

fn known_on(store: &dyn Store, day: Date) -> Vec<(i8, f64)> {
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    let rows = stored.as_of(day, |date| {
        lagged_publication_day(date, Frequency::Monthly, 5)
    });
    rows.iter().map(|o| (o.date.month(), o.value)).collect()
}

pub(super) fn archive_is_written_at_once_with_withdrawals(store: &dyn Store) {
    assert_eq!(archive(store, &ARCHIVE, 0), written(3, 3));
    assert_eq!(archive(store, &ARCHIVE, 0), written(0, 0));
    assert_eq!(known_on(store, date(2026, 3, 9)), []);
    assert_eq!(known_on(store, date(2026, 3, 10)), [(1, 1.0), (2, 2.0)]);
    assert_eq!(known_on(store, date(2026, 4, 12)), [(1, 1.1), (3, 3.0)]);
    let latest = [(1, 1.1), (2, 2.2), (3, 3.0)];
    assert_eq!(known_on(store, date(2026, 5, 11)), latest);
    let before =
        [(1, (3, 10), Some(1.0)), (1, (3, 10), Some(2.0))].map(|(_, _, v)| VintageObservation {
            date: date(2026, 1, 1),
            known_from: None,
            value: v,
        });
    let twice = store.write_vintages(WriteVintages::new(&id("GDP"), &before, at(0), "archive"));
    assert!(twice.is_err(), "two values of one day");
}

pub(super) fn changed_values_count_from_the_given_day_unless_a_later_one_is_stored(
    store: &dyn Store,
) {
    put(store, &[1.0, 2.0], None);
    archive(store, &[(2, (10, 20), Some(2.1))], 0);
    let rows = [1.5, 2.5, 3.5].map(Some);
    let months = (1..).map(|month| date(2026, month, 1));
    let row = |(date, value)| VintageObservation {
        date,
        known_from: None,
        value,
    };
    let rows: Vec<VintageObservation> = months.zip(rows).map(row).collect();
    let again = || {
        let outcome = store.write_vintages(WriteVintages {
            revised_from: Some(date(2026, 4, 10)),
            ..WriteVintages::new(&id("GDP"), &rows, at(0), "test")
        });
        outcome.unwrap()
    };
    assert_eq!(again(), written(1, 2));
    // By the lag March is known from 5 April.
    assert_eq!(
        known_on(store, date(2026, 4, 9)),
        [(1, 1.0), (2, 2.0), (3, 3.5)]
    );
    assert_eq!(
        known_on(store, date(2026, 4, 10)),
        [(1, 1.5), (2, 2.0), (3, 3.5)]
    );
    assert_eq!(
        known_on(store, date(2026, 10, 20)),
        [(1, 1.5), (2, 2.1), (3, 3.5)]
    );
    assert_eq!(latest(store), [1.5, 2.5, 3.5]);
    assert_eq!(again(), written(0, 0));
}

pub(super) fn archive_replaces_undated_rows(store: &dyn Store) {
    // Read on 21 November: as last revised.
    put(store, &[1.5, 2.2, 3.5, 4.0], None);
    archive(store, &ARCHIVE, 1);
    // Before the archive begins only the lag counts.
    assert_eq!(known_on(store, date(2026, 3, 9)), [(1, 1.5), (2, 2.2)]);
    // By the lag March is known from 5 April; the archive has it from the 12th.
    assert_eq!(known_on(store, date(2026, 4, 11)), [(1, 1.0), (2, 2.0)]);
    assert_eq!(known_on(store, date(2026, 4, 12)), [(1, 1.1), (3, 3.0)]);
    let last = [(1, 1.1), (2, 2.2), (3, 3.0), (4, 4.0)];
    assert_eq!(known_on(store, date(2026, 11, 20)), last);
    assert_eq!(latest(store), [1.5, 2.2, 3.5, 4.0], "as read last");
    for _ in 0..2 {
        let version = store.version().unwrap();
        assert_eq!(put(store, &[1.5, 2.2, 3.5, 4.0], None), written(0, 0));
        assert_eq!(archive(store, &ARCHIVE, 2), written(0, 0));
        assert_eq!(store.version().unwrap(), version);
    }
}
