//! Wiring: from settings to a store, a desk, a backend, and the edges around it.

use crate::config::Config;
use crate::mcp;
use anyhow::Result;
use econoscope_core::catalogue::names::Names;
use std::sync::Arc;

mod live;
mod serving;
mod signals;
#[cfg(test)]
mod tests;
mod webhooks;
mod wiring;

pub(crate) use live::sync_once;
pub(crate) use serving::serve;
pub(crate) use signals::stop_on_signal;
pub(crate) use wiring::{backend, desk_over, open_kept};

/// Speaks MCP on stdin and stdout until the client leaves or a signal comes.
pub(crate) async fn stdio(config: &Config) -> Result<()> {
    let backend = Arc::new(backend(config, None, true)?);
    let desk = Arc::clone(backend.desk());
    // What the first call needs is read while the client still says hello; what fails here, the call will tell.
    tokio::task::spawn_blocking(move || {
        Names::embedded();
        drop(desk.holdings());
    });
    let stop = stop_on_signal();
    mcp::transport::stdio(
        mcp::Server::new(backend).listing_search(!config.no_search_tools),
        stop,
    )
    .await
}

/// A time for a file name: `20261121T150405Z`.
pub(crate) fn stamp(at: jiff::Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}
