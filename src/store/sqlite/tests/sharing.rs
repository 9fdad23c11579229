//! Two handles on one file, as two processes have them, and a disk that is full.

use super::*;
use crate::store::Memory;
use proptest::prelude::*;
use std::time::{Duration, Instant};

#[test]
fn two_handles_see_each_others_writes_and_version() {
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
fn many_may_open_a_new_store_at_once() {
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
    assert_eq!(store.integrity().unwrap(), vec![]);
    assert_eq!(store.version().unwrap(), 40);
    assert!(store.status().unwrap().iter().all(|s| s.rows == 5));
}

#[test]
fn a_full_disk_is_said_and_harms_nothing() {
    let (_folder, _, store) = new_store();
    put(&store, "GDP", &days(0, 100, 1.0), None);
    let limit = |pages: u32| {
        let writer = crate::store::sqlite::watch::locked(&store.writer);
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
    let error = store.write(big).unwrap_err().to_string();
    assert!(error.contains("disk is full"), "{error}");
    assert_eq!(store.version().unwrap(), version);
    assert_eq!(rows(&store, "BIG").unwrap(), None);
    assert_eq!(rows(&store, "GDP").unwrap().unwrap().len(), 100);
    limit(1_000_000);
    assert_eq!(store.write(big).unwrap().added, 9000);
    assert_eq!(store.integrity().unwrap(), vec![]);
}

#[derive(Debug, Clone)]
struct Step {
    series: u8,
    values: Vec<Option<u8>>,
    known: Option<u8>,
    second: u8,
}

fn any_step() -> impl Strategy<Value = Step> {
    let values = prop::collection::vec(prop::option::of(0u8..3), 0..8);
    (0u8..2, values, prop::option::of(0u8..6), 0u8..200).prop_map(
        |(series, values, known, second)| Step {
            series,
            values,
            known,
            second,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The file against the plain map: every answer after every write is the same.
    #[test]
    fn the_file_answers_as_memory_does(steps in prop::collection::vec(any_step(), 1..60)) {
        let (_folder, _, file) = new_store();
        let memory = Memory::new();
        for step in steps {
            let name = id(["A", "B"][usize::from(step.series)]);
            let rows: Vec<Observation> = (0i32..).zip(&step.values)
                .filter_map(|(n, v)| Some(Observation::new(day_from_number(n * 31)?, f64::from((*v)?))))
                .collect();
            let write = Write {
                id: &name,
                observations: &rows,
                known_from: step.known.and_then(|d| day_from_number(20_000 + i32::from(d))),
                // Days on both sides of those above, so that "no day" falls among them.
                fetched_at: Timestamp::from_second(i64::from(20_000 + i32::from(step.second) / 30) * 86_400).unwrap(),
                origin: "test",
            };
            let before = (file.version().unwrap(), memory.version().unwrap());
            prop_assert_eq!(file.write(write).unwrap(), memory.write(write).unwrap());
            prop_assert_eq!(file.read(&name).unwrap(), memory.read(&name).unwrap());
            prop_assert_eq!(file.status().unwrap(), memory.status().unwrap());
            let after = (file.version().unwrap(), memory.version().unwrap());
            prop_assert_eq!(after.0 - before.0, after.1 - before.1);
        }
        prop_assert_eq!(file.integrity().unwrap(), vec![]);
    }
}
