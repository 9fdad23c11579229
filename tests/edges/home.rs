//! Backends and figures for tests.

use econoscope_answers::Backend;
use econoscope_core::model::{Observation, SeriesId};
use econoscope_data::store::{Sqlite, Store, Write};
use econoscope_desk::{Desk, Settings};
use jiff::Timestamp;
use jiff::civil::date;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Returns the time at which every test runs.
pub(crate) fn now() -> Timestamp {
    "2026-08-22T12:00:00Z".parse().unwrap()
}

/// Creates a backend over a store.
pub(crate) fn backend(store: Arc<dyn Store>) -> Arc<Backend> {
    let desk = Desk::open(store, Settings::default(), Arc::new(now));
    Arc::new(Backend::local(Arc::new(desk)))
}

/// Returns a backend over the bundled history.
pub(crate) fn bundled() -> Arc<Backend> {
    static BUNDLED: OnceLock<Arc<Backend>> = OnceLock::new();
    Arc::clone(BUNDLED.get_or_init(|| backend(Arc::new(Sqlite::bundled().unwrap()))))
}

/// Returns a backend over the series files of `data/series`.
fn imported() -> Arc<Backend> {
    static IMPORTED: OnceLock<Arc<Backend>> = OnceLock::new();
    IMPORTED
        .get_or_init(|| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/series");
            let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
            econoscope_data::ingest::import(
                store.as_ref(),
                Path::new(folder),
                &mut econoscope_data::ingest::Progress::quiet(),
            )
            .unwrap();
            let backend = backend(store);
            econoscope_desk::composites::refresh(backend.desk()).unwrap();
            backend
        })
        .clone()
}

/// Returns both backends with their names.
pub(crate) fn backends() -> [(&'static str, Arc<Backend>); 2] {
    [("bundled", bundled()), ("imported", imported())]
}

/// Writes values of a series for the first days of August 2026.
pub(crate) fn write(store: &dyn Store, id: &str, values: &[f64]) {
    let observations: Vec<Observation> = values
        .iter()
        .zip(1..)
        .map(|(value, day)| Observation::new(date(2026, 8, day), *value))
        .collect();
    let write = Write {
        id: &SeriesId::new(id).unwrap(),
        observations: &observations,
        known_from: None,
        fetched_at: now(),
        origin: "test",
    };
    store.write(write).unwrap();
}
