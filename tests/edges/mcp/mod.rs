//! The MCP edge through its public door: a client that speaks lines of JSON over a pipe, as a host would.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so"
)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "counts of words and letters are small"
)]

mod budgets;
mod choice;
mod client;
mod outputs;
mod pictures;
mod protocol;
mod reading;
mod subscriptions;
mod typos;

use econoscope::desk::{Desk, Settings};
use econoscope::endpoints::Backend;
use econoscope::mcp::Server;
use econoscope::store::{Memory, Store};
use jiff::Timestamp;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The moment at which every test runs.
fn now() -> Timestamp {
    "2026-08-22T12:00:00Z".parse().unwrap()
}

/// A backend over a store.
fn backend(store: Arc<dyn Store>) -> Arc<Backend> {
    let desk = Desk::open(store, Settings::default(), Arc::new(now));
    Arc::new(Backend::local(Arc::new(desk)))
}

/// A backend over the bundled history.
fn bundled() -> Arc<Backend> {
    static BUNDLED: OnceLock<Arc<Backend>> = OnceLock::new();
    Arc::clone(BUNDLED.get_or_init(|| backend(Arc::new(Memory::new()))))
}

/// A backend over the real series, when their folder is there.
fn imported() -> Option<Arc<Backend>> {
    static IMPORTED: OnceLock<Option<Arc<Backend>>> = OnceLock::new();
    IMPORTED
        .get_or_init(|| {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/series");
            if !Path::new(folder).is_dir() {
                println!("skipped: {folder} is not here");
                return None;
            }
            let store: Arc<dyn Store> = Arc::new(Memory::new());
            econoscope::ingest::import(store.as_ref(), Path::new(folder), &mut |_| {}).unwrap();
            let backend = backend(store);
            econoscope::desk::composites::refresh(backend.desk()).unwrap();
            Some(backend)
        })
        .clone()
}

/// The bundled history, and the real series where they are.
fn backends() -> Vec<(&'static str, Arc<Backend>)> {
    let mut all = vec![("bundled", bundled())];
    all.extend(imported().map(|b| ("imported", b)));
    all
}

/// A server over the bundled history.
fn server() -> Server {
    Server::new(bundled())
}
