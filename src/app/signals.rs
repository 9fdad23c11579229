//! What ends the program from outside.

#[cfg(unix)]
use std::task::Poll;
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that SIGINT, SIGTERM, SIGQUIT or SIGHUP cancels (elsewhere Ctrl-C); the second signal ends the process.
pub(crate) fn stop_on_signal() -> CancellationToken {
    // `nohup` has it ignored, so that the program outlives its terminal.
    #[cfg(unix)]
    return stop_on(Signals::listen(!is_hangup_ignored()));
    #[cfg(not(unix))]
    stop_on(Signals::listen())
}

/// The same, but that SIGHUP has another meaning ([`Hangups`]).
pub(super) fn stop_on_signal_but_hangup() -> CancellationToken {
    #[cfg(unix)]
    return stop_on(Signals::listen(false));
    #[cfg(not(unix))]
    stop_on(Signals::listen())
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

/// The signal to read the settings again, where the system has it. Whoever listens does not die of it.
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: Option<Signal>,
}

impl Hangups {
    /// Listens from now on.
    pub(super) fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signal: heard(SignalKind::hangup()),
        }
    }

    /// Waits for the next.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
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

/// The signals that end the program.
#[cfg(unix)]
struct Signals(Vec<Signal>);

#[cfg(unix)]
impl Signals {
    fn listen(with_hangup: bool) -> Self {
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

    /// Waits for any of them.
    async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let mut came = self.0.iter_mut().map(|s| s.poll_recv(context));
            match came.find(Poll::is_ready) {
                Some(_) => Poll::Ready(()),
                None => Poll::Pending,
            }
        })
        .await;
    }
}

/// Whether this process was started with SIGHUP ignored; told by Linux alone.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// The one thing that every system has to say it with.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    /// Waits for Ctrl-C.
    #[expect(clippy::unused_self, reason = "other systems wait on a field")]
    async fn next(&mut self) {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(%error, "Ctrl-C cannot be listened for");
            std::future::pending::<()>().await;
        }
    }
}

/// A second signal means now: nothing is waited for, the store is safe at any instant.
#[expect(clippy::exit, reason = "the one who asked twice does not want a drain")]
fn leave_now() -> ! {
    tracing::error!(target: crate::error::NOTICE, "stopped at once");
    std::process::exit(1)
}
