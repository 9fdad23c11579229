//! One builder of desks for tests.
#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its desk cannot be made"
)]

use crate::{Clock, Desk, Settings};
use econoscope_core::model::{Date, Observation, SeriesId};
use econoscope_data::store::{Sqlite, Store, Write};
use jiff::Timestamp;
use std::sync::Arc;

/// A desk to be: over a store, with the default settings and the system's clock unless told otherwise.
pub struct TestDesk {
    store: Arc<dyn Store>,
    settings: Settings,
    clock: Clock,
}

impl TestDesk {
    /// Over the bundled history.
    pub fn bundled() -> Self {
        Self::over(Arc::new(Sqlite::bundled().unwrap()))
    }

    /// Over an empty store in memory.
    pub fn empty() -> Self {
        Self::over(Arc::new(Sqlite::in_memory().unwrap()))
    }

    /// Over a store.
    pub fn over(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            settings: Settings::default(),
            clock: Desk::system_clock(),
        }
    }

    /// Sets the settings.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Stops the clock at an instant.
    pub fn at(mut self, instant: Timestamp) -> Self {
        self.clock = Arc::new(move || instant);
        self
    }

    /// Sets the clock.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Stops the clock at noon (UTC) of a day, `2026-11-21`.
    pub fn on(self, day: &str) -> Self {
        self.at(format!("{day}T12:00:00Z").parse().unwrap())
    }

    /// Stores figures of a source, known from a day on; `None` is the day of the clock.
    pub fn series(
        self,
        id: &str,
        origin: &str,
        observations: &[Observation],
        known_from: Option<Date>,
    ) -> Self {
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations,
            known_from,
            fetched_at: (self.clock)(),
            origin,
        };
        self.store.write(write).unwrap();
        self
    }

    /// Opens the desk.
    pub fn open(self) -> Desk {
        Desk::open(self.store, self.settings, self.clock)
    }
}
