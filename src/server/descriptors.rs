//! Descriptors enough for every connection that may be open and for everything else, and an answer where there are none.

use super::settings::Connections;
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// Kept for the store, logs, upstream and sources, the metrics listener, and connections that are turned away.
#[cfg(unix)]
const RESERVE: u64 = 256;
/// No more than this is said about a lack of descriptors.
const SAY_EVERY: Duration = Duration::from_secs(60);

impl Connections {
    /// Raises this process's limit of open files as far as these connections need and the system allows; where that
    /// is not far enough, fewer connections are taken, so that the rest of the program can still open its files.
    #[must_use]
    #[cfg(unix)]
    pub fn within_descriptors(mut self) -> Self {
        let wanted = u64::try_from(self.max).unwrap_or(u64::MAX);
        let usable = raise(wanted.saturating_add(RESERVE));
        // A quarter of very few is reserve enough.
        let room = usable.saturating_sub(RESERVE.min(usable / 4));
        let max = usize::try_from(room).unwrap_or(usize::MAX).max(1);
        if max < self.max {
            tracing::warn!(
                wanted,
                max,
                open_files = usable,
                "fewer connections are taken than were asked for; raise the limit of open files (ulimit -Hn)"
            );
            self.max = max;
        }
        self
    }

    /// Other systems have no such limit.
    #[cfg(not(unix))]
    pub fn within_descriptors(self) -> Self {
        self
    }
}

/// Raises the limit of open files as far as wanted and allowed: what it is now.
#[cfg(unix)]
fn raise(wanted: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current.unwrap_or(u64::MAX);
    if current >= wanted {
        return current;
    }
    let raised = limit.maximum.map_or(wanted, |max| max.min(wanted));
    let more = Rlimit {
        current: Some(raised),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, more) {
        Ok(()) => raised,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files could not be raised");
            current
        }
    }
}

/// A descriptor kept for the moment when there are no more.
pub(super) struct Spare {
    file: Option<File>,
    said: Option<Instant>,
}

impl Spare {
    pub(super) fn open() -> Self {
        Self {
            file: spare(),
            said: None,
        }
    }

    /// After a connection could not be accepted: the one that waits longest, for which the spare descriptor is given,
    /// so that it can be told instead of left waiting. [`Self::refill`] follows.
    pub(super) async fn give(
        &mut self,
        listener: &TcpListener,
        error: &io::Error,
    ) -> Option<TcpStream> {
        if self.said.is_none_or(|at| at.elapsed() >= SAY_EVERY) {
            self.said = Some(Instant::now());
            tracing::warn!(%error, "a connection could not be accepted");
        }
        drop(self.file.take()?);
        let first = tokio::time::timeout(Duration::from_millis(1), listener.accept()).await;
        first.ok()?.ok().map(|(stream, _)| stream)
    }

    /// Takes a descriptor again, if there is one.
    pub(super) fn refill(&mut self) {
        self.file = spare();
    }
}

/// Any file will do; where there is none of this name, there is no spare.
fn spare() -> Option<File> {
    File::open("/dev/null")
        .inspect_err(|error| tracing::debug!(%error, "no descriptor to spare"))
        .ok()
}
