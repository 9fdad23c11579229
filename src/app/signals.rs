//! What ends the program from outside.

#[cfg(unix)]
use std::task::Poll;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that SIGINT, SIGTERM, SIGQUIT or SIGHUP cancels (elsewhere Ctrl-C); the second signal ends the process.
pub(crate) fn stop_on_signal() -> CancellationToken {
    // `nohup` has it ignored, so that the program outlives its terminal.
    stop_on(Signals::to_end(!is_hangup_ignored()))
}

/// The same, but that SIGHUP has another meaning ([`Signals::to_read_again`]).
pub(super) fn stop_on_signal_but_hangup() -> CancellationToken {
    stop_on(Signals::to_end(false))
}

fn stop_on(mut signals: Signals) -> CancellationToken {
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        token.cancel();
        signals.next().await;
        leave_now();
    });
    stop
}

#[cfg(unix)]
fn heard(kind: SignalKind) -> Option<Signal> {
    match signal(kind) {
        Ok(signal) => Some(signal),
        Err(error) => {
            tracing::warn!(%error, ?kind, "a signal cannot be listened for");
            None
        }
    }
}

/// Signals that mean the same. Whoever listens for one does not die of it.
#[cfg(unix)]
pub(super) struct Signals(Vec<Signal>);

#[cfg(unix)]
impl Signals {
    fn to_end(with_hangup: bool) -> Self {
        let mut kinds = vec![
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::quit(),
        ];
        if with_hangup {
            kinds.push(SignalKind::hangup());
        }
        Self(kinds.into_iter().filter_map(heard).collect())
    }

    /// The signal to read the settings again.
    pub(super) fn to_read_again() -> Self {
        Self(heard(SignalKind::hangup()).into_iter().collect())
    }

    /// Waits for any of them.
    pub(super) async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let mut came = self.0.iter_mut().map(|s| s.poll_recv(context));
            match came.find(|came| *came == Poll::Ready(Some(()))) {
                Some(_) => Poll::Ready(()),
                None => Poll::Pending,
            }
        })
        .await;
    }
}

/// Whether this process was started with SIGHUP ignored; told by Linux alone.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// Ctrl-C, the one thing that every system has to say it with, or nothing.
#[cfg(not(unix))]
pub(super) struct Signals {
    has_ctrl_c: bool,
}

#[cfg(not(unix))]
impl Signals {
    fn to_end(_: bool) -> Self {
        Self { has_ctrl_c: true }
    }

    pub(super) fn to_read_again() -> Self {
        Self { has_ctrl_c: false }
    }

    /// Waits for Ctrl-C.
    pub(super) async fn next(&mut self) {
        if self.has_ctrl_c {
            match tokio::signal::ctrl_c().await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "Ctrl-C cannot be listened for"),
            }
        }
        std::future::pending().await
    }
}

/// A second signal means now: nothing is waited for, the store is safe at any instant.
#[expect(clippy::exit, reason = "the one who asked twice does not want a drain")]
fn leave_now() -> ! {
    tracing::error!(target: econoscope_core::error::NOTICE, "stopped at once");
    std::process::exit(1)
}
