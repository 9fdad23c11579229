//! The fast lane gives what the protocol library gives: the same messages sent both ways, answers compared.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so; the corpus is a table"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "a random number is cut to an index"
)]

mod corpus;
mod http;
mod lines;

use econoscope::desk::{Desk, Settings};
use econoscope::endpoints::Backend;
use econoscope::model::{Observation, SeriesId};
use econoscope::store::{Memory, Store, Write};
use jiff::Timestamp;
use jiff::civil::date;
use std::sync::Arc;

/// The moment at which every test runs: both ways must not see different days.
fn now() -> Timestamp {
    "2026-08-22T12:00:00Z".parse().unwrap()
}

fn backend(store: Arc<dyn Store>) -> Arc<Backend> {
    let desk = Desk::open(store, Settings::default(), Arc::new(now));
    Arc::new(Backend::local(Arc::new(desk)))
}

/// A backend over the bundled history.
fn bundled() -> Arc<Backend> {
    backend(Arc::new(Memory::new()))
}

/// Days of August 2026 for a series.
fn write(store: &dyn Store, id: &str, values: &[f64]) {
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
