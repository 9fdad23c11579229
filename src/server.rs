//! The HTTP server: connections, tracing, metrics, health and graceful shutdown.
//!
//! The layers from outside to inside: connections → id, metrics and log → hosts and origins → panics → CORS → limits →
//! handler. `/mcp` is split off before the router, because its limits depend on the content of the message.

mod connections;
mod front;
mod health;
mod http_server;
mod metrics;
mod observe;
mod settings;

use crate::admission::{AccessRules, Admission};
use econoscope_answers::Backend;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use http_server::HttpServer;
pub use settings::{ConnectionSettings, Options, Shutdown};

/// The state that all requests share.
#[derive(Clone)]
struct Shared {
    backend: Arc<Backend>,
    admission: Arc<Admission>,
    access_rules: Arc<AccessRules>,
    metrics: Arc<metrics::Metrics>,
    /// Whether the server accepts requests: false during shutdown.
    ready: Arc<AtomicBool>,
    probe: Arc<health::StoreProbe>,
}
