//! What every request shares.

use super::metrics::Metrics;
use crate::admission::{Admission, Callers};
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// What every request shares.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) backend: Arc<Backend>,
    pub(super) admission: Arc<Admission>,
    pub(super) callers: Arc<Callers>,
    pub(super) metrics: Arc<Metrics>,
    /// Whether requests are wanted: not any more after a stop.
    pub(super) ready: Arc<AtomicBool>,
    pub(super) probe: Arc<Probe>,
}

/// Whether endpoints could answer, as it was found a moment ago: asking reads rows, and nobody pays for asking.
#[derive(Debug, Default)]
pub(super) struct Probe(Mutex<Option<(Instant, Option<String>)>>);

impl Probe {
    /// For how long what was found is told again.
    const FRESH: Duration = Duration::from_millis(500);

    pub(super) async fn ask(&self, desk: &Arc<Desk>) -> Result<()> {
        let mut found = self.0.lock().await;
        let known = found.take().filter(|(at, _)| at.elapsed() < Self::FRESH);
        let (at, broken) = match known {
            Some(known) => known,
            None => {
                let store = Arc::clone(desk.store());
                let asked = tokio::task::spawn_blocking(move || store.probe()).await;
                let asked = asked.map_err(|e| Error::internal("the probe failed", e))?;
                let broken = asked.err().map(|e| e.for_operator());
                (Instant::now(), broken)
            }
        };
        let result = match &broken {
            None => Ok(()),
            Some(what) => Err(Error::of_store(what.trim_start_matches("Store: "))),
        };
        *found = Some((at, broken));
        result
    }
}
