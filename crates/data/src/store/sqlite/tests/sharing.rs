//! Tests of two handles on one file, and of a full disk.

use super::*;
use crate::store::WriteVintages;
use crate::store::change::Change;
use crate::store::postgres::process_name;
use crate::store::{Status, WriteOutcome};
use econoscope_core::model::Vintages;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

#[test]
fn two_handles_see_each_others_writes() {
    let (_folder, path, one) = new_store();
    let two = Sqlite::open_existing(&path).unwrap();
    for n in 1..20i32 {
        let (writer, other) = if n % 2 == 0 {
            (&one, &two)
        } else {
            (&two, &one)
        };
        let before = other.version().unwrap();
        put(writer, "GDP", &days(n, 1, f64::from(n)), day_from_number(n));
        assert!(
            writer.version().unwrap() > before,
            "own writes show at once"
        );
        let expected = usize::try_from(n).unwrap();
        assert_eq!(rows(other, "GDP").unwrap().unwrap().len(), expected);
        let start = Instant::now();
        while other.version().unwrap() == before {
            assert!(
                start.elapsed() < Duration::from_secs(2),
                "the version stays old"
            );
        }
        assert_eq!(other.version().unwrap(), writer.version().unwrap());
    }
}

#[test]
fn snapshot_shows_one_state_and_refuses_writes() {
    let (_folder, path, store) = new_store();
    put(&store, "GDP", &days(0, 1, 1.0), None);
    let snapshot = store.snapshot().unwrap().unwrap();
    let version = store.version().unwrap();
    let other = Sqlite::open_existing(&path).unwrap();
    put(&other, "GDP", &days(1, 1, 2.0), None);
    put(&other, "DGS10", &days(0, 1, 1.0), None);
    assert!(store.current_version().unwrap() > version);
    assert_eq!(snapshot.current_version().unwrap(), version);
    assert_eq!(snapshot.count().unwrap(), 1);
    let gdp = snapshot.read(&SeriesId::new("GDP").unwrap()).unwrap();
    assert_eq!(gdp.unwrap().rows().len(), 1);
    assert!(snapshot.set_note("n", "1").is_err());
    assert!(Sqlite::in_memory().unwrap().snapshot().unwrap().is_none());
}

#[test]
fn many_threads_open_a_new_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let store = Sqlite::open(path).unwrap();
                for round in 0..5 {
                    put(&store, &format!("S{n}"), &days(round, 1, 1.0), None);
                }
            });
        }
    });
    let store = Sqlite::open_existing(&path).unwrap();
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    assert_eq!(store.version().unwrap(), 40);
    assert!(store.status().unwrap().iter().all(|s| s.rows == 5));
}

#[test]
fn full_disk_is_reported_without_damage() {
    let (_folder, _, store) = new_store();
    put(&store, "GDP", &days(0, 100, 1.0), None);
    let limit = |pages: u32| {
        let file = store.current_file(false).unwrap();
        let writer = file.writer.lock();
        let pragma = format!("PRAGMA max_page_count = {pages}");
        writer
            .query_row(&pragma, [], |row| row.get::<_, u32>(0))
            .unwrap()
    };
    limit(1);
    let noise: Vec<Observation> = (0..9000i32)
        .map(|n| Observation::new(day_from_number(n).unwrap(), f64::from(n).sqrt()))
        .collect();
    let big = Write {
        id: &id("BIG"),
        observations: &noise,
        known_from: None,
        fetched_at: at(0),
        origin: "test",
    };
    let version = store.version().unwrap();
    let error = store.write(big).unwrap_err().operator_message();
    assert!(error.contains("disk is full"), "{error}");
    assert_eq!(store.version().unwrap(), version);
    assert_eq!(rows(&store, "BIG").unwrap(), None);
    assert_eq!(rows(&store, "GDP").unwrap().unwrap().len(), 100);
    limit(1_000_000);
    assert_eq!(store.write(big).unwrap().added, 9000);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}

/// A store without a file.
#[derive(Default)]
struct Plain {
    version: u64,
    /// Rows and time of the last fetch.
    series: BTreeMap<SeriesId, (Vintages, Timestamp)>,
}

impl Plain {
    fn write(&mut self, write: WriteVintages<'_>) -> WriteOutcome {
        let stored = self.series.get(write.id).cloned();
        let is_new = stored.is_none();
        let (stored, at) = stored.unwrap_or((Vintages::default(), write.fetched_at));
        let change = Change::compare(&stored, at, &write);
        if change.rows.is_empty() && is_new {
            return change.outcome;
        }
        self.version += u64::from(!change.rows.is_empty());
        let rows = if change.rows.is_empty() {
            stored
        } else {
            change.apply_to(&stored)
        };
        let fetched_at = at.max(write.fetched_at);
        self.series.insert(write.id.clone(), (rows, fetched_at));
        change.outcome
    }

    fn status(&self) -> Vec<Status> {
        let status = |(id, (stored, fetched_at)): (&SeriesId, &(Vintages, Timestamp))| Status {
            id: id.clone(),
            rows: stored.rows().len() as u64,
            checksum: 0,
            first: stored.rows()[0].date,
            last: stored.rows()[stored.rows().len() - 1].date,
            fetched_at: *fetched_at,
            origin: "test".into(),
            earlier_origins: Vec::new(),
        };
        self.series.iter().map(status).collect()
    }
}

#[derive(Debug, Clone)]
struct Step {
    series: u8,
    /// Of each month; 0 withdraws it.
    values: Vec<Option<u8>>,
    known: Option<u8>,
    /// Days of knowledge in all, each with the values turned by one.
    days: u8,
    second: u8,
}

fn any_step() -> impl Strategy<Value = Step> {
    let values = prop::collection::vec(prop::option::of(0u8..4), 0..8);
    (0u8..2, values, prop::option::of(0u8..6), 1u8..3, 0u8..200).prop_map(
        |(series, values, known, days, second)| Step {
            series,
            values,
            known,
            days: if known.is_some() { days } else { 1 },
            second,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Compares every answer of a file and a plain map after each write.
    #[test]
    fn file_behaves_like_a_plain_map(steps in prop::collection::vec(any_step(), 1..60)) {
        let (_folder, _, file) = new_store();
        let mut plain = Plain::default();
        for step in steps {
            let name = id(["A", "B"][usize::from(step.series)]);
            let rows: Vec<VintageObservation> = (0i32..).zip(&step.values).filter_map(|(n, v)| Some((n, (*v)?)))
                .flat_map(|(n, v)| (0..step.days).map(move |day| VintageObservation {
                    date: day_from_number(n * 31).unwrap(),
                    known_from: step.known.and_then(|d| day_from_number(20_000 + i32::from(d + day))),
                    value: Some((v + day) % 4).filter(|v| *v > 0).map(f64::from),
                }))
                .collect();
            // Days on both sides of those above, so that "no day" falls among them.
            let second = i64::from(20_000 + i32::from(step.second) / 30) * 86_400;
            let write = WriteVintages::new(&name, &rows, Timestamp::from_second(second).unwrap(), "test");
            let before = (file.version().unwrap(), plain.version);
            prop_assert_eq!(file.write_vintages(write).unwrap(), plain.write(write));
            let stored = plain.series.get(&name).map(|(vintages, _)| vintages.clone());
            prop_assert_eq!(file.read(&name).unwrap(), stored);
            let mut status = file.status().unwrap();
            status.iter_mut().for_each(|status| status.checksum = 0);
            prop_assert_eq!(status, plain.status());
            let after = (file.version().unwrap(), plain.version);
            prop_assert_eq!(after.0 - before.0, after.1 - before.1);
        }
        prop_assert_eq!(file.check_integrity().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn lease_is_held_by_one_until_it_ends() {
    let (_folder, path, one) = new_store();
    let two = Sqlite::open_existing(&path).unwrap();
    let version = one.version().unwrap();
    let lease = Duration::from_secs(15);
    assert_eq!(one.lease("a", lease).unwrap(), None);
    assert_eq!(two.lease("b", lease).unwrap().as_deref(), Some("a"));
    assert_eq!(one.lease("a", lease).unwrap(), None, "renewed");
    assert_eq!(two.lease("b", lease).unwrap().as_deref(), Some("a"));
    assert_eq!(one.lease("a", Duration::ZERO).unwrap(), None);
    assert_eq!(two.lease("b", lease).unwrap(), None, "ended");
    assert_eq!(one.current_version().unwrap(), version, "no cache is lost");
    assert_eq!(two.lease("b", Duration::ZERO).unwrap(), None);
    // A holder that was killed on this host does not keep it.
    let mut killed = std::process::Command::new("true").spawn().unwrap();
    killed.wait().unwrap();
    let host = process_name();
    let (host, _) = host.rsplit_once('/').unwrap();
    for (id, holds) in [(killed.id(), false), (std::process::id(), true)] {
        let name = format!("{host}/{id}-0000");
        assert_eq!(one.lease(&name, lease).unwrap(), None);
        let other = two.lease("b", lease).unwrap();
        assert_eq!(other.is_some(), holds, "{id}");
        assert_eq!(two.lease("b", Duration::ZERO).unwrap().is_some(), holds);
        assert_eq!(one.lease(&name, Duration::ZERO).unwrap(), None);
    }
    // Its holder has crashed, or took it under a clock that was years ahead.
    for lost in ["1 dead", "99999999999 early", "nonsense"] {
        one.set_note("sync_lease", lost).unwrap();
        assert_eq!(two.lease("b", lease).unwrap(), None, "{lost}");
    }
}
