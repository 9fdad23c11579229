//! What every request shares.

use super::metrics::Metrics;
use super::probe::Probe;
use crate::admission::{Admission, Callers};
use crate::endpoints::Backend;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
