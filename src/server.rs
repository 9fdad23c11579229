//! The HTTP server: connections and how slow they may be, observation, health, and the drain at the end.
//!
//! From outside to inside: connections → id, count and log → hosts and origins → panics → CORS →
//! limits → handler. `/mcp` is asked for before the router and has a mount of its own, because its limits depend on
//! what the message says.

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
