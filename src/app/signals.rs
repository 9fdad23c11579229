//! Signals that end the program.

use tokio_util::sync::CancellationToken;

/// Returns a token that SIGINT, SIGTERM, SIGQUIT or SIGHUP cancels (elsewhere Ctrl-C). The second signal ends the process.
pub(crate) fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        signal().await;
        token.cancel();
        signal().await;
        end_now();
    });
    stop
}

/// Waits for a signal to end.
#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let mut kinds = vec![
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::quit(),
    ];
    // `nohup` has it ignored, so that the program outlives its terminal.
    if !is_hangup_ignored() {
        kinds.push(SignalKind::hangup());
    }
    let mut signals = Vec::new();
    for kind in kinds {
        match signal(kind) {
            Ok(signal) => signals.push(signal),
            Err(error) => tracing::warn!(%error, ?kind, "a signal cannot be listened for"),
        }
    }
    std::future::poll_fn(|context| {
        let mut polled = signals.iter_mut().map(|s| s.poll_recv(context));
        match polled.any(|polled| polled.is_ready()) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
async fn signal() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::warn!(%error, "Ctrl-C cannot be listened for");
        std::future::pending().await
    }
}

/// Whether this process was started with SIGHUP ignored; only Linux tells.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// Ends at once: the store is safe at any instant.
#[expect(clippy::exit, reason = "the second signal means not to drain")]
fn end_now() -> ! {
    tracing::error!(target: econoscope_core::error::NOTICE, "stopped at once");
    std::process::exit(1)
}
