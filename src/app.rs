//! The commands that run until they are stopped: MCP over stdio, and the HTTP server.

use crate::config::Config;
use crate::mcp;
use anyhow::Result;
use econoscope_core::catalogue::names::Names;
use econoscope_core::recipe::Recipes;
use econoscope_desk::Audience;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

mod live;
mod serving;
#[cfg(test)]
mod tests;
mod wiring;

pub(crate) use live::sync_once;
pub(crate) use serving::serve;
pub(crate) use wiring::{open_backend, open_desk, open_store, open_upstream};

/// Serves MCP on stdin and stdout until the client disconnects or a signal arrives.
pub(crate) async fn stdio(config: &Config) -> Result<()> {
    let stop = stop_on_signal();
    let backend = open_backend(config, None, Audience::Own)?;
    let desk = Arc::clone(backend.desk());
    let sync = live::BackgroundSync::new(config, &backend, &stop)
        .map(|sync| tokio::task::spawn_blocking(move || sync.run(drop)));
    // Loads what the first call needs while the client initializes. An error here occurs again in that call.
    tokio::task::spawn_blocking(|| Recipes::embedded().feeds().count());
    tokio::task::spawn_blocking(move || {
        Names::embedded();
        drop(desk.store_summary());
    });
    let server = mcp::Server::new(Arc::new(backend)).with_search_tools(!config.no_search_tools);
    let served = mcp::transport::serve_stdio(server, config.as_of, stop.clone()).await;
    stop.cancel();
    if let Some(sync) = sync {
        // Long enough to end the lease. What the sync has written stays, whenever it ends.
        drop(tokio::time::timeout(Duration::from_millis(500), sync).await);
    }
    served
}

/// Formats a time for a file name: `20261121T150405Z`.
pub(crate) fn format_file_time(at: jiff::Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Returns a token that SIGINT, SIGTERM or SIGQUIT cancels (elsewhere Ctrl-C). A second signal ends the process at once.
///
/// SIGHUP has its default action: it ends the process with its terminal, unless `nohup` ignores it.
pub(crate) fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        let two_signals = async {
            wait_for_signal().await?;
            token.cancel();
            wait_for_signal().await
        };
        match two_signals.await {
            Ok(()) => exit_at_once(),
            Err(error) => tracing::warn!(%error, "cannot listen for signals"),
        }
    });
    stop
}

/// Waits for a signal to stop.
#[cfg(unix)]
async fn wait_for_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut quit = signal(SignalKind::quit())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = quit.recv() => {}
    }
    Ok(())
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn wait_for_signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Ends the process without a drain. The store stays intact.
#[expect(clippy::exit, reason = "the second signal means not to drain")]
fn exit_at_once() -> ! {
    tracing::error!(target: econoscope_core::error::NOTICE_TARGET, "stopped at once");
    std::process::exit(1)
}
