//! Signals that end the program.

use std::io;
use tokio_util::sync::CancellationToken;

/// Returns a token that SIGINT, SIGTERM or SIGQUIT cancels (elsewhere Ctrl-C). The second signal ends the process.
///
/// SIGHUP is left to the system: it ends the program with its terminal, unless `nohup` has it ignored.
pub(crate) fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        let twice = async {
            signal().await?;
            token.cancel();
            signal().await
        };
        match twice.await {
            Ok(()) => end_now(),
            Err(error) => tracing::warn!(%error, "signals cannot be listened for"),
        }
    });
    stop
}

/// Waits for a signal to end.
#[cfg(unix)]
async fn signal() -> io::Result<()> {
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
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Ends at once: the store is safe at any instant.
#[expect(clippy::exit, reason = "the second signal means not to drain")]
fn end_now() -> ! {
    tracing::error!(target: econoscope_core::error::NOTICE, "stopped at once");
    std::process::exit(1)
}
