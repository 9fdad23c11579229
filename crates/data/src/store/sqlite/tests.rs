//! Tests of what is specific to files.

mod bundle;
mod crash;
mod damage;
mod files;
mod replaced;
mod sharing;

use super::Sqlite;
use crate::store::{Article, Store, Write, WriteVintages};
use econoscope_core::model::frequency::day_from_number;
use econoscope_core::model::{Date, Observation, SeriesId, VintageObservation};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn id(name: &str) -> SeriesId {
    SeriesId::new(name).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_795_262_400 + seconds).unwrap()
}

/// Returns `count` days from day number `start`, all with one value.
fn days(start: i32, count: i32, value: f64) -> Vec<Observation> {
    (start..start + count)
        .map(|day| Observation::new(day_from_number(day).unwrap(), value))
        .collect()
}

fn put(store: &Sqlite, name: &str, rows: &[Observation], known_from: Option<Date>) {
    store
        .write(Write {
            id: &id(name),
            observations: rows,
            known_from,
            fetched_at: at(0),
            origin: "test",
        })
        .unwrap();
}

fn rows(store: &Sqlite, name: &str) -> econoscope_core::Result<Option<Vec<VintageObservation>>> {
    Ok(store.read(&id(name))?.map(|v| v.rows().to_vec()))
}

fn new_store() -> (TempDir, PathBuf, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    (folder, path, store)
}

/// Returns the error of opening a file, which names the path.
fn refusal(path: &Path) -> String {
    let error = Sqlite::open(path).unwrap_err();
    assert_eq!(error.code(), "store");
    let text = error.operator_message();
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    text
}
