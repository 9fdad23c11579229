//! Figures that tests of the local answers stand on, the files of `data/series`; and how an endpoint is asked.

use econoscope::Result;
use econoscope_answers::{Arguments, Backend, Route};
use econoscope_data::ingest;
use econoscope_data::store::{Sqlite, Store};
use econoscope_desk::{Desk, Settings};
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/series");

/// Rows of a series' file, `(date, value)`.
pub(crate) fn rows(id: &str) -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{id}.csv")).unwrap();
    let row = |line: &str| {
        let mut cells = line.split(',').skip(1);
        let date = cells.next().unwrap().to_owned();
        (date, cells.next().unwrap().parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// The value of a series on a date, out of its file.
pub(crate) fn on(id: &str, date: &str) -> f64 {
    rows(id).into_iter().find(|(d, _)| d == date).unwrap().1
}

/// The rows from one day to another, both included.
pub(crate) fn between(id: &str, start: &str, end: &str) -> Vec<(String, f64)> {
    let mut rows = rows(id);
    rows.retain(|(d, _)| start <= d.as_str() && d.as_str() <= end);
    rows
}

/// The newest row on or before a day.
pub(crate) fn by(id: &str, day: &str) -> (String, f64) {
    between(id, "", day).pop().unwrap()
}

/// The day on which every test lives.
pub(crate) fn now() -> Timestamp {
    "2026-11-21T05:00:00Z".parse().unwrap()
}

/// A store with the real figures, imported once.
pub(crate) fn real() -> Arc<Sqlite> {
    static STORE: OnceLock<Arc<Sqlite>> = OnceLock::new();
    STORE
        .get_or_init(|| {
            let store = Sqlite::in_memory().unwrap();
            let report =
                ingest::import(&store, Path::new(FOLDER), &mut ingest::Progress::quiet()).unwrap();
            assert!(report.errors.is_empty(), "{:?}", report.errors);
            Arc::new(store)
        })
        .clone()
}

/// Who answers from a store.
pub(crate) fn backend(store: Arc<dyn Store>) -> Backend {
    let desk = Desk::open(store, Settings::default(), Arc::new(now));
    Backend::local(Arc::new(desk))
}

/// Asks an endpoint as an assistant does; the answer as JSON and as text.
pub(crate) fn ask(
    backend: &Backend,
    tool: &str,
    arguments: &[(&str, &str)],
) -> Result<(Value, String)> {
    let route = Route::find(tool).unwrap();
    let given: Arguments = arguments
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answer = runtime.block_on(route.call(backend, route.with_assistant_defaults(given)))?;
    let json = serde_json::from_slice(&answer.json).unwrap();
    Ok((json, answer.text.to_string()))
}
