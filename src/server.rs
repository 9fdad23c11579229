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
mod scrape;
mod settings;
mod shared;

pub use http_server::HttpServer;
pub use metrics::SyncCounts;
pub use settings::{Connections, Options, Shutdown};
