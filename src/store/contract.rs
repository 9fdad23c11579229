//! What every store must do, run on each of them: one suite, so that no caller can tell them apart.

use super::{Article, Memory, Sqlite, Status, Store, Write, Written};
use crate::model::frequency::day_from_number;
use crate::model::{Date, Frequency, Known, Observation, SeriesId};
use jiff::Timestamp;
use jiff::civil::date;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs every function of the contract on a fresh store of each kind.
macro_rules! on_every_store {
    ($($name:ident),* $(,)?) => {
        mod memory { $(#[test] fn $name() { super::$name(&super::Memory::new()); })* }
        mod shared { $(#[test] fn $name() {
            let store: std::sync::Arc<dyn super::Store> = std::sync::Arc::new(super::Memory::new());
            super::$name(&*store);
        })* }
        mod sqlite { $(#[test] fn $name() {
            let folder = tempfile::tempdir().unwrap();
            let store = super::Sqlite::open(&folder.path().join("store.db")).unwrap();
            super::$name(&store);
            assert_eq!(store.integrity().unwrap(), vec![]);
        })* }
    };
}

on_every_store![
    an_empty_store_holds_nothing,
    new_rows_are_read_back,
    a_second_write_of_the_same_rows_writes_nothing,
    a_changed_value_is_appended_and_the_old_one_kept,
    a_first_load_has_no_day_and_a_later_write_has_one,
    an_import_without_a_day_invents_none_for_new_dates,
    an_import_without_a_day_dates_changes_by_the_reading,
    as_of_sees_what_was_known_on_the_day,
    a_late_vintage_takes_its_place_once,
    the_later_of_two_writes_on_a_day_counts,
    bad_input_is_refused_whole,
    no_rows_at_all_are_no_series,
    status_tells_what_is_held,
    many_small_writes_lose_nothing,
    only_computed_series_can_be_cleared,
    articles_come_newest_first_and_once,
    notes_are_kept_and_replaced,
    version_grows_with_what_is_visible_and_only_then,
    readers_see_the_old_or_the_new_state,
];

fn id(name: &str) -> SeriesId {
    SeriesId::new(name).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    // 2026-11-21T12:00:00Z and so many seconds.
    Timestamp::from_second(1_795_262_400 + seconds).unwrap()
}

fn read_on() -> Date {
    date(2026, 11, 21)
}

/// Monthly from January 2026.
fn months(values: &[f64]) -> Vec<Observation> {
    (1..)
        .zip(values)
        .map(|(month, &value)| Observation::new(date(2026, month, 1), value))
        .collect()
}

fn put(store: &dyn Store, values: &[f64], known_from: Option<Date>) -> Written {
    put_rows(store, &months(values), known_from)
}

fn put_rows(store: &dyn Store, rows: &[Observation], known_from: Option<Date>) -> Written {
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

fn latest(store: &dyn Store) -> Vec<f64> {
    let rows = store.read(&id("GDP")).unwrap().unwrap().latest();
    rows.iter().map(|o| o.value).collect()
}

fn written(added: usize, revised: usize) -> Written {
    Written { added, revised }
}

fn an_empty_store_holds_nothing(store: &dyn Store) {
    assert_eq!(store.read(&id("GDP")).unwrap(), None);
    assert_eq!(store.status().unwrap(), vec![]);
    assert_eq!(store.articles(at(0), 10).unwrap(), vec![]);
    assert_eq!(store.note("x").unwrap(), None);
    assert_eq!(store.version().unwrap(), store.version().unwrap());
}

fn new_rows_are_read_back(store: &dyn Store) {
    let values = [1.5, -2.25, 1.0 / 3.0, 0.0, 1e15];
    assert_eq!(put(store, &values, None), written(5, 0));
    let held = store.read(&id("gdp")).unwrap().unwrap();
    assert_eq!(held.latest(), months(&values));
    assert_eq!(store.read(&id("GDPC1")).unwrap(), None);
}

fn a_second_write_of_the_same_rows_writes_nothing(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    let held = store.read(&id("GDP")).unwrap();
    for day in [None, Some(date(2026, 12, 1))] {
        assert_eq!(put(store, &[1.0, 2.0], day), written(0, 0));
        assert_eq!(put(store, &[1.0], day), written(0, 0));
    }
    assert_eq!(store.read(&id("GDP")).unwrap(), held);
}

fn a_changed_value_is_appended_and_the_old_one_kept(store: &dyn Store) {
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

fn a_first_load_has_no_day_and_a_later_write_has_one(store: &dyn Store) {
    put(store, &[1.0], None);
    let day = Some(date(2026, 3, 9));
    put(store, &[1.0, 2.0], day);
    let held = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = held.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, day]);
}

fn an_import_without_a_day_invents_none_for_new_dates(store: &dyn Store) {
    put(store, &[1.0], None);
    assert_eq!(put(store, &[1.0, 2.0], None), written(1, 0));
    let mut older = months(&[1.0, 2.0]);
    older.insert(0, Observation::new(date(2020, 1, 1), 9.0));
    assert_eq!(put_rows(store, &older, None), written(1, 0));
    assert!(!store.read(&id("GDP")).unwrap().unwrap().has_recorded_days());
    assert_eq!(latest(store), [9.0, 1.0, 2.0]);
}

fn an_import_without_a_day_dates_changes_by_the_reading(store: &dyn Store) {
    put(store, &[1.0, 2.0], None);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 1));
    let held = store.read(&id("GDP")).unwrap().unwrap();
    let days: Vec<_> = held.rows().iter().map(|r| r.known_from).collect();
    assert_eq!(days, [None, None, Some(read_on())]);
    assert_eq!(put(store, &[1.0, 7.0], None), written(0, 0));
}

fn as_of_sees_what_was_known_on_the_day(store: &dyn Store) {
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

fn a_late_vintage_takes_its_place_once(store: &dyn Store) {
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

fn the_later_of_two_writes_on_a_day_counts(store: &dyn Store) {
    let day = Some(date(2026, 6, 1));
    put(store, &[1.0], day);
    for value in [2.0, 1.0, 3.0] {
        assert_eq!(put(store, &[value], day), written(0, 1));
        assert_eq!(latest(store), [value]);
    }
    assert_eq!(store.read(&id("GDP")).unwrap().unwrap().rows().len(), 4);
}

fn bad_input_is_refused_whole(store: &dyn Store) {
    put(store, &[1.0], None);
    let version = store.version().unwrap();
    let row = |month, value| Observation::new(date(2027, month, 1), value);
    for bad in [
        vec![row(1, 1.0), row(2, f64::NAN)],
        vec![row(1, f64::INFINITY)],
        vec![row(2, 1.0), row(1, 1.0)],
        vec![row(1, 1.0), row(1, 1.0)],
    ] {
        let error = store
            .write(Write {
                id: &id("GDP"),
                observations: &bad,
                known_from: None,
                fetched_at: at(9),
                origin: "test",
            })
            .unwrap_err();
        assert_eq!(error.code(), "store");
        assert!(error.to_string().contains("GDP"), "{error}");
    }
    assert_eq!(latest(store), [1.0]);
    assert_eq!(store.version().unwrap(), version);
    assert_eq!(store.status().unwrap()[0].fetched_at, at(0));
}

fn no_rows_at_all_are_no_series(store: &dyn Store) {
    assert_eq!(put(store, &[], None), written(0, 0));
    assert_eq!(store.read(&id("GDP")).unwrap(), None);
    assert_eq!(store.status().unwrap(), vec![]);
}

fn status_tells_what_is_held(store: &dyn Store) {
    put(store, &[1.0, 2.0, 3.0], None);
    put(store, &[1.5], Some(date(2026, 6, 1)));
    let write = |name: &str, seconds, origin, values: &[f64]| {
        store
            .write(Write {
                id: &id(name),
                observations: &months(values),
                known_from: None,
                fetched_at: at(seconds),
                origin,
            })
            .unwrap();
    };
    write("AAA", 5, "fred", &[1.0]);
    // Read again: later, unchanged, then with an older clock.
    write("AAA", 60, "import", &[1.0]);
    write("AAA", 30, "import", &[1.0]);
    assert_eq!(
        store.status().unwrap(),
        vec![
            Status {
                id: id("AAA"),
                rows: 1,
                first: date(2026, 1, 1),
                last: date(2026, 1, 1),
                fetched_at: at(60),
                origin: "fred".into(),
            },
            Status {
                id: id("GDP"),
                rows: 4,
                first: date(2026, 1, 1),
                last: date(2026, 3, 1),
                fetched_at: at(0),
                origin: "test".into(),
            },
        ]
    );
}

fn many_small_writes_lose_nothing(store: &dyn Store) {
    let mut expected = Vec::new();
    for n in 0..150i32 {
        let row = Observation::new(day_from_number(20_000 + n).unwrap(), f64::from(n) / 4.0);
        let mut rows = vec![row];
        if n % 10 == 9 {
            // The day before is revised along the way.
            rows.insert(
                0,
                Observation::new(day_from_number(19_999 + n).unwrap(), -1.0),
            );
        }
        let known = day_from_number(20_001 + n);
        put_rows(store, &rows, known);
        expected.extend(rows.iter().map(|o| Known {
            date: o.date,
            known_from: known,
            value: o.value,
        }));
    }
    expected.sort_by_key(|r| (r.date, r.known_from));
    let held = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(held.rows(), expected);
    assert_eq!(store.status().unwrap()[0].rows, 165);
}

fn only_computed_series_can_be_cleared(store: &dyn Store) {
    put(store, &[1.0], None);
    assert_eq!(
        store.clear_computed(&id("GDP")).unwrap_err().code(),
        "store"
    );
    assert_eq!(latest(store), [1.0]);
    store
        .write(Write {
            id: &id("SERVICE_CRPI"),
            observations: &months(&[1.0, 2.0]),
            known_from: None,
            fetched_at: at(0),
            origin: "computed crpi-v1",
        })
        .unwrap();
    let version = store.version().unwrap();
    store.clear_computed(&id("SERVICE_CRPI")).unwrap();
    assert!(store.version().unwrap() > version);
    assert_eq!(store.read(&id("SERVICE_CRPI")).unwrap(), None);
    assert_eq!(store.status().unwrap().len(), 1);
    let version = store.version().unwrap();
    store.clear_computed(&id("SERVICE_CRPI")).unwrap();
    assert_eq!(store.version().unwrap(), version);
}

fn article(id: &str, seconds: i64) -> Article {
    Article {
        id: id.into(),
        slug: format!("slug-{id}"),
        title: "Prices — again".into(),
        subtitle: None,
        topic: Some("inflation".into()),
        summary: Some(String::new()),
        tags: vec!["cpi".into(), "federal reserve".into()],
        published_at: at(seconds),
        url: "https://example.org/a".into(),
        source: "test".into(),
    }
}

fn articles_come_newest_first_and_once(store: &dyn Store) {
    let (a, b, c) = (article("a", 10), article("b", 30), article("c", 30));
    let all = [c.clone(), a.clone(), b.clone()];
    assert_eq!(store.write_articles(&all).unwrap(), 3);
    assert_eq!(store.write_articles(&all).unwrap(), 0);
    assert_eq!(
        store.articles(at(99), 9).unwrap(),
        [b.clone(), c.clone(), a.clone()]
    );
    assert_eq!(store.articles(at(30), 1).unwrap(), [b]);
    assert_eq!(store.articles(at(29), 9).unwrap(), [a.clone()]);
    assert_eq!(store.articles(at(9), 9).unwrap(), []);
    assert_eq!(store.articles(at(99), 0).unwrap(), []);
    let newer = Article {
        title: "Corrected".into(),
        tags: vec![],
        ..a
    };
    assert_eq!(
        store
            .write_articles(&[newer.clone(), article("d", 5)])
            .unwrap(),
        1
    );
    assert_eq!(store.articles(at(29), 1).unwrap(), [newer]);
}

fn notes_are_kept_and_replaced(store: &dyn Store) {
    store.set_note("sync", "1").unwrap();
    store.set_note("other", "").unwrap();
    store.set_note("sync", "2").unwrap();
    assert_eq!(store.note("sync").unwrap().as_deref(), Some("2"));
    assert_eq!(store.note("other").unwrap().as_deref(), Some(""));
    assert_eq!(store.note("none").unwrap(), None);
}

fn version_grows_with_what_is_visible_and_only_then(store: &dyn Store) {
    type Step<'a> = (bool, &'a dyn Fn(&dyn Store));
    let day = Some(date(2026, 6, 1));
    let write = |s: &dyn Store, values: &[f64], day| {
        put(s, values, day);
    };
    let news = |s: &dyn Store, articles: &[Article]| {
        s.write_articles(articles).unwrap();
    };
    let clear = |s: &dyn Store| {
        s.clear_computed(&id("GDP")).unwrap_err();
    };
    let steps: [Step<'_>; 10] = [
        (true, &|s| write(s, &[1.0], None)),
        (false, &|s| write(s, &[1.0], day)),
        (true, &|s| write(s, &[2.0], day)),
        (false, &|s| write(s, &[], None)),
        (true, &|s| news(s, &[article("a", 1)])),
        (false, &|s| news(s, &[article("a", 1)])),
        (false, &|s| news(s, &[])),
        (true, &|s| s.set_note("k", "v").unwrap()),
        (false, &|s| s.set_note("k", "v").unwrap()),
        (false, &clear),
    ];
    for (n, (grows, step)) in steps.iter().enumerate() {
        let before = store.version().unwrap();
        step(store);
        let after = store.version().unwrap();
        assert_eq!(after > before, *grows, "step {n}: {before} -> {after}");
        assert!(after >= before);
    }
}

fn readers_see_the_old_or_the_new_state(store: &dyn Store) {
    // Each write sets all values to one number: a mixture would be half a write.
    put(store, &[0.0; 12], Some(date(2026, 1, 1)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let (mut reads, mut newest) = (0, 0.0);
                    while !done.load(Ordering::Relaxed) || reads == 0 {
                        let version = store.version().unwrap();
                        let values = latest(store);
                        assert_eq!(values, vec![values[0]; 12]);
                        assert!(values[0] >= newest);
                        assert!(store.version().unwrap() >= version);
                        newest = values[0];
                        reads += 1;
                    }
                })
            })
            .collect();
        for n in 1..80i32 {
            put(store, &[f64::from(n); 12], day_from_number(20_500 + n));
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|r| r.join().unwrap());
    });
    assert_eq!(latest(store), [79.0; 12]);
}
