//! The state that all requests share.

use super::metrics::Metrics;
use crate::admission::{AccessRules, Admission};
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The state that all requests share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    pub(super) admission: Arc<Admission>,
    pub(super) access_rules: Arc<AccessRules>,
    pub(super) metrics: Arc<Metrics>,
    /// Whether the server accepts requests: false during shutdown.
    pub(super) ready: Arc<AtomicBool>,
    pub(super) probe: Arc<StoreProbe>,
}

/// A cached check of the store: it reads rows, and `/ready` is not charged.
#[derive(Debug, Default)]
pub(super) struct StoreProbe(Mutex<Option<(Instant, Option<String>)>>);

impl StoreProbe {
    /// Cache time of the outcome.
    const MAX_AGE: Duration = Duration::from_millis(500);

    /// Checks that the store can be read.
    pub(super) async fn check(&self, desk: &Arc<Desk>) -> Result<()> {
        let mut cached = self.0.lock().await;
        if cached
            .as_ref()
            .is_none_or(|(at, _)| at.elapsed() >= Self::MAX_AGE)
        {
            let store = Arc::clone(desk.store());
            let outcome = tokio::task::spawn_blocking(move || store.probe()).await;
            let outcome = outcome.map_err(|e| Error::internal("the probe failed", e))?;
            let problem = outcome.err().map(|e| e.for_operator());
            *cached = Some((Instant::now(), problem));
        }
        match cached.as_ref().and_then(|(_, problem)| problem.as_ref()) {
            None => Ok(()),
            Some(problem) => Err(Error::of_store(problem.trim_start_matches("Store: "))),
        }
    }
}
