//! Tests of atomicity, status, texts, version and concurrency.

use super::{at, id, latest, months, put, put_rows, written};
use crate::store::{Article, Description, Status, Store, Write, WriteVintages};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::day_from_number;
use econoscope_core::model::{Frequency, Observation, SeriesId, VintageObservation};
use jiff::civil::date;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) fn invalid_writes_change_nothing(store: &dyn Store) {
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
        assert!(error.operator_message().contains("GDP"), "{error}");
    }
    assert_eq!(latest(store), [1.0]);
    assert_eq!(store.version().unwrap(), version);
    assert_eq!(store.status().unwrap()[0].fetched_at, at(0));
}

pub(super) fn writing_no_rows_creates_no_series(store: &dyn Store) {
    assert_eq!(put(store, &[], None), written(0, 0));
    assert_eq!(store.read(&id("GDP")).unwrap(), None);
    assert_eq!(store.status().unwrap(), vec![]);
}

pub(super) fn status_summarises_stored_series(store: &dyn Store) {
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
    // Fetched again without changes: later, then with an older clock.
    write("AAA", 60, "import", &[1.0]);
    write("AAA", 30, "import", &[1.0]);
    let without_checksum = |status| Status {
        checksum: 0,
        ..status
    };
    let status = store.status().unwrap().into_iter();
    assert_eq!(
        status.map(without_checksum).collect::<Vec<_>>(),
        vec![
            Status {
                id: id("AAA"),
                rows: 1,
                checksum: 0,
                first: date(2026, 1, 1),
                last: date(2026, 1, 1),
                fetched_at: at(60),
                origin: "fred".into(),
                earlier_origins: Vec::new(),
            },
            Status {
                id: id("GDP"),
                // The late vintage, and behind it what was read since.
                rows: 5,
                checksum: 0,
                first: date(2026, 1, 1),
                last: date(2026, 3, 1),
                fetched_at: at(0),
                origin: "test".into(),
                earlier_origins: Vec::new(),
            },
        ]
    );
}

pub(super) fn status_of_one_series_equals_the_list_entry(store: &dyn Store) {
    assert_eq!(store.status_of(&id("GDP")).unwrap(), None);
    put(store, &[1.0, 2.0], None);
    let all = store.status().unwrap();
    assert_eq!(store.count().unwrap(), 1);
    assert_eq!(store.status_of(&id("GDP")).unwrap().as_ref(), all.first());
    assert_eq!(store.status_of(&id("GDPC1")).unwrap(), None);
}

pub(super) fn many_small_writes_keep_every_row(store: &dyn Store) {
    let mut expected = Vec::new();
    for n in 0..150i32 {
        let row = Observation::new(day_from_number(20_000 + n).unwrap(), f64::from(n) / 4.0);
        let mut rows = vec![row];
        if n % 10 == 9 {
            // Also revises the day before.
            rows.insert(
                0,
                Observation::new(day_from_number(19_999 + n).unwrap(), -1.0),
            );
        }
        let known = day_from_number(20_001 + n);
        put_rows(store, &rows, known);
        expected.extend(rows.iter().map(|o| VintageObservation::new(o, known)));
    }
    expected.sort_by_key(|r| (r.date, r.known_from));
    let stored = store.read(&id("GDP")).unwrap().unwrap();
    assert_eq!(stored.rows(), expected);
    assert_eq!(store.status().unwrap()[0].rows, 165);
}

pub(super) fn only_computed_series_can_be_replaced(store: &dyn Store) {
    let replace_by = |origin, name: &str, rows: &[VintageObservation]| {
        store.replace_computed(WriteVintages::new(&id(name), rows, at(0), origin))
    };
    let replace =
        |name: &str, rows: &[VintageObservation]| replace_by("computed crpi-v2", name, rows);
    put(store, &[1.0], None);
    assert_eq!(replace("GDP", &[]).unwrap_err().code(), "store");
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
    let rows: Vec<VintageObservation> = months(&[3.0, 4.0])
        .into_iter()
        .zip([None, Some(date(2026, 6, 1))])
        .map(|(o, known_from)| VintageObservation::new(&o, known_from))
        .collect();
    replace("SERVICE_CRPI", &rows).unwrap();
    assert!(store.version().unwrap() > version);
    let stored = store.read(&id("SERVICE_CRPI")).unwrap().unwrap();
    assert_eq!(stored.rows(), rows);
    assert_eq!(store.status().unwrap().len(), 2);
    let version = store.version().unwrap();
    replace("SERVICE_CRPI", &rows).unwrap();
    let turned: Vec<VintageObservation> = rows.iter().rev().copied().collect();
    replace("SERVICE_CRPI", &turned).unwrap();
    assert_eq!(store.version().unwrap(), version, "the same rows again");
    let hole = VintageObservation {
        value: Some(f64::NAN),
        ..rows[0]
    };
    assert!(replace("SERVICE_CRPI", &[hole]).is_err());
    let foreign = replace_by("fred", "SERVICE_CRPI", &rows);
    assert!(foreign.is_err(), "it could never be replaced again");
    assert_eq!(
        store.read(&id("SERVICE_CRPI")).unwrap().unwrap().rows(),
        rows
    );
    replace("SERVICE_CRPI", &[]).unwrap();
    assert_eq!(store.read(&id("SERVICE_CRPI")).unwrap(), None);
    assert_eq!(store.status().unwrap().len(), 1);
    let version = store.version().unwrap();
    replace("SERVICE_CRPI", &[]).unwrap();
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

pub(super) fn articles_are_unique_and_newest_first(store: &dyn Store) {
    let a = article("a", 10);
    let b = article("b", 30);
    let c = article("c", 30);
    let all = [c.clone(), a.clone(), b.clone()];
    assert_eq!(store.write_articles(&all).unwrap(), 3);
    assert_eq!(store.write_articles(&all).unwrap(), 0);
    assert_eq!(
        store.articles(at(99), 9).unwrap(),
        [b.clone(), c.clone(), a.clone()]
    );
    assert_eq!(store.articles(at(30), 1).unwrap(), [b]);
    assert_eq!(store.articles(at(29), 9).unwrap(), std::slice::from_ref(&a));
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

pub(super) fn tags_are_single_nonempty_lines(store: &dyn Store) {
    let odd = Article {
        tags: ["two\nlines", "", "cpi"].map(String::from).to_vec(),
        ..article("a", 10)
    };
    for added in [1, 0] {
        let written = store.write_articles(std::slice::from_ref(&odd)).unwrap();
        assert_eq!(written, added);
    }
    let stored = store.articles(at(99), 9).unwrap();
    assert_eq!(stored[0].tags, ["two", "lines", "cpi"]);
}

pub(super) fn notes_are_stored_and_replaced(store: &dyn Store) {
    store.set_note("sync", "1").unwrap();
    store.set_note("other", "").unwrap();
    store.set_note("sync", "2").unwrap();
    assert_eq!(store.note("sync").unwrap().as_deref(), Some("2"));
    assert_eq!(store.note("other").unwrap().as_deref(), Some(""));
    assert_eq!(store.note("none").unwrap(), None);
}

pub(super) fn version_grows_only_with_visible_changes(store: &dyn Store) {
    type Step<'a> = (bool, &'a dyn Fn(&dyn Store));
    let day = Some(date(2026, 6, 1));
    let write = |s: &dyn Store, values: &[f64], day| {
        put(s, values, day);
    };
    let news = |s: &dyn Store, articles: &[Article]| {
        s.write_articles(articles).unwrap();
    };
    let clear = |s: &dyn Store| {
        s.replace_computed(WriteVintages::new(&id("GDP"), &[], at(0), "computed x"))
            .unwrap_err();
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

pub(super) fn readers_never_see_half_a_write(store: &dyn Store) {
    // Each write sets all values to one number: a mixture would be half a write.
    put(store, &[0.0; 12], Some(date(2026, 1, 1)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut reads = 0;
                    let mut newest = 0.0;
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

/// More series than one batch of rows to a database.
fn batch_ids() -> Vec<SeriesId> {
    (0..150).map(|n| id(&format!("S{n:03}"))).collect()
}

/// Writes a value to every series of the batch, a note and a description in one change, which may fail at its end.
fn write_to_all(store: &dyn Store, value: f64, fails: bool) -> Result<()> {
    let ids = batch_ids();
    store.write_batch(&|store| {
        store.set_note("k", &value.to_string())?;
        store.describe(&[Description {
            title: format!("Title {value}"),
            ..description_of(&ids[0])
        }])?;
        for id in &ids {
            let outcome = store.write(Write {
                id,
                observations: &months(&[value; 3]),
                known_from: day_from_number(20_500),
                fetched_at: at(0),
                origin: "test",
            })?;
            assert_eq!(outcome.added + outcome.revised, 3);
            let seen = store.read(id)?.unwrap().latest();
            assert_eq!(seen[0].value, value, "the work reads its own writes");
        }
        if fails {
            Err(Error::store_without_cause("in vain"))
        } else {
            Ok(())
        }
    })
}

/// Returns the first value of each series of the batch, the note and the number of series.
fn batch_state(store: &dyn Store) -> (Vec<f64>, Option<String>, u64) {
    let values = batch_ids()
        .iter()
        .filter_map(|id| Some(store.read(id).unwrap()?.latest()[0].value))
        .collect();
    (values, store.note("k").unwrap(), store.count().unwrap())
}

pub(super) fn batch_changes_all_series_or_none(store: &dyn Store) {
    let version = store.version().unwrap();
    write_to_all(store, 1.0, true).unwrap_err();
    assert_eq!(batch_state(store), (vec![], None, 0));
    assert_eq!(store.version().unwrap(), version);
    write_to_all(store, 1.0, false).unwrap();
    let written = (vec![1.0; 150], Some("1".to_owned()), 150);
    assert_eq!(batch_state(store), written);
    assert!(store.current_version().unwrap() > version);
    write_to_all(store, 2.0, true).unwrap_err();
    assert_eq!(batch_state(store), written);
    let title = store.description(&batch_ids()[0]).unwrap().unwrap().title;
    assert_eq!(title, "Title 1");
}

pub(super) fn batch_is_visible_as_one_change(store: &dyn Store) {
    write_to_all(store, 1.0, false).unwrap();
    let before = store.current_version().unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut versions = BTreeSet::from([before]);
            while !done.load(Ordering::Relaxed) {
                versions.insert(store.current_version().unwrap());
            }
            versions.insert(store.current_version().unwrap());
            versions
        });
        write_to_all(store, 3.0, false).unwrap();
        done.store(true, Ordering::Relaxed);
        assert_eq!(reader.join().unwrap().len(), 2, "one change is seen");
    });
    assert_eq!(batch_state(store).0, vec![3.0; 150]);
    assert_eq!(status_of(store, "S149").rows, 3);
}

fn status_of(store: &dyn Store, name: &str) -> Status {
    store.status_of(&id(name)).unwrap().unwrap()
}

fn description_of(id: &SeriesId) -> Description {
    Description {
        id: id.clone(),
        title: String::new(),
        units: String::new(),
        frequency: Frequency::Monthly,
        seasonally_adjusted: false,
        source: String::new(),
    }
}
