//! Figures that tests of the local answers stand on: the real ones beside the project, where they are
//! there, and the bundled history always; and how an endpoint is asked.

use econoscope::Result;
use econoscope::desk::{Desk, Settings};
use econoscope::endpoints::{Arguments, Backend, Route};
use econoscope::ingest;
use econoscope::store::{Memory, Store};
use jiff::Timestamp;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/series");

/// The day on which every test lives.
pub(crate) fn now() -> Timestamp {
    "2026-11-21T05:00:00Z".parse().unwrap()
}

/// A store with the real figures; `None`, said aloud, where their folder is absent. Imported once.
pub(crate) fn real() -> Option<Arc<Memory>> {
    static STORE: OnceLock<Option<Arc<Memory>>> = OnceLock::new();
    STORE
        .get_or_init(|| {
            if !Path::new(FOLDER).is_dir() {
                println!("skipped: ../shared/data/series is not there");
                return None;
            }
            let store = Memory::new();
            let report = ingest::import(&store, Path::new(FOLDER), &mut |_| {}).unwrap();
            assert!(report.errors.is_empty(), "{:?}", report.errors);
            Some(Arc::new(store))
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
    let answer = runtime.block_on(route.call(backend, route.for_assistant(given)))?;
    let json = serde_json::from_slice(&answer.json).unwrap();
    Ok((json, answer.text.to_string()))
}
