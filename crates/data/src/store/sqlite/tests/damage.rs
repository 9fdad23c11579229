//! Tests of damaged files: every read returns an error or the written rows.

use super::*;
use std::collections::BTreeMap;
use std::fs;

/// The rows of a store, by series.
type Truth = BTreeMap<String, Vec<VintageObservation>>;

/// Fills a store with long and short series, and texts.
fn sample(store: &Sqlite) -> Truth {
    for n in 0..10i32 {
        let name = format!("SERIES{n}");
        let rows: Vec<Observation> = (0..120 * n + 3)
            .map(|day| {
                let value = f64::from(day * 7 % 31) / if n % 2 == 0 { 4.0 } else { 3.0 };
                Observation::new(day_from_number(day).unwrap(), value)
            })
            .collect();
        put(store, &name, &rows, None);
        for later in 0..n * 5 {
            put(
                store,
                &name,
                &days(later, 2, -1.0),
                day_from_number(20_000 + later),
            );
        }
    }
    let articles: Vec<Article> = (0..20).map(article).collect();
    store.write_articles(&articles).unwrap();
    store.set_note("synced", "2026-11-21").unwrap();
    let status = store.status().unwrap();
    let name = |s: &crate::store::Status| s.id.to_string();
    status
        .iter()
        .map(|s| (name(s), rows(store, &name(s)).unwrap().unwrap()))
        .collect()
}

fn article(n: i64) -> Article {
    Article {
        id: format!("a{n}"),
        slug: format!("article-{n}"),
        title: format!("Title {n}"),
        subtitle: None,
        topic: None,
        summary: Some("Summary. ".repeat(9)),
        tags: vec!["cpi".into()],
        published_at: at(n),
        url: "https://example.org".into(),
        source: "test".into(),
    }
}

/// A generator with a seed, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }
}

/// Checks that every read returns an error or the written rows. Returns the number of errors.
fn check_reads(store: &Sqlite, truth: &Truth, seed: u64) -> usize {
    let mut errors = 0;
    for (name, expected) in truth {
        match rows(store, name) {
            Ok(stored) => assert_eq!(stored.as_ref(), Some(expected), "seed {seed}, {name}"),
            Err(e) => {
                assert_eq!(e.code(), "store");
                errors += 1;
            }
        }
    }
    match store.status() {
        Ok(status) => {
            let rows: Vec<_> = status.iter().map(|s| (s.id.to_string(), s.rows)).collect();
            let expected: Vec<_> = truth
                .iter()
                .map(|(n, r)| (n.clone(), r.len() as u64))
                .collect();
            assert_eq!(rows, expected, "seed {seed}");
        }
        Err(_) => errors += 1,
    }
    match store.articles(at(99), 99) {
        Ok(all) => assert!(
            all.iter().all(|a| (0..20).any(|n| *a == article(n))),
            "seed {seed}"
        ),
        Err(_) => errors += 1,
    }
    match store.note("synced") {
        Ok(note) => assert!(note.is_none_or(|n| n == "2026-11-21"), "seed {seed}"),
        Err(_) => errors += 1,
    }
    errors + usize::from(store.version().is_err())
}

#[test]
fn flipped_bytes_give_errors_or_correct_rows() {
    let (folder, path, store) = new_store();
    let truth = sample(&store);
    drop(store);
    let good = fs::read(&path).unwrap();
    let mut noticed = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let mut bytes = good.clone();
        for _ in 0..=random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        if seed % 5 == 0 {
            // A lost sector.
            let at = random.below(bytes.len() / 512) * 512;
            bytes[at..at + 512].fill(0);
        }
        let path = folder.path().join(format!("flipped-{seed}.db"));
        fs::write(&path, bytes).unwrap();
        let Ok(store) = Sqlite::open(&path) else {
            noticed += 1;
            continue;
        };
        let errors = check_reads(&store, &truth, seed);
        let damages = store.check_integrity().unwrap();
        assert!(
            errors == 0 || !damages.is_empty(),
            "seed {seed}: the doctor sees nothing"
        );
        noticed += usize::from(errors > 0 || !damages.is_empty());
        if seed % 4 == 0 {
            check_writes(&store, &truth, seed);
        }
    }
    assert!(noticed > 150, "only {noticed} of 200 were noticed");
}

/// Checks that a write fails or adds its row to the correct rows.
fn check_writes(store: &Sqlite, truth: &Truth, seed: u64) {
    let new = days(30_000, 1, 5.0);
    for (name, expected) in truth {
        let written = store.write(Write {
            id: &id(name),
            observations: &new,
            known_from: None,
            fetched_at: at(1),
            origin: "test",
        });
        let Ok(Some(stored)) = rows(store, name) else {
            continue;
        };
        let before = &stored[..stored.len() - usize::from(written.is_ok())];
        assert_eq!(before, expected, "seed {seed}, {name}");
    }
}

#[test]
fn truncated_files_give_errors_or_correct_rows() {
    let (folder, path, store) = new_store();
    let truth = sample(&store);
    drop(store);
    let good = fs::read(&path).unwrap();
    for (seed, keep) in (0..).zip([
        1,
        50,
        99,
        100,
        511,
        4096,
        5000,
        8192,
        good.len() / 2,
        good.len() - 1,
    ]) {
        let path = folder.path().join(format!("cut-{keep}.db"));
        fs::write(&path, &good[..keep]).unwrap();
        if let Ok(store) = Sqlite::open(&path) {
            assert!(
                check_reads(&store, &truth, seed) > 0,
                "cut to {keep} unnoticed"
            );
        } else {
            assert_eq!(fs::read(&path).unwrap(), &good[..keep], "touched");
        }
    }
}

#[test]
fn damaged_log_restores_an_earlier_state() {
    let (folder, path, store) = new_store();
    // The rows after each write, by version.
    let mut states = vec![None];
    for n in 0..12i32 {
        put(
            &store,
            "GDP",
            &days(0, 60, f64::from(n)),
            day_from_number(20_000 + n),
        );
        states.push(rows(&store, "GDP").unwrap());
    }
    // As after a crash: the log is not merged.
    let main = fs::read(&path).unwrap();
    let log = fs::read(folder.path().join("store.db-wal")).unwrap();
    assert!(log.len() > 4096);
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut damaged = log.clone();
        let at = random.below(log.len());
        damaged[at] ^= 1 << random.below(8);
        let path = folder.path().join(format!("log-{seed}.db"));
        fs::write(&path, &main).unwrap();
        fs::write(crate::sqlite::with_suffix(&path, "-wal"), &damaged).unwrap();
        let Ok(store) = Sqlite::open(&path) else {
            continue;
        };
        let version = usize::try_from(store.version().unwrap()).unwrap();
        assert_eq!(rows(&store, "GDP").unwrap(), states[version], "seed {seed}");
        assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    }
}

/// Changes one byte in the first row group of a series.
fn damage_rows(store: &Sqlite, name: &str) {
    store
        .transact(|db| {
            let row = super::super::series::read_row(db, &id(name))?.unwrap();
            let sql = "SELECT data FROM segment WHERE id = ?1 * 64";
            let mut data: Vec<u8> = db.query_row(sql, [row.id], |row| row.get(0)).unwrap();
            let middle = data.len() / 2;
            data[middle] ^= 4;
            db.execute(
                "UPDATE segment SET data = ?2 WHERE id = ?1 * 64",
                (row.id, data),
            )
            .unwrap();
            Ok(())
        })
        .unwrap();
}

#[test]
fn damage_is_reported_and_other_series_stay_readable() {
    let (folder, _, store) = new_store();
    let truth = sample(&store);
    damage_rows(&store, "SERIES3");
    let error = store.read(&id("SERIES3")).unwrap_err().operator_message();
    for part in [
        "SERIES3",
        "damaged",
        "econoscope doctor",
        "backup",
        "sync again",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(
        rows(&store, "SERIES4").unwrap().as_ref(),
        truth.get("SERIES4")
    );
    assert_eq!(store.check_integrity().unwrap(), [error]);
    assert!(store.backup(&folder.path().join("bad.db")).is_err());
    assert!(!folder.path().join("bad.db").exists());
}

#[test]
fn misplaced_or_missing_rows_are_detected() {
    for sql in [
        "UPDATE segment SET id = id + 640 WHERE id / 64 = 1",
        "DELETE FROM segment WHERE id = 64",
        "UPDATE segment SET data = (SELECT data FROM segment WHERE id = 128) WHERE id = 64",
        "UPDATE series SET name = 'GDPC1' WHERE name = 'GDP'",
        "UPDATE series SET first = first - 1 WHERE name = 'GDP'",
        "DELETE FROM series WHERE name = 'GDP'",
        "UPDATE state SET version = version + 1",
        "DELETE FROM state",
    ] {
        let (_folder, path, store) = new_store();
        put(&store, "GDP", &days(0, 9, 1.0), None);
        put(&store, "CPI", &days(0, 9, 2.0), None);
        store
            .transact(|db| {
                db.execute_batch(sql).unwrap();
                Ok(())
            })
            .unwrap();
        drop(store);
        let Ok(store) = Sqlite::open(&path) else {
            assert!(sql.contains("state"), "{sql}");
            continue;
        };
        assert!(!store.check_integrity().unwrap().is_empty(), "{sql}");
        assert!(store.read(&id("GDP")).is_err(), "{sql}");
    }
}

#[test]
fn recomputing_repairs_a_damaged_computed_series() {
    let (_folder, _, store) = new_store();
    let known = |value| VintageObservation {
        date: day_from_number(9).unwrap(),
        known_from: None,
        value: Some(value),
    };
    let compute = |value| {
        store
            .replace_computed(WriteVintages::new(
                &id("SERVICE_CRPI"),
                &[known(value)],
                at(0),
                "computed v1",
            ))
            .unwrap();
    };
    compute(1.0);
    damage_rows(&store, "SERVICE_CRPI");
    assert!(store.read(&id("SERVICE_CRPI")).is_err());
    compute(1.0);
    let expected = Some(vec![known(1.0)]);
    assert_eq!(rows(&store, "SERVICE_CRPI").unwrap(), expected);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}
