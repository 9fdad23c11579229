//! Rows and what was known when.

use super::words::{at, id, latest, months, put, put_rows, read_on, written};
use crate::model::{Frequency, Known, Observation};
use crate::store::seam::Store;
use jiff::civil::date;

pub(super) fn an_empty_store_holds_nothing(store: &dyn Store) {
    assert_eq!(store.read(&id("GDP")).unwrap(), None);
    assert_eq!(store.status().unwrap(), vec![]);
    assert_eq!(store.articles(at(0), 10).unwrap(), vec![]);
    assert_eq!(store.note("x").unwrap(), None);
    assert_eq!(store.version().unwrap(), store.version().unwrap());
}

pub(super) fn new_rows_are_read_back(store: &dyn Store) {
    let values = [1.5, -2.25, 1.0 / 3.0, 0.0, 1e15];
    assert_eq!(put(store, &values, None), written(5, 0));
    let held = store.read(&id("gdp")).unwrap().unwrap();
    assert_eq!(held.latest(), months(&values));
    assert_eq!(store.read(&id("GDPC1")).unwrap(), None);
}

pub(super) fn a_second_write_of_the_same_rows_writes_nothing(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    let held = store.read(&id("GDP")).unwrap();
    for day in [None, Some(date(2026, 12, 1))] {
        assert_eq!(put(store, &[1.0, 2.0], day), written(0, 0));
        assert_eq!(put(store, &[1.0], day), written(0, 0));
    }
    assert_eq!(store.read(&id("GDP")).unwrap(), held);
}

pub(super) fn a_changed_value_is_appended_and_the_old_one_kept(store: &dyn Store) {
    put(store, &[1.0, 2.0, 3.0], Some(date(2026, 4, 1)));
    let day = date(2026, 5, 1);
    assert_eq!(put(store, &[1.0, 2.5, 3.0, 4.0], Some(day)), written(1, 1));
    let held = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(held.rows().len(), 5);
    assert_eq!(
        held.rows()[1..3],
        [
            Known {
                date: date(2026, 2, 1),
                known_from: Some(date(2026, 4, 1)),
                value: 2.0
            },
            Known {
                date: date(2026, 2, 1),
                known_from: Some(day),
                value: 2.5
            },
        ]
    );
    assert_eq!(latest(store), [1.0, 2.5, 3.0, 4.0]);
}

pub(super) fn a_first_load_has_no_day_and_a_later_write_has_one(store: &dyn Store) {
    put(store, &[1.0], None);
    let day = Some(date(2026, 3, 9));
    put(store, &[1.0, 2.0], day);
    let held = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = held.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, day]);
}

pub(super) fn an_import_without_a_day_invents_none_for_new_dates(store: &dyn Store) {
    put(store, &[1.0], None);
    assert_eq!(put(store, &[1.0, 2.0], None), written(1, 0));
    let mut older = months(&[1.0, 2.0]);
    older.insert(0, Observation::new(date(2020, 1, 1), 9.0));
    assert_eq!(put_rows(store, &older, None), written(1, 0));
    assert!(!store.read(&id("GDP")).unwrap().unwrap().has_recorded_days());
    assert_eq!(latest(store), [9.0, 1.0, 2.0]);
}

pub(super) fn an_import_without_a_day_dates_changes_by_the_reading(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 1));
    let held = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = held.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, None, Some(read_on())]);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 0));
}

pub(super) fn as_of_sees_what_was_known_on_the_day(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    put(store, &[1.0, 2.5, 3.0], Some(date(2026, 4, 20)));
    put(store, &[1.5, 2.5, 3.0], Some(date(2026, 5, 20)));
    let held = store.read(&id("GDP")).unwrap().unwrap();
    let known = |day| -> Vec<f64> {
        let rows = held.as_of(day, Frequency::Monthly, 10);
        rows.iter().map(|o| o.value).collect()
    };
    assert_eq!(known(date(2026, 2, 9)), [] as [f64; 0]);
    assert_eq!(known(date(2026, 2, 10)), [1.0]);
    assert_eq!(known(date(2026, 4, 19)), [1.0, 2.0]);
    assert_eq!(known(date(2026, 4, 20)), [1.0, 2.5, 3.0]);
    assert_eq!(known(date(2026, 5, 20)), [1.5, 2.5, 3.0]);
}

pub(super) fn a_late_vintage_takes_its_place_once(store: &dyn Store) {
    put(store, &[3.0], Some(date(2026, 6, 1)));
    assert_eq!(put(store, &[1.0], Some(date(2026, 2, 1))), written(0, 1));
    assert_eq!(put(store, &[1.0], Some(date(2026, 2, 1))), written(0, 0));
    assert_eq!(put(store, &[1.0], Some(date(2026, 3, 1))), written(0, 0));
    assert_eq!(latest(store), [3.0]);
    let held = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(
        held.as_of(date(2026, 5, 31), Frequency::Monthly, 0),
        months(&[1.0])
    );
}

pub(super) fn the_later_of_two_writes_on_a_day_counts(store: &dyn Store) {
    let day = Some(date(2026, 6, 1));
    put(store, &[1.0], day);
    for value in [2.0, 1.0, 3.0] {
        assert_eq!(put(store, &[value], day), written(0, 1));
        assert_eq!(latest(store), [value]);
    }
    assert_eq!(store.read(&id("GDP")).unwrap().unwrap().rows().len(), 4);
}
